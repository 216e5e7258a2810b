package bybit_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/remote"
	"fillbook/internal/intake/connector"
	"fillbook/internal/providers/bybit"
	"fillbook/internal/providers/connectortest"
)

// millis is 2026-01-02 03:04:05.678 UTC.
const millis = 1767323045678

var start = time.UnixMilli(millis).UTC()

const apiKey = "test-key"

// exchange is a server that answers like Bybit.
type exchange struct {
	secret string
	// now is the clock of the server.
	now      time.Time
	key      string
	pageSize int
	// records are those of categories, and of the log, oldest first.
	records map[string][]string
	classic bool
	// refusesCursor is the beginning of cursors in queries for which the server computes
	// another signature; empty if it takes all of them.
	refusesCursor string
}

func computeSignature(secret, text string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(text))
	return hex.EncodeToString(mac.Sum(nil))
}

func refuse(w http.ResponseWriter, code int, message string) {
	fmt.Fprintf(w, `{"retCode": %d, "retMsg": %q, "result": {}, "retExtInfo": {}, "time": 1767323046000}`, code, message)
}

// ServeHTTP checks the signature and the time of a request, and answers it.
func (e *exchange) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	at, _ := strconv.ParseInt(r.Header.Get("X-BAPI-TIMESTAMP"), 10, 64)
	age := e.now.Sub(time.UnixMilli(at))
	text := r.Header.Get("X-BAPI-TIMESTAMP") + apiKey + r.Header.Get("X-BAPI-RECV-WINDOW") + r.URL.RawQuery
	switch {
	case r.URL.Path == "/v5/market/time":
		fmt.Fprintf(w, `{"retCode": 0, "retMsg": "OK", "result": {"timeSecond": "%d", "timeNano": "%d"}, "retExtInfo": {}, "time": %d}`,
			e.now.Unix(), e.now.UnixNano(), e.now.UnixMilli())
	case r.Header.Get("X-BAPI-API-KEY") != apiKey:
		refuse(w, 10003, "API key is invalid.")
	case age > 5*time.Second || age <= -time.Second:
		refuse(w, 10002, "invalid request, please check your server timestamp or recv_window param")
	case r.Header.Get("X-BAPI-SIGN") != computeSignature(e.secret, text), e.refusesCursor != "" && strings.Contains(r.URL.RawQuery, e.refusesCursor):
		refuse(w, 10004, "error sign! origin_string["+text+"]")
	case r.URL.Path == "/v5/user/query-api":
		fmt.Fprintf(w, `{"retCode": 0, "retMsg": "", "result": %s, "retExtInfo": {}, "time": 1767323046000}`, e.key)
	case r.URL.Path == "/v5/execution/list":
		e.serveList(w, r.URL.Query(), e.records[r.URL.Query().Get("category")], 100)
	case e.classic:
		refuse(w, 10028, "The API can only be accessed by unified account users.")
	default:
		e.serveList(w, r.URL.Query(), e.records["log"], 50)
	}
}

// The beginnings of cursors in queries: as the answers have them, and escaped once more.
const (
	plainCursor   = "cursor=a%3A%3D"
	escapedCursor = "cursor=a%253A%253D"
)

// parseCursor returns the number in a cursor, which may be escaped once or twice in the
// query.
func parseCursor(query url.Values) (int, error) {
	text, err := url.QueryUnescape(query.Get("cursor"))
	if err != nil || text == "" {
		return 0, err
	}
	return strconv.Atoi(strings.TrimPrefix(text, "a:="))
}

