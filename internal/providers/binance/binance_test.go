package binance_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/remote"
	"fillbook/internal/intake/connector"
	"fillbook/internal/providers/binance"
	"fillbook/internal/providers/connectortest"
)

// millis is 2026-01-02 03:04:05.678 UTC.
const millis = 1767323045678

var start = time.UnixMilli(millis).UTC()

// exchange is a server that answers like Binance.
type exchange struct {
	// now is the clock of the server.
	now                   time.Time
	rights, account       string
	trades                map[string][]string
	deposits, withdrawals []string
	// asked are the pairs whose fills were asked for.
	asked map[string]int
}

func computeSignature(secret, text string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(text))
	return hex.EncodeToString(mac.Sum(nil))
}

func refuse(w http.ResponseWriter, code int, message string) {
	w.WriteHeader(http.StatusBadRequest)
	fmt.Fprintf(w, `{"code": %d, "msg": %q}`, code, message)
}

// ServeHTTP checks the signature and the time of a request, and answers it. The prices are
// public.
func (e *exchange) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	at, _ := strconv.ParseInt(query.Get("timestamp"), 10, 64)
	age := e.now.Sub(time.UnixMilli(at))
	text, signature, _ := strings.Cut(r.URL.RawQuery, "&signature=")
	switch {
	case r.URL.Path == "/api/v3/time":
		fmt.Fprintf(w, `{"serverTime": %d}`, e.now.UnixMilli())
	case r.URL.Path == "/api/v3/ticker/price":
		fmt.Fprint(w, `[{"symbol": "BTCUSDT", "price": "60000"}, {"symbol": "ETHUSDT", "price": "1"}, {"symbol": "ETHBTC", "price": "1"},
			{"symbol": "BNBUSDT", "price": "1"}, {"symbol": "SOLUSDC", "price": "1"}, {"symbol": "SOLTRY", "price": "1"}, {"symbol": "OTHERUSDT", "price": "1"}]`)
	case r.Header.Get("X-MBX-APIKEY") != "test-key":
		refuse(w, -2015, "Invalid API-key, IP, or permissions for action.")
	case age > 5*time.Second || age <= -time.Second:
		refuse(w, -1021, "Timestamp for this request is outside of the recvWindow.")
	case signature != computeSignature(connectortest.Secret, text):
		refuse(w, -1022, "Signature for this request is not valid.")
	case r.URL.Path == "/sapi/v1/account/apiRestrictions":
		fmt.Fprint(w, e.rights)
	case r.URL.Path == "/api/v3/account":
		fmt.Fprint(w, e.account)
	case r.URL.Path == "/api/v3/myTrades":
		e.serveTrades(w, query)
	case r.URL.Path == "/sapi/v1/capital/deposit/hisrec":
		serveTransfers(w, query, e.deposits)
	default:
		serveTransfers(w, query, e.withdrawals)
	}
}

func toNumber(text string) int64 {
	number, _ := strconv.ParseInt(text, 10, 64)
	return number
}

type record struct {
	ID      remote.Number `json:"id"`
	Time    int64         `json:"time"`
	Insert  int64         `json:"insertTime"`
	Applied string        `json:"applyTime"`
}

// selectRecords returns the records that are selected, with their times.
func selectRecords(records []string, isSelected func(id, at int64) bool) (list []string) {
	for _, text := range records {
		var r record
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			panic(err)
		}
		at := max(r.Time, r.Insert)
		if applied, err := time.Parse(time.DateTime, r.Applied); err == nil {
			at = applied.UnixMilli()
		}
		if isSelected(toNumber(string(r.ID)), at) {
			list = append(list, text)
		}
	}
	return list
}

func (e *exchange) serveTrades(w http.ResponseWriter, query url.Values) {
	if e.asked == nil {
		e.asked = map[string]int{}
	}
	e.asked[query.Get("symbol")]++
	trades, isListed := e.trades[query.Get("symbol")]
	from, to, limit := toNumber(query.Get("startTime")), toNumber(query.Get("endTime")), int(toNumber(query.Get("limit")))
	switch {
	case !isListed:
		refuse(w, -1121, "Invalid symbol.")
		return
	case to-from > 24*time.Hour.Milliseconds():
		refuse(w, -1127, "More than 24 hours between startTime and endTime.")
		return
	case limit > 1000 || query.Has("fromId") == query.Has("startTime") || to < from:
		refuse(w, -1128, "Combination of optional parameters invalid.")
		return
	}
	list := selectRecords(trades, func(id, at int64) bool {
		if query.Has("fromId") {
			return id >= toNumber(query.Get("fromId"))
		}
		return at >= from && at <= to
	})
	fmt.Fprintf(w, "[%s]", strings.Join(list[:min(limit, len(list))], ","))
}

