package bybit_test

import (
	"crypto/sha256"
	"encoding/hex"
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
	"fillbook/internal/providers/bybit"
	"fillbook/internal/providers/providertest"
)

// millis is 2026-01-02 03:04:05.678 UTC.
const millis = 1767323045678

var start = time.UnixMilli(millis).UTC()

const (
	apiKey  = "test-key"
	keyPath = "/v5/user/query-api"
	logPath = "/v5/account/transaction-log"
)

// exchange is a server that answers like Bybit.
type exchange struct {
	providertest.Server
	// records are by category, with the log, oldest first.
	records map[string]providertest.List
	// refusesCursor is the start of cursors in queries for which the server computes
	// another signature; empty if it takes all of them.
	refusesCursor string
}

func sign(secret, text string) string {
	return hex.EncodeToString(providertest.Sign(sha256.New, secret, text))
}

func refuse(code int, message string) http.HandlerFunc {
	return providertest.OK(fmt.Sprintf(`{"retCode": %d, "retMsg": %q, "result": {}, "retExtInfo": {}, "time": 1767323046000}`, code, message))
}

func result(text string) string {
	return fmt.Sprintf(`{"retCode": 0, "retMsg": "OK", "result": %s, "retExtInfo": {}, "time": 1767323046000}`, text)
}

// newExchange returns a server that checks the signature and time in requests.
func newExchange() *exchange {
	e := &exchange{records: newHistory()}
	e.Now = start.Truncate(time.Second).Add(2 * time.Hour)
	e.Public = providertest.Routes{"/v5/market/time": func(url.Values) http.HandlerFunc {
		return providertest.OK(result(fmt.Sprintf(`{"timeSecond": "%d", "timeNano": "%d"}`, e.Now.Unix(), e.Now.UnixNano())))
	}}
	e.Private = providertest.Routes{
		keyPath: providertest.Static(result(`{"id": "1", "apiKey": "test-key", "readOnly": 1, "permissions": {"ContractTrade": ["Order", "Position"], "Wallet": []},
			"uta": 1, "ips": ["*"], "deadlineDay": 88, "expiredAt": "2026-03-02T03:04:05Z", "userID": 53888001}`)),
		"/v5/execution/list": func(q url.Values) http.HandlerFunc {
			return serveList(q, e.records[q.Get("category")], "execTime", 100)
		},
		logPath: func(q url.Values) http.HandlerFunc { return serveList(q, e.records["log"], "transactionTime", 50) },
	}
	e.Verify = func(r *http.Request, _ string) http.HandlerFunc {
		stamp := r.Header.Get("X-BAPI-TIMESTAMP")
		at, _ := strconv.ParseInt(stamp, 10, 64)
		age := e.Now.Sub(time.UnixMilli(at))
		text := stamp + apiKey + r.Header.Get("X-BAPI-RECV-WINDOW") + r.URL.RawQuery
		switch {
		case r.Header.Get("X-BAPI-API-KEY") != apiKey:
			return refuse(10003, "API key is invalid.")
		case age > 5*time.Second || age <= -time.Second:
			return refuse(10002, "invalid request, please check your server timestamp or recv_window param")
		case r.Header.Get("X-BAPI-SIGN") != sign(providertest.Secret, text), e.refusesCursor != "" && strings.Contains(r.URL.RawQuery, e.refusesCursor):
			return refuse(10004, "error sign! origin_string["+text+"]")
		}
		return nil
	}
	return e
}

// How cursors begin in queries: as the answers have them, and escaped once more.
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

// serveList answers with three records, the newest first. Its cursor is escaped, as
// Bybit's are.
func serveList(q url.Values, list providertest.List, timeName string, most int64) http.HandlerFunc {
	from, to := providertest.Int(q, "startTime"), providertest.Int(q, "endTime")
	offset, err := parseCursor(q)
	if err != nil || providertest.Int(q, "limit") > most || to-from > 7*24*time.Hour.Milliseconds() || to < from {
		return refuse(10001, "The time range between startTime and endTime cannot exceed 7 days")
	}
	const size = 3
	list = list.Select(func(r providertest.Record) bool { return r.Int(timeName) >= from && r.Int(timeName) <= to }).Reverse()
	next := ""
	if offset+size < len(list) {
		next = "a%3A%3D" + strconv.Itoa(offset+size)
	}
	return providertest.OK(result(fmt.Sprintf(`{"category": "linear", "nextPageCursor": %q, "list": %s}`, next, list.Page(int64(offset), size))))
}