// serveList answers with a page of records, the newest first. Its cursor is escaped, as
// those of Bybit are.
func (e *exchange) serveList(w http.ResponseWriter, query url.Values, records []string, most int) {
	from, _ := strconv.ParseInt(query.Get("startTime"), 10, 64)
	to, _ := strconv.ParseInt(query.Get("endTime"), 10, 64)
	limit, _ := strconv.Atoi(query.Get("limit"))
	offset, err := parseCursor(query)
	skip := offset
	if err != nil || limit > most || to-from > 7*24*time.Hour.Milliseconds() || to < from {
		refuse(w, 10001, "The time range between startTime and endTime cannot exceed 7 days")
		return
	}
	var page []string
	next := ""
	for _, text := range slices.Backward(records) {
		var record struct {
			Exec string `json:"execTime"`
			Log  int64  `json:"transactionTime"`
		}
		if err := json.Unmarshal([]byte(text), &record); err != nil {
			panic(err)
		}
		at, _ := strconv.ParseInt(record.Exec, 10, 64)
		if at = max(at, record.Log); at < from || at > to {
			continue
		}
		if skip--; skip >= 0 {
			continue
		}
		if len(page) == min(limit, e.pageSize) {
			next = "a%3A%3D" + strconv.Itoa(offset+len(page))
			break
		}
		page = append(page, text)
	}
	fmt.Fprintf(w, `{"retCode": 0, "retMsg": "OK", "result": {"category": "linear", "nextPageCursor": %q, "list": [%s]}, "retExtInfo": {}, "time": 1767323046000}`,
		next, strings.Join(page, ","))
}

func newCase(e *exchange) connectortest.Case {
	now := start.Truncate(time.Second).Add(2 * time.Hour)
	e.secret, e.now = connectortest.Secret, now
	if e.key == "" {
		e.key = `{"id": "1", "apiKey": "test-key", "readOnly": 1, "permissions": {"ContractTrade": ["Order", "Position"], "Wallet": []}, "uta": 1,
			"ips": ["*"], "deadlineDay": 88, "expiredAt": "2026-03-02T03:04:05Z", "userID": 53888001}`
	}
	if e.pageSize == 0 {
		e.pageSize = 3
	}
	return connectortest.Case{
		Connector:   bybit.New(),
		Credentials: map[string]string{"api_key": apiKey, "api_secret": connectortest.Secret},
		Query:       connector.Query{From: start.Add(-time.Hour), To: start.Add(time.Hour), Currency: "USD"},
		Now:         now,
		Answer:      e.ServeHTTP,
	}
}

// newExecution returns a fill some milliseconds after the start. A later member of the
// same name replaces an earlier one.
func newExecution(after int64, id, more string) string {
	return fmt.Sprintf(`{"symbol": "BTCUSDT", "side": "Sell", "execId": %q, "orderId": "c1", "execPrice": "60000", "execQty": "0.01", "execValue": "600",
		"execFee": "0.33", "feeCurrency": "", "feeRate": "0.00055", "execType": "Trade", "execTime": "%d", "isMaker": false, "closedSize": "0.01",
		"execPnl": "", "extraFees": "", "seq": 42%s}`, id, millis+after, more)
}

func newMovement(after int64, id, kind, currency, change string) string {
	return fmt.Sprintf(`{"id": %q, "symbol": "", "category": "", "side": "None", "transactionTime": %d, "type": %q, "qty": "0", "currency": %q,
		"funding": "", "fee": "", "cashFlow": "0", "change": %q, "cashBalance": "10", "tradeId": ""}`, id, millis+after, kind, currency, change)
}

