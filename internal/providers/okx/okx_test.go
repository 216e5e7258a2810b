package okx_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
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
	"fillbook/internal/providers/connectortest"
	"fillbook/internal/providers/okx"
)

// millis is 2026-01-02 03:04:05.678 UTC.
const millis = 1767323045678

var start = time.UnixMilli(millis).UTC()

// exchange is a server that answers like OKX.
type exchange struct {
	secret string
	// now is the clock of the server.
	now    time.Time
	config string
	// fills and bills are oldest first.
	fills, bills []string
	// instruments are those that have not ended, by type and family.
	instruments map[string]string
}

func computeSignature(secret, text string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(text))
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

func refuse(w http.ResponseWriter, status int, code, message string) {
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"code": %q, "msg": %q, "data": []}`, code, message)
}

// ServeHTTP checks the signature and the time of a request, and answers it.
func (e *exchange) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	stamp := r.Header.Get("OK-ACCESS-TIMESTAMP")
	at, err := time.Parse("2006-01-02T15:04:05.000Z", stamp)
	query := r.URL.Query()
	switch {
	case r.URL.Path == "/api/v5/public/time":
		fmt.Fprintf(w, `{"code": "0", "msg": "", "data": [{"ts": "%d"}]}`, e.now.UnixMilli())
	case r.Header.Get("OK-ACCESS-KEY") != "test-key":
		refuse(w, 401, "50111", "Invalid OK-ACCESS-KEY")
	case err != nil:
		refuse(w, 401, "50112", "Invalid OK-ACCESS-TIMESTAMP")
	case e.now.Sub(at).Abs() > 30*time.Second:
		refuse(w, 401, "50102", "Timestamp request expired")
	case r.Header.Get("OK-ACCESS-PASSPHRASE") != "two words":
		refuse(w, 401, "50105", "OK-ACCESS-PASSPHRASE incorrect")
	case r.Header.Get("OK-ACCESS-SIGN") != computeSignature(e.secret, stamp+"GET"+r.RequestURI):
		refuse(w, 401, "50113", "Invalid Sign")
	case r.URL.Path == "/api/v5/account/config":
		fmt.Fprintf(w, `{"code": "0", "msg": "", "data": [%s]}`, e.config)
	case r.URL.Path == "/api/v5/public/instruments":
		list, isListed := e.instruments[query.Get("instType")+" "+query.Get("instFamily")]
		if !isListed {
			refuse(w, 200, "51001", "Instrument ID doesn't exist")
			return
		}
		fmt.Fprintf(w, `{"code": "0", "msg": "", "data": [%s]}`, list)
	case r.URL.Path == "/api/v5/trade/fills-history":
		serveList(w, query, e.fills, func(r *record) bool { return r.InstType == query.Get("instType") })
	default:
		serveList(w, query, e.bills, func(r *record) bool { return r.Type == query.Get("type") })
	}
}

type record struct {
	InstType string `json:"instType"`
	Type     string `json:"type"`
	ID       string `json:"billId"`
	Time     string `json:"ts"`
}

// serveList answers with a page of records, the newest first. The ends of the time are not
// part of it.
func serveList(w http.ResponseWriter, query url.Values, records []string, isSelected func(*record) bool) {
	toNumber := func(text string) int64 {
		number, _ := strconv.ParseInt(text, 10, 64)
		return number
	}
	from, to, limit := toNumber(query.Get("begin")), toNumber(query.Get("end")), toNumber(query.Get("limit"))
	if limit > 100 || from == 0 || to == 0 {
		refuse(w, 200, "51000", "Parameter limit error")
		return
	}
	var page []string
	for _, text := range slices.Backward(records) {
		var r record
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			panic(err)
		}
		isBefore := query.Get("after") == "" || toNumber(r.ID) < toNumber(query.Get("after"))
		if at := toNumber(r.Time); at > from && at < to && isBefore && isSelected(&r) && len(page) < int(limit) {
			page = append(page, text)
		}
	}
	fmt.Fprintf(w, `{"code": "0", "msg": "", "data": [%s]}`, strings.Join(page, ","))
}

func newCase(e *exchange) connectortest.Case {
	now := start.Truncate(time.Second).Add(2 * time.Hour)
	e.secret, e.now = connectortest.Secret, now
	if e.config == "" {
		e.config = `{"uid": "4470", "mainUid": "4470", "label": "journal", "perm": "read_only", "ip": "", "posMode": "net_mode", "acctLv": "2"}`
	}
	if e.instruments == nil {
		e.instruments = map[string]string{
			"SWAP BTC-USDT":    `{"instId": "BTC-USDT-SWAP", "ctVal": "0.01", "ctMult": "1", "ctValCcy": "BTC", "settleCcy": "USDT", "ctType": "linear"}`,
			"SWAP BTC-USD":     `{"instId": "BTC-USD-SWAP", "ctVal": "100", "ctMult": "1", "ctValCcy": "USD", "settleCcy": "BTC", "ctType": "inverse"}`,
			"FUTURES BTC-USDT": `{"instId": "BTC-USDT-260327", "ctVal": "0.01", "ctMult": "", "ctValCcy": "BTC", "settleCcy": "USDT", "ctType": "linear"}`,
			"OPTION BTC-USD":   `{"instId": "BTC-USD-260327-1-C", "ctVal": "1", "ctMult": "0.01", "ctValCcy": "BTC", "settleCcy": "BTC", "ctType": ""}`,
		}
	}
	return connectortest.Case{
		Connector:     okx.New(),
		Credentials:   map[string]string{"api_key": "test-key", "api_secret": connectortest.Secret, "passphrase": "two words"},
		Query:         connector.Query{From: start.Add(-time.Hour), To: start.Add(time.Hour), Currency: "USD"},
		Now:           now,
		Answer:        e.ServeHTTP,
		HasOtherTimes: true,
	}
}

// newFill returns a fill some milliseconds after the start, whose bill is two milliseconds
// later. A later member of the same name replaces an earlier one.
func newFill(after int64, id int, kind, instrument, more string) string {
	return fmt.Sprintf(`{"instType": %q, "instId": %q, "tradeId": "55", "ordId": "77", "clOrdId": "", "billId": "%d", "subType": "1", "tag": "", "fillPx": "60000",
		"fillSz": "3", "side": "buy", "posSide": "net", "execType": "T", "fillPnl": "0", "feeCcy": "USDT", "fee": "-0.09", "ts": "%d", "fillTime": "%d"%s}`,
		kind, instrument, id, millis+after+2, millis+after, more)
}

func newBill(after int64, id int, kind, currency, change, more string) string {
	return fmt.Sprintf(`{"instType": "", "instId": "", "billId": "%d", "type": %q, "subType": "11", "ccy": %q, "balChg": %q, "posBalChg": "0", "bal": "10", "ts": "%d"%s}`,
		id, kind, currency, change, millis+after, more)
}

func newHistory() *exchange {
	return &exchange{
		fills: []string{
			newFill(0, 101, "SPOT", "BTC-USDT", `, "fillSz": "0.5", "feeCcy": "BTC", "fee": "-0.0005"`),
			newFill(0, 102, "SPOT", "BTC-USDT", `, "fillSz": "0.5", "side": "sell", "execType": "M", "fee": "0.02"`),
			newFill(1, 103, "SPOT", "ETH-BTC", `, "feeCcy": "OKB", "fee": "-0.1", "fillTime": ""`),
			newFill(2, 104, "MARGIN", "ETH-USDT", `, "side": "sell"`),
			newFill(3, 105, "SWAP", "BTC-USDT-SWAP", `, "posSide": "long", "newField": [{}]`),
			newFill(4, 106, "SWAP", "BTC-USDT-SWAP", `, "posSide": "short", "side": "sell"`),
			newFill(5, 107, "SWAP", "BTC-USD-SWAP", `, "side": "sell", "feeCcy": "BTC", "fee": "-0.00001", "fillPnl": "0.0002", "subType": "104", "tradeId": "-9"`),
			newFill(6, 108, "FUTURES", "BTC-USDT-251226", `, "subType": "112", "fillPnl": "5", "ordId": ""`),
			newFill(7, 109, "FUTURES", "OLD-USDT-251226", `, "side": "sell", "fillPnl": "-1.5"`),
			newFill(8, 110, "OPTION", "BTC-USD-251226-100000-C", `, "fillPx": "0.01", "feeCcy": "BTC", "fee": "-0.0003"`),
			newFill(9, 111, "SPOT", "BTC-USDT", `, "side": "both"`),
			newFill(10, 112, "SPOT", "BTC-USDT", `, "fillPx": ""`),
			newFill(11, 113, "SPOT", "", ``),
		},
		bills: []string{
			newBill(20, 201, "1", "USDT", "500", ``),
			newBill(21, 202, "1", "USDC", "-40", ``),
			newBill(22, 203, "1", "BTC", "0.5", ``),
			newBill(23, 204, "2", "USDT", "-7", ``),
			newBill(24, 205, "7", "USDT", "-0.01", ``),
			newBill(25, 206, "8", "USDT", "-0.6", `, "instId": "BTC-USDT-SWAP"`),
			newBill(26, 207, "8", "USDT", "0", `, "instId": "ETH-USDT-SWAP", "posBalChg": "0.3"`),
			newBill(27, 208, "18", "USDT", "2", ``),
			newBill(28, 209, "34", "USDT", "9", ``),
		},
	}
}

func TestFetch(t *testing.T) {
	t.Parallel()
	list := newCase(newHistory()).MustFetch(t)
	want := `2026-01-02T03:04:05.678Z buy 0.4995 crypto BTC-USDT @ 60000 fees 30 fee "0.0005 BTC" liquidity "taker" order_id "77" trade_id "55" id 101
