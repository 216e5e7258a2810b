package binanceusdm_test

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
	"fillbook/internal/providers/binanceusdm"
	"fillbook/internal/providers/connectortest"
)

// millis is 2026-01-02 03:04:05.678 UTC.
const millis = 1767323045678

var start = time.UnixMilli(millis).UTC()

// exchange is a server that answers like Binance.
type exchange struct {
	// now is the clock of the server.
	now      time.Time
	rights   string
	balances string
	// income and trades, by symbol, are oldest first.
	income []string
	trades map[string][]string
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

// ServeHTTP checks the signature and the time of a request, and answers it.
func (e *exchange) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	at, _ := strconv.ParseInt(query.Get("timestamp"), 10, 64)
	age := e.now.Sub(time.UnixMilli(at))
	text, signature, _ := strings.Cut(r.URL.RawQuery, "&signature=")
	switch {
	case r.URL.Path == "/api/v3/time" || r.URL.Path == "/fapi/v1/time":
		fmt.Fprintf(w, `{"serverTime": %d}`, e.now.UnixMilli())
	case r.Header.Get("X-MBX-APIKEY") != "test-key":
		refuse(w, -2015, "Invalid API-key, IP, or permissions for action.")
	case age > 5*time.Second || age <= -time.Second:
		refuse(w, -1021, "Timestamp for this request is outside of the recvWindow.")
	case signature != computeSignature(connectortest.Secret, text):
		refuse(w, -1022, "Signature for this request is not valid.")
	case r.Host == "api.binance.com" && r.URL.Path == "/sapi/v1/account/apiRestrictions":
		fmt.Fprint(w, e.rights)
	case r.Host != "fapi.binance.com":
		refuse(w, -1100, "Illegal characters found in a parameter.")
	case r.URL.Path == "/fapi/v3/balance":
		fmt.Fprint(w, e.balances)
	case r.URL.Path == "/fapi/v1/income":
		e.serveIncome(w, query)
	default:
		e.serveTrades(w, query)
	}
}

func toNumber(text string) int64 {
	number, _ := strconv.ParseInt(text, 10, 64)
	return number
}

type record struct {
	ID   int64 `json:"id"`
	Time int64 `json:"time"`
}

// selectRecords returns the records that are selected.
func selectRecords(records []string, isSelected func(record) bool) (list []string) {
	for _, text := range records {
		var r record
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			panic(err)
		}
		if isSelected(r) {
			list = append(list, text)
		}
	}
	return list
}

func (e *exchange) serveIncome(w http.ResponseWriter, query url.Values) {
	from, to, limit, page := toNumber(query.Get("startTime")), toNumber(query.Get("endTime")), int(toNumber(query.Get("limit"))), int(toNumber(query.Get("page")))
	if limit > 1000 || page < 1 {
		refuse(w, -1130, "Data sent for parameter is not valid.")
		return
	}
	list := selectRecords(e.income, func(r record) bool { return r.Time >= from && r.Time <= to })
	list = list[min(len(list), (page-1)*limit):min(len(list), page*limit)]
	fmt.Fprintf(w, "[%s]", strings.Join(list, ","))
}

func (e *exchange) serveTrades(w http.ResponseWriter, query url.Values) {
	trades, isListed := e.trades[query.Get("symbol")]
	from, to, limit := toNumber(query.Get("startTime")), toNumber(query.Get("endTime")), int(toNumber(query.Get("limit")))
	switch {
	case !isListed:
		refuse(w, -1121, "Invalid symbol.")
		return
	case limit > 1000 || query.Has("fromId") == query.Has("startTime") || to-from > 7*24*time.Hour.Milliseconds():
		refuse(w, -4164, "Maximum time interval is 7 days.")
		return
	}
	list := selectRecords(trades, func(r record) bool {
		if query.Has("fromId") {
			return r.ID >= toNumber(query.Get("fromId"))
		}
		return r.Time >= from && r.Time <= to
	})
	fmt.Fprintf(w, "[%s]", strings.Join(list[:min(limit, len(list))], ","))
}

