package oanda_test

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"fillbook/internal/base/remote"
	"fillbook/internal/prices/barsource"
	"fillbook/internal/prices/market"
	"fillbook/internal/providers/oanda"
	"fillbook/internal/providers/providertest"
	"fillbook/internal/trading/instruments"
)

var opening = time.Date(2025, 1, 2, 14, 30, 0, 0, time.UTC)

func newBars() providertest.BarCase {
	return providertest.BarCase{
		Provider:    oanda.Bars(),
		Credentials: map[string]string{"token": providertest.Secret},
		Query: barsource.Query{
			Instrument: instruments.Priced{Symbol: "EURUSD", Type: instruments.TypeForex}, BarSecs: 60,
			From: opening, To: opening.Add(4 * time.Minute), Now: opening.Add(24 * time.Hour),
		},
		Answer: serveBars,
		Want:   describeMinutes("1.02995"),
		Long:   opening.Add(5001 * time.Minute), LongBars: 4833, LongRequests: 2, LongURL: "https://api-fxpractice.oanda.com/",
		Errors: map[string]providertest.Answer{
			"wrong token":    {Status: 401, Body: `{"errorMessage": "Insufficient authorization to perform request."}`, Want: remote.ErrUnauthorized},
			"unknown symbol": {Status: 400, Body: `{"errorMessage": "Invalid value specified for 'instrument'"}`, Want: remote.ErrNotFound},
			"too many bars":  {Status: 400, Body: `{"errorMessage": "Maximum value for 'count' exceeded"}`, Want: remote.ErrRefused},
			"no candles":     {Status: 200, Body: `{}`, Want: remote.ErrMalformed},
			"other price":    {Status: 200, Body: `{"candles": [{"complete": true, "time": "2025-01-02T14:30:00Z", "ask": {"o": "1", "h": "1", "l": "1", "c": "1"}}]}`, Want: remote.ErrMalformed},
			"no time":        {Status: 200, Body: `{"candles": [{"complete": true, "mid": {"o": "1", "h": "1", "l": "1", "c": "1"}}]}`, Want: remote.ErrMalformed},
			"weekend":        {Status: 200, Body: `{"candles": []}`},
		},
		Symbols: []providertest.Symbol{
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
		},
	}
}

// serveBars answers like OANDA: the last candle is not complete, and a time without prices
// has none.
func serveBars(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	from, _ := time.Parse(time.RFC3339, q.Get("from"))
	to, _ := time.Parse(time.RFC3339, q.Get("to"))
	name := map[string]string{"M": "mid", "B": "bid", "A": "ask"}[q.Get("price")]
	price := map[string]string{"M": "1.02995", "B": "1.0299", "A": "1.03"}[q.Get("price")]
	isHost := r.Host == "api-fxpractice.oanda.com" || r.Host == "api-fxtrade.oanda.com"
	switch {
	case r.Header.Get("Authorization") != "Bearer "+providertest.Secret || !isHost:
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

func TestBars(t *testing.T) { providertest.Run(t, newBars) }

// describeMinutes returns the complete candles of the query with an opening price.
func describeMinutes(open string) string {
	return "2025-01-02 14:30:00 " + open + " 1.0311 1.0288 1.03 61\n2025-01-02 14:32:00 " + open + " 1.0311 1.0288 1.03 61\n"
}

func TestPriceKinds(t *testing.T) {
	t.Parallel()
	c := newBars()
	for kind, open := range map[market.PriceKind]string{"": "1.02995", market.BidPrice: "1.0299", market.AskPrice: "1.03"} {
		c.Credentials["price"] = string(kind)
		got := c.Expect(t, describeMinutes(open))
		if got.PriceKind != cmp.Or(kind, market.MidPrice) || got.VolumeKind != market.TickVolume || !got.IsComplete {
			t.Errorf("%+v", got)
		}
	}
	c.Credentials["environment"] = "live"
	client := providertest.NewClient(t, c.Provider, c.Answer)
	if _, err := c.Provider.Fetch(t.Context(), client, c.Credentials, c.Query); err != nil || client.Requests[0].URL.Host != "api-fxtrade.oanda.com" {
		t.Errorf("%s, error %v", client.Requests[0].URL, err)
	}
}

func FuzzBars(f *testing.F) { newBars().FuzzAnswer(f, `{"errorMessage": "no"}`) }
