package kraken

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
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
	now   = time.Date(2026, 1, 10, 12, 0, 0, 0, time.UTC)
	start = time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
)

var secret = []byte("0123456789abcdef0123456789abcdef")

// item is a record of the server: its id and the rest of its JSON.
type item struct {
	id   string
	at   float64
	rest string
}

// server answers as Kraken is documented to.
type server struct {
	trades, ledger []item
	pageSize       int
	key            string
	nonce          int64
	ends           map[string]bool
}

func newServer() *server {
	s := &server{
		pageSize: 4,
		ends:     map[string]bool{},
		key:      `{"apiKeyName": "Fillbook", "iban": "AA08 N84G CPAR UN7A", "permissions": ["query-closed-trades", "query-ledger"], "validUntil": "0", "queryFrom": "0", "queryTo": "0"}`,
	}
	s.addTrade("TAAAAA-1", 3600.1234, `"pair": "XXBTZUSD", "type": "buy", "price": "60000.0", "vol": "0.1", "fee": "15.6", "trade_id": 1001, "maker": true`)
	s.addTrade("TAAAAA-2", 7200.5, `"pair": "XBT/USD", "type": "sell", "price": "62000.0", "vol": "0.1", "fee": "16.12", "margin": "1240.0", "trade_id": 1002, "maker": false`)
	s.addTrade("TAAAAA-3", 7200.5, `"pair": "XTZUSD", "type": "buy", "price": "0.9", "vol": "100", "fee": "-0.02", "trade_id": 7`)
	s.addTrade("TAAAAA-4", 90000, `"pair": "XXDGXXBT", "type": "buy", "price": "0.000002", "vol": "1000", "fee": "0.000005", "trade_id": 8`)
	// Two parts of one order in one instant; the order of their ids is not that of the trades.
	s.addTrade("TZZZZZ-5", 180000, `"pair": "XBTUSDT", "type": "sell", "price": "61000", "vol": "0.02", "fee": "1", "trade_id": 50`)
	s.addTrade("TBBBBB-6", 180000, `"pair": "XBTUSDT", "type": "sell", "price": "60999", "vol": "0.03", "fee": "1", "trade_id": 51`)
	s.addTrade("TCCCCC-7", 260000.9999, `"pair": "NEWCOINEUR", "type": "buy", "price": "1.5", "vol": "10", "fee": "0", "trade_id": 52`)

	s.addEntry("L1", 1000, `"refid": "Q1", "type": "deposit", "asset": "ZUSD", "amount": "10000.0", "fee": "0.0"`)
	s.addEntry("L2", 3600.1234, `"refid": "TAAAAA-1", "type": "trade", "asset": "ZUSD", "amount": "-6000.0", "fee": "15.6"`)
	s.addEntry("L3", 3600.1234, `"refid": "TAAAAA-1", "type": "trade", "asset": "XXBT", "amount": "0.1", "fee": "0"`)
	s.addEntry("L4", 8000, `"refid": "R1", "type": "rollover", "asset": "ZUSD", "amount": "0.0", "fee": "0.25"`)
	s.addEntry("L5", 9000, `"refid": "M1", "type": "margin", "asset": "ZUSD", "amount": "12.5", "fee": "1.0"`)
	s.addEntry("L6", 10000, `"refid": "S1", "type": "spend", "asset": "ZEUR", "amount": "-99.0", "fee": "1.0"`)
	s.addEntry("L7", 10000, `"refid": "S1", "type": "receive", "asset": "SOL", "amount": "0.5", "fee": "0"`)
	s.addEntry("L8", 20000, `"refid": "S2", "type": "spend", "asset": "SOL", "amount": "-0.25", "fee": "0"`)
	s.addEntry("L9", 20000, `"refid": "S2", "type": "receive", "asset": "USDT", "amount": "50", "fee": "0"`)
	s.addEntry("LA", 30000, `"refid": "K1", "type": "staking", "asset": "DOT.S", "amount": "0.005", "fee": "0"`)
	s.addEntry("LB", 40000, `"refid": "W1", "type": "withdrawal", "asset": "ZUSD", "amount": "-1000.0", "fee": "5.0"`)
	s.addEntry("LC", 50000, `"refid": "X1", "type": "transfer", "subtype": "spottostaking", "asset": "DOT", "amount": "-1.0", "fee": "0"`)
	s.addEntry("LD", 60000, `"refid": "X2", "type": "transfer", "asset": "ZUSD", "amount": "3", "fee": "0"`)
	s.addEntry("LE", 70000, `"refid": "E1", "type": "earn", "subtype": "reward", "asset": "USDC", "amount": "0.1", "fee": "0"`)
	s.addEntry("LF", 80000, `"refid": "S3", "type": "spend", "asset": "ZUSD", "amount": "-10", "fee": "0"`)
	s.addEntry("LG", 90000, `"refid": "N1", "type": "something new", "asset": "ZUSD", "amount": "1", "fee": "0"`)
	s.addEntry("LH", 95000, `"refid": "E2", "type": "earn", "subtype": "autoallocation", "asset": "DOT", "amount": "-1", "fee": "0"`)
	return s
}

