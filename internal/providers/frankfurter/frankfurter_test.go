package frankfurter_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"fillbook/internal/base/remote"
	"fillbook/internal/prices/barsource"
	"fillbook/internal/prices/market"
	"fillbook/internal/providers/frankfurter"
	"fillbook/internal/providers/providertest"
	"fillbook/internal/trading/instruments"
)

const day = 24 * time.Hour

// start is a Saturday.
var start = time.Date(2026, 2, 28, 0, 0, 0, 0, time.UTC)

func newBars() providertest.BarCase {
	return providertest.BarCase{
		Provider: frankfurter.Bars(),
		Query: barsource.Query{
			Instrument: instruments.Priced{Symbol: "EURUSD", Type: instruments.TypeForex}, BarSecs: market.ReferenceSecs,
			From: start, To: start.Add(5 * day), Now: start.Add(30 * day),
		},
		Answer: serve,
		// Friday, the 27th, is in the answer but not in the query.
		Want: "2026-03-03 00:00:00 1.031 1.031 1.031 1.031 0\n2026-03-04 00:00:00 1.041 1.041 1.041 1.041 0\n",
		Long: start.Add(200 * day), LongBars: 141, LongRequests: 3, LongURL: "https://api.frankfurter.dev/v1/2026-02-28..2026-05-28?",
		Errors: map[string]providertest.Answer{
			"unknown currency": {Status: 404, Body: `{"message":"not found"}`, Want: remote.ErrNotFound},
			"bad request":      {Status: 422, Body: `{"message":"bad currency pair"}`, Want: remote.ErrRefused},
			"no rates":         {Status: 200, Body: `{"amount":1.0,"base":"EUR"}`, Want: remote.ErrMalformed},
			"rates of a day":   {Status: 200, Body: `{"amount":1.0,"base":"EUR","date":"2026-03-03","rates":{"USD":1.1}}`, Want: remote.ErrMalformed},
			"other base":       {Status: 200, Body: `{"amount":1.0,"base":"USD","rates":{"2026-03-03":{"USD":1.1}}}`, Want: remote.ErrMalformed},
			"no day":           {Status: 200, Body: `{"base":"EUR","rates":{"2026-03":{"USD":1.1}}}`, Want: remote.ErrMalformed},
			"later day":        {Status: 200, Body: `{"base":"EUR","rates":{"2026-03-05":{"USD":1.1}}}`, Want: remote.ErrMalformed},
			"much earlier day": {Status: 200, Body: `{"base":"EUR","rates":{"2026-01-05":{"USD":1.1}}}`, Want: remote.ErrMalformed},
			"text":             {Status: 200, Body: `{"base":"EUR","rates":{"2026-03-03":{"USD":true}}}`, Want: remote.ErrMalformed},
			"holidays":         {Status: 200, Body: `{"base":"EUR","rates":{"2026-02-27":{"USD":1.1}}}`},
			"empty":            {Status: 200, Body: `{"base":"EUR","rates":{}}`},
		},
		Symbols: []providertest.Symbol{
			{"EURUSD", "forex", "USD"},
			{"EURIDR", "forex", "IDR"},
			{"EURTWD", "forex", ""},
			{"EURUSDT", "forex", ""},
			{"EUREUR", "forex", ""},
			{"USDJPY", "forex", ""},
			{"AAPL", "stock", ""},
		},
	}
}

// joined is the first day without HRK rates.
var joined = time.Date(2023, 1, 2, 0, 0, 0, 0, time.UTC)