// newExecution returns a fill some milliseconds after the start. A later member with the
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

func newHistory() map[string]providertest.List {
	return map[string]providertest.List{
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
	}
}

func newFills(e *exchange) providertest.FillCase {
	refusal := func(code int) string { return fmt.Sprintf(`{"retCode": %d, "retMsg": "no", "result": {}}`, code) }
	return providertest.FillCase{
		Connector:   bybit.Fills(),
		Credentials: map[string]string{"api_key": apiKey, "api_secret": providertest.Secret},
		Query:       connector.Query{From: start.Add(-time.Hour), To: start.Add(time.Hour), Currency: "USD"},
		Now:         e.Now,
		Answer:      e.ServeHTTP,
		SetClock:    func(at time.Time) { e.Now = at },
		Identity:    connector.Identity{Account: "53888001", Name: "UID 53888001 (bybit.com)", ExpiresAt: time.Date(2026, 3, 2, 3, 4, 5, 0, time.UTC)},
		KeyPath:     keyPath,
		Keys: map[string]providertest.Key{
			result(`{"readOnly": 0, "permissions": {"Wallet": ["AccountTransfer"]}, "uta": 1, "userID": 7, "expiredAt": "1970-01-01T00:00:00Z"}`): {
				Identity: connector.Identity{Account: "7", Name: "UID 7 (bybit.com)", CanTrade: true},
			},
			result(`{"readOnly": 0, "permissions": {"Wallet": ["Withdraw"]}, "uta": 1, "userID": 7, "expiredAt": ""}`): {
				Identity: connector.Identity{Account: "7", Name: "UID 7 (bybit.com)", CanTrade: true, CanWithdraw: true},
			},
			result(`{"readOnly": 1, "permissions": {"Wallet": ["Withdraw"]}, "uta": 0, "userID": 7}`): {
				Identity: connector.Identity{Account: "7", Name: "UID 7 (bybit.com)", Notes: []string{
					"The account is not a unified trading account: Bybit returns its fills and funding, but not its transfers and interest.",
				}},
			},
			result(`{"readOnly": 1}`): {Err: remote.ErrMalformed},
			result(`{"userID": 7}`):   {Err: remote.ErrMalformed},
			result(`null`):            {Err: remote.ErrMalformed},
		},
		Want: `2026-01-02T03:04:05.677Z buy 0.01 future BTCUSDT @ 60000 x 1 fees 0.33 liquidity "taker" order_id "c1" id l0
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
`,
		Messages: []string{
			"TSLAUSDT had a corporate action on 2026-01-02", "ETHUSDH26 is settled in its coin", `not known here: "SURPRISE"`, "0.1 MNT", "0.49999 BTC",
			"Some fills are in BTC, the account is in USD", "Some fills are in EUR", "Some fills are in ETH",
		},
		Errors: map[string]providertest.Answer{
			"key":            {Status: 200, Body: refusal(10003), Want: remote.ErrUnauthorized},
			"signature":      {Status: 200, Body: refusal(10004), Want: remote.ErrUnauthorized},
			"expired":        {Status: 200, Body: refusal(33004), Want: remote.ErrUnauthorized},
			"permission":     {Status: 200, Body: refusal(10005), Want: remote.ErrForbidden},
			"address":        {Status: 200, Body: refusal(10010), Want: remote.ErrForbidden},
			"country":        {Status: 200, Body: refusal(10024), Want: remote.ErrForbidden},
			"blocked":        {Status: 403, Body: `<html>The Amazon CloudFront distribution is configured to block access</html>`, Want: remote.ErrForbidden},
			"too frequent":   {Status: 403, Body: `access too frequent`, Want: &remote.RateLimited{RetryAfter: 10 * time.Minute, IsBanned: true}},
			"clock":          {Status: 200, Body: refusal(10002), Want: remote.ErrClock},
			"server":         {Status: 200, Body: refusal(10016), Want: remote.ErrUnavailable},
			"busy":           {Status: 200, Body: refusal(10429), Want: &remote.RateLimited{}},
			"parameter":      {Status: 200, Body: refusal(10001), Want: remote.ErrRefused},
			"without result": {Status: 200, Body: `{"retCode": 0}`, Want: remote.ErrMalformed},
			"without a list": {Status: 200, Body: `{"retCode": 0, "result": {}}`, Want: remote.ErrMalformed},
			"empty":          {Status: 200, Body: `{"retCode": 0, "result": {"list": [], "nextPageCursor": "x"}}`},
		},
	}
}

