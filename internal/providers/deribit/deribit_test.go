package deribit

import (
	"encoding/json"
	"errors"
	"fmt"
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

var (
	now   = time.Date(2026, 1, 9, 0, 0, 30, 0, time.UTC)
	start = time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
)

// server answers as Deribit is documented to.
type server struct {
	providertest.Server
	// trades and logs are by currency.
	trades, logs map[string]providertest.List
	logged       int
	pageSize     int64
	scope        string
	// tokens counts those that were given, and calls how often the last one was used. It
	// ends after maxCalls, if that is not 0.
	tokens, calls, maxCalls int
}

func newServer() *server {
	s := &server{
		pageSize: 3, scope: "account:read trade:read wallet:none connection mainaccount",
		trades: map[string]providertest.List{}, logs: map[string]providertest.List{},
	}
	s.Public = providertest.Routes{"/api/v2/public/auth": s.sendToken}
	s.Private = providertest.Routes{
		"/api/v2/private/get_account_summary":                  providertest.Static(result(`{"id": 7, "username": "trader", "currency": "BTC", "equity": 1.5}`)),
		"/api/v2/private/get_user_trades_by_currency_and_time": s.sendTrades,
		"/api/v2/private/get_transaction_log":                  s.sendLogs,
	}
	s.Verify = func(r *http.Request, _ string) http.HandlerFunc {
		s.calls++
		if r.Header.Get("Authorization") != fmt.Sprintf("Bearer token-%d %s", s.tokens, readScope) || s.maxCalls > 0 && s.calls > s.maxCalls {
			return refuse(13009, "unauthorized")
		}
		return nil
	}
	const day = 24 * time.Hour
	s.addTrade("BTC", "48001", time.Hour, `"instrument_name": "BTC-27JUN26-100000-C", "direction": "buy", "price": 0.05, "amount": 0.5, "fee": 0.00015, "fee_currency": "BTC", "profit_loss": 0.0, "order_id": "o1", "liquidity": "T"`)
	s.addTrade("BTC", "48002", 2*time.Hour, `"instrument_name": "BTC-27JUN26-100000-C", "direction": "sell", "price": 0.06, "amount": 0.5, "fee": 0.00015, "fee_currency": "BTC", "profit_loss": 0.005, "order_id": "o2", "liquidity": "M"`)
	s.addTrade("BTC", "48003", 7*time.Hour, `"instrument_name": "BTC-PERPETUAL", "direction": "buy", "price": 100000, "amount": 1000, "fee": -0.000001, "fee_currency": "BTC", "order_id": "o3"`)
	// Two in one millisecond, which a page may separate.
	s.addTrade("BTC", "48005", day, `"trade_seq": 12, "instrument_name": "BTC-PERPETUAL", "direction": "sell", "price": 101000.5, "amount": 600, "fee": 0.00000297, "fee_currency": "BTC", "profit_loss": 0.0000594, "order_id": "o4"`)
	s.addTrade("BTC", "48004", day, `"trade_seq": 11, "instrument_name": "BTC-PERPETUAL", "direction": "sell", "price": 101000, "amount": 400, "fee": 0.00000198, "fee_currency": "BTC", "profit_loss": 0.0000396, "order_id": "o4", "liquidation": "T"`)
	s.addTrade("ETH", "48001", 2*day, `"instrument_name": "ETH-26JUN26", "direction": "buy", "price": 3000, "amount": 300, "fee": 0.00005, "fee_currency": "ETH"`)
	s.addTrade("ETH", "ETH-34066", 2*day, `"instrument_name": "ETH-PERPETUAL", "direction": "buy", "price": 3000, "amount": 1, "fee": 0, "fee_currency": "ETH"`)
	s.addTrade("USDC", "USDC-1", 3*day, `"instrument_name": "SOL_USDC-PERPETUAL", "direction": "buy", "price": 150, "amount": 10, "fee": 0.5, "fee_currency": "USDC", "profit_loss": 0.0`)
	s.addTrade("USDC", "USDC-2", 3*day+time.Second, `"instrument_name": "BTC_USDC", "direction": "buy", "price": 100000, "amount": 0.01, "fee": 0.00001, "fee_currency": "BTC"`)
	// A combination and its legs; one leg is in the list too.
	s.addTrade("USDC", "USDC-4", 4*day, `"instrument_name": "XRP_USDC-30JUN26-0d625-P", "direction": "sell", "price": 0.06, "amount": 100, "fee": 0.15, "fee_currency": "USDC", "combo_id": "c"`)
	s.addTrade("USDC", "USDC-3", 4*day, `"instrument_name": "XRP_USDC-STRG-30JUN26-0d5_0d625", "direction": "buy", "price": 1, "amount": 100, "legs": [`+
		formatTrade("USDC-4", 4*day, `"instrument_name": "XRP_USDC-30JUN26-0d625-P", "direction": "sell", "price": 0.06, "amount": 100, "fee": 0.15, "fee_currency": "USDC"`)+", "+
		formatTrade("USDC-5", 4*day, `"instrument_name": "XRP_USDC-30JUN26-0d5-P", "direction": "buy", "price": 0.02, "amount": 100, "fee": 0.15, "fee_currency": "USDC"`)+"]")
	s.addTrade("USDT", "USDT-1", 7*day-10*time.Hour, `"instrument_name": "BTC_USDT", "direction": "hold", "price": 1, "amount": 1`)
	s.addTrade("USDT", "USDT-2", 7*day-9*time.Hour, `"instrument_name": "BTC_USDT", "direction": "sell", "price": 100000, "amount": 0.5, "fee": 1, "fee_currency": "XYZ"`)

	s.addLog("BTC", time.Minute, `"type": "deposit", "change": 0.5`)
	s.addLog("BTC", time.Hour, `"type": "trade", "trade_id": "48001", "instrument_name": "BTC-27JUN26-100000-C", "side": "open buy", "change": -0.02515`)
	s.addLog("BTC", 8*time.Hour, `"type": "settlement", "instrument_name": "BTC-PERPETUAL", "change": 0.0001, "interest_pl": -0.0000012`)
	s.addLog("BTC", day+8*time.Hour, `"type": "delivery", "instrument_name": "BTC-3JAN26-90000-C", "side": "close sell", "price": 100000.5, "amount": 0.5, "commission": 0.000075, "cashflow": 0.05, "change": 0.049925`)
	s.addLog("BTC", day+8*time.Hour, `"type": "delivery", "instrument_name": "BTC-3JAN26-110000-C", "side": "close buy", "price": 100000.5, "amount": 1, "commission": 0, "cashflow": 0, "change": 0`)
	s.addLog("BTC", day+8*time.Hour, `"type": "delivery", "instrument_name": "BTC-3JAN26", "side": "close sell", "price": 100000.5, "amount": 1000, "commission": 0.000001, "cashflow": -0.0002, "change": -0.000201`)
	s.addLog("USDC", time.Hour, `"type": "transfer", "change": 500`)
	s.addLog("USDC", 2*time.Hour, `"type": "withdrawal", "change": -100.25`)
	s.addLog("USDC", 3*time.Hour, `"type": "settlement", "instrument_name": "SOL_USDC-PERPETUAL", "change": 7, "interest_pl": -0.2`)
	s.addLog("USDC", 4*time.Hour, `"type": "settlement", "instrument_name": "SOL_USDC-PERPETUAL", "change": 7`)
	s.addLog("USDC", 5*time.Hour, `"type": "correction", "change": 0.75`)
	s.addLog("USDC", 6*time.Hour, `"type": "negative_balance_fee", "change": -0.01`)
	return s
}

func formatTrade(id string, after time.Duration, rest string) string {
	return fmt.Sprintf(`{"trade_id": %q, "timestamp": %d, %s}`, id, start.Add(after).UnixMilli(), rest)
}

func (s *server) addTrade(currency, id string, after time.Duration, rest string) {
	s.trades[currency] = append(s.trades[currency], formatTrade(id, after, rest))
}

func (s *server) addLog(currency string, after time.Duration, rest string) {
	s.logged++
	text := fmt.Sprintf(`{"id": %d, "user_id": 7, "currency": %q, "timestamp": %d, %s}`, s.logged, currency, start.Add(after).UnixMilli(), rest)
	s.logs[currency] = append(s.logs[currency], text)
}

func result(text string) string { return fmt.Sprintf(`{"jsonrpc": "2.0", "result": %s}`, text) }

func refusal(code int, message string) string {
	return fmt.Sprintf(`{"jsonrpc": "2.0", "error": {"code": %d, "message": %q, "data": {"reason": "x"}}}`, code, message)
}

func refuse(code int, message string) http.HandlerFunc {
	return providertest.Reply(http.StatusBadRequest, refusal(code, message))
}

// sendToken sends a token, which has its scope in its name.
func (s *server) sendToken(url.Values) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Method string            `json:"method"`
			Params map[string]string `json:"params"`
		}
		if json.NewDecoder(r.Body).Decode(&body) != nil || body.Method != "public/auth" || body.Params["grant_type"] != "client_credentials" ||
			body.Params["client_id"] != "client" || body.Params["client_secret"] != providertest.Secret {
			refuse(13004, "invalid_credentials")(w, r)
			return
		}
		s.tokens++
		s.calls = 0
		token := providertest.Record{"access_token": "wide", "refresh_token": "refresh", "scope": s.scope}
		if scope := body.Params["scope"]; scope != "" {
			token = providertest.Record{
				"access_token": fmt.Sprintf("token-%d %s", s.tokens, scope), "refresh_token": "refresh", "expires_in": 900, "scope": scope,
			}
		}
		fmt.Fprint(w, result(token.JSON()))
	}
}

