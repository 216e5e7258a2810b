package oanda_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/remote"
	"fillbook/internal/prices/barsource"
	"fillbook/internal/prices/barsource/barsourcetest"
	"fillbook/internal/prices/barsource/oanda"
	"fillbook/internal/prices/market"
	"fillbook/internal/trading/instruments"
)

var start = time.Date(2025, 1, 2, 14, 30, 0, 0, time.UTC)

func newCase() barsourcetest.Case {
	return barsourcetest.Case{
		Provider:    oanda.New(),
		Credentials: map[string]string{"token": barsourcetest.Secret},
		Query: barsource.Query{
			Instrument: instruments.Priced{Symbol: "EURUSD", Type: instruments.TypeForex}, BarSecs: 60,
			From: start, To: start.Add(3 * time.Minute), Now: start.Add(24 * time.Hour),
		},
		Answer: serve,
	}
}

// serve answers like OANDA: the last candle is not complete, and a time without prices
// has none.
func serve(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	from, _ := time.Parse(time.RFC3339, q.Get("from"))
	to, _ := time.Parse(time.RFC3339, q.Get("to"))
	name := map[string]string{"M": "mid", "B": "bid", "A": "ask"}[q.Get("price")]
	price := map[string]string{"M": "1.02995", "B": "1.0299", "A": "1.03"}[q.Get("price")]
	isHost := r.Host == "api-fxpractice.oanda.com" || r.Host == "api-fxtrade.oanda.com"
	switch {
	case r.Header.Get("Authorization") != "Bearer "+barsourcetest.Secret || !isHost:
		http.Error(w, `{"errorMessage": "Insufficient authorization to perform request."}`, http.StatusUnauthorized)
		return
	case r.URL.Path != "/v3/instruments/EUR_USD/candles":
		http.Error(w, `{"errorMessage": "Invalid value specified for 'instrument'"}`, http.StatusBadRequest)
		return
	case to.Sub(from) > 5000*time.Minute:
		http.Error(w, `{"errorMessage": "Maximum value for 'count' exceeded"}`, http.StatusBadRequest)
		return
	}
	var candles []string
	for at := from; at.Before(to); at = at.Add(time.Minute) {
		if at.Minute() == 31 {
			continue
		}
		candles = append(candles, fmt.Sprintf(`{"complete": %v, "volume": 61, "time": "%s", %q: {"o": %q, "h": "1.0311", "l": "1.0288", "c": "1.03"}}`,
			at.Minute() != 33, at.Format("2006-01-02T15:04:05.000000000Z"), name, price))
	}
	fmt.Fprintf(w, `{"instrument": "EUR_USD", "granularity": "M1", "candles": [%s]}`, strings.Join(candles, ","))
}

func TestFetch(t *testing.T) {
	t.Parallel()
	c := newCase()
	c.Query.To = start.Add(4 * time.Minute)
	for kind, open := range map[market.PriceKind]string{"": "1.02995", market.BidPrice: "1.0299", market.AskPrice: "1.03"} {
		c.Credentials["price"] = string(kind)
		got := c.MustFetch(t)
		want := "2025-01-02 14:30:00 " + open + " 1.0311 1.0288 1.03 61\n2025-01-02 14:32:00 " + open + " 1.0311 1.0288 1.03 61\n"
		if diff := cmp.Diff(want, barsourcetest.Describe(got)); diff != "" {
			t.Error(diff)
		}
		if kind == "" {
			kind = market.MidPrice
		}
		if got.PriceKind != kind || got.VolumeKind != market.TickVolume || !got.IsComplete {
			t.Errorf("%+v", got)
		}
	}
}

func TestFetchSeveralPages(t *testing.T) {
	t.Parallel()
	c := newCase()
	c.Credentials["environment"] = "live"
	c.Query.To = start.Add(5001 * time.Minute)
	c.Query.Now = c.Query.To
	client := barsourcetest.NewClient(t, c.Provider, c.Answer)
	_, err := c.Provider.Fetch(t.Context(), client, c.Credentials, c.Query)
	if err != nil || len(client.Requests) != 2 || client.Requests[0].URL.Host != "api-fxtrade.oanda.com" {
		t.Errorf("%d requests, error %v", len(client.Requests), err)
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	newCase().TestFaults(t)
}

func TestErrors(t *testing.T) {
	t.Parallel()
	newCase().TestAnswers(t, map[string]barsourcetest.Answer{
		"wrong token":    {401, `{"errorMessage": "Insufficient authorization to perform request."}`, remote.ErrUnauthorized},
		"unknown symbol": {400, `{"errorMessage": "Invalid value specified for 'instrument'"}`, remote.ErrNotFound},
		"too many bars":  {400, `{"errorMessage": "Maximum value for 'count' exceeded"}`, remote.ErrRefused},
		"no candles":     {200, `{}`, remote.ErrMalformed},
		"other price":    {200, `{"candles": [{"complete": true, "time": "2025-01-02T14:30:00Z", "ask": {"o": "1", "h": "1", "l": "1", "c": "1"}}]}`, remote.ErrMalformed},
		"no time":        {200, `{"candles": [{"complete": true, "mid": {"o": "1", "h": "1", "l": "1", "c": "1"}}]}`, remote.ErrMalformed},
		"weekend":        {200, `{"candles": []}`, nil},
	})
}

func TestSymbol(t *testing.T) {
	t.Parallel()
	newCase().TestSymbols(t, []barsourcetest.Symbol{
		{"EURUSD", "forex", "EUR_USD"},
		{"eur/usd", "forex", "EUR_USD"},
		{"EUR_USD", "forex", "EUR_USD"},
		{"EURUSD.PRO", "forex", "EUR_USD"},
		{"EURUSDm", "forex", "EUR_USD"},
		{"OANDA:XAUUSD", "cfd", "XAU_USD"},
		{"NAS100", "cfd", "NAS100_USD"},
		{"NAS100_USD", "cfd", "NAS100_USD"},
		{"DE30EUR", "cfd", "DE30_EUR"},
		{"GBPJPY", "", "GBP_JPY"},
		{"GOOGLE", "cfd", ""},
		{"EURUSD", "future", ""},
		{"AAPL", "stock", ""},
		{"BTCUSD", "cfd", ""},
	})
}

func FuzzAnswer(f *testing.F) { newCase().FuzzAnswer(f, `{"errorMessage": "no"}`) }