func newHistory() *exchange {
	return &exchange{records: map[string][]string{
		"linear": {
			newExecution(-1, "l0", `, "side": "Buy", "seq": 40`),
			newExecution(0, "l2", `, "seq": 42`),
			newExecution(0, "l1", `, "side": "Buy", "isMaker": true, "execFee": "-0.05", "seq": 41`),
			newExecution(1, "l3", `, "symbol": "ETHPERP", "execType": "BustTrade"`),
			newExecution(2, "l4", `, "symbol": "BTC-26DEC25", "execType": "Delivery"`),
			newExecution(3, "l5", `, "symbol": "BTCUSDT-26DEC25", "newField": {"a": [1]}`),
			newExecution(4, "l6", `, "execType": "Funding", "execFee": "0.6"`),
			newExecution(5, "l7", `, "execType": "Funding", "execFee": "-0.2", "symbol": "ETHPERP"`),
			newExecution(6, "l8", `, "execType": "CorporateAction", "symbol": "TSLAUSDT"`),
			newExecution(7, "l9", `, "execType": "Surprise"`),
			newExecution(8, "l10", `, "execQty": ""`),
		},
		"inverse": {
			newExecution(10, "i1", `, "symbol": "BTCUSD", "side": "Buy", "execQty": "100", "execFee": "0.0000009", "execPnl": "0", "execType": "Trade"`),
			newExecution(11, "i2", `, "symbol": "BTCUSD", "execQty": "100", "execPrice": "61000", "execFee": "0.0000008", "execPnl": "0.00002732"`),
			newExecution(12, "i3", `, "symbol": "ETHUSDH26", "execQty": "5", "execFee": "0.00001"`),
			newExecution(13, "i4", `, "symbol": "BTCUSD", "execType": "Funding", "execFee": "0.00001"`),
		},
		"spot": {
			newExecution(20, "s1", `, "side": "Buy", "execQty": "2", "execPrice": "10", "execFee": "0.002", "feeCurrency": "BTC"`),
			newExecution(21, "s2", `, "side": "Buy", "execQty": "2", "execPrice": "10", "execFee": "0.002"`),
			newExecution(22, "s3", `, "execQty": "2", "execPrice": "10", "execFee": "0.002"`),
			newExecution(23, "s4", `, "side": "Buy", "execQty": "2", "execPrice": "10", "execFee": "-0.002", "feeRate": "-0.0001", "isMaker": true`),
			newExecution(24, "s5", `, "execQty": "2", "execPrice": "10", "execFee": "0.1", "feeCurrency": "MNT"`),
			newExecution(25, "s6", `, "symbol": "DOTEUR", "execQty": "2", "execPrice": "10"`),
			newExecution(26, "s7", `, "symbol": "NEWCOIN", "execQty": "2", "execPrice": "10", "feeCurrency": "NEW"`),
		},
		"option": {newExecution(30, "o1", `, "symbol": "BTC-27JUN25-100000-C", "execPrice": "250", "execFee": "0.5"`)},
		"log": {
			newMovement(40, "t1", "TRANSFER_IN", "USDT", "500"),
			newMovement(41, "t2", "TRANSFER_OUT", "USDC", "-100"),
			newMovement(42, "t3", "INTEREST", "USDT", "-0.01"),
			newMovement(43, "t4", "BONUS", "USDT", "5"),
			newMovement(44, "t5", "TRADE", "USDT", "-1"),
			newMovement(45, "t6", "SETTLEMENT", "USDT", "-0.6"),
			newMovement(46, "t7", "TRANSFER_IN", "BTC", "0.5"),
			newMovement(47, "t8", "SURPRISE", "USDT", "1"),
		},
	}}
}