func (s *server) addTrade(id string, after float64, rest string) {
	s.trades = append(s.trades, item{id, float64(start.Unix()) + after, `"ordertxid": "O-1", "ordertype": "limit", ` + rest})
}

func (s *server) addEntry(id string, after float64, rest string) {
	s.ledger = append(s.ledger, item{id, float64(start.Unix()) + after, rest})
}

func (s *server) answer(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	form, _ := url.ParseQuery(string(body))
	if problem := s.checkRequest(r, string(body), form); problem != "" {
		fmt.Fprintf(w, `{"error": [%q]}`, problem)
		return
	}
	switch r.URL.Path {
	case "/0/private/GetApiKeyInfo":
		fmt.Fprintf(w, `{"error": [], "result": %s}`, s.key)
	case "/0/private/TradesHistory":
		if form.Get("consolidate_taker") != "false" {
			fmt.Fprint(w, `{"error": ["EGeneral:Invalid arguments:consolidate_taker"]}`)
			return
		}
		s.sendPage(w, form, "trades", s.trades)
	case "/0/private/Ledgers":
		s.sendPage(w, form, "ledger", s.ledger)
	default:
		fmt.Fprint(w, `{"error": ["EGeneral:Unknown method"]}`)
	}
}

func (s *server) checkRequest(r *http.Request, body string, form url.Values) string {
	nonce, err := strconv.ParseInt(form.Get("nonce"), 10, 64)
	if err != nil || nonce <= s.nonce && nonce != now.UnixNano() { // a session of a test begins
		return "EAPI:Invalid nonce"
	}
	s.nonce = nonce
	digest := sha256.Sum256([]byte(form.Get("nonce") + body))
	mac := hmac.New(sha512.New, secret)
	mac.Write(append([]byte(r.URL.Path), digest[:]...))
	switch {
	case r.Header.Get("API-Key") != connectortest.Secret:
		return "EAPI:Invalid key"
	case r.Header.Get("API-Sign") != base64.StdEncoding.EncodeToString(mac.Sum(nil)):
		return "EAPI:Invalid signature"
	}
	return ""
}

// sendPage sends the page at an offset, the newest record first.
func (s *server) sendPage(w io.Writer, form url.Values, name string, all []item) {
	from, _ := strconv.ParseFloat(form.Get("start"), 64)
	to, _ := strconv.ParseFloat(form.Get("end"), 64)
	offset, _ := strconv.Atoi(form.Get("ofs"))
	s.ends[form.Get("end")] = true
	var list []item
	for _, i := range all {
		if i.at > from && i.at <= to {
			list = append(list, i)
		}
	}
	slices.SortStableFunc(list, func(a, b item) int { return cmp.Compare(b.at, a.at) })
	var page []string
	for _, i := range list[min(offset, len(list)):min(offset+s.pageSize, len(list))] {
		page = append(page, fmt.Sprintf(`%q: {"time": %.4f, %s}`, i.id, i.at, i.rest))
	}
	fmt.Fprintf(w, `{"error": [], "result": {"count": %d, %q: {%s}}}`, len(list), name, strings.Join(page, ", "))
}

