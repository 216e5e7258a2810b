package kraken

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"fillbook/internal/base/remote"
	"fillbook/internal/intake/connector"
	"fillbook/internal/providers/providertest"
)

var (
	now   = time.Date(2026, 1, 10, 12, 0, 0, 0, time.UTC)
	start = time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
)

var secret = []byte("0123456789abcdef0123456789abcdef")

// nonces checks that each nonce is higher than the one before.
type nonces struct{ last int64 }

func (n *nonces) accepts(text string) bool {
	nonce, err := strconv.ParseInt(text, 10, 64)
	if err != nil || nonce <= n.last && nonce != now.UnixNano() { // a test session begins
		return false
	}
	n.last = nonce
	return true
}

// computeSignature returns a request's signature; see sign.
func computeSignature(path, text string) string {
	digest := sha256.Sum256([]byte(text))
	mac := hmac.New(sha512.New, secret)
	mac.Write(append([]byte(path), digest[:]...))
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// item is a server record: its id and the rest as JSON.
type item struct {
	id   string
	at   float64
	rest string
}

// server answers as Kraken is documented to.
type server struct {
	providertest.Server
	nonces
	trades, ledger []item
	pageSize       int
	ends           map[string]bool
}

func refusal(text string) string { return fmt.Sprintf(`{"error": [%q]}`, text) }

func newEmptyServer() *server {
	s := &server{pageSize: 4, ends: map[string]bool{}}
	s.Private = providertest.Routes{
		"/0/private/GetApiKeyInfo": providertest.Static(`{"error": [], "result": {"apiKeyName": "Fillbook", "iban": "AA08 N84G CPAR UN7A",
			"permissions": ["query-closed-trades", "query-ledger"], "validUntil": "0", "queryFrom": "0", "queryTo": "0"}}`),
		"/0/private/TradesHistory": func(q url.Values) http.HandlerFunc {
			if q.Get("consolidate_taker") != "false" {
				return providertest.OK(refusal("EGeneral:Invalid arguments:consolidate_taker"))
			}
			return s.sendPage(q, "trades", s.trades)
		},
		"/0/private/Ledgers": func(q url.Values) http.HandlerFunc { return s.sendPage(q, "ledger", s.ledger) },
	}
	s.Unknown = providertest.OK(refusal("EGeneral:Unknown method"))
	s.Verify = func(r *http.Request, body string) http.HandlerFunc {
		form, _ := url.ParseQuery(body)
		switch {
		case !s.accepts(form.Get("nonce")):
			return providertest.OK(refusal("EAPI:Invalid nonce"))
		case r.Header.Get("API-Key") != providertest.Secret:
			return providertest.OK(refusal("EAPI:Invalid key"))
		case r.Header.Get("API-Sign") != computeSignature(r.URL.Path, form.Get("nonce")+body):
			return providertest.OK(refusal("EAPI:Invalid signature"))
		}
		return nil
	}
	return s
}

func newServer() *server {
	s := newEmptyServer()
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

// sendPage sends the page at an offset, the newest record first.
func (s *server) sendPage(q url.Values, name string, all []item) http.HandlerFunc {
	from, _ := strconv.ParseFloat(q.Get("start"), 64)
	to, _ := strconv.ParseFloat(q.Get("end"), 64)
	offset := int(providertest.Int(q, "ofs"))
	s.ends[q.Get("end")] = true
	list := slices.DeleteFunc(slices.Clone(all), func(i item) bool { return i.at <= from || i.at > to })
	slices.SortStableFunc(list, func(a, b item) int { return cmp.Compare(b.at, a.at) })
	var page []string
	for _, i := range list[min(offset, len(list)):min(offset+s.pageSize, len(list))] {
		page = append(page, fmt.Sprintf(`%q: {"time": %.4f, %s}`, i.id, i.at, i.rest))
	}
	return providertest.OK(fmt.Sprintf(`{"error": [], "result": {"count": %d, %q: {%s}}}`, len(list), name, strings.Join(page, ", ")))
}

// newKeys returns permissions of keys with dates and what they mean.
func newKeys() map[string]providertest.Key {
	keys := map[string]providertest.Key{`{"error": [], "result": {}}`: {Err: remote.ErrMalformed}}
	for permission, who := range map[string]connector.Identity{
		"query-funds": {}, "modify-trades": {CanTrade: true}, "earn-funds": {CanTrade: true}, "not-yet-invented": {CanTrade: true},
		"withdraw-funds": {CanWithdraw: true}, "add-withdraw-address": {CanWithdraw: true},
	} {
		who.Account, who.Name, who.ExpiresAt = "AA08", "AA08", time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
		who.Notes = []string{
			"The key reads nothing before 2026-01-01. Remove the date at Kraken to get everything.",
			"The key reads nothing after 2026-02-01. Remove the date at Kraken to get everything.",
		}
		keys[fmt.Sprintf(`{"error": [], "result": {"iban": "AA08", "validUntil": "1772323200", "queryFrom": 1767225600, "queryTo": "1769904000",
			"permissions": ["query-closed-trades", "query-ledger", "export-data", "create-ws-token", %q]}}`, permission)] = providertest.Key{Identity: who}
	}
	return keys
}

func newFills(s *server) providertest.FillCase {
	refused := func(text string, want error) providertest.Answer {
		return providertest.Answer{Status: http.StatusOK, Body: refusal(text), Want: want}
	}
	return providertest.FillCase{
		Connector:   Fills(),
		Credentials: map[string]string{"api_key": providertest.Secret, "api_secret": base64.StdEncoding.EncodeToString(secret)},
		Query:       connector.Query{From: start, To: start.AddDate(0, 0, 7), Currency: "USD"},
		Now:         now,
		Answer:      s.ServeHTTP,
		Identity:    connector.Identity{Account: "AA08 N84G CPAR UN7A", Name: "AA08 N84G CPAR UN7A"},
		KeyPath:     "/0/private/GetApiKeyInfo",
		Keys:        newKeys(),
		Want: `2026-01-02T01:00:00.1234Z buy 0.1 crypto BTC/USD @ 60000 fees 15.6 liquidity "maker" order_id "O-1" id TAAAAA-1
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
`,
		Messages: []string{
			"Some fills are in EUR, the account is in USD: their amounts were taken as they are.",
			"Some fills are in BTC, the account is in USD: their amounts were taken as they are.",
			"Coins that moved without a trade were left out: 0.005 DOT. If they changed a position, enter the change by hand.",
		},
		Errors: map[string]providertest.Answer{
			"rate":      refused("EAPI:Rate limit exceeded", &remote.RateLimited{RetryAfter: pause}),
			"throttled": refused(fmt.Sprint("EService: Throttled: ", now.Add(20*time.Second).Unix()), &remote.RateLimited{RetryAfter: 20 * time.Second}),
			"no time":   refused("EService: Throttled", &remote.RateLimited{RetryAfter: pause}),
			"lockout":   refused("EGeneral:Temporary lockout", &remote.RateLimited{RetryAfter: lockout, IsBanned: true}),
			"busy":      refused("EService:Busy", remote.ErrUnavailable),
			"internal":  refused("EGeneral:Internal error", remote.ErrUnavailable),
			"down":      {Status: 520, Body: "<html>", Want: remote.ErrUnavailable},
			"key":       refused("EAPI:Invalid key", remote.ErrUnauthorized),
			"signature": refused("EAPI:Invalid signature", remote.ErrUnauthorized),
			"rights":    refused("EGeneral:Permission denied", remote.ErrForbidden),
			"nonce":     refused("EAPI:Invalid nonce", connector.ErrSetup),
			"other":     refused("EGeneral:Invalid arguments", remote.ErrRefused),
			"warning":   {Status: http.StatusOK, Body: `{"error": ["WGeneral:Danger"], "result": {"count": 0, "trades": {}, "ledger": {}}}`},
			"no result": {Status: http.StatusOK, Body: `{"error": []}`, Want: remote.ErrMalformed},
			"no trades": {Status: http.StatusOK, Body: `{"error": [], "result": {"count": 0, "ledger": {}}}`, Want: remote.ErrMalformed},
			"no ledger": {Status: http.StatusOK, Body: `{"error": [], "result": {"count": 0, "trades": {}}}`, Want: remote.ErrMalformed},
		},
	}
}

func TestFills(t *testing.T) {
	providertest.Run(t, func() providertest.FillCase { return newFills(newServer()) })
}

func TestPageSizes(t *testing.T) {
	t.Parallel()
	for _, size := range []int{2, 3, 5, 50} {
		s := newServer()
		s.pageSize = size
		newFills(s).TestWindows(t)
	}
	s := newServer()
	if newFills(s).MustFetch(t); len(s.ends) != 1 {
		t.Errorf("the pages end at %v", s.ends)
	}
}

// TestPageShift adds a trade after each request, which Kraken sends before the others.
func TestPageShift(t *testing.T) {
	t.Parallel()
	s := newServer()
	c := newFills(s)
	c.Query.To = start.AddDate(0, 0, 3).Add(time.Hour)
	inner, want := c.Answer, providertest.Describe(c.MustFetch(t))
	c.Answer = func(w http.ResponseWriter, r *http.Request) {
		inner(w, r)
		s.addTrade(fmt.Sprint("NEW-", len(s.trades)), 3*86400+7200, `"pair": "XXBTZUSD", "type": "buy", "price": "1", "vol": "1", "fee": "0"`)
	}
	if got := providertest.Describe(c.MustFetch(t)); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestPace fetches many pages of a key whose counter is at most 15 and sinks by 20 in a
// minute.
func TestPace(t *testing.T) {
	t.Parallel()
	s := newServer()
	s.pageSize = 1
	newFills(s).TestPace(t, &providertest.Meter{
		PerMinute: map[string]int{"counter": 35},
		Weights:   map[string]map[string]int{"/0/private/GetApiKeyInfo": {"counter": 1}, "/0/private/TradesHistory": {"counter": 2}, "/0/private/Ledgers": {"counter": 2}},
		Refuse:    func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"error": ["EAPI:Rate limit exceeded"]}`) },
	})
}

func TestUnreadableRecords(t *testing.T) {
	t.Parallel()
	s := newEmptyServer()
	s.pageSize = 50
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
	if got := providertest.Describe(newFills(s).MustFetch(t)); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestSign checks signatures against values that were computed by hand.
func TestSign(t *testing.T) {
	t.Parallel()
	const want = "8yLp4mJGwqja1B2Wbqk5TN6IRLk+ZNd3XM7GZZuqNXmgmxdZQwMFmijGOS+X6LSrVFBswCvuTHTKz9y5Uc08+w=="
	if got := sign(secret, "/0/private/TradesHistory", "1767323045678nonce=1767323045678&ofs=0&start=1767225600"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	const wantFutures = "C4kOuFm1i5VU7P0N44vPUP7NZvsmDf0jdIXa5c8+uW6EobAZrSAiOQtTZq4xUa6LqITl75OYNviiY6zf2LxUdA=="
	if got := sign(secret, "", "lastFillTime=2026-01-02T03%3A04%3A05.678Z1767323045678/api/v3/fills"); got != wantFutures {
		t.Errorf("got %s, want %s", got, wantFutures)
	}
}

func TestNonceAndSecret(t *testing.T) {
	t.Parallel()
	refused := 0
	c := newFills(newServer())
	identity, err := c.Check(t, func(w http.ResponseWriter, r *http.Request) {
		if refused++; refused == 1 {
			fmt.Fprint(w, refusal("EAPI:Invalid nonce"))
			return
		}
		c.Answer(w, r)
	})
	if err != nil || identity.Account == "" || refused != 2 {
		t.Errorf("after one wrong nonce: %+v, error %v, %d requests", identity, err, refused)
	}
	for _, c := range []providertest.FillCase{c, newFuturesCase(newFuturesServer())} {
		c.Credentials["api_secret"] = "not base64"
		if _, err := c.Check(t, c.Answer); !errors.Is(err, connector.ErrSetup) {
			t.Errorf("a wrong secret: error %v", err)
		}
	}
}

// Files of Kraken with records that the test server has.
const (
	tradesFile = `"txid","ordertxid","pair","time","type","ordertype","price","cost","fee","vol","margin","misc","ledgers"
"TAAAAA-1","O-1","XXBTZUSD","2026-01-02 01:00:00.1234","buy","limit",60000.0,6000.0,15.6,0.1,0.0,"","L2,L3"
"TAAAAA-2","O-1","XBT/USD","2026-01-02 02:00:00.5","sell","limit",62000.0,6200.0,16.12,0.1,1240.0,"",""
"TAAAAA-4","O-1","XXDGXXBT","2026-01-03 01:00:00","buy","limit",0.000002,0.002,0.000005,1000,0.0,"",""
"TZZZZZ-5","O-1","XBTUSDT","2026-01-04 02:00:00","sell","limit",61000,1220,1,0.02,0.0,"",""
`
	ledgersFile = `"txid","refid","time","type","subtype","aclass","asset","amount","fee","balance"
"L1","Q1","2026-01-02 00:16:40","deposit","","currency","ZUSD",10000.0,0.0,10000.0
"L4","R1","2026-01-02 02:13:20","rollover","","currency","ZUSD",0.0,0.25,3984.15
"L5","M1","2026-01-02 02:30:00","margin","","currency","ZUSD",12.5,1.0,3995.65
"L6","S1","2026-01-02 02:46:40","spend","","currency","ZEUR",-99.0,1.0,0
"L7","S1","2026-01-02 02:46:40","receive","","currency","SOL",0.5,0.0,0.5
"L8","S2","2026-01-02 05:33:20","spend","","currency","SOL",-0.25,0.0,0.25
"L9","S2","2026-01-02 05:33:20","receive","","currency","USDT",50,0.0,50
"LA","K1","2026-01-02 08:20:00","staking","","currency","DOT.S",0.005,0.0,4.0
"LB","W1","2026-01-02 11:06:40","withdrawal","","currency","ZUSD",-1000.0,5.0,2990.65
"LC","X1","2026-01-02 13:53:20","transfer","spottostaking","currency","DOT",-1.0,0.0,3.0
"LD","X2","2026-01-02 16:40:00","transfer","","currency","ZUSD",3,0.0,3.0
"LE","E1","2026-01-02 19:26:40","earn","reward","currency","USDC",0.1,0.0,3.0
`
)

func TestFilesAgree(t *testing.T) {
	t.Parallel()
	newFills(newServer()).TestFile(t, tradesFile, 4)
	newFills(newServer()).TestFile(t, ledgersFile, 7)
}

func FuzzFills(f *testing.F) { newFills(newServer()).FuzzAnswer(f) }
