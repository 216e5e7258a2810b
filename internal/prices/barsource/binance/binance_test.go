package binance_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/remote"
	"fillbook/internal/prices/barsource"
	"fillbook/internal/prices/barsource/barsourcetest"
	"fillbook/internal/prices/barsource/binance"
	"fillbook/internal/trading/instruments"
)

var start = time.Date(2025, 1, 2, 14, 30, 0, 0, time.UTC)

func newCase(kind string) barsourcetest.Case {
	return barsourcetest.Case{
		Provider: binance.New(),
		Query: barsource.Query{
			Instrument: instruments.Priced{Symbol: "BTC/USDT", Type: kind}, BarSecs: 60,
			From: start, To: start.Add(3 * time.Minute), Now: start.Add(2*time.Minute + 30*time.Second),
		},
		Answer: serve,
		Except: []string{"403"}, // the firewall
	}
}

// serve answers like Binance: bars that open from startTime to endTime, oldest first, up
// to the limit, with the one that has not ended.
func serve(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	from, _ := strconv.ParseInt(q.Get("startTime"), 10, 64)
	to, _ := strconv.ParseInt(q.Get("endTime"), 10, 64)
	limit, _ := strconv.Atoi(q.Get("limit"))
	isKnown := map[string]bool{"data-api.binance.vision/api/v3/klines": true, "fapi.binance.com/fapi/v1/klines": true}[r.Host+r.URL.Path]
	if !isKnown || q.Get("interval") != "1m" || limit > 1000 {
		http.Error(w, `{"code": -1100, "msg": "Illegal characters found in a parameter."}`, http.StatusBadRequest)
		return
	}
	if q.Get("symbol") != "BTCUSDT" {
		http.Error(w, `{"code": -1121, "msg": "Invalid symbol."}`, http.StatusBadRequest)
		return
	}
	var rows []string
	for at := from; at <= to && len(rows) < limit; at += 60_000 {
		rows = append(rows, fmt.Sprintf(`[%d,"96000.01000000","96100.50000000","95999.99000000","96050.00000000","12.34567800",%d,"1185000.1",310,"6.1","585600.2","0"]`, at, at+59_999))
	}
	fmt.Fprintf(w, "[%s]", strings.Join(rows, ","))
}

func TestFetch(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{instruments.TypeCrypto, instruments.TypeFuture} {
		want := "2025-01-02 14:30:00 96000.01 96100.5 95999.99 96050 12.345678\n" +
			"2025-01-02 14:31:00 96000.01 96100.5 95999.99 96050 12.345678\n"
		if diff := cmp.Diff(want, barsourcetest.Describe(newCase(kind).MustFetch(t))); diff != "" {
			t.Error(kind, diff)
		}
	}
}

func TestFetchSeveralPages(t *testing.T) {
	t.Parallel()
	c := newCase(instruments.TypeCrypto)
	c.Query.To = start.Add(2500 * time.Minute)
	c.Query.Now = c.Query.To
	client := barsourcetest.NewClient(t, c.Provider, c.Answer)
	got, err := c.Provider.Fetch(t.Context(), client, nil, c.Query)
	if err != nil || len(got.Block.Bars) != 2500 || len(client.Requests) != 3 {
		t.Errorf("%d bars in %d requests, error %v", len(got.Block.Bars), len(client.Requests), err)
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	newCase(instruments.TypeCrypto).TestFaults(t)
}

func TestErrors(t *testing.T) {
	t.Parallel()
	until := newCase("").Query.Now.Add(5 * time.Minute).UnixMilli()
	newCase(instruments.TypeCrypto).TestAnswers(t, map[string]barsourcetest.Answer{
		"unknown symbol": {400, `{"code": -1121, "msg": "Invalid symbol."}`, remote.ErrNotFound},
		"banned":         {418, fmt.Sprintf(`{"code": -1003, "msg": "Way too much request weight used; IP banned until %d."}`, until), &remote.RateLimited{RetryAfter: 5 * time.Minute, IsBanned: true}},
		"too many":       {429, `{"code": -1003, "msg": "Too many requests."}`, &remote.RateLimited{}},
		"firewall":       {403, `<html>`, &remote.RateLimited{IsBanned: true}},
		"country":        {451, `{"code": 0, "msg": "Service unavailable from a restricted location"}`, remote.ErrForbidden},
		"object":         {200, `{"bars": []}`, remote.ErrMalformed},
		"short bar":      {200, `[[1735828200000, "1"]]`, remote.ErrMalformed},
		"nested":         {200, `[[1735828200000, ["1"], "1", "1", "1", "1"]]`, remote.ErrMalformed},
	})
}

func TestSymbol(t *testing.T) {
	t.Parallel()
	newCase(instruments.TypeCrypto).TestSymbols(t, []barsourcetest.Symbol{
		{"btc/usdt", "crypto", "BTCUSDT"},
		{"ETHBTC", "crypto", "ETHBTC"},
		{"BTCUSDT.P", "future", "BTCUSDT"},
		{"BTCUSDT_251226", "future", "BTCUSDT_251226"},
		{"BTC/USD", "crypto", ""},
		{"BTCUSD", "future", ""},
		{"ETHBTC", "future", ""},
		{"ESZ5", "future", ""},
		{"BTC", "crypto", ""},
		{"AAPL", "stock", ""},
		{"EURUSD", "forex", ""},
	})
}

func FuzzAnswer(f *testing.F) {
	newCase(instruments.TypeCrypto).FuzzAnswer(f, `{"code": -1003, "msg": "IP banned until 9999999999999"}`)
}