func newCase(s *server) connectortest.Case {
	return connectortest.Case{
		Connector:   New(),
		Credentials: map[string]string{"api_key": connectortest.Secret, "api_secret": base64.StdEncoding.EncodeToString(secret)},
		Query:       connector.Query{From: start, To: start.AddDate(0, 0, 7), Currency: "USD"},
		Now:         now,
		Answer:      s.answer,
	}
}

const wantHistory = `2026-01-02T01:00:00.1234Z buy 0.1 crypto BTC/USD @ 60000 fees 15.6 liquidity "maker" order_id "O-1" id TAAAAA-1
2026-01-02T02:00:00.5Z buy 100 crypto XTZ/USD @ 0.9 fees -0.02 order_id "O-1" id TAAAAA-3
2026-01-02T02:00:00.5Z sell 0.1 crypto BTC/USD @ 62000 fees 16.12 liquidity "taker" margin "1240.0 USD" order_id "O-1" id TAAAAA-2
2026-01-02T02:46:40Z buy 0.5 crypto SOL/EUR @ 198 fees 1 currency "EUR" id S1
2026-01-02T05:33:20Z sell 0.25 crypto SOL/USDT @ 200 id S2
2026-01-03T01:00:00Z buy 1000 crypto DOGE/BTC @ 0.000002 fees 0.000005 currency "BTC" order_id "O-1" id TAAAAA-4
2026-01-04T02:00:00Z sell 0.02 crypto BTC/USDT @ 61000 fees 1 order_id "O-1" id TZZZZZ-5
2026-01-04T02:00:00Z sell 0.03 crypto BTC/USDT @ 60999 fees 1 order_id "O-1" id TBBBBB-6
2026-01-05T00:13:20.9999Z buy 10 crypto NEWCOIN/EUR @ 1.5 currency "EUR" order_id "O-1" id TCCCCC-7
2026-01-02T00:16:40Z cash deposit 10000 USD "deposit"
2026-01-02T02:13:20Z cash fee -0.25 USD "rollover"
2026-01-02T11:06:40Z cash withdrawal -1005 USD "withdrawal"
2026-01-02T16:40:00Z cash adjustment 3 USD "transfer"
2026-01-02T19:26:40Z cash interest 0.1 USD "earn"
problem The other side of this trade in USD is missing.
skipped it moves coins between the owner's own wallets
skipped it moves coins between the owner's own wallets
skipped it moves coins without a trade
skipped it moves coins without a trade
skipped results and fees of contracts come with their fills
`

func TestFetchHistory(t *testing.T) {
	t.Parallel()
	s := newServer()
	got := newCase(s).MustFetch(t)
	if text := connectortest.Describe(got); text != wantHistory {
		t.Errorf("got\n%swant\n%s", text, wantHistory)
	}
	const want = "Some fills are in EUR, the account is in USD: their amounts were taken as they are.\n" +
		"Some fills are in BTC, the account is in USD: their amounts were taken as they are.\n" +
		"Coins that moved without a trade were left out: 0.005 DOT. If they changed a position, enter the change by hand."
	if text := sortLines(connectortest.Messages(got)); text != sortLines(want) {
		t.Errorf("messages\n%s", text)
	}
	if len(s.ends) != 1 {
		t.Errorf("the pages end at %v", s.ends)
	}
}

