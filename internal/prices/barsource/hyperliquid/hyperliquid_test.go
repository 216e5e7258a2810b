package hyperliquid_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/remote"
	"fillbook/internal/prices/barsource"
	"fillbook/internal/prices/barsource/barsourcetest"
	"fillbook/internal/prices/barsource/hyperliquid"
	"fillbook/internal/trading/instruments"
)

var start = time.Date(2025, 1, 2, 14, 30, 0, 0, time.UTC)

func newCase() barsourcetest.Case {
	return barsourcetest.Case{
		Provider: hyperliquid.New(),
		Query: barsource.Query{
			Instrument: instruments.Priced{Symbol: "ETH", Type: instruments.TypeFuture}, BarSecs: 60,
			From: start, To: start.Add(3 * time.Minute), Now: start.Add(2*time.Minute + 30*time.Second),
		},
		Answer: serve,
	}
}

// serve answers like Hyperliquid. The bar that contains the start is the first.
func serve(w http.ResponseWriter, r *http.Request) {
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

func TestFetch(t *testing.T) {
	t.Parallel()
	c := newCase()
	want := "2025-01-02 14:30:00 3400.1 3402.5 3399.95 3401 123.4567\n" +
		"2025-01-02 14:31:00 3400.1 3402.5 3399.95 3401 123.4567\n"
	if diff := cmp.Diff(want, barsourcetest.Describe(c.MustFetch(t))); diff != "" {
		t.Error(diff)
	}
	c.Query.From = start.Add(10 * time.Second)
	want = want[strings.Index(want, "\n")+1:]
	if diff := cmp.Diff(want, barsourcetest.Describe(c.MustFetch(t))); diff != "" {
		t.Error(diff)
	}
}

func TestHistoryIsShort(t *testing.T) {
	t.Parallel()
	c := newCase()
	c.Query.From = start.AddDate(0, 0, -10)
	got := c.MustFetch(t)
	if len(got.Block.Bars) != 4990 || got.Covered.From != start.Add(-4988*time.Minute).Unix() {
		t.Errorf("%d bars in %v", len(got.Block.Bars), got.Covered)
	}
	c.Query.To = start.AddDate(0, 0, -5)
	if _, err := c.Fetch(t, serve); !barsourcetest.IsError(err, barsource.ErrTooOld) {
		t.Errorf("error %v", err)
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	newCase().TestFaults(t)
}

func TestErrors(t *testing.T) {
	t.Parallel()
	newCase().TestAnswers(t, map[string]barsourcetest.Answer{
		"wrong query": {422, `Failed to deserialize the JSON body into the target type`, remote.ErrRefused},
		"too many":    {429, `null`, &remote.RateLimited{}},
		"outage":      {500, `null`, remote.ErrUnavailable},
		"object":      {200, `{"t": 1}`, remote.ErrMalformed},
		"no time":     {200, `[{"o": "1", "h": "1", "l": "1", "c": "1", "v": "1"}]`, remote.ErrMalformed},
		"no trades":   {200, `null`, nil},
	})
}

func TestSymbol(t *testing.T) {
	t.Parallel()
	newCase().TestSymbols(t, []barsourcetest.Symbol{
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
	})
}

func FuzzAnswer(f *testing.F) { newCase().FuzzAnswer(f, "null") }
