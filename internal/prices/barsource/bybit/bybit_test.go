package bybit_test

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/remote"
	"fillbook/internal/prices/barsource"
	"fillbook/internal/prices/barsource/barsourcetest"
	"fillbook/internal/prices/barsource/bybit"
	"fillbook/internal/trading/instruments"
)

var start = time.Date(2025, 1, 2, 14, 30, 0, 0, time.UTC)

func newCase(symbol, kind string) barsourcetest.Case {
	return barsourcetest.Case{
		Provider: bybit.New(),
		Query: barsource.Query{
			Instrument: instruments.Priced{Symbol: symbol, Type: kind}, BarSecs: 300,
			From: start, To: start.Add(15 * time.Minute), Now: start.Add(12 * time.Minute),
		},
		Answer: serve,
		Except: []string{"403"}, // too many requests
	}
}

// serve answers like Bybit: the newest bars first, up to the limit.
func serve(w http.ResponseWriter, r *http.Request) {
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

func TestFetch(t *testing.T) {
	t.Parallel()
	want := "2025-01-02 14:30:00 96000.1 96100.5 95999.9 96050 12.345\n" +
		"2025-01-02 14:35:00 96000.1 96100.5 95999.9 96050 12.345\n"
	for _, c := range []barsourcetest.Case{newCase("BTC/USDT", "crypto"), newCase("BTCUSDT", "future"), newCase("BTCUSD", "future")} {
		if diff := cmp.Diff(want, barsourcetest.Describe(c.MustFetch(t))); diff != "" {
			t.Error(c.Query.Instrument, diff)
		}
	}
}

func TestFetchSeveralPages(t *testing.T) {
	t.Parallel()
	c := newCase("BTCUSDT", "future")
	c.Query.To = start.Add(1001 * 5 * time.Minute)
	c.Query.Now = c.Query.To
	client := barsourcetest.NewClient(t, c.Provider, c.Answer)
	got, err := c.Provider.Fetch(t.Context(), client, nil, c.Query)
	if err != nil || len(got.Block.Bars) != 1001 || len(client.Requests) != 2 {
		t.Errorf("%d bars in %d requests, error %v", len(got.Block.Bars), len(client.Requests), err)
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	newCase("BTCUSDT", "future").TestFaults(t)
}

func TestErrors(t *testing.T) {
	t.Parallel()
	newCase("BTCUSDT", "future").TestAnswers(t, map[string]barsourcetest.Answer{
		"unknown symbol":     {200, `{"retCode": 10001, "retMsg": "Not supported symbols", "result": {}}`, remote.ErrNotFound},
		"other parameter":    {200, `{"retCode": 10001, "retMsg": "Invalid period!", "result": {}}`, remote.ErrRefused},
		"address":            {403, `access too frequent`, &remote.RateLimited{RetryAfter: 10 * time.Minute, IsBanned: true}},
		"country":            {200, `{"retCode": 10024, "retMsg": "Compliance rules triggered", "result": {}}`, remote.ErrForbidden},
		"server":             {200, `{"retCode": 10016, "retMsg": "Server error.", "result": {}}`, remote.ErrUnavailable},
		"without a list":     {200, `{"retCode": 0, "retMsg": "OK", "result": {}}`, remote.ErrMalformed},
		"without an outcome": {200, `{"result": {}}`, remote.ErrMalformed},
		"short bar":          {200, `{"retCode": 0, "result": {"list": [["1735828200000", "1"]]}}`, remote.ErrMalformed},
		"empty":              {200, `{"retCode": 0, "result": {"list": []}}`, nil},
	})
	_, err := newCase("BTCUSDT", "future").Fetch(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Bapi-Limit-Reset-Timestamp", strconv.FormatInt(newCase("", "").Query.Now.Add(2*time.Second).UnixMilli(), 10))
		fmt.Fprint(w, `{"retCode": 10006, "retMsg": "Too many visits!", "result": {}}`)
	})
	if !barsourcetest.IsError(err, &remote.RateLimited{RetryAfter: 2 * time.Second}) {
		t.Errorf("too many requests: error %v", err)
	}
}

func TestSymbol(t *testing.T) {
	t.Parallel()
	newCase("BTCUSDT", "future").TestSymbols(t, []barsourcetest.Symbol{
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
	})
}

func FuzzAnswer(f *testing.F) {
	newCase("BTCUSDT", "future").FuzzAnswer(f, `{"retCode": 10006, "retMsg": "Too many visits!"}`)
}