// serve answers like Frankfurter: there are no rates on weekends and on 2 March, and an
// answer begins with the last day with rates if its first day has none.
func serve(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	first, last, isRange := strings.Cut(strings.TrimPrefix(r.URL.Path, "/v1/"), "..")
	from, errFrom := time.Parse(time.DateOnly, first)
	to, errTo := time.Parse(time.DateOnly, last)
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	switch {
	case !isRange || r.Host != "api.frankfurter.dev":
		http.Error(w, `{"message":"not found"}`, http.StatusNotFound)
		return
	case errFrom != nil || errTo != nil || q.Get("base") == q.Get("symbols"):
		http.Error(w, `{"message":"invalid date"}`, http.StatusUnprocessableEntity)
		return
	}
	for !hasRates(from) {
		from = from.Add(-day)
	}
	var days []string
	for at := from; !at.After(to); at = at.Add(day) {
		currency := q.Get("symbols")
		if hasRates(at) && slices.Contains([]string{"USD", "IDR", "HRK"}, currency) && (currency != "HRK" || at.Before(joined)) {
			days = append(days, fmt.Sprintf(`"%s":{"%s":1.%02d10}`, at.Format(time.DateOnly), currency, at.Day()))
		}
	}
	if len(days) == 0 {
		http.Error(w, `{"message":"not found"}`, http.StatusNotFound)
		return
	}
	fmt.Fprintf(w, `{"amount":1.0,"base":"EUR","start_date":"%s","end_date":"%s","rates":{%s}}`,
		from.Format(time.DateOnly), to.Format(time.DateOnly), strings.Join(days, ","))
}

func hasRates(at time.Time) bool {
	return at.Weekday() != time.Saturday && at.Weekday() != time.Sunday && at.Format(time.DateOnly) != "2026-03-02"
}

func TestFetchKeepsDigits(t *testing.T) {
	t.Parallel()
	c := newBars()
	c.Answer = providertest.Reply(http.StatusOK,
		`{"base":"EUR","rates":{"2026-03-03":{"USD":123456789.12345679},"2026-03-04":{"USD":0},"2026-03-01":{"USD":-1},"2026-02-28":{"GBP":2},"2026-03-02":{"USD":1e1}}}`)
	// A float of 64 bits would end in 12345678.
	got := c.Expect(t, "2026-03-02 00:00:00 10 10 10 10 0\n2026-03-03 00:00:00"+strings.Repeat(" 123456789.12345679", 4)+" 0\n")
	if got.Skipped != 2 {
		t.Errorf("%d skipped", got.Skipped)
	}
}

// TestFetchToday sends a query before and after the day's rate is expected.
func TestFetchToday(t *testing.T) {
	t.Parallel()
	c := newBars()
	c.Query.From = time.Date(2026, 3, 9, 0, 0, 0, 0, time.UTC)
	today := c.Query.From.Add(day)
	for hour, want := range map[int]int{15: 1, 16: 2} {
		c.Query.Now = today.Add(time.Duration(hour) * time.Hour)
		c.Query.To = c.Query.Now
		client := providertest.NewClient(t, c.Provider, c.Answer)
		got, err := c.Provider.Fetch(t.Context(), client, nil, c.Query)
		if err != nil || len(got.Block.Bars) != want || len(client.Requests) != 1 {
			t.Errorf("at %d:00: %d rates, %d requests, error %v", hour, len(got.Block.Bars), len(client.Requests), err)
		}
	}
}

// TestFetchCurrencyThatJoinedTheEuro has rates on some pages only.
func TestFetchCurrencyThatJoinedTheEuro(t *testing.T) {
	t.Parallel()
	c := newBars()
	c.Query.Instrument.Symbol = "EURHRK"
	c.Query.From, c.Query.To = joined.Add(-30*day), joined.Add(300*day)
	got := c.MustFetch(t)
	if last := got.Block.Bars[len(got.Block.Bars)-1].Time; last != joined.Add(-3*day).Unix() {
		t.Errorf("the last rate is of %v", time.Unix(last, 0).UTC())
	}
	c.Query.From = joined.Add(10 * day)
	if _, err := c.Fetch(t, c.Answer); !providertest.IsError(err, remote.ErrNotFound) {
		t.Error(err)
	}
}

func TestBars(t *testing.T) { providertest.Run(t, newBars) }

func TestKinds(t *testing.T) {
	t.Parallel()
	got := newBars().MustFetch(t)
	if got.PriceKind != market.ReferencePrice || got.VolumeKind != market.NoVolume || got.Symbol != "USD" || got.Block.Secs != market.ReferenceSecs ||
		got.Covered != (market.Range{From: start.Unix(), To: start.Add(5 * day).Unix()}) {
		t.Errorf("%+v", got)
	}
}

func FuzzBars(f *testing.F) { newBars().FuzzAnswer(f, `{"message": "not found"}`) }