func newCase(e *exchange) connectortest.Case {
	now := start.Truncate(time.Second).Add(2 * time.Hour)
	e.now = now
	if e.rights == "" {
		e.rights = `{"ipRestrict": true, "enableReading": true}`
	}
	if e.balances == "" {
		e.balances = `[{"accountAlias": "SgsR", "asset": "USDT", "balance": "10"}]`
	}
	return connectortest.Case{
		Connector:   binanceusdm.New(),
		Credentials: map[string]string{"api_key": "test-key", "api_secret": connectortest.Secret},
		Query:       connector.Query{From: start.Add(-time.Hour), To: start.Add(time.Hour), Currency: "USD"},
		Now:         now,
		Answer:      e.ServeHTTP,
	}
}

// newTrade returns a fill some milliseconds after the start. A later member of the same
// name replaces an earlier one.
func newTrade(after int64, id int, symbol, more string) string {
	return fmt.Sprintf(`{"symbol": %q, "id": %d, "orderId": 99, "side": "SELL", "positionSide": "BOTH", "price": "3100.5", "qty": "0.2", "quoteQty": "620.1",
		"realizedPnl": "-0.9", "commission": "0.24", "commissionAsset": "USDT", "buyer": false, "maker": false, "time": %d%s}`, symbol, id, millis+after, more)
}

func newIncome(after int64, id int, kind, symbol, amount, currency, trade string) string {
	return fmt.Sprintf(`{"symbol": %q, "incomeType": %q, "income": %q, "asset": %q, "info": "", "time": %d, "tranId": %d, "tradeId": %q}`,
		symbol, kind, amount, currency, millis+after, id, trade)
}

func newHistory() *exchange {
	return &exchange{
		income: []string{
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
		},
		trades: map[string][]string{
			"BTCUSDT": {
				newTrade(1, 1001, "BTCUSDT", ""),
				newTrade(1, 1002, "BTCUSDT", `, "side": "BUY", "positionSide": "LONG", "commission": "0.001", "commissionAsset": "BNB"`),
				newTrade(2, 1003, "BTCUSDT", `, "positionSide": "SHORT", "newField": {}`),
				newTrade(3, 1004, "BTCUSDT", `, "side": "NONE"`),
				newTrade(3, 1005, "BTCUSDT", `, "qty": "0"`),
			},
			"ETHUSDC":  {newTrade(2, 1001, "ETHUSDC", `, "maker": true, "commission": "-0.05", "commissionAsset": "USDC"`)},
			"LATEUSDT": {newTrade(3_599_999, 1, "LATEUSDT", "")},
		},
	}
}

