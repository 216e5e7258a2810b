package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fillbook/internal/base/decimal"
)

// twoCurrencies is a journal with a USD account and a EUR account. A trade in USD wins 100
// on 2 March, one in EUR loses 30 on 3 March, and one in USD loses 50 on 9 March. EUR are
// worth 1.25, 1.25 and 1.6 USD on these days.
func twoCurrencies(w *world) (d, euro trader) {
	d = w.trader()
	euro = d.client.addAccount("Euro", more{"base_currency": "EUR", "starting_balance": "1000"})
	trade := func(d trader, symbol, exit, day string) {
		for _, fill := range []more{{"side": "buy", "price": "10", "executed_at": day + "T10:00:00Z"}, {"side": "sell", "price": exit, "executed_at": day + "T11:00:00Z"}} {
			fill["account_id"], fill["symbol"], fill["instrument_type"], fill["quantity"] = d.account, symbol, "stock", "10"
			d.made("/executions", fill)
		}
	}
	trade(d, "AAPL", "20", "2026-03-02")
	trade(euro, "SAP", "7", "2026-03-03")
	trade(d, "MSFT", "5", "2026-03-09")
	return d, euro
}

const someRates = "Date,USD,GBP,\n2026-03-09,1.6,0.9,\n2026-03-02,1.25,0.8,\n"