func sortLines(text string) string {
	lines := strings.Split(text, "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func TestWindows(t *testing.T) {
	t.Parallel()
	for _, size := range []int{2, 3, 5, 50} {
		s := newServer()
		s.pageSize = size
		newCase(s).TestWindows(t)
	}
}

// TestPageShift adds a trade after each request, which Kraken sends before the others.
func TestPageShift(t *testing.T) {
	t.Parallel()
	s := newServer()
	c := newCase(s)
	c.Query.To = start.AddDate(0, 0, 3).Add(time.Hour)
	inner := c.Answer
	want := connectortest.Describe(c.MustFetch(t))
	c.Answer = func(w http.ResponseWriter, r *http.Request) {
		inner(w, r)
		s.addTrade(fmt.Sprint("NEW-", len(s.trades)), 3*86400+7200, `"pair": "XXBTZUSD", "type": "buy", "price": "1", "vol": "1", "fee": "0"`)
	}
	if got := connectortest.Describe(c.MustFetch(t)); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestPace fetches many pages of a key whose counter is at most 15 and sinks by 20 in a
// minute.
func TestPace(t *testing.T) {
	t.Parallel()
	s := newServer()
	s.pageSize = 1
	newCase(s).TestPace(t, &connectortest.Meter{
		PerMinute: map[string]int{"counter": 35},
		Weights:   map[string]map[string]int{"/0/private/GetApiKeyInfo": {"counter": 1}, "/0/private/TradesHistory": {"counter": 2}, "/0/private/Ledgers": {"counter": 2}},
		Refuse:    func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"error": ["EAPI:Rate limit exceeded"]}`) },
	})
}

func TestUnreadableRecords(t *testing.T) {
	t.Parallel()
	s := &server{pageSize: 50, ends: map[string]bool{}}
	for i, rest := range []string{
		`"pair": "XXBTZUSD", "type": "lend", "price": "1", "vol": "1"`,
		`"pair": "XXBTZUSD", "type": "buy", "vol": "1"`,
		`"pair": "XXBTZUSD", "type": "buy", "price": "much", "vol": "1"`,
		`"pair": "XXBTZUSD", "type": "buy", "price": "1", "vol": "-1"`,
		`"type": "buy", "price": "1", "vol": "1"`,
	} {
		s.addTrade(fmt.Sprint("T", i), float64(i), rest)
	}
	s.addEntry("L1", 5, `"refid": "Q1", "type": "deposit", "asset": "ZUSD"`)
	const want = `problem The broker's record has a price that is not a number.
problem The broker's record has a quantity that is not positive.
problem The broker's record has no amount.
problem The broker's record has no pair.
problem The broker's record has no price.
problem The broker's record is neither a purchase nor a sale.
`
	if got := connectortest.Describe(newCase(s).MustFetch(t)); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	const read = `"query-closed-trades", "query-ledger", "query-funds", "export-data", "create-ws-token"`
	for permissions, want := range map[string]string{
		read:                              "",
		read + `, "modify-trades"`:        "trade",
		read + `, "earn-funds"`:           "trade",
		read + `, "not-yet-invented"`:     "trade",
		read + `, "withdraw-funds"`:       "withdraw",
		read + `, "add-withdraw-address"`: "withdraw",
	} {
		s := newServer()
		s.key = `{"iban": "AA08", "validUntil": "1772323200", "queryFrom": 1767225600, "queryTo": "1769904000", "permissions": [` + permissions + `]}`
		got := newCase(s).MustCheck(t)
		if got.CanTrade != (want == "trade") || got.CanWithdraw != (want == "withdraw") || got.Account != "AA08" {
			t.Errorf("%s: %+v", permissions, got)
		}
		if got.ExpiresAt.Format(time.DateOnly) != "2026-03-01" || len(got.Notes) != 2 || !strings.Contains(got.Notes[0], "2026-01-01") || !strings.Contains(got.Notes[1], "2026-02-01") {
			t.Errorf("expires %s, notes %q", got.ExpiresAt, got.Notes)
		}
	}
	if got := newCase(newServer()).MustCheck(t); !got.ExpiresAt.IsZero() || len(got.Notes) != 0 {
		t.Errorf("a key without dates: %+v", got)
	}
	if _, err := newCase(newServer()).Check(t, remotetest.Reply(http.StatusOK, `{"error": [], "result": {}}`)); !errors.Is(err, remote.ErrMalformed) {
		t.Errorf("no permissions: error %v", err)
	}
}

// TestSign checks the signature against a value that was computed by hand.
func TestSign(t *testing.T) {
	t.Parallel()
	const want = "8yLp4mJGwqja1B2Wbqk5TN6IRLk+ZNd3XM7GZZuqNXmgmxdZQwMFmijGOS+X6LSrVFBswCvuTHTKz9y5Uc08+w=="
	if got := sign(secret, "/0/private/TradesHistory", "1767323045678", []byte("nonce=1767323045678&ofs=0&start=1767225600")); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	refuse := func(text string, want error) connectortest.Answer {
		return connectortest.Answer{Status: http.StatusOK, Body: fmt.Sprintf(`{"error": [%q]}`, text), Want: want}
	}
	newCase(newServer()).TestAnswers(t, map[string]connectortest.Answer{
		"rate":      refuse("EAPI:Rate limit exceeded", &remote.RateLimited{RetryAfter: pause}),
		"throttled": refuse(fmt.Sprint("EService: Throttled: ", now.Add(20*time.Second).Unix()), &remote.RateLimited{RetryAfter: 20 * time.Second}),
		"no time":   refuse("EService: Throttled", &remote.RateLimited{RetryAfter: pause}),
		"lockout":   refuse("EGeneral:Temporary lockout", &remote.RateLimited{RetryAfter: lockout, IsBanned: true}),
		"busy":      refuse("EService:Busy", remote.ErrUnavailable),
		"internal":  refuse("EGeneral:Internal error", remote.ErrUnavailable),
		"down":      {Status: 520, Body: "<html>", Want: remote.ErrUnavailable},
		"key":       refuse("EAPI:Invalid key", remote.ErrUnauthorized),
		"signature": refuse("EAPI:Invalid signature", remote.ErrUnauthorized),
		"rights":    refuse("EGeneral:Permission denied", remote.ErrForbidden),
		"nonce":     refuse("EAPI:Invalid nonce", connector.ErrSetup),
		"other":     refuse("EGeneral:Invalid arguments", remote.ErrRefused),
		"warning":   {Status: http.StatusOK, Body: `{"error": ["WGeneral:Danger"], "result": {"count": 0, "trades": {}, "ledger": {}}}`},
		"no result": {Status: http.StatusOK, Body: `{"error": []}`, Want: remote.ErrMalformed},
		"no trades": {Status: http.StatusOK, Body: `{"error": [], "result": {"count": 0, "ledger": {}}}`, Want: remote.ErrMalformed},
		"no ledger": {Status: http.StatusOK, Body: `{"error": [], "result": {"count": 0, "trades": {}}}`, Want: remote.ErrMalformed},
	})
	refused := 0
	c := newCase(newServer())
	identity, err := c.Check(t, func(w http.ResponseWriter, r *http.Request) {
		if refused++; refused == 1 {
			_, _ = io.WriteString(w, `{"error": ["EAPI:Invalid nonce"]}`)
			return
		}
		c.Answer(w, r)
	})
	if err != nil || identity.Account == "" || refused != 2 {
		t.Errorf("after one wrong nonce: %+v, error %v, %d requests", identity, err, refused)
	}
	c.Credentials["api_secret"] = "not base64"
	if _, err := c.Check(t, c.Answer); !errors.Is(err, connector.ErrSetup) {
		t.Errorf("a wrong secret: error %v", err)
	}
}

func TestConnector(t *testing.T) {
	t.Parallel()
	newCase(newServer()).TestDescription(t)
	newCase(newServer()).TestFaults(t)
}

func FuzzAnswer(f *testing.F) { newCase(newServer()).FuzzAnswer(f) }
