package alpaca_test

import (
	"encoding/json"
	"net/http"
	"strconv"
	"testing"
	"time"

	"fillbook/internal/base/remote"
	"fillbook/internal/prices/barsource"
	"fillbook/internal/providers/alpaca"
	"fillbook/internal/providers/providertest"
	"fillbook/internal/trading/instruments"
)

var opening = time.Date(2025, 1, 2, 14, 30, 0, 0, time.UTC)

func newBars() providertest.BarCase {
	return providertest.BarCase{
		Provider:    alpaca.Bars(),
		Credentials: map[string]string{"key_id": "PK1", "secret_key": providertest.Secret},
		Query: barsource.Query{
			Instrument: instruments.Priced{Symbol: "BRK/B", Type: instruments.TypeStock}, BarSecs: 60,
			From: opening, To: opening.Add(3 * time.Minute), Now: opening.Add(24 * time.Hour),
		},
		Answer: serveBars,
		Except: []string{"403"}, // a wrong key
		Want: "2025-01-02 14:30:00 450.1 450.55 450 450.5 1200\n" +
			"2025-01-02 14:31:00 450.1 450.55 450 450.5 1200\n" +
			"2025-01-02 14:32:00 450.1 450.55 450 450.5 1202\n",
		Errors: map[string]providertest.Answer{
			"wrong key":      {Status: 403, Body: `{"message": "forbidden."}`, Want: remote.ErrUnauthorized},
			"recent data":    {Status: 403, Body: `{"message": "subscription does not permit querying recent SIP data"}`, Want: remote.ErrForbidden},
			"unknown symbol": {Status: 400, Body: `{"message": "invalid symbol: FOO"}`, Want: remote.ErrNotFound},
			"no bars member": {Status: 200, Body: `{}`, Want: remote.ErrMalformed},
			"same page":      {Status: 200, Body: `{"bars": {}, "next_page_token": "a"}`, Want: remote.ErrMalformed},
			"wrong time":     {Status: 200, Body: `{"bars": {"BRK.B": [{"t": "2024-01-02T14:30:00Z", "o": 1, "h": 1, "l": 1, "c": 1, "v": 1}]}}`, Want: remote.ErrMalformed},
			"empty":          {Status: 200, Body: `{"bars": null, "next_page_token": null}`},
		},
		Symbols: []providertest.Symbol{
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
		},
	}
}

// serveBars answers like Alpaca, with two bars in a page.
func serveBars(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	from, _ := time.Parse(time.RFC3339, q.Get("start"))
	to, _ := time.Parse(time.RFC3339, q.Get("end"))
	switch {
	case r.Header.Get("Apca-Api-Key-Id") != "PK1" || r.Header.Get("Apca-Api-Secret-Key") != providertest.Secret:
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

func TestBars(t *testing.T) { providertest.Run(t, newBars) }

func TestFeeds(t *testing.T) {
	t.Parallel()
	c := newBars()
	if !c.MustFetch(t).IsComplete {
		t.Error("the trades of all exchanges are complete")
	}
	c.Credentials["feed"] = "iex"
	if c.MustFetch(t).IsComplete {
		t.Error("the trades of one exchange are not complete")
	}
	c.TestLimit(t, "X-RateLimit-Reset", strconv.FormatInt(c.Query.Now.Add(20*time.Second).Unix(), 10), "", 20*time.Second)
}

func FuzzBars(f *testing.F) { newBars().FuzzAnswer(f, `{"message": "forbidden."}`) }
