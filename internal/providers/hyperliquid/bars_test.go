package hyperliquid_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"fillbook/internal/base/remote"
	"fillbook/internal/prices/barsource"
	"fillbook/internal/providers/hyperliquid"
	"fillbook/internal/providers/providertest"
	"fillbook/internal/trading/instruments"
)

var opening = time.Date(2025, 1, 2, 14, 30, 0, 0, time.UTC)

func newBars() providertest.BarCase {
	return providertest.BarCase{
		Provider: hyperliquid.Bars(),
		Query: barsource.Query{
			Instrument: instruments.Priced{Symbol: "ETH", Type: instruments.TypeFuture}, BarSecs: 60,
			From: opening, To: opening.Add(3 * time.Minute), Now: opening.Add(2*time.Minute + 30*time.Second),
		},
		Answer: serveBars,
		Want: "2025-01-02 14:30:00 3400.1 3402.5 3399.95 3401 123.4567\n" +
			"2025-01-02 14:31:00 3400.1 3402.5 3399.95 3401 123.4567\n",
		Errors: map[string]providertest.Answer{
			"wrong query": {Status: 422, Body: `Failed to deserialize the JSON body into the target type`, Want: remote.ErrRefused},
			"too many":    {Status: 429, Body: `null`, Want: &remote.RateLimited{}},
			"outage":      {Status: 500, Body: `null`, Want: remote.ErrUnavailable},
			"object":      {Status: 200, Body: `{"t": 1}`, Want: remote.ErrMalformed},
			"no time":     {Status: 200, Body: `[{"o": "1", "h": "1", "l": "1", "c": "1", "v": "1"}]`, Want: remote.ErrMalformed},
			"no trades":   {Status: 200, Body: `null`},
		},
		Symbols: []providertest.Symbol{
			{"ETH", "future", "ETH"},
			{"BTC-PERP", "future", "BTC"},
			{"KPEPE", "future", "kPEPE"},
			{"XYZ:AAPL", "future", "xyz:AAPL"},
			{"HYPE", "future", "HYPE"},
			{"ES", "future", ""},
			{"ESZ5", "future", ""},
			{"CL", "future", ""},
			{"HYPE/USDC", "crypto", ""},
			{"BTC", "crypto", ""},
			{"AAPL", "", ""},
			{"AAPL", "stock", ""},
		},
	}
}

// serveBars answers like Hyperliquid. The bar that contains the start is the first.
func serveBars(w http.ResponseWriter, r *http.Request) {
	var request struct {
		Type  string
		Query struct {
			Coin, Interval     string
			StartTime, EndTime int64
		} `json:"req"`
	}
	err := json.NewDecoder(r.Body).Decode(&request)
	if err != nil || r.Method != http.MethodPost || r.URL.Path != "/info" || request.Type != "candleSnapshot" || request.Query.Interval != "1m" || request.Query.Coin != "ETH" {
		http.Error(w, "Failed to deserialize the JSON body into the target type", http.StatusUnprocessableEntity)
		return
	}
	var bars []string
	for at := request.Query.StartTime - request.Query.StartTime%60_000; at <= request.Query.EndTime; at += 60_000 {
		bars = append(bars, fmt.Sprintf(`{"t":%d,"T":%d,"s":"ETH","i":"1m","o":"3400.1","c":"3401.0","h":"3402.5","l":"3399.95","v":"123.4567","n":88}`, at, at+59_999))
	}
	fmt.Fprintf(w, "[%s]", strings.Join(bars, ","))
}

func TestHistoryIsShort(t *testing.T) {
	t.Parallel()
	c := newBars()
	c.Query.From = opening.AddDate(0, 0, -10)
	got := c.MustFetch(t)
	if len(got.Block.Bars) != 4990 || got.Covered.From != opening.Add(-4988*time.Minute).Unix() {
		t.Errorf("%d bars in %v", len(got.Block.Bars), got.Covered)
	}
	c.Query.To = opening.AddDate(0, 0, -5)
	if _, err := c.Fetch(t, c.Answer); !providertest.IsError(err, barsource.ErrTooOld) {
		t.Errorf("error %v", err)
	}
}

func TestBars(t *testing.T) { providertest.Run(t, newBars) }

func TestFirstBar(t *testing.T) {
	t.Parallel()
	c := newBars()
	c.Query.From = opening.Add(10 * time.Second)
	c.Expect(t, c.Want[strings.Index(c.Want, "\n")+1:])
}

func FuzzBars(f *testing.F) { newBars().FuzzAnswer(f, "null") }