func serveTransfers(w http.ResponseWriter, query url.Values, records []string) {
	from, to, limit, offset := toNumber(query.Get("startTime")), toNumber(query.Get("endTime")), int(toNumber(query.Get("limit"))), int(toNumber(query.Get("offset")))
	if to-from > 90*24*time.Hour.Milliseconds() || limit > 1000 || to < from {
		refuse(w, -1128, "Combination of optional parameters invalid.")
		return
	}
	list := selectRecords(records, func(_, at int64) bool { return at >= from && at <= to })
	list = list[min(offset, len(list)):min(offset+limit, len(list))]
	fmt.Fprintf(w, "[%s]", strings.Join(list, ","))
}

func newCase(e *exchange) connectortest.Case {
	now := start.Truncate(time.Second).Add(2 * time.Hour)
	e.now = now
	if e.rights == "" {
		e.rights = `{"ipRestrict": true, "enableReading": true}`
	}
	if e.account == "" {
		e.account = `{"uid": 354937868, "balances": [{"asset": "BTC", "free": "1", "locked": "0"}, {"asset": "ETH", "free": "0", "locked": "2"}]}`
	}
	return connectortest.Case{
		Connector:     binance.New(),
		Credentials:   map[string]string{"api_key": "test-key", "api_secret": connectortest.Secret},
		Query:         connector.Query{From: start.Add(-time.Hour), To: start.Add(time.Hour), Currency: "USD"},
		Now:           now,
		Answer:        e.ServeHTTP,
		HasOtherTimes: true,
	}
}

// newTrade returns a fill some milliseconds after the start. A later member of the same
// name replaces an earlier one.
func newTrade(after int64, id int, symbol, more string) string {
	return fmt.Sprintf(`{"symbol": %q, "id": %d, "orderId": 88, "price": "100", "qty": "2", "quoteQty": "200", "commission": "0.2", "commissionAsset": "USDT",
		"time": %d, "isBuyer": false, "isMaker": false, "isBestMatch": true%s}`, symbol, id, millis+after, more)
}

func newDeposit(after int64, id, coin, amount string, status int) string {
	return fmt.Sprintf(`{"id": %q, "amount": %q, "coin": %q, "network": "ETH", "status": %d, "txId": "0x1", "insertTime": %d}`, id, amount, coin, status, millis+after)
}

func newWithdrawal(second int, id, coin, amount string, status int) string {
	return fmt.Sprintf(`{"id": %q, "amount": %q, "transactionFee": "1", "coin": %q, "status": %d, "applyTime": "2026-01-02 03:04:%02d"}`, id, amount, coin, status, second)
}

func newHistory() *exchange {
	return &exchange{
		trades: map[string][]string{
			"BTCUSDT": {
				newTrade(0, 1001, "BTCUSDT", `, "isBuyer": true, "commission": "0.001", "commissionAsset": "BTC"`),
				newTrade(0, 1002, "BTCUSDT", ``),
				newTrade(1, 1003, "BTCUSDT", `, "commission": "0.01", "commissionAsset": "BNB", "isMaker": true`),
				newTrade(2, 1004, "BTCUSDT", `, "isBuyer": null`),
				newTrade(2, 1005, "BTCUSDT", `, "price": "x"`),
			},
			"ETHBTC":  {newTrade(3, 1001, "ETHBTC", `, "commission": "0.0001", "commissionAsset": "BTC", "newField": 1`)},
			"SOLUSDC": {newTrade(4, 1, "SOLUSDC", `, "commission": "-0.1", "commissionAsset": "USDC"`)},
			"BNBUSDT": {},
		},
		deposits: []string{
			newDeposit(10, "d1", "USDT", "500", 1), newDeposit(11, "d2", "SOL", "3", 6), newDeposit(12, "d3", "USDT", "7", 0),
		},
		withdrawals: []string{
			newWithdrawal(10, "w1", "USDT", "99", 6), newWithdrawal(11, "w2", "USDT", "5", 1), newWithdrawal(12, "w3", "BTC", "0.5", 6),
		},
	}
}