func TestFetch(t *testing.T) {
	t.Parallel()
	list := newCase(newHistory()).MustFetch(t)
	want := `2026-01-02T03:04:05.677Z buy 0.01 future BTCUSDT @ 60000 x 1 fees 0.33 liquidity "taker" order_id "c1" id l0
2026-01-02T03:04:05.678Z buy 0.01 future BTCUSDT @ 60000 x 1 fees -0.05 liquidity "maker" order_id "c1" id l1
2026-01-02T03:04:05.678Z sell 0.01 future BTCUSDT @ 60000 x 1 fees 0.33 liquidity "taker" order_id "c1" id l2
2026-01-02T03:04:05.679Z sell 0.01 future ETHPERP @ 60000 x 1 fees 0.33 kind "BustTrade" liquidity "taker" order_id "c1" id l3
2026-01-02T03:04:05.68Z sell 0.01 future BTC-26DEC25 @ 60000 x 1 fees 0.33 kind "Delivery" liquidity "taker" order_id "c1" id l4
2026-01-02T03:04:05.681Z sell 0.01 future BTCUSDT-26DEC25 @ 60000 x 1 fees 0.33 liquidity "taker" order_id "c1" id l5
2026-01-02T03:04:05.688Z buy 100 future BTCUSD @ 60000 x 1 fees 0.0000009 currency "BTC" liquidity "taker" order_id "c1" id i1
2026-01-02T03:04:05.689Z sell 100 future BTCUSD @ 61000 x 1 fees 0.0000008 pnl 0.00002732 currency "BTC" liquidity "taker" order_id "c1" id i2
2026-01-02T03:04:05.69Z sell 5 future ETHUSDH26 @ 60000 x 1 fees 0.00001 currency "ETH" liquidity "taker" order_id "c1" id i3
2026-01-02T03:04:05.698Z buy 1.998 crypto BTCUSDT @ 10 fees 0.02 fee "0.002 BTC" liquidity "taker" order_id "c1" id s1
2026-01-02T03:04:05.699Z buy 1.998 crypto BTCUSDT @ 10 fees 0.02 fee "0.002 BTC" liquidity "taker" order_id "c1" id s2
2026-01-02T03:04:05.7Z sell 2 crypto BTCUSDT @ 10 fees 0.002 liquidity "taker" order_id "c1" id s3
2026-01-02T03:04:05.701Z buy 2 crypto BTCUSDT @ 10 fees -0.002 liquidity "maker" order_id "c1" id s4
2026-01-02T03:04:05.702Z sell 2 crypto BTCUSDT @ 10 fee "0.1 MNT" liquidity "taker" order_id "c1" id s5
2026-01-02T03:04:05.703Z sell 2 crypto DOTEUR @ 10 fees 0.33 currency "EUR" liquidity "taker" order_id "c1" id s6
2026-01-02T03:04:05.704Z sell 2 crypto NEWCOIN @ 10 fees 0.33 liquidity "taker" order_id "c1" id s7
2026-01-02T03:04:05.708Z sell 0.01 option BTC 2025-06-27 100000 call @ 250 x 1 fees 0.5 liquidity "taker" order_id "c1" id o1
2026-01-02T03:04:05.682Z cash interest -0.6 USD "funding BTCUSDT"
2026-01-02T03:04:05.683Z cash interest 0.2 USD "funding ETHPERP"
2026-01-02T03:04:05.718Z cash deposit 500 USD "TRANSFER_IN"
2026-01-02T03:04:05.719Z cash withdrawal -100 USD "TRANSFER_OUT"
2026-01-02T03:04:05.72Z cash interest -0.01 USD "INTEREST"
2026-01-02T03:04:05.721Z cash adjustment 5 USD "BONUS"
problem The broker's record has an unknown type, "Surprise".
problem The broker's record has no quantity.
skipped it moves coins without a trade
skipped it moves coins without a trade
skipped rows of this kind are ignored
skipped securities moved without a trade
`
	if diff := cmp.Diff(want, connectortest.Describe(list)); diff != "" {
		t.Error(diff)
	}
	for _, want := range []string{
		"TSLAUSDT had a corporate action on 2026-01-02", "ETHUSDH26 is settled in its coin", `not known here: "SURPRISE"`, "0.1 MNT", "0.49999 BTC",
		"Some fills are in BTC, the account is in USD", "Some fills are in EUR",
	} {
		if !strings.Contains(connectortest.Messages(list), want) {
			t.Errorf("no message has %q:\n%s", want, connectortest.Messages(list))
		}
	}
}