// selectRecords returns a currency's records in the query period.
func selectRecords(lists map[string]providertest.List, q url.Values) providertest.List {
	from, to := providertest.Int(q, "start_timestamp"), providertest.Int(q, "end_timestamp")
	return lists[q.Get("currency")].Select(func(r providertest.Record) bool { return r.Int("timestamp") >= from && r.Int("timestamp") <= to })
}

// sendTrades sends trades from the last day, or older ones.
func (s *server) sendTrades(q url.Values) http.HandlerFunc {
	if q.Get("sorting") != "asc" || providertest.Int(q, "count") > 1000 {
		return refuse(-32602, "Invalid params")
	}
	list := selectRecords(s.trades, q).Select(func(r providertest.Record) bool {
		isRecent := r.Int("timestamp") > now.Add(-24*time.Hour).UnixMilli()
		return isRecent != (q.Get("historical") == "true")
	})
	page := list.Page(0, min(providertest.Int(q, "count"), s.pageSize))
	return providertest.OK(result(fmt.Sprintf(`{"has_more": %v, "trades": %s}`, len(page) < len(list), page)))
}

// sendLogs sends the log, the newest first. A continuation is how many were sent.
func (s *server) sendLogs(q url.Values) http.HandlerFunc {
	list := selectRecords(s.logs, q).Reverse()
	first, continuation := providertest.Int(q, "continuation"), "null"
	if last := first + s.pageSize; last < int64(len(list)) {
		continuation = strconv.FormatInt(last, 10)
	}
	return providertest.OK(result(fmt.Sprintf(`{"continuation": %s, "logs": %s}`, continuation, list.Page(first, s.pageSize))))
}

