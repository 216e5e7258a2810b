package httpapi_test

import (
	"net/http"
	"testing"
)

var forex = more{"instrument_type": "forex"}

// TestRatesAreNoPrices imports reference rates of EURUSD for a trader of EURUSD.
func TestRatesAreNoPrices(t *testing.T) {
	t.Parallel()
	const file = "Date,USD,GBP,\n2026-01-06,1.3,0.9,\n2026-01-05,1.2,0.8,\n2026-01-02,0.5,0.7,\n"
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		d.fill("EURUSD", "buy 2@1.1", 1, forex)
		closed := d.fill("EURUSD", "sell 2@1.2", 3, forex).text("trade_id")
		open := d.fill("EURUSD", "buy 2@1.1", 5, forex).text("trade_id")
		paths := []string{
			"/trades/" + closed + "/excursion", "/trades/" + open + "/excursion", "/trades/" + closed, "/trades", "/positions", "/bars?symbol=EURUSD",
			"/analytics/excursions", "/analytics/equity-curve", "/analytics/summary",
		}
		before := map[string]string{}
		for _, path := range paths {
			before[path] = string(d.get(path).want(http.StatusOK).body)
		}
		d.sendBars("", "eurofxref-hist.csv", file).want(http.StatusOK).is("layout", `"European Central Bank"`).is("missing_mapping", `[]`).
			holds("series", `[{"symbol": "EURUSD", "price_kind": "reference", "bars": 3, "fills_checked": 0, "gap_days": 0}, {"symbol": "EURGBP"}]`)
		done := d.sendBars("/commit", "eurofxref-hist.csv", file).want(http.StatusOK)
		d.get("/bars/series").want(http.StatusOK).
			holds("", `[{"symbol": "EURGBP", "price_kind": "reference", "bars": 3}, {"symbol": "EURUSD", "bar_secs": 86400, "price_kind": "reference"}]`)
		for _, path := range paths {
			if after := string(d.get(path).want(http.StatusOK).body); after != before[path] {
				t.Errorf("%s was %s and is %s", path, before[path], after)
			}
		}
		d.get("/bars?symbol=EURUSD&price_kind=reference").wantField("price_kind")
		d.delete("/bars/imports/" + done.text("import_batch_id")).wantNone()
		d.get("/bars/series").is("", `[]`)
	})
}