// TestCursors fetches several pages from servers that compute signatures differently for
// cursors that are escaped once and twice.
func TestCursors(t *testing.T) {
	t.Parallel()
	want := connectortest.Describe(newCase(newHistory()).MustFetch(t))
	for _, refused := range []string{"", plainCursor, escapedCursor} {
		e := newHistory()
		e.refusesCursor = refused
		c := newCase(e)
		session, client := c.NewSession(t, c.Answer)
		delivery, err := c.Connector.Fetch(t.Context(), session, c.Query)
		if err != nil || delivery.Stopped != nil {
			t.Errorf("%q is refused: %v, %v", refused, delivery.Stopped, err)
			continue
		}
		if diff := cmp.Diff(want, connectortest.Describe([]connector.Delivery{delivery})); diff != "" {
			t.Errorf("%q is refused: %s", refused, diff)
		}
		plain, escaped := 0, 0
		for _, r := range client.Requests {
			switch {
			case strings.Contains(r.URL.RawQuery, plainCursor):
				plain++
			case strings.Contains(r.URL.RawQuery, escapedCursor):
				escaped++
			}
		}
		if isRefused := refused == plainCursor; isRefused && plain != 1 || !isRefused && escaped != 0 {
			t.Errorf("%q is refused: %d cursors are plain, %d escaped", refused, plain, escaped)
		}
	}
	e := newHistory()
	e.refusesCursor = "cursor="
	c := newCase(e)
	if _, err := c.Fetch(t, c.Answer); !errors.Is(err, remote.ErrUnauthorized) {
		t.Errorf("no cursor is accepted: error %v", err)
	}
}

func TestSignature(t *testing.T) {
	t.Parallel()
	if got, want := computeSignature("test-secret", "1767323045678test-key5000category=linear&limit=100"),
		"f939af376c5816e54c69534aa13744caf0659ba51882ab3bfe44e4c4d68b7111"; got != want {
		t.Fatalf("the server of the test computes %s", got)
	}
	c := newCase(newHistory())
	c.Now, c.Credentials["api_secret"] = start, "test-secret"
	_, err := c.Check(t, func(w http.ResponseWriter, r *http.Request) {
		if got, want := r.Header.Get("X-BAPI-SIGN"), "3903c7477c4f7c4b3c6be6b234f7f0664977fe66aeecef6d73ba5935a5041f21"; got != want || r.Host != "api.bybit.com" {
			t.Errorf("signature %s of a request to %s", got, r.Host)
		}
		refuse(w, 10003, "API key is invalid.")
	})
	if !errors.Is(err, remote.ErrUnauthorized) {
		t.Error(err)
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
	c := newCase(newHistory())
	want := connector.Identity{Account: "53888001", Name: "UID 53888001 (bybit.com)", ExpiresAt: time.Date(2026, 3, 2, 3, 4, 5, 0, time.UTC)}
	if diff := cmp.Diff(want, c.MustCheck(t)); diff != "" {
		t.Error(diff)
	}
	c.Credentials["site"] = "demo"
	if got := c.MustCheck(t); got.Name != "UID 53888001 (Demo trading)" {
		t.Error(got.Name)
	}
	for key, want := range map[string]connector.Identity{
		`{"readOnly": 0, "permissions": {"Wallet": ["AccountTransfer"]}, "uta": 1, "userID": 7, "expiredAt": "1970-01-01T00:00:00Z"}`: {CanTrade: true},
		`{"readOnly": 0, "permissions": {"Wallet": ["Withdraw"]}, "uta": 1, "userID": 7, "expiredAt": ""}`:                            {CanTrade: true, CanWithdraw: true},
		`{"readOnly": 1, "permissions": {"Wallet": ["Withdraw"]}, "uta": 0, "userID": 7}`: {Notes: []string{
			"The account is not a unified trading account: Bybit returns its fills and funding, but not its transfers and interest.",
		}},
	} {
		want.Account, want.Name = "7", "UID 7 (bybit.com)"
		if diff := cmp.Diff(want, newCase(&exchange{key: key}).MustCheck(t)); diff != "" {
			t.Errorf("%s: %s", key, diff)
		}
	}
	for _, key := range []string{`{"readOnly": 1}`, `{"userID": 7}`, `null`} {
		c := newCase(&exchange{key: key})
		if _, err := c.Check(t, c.Answer); !errors.Is(err, remote.ErrMalformed) {
			t.Errorf("%s: error %v", key, err)
		}
	}
}

// TestClassicAccount has an account without a log.
func TestClassicAccount(t *testing.T) {
	t.Parallel()
	e := newHistory()
	e.classic = true
	list := newCase(e).MustFetch(t)
	if got := connectortest.Messages(list); !strings.Contains(got, "not a unified trading account") || strings.Contains(connectortest.Describe(list), "deposit") {
		t.Errorf("messages %q", got)
	}
}

// TestMissingLog: a server may have no log of movements.
func TestMissingLog(t *testing.T) {
	t.Parallel()
	e := newHistory()
	c := newCase(e)
	c.Answer = func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v5/account/transaction-log" {
			http.NotFound(w, r)
			return
		}
		e.ServeHTTP(w, r)
	}
	if list := c.MustFetch(t); !strings.Contains(connectortest.Messages(list), "no log of transfers") || !strings.Contains(connectortest.Describe(list), " buy ") {
		t.Error(connectortest.Messages(list), connectortest.Describe(list))
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
	e.records["linear"] = append(e.records["linear"], newExecution(weeks.Milliseconds(), "l99", ""))
	c := newCase(e)
	c.Query.To = start.Add(weeks + time.Hour)
	c.TestWindows(t)
}