func TestFills(t *testing.T) {
	providertest.Run(t, func() providertest.FillCase { return newFills(newExchange()) })
}

// TestCursors fetches several pages from servers that compute signatures differently for
// cursors that are escaped once and twice.
func TestCursors(t *testing.T) {
	t.Parallel()
	for _, refused := range []string{"", plainCursor, escapedCursor} {
		e := newExchange()
		e.refusesCursor = refused
		c := newFills(e)
		session, client := c.NewSession(t, c.Answer)
		delivery, err := c.Connector.Fetch(t.Context(), session, c.Query)
		if err != nil || delivery.Stopped != nil {
			t.Errorf("%q is refused: %v, %v", refused, delivery.Stopped, err)
			continue
		}
		if diff := cmp.Diff(c.Want, providertest.Describe([]connector.Delivery{delivery})); diff != "" {
			t.Errorf("%q is refused: %s", refused, diff)
		}
		plain, escaped := 0, 0
		for _, r := range client.Requests {
			plain += strings.Count(r.URL.RawQuery, plainCursor)
			escaped += strings.Count(r.URL.RawQuery, escapedCursor)
		}
		if isRefused := refused == plainCursor; isRefused && plain != 1 || !isRefused && escaped != 0 {
			t.Errorf("%q is refused: %d cursors are plain, %d escaped", refused, plain, escaped)
		}
	}
	e := newExchange()
	e.refusesCursor = "cursor="
	c := newFills(e)
	if _, err := c.Fetch(t, c.Answer); !errors.Is(err, remote.ErrUnauthorized) {
		t.Errorf("no cursor is accepted: error %v", err)
	}
}

func TestSignature(t *testing.T) {
	t.Parallel()
	if got, want := sign("test-secret", "1767323045678test-key5000category=linear&limit=100"),
		"f939af376c5816e54c69534aa13744caf0659ba51882ab3bfe44e4c4d68b7111"; got != want {
		t.Fatalf("the server of the test computes %s", got)
	}
	c := newFills(newExchange())
	c.Now, c.Credentials["api_secret"] = start, "test-secret"
	session, client := c.NewSession(t, refuse(10003, "API key is invalid."))
	if _, err := c.Connector.Check(t.Context(), session); !errors.Is(err, remote.ErrUnauthorized) {
		t.Error(err)
	}
	r := client.Requests[0]
	if got, want := r.Header.Get("X-BAPI-SIGN"), "3903c7477c4f7c4b3c6be6b234f7f0664977fe66aeecef6d73ba5935a5041f21"; got != want || r.URL.Host != "api.bybit.com" {
		t.Errorf("signature %s of a request to %s", got, r.URL.Host)
	}
}

func TestSite(t *testing.T) {
	t.Parallel()
	c := newFills(newExchange())
	c.Credentials["site"] = "demo"
	if got := c.MustCheck(t); got.Name != "UID 53888001 (Demo trading)" {
		t.Error(got.Name)
	}
	c.TestLimit(t, "X-Bapi-Limit-Reset-Timestamp", strconv.FormatInt(c.Now.Add(2*time.Second).UnixMilli(), 10), `{"retCode": 10006, "retMsg": "Too many visits!"}`, 2*time.Second)
}

// TestMissingLog has a classic account, and a server without a movement log.
func TestMissingLog(t *testing.T) {
	t.Parallel()
	for message, answer := range map[string]http.HandlerFunc{
		"not a unified trading account": refuse(10028, "The API can only be accessed by unified account users."),
		"no log of transfers":           http.NotFound,
	} {
		c := newFills(newExchange())
		c.Answer = providertest.Replace(c.Answer, logPath, answer)
		list := c.MustFetch(t)
		got, text := strings.Join(providertest.Messages(list), " "), providertest.Describe(list)
		if !strings.Contains(got, message) || strings.Contains(text, "deposit") || !strings.Contains(text, " buy ") {
			t.Errorf("messages %q, %s", got, text)
		}
	}
}

// TestLongHistory has a history that is longer than the longest window.
func TestLongHistory(t *testing.T) {
	t.Parallel()
	const weeks = 20 * 24 * time.Hour
	e := newExchange()
	e.records["linear"] = append(e.records["linear"], newExecution(weeks.Milliseconds(), "l99", ""))
	c := newFills(e)
	c.Query.To = start.Add(weeks + time.Hour)
	c.TestWindows(t)
}

func FuzzFills(f *testing.F) {
	newFills(newExchange()).FuzzAnswer(f, `{"retCode": 10006, "retMsg": "Too many visits!"}`)
}
