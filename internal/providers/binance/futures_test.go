package binance

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"fillbook/internal/base/remote"
	"fillbook/internal/intake/connector"
	"fillbook/internal/providers/providertest"
)

// futuresServer has the income and an account's fills.
type futuresServer struct {
	*providertest.Server
	income providertest.List
	trades map[string]providertest.List
}

// newFuturesTrade returns a fill some milliseconds after the start. A later member with
// the same name replaces an earlier one.
func newFuturesTrade(after int64, id int, symbol, more string) string {
	return fmt.Sprintf(`{"symbol": %q, "id": %d, "orderId": 99, "side": "SELL", "positionSide": "BOTH", "price": "3100.5", "qty": "0.2", "quoteQty": "620.1",
		"realizedPnl": "-0.9", "commission": "0.24", "commissionAsset": "USDT", "buyer": false, "maker": false, "time": %d%s}`, symbol, id, millis+after, more)
}

func newIncome(after int64, id int, kind, symbol, amount, currency, trade string) string {
	return fmt.Sprintf(`{"symbol": %q, "incomeType": %q, "income": %q, "asset": %q, "info": "", "time": %d, "tranId": %d, "tradeId": %q}`,
		symbol, kind, amount, currency, millis+after, id, trade)
}

func newFuturesServer(income providertest.List, trades map[string]providertest.List) *futuresServer {
	s := &futuresServer{Server: newServer(), income: income, trades: trades}
	maps.Copy(s.Private, providertest.Routes{
		balancePath:       providertest.Static(`[{"accountAlias": "SgsR", "asset": "USDT", "balance": "10"}]`),
		futuresTradesPath: serveTrades(s.trades, 7*day),
		incomePath: func(q url.Values) http.HandlerFunc {
			from, to, limit, page := providertest.Int(q, "startTime"), providertest.Int(q, "endTime"), providertest.Int(q, "limit"), providertest.Int(q, "page")
			if limit > 1000 || page < 1 {
				return errParameters
			}
			list := s.income.Select(func(r providertest.Record) bool { return r.Int("time") >= from && r.Int("time") <= to })
			return providertest.OK(list.Page((page-1)*limit, limit).String())
		},
	})
	return s
}

func newFuturesHistory() *futuresServer {
	return newFuturesServer(providertest.List{
		newIncome(0, 1, "TRANSFER", "", "500", "USDT", ""),
		newIncome(1, 2, "COMMISSION", "BTCUSDT", "-0.24", "USDT", "1001"),
		newIncome(1, 3, "REALIZED_PNL", "BTCUSDT", "-0.9", "USDT", "1001"),
		newIncome(2, 4, "COMMISSION", "ETHUSDC", "0.05", "USDC", "1001"),
		newIncome(3, 5, "COMMISSION", "DEADUSDT", "-1", "USDT", "7"),
		newIncome(4, 6, "FUNDING_FEE", "BTCUSDT", "-0.6", "USDT", ""),
		newIncome(4, 6, "FUNDING_FEE", "ETHUSDC", "0.2", "USDC", ""),
		newIncome(5, 7, "TRANSFER", "", "-40", "USDT", ""),
		newIncome(6, 8, "REFERRAL_KICKBACK", "", "0.1", "USDT", ""),
		newIncome(7, 9, "BFUSD_REWARD", "", "0.3", "BFUSD", ""),
		newIncome(8, 10, "SURPRISE", "", "1", "USDT", ""),
		newIncome(9, 11, "INSURANCE_CLEAR", "BTCUSDT", "-2", "USDT", ""),
		newIncome(3_600_500, 12, "COMMISSION", "LATEUSDT", "-0.24", "USDT", "1"),
	}, map[string]providertest.List{
		"BTCUSDT": {
			newFuturesTrade(1, 1001, "BTCUSDT", ""),
			newFuturesTrade(1, 1002, "BTCUSDT", `, "side": "BUY", "positionSide": "LONG", "commission": "0.001", "commissionAsset": "BNB"`),
			newFuturesTrade(2, 1003, "BTCUSDT", `, "positionSide": "SHORT", "newField": {}`),
			newFuturesTrade(3, 1004, "BTCUSDT", `, "side": "NONE"`),
			newFuturesTrade(3, 1005, "BTCUSDT", `, "qty": "0"`),
		},
		"ETHUSDC":  {newFuturesTrade(2, 1001, "ETHUSDC", `, "maker": true, "commission": "-0.05", "commissionAsset": "USDC"`)},
		"LATEUSDT": {newFuturesTrade(3_599_999, 1, "LATEUSDT", "")},
	})
}