func TestFiguresInOneCurrency(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d, euro := twoCurrencies(w)
		figures := []string{
			"summary", "daily", "equity-curve", "behavior", "breakdown?by=symbol", "tag-effects", "r", "drawdowns", "calendar", "compare?against=rest&symbol=SAP", "rules",
			"excursions", "insights", "montecarlo",
		}
		inEUR := func(path string) string {
			if strings.Contains(path, "?") {
				return path + "&currency=EUR"
			}
			return path + "?currency=EUR"
		}
		both := "account_id=" + d.account + "," + euro.account
		for _, figure := range figures {
			d.get("/analytics/"+figure).wantError(http.StatusBadRequest, "mixed_currencies")
			d.get("/analytics/"+inEUR(figure)).wantError(http.StatusConflict, "rates_missing").
				is("error.details.missing", `[{"base":"USD","from":"2026-03-02","quote":"EUR","to":"2026-03-09"}]`)
		}
		for _, list := range []string{"/trades", "/trades?limit=2"} {
			d.get(inEUR(list)).wantError(http.StatusConflict, "rates_missing").holds("error.details.missing", `[{"base": "USD"}]`)
		}
		d.get("/analytics/summary?currency=EUR&account_id="+euro.account).want(http.StatusOK).holds("", `{"net_pnl": -30, "currency": "EUR"}`).
			is("rates", `null`).holds("accounts", `[{"name": "Euro", "currency": "EUR"}]`)
		d.get("/analytics/summary?currency=EUR&symbol=SAP").want(http.StatusOK).is("net_pnl", `-30`) // nothing else to convert
		d.get("/analytics/summary?currency=EU").wantField("currency")

		d.sendBars("/commit", "eurofxref-hist.csv", someRates).want(http.StatusOK)
		for _, figure := range figures {
			d.get("/analytics/" + inEUR(figure)).want(http.StatusOK)
		}
		// 100 / 1.25 = 80 and -50 / 1.6 = -31.25
		for range 2 { // computed, then cached
			d.get("/analytics/summary?currency=EUR").want(http.StatusOK).
				holds("", `{"total_trades": 3, "wins": 1, "net_pnl": 18.75, "gross_profit": 80, "gross_loss": 61.25, "max_drawdown": 61.25, "currency": "EUR"}`).
				is("rates", `{"first_day":"2026-03-02","last_day":"2026-03-09","source":"European Central Bank"}`).
				holds("accounts", `[{"currency": "USD"}, {"currency": "EUR"}]`)
		}
		d.get("/analytics/summary?currency=USD&"+both).want(http.StatusOK).holds("", `{"net_pnl": 12.5, "currency": "USD"}`)
		d.get("/analytics/summary?currency=GBP").want(http.StatusOK).holds("", `{"net_pnl": 11.875}`)
		d.get("/analytics/daily?currency=EUR").want(http.StatusOK).
			holds("", `[{"date": "2026-03-02", "net_pnl": 80, "currency": "EUR"}, {"net_pnl": -30}, {"net_pnl": -31.25, "cumulative_pnl": 18.75}]`)
		d.get("/analytics/breakdown?by=symbol&currency=EUR&evidence=false").want(http.StatusOK).
			holds("", `[{"net_pnl": 80, "currency": "EUR"}, {"net_pnl": -30}, {"net_pnl": -31.25}]`)
		d.get("/analytics/drawdowns?currency=EUR").want(http.StatusOK).holds("", `[{"depth": 61.25, "currency": "EUR"}]`)
		d.get("/analytics/compare?against=rest&symbol=SAP&currency=EUR").want(http.StatusOK).holds("", `{"a": {"net_pnl": -30}, "b": {"net_pnl": 48.75}, "currency": "EUR"}`)

		// 1000; 1000 + 100 / 1.25; 970 + 80; 970 + 50 / 1.6
		for range 2 {
			d.get("/analytics/equity-curve?currency=EUR").want(http.StatusOK).
				holds("", `{"starting_equity": 1000, "ending_equity": 1001.25, "max_drawdown": 61.25, "fx_effect": -17.5, "max_drawdown_with_fx": 78.75, "marked": null}`).
				holds("points", `[{"equity": 1000, "fx_effect": 0}, {"equity": 1080, "fx_effect": 0}, {"equity": 1050, "drawdown": 30, "drawdown_with_fx": 30},
					{"equity": 1001.25, "drawdown": 61.25, "fx_effect": -17.5, "drawdown_with_fx": 78.75}]`).
				is("rates.last_day", `"2026-03-09"`)
		}
		d.get("/trades?currency=EUR").want(http.StatusOK).
			holds("", `[{"symbol": "MSFT", "net_pnl": -50, "converted": {"currency": "EUR", "rate": 0.625, "rate_date": "2026-03-09", "converted_at": "close", "net_pnl": -31.25}},
				{"symbol": "SAP", "converted": {"rate": 1, "net_pnl": -30}}, {"converted": {"rate": 0.8, "rate_date": "2026-03-02", "gross_pnl": 80, "realized_pnl": 80}}]`)
		d.get("/trades?"+both).wantError(http.StatusBadRequest, "mixed_currencies")
		d.get("/trades?currency=EUR&limit=1&sort=net_pnl&"+both).want(http.StatusOK).holds("", `[{"converted": {"net_pnl": -31.25}}]`)
		open := d.fill("BTCUSD", "buy 2@100", 1, crypto).text("trade_id")
		d.put("/positions/"+open+"/mark", more{"price": "105"}).want(http.StatusOK)
		d.get("/positions?currency=EUR").want(http.StatusOK).
			holds("", `[{"unrealized_pnl": 10, "converted": {"currency": "EUR", "rate": 0.625, "rate_date": "2026-03-09", "unrealized_pnl": 6.25}}]`)
		d.get("/trades?currency=EUR&status=open").want(http.StatusOK).holds("", `[{"converted": {"converted_at": "latest", "rate": 0.625, "net_pnl": null}}]`)

		// A typed rate replaces the published one on its day.
		d.made("/rates", more{"base": "EUR", "quote": "USD", "on": "2026-03-02", "rate": "2"})
		d.get("/analytics/summary?currency=EUR").want(http.StatusOK).is("net_pnl", `-11.25`).is("rates.source", `"European Central Bank, typed"`)
		view := d.made("/views", more{"name": "in EUR", "filter": more{"currency": "eur"}}).is("filter.currency", `"eur"`).text("id")
		d.get("/analytics/compare?currency=EUR&against=view&view_id="+view).want(http.StatusOK).is("b.net_pnl", `-11.25`)
		// Conditions test the account's own currency.
		d.get("/analytics/summary?currency=EUR&pnl_min=90").want(http.StatusOK).holds("", `{"total_trades": 1, "net_pnl": 50}`)
		d.get("/analytics/summary").wantError(http.StatusBadRequest, "mixed_currencies")
	})
}

// TestEquityInOneCurrency compares curves over random journals with their definition:
// equity is the sum of all balances at the day's rates, and its change is results + cash +
// the effect of rates, exactly.
func TestEquityInOneCurrency(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.trader()
		n := 0
		rapid.Check(t, func(rt *rapid.T) {
			if n++; n > 12 {
				return // each journal takes a while
			}
			d := w.addUser(owner.client, fmt.Sprintf("trader%d@example.org", n))
			checkRandomCurve(rt, d)
		})
	})
}