func newFills(s *server) providertest.FillCase {
	refused := func(code int, message string, want error) providertest.Answer {
		return providertest.Answer{Status: http.StatusBadRequest, Body: refusal(code, message), Want: want}
	}
	return providertest.FillCase{
		Connector:   Fills(),
		Credentials: map[string]string{"api_key": "client", "api_secret": providertest.Secret},
		Query:       connector.Query{From: start, To: start.AddDate(0, 0, 7), Currency: "USD"},
		Now:         now,
		Answer:      s.ServeHTTP,
		Identity:    connector.Identity{Account: "live 7", Name: "trader (live)"},
		KeyPath:     "/api/v2/public/auth",
		Keys: map[string]providertest.Key{
			result(`{"access_token": ""}`): {Err: remote.ErrMalformed},
			result(`7`):                    {Err: remote.ErrMalformed},
		},
		Want: `2026-01-02T01:00:00Z buy 0.5 option BTC 2026-06-27 100000 call @ 0.05 x 1 fees 0.00015 currency "BTC" liquidity "taker" order_id "o1" id 48001
2026-01-02T02:00:00Z sell 0.5 option BTC 2026-06-27 100000 call @ 0.06 x 1 fees 0.00015 currency "BTC" liquidity "maker" order_id "o2" id 48002
2026-01-02T07:00:00Z buy 1000 future BTC-PERPETUAL @ 100000 x 1 fees -0.000001 currency "BTC" order_id "o3" id 48003
2026-01-03T00:00:00Z sell 400 future BTC-PERPETUAL @ 101000 x 1 fees 0.00000198 pnl 0.0000396 currency "BTC" kind "liquidation" order_id "o4" id 48004
2026-01-03T00:00:00Z sell 600 future BTC-PERPETUAL @ 101000.5 x 1 fees 0.00000297 pnl 0.0000594 currency "BTC" order_id "o4" id 48005
2026-01-03T08:00:00Z sell 1000 future BTC-3JAN26 @ 100000.5 x 1 fees 0.000001 pnl -0.0002 currency "BTC" kind "delivery" id delivery-BTC-6
2026-01-03T08:00:00Z buy 1 option BTC 2026-01-03 110000 call @ 0 x 1 currency "BTC" kind "delivery" id delivery-BTC-5
2026-01-03T08:00:00Z sell 0.5 option BTC 2026-01-03 90000 call @ 0.1 x 1 fees 0.000075 currency "BTC" kind "delivery" id delivery-BTC-4
2026-01-04T00:00:00Z buy 300 future ETH-26JUN26 @ 3000 x 1 fees 0.00005 currency "ETH" id ETH:48001
2026-01-04T00:00:00Z buy 1 future ETH-PERPETUAL @ 3000 x 1 currency "ETH" id ETH-34066
2026-01-05T00:00:00Z buy 10 future SOL_USDC-PERPETUAL @ 150 x 1 fees 0.5 id USDC-1
2026-01-05T00:00:01Z buy 0.00999 crypto BTC_USDC @ 100000 fees 1 fee "0.00001 BTC" id USDC-2
2026-01-06T00:00:00Z sell 100 option XRP 2026-06-30 0.625 put @ 0.06 x 1 fees 0.15 id USDC-4
2026-01-06T00:00:00Z buy 100 option XRP 2026-06-30 0.5 put @ 0.02 x 1 fees 0.15 id USDC-5
2026-01-08T15:00:00Z sell 0.5 crypto BTC_USDT @ 100000 fee "1 XYZ" id USDT-2
2026-01-02T01:00:00Z cash deposit 500 USD "transfer"
2026-01-02T02:00:00Z cash withdrawal -100.25 USD "withdrawal"
2026-01-02T03:00:00Z cash interest -0.2 USD "settlement SOL_USDC-PERPETUAL"
2026-01-02T05:00:00Z cash adjustment 0.75 USD "correction"
2026-01-02T06:00:00Z cash adjustment -0.01 USD "negative_balance_fee"
problem The broker's record is neither a purchase nor a sale.
skipped it moves coins without a trade
skipped it moves coins without a trade
skipped no money moved
`,
		Messages: []string{"Some fills are in BTC", "Some fills are in ETH", "the price do not count as a cost: 1 XYZ", "left out: 0.4999988 BTC"},
		Errors: map[string]providertest.Answer{
			"rate":            refused(10028, "too_many_requests", &remote.RateLimited{}),
			"rate by word":    refused(1, "too_many_requests", &remote.RateLimited{}),
			"settlement":      refused(10041, "settlement_in_progress", remote.ErrUnavailable),
			"maintenance":     refused(11051, "system_maintenance", remote.ErrUnavailable),
			"new code":        refused(1, "system_maintenance", remote.ErrUnavailable),
			"credentials":     refused(13004, "invalid_credentials", remote.ErrUnauthorized),
			"other code":      refused(2, "invalid_credentials", remote.ErrUnauthorized),
			"scope":           refused(13021, "forbidden", remote.ErrForbidden),
			"missing scope":   refused(3, "Missing scope trade:read", remote.ErrForbidden),
			"parameters":      refused(-32602, "Invalid params", remote.ErrRefused),
			"error and 200":   {Status: http.StatusOK, Body: `{"error": {"code": 13888, "message": "timed_out"}}`, Want: remote.ErrUnavailable},
			"no result":       {Status: http.StatusOK, Body: `{"jsonrpc": "2.0"}`, Want: remote.ErrMalformed},
			"no trades":       {Status: http.StatusOK, Body: `{"result": {"access_token": "a", "logs": []}}`, Want: remote.ErrMalformed},
			"no logs":         {Status: http.StatusOK, Body: `{"result": {"access_token": "a", "trades": []}}`, Want: remote.ErrMalformed},
			"nothing to read": {Status: http.StatusOK, Body: `{"result": {"access_token": "a", "trades": [], "logs": []}}`},
		},
	}
}

