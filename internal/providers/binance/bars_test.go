package binance

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"time"

	"fillbook/internal/base/remote"
	"fillbook/internal/prices/barsource"
	"fillbook/internal/providers/providertest"
	"fillbook/internal/trading/instruments"
)

var opening = time.Date(2025, 1, 2, 14, 30, 0, 0, time.UTC)

// serveBars answers like Binance: bars that open from startTime to endTime, oldest first,
// up to the limit, with the one still open.
func serveBars(q url.Values) http.HandlerFunc {
	limit := int(providertest.Int(q, "limit"))
	switch {
	case q.Get("interval") != "1m" || limit > 1000:
		return refuse(-1100, "Illegal characters found in a parameter.")
	case q.Get("symbol") != "BTCUSDT":
		return refuse(-1121, "Invalid symbol.")
	}
	var rows providertest.List
	for at := providertest.Int(q, "startTime"); at <= providertest.Int(q, "endTime") && len(rows) < limit; at += 60_000 {
		rows = append(rows, fmt.Sprintf(`[%d,"96000.01000000","96100.50000000","95999.99000000","96050.00000000","12.34567800",%d,"1185000.1",310,"6.1","585600.2","0"]`, at, at+59_999))
	}
	return providertest.OK(rows.String())
}

func newBars(kind string) providertest.BarCase {
	path, now := map[string]string{spotHost: spotPath, futuresHost: futuresBarPath}, opening.Add(2*time.Minute+30*time.Second)
	return providertest.BarCase{
		Provider: Bars(),
		Query: barsource.Query{
			Instrument: instruments.Priced{Symbol: "BTC/USDT", Type: kind}, BarSecs: 60, From: opening, To: opening.Add(3 * time.Minute), Now: now,
		},
		Answer: func(w http.ResponseWriter, r *http.Request) {
			server := providertest.Server{Public: providertest.Routes{path[r.Host]: serveBars}}
			server.ServeHTTP(w, r)
		},
		Except: []string{"403"}, // the firewall
		Want: "2025-01-02 14:30:00 96000.01 96100.5 95999.99 96050 12.345678\n" +
			"2025-01-02 14:31:00 96000.01 96100.5 95999.99 96050 12.345678\n",
		Long: opening.Add(2500 * time.Minute), LongBars: 2500, LongRequests: 3,
		Errors: map[string]providertest.Answer{
			"unknown symbol": {Status: 400, Body: `{"code": -1121, "msg": "Invalid symbol."}`, Want: remote.ErrNotFound},
			"banned": {
				Status: 418, Body: fmt.Sprintf(`{"code": -1003, "msg": "Way too much request weight used; IP banned until %d."}`, now.Add(5*time.Minute).UnixMilli()),
				Want: &remote.RateLimited{RetryAfter: 5 * time.Minute, IsBanned: true},
			},
			"too many":  {Status: 429, Body: `{"code": -1003, "msg": "Too many requests."}`, Want: &remote.RateLimited{}},
			"firewall":  {Status: 403, Body: `<html>`, Want: &remote.RateLimited{IsBanned: true}},
			"country":   {Status: 451, Body: `{"code": 0, "msg": "Service unavailable from a restricted location"}`, Want: remote.ErrForbidden},
			"object":    {Status: 200, Body: `{"bars": []}`, Want: remote.ErrMalformed},
			"short bar": {Status: 200, Body: `[[1735828200000, "1"]]`, Want: remote.ErrMalformed},
			"nested":    {Status: 200, Body: `[[1735828200000, ["1"], "1", "1", "1", "1"]]`, Want: remote.ErrMalformed},
		},
		Symbols: []providertest.Symbol{
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
		},
	}
}

func TestBars(t *testing.T) {
	providertest.Run(t, func() providertest.BarCase { return newBars(instruments.TypeCrypto) })
}

func TestBarsOfFutures(t *testing.T) {
	t.Parallel()
	c := newBars(instruments.TypeFuture)
	c.Expect(t, c.Want)
}

func FuzzBars(f *testing.F) {
	newBars(instruments.TypeCrypto).FuzzAnswer(f, `{"code": -1003, "msg": "IP banned until 9999999999999"}`)
}
