package databento_test

import (
	"encoding/binary"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"fillbook/internal/base/remote"
	"fillbook/internal/prices/barsource"
	"fillbook/internal/providers/databento"
	"fillbook/internal/providers/providertest"
	"fillbook/internal/trading/instruments"
)

var start = time.Date(2025, 1, 2, 14, 30, 0, 0, time.UTC)

func newBars(symbol string) providertest.BarCase {
	refusal := func(name string) string { return `{"detail": {"case": "` + name + `", "message": "No."}}` }
	minute := func(from time.Time) string {
		return string(newFile(from, from.Add(time.Minute), func(int) uint32 { return 1 }))
	}
	none := string(newFile(start, start, nil))
	return providertest.BarCase{
		Provider:    databento.Bars(),
		Credentials: map[string]string{"api_key": providertest.Secret},
		Query: barsource.Query{
			Instrument: instruments.Priced{Symbol: symbol, Type: instruments.TypeFuture}, BarSecs: 60,
			From: start, To: start.Add(3 * time.Minute), Now: start.Add(48 * time.Hour),
		},
		Answer: serve,
		Want:   "2025-01-02 14:30:00 5950.25 5952 5949.5 5951 1234\n2025-01-02 14:32:00 5950.25 5952 5949.5 5951 1234\n",
		Errors: map[string]providertest.Answer{
			"wrong key":      {Status: 401, Body: refusal("auth_authentication_failed"), Want: remote.ErrUnauthorized},
			"no money":       {Status: 402, Body: refusal("account_insufficient_funds"), Want: remote.ErrForbidden},
			"no license":     {Status: 403, Body: refusal("license_not_found_unauthorized"), Want: remote.ErrForbidden},
			"unknown symbol": {Status: 422, Body: refusal("symbology_invalid_request"), Want: remote.ErrNotFound},
			"too recent":     {Status: 422, Body: refusal("data_end_after_available_end"), Want: remote.ErrUnavailable},
			"other":          {Status: 422, Body: refusal("data_schema_not_fully_available"), Want: remote.ErrRefused},
			"a part":         {Status: 206, Body: none, Want: remote.ErrTruncated},
			"text":           {Status: 200, Body: "ts_event,rtype\n", Want: remote.ErrMalformed},
			"other length":   {Status: 200, Body: strings.ReplaceAll(minute(start), "\x0e\x21\x01\x00", "\x0e\x22\x01\x00"), Want: remote.ErrMalformed},
			"other time":     {Status: 200, Body: minute(start.AddDate(-1, 0, 0)), Want: remote.ErrMalformed},
			"no bars":        {Status: 200, Body: none},
		},
		Symbols: []providertest.Symbol{
			{"ESH5", "future", "ESH5"},
			{"ES 03-25", "future", "ESH5"},
			{"/ESH25", "", "ESH5"},
			{"CON.F.US.EP.H25", "future", "ESH5"},
			{"GCZ25", "future", "GCZ5"},
			{"6EM5", "future", "6EM5"},
			{"MNQ", "future", "MNQ.v.0"},
			{"MNQ1!", "future", "MNQ.v.0"},
			{"ES", "", ""},
			{"FDAXH5", "future", ""},
			{"ETH", "crypto", ""},
			{"AAPL", "stock", ""},
			{"BTCUSDT", "future", ""},
		},
	}
}

var little = binary.LittleEndian

// newFile returns a DBN file, version 1, with a bar for each minute with trades. number
// is the instrument's.
func newFile(from, to time.Time, number func(minute int) uint32) []byte {
	metadata := make([]byte, 16+2+8+8+8+8+3+52+5*4) // no schema, no symbols and no mappings
	data := append(little.AppendUint32([]byte("DBN\x01"), uint32(len(metadata))), metadata...)
	for minute := 0; from.Before(to); minute, from = minute+1, from.Add(time.Minute) {
		if from.Minute() == 31 {
			continue
		}
		data = append(data, 14, 33, 1, 0)
		data = little.AppendUint32(data, number(minute))
		data = little.AppendUint64(data, uint64(from.UnixNano()))
		for _, price := range []uint64{5950_250000000, 5952_000000000, 5949_500000000, 5951_000000000} {
			data = little.AppendUint64(data, price)
		}
		data = little.AppendUint64(data, 1234)
	}
	return data
}