func TestFetch(t *testing.T) {
	t.Parallel()
	list := newCase(newHistory()).MustFetch(t)
	want := `2026-01-02T03:04:05.679Z sell 0.2 future BTCUSDT @ 3100.5 x 1 fees 0.24 liquidity "taker" order_id "99" id BTCUSDT:1001
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
	if diff := cmp.Diff(want, connectortest.Describe(list)); diff != "" {
		t.Error(diff)
	}
	for _, want := range []string{"Binance no longer returns the fills of DEADUSDT", "0.001 BNB", "0.3 BFUSD", `not known here: "SURPRISE"`} {
		if !strings.Contains(connectortest.Messages(list), want) {
			t.Errorf("no message has %q:\n%s", want, connectortest.Messages(list))
		}
	}
}

// TestSignOfCommissions has both signs that Binance may use for a cost. The income of the
// first fill shows which it is.
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
		e := &exchange{income: []string{newIncome(0, 1, "COMMISSION", "BTCUSDT", c.income, "USDT", "0")}, trades: map[string][]string{}}
		for i, commission := range strings.Fields(c.commissions) {
			e.trades["BTCUSDT"] = append(e.trades["BTCUSDT"], newTrade(int64(i), i, "BTCUSDT", `, "maker": true, "commission": "`+commission+`"`))
		}
		var got []string
		for _, f := range newCase(e).MustFetch(t)[0].Statement.Fills {
			got = append(got, f.Fees.String())
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%s: fees %s, want %s", name, text, c.want)
		}
	}
	e := &exchange{
		income: []string{newIncome(0, 1, "FUNDING_FEE", "BTCUSDT", "1", "USDT", "")},
		trades: map[string][]string{"BTCUSDT": {newTrade(0, 1, "BTCUSDT", `, "commission": "-0.24"`)}},
	}
	if got := newCase(e).MustFetch(t)[0].Statement.Fills[0].Fees.String(); got != "0.24" {
		t.Errorf("a taker without income pays %s", got)
	}
}

// TestFetchSeveralPages has fills of one time on both sides of the end of a page.
func TestFetchSeveralPages(t *testing.T) {
	t.Parallel()
	e := &exchange{trades: map[string][]string{}}
	for i := range 2300 {
		e.trades["BTCUSDT"] = append(e.trades["BTCUSDT"], newTrade(int64(i/7), i+1, "BTCUSDT", ""))
		e.income = append(e.income, newIncome(int64(i/7), i+1, "COMMISSION", "BTCUSDT", "-0.24", "USDT", strconv.Itoa(i+1)))
	}
	// Fills after the time of the query, which a page by id has, too.
	for i := range 1500 {
		e.trades["BTCUSDT"] = append(e.trades["BTCUSDT"], newTrade(3_600_000, 3000+i, "BTCUSDT", ""))
	}
	e.income = append(e.income, newIncome(1000, 9999, "FUNDING_FEE", "BTCUSDT", "1", "USDT", ""))
	c := newCase(e)
	for _, maxRows := range []int{0, 1} {
		c.Query.MaxRows = maxRows
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
		if len(ids) != 2300 || cash != 1 {
			t.Errorf("%d fills, %d cash", len(ids), cash)
		}
	}
	session, client := c.NewSession(t, c.Answer)
	if _, err := c.Connector.Fetch(t.Context(), session, c.Query); err != nil || len(client.Requests) > 6 {
		t.Errorf("%d requests, error %v", len(client.Requests), err)
	}
}

// TestPace fetches many windows from a server with the documented limits.
func TestPace(t *testing.T) {
	t.Parallel()
	e := newHistory()
	c := newCase(e)
	c.Query.From = c.Query.To.Add(-700 * 24 * time.Hour)
	c.TestPace(t, &connectortest.Meter{
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

func TestCheck(t *testing.T) {
	t.Parallel()
	want := connector.Identity{Account: "SgsR", Name: "USD-M futures SgsR"}
	if diff := cmp.Diff(want, newCase(newHistory()).MustCheck(t)); diff != "" {
		t.Error(diff)
	}
	if got := newCase(&exchange{rights: `{"ipRestrict": true, "enableReading": true, "enableFutures": true}`}).MustCheck(t); !got.CanTrade || len(got.Notes) != 1 {
		t.Errorf("%+v", got)
	}
	for name, e := range map[string]*exchange{"no account": {balances: `[{}]`}, "no balances": {balances: `[]`}, "no rights": {rights: `{}`}} {
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

// TestWindows has a history that is longer than the longest window.
func TestWindows(t *testing.T) {
	t.Parallel()
	e := newHistory()
	const weeks = 20 * 24 * time.Hour
	e.trades["BTCUSDT"] = append(e.trades["BTCUSDT"], newTrade(weeks.Milliseconds(), 2000, "BTCUSDT", ""))
	e.income = append(e.income, newIncome(weeks.Milliseconds(), 99, "COMMISSION", "BTCUSDT", "-0.24", "USDT", "2000"))
	c := newCase(e)
	c.Query.To = start.Add(weeks + time.Hour)
	c.TestWindows(t)
}

func TestErrors(t *testing.T) {
	t.Parallel()
	newCase(newHistory()).TestAnswers(t, map[string]connectortest.Answer{
		"key":        {Status: 401, Body: `{"code": -2015, "msg": "Invalid API-key, IP, or permissions for action."}`, Want: remote.ErrUnauthorized},
		"rate":       {Status: 429, Body: `{"code": -1003, "msg": "Too many requests"}`, Want: &remote.RateLimited{}},
		"null":       {Status: 200, Body: `null`, Want: remote.ErrMalformed},
		"not a list": {Status: 200, Body: `{}`, Want: remote.ErrMalformed},
		"empty":      {Status: 200, Body: `[]`},
	})
	for name, trades := range map[string]string{"another symbol": newTrade(0, 1, "ETHUSDT", ""), "no id": newTrade(0, 1, "BTCUSDT", `, "id": null`), "no list": "null"} {
		e := newHistory()
		c := newCase(e)
		_, err := c.Fetch(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/fapi/v1/userTrades" {
				fmt.Fprint(w, map[bool]string{true: trades, false: "[" + trades + "]"}[trades == "null"])
				return
			}
			e.ServeHTTP(w, r)
		})
		if !errors.Is(err, remote.ErrMalformed) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func FuzzAnswer(f *testing.F) {
	newCase(newHistory()).FuzzAnswer(f, `{"code": -1121, "msg": "Invalid symbol."}`, `[{"symbol": "A B"}]`)
}
