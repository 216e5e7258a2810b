package deribit

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"fillbook/internal/base/remote"
	"fillbook/internal/base/remote/remotetest"
	"fillbook/internal/intake/connector"
	"fillbook/internal/providers/connectortest"
)

var (
	now   = time.Date(2026, 1, 9, 0, 0, 30, 0, time.UTC)
	start = time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
)

// item is a record of the server.
type item struct {
	currency string
	millis   int64
	text     string
}

// server answers as Deribit is documented to.
type server struct {
	trades, logs []item
	pageSize     int
	scope        string
	// tokens counts those that were given, and calls how often the last one was used. It
	// ends after maxCalls, if that is not 0.
	tokens, calls, maxCalls int
	seen                    []string
}

func newServer() *server {
	s := &server{pageSize: 3, scope: "account:read trade:read wallet:none connection mainaccount"}
	const day = 24 * time.Hour
	s.addTrade("BTC", "48001", time.Hour, `"instrument_name": "BTC-27JUN26-100000-C", "direction": "buy", "price": 0.05, "amount": 0.5, "fee": 0.00015, "fee_currency": "BTC", "profit_loss": 0.0, "order_id": "o1", "liquidity": "T"`)
	s.addTrade("BTC", "48002", 2*time.Hour, `"instrument_name": "BTC-27JUN26-100000-C", "direction": "sell", "price": 0.06, "amount": 0.5, "fee": 0.00015, "fee_currency": "BTC", "profit_loss": 0.005, "order_id": "o2", "liquidity": "M"`)
	s.addTrade("BTC", "48003", 7*time.Hour, `"instrument_name": "BTC-PERPETUAL", "direction": "buy", "price": 100000, "amount": 1000, "fee": -0.000001, "fee_currency": "BTC", "order_id": "o3"`)
	// Two of one millisecond, which a page may separate.
	s.addTrade("BTC", "48005", day, `"trade_seq": 12, "instrument_name": "BTC-PERPETUAL", "direction": "sell", "price": 101000.5, "amount": 600, "fee": 0.00000297, "fee_currency": "BTC", "profit_loss": 0.0000594, "order_id": "o4"`)
	s.addTrade("BTC", "48004", day, `"trade_seq": 11, "instrument_name": "BTC-PERPETUAL", "direction": "sell", "price": 101000, "amount": 400, "fee": 0.00000198, "fee_currency": "BTC", "profit_loss": 0.0000396, "order_id": "o4", "liquidation": "T"`)
	s.addTrade("ETH", "48001", 2*day, `"instrument_name": "ETH-26JUN26", "direction": "buy", "price": 3000, "amount": 300, "fee": 0.00005, "fee_currency": "ETH"`)
	s.addTrade("ETH", "ETH-34066", 2*day, `"instrument_name": "ETH-PERPETUAL", "direction": "buy", "price": 3000, "amount": 1, "fee": 0, "fee_currency": "ETH"`)
	s.addTrade("USDC", "USDC-1", 3*day, `"instrument_name": "SOL_USDC-PERPETUAL", "direction": "buy", "price": 150, "amount": 10, "fee": 0.5, "fee_currency": "USDC", "profit_loss": 0.0`)
	s.addTrade("USDC", "USDC-2", 3*day+time.Second, `"instrument_name": "BTC_USDC", "direction": "buy", "price": 100000, "amount": 0.01, "fee": 0.00001, "fee_currency": "BTC"`)
	// A combination and its legs, one of which is in the list too.
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
	s.trades = append(s.trades, item{currency, start.Add(after).UnixMilli(), formatTrade(id, after, rest)})
}

func (s *server) addLog(currency string, after time.Duration, rest string) {
	at := start.Add(after).UnixMilli()
	s.logs = append(s.logs, item{currency, at, fmt.Sprintf(`{"id": %d, "user_id": 7, "currency": %q, "timestamp": %d, %s}`, len(s.logs)+1, currency, at, rest)})
}

func (s *server) answer(w http.ResponseWriter, r *http.Request) {
	s.seen = append(s.seen, r.URL.Path)
	if r.URL.Path == "/api/v2/public/auth" {
		s.sendToken(w, r)
		return
	}
	s.calls++
	if r.Header.Get("Authorization") != fmt.Sprintf("Bearer token-%d %s", s.tokens, readScope) || s.maxCalls > 0 && s.calls > s.maxCalls {
		refuse(w, 13009, "unauthorized")
		return
	}
	switch r.URL.Path {
	case "/api/v2/private/get_account_summary":
		writeResult(w, `{"id": 7, "username": "trader", "currency": "BTC", "equity": 1.5}`)
	case "/api/v2/private/get_user_trades_by_currency_and_time":
		s.sendTrades(w, r)
	case "/api/v2/private/get_transaction_log":
		s.sendLogs(w, r)
	}
}

func writeResult(w io.Writer, result string) {
	fmt.Fprintf(w, `{"jsonrpc": "2.0", "result": %s}`, result)
}