// checkRandomCurve makes a journal with two accounts and some days, and checks its curve in
// EUR.
func checkRandomCurve(t *rapid.T, d *client) {
	amount := func(label string) decimal.Decimal {
		return decimal.FromScaled(rapid.Int64Range(-99999, 99999).Draw(t, label), 2)
	}
	currencies, balances, accounts := []string{"USD", "EUR"}, make([]decimal.Decimal, 2), make([]trader, 2)
	for i, currency := range currencies {
		balances[i] = amount("balance").Abs()
		accounts[i] = d.addAccount(currency, more{"base_currency": currency, "starting_balance": balances[i].String()})
	}
	results, flows := decimal.Zero, decimal.Zero
	var equities []decimal.Decimal
	for day := 1; day <= rapid.IntRange(1, 8).Draw(t, "days"); day++ {
		on := fmt.Sprintf("2026-03-%02d", day)
		usd := decimal.FromScaled(rapid.Int64Range(5000, 30000).Draw(t, "rate"), 4)
		d.made("/rates", more{"base": "USD", "quote": "EUR", "on": on, "rate": usd.String()})
		value := func(i int, amount decimal.Decimal) decimal.Decimal {
			if currencies[i] == "EUR" {
				return amount
			}
			return amount.Mul(usd).Round(8)
		}
		sum := func() decimal.Decimal { return value(0, balances[0]).Add(value(1, balances[1])) }
		if day == 1 {
			equities = append(equities, sum())
		}
		for hour := range rapid.IntRange(1, 3).Draw(t, "events") {
			i := rapid.IntRange(0, 1).Draw(t, "account")
			at, change := fmt.Sprintf("%sT%02d:00:00Z", on, 8+hour), amount("amount")
			if change.IsZero() {
				change = decimal.New(1)
			}
			if isFlow := rapid.Bool().Draw(t, "is flow"); isFlow {
				kind := "deposit"
				if change.Sign() < 0 {
					kind = "withdrawal"
				}
				d.made("/cash-transactions", more{"account_id": accounts[i].account, "type": kind, "amount": change.Abs().String(), "occurred_at": at})
				flows = flows.Add(value(i, change))
			} else {
				for side, price := range map[string]decimal.Decimal{"buy": decimal.New(2000), "sell": decimal.New(2000).Add(change)} {
					when := at
					if side == "buy" {
						when = fmt.Sprintf("%sT%02d:30:00Z", on, 7+hour)
					}
					d.made("/executions", more{"account_id": accounts[i].account, "symbol": "AAPL", "instrument_type": "stock", "side": side, "quantity": "1", "price": price.String(), "executed_at": when})
				}
				results = results.Add(value(i, change))
			}
			balances[i] = balances[i].Add(change)
			equities = append(equities, sum())
		}
	}
	var curve struct {
		Points                                              []struct{ Equity decimal.Decimal }
		StartingEquity, EndingEquity, NetCashFlow, FXEffect decimal.Decimal
	}
	answer := d.get("/analytics/equity-curve?currency=EUR").want(http.StatusOK)
	var raw map[string]json.RawMessage
	must(t, json.Unmarshal(answer.body, &raw))
	must(t, json.Unmarshal(raw["points"], &curve.Points))
	for name, into := range map[string]*decimal.Decimal{"starting_equity": &curve.StartingEquity, "ending_equity": &curve.EndingEquity, "net_cash_flow": &curve.NetCashFlow, "fx_effect": &curve.FXEffect} {
		must(t, json.Unmarshal(raw[name], into))
	}
	if len(curve.Points) != len(equities) {
		t.Fatalf("there are %d points, want %d", len(curve.Points), len(equities))
	}
	for i, want := range equities {
		if !curve.Points[i].Equity.Equal(want) {
			t.Errorf("equity %d is %s, want %s", i, curve.Points[i].Equity, want)
		}
	}
	if !curve.NetCashFlow.Equal(flows) {
		t.Errorf("cash flows are %s, want %s", curve.NetCashFlow, flows)
	}
	if change := curve.EndingEquity.Sub(curve.StartingEquity); !change.Equal(decimal.Sum(results, flows, curve.FXEffect)) {
		t.Errorf("equity changed by %s, which is not %s + %s + %s", change, results, flows, curve.FXEffect)
	}
}

func must(t interface{ Fatal(...any) }, err error) {
	if err != nil {
		t.Fatal(err)
	}
}