func TestFetch(t *testing.T) {
	t.Parallel()
	c := newCase(newHistory())
	c.Query.Symbols = []string{"BNB/USDT", "AAPL"}
	list := c.MustFetch(t)
	want := `2026-01-02T03:04:05.678Z buy 1.999 crypto BTCUSDT @ 100 fees 0.1 fee "0.001 BTC" liquidity "taker" order_id "88" id BTCUSDT:1001
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
	if diff := cmp.Diff(want, connectortest.Describe(list)); diff != "" {
		t.Error(diff)
	}
	for _, want := range []string{
		"for these pairs only: BNBUSDT, BTCUSDT, ETHBTC, ETHUSDT, SOLUSDC.", "Binance has no pair ETHUSDT.", "0.01 BNB", "-1.5 BTC, 3 SOL",
	} {
		if !strings.Contains(connectortest.Messages(list), want) {
			t.Errorf("no message has %q:\n%s", want, connectortest.Messages(list))
		}
	}
}

// TestMissingLists reads from a proxy or a test server that has fills only. Pairs are then
// tried one by one.
func TestMissingLists(t *testing.T) {
	t.Parallel()
	e := newHistory()
	c := newCase(e)
	c.Answer = func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/sapi/v1/capital/") || r.URL.Path == "/api/v3/ticker/price" {
			http.NotFound(w, r)
			return
		}
		e.ServeHTTP(w, r)
	}
	list := c.MustFetch(t)
	got, messages := connectortest.Describe(list), connectortest.Messages(list)
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
	e := newHistory()
	c := newCase(e)
	c.Credentials["symbols"] = " btc/usdt, SOLUSDC,,BTCUSDT "
	list := c.MustFetch(t)
	if diff := cmp.Diff(map[string]int{"BTCUSDT": 1, "SOLUSDC": 1}, e.asked); diff != "" {
		t.Error(diff)
	}
	if got := connectortest.Messages(list); strings.Contains(got, "pairs only") {
		t.Error(got)
	}
	// A pair that is entered later is fetched from the first time on.
	c.Credentials["symbols"] = "BTCUSDT,SOLUSDC,ETHBTC"
	c.Query.State = list[len(list)-1].State
	c.Query.From, c.Query.To = start.Add(time.Hour), start.Add(2*time.Hour)
	want := `2026-01-02T03:04:05.681Z sell 2 crypto ETHBTC @ 100 fees 0.0001 currency "BTC" liquidity "taker" order_id "88" id ETHBTC:1001` + "\n"
	list = c.MustFetch(t)
	if diff := cmp.Diff(want, connectortest.Describe(list)); diff != "" {
		t.Error(diff)
	}
	c.Query.State = list[len(list)-1].State
	if got := connectortest.Describe(c.MustFetch(t)); got != "" {
		t.Errorf("again:\n%s", got)
	}
}

func TestNoPairs(t *testing.T) {
	t.Parallel()
	c := newCase(&exchange{account: `{"uid": 1, "balances": []}`})
	list := c.MustFetch(t)
	if got := connectortest.Messages(list); !strings.HasPrefix(got, "No pairs were found") || connectortest.Describe(list) != "" {
		t.Error(got)
	}
}

// TestFetchSeveralPages has fills of one time on both sides of the end of a page, in a
// query that is fetched by time and in one that is fetched by id.
func TestFetchSeveralPages(t *testing.T) {
	t.Parallel()
	e := &exchange{trades: map[string][]string{}}
	for i := range 2300 {
		e.trades["BTCUSDT"] = append(e.trades["BTCUSDT"], newTrade(int64(i/7), i+1, "BTCUSDT", ""))
	}
	for i := range 1200 { // after the time of the query
		e.trades["BTCUSDT"] = append(e.trades["BTCUSDT"], newTrade(3_600_000, 5000+i, "BTCUSDT", ""))
	}
	for i := range 1001 {
		e.deposits = append(e.deposits, newDeposit(int64(i), strconv.Itoa(i), "USDT", "1", 1))
	}
	for _, before := range []time.Duration{time.Hour, 50 * time.Hour, 300 * 24 * time.Hour} {
		for _, maxRows := range []int{0, 1} {
			c := newCase(e)
			c.Credentials["symbols"] = "BTCUSDT"
			c.Query.From, c.Query.MaxRows = start.Add(-before), maxRows
			ids, cash := map[string]bool{}, 0
			for _, d := range c.MustFetch(t) {
				cash += len(d.Statement.Cash)
				for _, f := range d.Statement.Fills {
					if ids[f.ID] {
						t.Errorf("%s came twice", f.ID)
					}
					ids[f.ID] = true
				}
			}
			if len(ids) != 2300 || cash != 1001 {
				t.Errorf("%s, %d rows: %d fills, %d cash", before, maxRows, len(ids), cash)
			}
		}
	}
}

func TestSignature(t *testing.T) {
	t.Parallel()
	got := computeSignature("test-secret", "symbol=BTCUSDT&limit=1000&recvWindow=5000&timestamp=1767323045678")
	if want := "81efbfcfa12bed5a2f08abea583c6e92a36c82d42f64d1b601af2482ee9d5cdf"; got != want {
		t.Errorf("the server of the test computes %s", got)
	}
}

// TestClock has a server whose clock is wrong, or right if ours is not.
func TestClock(t *testing.T) {
	t.Parallel()
	want := connectortest.Describe(newCase(newHistory()).MustFetch(t))
	connectortest.EachSkew(func(skew, phase time.Duration) {
		e := newHistory()
		c := newCase(e)
		c.Now = c.Now.Add(phase)
		c.Skew, e.now = skew, c.Now.Add(skew)
		if diff := cmp.Diff(want, connectortest.Describe(c.MustFetch(t))); diff != "" {
			t.Errorf("%s, %s after a second: %s", skew, phase, diff)
		}
	})
}

// TestPace fetches the whole history without a first day from a server with the
// documented limits: 37 lists of withdrawals, of which ten are allowed in a minute.
func TestPace(t *testing.T) {
	t.Parallel()
	e := newHistory()
	for i := range 40 {
		e.trades[fmt.Sprintf("COIN%dUSDT", i)] = nil
	}
	c := newCase(e)
	c.Query.From = time.Date(2010, 1, 1, 0, 0, 0, 0, time.UTC)
	meter := &connectortest.Meter{
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

func TestCheck(t *testing.T) {
	t.Parallel()
	want := connector.Identity{Account: "354937868", Name: "UID 354937868"}
	if diff := cmp.Diff(want, newCase(newHistory()).MustCheck(t)); diff != "" {
		t.Error(diff)
	}
	if got := newCase(&exchange{rights: `{"ipRestrict": true, "enableReading": true, "enableWithdrawals": true}`}).MustCheck(t); !got.CanWithdraw {
		t.Errorf("%+v", got)
	}
	for name, e := range map[string]*exchange{"no account": {account: `{}`}, "no rights": {rights: `{}`}} {
		c := newCase(e)
		if _, err := c.Check(t, c.Answer); !errors.Is(err, remote.ErrMalformed) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestDescription(t *testing.T) {
	t.Parallel()
	newCase(newHistory()).TestDescription(t)
}

func TestFaults(t *testing.T) {
	t.Parallel()
	newCase(newHistory()).TestFaults(t)
}

// TestWindows has a history that is longer than the longest time of a request.
func TestWindows(t *testing.T) {
	t.Parallel()
	e := newHistory()
	const weeks = 20 * 24 * time.Hour
	e.trades["BTCUSDT"] = append(e.trades["BTCUSDT"], newTrade(weeks.Milliseconds(), 2000, "BTCUSDT", ""))
	c := newCase(e)
	c.Query.To = start.Add(weeks + time.Hour)
	c.TestWindows(t)
}

func TestErrors(t *testing.T) {
	t.Parallel()
	c := newCase(newHistory())
	c.TestAnswers(t, map[string]connectortest.Answer{
		"key":        {Status: 401, Body: `{"code": -2015, "msg": "Invalid API-key, IP, or permissions for action."}`, Want: remote.ErrUnauthorized},
		"ban":        {Status: 418, Body: `{"code": -1003, "msg": "Way too many requests"}`, Want: &remote.RateLimited{IsBanned: true}},
		"null":       {Status: 200, Body: `null`, Want: remote.ErrMalformed},
		"not a list": {Status: 200, Body: `{}`, Want: remote.ErrMalformed},
	})
	for name, body := range map[string]string{
		"another pair": "[" + newTrade(0, 1, "ETHUSDT", "") + "]", "no id": "[" + newTrade(0, 1, "BNBUSDT", `, "id": null`) + "]", "no list": "null",
	} {
		e := newHistory()
		_, err := newCase(e).Fetch(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/api/v3/myTrades" {
				fmt.Fprint(w, body)
				return
			}
			e.ServeHTTP(w, r)
		})
		if !errors.Is(err, remote.ErrMalformed) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	for path, want := range map[string]error{"/api/v3/ticker/price": remote.ErrMalformed, "/api/v3/account": remote.ErrMalformed} {
		e := newHistory()
		_, err := newCase(e).Fetch(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == path {
				fmt.Fprint(w, "null")
				return
			}
			e.ServeHTTP(w, r)
		})
		if !errors.Is(err, want) {
			t.Errorf("%s: error %v", path, err)
		}
	}
}

func FuzzAnswer(f *testing.F) {
	newCase(newHistory()).FuzzAnswer(f, `{"code": -1121, "msg": "Invalid symbol."}`, `[{"symbol": "A B"}]`)
}