func TestErrors(t *testing.T) {
	t.Parallel()
	c := newCase(newHistory())
	answer := func(code int) string { return fmt.Sprintf(`{"retCode": %d, "retMsg": "no", "result": {}}`, code) }
	c.TestAnswers(t, map[string]connectortest.Answer{
		"key":            {Status: 200, Body: answer(10003), Want: remote.ErrUnauthorized},
		"signature":      {Status: 200, Body: answer(10004), Want: remote.ErrUnauthorized},
		"expired":        {Status: 200, Body: answer(33004), Want: remote.ErrUnauthorized},
		"permission":     {Status: 200, Body: answer(10005), Want: remote.ErrForbidden},
		"address":        {Status: 200, Body: answer(10010), Want: remote.ErrForbidden},
		"country":        {Status: 200, Body: answer(10024), Want: remote.ErrForbidden},
		"blocked":        {Status: 403, Body: `<html>The Amazon CloudFront distribution is configured to block access</html>`, Want: remote.ErrForbidden},
		"too frequent":   {Status: 403, Body: `access too frequent`, Want: &remote.RateLimited{RetryAfter: 10 * time.Minute, IsBanned: true}},
		"clock":          {Status: 200, Body: answer(10002), Want: remote.ErrClock},
		"server":         {Status: 200, Body: answer(10016), Want: remote.ErrUnavailable},
		"busy":           {Status: 200, Body: answer(10429), Want: &remote.RateLimited{}},
		"parameter":      {Status: 200, Body: answer(10001), Want: remote.ErrRefused},
		"without result": {Status: 200, Body: `{"retCode": 0}`, Want: remote.ErrMalformed},
		"without a list": {Status: 200, Body: `{"retCode": 0, "result": {}}`, Want: remote.ErrMalformed},
		"empty":          {Status: 200, Body: `{"retCode": 0, "result": {"list": [], "nextPageCursor": "x"}}`},
	})
	_, err := c.Fetch(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Bapi-Limit-Reset-Timestamp", strconv.FormatInt(c.Now.Add(2*time.Second).UnixMilli(), 10))
		refuse(w, 10006, "Too many visits!")
	})
	if limited := new(remote.RateLimited); !errors.As(err, &limited) || limited.RetryAfter != 2*time.Second {
		t.Errorf("too many requests: error %v", err)
	}
}

func FuzzAnswer(f *testing.F) {
	newCase(newHistory()).FuzzAnswer(f, `{"retCode": 10006, "retMsg": "Too many visits!"}`)
}