func refuse(w http.ResponseWriter, code int, message string) {
	w.WriteHeader(http.StatusBadRequest)
	fmt.Fprintf(w, `{"jsonrpc": "2.0", "error": {"code": %d, "message": %q}}`, code, message)
}

// sendToken sends a token, which has its scope in its name.
func (s *server) sendToken(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Method string            `json:"method"`
		Params map[string]string `json:"params"`
	}
	if json.NewDecoder(r.Body).Decode(&body) != nil || body.Method != "public/auth" || body.Params["grant_type"] != "client_credentials" ||
		body.Params["client_id"] != "client" || body.Params["client_secret"] != connectortest.Secret {
		refuse(w, 13004, "invalid_credentials")
		return
	}
	s.tokens++
	s.calls = 0
	scope := body.Params["scope"]
	token, _ := json.Marshal(map[string]any{
		"access_token": fmt.Sprintf("token-%d %s", s.tokens, scope), "refresh_token": "refresh", "expires_in": 900, "scope": scope,
	})
	if scope == "" {
		token, _ = json.Marshal(map[string]any{"access_token": "wide", "refresh_token": "refresh", "scope": s.scope})
	}
	writeResult(w, string(token))
}

// selectItems returns the items of the currency and the time of a request.
func selectItems(all []item, r *http.Request) (list []item) {
	from, _ := strconv.ParseInt(r.FormValue("start_timestamp"), 10, 64)
	to, _ := strconv.ParseInt(r.FormValue("end_timestamp"), 10, 64)
	for _, i := range all {
		if i.currency == r.FormValue("currency") && i.millis >= from && i.millis <= to {
			list = append(list, i)
		}
	}
	return list
}

// sendTrades sends trades of the last day, or older ones.
func (s *server) sendTrades(w http.ResponseWriter, r *http.Request) {
	count, _ := strconv.Atoi(r.FormValue("count"))
	if r.FormValue("sorting") != "asc" || count > 1000 {
		refuse(w, -32602, "Invalid params")
		return
	}
	list := slices.DeleteFunc(selectItems(s.trades, r), func(i item) bool {
		isRecent := i.millis > now.Add(-24*time.Hour).UnixMilli()
		return isRecent == (r.FormValue("historical") == "true")
	})
	size := min(count, s.pageSize, len(list))
	writeResult(w, fmt.Sprintf(`{"has_more": %v, "trades": [%s]}`, size < len(list), joinItems(list[:size])))
}

// sendLogs sends the log, the newest first. A continuation is how many were sent.
func (s *server) sendLogs(w http.ResponseWriter, r *http.Request) {
	list := selectItems(s.logs, r)
	slices.Reverse(list)
	first, _ := strconv.Atoi(r.FormValue("continuation"))
	last := min(first+s.pageSize, len(list))
	continuation := "null"
	if last < len(list) {
		continuation = strconv.Itoa(last)
	}
	writeResult(w, fmt.Sprintf(`{"continuation": %s, "logs": [%s]}`, continuation, joinItems(list[min(first, last):last])))
}

func joinItems(list []item) string {
	var texts []string
	for _, i := range list {
		texts = append(texts, i.text)
	}
	return strings.Join(texts, ", ")
}

func newCase(s *server) connectortest.Case {
	return connectortest.Case{
		Connector:   New(),
		Credentials: map[string]string{"api_key": "client", "api_secret": connectortest.Secret},
		Query:       connector.Query{From: start, To: start.AddDate(0, 0, 7), Currency: "USD"},
		Now:         now,
		Answer:      s.answer,
	}
}

const wantHistory = `2026-01-02T01:00:00Z buy 0.5 option BTC 2026-06-27 100000 call @ 0.05 x 1 fees 0.00015 currency "BTC" liquidity "taker" order_id "o1" id 48001
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
`

func TestFetchHistory(t *testing.T) {
	t.Parallel()
	got := newCase(newServer()).MustFetch(t)
	if text := connectortest.Describe(got); text != wantHistory {
		t.Errorf("got\n%swant\n%s", text, wantHistory)
	}
	messages := connectortest.Messages(got)
	for _, want := range []string{"Some fills are in BTC", "Some fills are in ETH", "the price do not count as a cost: 1 XYZ", "left out: 0.4999988 BTC"} {
		if !strings.Contains(messages, want) {
			t.Errorf("%q is not in the messages\n%s", want, messages)
		}
	}
}

