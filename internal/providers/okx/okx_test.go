package okx_test

import (
	"crypto/sha256"
	"encoding/base64"
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
	"fillbook/internal/providers/okx"
	"fillbook/internal/providers/providertest"
)

// millis is 2026-01-02 03:04:05.678 UTC.
const millis = 1767323045678

var start = time.UnixMilli(millis).UTC()

// exchange is a server that answers like OKX. Its fills and bills are oldest first.
type exchange struct {
	providertest.Server
	fills, bills providertest.List
	// instruments are those that have not ended, by type and family.
	instruments map[string]string
}

func sign(secret, text string) string {
	return base64.StdEncoding.EncodeToString(providertest.Sign(sha256.New, secret, text))
}

func refuse(status int, code, message string) http.HandlerFunc {
	return providertest.Reply(status, fmt.Sprintf(`{"code": %q, "msg": %q, "data": []}`, code, message))
}

func data(list string) string { return fmt.Sprintf(`{"code": "0", "msg": "", "data": [%s]}`, list) }

// newExchange returns a server that checks the signature and the time of requests.
func newExchange() *exchange {
	e := newHistory()
	e.Now = start.Truncate(time.Second).Add(2 * time.Hour)
	e.instruments = map[string]string{
		"SWAP BTC-USDT":    `{"instId": "BTC-USDT-SWAP", "ctVal": "0.01", "ctMult": "1", "ctValCcy": "BTC", "settleCcy": "USDT", "ctType": "linear"}`,
		"SWAP BTC-USD":     `{"instId": "BTC-USD-SWAP", "ctVal": "100", "ctMult": "1", "ctValCcy": "USD", "settleCcy": "BTC", "ctType": "inverse"}`,
		"FUTURES BTC-USDT": `{"instId": "BTC-USDT-260327", "ctVal": "0.01", "ctMult": "", "ctValCcy": "BTC", "settleCcy": "USDT", "ctType": "linear"}`,
		"OPTION BTC-USD":   `{"instId": "BTC-USD-260327-1-C", "ctVal": "1", "ctMult": "0.01", "ctValCcy": "BTC", "settleCcy": "BTC", "ctType": ""}`,
	}
	e.Public = providertest.Routes{"/api/v5/public/time": func(url.Values) http.HandlerFunc {
		return providertest.OK(data(fmt.Sprintf(`{"ts": "%d"}`, e.Now.UnixMilli())))
	}}
	e.Private = providertest.Routes{
		"/api/v5/account/config": providertest.Static(data(
			`{"uid": "4470", "mainUid": "4470", "label": "journal", "perm": "read_only", "ip": "", "posMode": "net_mode", "acctLv": "2"}`)),
		"/api/v5/public/instruments": func(q url.Values) http.HandlerFunc {
			list, isListed := e.instruments[q.Get("instType")+" "+q.Get("instFamily")]
			if !isListed {
				return refuse(200, "51001", "Instrument ID doesn't exist")
			}
			return providertest.OK(data(list))
		},
		"/api/v5/trade/fills-history":   func(q url.Values) http.HandlerFunc { return serveList(q, e.fills, "instType") },
		"/api/v5/account/bills-archive": func(q url.Values) http.HandlerFunc { return serveList(q, e.bills, "type") },
	}
	e.Verify = func(r *http.Request, _ string) http.HandlerFunc {
		stamp := r.Header.Get("OK-ACCESS-TIMESTAMP")
		at, err := time.Parse("2006-01-02T15:04:05.000Z", stamp)
		switch {
		case r.Header.Get("OK-ACCESS-KEY") != "test-key":
			return refuse(401, "50111", "Invalid OK-ACCESS-KEY")
		case err != nil:
			return refuse(401, "50112", "Invalid OK-ACCESS-TIMESTAMP")
		case e.Now.Sub(at).Abs() > 30*time.Second:
			return refuse(401, "50102", "Timestamp request expired")
		case r.Header.Get("OK-ACCESS-PASSPHRASE") != "two words":
			return refuse(401, "50105", "OK-ACCESS-PASSPHRASE incorrect")
		case r.Header.Get("OK-ACCESS-SIGN") != sign(providertest.Secret, stamp+"GET"+r.RequestURI):
			return refuse(401, "50113", "Invalid Sign")
		}
		return nil
	}
	return e
}