func newFuturesCase(s *futuresServer) providertest.FillCase {
	c := newCase(s.Server, FuturesFills())
	c.Identity = connector.Identity{Account: "SgsR", Name: "USD-M futures SgsR"}
	c.Keys = newKeys(c.Identity)
	c.Errors = refusals
	c.Messages = []string{"Binance no longer returns the fills of DEADUSDT", "0.001 BNB", "0.3 BFUSD", `not known here: "SURPRISE"`}
	c.Want = `2026-01-02T03:04:05.679Z sell 0.2 future BTCUSDT @ 3100.5 x 1 fees 0.24 liquidity "taker" order_id "99" id BTCUSDT:1001
2026-01-02T03:04:05.679Z buy 0.2 future BTCUSDT @ 3100.5 x 1 lot long fee "0.001 BNB" liquidity "taker" order_id "99" id BTCUSDT:1002
2026-01-02T03:04:05.68Z sell 0.2 future BTCUSDT @ 3100.5 x 1 fees 0.24 lot short liquidity "taker" order_id "99" id BTCUSDT:1003
2026-01-02T03:04:05.68Z sell 0.2 future ETHUSDC @ 3100.5 x 1 fees -0.05 liquidity "maker" order_id "99" id ETHUSDC:1001
2026-01-02T04:04:05.677Z sell 0.2 future LATEUSDT @ 3100.5 x 1 fees 0.24 liquidity "taker" order_id "99" id LATEUSDT:1
2026-01-02T03:04:05.678Z cash deposit 500 USD "TRANSFER"
2026-01-02T03:04:05.682Z cash interest -0.6 USD "FUNDING_FEE BTCUSDT"
2026-01-02T03:04:05.682Z cash interest 0.2 USD "FUNDING_FEE ETHUSDC"
2026-01-02T03:04:05.683Z cash withdrawal -40 USD "TRANSFER"
2026-01-02T03:04:05.684Z cash adjustment 0.1 USD "REFERRAL_KICKBACK"
2026-01-02T03:04:05.687Z cash adjustment -2 USD "INSURANCE_CLEAR BTCUSDT"
problem The broker's record has a quantity that is not positive.
problem The broker's record has an unknown side.
skipped it moves coins without a trade
skipped rows of this kind are ignored
`
	return c
}

func TestFutures(t *testing.T) {
	providertest.Run(t, func() providertest.FillCase { return newFuturesCase(newFuturesHistory()) })
}

// TestSignOfCommissions has both signs Binance may use for a cost. The first fill's
// income shows which it is.
func TestSignOfCommissions(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ commissions, income, want string }{
		"costs are positive":                {"0.24 0.24 -0.05", "-0.24", "0.24 0.24 -0.05"},
		"costs are negative":                {"-0.24 -0.24 0.05", "-0.24", "0.24 0.24 -0.05"},
		"a rebate, costs are negative":      {"0.05 0.05 -0.1", "0.05", "-0.05 -0.05 0.1"},
		"a rebate, costs are positive":      {"-0.05 -0.05 0.1", "0.05", "-0.05 -0.05 0.1"},
		"the income is of something else":   {"0.24 0.24 -0.05", "-7", "0.24 0.24 -0.05"},
		"nothing was paid for the contract": {"0 0 0", "0", "0 0 0"},
	} {
		s := newFuturesServer(providertest.List{newIncome(0, 1, "COMMISSION", "BTCUSDT", c.income, "USDT", "0")}, map[string]providertest.List{})
		for i, commission := range strings.Fields(c.commissions) {
			s.trades["BTCUSDT"] = append(s.trades["BTCUSDT"], newFuturesTrade(int64(i), i, "BTCUSDT", `, "maker": true, "commission": "`+commission+`"`))
		}
		var got []string
		for _, f := range newFuturesCase(s).MustFetch(t)[0].Statement.Fills {
			got = append(got, f.Fees.String())
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%s: fees %s, want %s", name, text, c.want)
		}
	}
	s := newFuturesServer(providertest.List{newIncome(0, 1, "FUNDING_FEE", "BTCUSDT", "1", "USDT", "")},
		map[string]providertest.List{"BTCUSDT": {newFuturesTrade(0, 1, "BTCUSDT", `, "commission": "-0.24"`)}})
	if got := newFuturesCase(s).MustFetch(t)[0].Statement.Fills[0].Fees.String(); got != "0.24" {
		t.Errorf("a taker without income pays %s", got)
	}
}