// serve answers like Databento.
func serve(w http.ResponseWriter, r *http.Request) {
	key, _, _ := r.BasicAuth()
	kinds := map[string]string{"ESH5": "raw_symbol", "ES.v.0": "continuous"}
	from, _ := time.Parse(time.RFC3339, r.FormValue("start"))
	to, _ := time.Parse(time.RFC3339, r.FormValue("end"))
	refuse := func(status int, name, message string) {
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"detail": {"case": %q, "message": %q, "status_code": %d, "docs": "https://databento.com/docs", "payload": null}}`, name, message, status)
	}
	switch {
	case key != providertest.Secret:
		refuse(http.StatusUnauthorized, "auth_authentication_failed", "Authentication failed.")
	case r.FormValue("dataset") != "GLBX.MDP3" || r.FormValue("schema") != "ohlcv-1m":
		refuse(http.StatusUnprocessableEntity, "data_schema_not_fully_available", "Not available.")
	case kinds[r.FormValue("symbols")] != r.FormValue("stype_in"):
		refuse(http.StatusUnprocessableEntity, "symbology_invalid_request", "None of the symbols could be resolved")
	case r.Method == http.MethodGet && r.URL.Path == "/v0/metadata.get_cost":
		fmt.Fprintf(w, "%v", 0.0000012516975402832031*float64(to.Sub(from)/time.Minute)*100)
	case r.Method == http.MethodPost && r.URL.Path == "/v0/timeseries.get_range" && r.FormValue("encoding") == "dbn" && r.FormValue("compression") == "none":
		_, _ = w.Write(newFile(from, to, func(minute int) uint32 { return uint32(100 + minute) }))
	default:
		refuse(http.StatusNotFound, "not_found", "Not found.")
	}
}

func TestBarsAreADayOld(t *testing.T) {
	t.Parallel()
	c := newBars("ESH5")
	c.Query.Now = start.Add(25*time.Hour + time.Minute)
	if got := c.MustFetch(t); len(got.Block.Bars) != 1 || got.Covered.To != start.Add(time.Minute).Unix() {
		t.Errorf("%d bars in %v", len(got.Block.Bars), got.Covered)
	}
}

func TestPrice(t *testing.T) {
	t.Parallel()
	c := newBars("ESH5")
	price := func(handler http.HandlerFunc) (string, error) {
		got, err := databento.Bars().Price(t.Context(), providertest.NewClient(t, c.Provider, handler), c.Credentials, c.Query)
		return got.Amount.String() + " " + got.Currency, err
	}
	if got, err := price(serve); got != "0.0004 USD" || err != nil {
		t.Errorf("%s, error %v", got, err)
	}
	for body, want := range map[string]string{"0": "0 USD", "12.5": "12.5 USD", "1.2516975402832031e-05": "0 USD", "4.9e-01": "0.49 USD"} {
		if got, err := price(providertest.OK(body)); got != want || err != nil {
			t.Errorf("%s: %s, error %v", body, got, err)
		}
	}
	for _, body := range []string{"-1", "1e999999999", `"free"`, "null", "{}", "1e5"} {
		if _, err := price(providertest.OK(body)); !providertest.IsError(err, remote.ErrMalformed) {
			t.Errorf("%s: error %v", body, err)
		}
	}
	c.Query.Now = start
	if got, err := price(providertest.Reply(http.StatusTeapot, "")); got != "0 USD" || err != nil {
		t.Errorf("bars of the future: %s, error %v", got, err)
	}
}

func TestBars(t *testing.T) {
	providertest.Run(t, func() providertest.BarCase { return newBars("ES 03-25") })
}

func TestContinuousContract(t *testing.T) {
	t.Parallel()
	c := newBars("ES")
	if got := c.Expect(t, c.Want); !got.IsComplete {
		t.Error("a minute without a bar is one without trades")
	}
}

func FuzzBars(f *testing.F) { newBars("ESH5").FuzzAnswer(f, `{"detail": "no"}`) }
