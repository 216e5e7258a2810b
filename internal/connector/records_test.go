package connector_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/connector"
	"fillbook/internal/connector/connectortest"
	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
	"fillbook/internal/matching"
	"fillbook/internal/remote"
)

var (
	from = time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	week = connector.Query{From: from, To: from.AddDate(0, 0, 7), Currency: "USD"}
)

// coinFill returns a fill of 2 at 100, some seconds after the start.
func coinFill(id, symbol string, seconds int) connector.CoinFill {
	c := connector.CoinFill{Instrument: statement.NamePair(symbol, "")}
	c.ID, c.Side, c.Quantity, c.Price = id, matching.Buy, decimal.New(2), decimal.New(100)
	c.At = from.Add(time.Duration(seconds) * time.Second)
	return c
}

func TestRecords(t *testing.T) {
	t.Parallel()
	r := connector.NewRecords("Test", week)
	inCoin := coinFill("1", "BTC/USDT", 3)
	inCoin.Fee, inCoin.FeeCoin = decimal.Must("0.001"), "btc"
	third := coinFill("2", "BTC/USDT", 2)
	third.Fee, third.FeeCoin = decimal.Must("0.5"), "BNB"
	rebate := coinFill("3", "BTC/EUR", 1)
	rebate.Fee = decimal.Must("-0.25")
	early, late, empty := coinFill("4", "BTC/USDT", -1), coinFill("5", "BTC/USDT", 7*24*3600), coinFill("6", "BTC/USDT", 4)
	empty.Quantity = decimal.Zero
	later := coinFill("7", "BTC/USDT", 3)
	later.Order = 9
	for _, f := range []connector.CoinFill{later, inCoin, third, rebate, early, late, empty, third} {
		r.AddCoinFill(f)
	}
	for coin, amount := range map[string]string{"USDT": "5", "EUR": "-2", "ETH": "0.5", "USDC": "0"} {
		r.AddCash(statement.Cash{Type: "interest", Amount: decimal.Must(amount), Currency: coin, At: from.Add(time.Duration(len(coin)) * time.Hour), Note: coin})
	}
	r.AddCash(statement.Cash{Type: "interest", Amount: decimal.New(1), Currency: "USD", At: from.Add(-1)})
	d := r.Delivery()
	if problem := (connectortest.Case{}).CheckDelivery(week, d); problem != "" {
		t.Error(problem)
	}
	list := []connector.Delivery{d}
	want := `2026-01-02T00:00:01Z buy 2 crypto BTC/EUR @ 100 fees -0.25 currency "EUR" id 3
2026-01-02T00:00:02Z buy 2 crypto BTC/USDT @ 100 fee "0.5 BNB" id 2
2026-01-02T00:00:03Z buy 1.999 crypto BTC/USDT @ 100 fees 0.1 fee "0.001 BTC" id 1
2026-01-02T00:00:03Z buy 2 crypto BTC/USDT @ 100 id 7
2026-01-02T03:00:00Z cash interest -2 EUR "EUR"
2026-01-02T04:00:00Z cash interest 5 USD "USDT"
problem The quantity of BTC/USDT is zero.
skipped it moves coins without a trade
skipped no money moved
`
	if diff := cmp.Diff(want, connectortest.Describe(list)); diff != "" {
		t.Error(diff)
	}
	want = `Fees in other coins than those of the pair (0.5 BNB in all) are kept with their fills but not counted, as Test doesn't state their price.
Coins that moved without a trade (0.5 ETH in all) were left out. If they changed a position, enter the change by hand.
Some fills are in EUR, the account is in USD: their amounts were taken as they are.`
	if diff := cmp.Diff(want, connectortest.Messages(list)); diff != "" {
		t.Error(diff)
	}
}

// walk fetches two streams of some pages with one fill each, from a state.
func walk(t *testing.T, query connector.Query, kept map[string]string) connector.Delivery {
	t.Helper()
	r := connector.NewRecords("Test", query)
	stream := func(name string, pages int) connector.Stream {
		return connector.Stream{Name: name, Fetch: func(_ context.Context, position string) (string, error) {
			page, _ := strconv.Atoi(position)
			r.AddCoinFill(coinFill(fmt.Sprint(name, page), "BTC/USDT", page))
			if page+1 == pages {
				return "", nil
			}
			return strconv.Itoa(page + 1), nil
		}}
	}
	d, err := r.Walk(t.Context(), kept, []connector.Stream{stream("a", 3), stream("b", 2)})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestWalk(t *testing.T) {
	t.Parallel()
	for maxRows, want := range map[int]string{0: "a0 b0 a1 b1 a2", 1: "a0|a1|a2|b0|b1", 2: "a0 a1|b0 a2|b1", 3: "a0 a1 a2|b0 b1"} {
		query := week
		query.MaxRows = maxRows
		var got []string
		for {
			d := walk(t, query, map[string]string{"seen": "yes"})
			var ids []string
			for _, f := range d.Statement.Fills {
				ids = append(ids, f.ID)
			}
			got = append(got, strings.Join(ids, " "))
			query.State, query.IsContinued = d.State, true
			if connector.Kept(query)["seen"] != "yes" {
				t.Errorf("state %s", d.State)
			}
			if !d.IsPartial {
				break
			}
		}
		if text := strings.Join(got, "|"); text != want {
			t.Errorf("%d rows: got %s, want %s", maxRows, text, want)
		}
	}
	fresh := week
	fresh.State = `{"progress": {"stream": "b", "position": "1"}}`
	if d := walk(t, fresh, nil); len(d.Statement.Fills) != 5 || d.State != "" {
		t.Errorf("another time begins with %d fills, state %q", len(d.Statement.Fills), d.State)
	}
	_, err := connector.NewRecords("Test", week).Walk(t.Context(), nil, []connector.Stream{
		{Name: "a", Fetch: func(context.Context, string) (string, error) { return "same", nil }},
	})
	if !errors.Is(err, remote.ErrMalformed) {
		t.Errorf("the same page for ever: error %v", err)
	}
}

func TestParser(t *testing.T) {
	t.Parallel()
	p := &connector.Parser{}
	if p.Decimal("price", "1.50").String() != "1.5" || !p.Optional("fee", "").IsZero() || p.Side("side", "Sell") != matching.Sell ||
		!p.Millis("time", "1767323045678").Equal(time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC)) || p.Err() != nil {
		t.Errorf("error %v", p.Err())
	}
	for name, parse := range map[string]func(*connector.Parser){
		"decimal": func(p *connector.Parser) { p.Decimal("price", "1,5") },
		"empty":   func(p *connector.Parser) { p.Decimal("price", "") },
		"side":    func(p *connector.Parser) { p.Side("side", "both") },
		"time":    func(p *connector.Parser) { p.Time("time", "yesterday") },
		"millis":  func(p *connector.Parser) { p.Millis("time", "1.5") },
		"id":      func(p *connector.Parser) { p.ID("id", "") },
	} {
		p := &connector.Parser{}
		if parse(p); !errors.Is(p.Err(), remote.ErrMalformed) {
			t.Errorf("%s: error %v", name, p.Err())
		}
	}
}