func TestFills(t *testing.T) {
	providertest.Run(t, func() providertest.FillCase { return newFills(newServer()) })
}

// TestAccountInCoins has an account whose currency is a coin.
func TestAccountInCoins(t *testing.T) {
	t.Parallel()
	c := newFills(newServer())
	c.Query.Currency, c.Query.To = "BTC", start.Add(9*time.Hour)
	got := providertest.Describe(c.MustFetch(t))
	for _, want := range []string{
		"07:00:00Z buy 1000 future BTC-PERPETUAL @ 100000 x 1 fees -0.000001 order_id",
		`08:00:00Z cash interest -0.0000012 BTC "settlement BTC-PERPETUAL"`,
		`00:01:00Z cash deposit 0.5 BTC "deposit"`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
}

func TestPageSizes(t *testing.T) {
	t.Parallel()
	s := newServer()
	for _, s.pageSize = range []int64{4, 1000} {
		newFills(s).TestWindows(t)
	}
	// A page has only one millisecond.
	s.pageSize = 1
	if _, err := newFills(s).Fetch(t, s.ServeHTTP); !errors.Is(err, remote.ErrMalformed) {
		t.Errorf("error %v", err)
	}
}

func TestTokenEndsDuringRun(t *testing.T) {
	t.Parallel()
	s := newServer()
	s.maxCalls = 2
	c := newFills(s)
	c.Expect(t, c.Want, c.Messages...)
	if s.tokens < 5 {
		t.Errorf("%d tokens", s.tokens)
	}
}

// TestOldTimes checks that recent trades are not asked for if the query is older.
func TestOldTimes(t *testing.T) {
	t.Parallel()
	c := newFills(newServer())
	c.Query.To = start.AddDate(0, 0, 1)
	session, client := c.NewSession(t, c.Answer)
	if _, err := c.Connector.Fetch(t.Context(), session, c.Query); err != nil {
		t.Fatal(err)
	}
	asked := 0
	for _, r := range client.Requests {
		asked += strings.Count(r.URL.Path, prefix+userTrades)
	}
	if asked != len(currencies)+1 {
		t.Errorf("%d requests of trades", asked)
	}
}

func TestScopes(t *testing.T) {
	t.Parallel()
	for scope, want := range map[string]string{
		"account:read trade:read wallet:none":                     "",
		"account:read trade:read wallet:read block_trade:read":    "",
		"account:read trade:read_write wallet:none":               "trade",
		"account:read_write trade:read wallet:none":               "trade",
		"account:read trade:read wallet:none invented:read_write": "trade",
		"account:read trade:read wallet:read_write":               "withdraw",
		"account:read trade:read custody:read_write":              "withdraw",
	} {
		s := newServer()
		s.scope = scope
		got := newFills(s).MustCheck(t)
		if got.CanTrade != (want == "trade") || got.CanWithdraw != (want == "withdraw") {
			t.Errorf("%s: %+v", scope, got)
		}
	}
	s := newServer()
	s.scope = "account:read trade:none"
	if _, err := newFills(s).Check(t, s.ServeHTTP); !errors.Is(err, connector.ErrSetup) {
		t.Errorf("a key that cannot read: error %v", err)
	}
	body := result(`{"access_token": "a", "scope": "account:read trade:read"}`)
	if _, err := newFills(s).Check(t, providertest.OK(body)); !errors.Is(err, remote.ErrMalformed) {
		t.Errorf("no account: error %v", err)
	}
}

func TestPlatform(t *testing.T) {
	t.Parallel()
	c := newFills(newServer())
	c.Credentials["environment"] = "test"
	session, client := c.NewSession(t, c.Answer)
	identity, err := c.Connector.Check(t.Context(), session)
	if err != nil || identity.Account != "test 7" {
		t.Errorf("%+v, error %v", identity, err)
	}
	for _, r := range client.Requests {
		if r.URL.Host != "test.deribit.com" {
			t.Errorf("a request to %s", r.URL.Host)
		}
	}
}

// logFile is a Deribit transaction log with records that the test server has.
const logFile = `ID,UserSeq,Date,Instrument,Type,Side,Amount,Base Amount,Position,Price,Mark Price,Index Price,Cash Flow,Funding,Fee Rate,Fee Charged,Fee Balance,Change,Balance,Equity,Trade ID,Order ID,Info,Note
8,8,2026-01-05 00:00:00,SOL_USDC-PERPETUAL,trade,open buy,10,10,10,150,150,150,0,0,0.0005,0.5,0,-0.5,1.1,1.1,USDC-1,,,
7,7,2026-01-04 00:00:00,ETH-PERPETUAL,trade,open buy,1,1,1,3000,3000,3000,0,0,0,0,0,0,1.1,1.1,ETH-34066,,,
6,6,2026-01-03 00:00:00,BTC-PERPETUAL,trade,close sell,400,400,600,101000,101000,101000,0.0000396,0,0.0005,0.00000198,0,0.00003762,1.1,1.1,48004,o4,,
5,5,2026-01-02 07:00:00,BTC-PERPETUAL,trade,open buy,1000,1000,1000,100000,100000,100000,0,0,0.0005,-0.000001,0,0.000001,1.1,1.1,48003,o3,,
4,4,2026-01-02 05:00:00,,correction,,,,,,,,,,,,,0.75,500,500,,,,USDC
3,3,2026-01-02 03:00:00,SOL_USDC-PERPETUAL,settlement,,0,0,10,151,151,151,0,-0.2,,0,0,-0.2,1.1,1.1,,,,
2,2,2026-01-02 02:00:00,BTC-27JUN26-100000-C,trade,close sell,0.5,0.5,0,0.06,0.06,100000,0.03,0,,0.00015,0,0.02985,1.1,1.1,48002,o2,,
1,1,2026-01-02 01:00:00,BTC-27JUN26-100000-C,trade,open buy,0.5,0.5,0.5,0.05,0.05,100000,-0.025,0,,0.00015,0,-0.02515,1.0,1.0,48001,o1,,
`

func TestFileAgrees(t *testing.T) {
	t.Parallel()
	newFills(newServer()).TestFile(t, logFile, 8)
}

func FuzzFills(f *testing.F) { newFills(newServer()).FuzzAnswer(f) }