// serveList answers with a page of records, the newest first. The ends of the time are not
// part of it.
func serveList(q url.Values, list providertest.List, typeName string) http.HandlerFunc {
	from, to, limit, after := providertest.Int(q, "begin"), providertest.Int(q, "end"), providertest.Int(q, "limit"), providertest.Int(q, "after")
	if limit > 100 || from == 0 || to == 0 {
		return refuse(200, "51000", "Parameter limit error")
	}
	page := list.Select(func(r providertest.Record) bool {
		return r.Int("ts") > from && r.Int("ts") < to && r.Text(typeName) == q.Get(typeName) && (after == 0 || r.Int("billId") < after)
	}).Reverse().Page(0, limit)
	return providertest.OK(data(strings.Join(page, ",")))
}

// newFill returns a fill some milliseconds after the start, whose bill is two
// milliseconds later. A later member with the same name replaces an earlier one.
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
		fills: providertest.List{
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
		bills: providertest.List{
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

func newFills(e *exchange) providertest.FillCase {
	refusal := func(code string) string { return fmt.Sprintf(`{"code": %q, "msg": "no", "data": []}`, code) }
	return providertest.FillCase{
		Connector:     okx.Fills(),
		Credentials:   map[string]string{"api_key": "test-key", "api_secret": providertest.Secret, "passphrase": "two words"},
		Query:         connector.Query{From: start.Add(-time.Hour), To: start.Add(time.Hour), Currency: "USD"},
		Now:           e.Now,
		Answer:        e.ServeHTTP,
		SetClock:      func(at time.Time) { e.Now = at },
		HasOtherTimes: true, // those of bills
		Identity:      connector.Identity{Account: "4470", Name: "UID 4470 (okx.com)"},
		KeyPath:       "/api/v5/account/config",
		Keys: map[string]providertest.Key{
			data(`{"uid": "4470", "perm": "read_only,trade"}`): {
				Identity: connector.Identity{Account: "4470", Name: "UID 4470 (okx.com)", CanTrade: true},
			},
			data(`{"uid": "4470", "perm": "read_only, trade,withdraw"}`): {
				Identity: connector.Identity{Account: "4470", Name: "UID 4470 (okx.com)", CanTrade: true, CanWithdraw: true},
			},
			data(`{"uid": "4470"}`):       {Err: remote.ErrMalformed},
			data(`{"perm": "read_only"}`): {Err: remote.ErrMalformed},
			data(``):                      {Err: remote.ErrMalformed},
		},
		Want: `2026-01-02T03:04:05.678Z buy 0.4995 crypto BTC-USDT @ 60000 fees 30 fee "0.0005 BTC" liquidity "taker" order_id "77" trade_id "55" id 101
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
`,
		Messages: []string{
			"OKX no longer lists OLD-USDT-251226", "0.1 OKB", "0.5 BTC", "Some fills are in BTC, the account is in USD",
		},
		Errors: map[string]providertest.Answer{
			"key":           {Status: 401, Body: refusal("50111"), Want: remote.ErrUnauthorized},
			"passphrase":    {Status: 401, Body: refusal("50105"), Want: remote.ErrUnauthorized},
			"other site":    {Status: 401, Body: refusal("50119"), Want: remote.ErrUnauthorized},
			"address":       {Status: 401, Body: refusal("50110"), Want: remote.ErrForbidden},
			"country":       {Status: 200, Body: refusal("50051"), Want: remote.ErrForbidden},
			"clock":         {Status: 401, Body: refusal("50102"), Want: remote.ErrClock},
			"busy":          {Status: 429, Body: refusal("50011"), Want: &remote.RateLimited{}},
			"system busy":   {Status: 200, Body: refusal("50013"), Want: remote.ErrUnavailable},
			"parameter":     {Status: 200, Body: refusal("51000"), Want: remote.ErrRefused},
			"without data":  {Status: 200, Body: `{"code": "0"}`, Want: remote.ErrMalformed},
			"without an id": {Status: 200, Body: `{"code": "0", "data": [{}]}`, Want: remote.ErrMalformed},
			"not an object": {Status: 200, Body: `[]`, Want: remote.ErrMalformed},
			"empty":         {Status: 200, Body: `{"code": "0", "data": []}`},
		},
	}
}

func TestFills(t *testing.T) {
	providertest.Run(t, func() providertest.FillCase { return newFills(newExchange()) })
}

// TestSizesAreKept has a server that no longer lists the contracts of the run before.
func TestSizesAreKept(t *testing.T) {
	t.Parallel()
	e := newExchange()
	c := newFills(e)
	list := c.MustFetch(t)
	e.instruments = nil
	c.Query.State = list[len(list)-1].State
	if diff := cmp.Diff(c.Want, providertest.Describe(c.MustFetch(t))); diff != "" {
		t.Error(diff)
	}
}

// TestPages has fills at one time around a page end.
func TestPages(t *testing.T) {
	t.Parallel()
	e := newExchange()
	e.fills, e.bills = nil, nil
	for i := range 250 {
		e.fills = append(e.fills, newFill(int64(i/7), i+1, "SWAP", "BTC-USDT-SWAP", ""))
		e.bills = append(e.bills, newBill(int64(i/7), i+1, "8", "USDT", "0.1", ""))
	}
	c := newFills(e)
	c.TestPages(t, 250, 250)
	e.fills = e.fills[:50]
	for i, f := range c.MustFetch(t)[0].Statement.Fills {
		if f.ID != strconv.Itoa(i+1) {
			t.Fatalf("fill %d has the id %s", i+1, f.ID)
		}
	}
}

func TestSignature(t *testing.T) {
	t.Parallel()
	if got, want := sign("test-secret", "2026-01-02T03:04:05.678ZGET/api/v5/trade/fills-history?instType=SWAP&limit=100"),
		"xFY7ee7V9O+6fHsohcvSznmVaapPdQW2mpPrQhGgS7k="; got != want {
		t.Fatalf("the server of the test computes %s", got)
	}
	c := newFills(newExchange())
	c.Now, c.Credentials["api_secret"] = start, "test-secret"
	for site, want := range map[string]string{"": "www.okx.com", "eea": "eea.okx.com", "us": "us.okx.com", "demo": "www.okx.com 1"} {
		c.Credentials["site"] = site
		session, client := c.NewSession(t, refuse(401, "50111", "Invalid OK-ACCESS-KEY"))
		if _, err := c.Connector.Check(t.Context(), session); !errors.Is(err, remote.ErrUnauthorized) {
			t.Error(err)
		}
		r := client.Requests[0]
		if got := strings.TrimSpace(r.URL.Host + " " + r.Header.Get("x-simulated-trading")); got != want {
			t.Errorf("%s: a request to %s", site, got)
		}
		if got := r.Header.Get("OK-ACCESS-SIGN"); got != "AOz+oP4Btpe6DEzQMCV8Ty53nJ8aKrP8ltfNR5O8bmk=" {
			t.Errorf("signature %s", got)
		}
	}
}

func TestInstrumentWithoutSize(t *testing.T) {
	t.Parallel()
	for _, size := range []string{`{"ctVal": ""}`, `{"ctVal": "1", "ctMult": "x"}`, `{"ctVal": "0"}`} {
		e := newExchange()
		e.instruments["SWAP BTC-USDT"] = size
		c := newFills(e)
		if _, err := c.Fetch(t, c.Answer); !errors.Is(err, remote.ErrMalformed) {
			t.Errorf("%s: error %v", size, err)
		}
	}
}

func FuzzFills(f *testing.F) {
	newFills(newExchange()).FuzzAnswer(f, `{"code": "50011", "msg": "Too Many Requests"}`, `{"code": "0", "data": [{"ctVal": "1", "ctMult": "0"}]}`)
}