// TestFuturesPages has fills at one time around a page end.
func TestFuturesPages(t *testing.T) {
	t.Parallel()
	s := newFuturesServer(nil, map[string]providertest.List{})
	for i := range 2300 {
		s.trades["BTCUSDT"] = append(s.trades["BTCUSDT"], newFuturesTrade(int64(i/7), i+1, "BTCUSDT", ""))
		s.income = append(s.income, newIncome(int64(i/7), i+1, "COMMISSION", "BTCUSDT", "-0.24", "USDT", strconv.Itoa(i+1)))
	}
	for i := range 1500 { // after the query's time; a page by id has them, too
		s.trades["BTCUSDT"] = append(s.trades["BTCUSDT"], newFuturesTrade(3_600_000, 3000+i, "BTCUSDT", ""))
	}
	s.income = append(s.income, newIncome(1000, 9999, "FUNDING_FEE", "BTCUSDT", "1", "USDT", ""))
	c := newFuturesCase(s)
	c.TestPages(t, 2300, 1)
	session, client := c.NewSession(t, c.Answer)
	if _, err := c.Connector.Fetch(t.Context(), session, c.Query); err != nil || len(client.Requests) > 6 {
		t.Errorf("%d requests, error %v", len(client.Requests), err)
	}
}

// TestFuturesPace fetches many windows from a server with the documented limits.
func TestFuturesPace(t *testing.T) {
	t.Parallel()
	c := newFuturesCase(newFuturesHistory())
	c.Query.From = c.Query.To.Add(-700 * day)
	c.TestPace(t, &providertest.Meter{
		PerMinute: map[string]int{"fapi": 2400, "sapi": 12_000},
		Weights: map[string]map[string]int{
			"/fapi/v3/balance": {"fapi": 5}, "/fapi/v1/income": {"fapi": 30}, "/fapi/v1/userTrades": {"fapi": 5}, "/sapi/v1/account/apiRestrictions": {"sapi": 1},
		},
		Refuse: func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusTooManyRequests)
			fmt.Fprint(w, `{"code": -1003, "msg": "Too many requests."}`)
		},
	})
}

// TestFuturesWindows has a history that is longer than the longest window.
func TestFuturesWindows(t *testing.T) {
	t.Parallel()
	s, at := newFuturesHistory(), (20 * day).Milliseconds()
	s.trades["BTCUSDT"] = append(s.trades["BTCUSDT"], newFuturesTrade(at, 2000, "BTCUSDT", ""))
	s.income = append(s.income, newIncome(at, 99, "COMMISSION", "BTCUSDT", "-0.24", "USDT", "2000"))
	c := newFuturesCase(s)
	c.Query.To = start.Add(20*day + time.Hour)
	c.TestWindows(t)
}

func TestMalformedFuturesAnswers(t *testing.T) {
	t.Parallel()
	for body, path := range map[string]string{
		"[" + newFuturesTrade(0, 1, "ETHUSDT", "") + "]":             futuresTradesPath, // another symbol
		"[" + newFuturesTrade(0, 1, "BTCUSDT", `, "id": null`) + "]": futuresTradesPath,
		"null": futuresTradesPath,
	} {
		c := newFuturesCase(newFuturesHistory())
		if _, err := c.Fetch(t, providertest.Replace(c.Answer, path, providertest.OK(body))); !errors.Is(err, remote.ErrMalformed) {
			t.Errorf("%s: error %v", body, err)
		}
	}
	for _, body := range []string{"[{}]", "[]"} {
		c := newFuturesCase(newFuturesHistory())
		if _, err := c.Check(t, providertest.Replace(c.Answer, balancePath, providertest.OK(body))); !errors.Is(err, remote.ErrMalformed) {
			t.Errorf("%s: error %v", body, err)
		}
	}
}

func FuzzFutures(f *testing.F) {
	newFuturesCase(newFuturesHistory()).FuzzAnswer(f, `{"code": -1121, "msg": "Invalid symbol."}`, `[{"symbol": "A B"}]`)
}
