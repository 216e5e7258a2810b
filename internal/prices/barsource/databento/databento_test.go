package databento_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/base/remote"
	"fillbook/internal/prices/barsource"
	"fillbook/internal/prices/barsource/barsourcetest"
	"fillbook/internal/prices/barsource/databento"
	"fillbook/internal/trading/instruments"
)

var start = time.Date(2025, 1, 2, 14, 30, 0, 0, time.UTC)

func newCase(symbol string) barsourcetest.Case {
	return barsourcetest.Case{
		Provider:    databento.New(),
		Credentials: map[string]string{"api_key": barsourcetest.Secret},
		Query: barsource.Query{
			Instrument: instruments.Priced{Symbol: symbol, Type: instruments.TypeFuture}, BarSecs: 60,
			From: start, To: start.Add(3 * time.Minute), Now: start.Add(48 * time.Hour),
		},
		Answer: serve,
	}
}

var little = binary.LittleEndian

// newFile returns a DBN file of version 1 with a bar for each minute, without those
// that have no trades. number is that of the instrument.
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
	case key != barsourcetest.Secret:
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

func TestFetch(t *testing.T) {
	t.Parallel()
	for _, symbol := range []string{"ES 03-25", "ES"} {
		got := newCase(symbol).MustFetch(t)
		want := "2025-01-02 14:30:00 5950.25 5952 5949.5 5951 1234\n2025-01-02 14:32:00 5950.25 5952 5949.5 5951 1234\n"
		if diff := cmp.Diff(want, barsourcetest.Describe(got)); diff != "" {
			t.Error(symbol, diff)
		}
		if !got.IsComplete {
			t.Error("a minute without a bar is one without trades")
		}
	}
}

func TestBarsAreADayOld(t *testing.T) {
	t.Parallel()
	c := newCase("ESH5")
	c.Query.Now = start.Add(25*time.Hour + time.Minute)
	if got := c.MustFetch(t); len(got.Block.Bars) != 1 || got.Covered.To != start.Add(time.Minute).Unix() {
		t.Errorf("%d bars in %v", len(got.Block.Bars), got.Covered)
	}
}

func TestPrice(t *testing.T) {
	t.Parallel()
	c := newCase("ESH5")
	price := func(handler http.HandlerFunc) (string, error) {
		got, err := databento.New().Price(t.Context(), barsourcetest.NewClient(t, c.Provider, handler), c.Credentials, c.Query)
		return got.Amount.String() + " " + got.Currency, err
	}
	if got, err := price(serve); got != "0.0004 USD" || err != nil {
		t.Errorf("%s, error %v", got, err)
	}
	for body, want := range map[string]string{"0": "0 USD", "12.5": "12.5 USD", "1.2516975402832031e-05": "0 USD", "4.9e-01": "0.49 USD"} {
		if got, err := price(barsourcetest.Reply(http.StatusOK, body)); got != want || err != nil {
			t.Errorf("%s: %s, error %v", body, got, err)
		}
	}
	for _, body := range []string{"-1", "1e999999999", `"free"`, "null", "{}", "1e5"} {
		if _, err := price(barsourcetest.Reply(http.StatusOK, body)); !barsourcetest.IsError(err, remote.ErrMalformed) {
			t.Errorf("%s: error %v", body, err)
		}
	}
	c.Query.Now = start
	if got, err := price(barsourcetest.Reply(http.StatusTeapot, "")); got != "0 USD" || err != nil {
		t.Errorf("bars of the future: %s, error %v", got, err)
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	newCase("ESH5").TestFaults(t)
}

func TestErrors(t *testing.T) {
	t.Parallel()
	refusal := func(name string) string { return `{"detail": {"case": "` + name + `", "message": "No."}}` }
	none := string(newFile(start, start, nil))
	hours := bytes.ReplaceAll(newFile(start, start.Add(time.Minute), func(int) uint32 { return 1 }), []byte{14, 33, 1, 0}, []byte{14, 34, 1, 0})
	newCase("ESH5").TestAnswers(t, map[string]barsourcetest.Answer{
		"wrong key":      {401, refusal("auth_authentication_failed"), remote.ErrUnauthorized},
		"no money":       {402, refusal("account_insufficient_funds"), remote.ErrForbidden},
		"no license":     {403, refusal("license_not_found_unauthorized"), remote.ErrForbidden},
		"unknown symbol": {422, refusal("symbology_invalid_request"), remote.ErrNotFound},
		"too recent":     {422, refusal("data_end_after_available_end"), remote.ErrUnavailable},
		"other":          {422, refusal("data_schema_not_fully_available"), remote.ErrRefused},
		"a part":         {206, none, remote.ErrTruncated},
		"text":           {200, "ts_event,rtype\n", remote.ErrMalformed},
		"other length":   {200, string(hours), remote.ErrMalformed},
		"other time":     {200, string(newFile(start.AddDate(-1, 0, 0), start.AddDate(-1, 0, 0).Add(time.Minute), func(int) uint32 { return 1 })), remote.ErrMalformed},
		"no bars":        {200, none, nil},
	})
}

func TestSymbol(t *testing.T) {
	t.Parallel()
	newCase("ESH5").TestSymbols(t, []barsourcetest.Symbol{
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
	})
}

func FuzzAnswer(f *testing.F) { newCase("ESH5").FuzzAnswer(f, `{"detail": "no"}`) }
