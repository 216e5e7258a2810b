package twelvedata_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"fillbook/internal/base/remote"
	"fillbook/internal/prices/barsource"
	"fillbook/internal/prices/market"
	"fillbook/internal/providers/providertest"
	"fillbook/internal/providers/twelvedata"
	"fillbook/internal/trading/instruments"
)

var start = time.Date(2025, 1, 2, 14, 30, 0, 0, time.UTC)

func newBars(symbol, kind string) providertest.BarCase {
	return providertest.BarCase{
		Provider:    twelvedata.Bars(),
		Credentials: map[string]string{"api_key": providertest.Secret},
		Query: barsource.Query{
			Instrument: instruments.Priced{Symbol: symbol, Type: kind}, BarSecs: 60,
			From: start, To: start.Add(3 * time.Minute), Now: start.Add(2*time.Minute + 30*time.Second),
		},
		Answer: serve,
		Except: []string{"429 with nonsense", "429 without a header"}, // a minute
		Want:   "2025-01-02 14:30:00 243.36 243.50999 243 243.25 5120\n2025-01-02 14:31:00 243.36 243.50999 243 243.25 5120\n",
		Errors: map[string]providertest.Answer{
			"wrong key":      {Status: 200, Body: `{"code": 401, "message": "**apikey** parameter is incorrect or not specified. You can get your free API key with a plan", "status": "error"}`, Want: remote.ErrUnauthorized},
			"unknown symbol": {Status: 200, Body: `{"code": 404, "message": "**symbol** FOO not found", "status": "error"}`, Want: remote.ErrNotFound},
			"old form":       {Status: 200, Body: `{"code": 400, "message": "**symbol** not found: FOO. Please specify it correctly", "status": "error"}`, Want: remote.ErrNotFound},
			"paid plan":      {Status: 200, Body: `{"code": 404, "message": "This symbol is available starting with the Grow plan", "status": "error"}`, Want: remote.ErrForbidden},
			"other":          {Status: 200, Body: `{"code": 400, "message": "Invalid **interval** provided", "status": "error"}`, Want: remote.ErrRefused},
			"minute":         {Status: 200, Body: `{"code": 429, "message": "You have run out of API credits for the current minute.", "status": "error"}`, Want: &remote.RateLimited{RetryAfter: time.Minute}},
			"day":            {Status: 200, Body: `{"code": 429, "message": "You have run out of API credits for the day.", "status": "error"}`, Want: &remote.RateLimited{RetryAfter: 9*time.Hour + 27*time.Minute + 30*time.Second}},
			"server":         {Status: 200, Body: `{"code": 500, "message": "Internal error", "status": "error"}`, Want: remote.ErrUnavailable},
			"no trades":      {Status: 200, Body: `{"code": 400, "message": "No data is available on the specified dates. Try setting different start/end dates.", "status": "error"}`},
			"no values":      {Status: 200, Body: `{"status": "ok"}`, Want: remote.ErrMalformed},
			"no time":        {Status: 200, Body: `{"values": [{"datetime": "2025-01-02", "open": "1"}], "status": "ok"}`, Want: remote.ErrMalformed},
		},
		Symbols: []providertest.Symbol{
			{"aapl", "stock", "AAPL"},
			{"BRK/B", "stock", "BRK.B"},
			{"SAP.DE", "stock", "SAP:XETR"},
			{"VOD.L", "stock", "VOD:XLON"},
			{"EUR/USD", "forex", "EUR/USD"},
			{"XAUUSD", "cfd", "XAU/USD"},
			{"BTCUSDT", "crypto", "BTC/USDT"},
			{"BTC-USD", "crypto", "BTC/USD"},
			{"ESZ5", "future", ""},
			{"AAPL 240119C00150000", "option", ""},
			{"NAS100", "cfd", ""},
			{"ESZ5", "", ""},
		},
	}
}

// serve answers like Twelve Data: the newest bar first, errors with status 200.
func serve(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	from, _ := time.Parse(time.DateTime, q.Get("start_date"))
	to, _ := time.Parse(time.DateTime, q.Get("end_date"))
	if r.Header.Get("Authorization") != "apikey "+providertest.Secret {
		fmt.Fprint(w, `{"code": 401, "message": "**apikey** parameter is incorrect or not specified.", "status": "error"}`)
		return
	}
	if r.URL.Path != "/time_series" || q.Get("interval") != "1min" || q.Get("timezone") != "UTC" || q.Get("adjust") != "none" {
		fmt.Fprint(w, `{"code": 400, "message": "Invalid **interval** provided", "status": "error"}`)
		return
	}
	volume := map[string]string{"AAPL": `, "volume": "5120"`, "SAP XETR": `, "volume": "5120"`, "EUR/USD": "", "BTC/USD": ""}
	last, ok := volume[strings.TrimSpace(q.Get("symbol")+" "+q.Get("mic_code"))]
	if !ok {
		fmt.Fprintf(w, `{"code": 404, "message": "**symbol** %s not found", "status": "error", "meta": {"symbol": %q}}`, q.Get("symbol"), q.Get("symbol"))
		return
	}
	var rows []string
	for at := to; !at.Before(from); at = at.Add(-time.Minute) {
		rows = append(rows, fmt.Sprintf(`{"datetime": "%s", "open": "243.36000", "high": "243.50999", "low": "243.00000", "close": "243.25"%s}`, at.Format(time.DateTime), last))
	}
	fmt.Fprintf(w, `{"meta": {"symbol": %q, "interval": "1min"}, "values": [%s], "status": "ok"}`, q.Get("symbol"), strings.Join(rows, ","))
}

func TestVolumes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		symbol, kind, volume string
		volumes              market.VolumeKind
	}{
		{"AAPL", "stock", "5120", market.RealVolume},
		{"SAP.DE", "stock", "5120", market.RealVolume},
		{"EURUSD", "forex", "0", market.NoVolume},
		{"BTC-USD", "crypto", "0", market.NoVolume},
	} {
		c := newBars(test.symbol, test.kind)
		if got := c.Expect(t, strings.ReplaceAll(c.Want, "5120", test.volume)); got.VolumeKind != test.volumes || got.IsComplete {
			t.Errorf("%+v", got)
		}
	}
}

func TestBars(t *testing.T) {
	providertest.Run(t, func() providertest.BarCase { return newBars("AAPL", "stock") })
}

func FuzzBars(f *testing.F) {
	newBars("AAPL", "stock").FuzzAnswer(f, `{"code": 429, "message": "run out of API credits for the day", "status": "error"}`)
}
