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

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/remote"
	"fillbook/internal/intake/connector"
	"fillbook/internal/providers/providertest"
)

// spotServer has an account's fills, deposits and withdrawals.
type spotServer struct {
	*providertest.Server
	trades                map[string]providertest.List
	deposits, withdrawals providertest.List
	// asked are the pairs whose fills were asked for.
	asked map[string]int
}

// newSpotTrade returns a fill some milliseconds after the start. A later member with the
// same name replaces an earlier one.
func newSpotTrade(after int64, id int, symbol, more string) string {
	return fmt.Sprintf(`{"symbol": %q, "id": %d, "orderId": 88, "price": "100", "qty": "2", "quoteQty": "200", "commission": "0.2", "commissionAsset": "USDT",
		"time": %d, "isBuyer": false, "isMaker": false, "isBestMatch": true%s}`, symbol, id, millis+after, more)
}

func newDeposit(after int64, id, coin, amount string, status int) string {
	return fmt.Sprintf(`{"id": %q, "amount": %q, "coin": %q, "network": "ETH", "status": %d, "txId": "0x1", "insertTime": %d}`, id, amount, coin, status, millis+after)
}

func newWithdrawal(second int, id, coin, amount string, status int) string {
	return fmt.Sprintf(`{"id": %q, "amount": %q, "transactionFee": "1", "coin": %q, "status": %d, "applyTime": "2026-01-02 03:04:%02d"}`, id, amount, coin, status, second)
}

// serveTransfers returns the transfers in a time, with the member that has the time.
func serveTransfers(list *providertest.List, timeOf func(providertest.Record) int64) func(url.Values) http.HandlerFunc {
	return func(q url.Values) http.HandlerFunc {
		from, to, limit := providertest.Int(q, "startTime"), providertest.Int(q, "endTime"), providertest.Int(q, "limit")
		if to-from > 90*day.Milliseconds() || limit > 1000 || to < from {
			return errParameters
		}
		found := list.Select(func(r providertest.Record) bool { return timeOf(r) >= from && timeOf(r) <= to })
		return providertest.OK(found.Page(providertest.Int(q, "offset"), limit).String())
	}
}

func newSpotServer() *spotServer {
	s := &spotServer{
		Server: newServer(),
		asked:  map[string]int{},
		trades: map[string]providertest.List{
			"BTCUSDT": {
				newSpotTrade(0, 1001, "BTCUSDT", `, "isBuyer": true, "commission": "0.001", "commissionAsset": "BTC"`),
				newSpotTrade(0, 1002, "BTCUSDT", ``),
				newSpotTrade(1, 1003, "BTCUSDT", `, "commission": "0.01", "commissionAsset": "BNB", "isMaker": true`),
				newSpotTrade(2, 1004, "BTCUSDT", `, "isBuyer": null`),
				newSpotTrade(2, 1005, "BTCUSDT", `, "price": "x"`),
			},
			"ETHBTC":  {newSpotTrade(3, 1001, "ETHBTC", `, "commission": "0.0001", "commissionAsset": "BTC", "newField": 1`)},
			"SOLUSDC": {newSpotTrade(4, 1, "SOLUSDC", `, "commission": "-0.1", "commissionAsset": "USDC"`)},
			"BNBUSDT": {},
		},
		deposits: providertest.List{
			newDeposit(10, "d1", "USDT", "500", 1), newDeposit(11, "d2", "SOL", "3", 6), newDeposit(12, "d3", "USDT", "7", 0),
		},
		withdrawals: providertest.List{
			newWithdrawal(10, "w1", "USDT", "99", 6), newWithdrawal(11, "w2", "USDT", "5", 1), newWithdrawal(12, "w3", "BTC", "0.5", 6),
		},
	}
	s.Public[pricesPath] = providertest.Static(`[{"symbol": "BTCUSDT", "price": "60000"}, {"symbol": "ETHUSDT", "price": "1"}, {"symbol": "ETHBTC", "price": "1"},
		{"symbol": "BNBUSDT", "price": "1"}, {"symbol": "SOLUSDC", "price": "1"}, {"symbol": "SOLTRY", "price": "1"}, {"symbol": "OTHERUSDT", "price": "1"}]`)
	maps.Copy(s.Private, providertest.Routes{
		accountPath: providertest.Static(`{"uid": 354937868, "balances": [{"asset": "BTC", "free": "1", "locked": "0"}, {"asset": "ETH", "free": "0", "locked": "2"}]}`),
		tradesPath: func(q url.Values) http.HandlerFunc {
			s.asked[q.Get("symbol")]++
			return serveTrades(s.trades, day)(q)
		},
		depositsPath: serveTransfers(&s.deposits, func(r providertest.Record) int64 { return r.Int("insertTime") }),
		withdrawalsPath: serveTransfers(&s.withdrawals, func(r providertest.Record) int64 {
			at, _ := time.Parse(time.DateTime, r.Text("applyTime"))
			return at.UnixMilli()
		}),
	})
	return s
}

