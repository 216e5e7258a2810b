package bybit_test

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"fillbook/internal/base/remote"
	"fillbook/internal/prices/barsource"
	"fillbook/internal/providers/bybit"
	"fillbook/internal/providers/providertest"
	"fillbook/internal/trading/instruments"
)

var opening = time.Date(2025, 1, 2, 14, 30, 0, 0, time.UTC)

func newBars(symbol, kind string) providertest.BarCase {
	return providertest.BarCase{
		Provider: bybit.Bars(),
		Query: barsource.Query{
			Instrument: instruments.Priced{Symbol: symbol, Type: kind}, BarSecs: 300,
			From: opening, To: opening.Add(15 * time.Minute), Now: opening.Add(12 * time.Minute),
		},
		Answer: serveBars,
		Except: []string{"403"}, // too many requests
		Want: "2025-01-02 14:30:00 96000.1 96100.5 95999.9 96050 12.345\n" +
			"2025-01-02 14:35:00 96000.1 96100.5 95999.9 96050 12.345\n",
		Long: opening.Add(1001 * 5 * time.Minute), LongBars: 1001, LongRequests: 2,
		Errors: map[string]providertest.Answer{
			"unknown symbol":     {Status: 200, Body: `{"retCode": 10001, "retMsg": "Not supported symbols", "result": {}}`, Want: remote.ErrNotFound},
			"other parameter":    {Status: 200, Body: `{"retCode": 10001, "retMsg": "Invalid period!", "result": {}}`, Want: remote.ErrRefused},
			"address":            {Status: 403, Body: `access too frequent`, Want: &remote.RateLimited{RetryAfter: 10 * time.Minute, IsBanned: true}},
			"firewall":           {Status: 403, Body: `<html>`, Want: &remote.RateLimited{RetryAfter: 10 * time.Minute, IsBanned: true}},
			"country":            {Status: 200, Body: `{"retCode": 10024, "retMsg": "Compliance rules triggered", "result": {}}`, Want: remote.ErrForbidden},
			"server":             {Status: 200, Body: `{"retCode": 10016, "retMsg": "Server error.", "result": {}}`, Want: remote.ErrUnavailable},
			"without a list":     {Status: 200, Body: `{"retCode": 0, "retMsg": "OK", "result": {}}`, Want: remote.ErrMalformed},
			"without an outcome": {Status: 200, Body: `{"result": {}}`, Want: remote.ErrMalformed},
			"short bar":          {Status: 200, Body: `{"retCode": 0, "result": {"list": [["1735828200000", "1"]]}}`, Want: remote.ErrMalformed},
			"empty":              {Status: 200, Body: `{"retCode": 0, "result": {"list": []}}`},
		},
		Symbols: []providertest.Symbol{
			{"BTC/USDT", "crypto", "BTCUSDT"},
			{"ETHBTC", "crypto", "ETHBTC"},
			{"BTCUSDT", "future", "BTCUSDT"},
			{"BTCUSD", "future", "BTCUSD"},
			{"BTCPERP", "future", "BTCPERP"},
			{"BTC-26DEC25", "future", "BTC-26DEC25"},
			{"BTCUSDT-26DEC25", "future", "BTCUSDT-26DEC25"},
			{"BTCUSDZ25", "future", "BTCUSDZ25"},
			{"ESZ5", "future", ""},
			{"NQ 12-25", "future", ""},
			{"BTC/USD", "crypto", ""},
			{"AAPL", "stock", ""},
			{"EURUSD", "forex", ""},
		},
	}
}

// serveBars answers like Bybit: the newest bars first, up to the limit.
func serveBars(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	from, _ := strconv.ParseInt(q.Get("start"), 10, 64)
	to, _ := strconv.ParseInt(q.Get("end"), 10, 64)
	limit, _ := strconv.Atoi(q.Get("limit"))
	known := map[string]string{"spot": "BTCUSDT", "linear": "BTCUSDT", "inverse": "BTCUSD"}
	if r.URL.Path != "/v5/market/kline" || q.Get("interval") != "5" || known[q.Get("category")] != q.Get("symbol") {
		fmt.Fprint(w, `{"retCode": 10001, "retMsg": "Not supported symbols", "result": {}, "retExtInfo": {}, "time": 1735828200000}`)
		return
	}
	var rows []string
	for at := from; at <= to; at += 300_000 {
		rows = append(rows, fmt.Sprintf(`["%d","96000.1","96100.5","95999.9","96050","12.345","1185000"]`, at))
	}
	slices.Reverse(rows)
	fmt.Fprintf(w, `{"retCode": 0, "retMsg": "OK", "result": {"symbol": %q, "category": %q, "list": [%s]}, "retExtInfo": {}, "time": 1735828200000}`,
		q.Get("symbol"), q.Get("category"), strings.Join(rows[:min(limit, len(rows))], ","))
}

func TestBars(t *testing.T) {
	providertest.Run(t, func() providertest.BarCase { return newBars("BTCUSDT", "future") })
}

func TestBarMarkets(t *testing.T) {
	t.Parallel()
	for _, c := range []providertest.BarCase{newBars("BTC/USDT", "crypto"), newBars("BTCUSD", "future")} {
		c.Expect(t, c.Want)
	}
	c := newBars("BTCUSDT", "future")
	c.TestLimit(t, "X-Bapi-Limit-Reset-Timestamp", strconv.FormatInt(c.Query.Now.Add(2*time.Second).UnixMilli(), 10),
		`{"retCode": 10006, "retMsg": "Too many visits!", "result": {}}`, 2*time.Second)
}

func FuzzBars(f *testing.F) {
	newBars("BTCUSDT", "future").FuzzAnswer(f, `{"retCode": 10006, "retMsg": "Too many visits!"}`)
}