// TestAccountInCoins has an account whose currency is a coin.
func TestAccountInCoins(t *testing.T) {
	t.Parallel()
	c := newCase(newServer())
	c.Query.Currency, c.Query.To = "BTC", start.Add(9*time.Hour)
	got := connectortest.Describe(c.MustFetch(t))
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

func TestWindows(t *testing.T) {
	t.Parallel()
	for _, size := range []int{3, 4, 1000} {
		s := newServer()
		s.pageSize = size
		newCase(s).TestWindows(t)
	}
}

func TestSameMillisecondFillsPage(t *testing.T) {
	t.Parallel()
	s := newServer()
	s.pageSize = 1
	if _, err := newCase(s).Fetch(t, s.answer); !errors.Is(err, remote.ErrMalformed) {
		t.Errorf("error %v", err)
	}
}

func TestTokenEndsDuringRun(t *testing.T) {
	t.Parallel()
	s := newServer()
	s.maxCalls = 2
	if got := connectortest.Describe(newCase(s).MustFetch(t)); got != wantHistory || s.tokens < 5 {
		t.Errorf("%d tokens, got\n%s", s.tokens, got)
	}
}

// TestOldTimes checks that recent trades are not asked for if the query is older.
func TestOldTimes(t *testing.T) {
	t.Parallel()
	s := newServer()
	c := newCase(s)
	c.Query.To = start.AddDate(0, 0, 1)
	c.MustFetch(t)
	counts := map[string]int{}
	for _, path := range s.seen {
		counts[path]++
	}
	if got := counts[prefix+userTrades]; got != len(currencies)+1 {
		t.Errorf("%d requests of trades", got)
	}
}

func TestCheck(t *testing.T) {
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
		got := newCase(s).MustCheck(t)
		if got.CanTrade != (want == "trade") || got.CanWithdraw != (want == "withdraw") || got.Account != "live 7" || got.Name != "trader (live)" {
			t.Errorf("%s: %+v", scope, got)
		}
	}
	s := newServer()
	s.scope = "account:read trade:none"
	if _, err := newCase(s).Check(t, s.answer); !errors.Is(err, connector.ErrSetup) {
		t.Errorf("a key that cannot read: error %v", err)
	}
	for _, result := range []string{`{"access_token": ""}`, `{"access_token": "a", "scope": "account:read trade:read"}`, `7`} {
		if _, err := newCase(s).Check(t, remotetest.Reply(http.StatusOK, `{"result": `+result+`}`)); !errors.Is(err, remote.ErrMalformed) {
			t.Errorf("%s: error %v", result, err)
		}
	}
}

func TestPlatforms(t *testing.T) {
	t.Parallel()
	c := newCase(newServer())
	c.Credentials["environment"] = "test"
	var got []string
	identity, err := c.Check(t, func(w http.ResponseWriter, r *http.Request) {
		got = append(got, r.Host)
		c.Answer(w, r)
	})
	if err != nil || identity.Account != "test 7" || slices.ContainsFunc(got, func(host string) bool { return host != "test.deribit.com" }) {
		t.Errorf("%+v, error %v, hosts %q", identity, err, got)
	}
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	answer := func(code int, message string, want error) connectortest.Answer {
		return connectortest.Answer{
			Status: http.StatusBadRequest, Want: want,
			Body: fmt.Sprintf(`{"jsonrpc": "2.0", "error": {"code": %d, "message": %q, "data": {"reason": "x"}}}`, code, message),
		}
	}
	newCase(newServer()).TestAnswers(t, map[string]connectortest.Answer{
		"rate":            answer(10028, "too_many_requests", &remote.RateLimited{}),
		"rate by word":    answer(1, "too_many_requests", &remote.RateLimited{}),
		"settlement":      answer(10041, "settlement_in_progress", remote.ErrUnavailable),
		"maintenance":     answer(11051, "system_maintenance", remote.ErrUnavailable),
		"new code":        answer(1, "system_maintenance", remote.ErrUnavailable),
		"credentials":     answer(13004, "invalid_credentials", remote.ErrUnauthorized),
		"other code":      answer(2, "invalid_credentials", remote.ErrUnauthorized),
		"scope":           answer(13021, "forbidden", remote.ErrForbidden),
		"missing scope":   answer(3, "Missing scope trade:read", remote.ErrForbidden),
		"parameters":      answer(-32602, "Invalid params", remote.ErrRefused),
		"error and 200":   {Status: http.StatusOK, Body: `{"error": {"code": 13888, "message": "timed_out"}}`, Want: remote.ErrUnavailable},
		"no result":       {Status: http.StatusOK, Body: `{"jsonrpc": "2.0"}`, Want: remote.ErrMalformed},
		"no trades":       {Status: http.StatusOK, Body: `{"result": {"access_token": "a", "logs": []}}`, Want: remote.ErrMalformed},
		"no logs":         {Status: http.StatusOK, Body: `{"result": {"access_token": "a", "trades": []}}`, Want: remote.ErrMalformed},
		"nothing to read": {Status: http.StatusOK, Body: `{"result": {"access_token": "a", "trades": [], "logs": []}}`},
	})
}

func TestConnector(t *testing.T) {
	t.Parallel()
	newCase(newServer()).TestDescription(t)
	newCase(newServer()).TestFaults(t)
}

func FuzzAnswer(f *testing.F) { newCase(newServer()).FuzzAnswer(f) }