func newSpotCase(s *spotServer) providertest.FillCase {
	c := newCase(s.Server, Fills())
	c.Query.Symbols = []string{"BNB/USDT", "AAPL"}
	c.HasOtherTimes = true
	c.Identity = connector.Identity{Account: "354937868", Name: "UID 354937868"}
	c.Keys = newKeys(c.Identity)
	c.Errors = maps.Clone(refusals)
	delete(c.Errors, "symbol") // it would be a list that does not exist
	c.Messages = []string{
		"for these pairs only: BNBUSDT, BTCUSDT, ETHBTC, ETHUSDT, SOLUSDC.", "Binance has no pair ETHUSDT.", "0.01 BNB", "-1.5 BTC, 3 SOL",
		"Some fills are in BTC, the account is in USD",
	}
	c.Want = `2026-01-02T03:04:05.678Z buy 1.999 crypto BTCUSDT @ 100 fees 0.1 fee "0.001 BTC" liquidity "taker" order_id "88" id BTCUSDT:1001
2026-01-02T03:04:05.678Z sell 2 crypto BTCUSDT @ 100 fees 0.2 liquidity "taker" order_id "88" id BTCUSDT:1002
2026-01-02T03:04:05.679Z sell 2 crypto BTCUSDT @ 100 fee "0.01 BNB" liquidity "maker" order_id "88" id BTCUSDT:1003
2026-01-02T03:04:05.681Z sell 2 crypto ETHBTC @ 100 fees 0.0001 currency "BTC" liquidity "taker" order_id "88" id ETHBTC:1001
2026-01-02T03:04:05.682Z sell 2 crypto SOLUSDC @ 100 fees -0.1 liquidity "taker" order_id "88" id SOLUSDC:1
2026-01-02T03:04:05.688Z cash deposit 500 USD "Deposit"
2026-01-02T03:04:10Z cash withdrawal -100 USD "Withdraw"
problem The broker's record has a price that is not a number.
problem The broker's record has no side.
skipped it moves coins without a trade
skipped it moves coins without a trade
`
	return c
}

func TestSpot(t *testing.T) {
	providertest.Run(t, func() providertest.FillCase { return newSpotCase(newSpotServer()) })
}

// TestMissingLists reads from a proxy or a test server that has fills only. Pairs are then
// tried one by one.
func TestMissingLists(t *testing.T) {
	t.Parallel()
	s := newSpotServer()
	for _, path := range []string{depositsPath, withdrawalsPath} {
		s.Private[path] = nil
	}
	s.Public[pricesPath] = func(url.Values) http.HandlerFunc { return http.NotFound }
	s.Unknown = http.NotFound
	list := newSpotCase(s).MustFetch(t)
	got, messages := providertest.Describe(list), strings.Join(providertest.Messages(list), " ")
	for _, id := range []string{"BTCUSDT:1001", "BTCUSDT:1003", "ETHBTC:1001"} {
		if !strings.Contains(got, id) {
			t.Errorf("%s is missing:\n%s", id, got)
		}
	}
	if !strings.Contains(messages, "no list of deposits") || !strings.Contains(messages, "no list of withdrawals") || strings.Contains(messages, "no pair") {
		t.Error(messages)
	}
}

func TestPairsOfTheUser(t *testing.T) {
	t.Parallel()
	s := newSpotServer()
	c := newSpotCase(s)
	c.Credentials["symbols"] = " btc/usdt, SOLUSDC,,BTCUSDT "
	list := c.MustFetch(t)
	if diff := cmp.Diff(map[string]int{"BTCUSDT": 1, "SOLUSDC": 1}, s.asked); diff != "" {
		t.Error(diff)
	}
	if got := strings.Join(providertest.Messages(list), " "); strings.Contains(got, "pairs only") {
		t.Error(got)
	}
	// A pair that is entered later is fetched from the first time on.
	c.Credentials["symbols"] = "BTCUSDT,SOLUSDC,ETHBTC"
	c.Query.State = list[len(list)-1].State
	c.Query.From, c.Query.To = start.Add(time.Hour), start.Add(2*time.Hour)
	want := `2026-01-02T03:04:05.681Z sell 2 crypto ETHBTC @ 100 fees 0.0001 currency "BTC" liquidity "taker" order_id "88" id ETHBTC:1001` + "\n"
	list = c.MustFetch(t)
	if diff := cmp.Diff(want, providertest.Describe(list)); diff != "" {
		t.Error(diff)
	}
	c.Query.State = list[len(list)-1].State
	if got := providertest.Describe(c.MustFetch(t)); got != "" {
		t.Errorf("again:\n%s", got)
	}
}