2026-01-02T03:04:05.678Z sell 0.5 crypto BTC-USDT @ 60000 fees -0.02 liquidity "maker" order_id "77" trade_id "55" id 102
2026-01-02T03:04:05.68Z sell 3 crypto ETH-USDT @ 60000 fees 0.09 liquidity "taker" order_id "77" trade_id "55" id 104
2026-01-02T03:04:05.681Z buy 3 crypto ETH-BTC @ 60000 currency "BTC" fee "0.1 OKB" liquidity "taker" order_id "77" trade_id "55" id 103
2026-01-02T03:04:05.681Z buy 3 future BTC-USDT-SWAP @ 60000 x 0.01 fees 0.09 lot long liquidity "taker" order_id "77" trade_id "55" id 105
2026-01-02T03:04:05.682Z sell 3 future BTC-USDT-SWAP @ 60000 x 0.01 fees 0.09 lot short liquidity "taker" order_id "77" trade_id "55" id 106
2026-01-02T03:04:05.683Z sell 3 future BTC-USD-SWAP @ 60000 x 100 fees 0.00001 pnl 0.0002 currency "BTC" kind "liquidation" liquidity "taker" order_id "77" trade_id "-9" id 107
2026-01-02T03:04:05.684Z buy 3 future BTC-USDT-251226 @ 60000 x 0.01 fees 0.09 kind "delivery" liquidity "taker" trade_id "55" id 108
2026-01-02T03:04:05.685Z sell 3 future OLD-USDT-251226 @ 60000 x 1 fees 0.09 pnl -1.5 liquidity "taker" order_id "77" trade_id "55" id 109
2026-01-02T03:04:05.686Z buy 3 option BTC 2025-12-26 100000 call @ 0.01 x 0.01 fees 0.0003 currency "BTC" liquidity "taker" order_id "77" trade_id "55" id 110
2026-01-02T03:04:05.698Z cash deposit 500 USD "transfer"
2026-01-02T03:04:05.699Z cash withdrawal -40 USD "transfer"
2026-01-02T03:04:05.702Z cash interest -0.01 USD "interest"
2026-01-02T03:04:05.703Z cash interest -0.6 USD "funding BTC-USDT-SWAP"
2026-01-02T03:04:05.704Z cash interest 0.3 USD "funding ETH-USDT-SWAP"
2026-01-02T03:04:05.705Z cash adjustment 2 USD "profit sharing"
problem The broker's record has an unknown side.
problem The broker's record has no instrument.
problem The broker's record has no price.
skipped it moves coins without a trade
`
	if diff := cmp.Diff(want, connectortest.Describe(list)); diff != "" {
		t.Error(diff)
	}
	for _, want := range []string{
		"OKX no longer lists OLD-USDT-251226", "0.1 OKB", "0.5 BTC", "Some fills are in BTC, the account is in USD",
	} {
		if !strings.Contains(connectortest.Messages(list), want) {
			t.Errorf("no message has %q:\n%s", want, connectortest.Messages(list))
		}
	}
}

// TestSizesAreKept has a server that no longer lists the contracts of the run before.
func TestSizesAreKept(t *testing.T) {
	t.Parallel()
	e := newHistory()
	c := newCase(e)
	list := c.MustFetch(t)
	e.instruments = map[string]string{}
	c.Query.State = list[len(list)-1].State
	if diff := cmp.Diff(connectortest.Describe(list), connectortest.Describe(c.MustFetch(t))); diff != "" {
		t.Error(diff)
	}
}

// TestFetchSeveralPages has fills of one time on both sides of the end of a page.
func TestFetchSeveralPages(t *testing.T) {
	t.Parallel()
	e := &exchange{}
	for i := range 250 {
		e.fills = append(e.fills, newFill(int64(i/7), i+1, "SWAP", "BTC-USDT-SWAP", ""))
		e.bills = append(e.bills, newBill(int64(i/7), i+1, "8", "USDT", "0.1", ""))
	}
	c := newCase(e)
	for _, maxRows := range []int{0, 1} {
		c.Query.MaxRows = maxRows
		var ids []string
		cash := 0
		for _, d := range c.MustFetch(t) {
			cash += len(d.Statement.Cash)
			for _, f := range d.Statement.Fills {
				ids = append(ids, f.ID)
			}
		}
		slices.Sort(ids)
		if len(slices.Compact(ids)) != 250 || cash != 250 {
			t.Errorf("%d rows: %d fills, %d bills", maxRows, len(ids), cash)
		}
	}
	for i, f := range newCaseOfOnePage(e).MustFetch(t)[0].Statement.Fills {
		if f.ID != strconv.Itoa(i+1) {
			t.Fatalf("fill %d has the id %s", i+1, f.ID)
		}
	}
}

func newCaseOfOnePage(e *exchange) connectortest.Case {
	e.fills = e.fills[:50]
	return newCase(e)
}

func TestSignature(t *testing.T) {
	t.Parallel()
	if got, want := computeSignature("test-secret", "2026-01-02T03:04:05.678ZGET/api/v5/trade/fills-history?instType=SWAP&limit=100"),
		"xFY7ee7V9O+6fHsohcvSznmVaapPdQW2mpPrQhGgS7k="; got != want {
		t.Fatalf("the server of the test computes %s", got)
	}
	c := newCase(newHistory())
	c.Now, c.Credentials["api_secret"] = start, "test-secret"
	for site, want := range map[string]string{"": "www.okx.com", "eea": "eea.okx.com", "us": "us.okx.com", "demo": "www.okx.com 1"} {
		c.Credentials["site"] = site
		_, err := c.Check(t, func(w http.ResponseWriter, r *http.Request) {
			if got := strings.TrimSpace(r.Host + " " + r.Header.Get("x-simulated-trading")); got != want {
				t.Errorf("%s: a request to %s", site, got)
			}
			if got := r.Header.Get("OK-ACCESS-SIGN"); got != "AOz+oP4Btpe6DEzQMCV8Ty53nJ8aKrP8ltfNR5O8bmk=" {
				t.Errorf("signature %s", got)
			}
			refuse(w, 401, "50111", "Invalid OK-ACCESS-KEY")
		})
		if !errors.Is(err, remote.ErrUnauthorized) {
			t.Error(err)
		}
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
	for rights, want := range map[string]connector.Identity{
		"read_only":                 {},
		"read_only,trade":           {CanTrade: true},
		"read_only, trade,withdraw": {CanTrade: true, CanWithdraw: true},
	} {
		want.Account, want.Name = "4470", "UID 4470 (okx.com)"
		c := newCase(&exchange{config: fmt.Sprintf(`{"uid": "4470", "perm": %q}`, rights)})
		if diff := cmp.Diff(want, c.MustCheck(t)); diff != "" {
			t.Errorf("%s: %s", rights, diff)
		}
	}
	for _, config := range []string{`{"uid": "4470"}`, `{"perm": "read_only"}`, ` `} {
		c := newCase(&exchange{config: config})
		if _, err := c.Check(t, c.Answer); !errors.Is(err, remote.ErrMalformed) {
			t.Errorf("%s: error %v", config, err)
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

func TestWindows(t *testing.T) {
	t.Parallel()
	newCase(newHistory()).TestWindows(t)
}

func TestErrors(t *testing.T) {
	t.Parallel()
	answer := func(code string) string { return fmt.Sprintf(`{"code": %q, "msg": "no", "data": []}`, code) }
	newCase(newHistory()).TestAnswers(t, map[string]connectortest.Answer{
		"key":           {Status: 401, Body: answer("50111"), Want: remote.ErrUnauthorized},
		"passphrase":    {Status: 401, Body: answer("50105"), Want: remote.ErrUnauthorized},
		"other site":    {Status: 401, Body: answer("50119"), Want: remote.ErrUnauthorized},
		"address":       {Status: 401, Body: answer("50110"), Want: remote.ErrForbidden},
		"country":       {Status: 200, Body: answer("50051"), Want: remote.ErrForbidden},
		"clock":         {Status: 401, Body: answer("50102"), Want: remote.ErrClock},
		"busy":          {Status: 429, Body: answer("50011"), Want: &remote.RateLimited{}},
		"system busy":   {Status: 200, Body: answer("50013"), Want: remote.ErrUnavailable},
		"parameter":     {Status: 200, Body: answer("51000"), Want: remote.ErrRefused},
		"without data":  {Status: 200, Body: `{"code": "0"}`, Want: remote.ErrMalformed},
		"without an id": {Status: 200, Body: `{"code": "0", "data": [{}]}`, Want: remote.ErrMalformed},
		"not an object": {Status: 200, Body: `[]`, Want: remote.ErrMalformed},
		"empty":         {Status: 200, Body: `{"code": "0", "data": []}`},
	})
	c := newCase(&exchange{
		fills:       []string{newFill(0, 1, "SWAP", "BTC-USDT-SWAP", "")},
		instruments: map[string]string{"SWAP BTC-USDT": `{"ctVal": ""}`},
	})
	if _, err := c.Fetch(t, c.Answer); !errors.Is(err, remote.ErrMalformed) {
		t.Errorf("an instrument without a size: error %v", err)
	}
}

func FuzzAnswer(f *testing.F) {
	newCase(newHistory()).FuzzAnswer(f, `{"code": "50011", "msg": "Too Many Requests"}`, `{"code": "0", "data": [{"ctVal": "1", "ctMult": "0"}]}`)
}
