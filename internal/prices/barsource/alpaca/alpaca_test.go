package alpaca_test

import (
	"encoding/json"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/remote"
	"fillbook/internal/prices/barsource"
	"fillbook/internal/prices/barsource/alpaca"
	"fillbook/internal/prices/barsource/barsourcetest"
	"fillbook/internal/trading/instruments"
)

var start = time.Date(2025, 1, 2, 14, 30, 0, 0, time.UTC)

func newCase() barsourcetest.Case {
	return barsourcetest.Case{
		Provider:    alpaca.New(),
		Credentials: map[string]string{"key_id": "PK1", "secret_key": barsourcetest.Secret},
		Query: barsource.Query{
			Instrument: instruments.Priced{Symbol: "BRK/B", Type: instruments.TypeStock}, BarSecs: 60,
			From: start, To: start.Add(3 * time.Minute), Now: start.Add(24 * time.Hour),
		},
		Answer: serve,
		Except: []string{"403"}, // a wrong key
	}
}

// serve answers like Alpaca, with two bars in a page.
func serve(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	from, _ := time.Parse(time.RFC3339, q.Get("start"))
	to, _ := time.Parse(time.RFC3339, q.Get("end"))
	switch {
	case r.Header.Get("Apca-Api-Key-Id") != "PK1" || r.Header.Get("Apca-Api-Secret-Key") != barsourcetest.Secret:
		http.Error(w, `{"message": "forbidden."}`, http.StatusForbidden)
		return
	case r.URL.Path != "/v2/stocks/bars" || q.Get("timeframe") != "1Min" || q.Get("adjustment") != "raw" || q.Get("limit") != "10000":
		http.Error(w, `{"message": "unexpected query"}`, http.StatusUnprocessableEntity)
		return
	case q.Get("symbols") != "BRK.B":
		http.Error(w, `{"message": "invalid symbol: `+q.Get("symbols")+`"}`, http.StatusBadRequest)
		return
	}
	type bar map[string]any
	var page []bar
	skip, _ := strconv.Atoi(q.Get("page_token"))
	for at := from.Add(time.Duration(skip) * time.Minute); !at.After(to) && len(page) < 2; at = at.Add(time.Minute) { // the end is inclusive
		page = append(page, bar{"t": at.Format(time.RFC3339), "o": json.Number("450.1"), "h": json.Number("450.55"), "l": 450, "c": 450.5, "v": 1200 + skip, "n": 17, "vw": 450.2})
	}
	var next any
	if skip+2 <= int(to.Sub(from)/time.Minute) {
		next = strconv.Itoa(skip + 2)
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"bars": map[string]any{"BRK.B": page}, "next_page_token": next})
}

func TestFetch(t *testing.T) {
	t.Parallel()
	c := newCase()
	got := c.MustFetch(t)
	want := "2025-01-02 14:30:00 450.1 450.55 450 450.5 1200\n" +
		"2025-01-02 14:31:00 450.1 450.55 450 450.5 1200\n" +
		"2025-01-02 14:32:00 450.1 450.55 450 450.5 1202\n"
	if diff := cmp.Diff(want, barsourcetest.Describe(got)); diff != "" {
		t.Error(diff)
	}
	if !got.IsComplete {
		t.Error("the trades of all exchanges are complete")
	}
	c.Credentials["feed"] = "iex"
	if c.MustFetch(t).IsComplete {
		t.Error("the trades of one exchange are not complete")
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	newCase().TestFaults(t)
}

func TestErrors(t *testing.T) {
	t.Parallel()
	newCase().TestAnswers(t, map[string]barsourcetest.Answer{
		"wrong key":      {403, `{"message": "forbidden."}`, remote.ErrUnauthorized},
		"recent data":    {403, `{"message": "subscription does not permit querying recent SIP data"}`, remote.ErrForbidden},
		"unknown symbol": {400, `{"message": "invalid symbol: FOO"}`, remote.ErrNotFound},
		"no bars member": {200, `{}`, remote.ErrMalformed},
		"same page":      {200, `{"bars": {}, "next_page_token": "a"}`, remote.ErrMalformed},
		"wrong time":     {200, `{"bars": {"BRK.B": [{"t": "2024-01-02T14:30:00Z", "o": 1, "h": 1, "l": 1, "c": 1, "v": 1}]}}`, remote.ErrMalformed},
		"empty":          {200, `{"bars": null, "next_page_token": null}`, nil},
	})
	_, err := newCase().Fetch(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-RateLimit-Reset", strconv.FormatInt(newCase().Query.Now.Add(20*time.Second).Unix(), 10))
		w.WriteHeader(http.StatusTooManyRequests)
	})
	if !barsourcetest.IsError(err, &remote.RateLimited{RetryAfter: 20 * time.Second}) {
		t.Errorf("too many requests: error %v", err)
	}
}

func TestSymbol(t *testing.T) {
	t.Parallel()
	newCase().TestSymbols(t, []barsourcetest.Symbol{
		{"aapl", "stock", "AAPL"},
		{"BRK-B", "stock", "BRK.B"},
		{"BRK B", "stock", "BRK.B"},
		{"AAPL.US", "stock", "AAPL"},
		{"NASDAQ:AAPL", "", "AAPL"},
		{"ES", "stock", "ES"},
		{"ESZ5", "", ""},
		{"ESZ5", "future", ""},
		{"EUR/USD", "forex", ""},
		{"SAP.DE", "stock", ""},
		{"AAPL 240119C00150000", "option", ""},
		{"BTCUSDT", "crypto", ""},
	})
}

func FuzzAnswer(f *testing.F) { newCase().FuzzAnswer(f, `{"message": "forbidden."}`) }