func TestNoPairs(t *testing.T) {
	t.Parallel()
	s := newSpotServer()
	s.deposits, s.withdrawals = nil, nil
	s.Private[accountPath] = providertest.Static(`{"uid": 1, "balances": []}`)
	c := newSpotCase(s)
	c.Query.Symbols = nil
	c.Expect(t, "", "No pairs were found")
}

// TestSpotPages has fills at one time around a page end, in a query that is fetched by
// time and in one that is fetched by id.
func TestSpotPages(t *testing.T) {
	t.Parallel()
	s := newSpotServer()
	s.trades, s.deposits, s.withdrawals = map[string]providertest.List{}, nil, nil
	for i := range 2300 {
		s.trades["BTCUSDT"] = append(s.trades["BTCUSDT"], newSpotTrade(int64(i/7), i+1, "BTCUSDT", ""))
	}
	for i := range 1200 { // after the query's time
		s.trades["BTCUSDT"] = append(s.trades["BTCUSDT"], newSpotTrade(3_600_000, 5000+i, "BTCUSDT", ""))
	}
	for i := range 1001 {
		s.deposits = append(s.deposits, newDeposit(int64(i), strconv.Itoa(i), "USDT", "1", 1))
	}
	for _, before := range []time.Duration{time.Hour, 50 * time.Hour, 300 * day} {
		c := newSpotCase(s)
		c.Credentials["symbols"] = "BTCUSDT"
		c.Query.From = start.Add(-before)
		c.TestPages(t, 2300, 1001)
	}
}

// TestSpotPace fetches the whole history without a first day from a server with the
// documented limits: 37 withdrawal lists, with ten allowed in a minute.
func TestSpotPace(t *testing.T) {
	t.Parallel()
	s := newSpotServer()
	for i := range 40 {
		s.trades[fmt.Sprintf("COIN%dUSDT", i)] = nil
	}
	c := newSpotCase(s)
	c.Query.From = time.Date(2010, 1, 1, 0, 0, 0, 0, time.UTC)
	meter := &providertest.Meter{
		PerMinute: map[string]int{"api": 6000, "sapi": 12_000, "account": 180_000},
		Weights: map[string]map[string]int{
			"/api/v3/account": {"api": 20}, "/api/v3/myTrades": {"api": 20}, "/api/v3/ticker/price": {"api": 4},
			"/sapi/v1/account/apiRestrictions": {"sapi": 1}, "/sapi/v1/capital/deposit/hisrec": {"sapi": 1},
			"/sapi/v1/capital/withdraw/history": {"account": 18_000},
		},
		Refuse: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "30")
			w.WriteHeader(http.StatusTooManyRequests)
			fmt.Fprint(w, `{"code": -1003, "msg": "Too much request weight used."}`)
		},
	}
	if took := c.TestPace(t, meter); took > 6*time.Minute {
		t.Errorf("it takes %s", took)
	}
}

// TestSpotWindows has a history longer than the longest request period.
func TestSpotWindows(t *testing.T) {
	t.Parallel()
	s := newSpotServer()
	s.trades["BTCUSDT"] = append(s.trades["BTCUSDT"], newSpotTrade((20*day).Milliseconds(), 2000, "BTCUSDT", ""))
	c := newSpotCase(s)
	c.Query.To = start.Add(20*day + time.Hour)
	c.TestWindows(t)
}

func TestMalformedSpotAnswers(t *testing.T) {
	t.Parallel()
	for body, path := range map[string]string{
		"[" + newSpotTrade(0, 1, "ETHUSDT", "") + "]":             tradesPath, // another pair
		"[" + newSpotTrade(0, 1, "BNBUSDT", `, "id": null`) + "]": tradesPath,
		"null": tradesPath, " null": pricesPath, "null ": accountPath, "{}": accountPath,
	} {
		c := newSpotCase(newSpotServer())
		if _, err := c.Fetch(t, providertest.Replace(c.Answer, path, providertest.OK(body))); !errors.Is(err, remote.ErrMalformed) {
			t.Errorf("%s %s: error %v", path, body, err)
		}
	}
}

func FuzzSpot(f *testing.F) {
	newSpotCase(newSpotServer()).FuzzAnswer(f, `{"code": -1121, "msg": "Invalid symbol."}`, `[{"symbol": "A B"}]`)
}
