package httpapi_test

import (
	"net/http"
	"testing"
)

func TestSymbols(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		d.get("/symbols").want(http.StatusOK).is("", `{"grouped_roots":[],"roots":[],"symbols":[]}`)
		d.fill("MSFT", "buy 1@1", 0)
		for i, symbol := range []string{"NQZ6", "NQH7", "MNQZ6"} {
			d.fill(symbol, "buy 1@1", i, more{"instrument_type": "future", "multiplier": 1})
		}
		d.fill("AAPL260220C00200000", "buy 1@1", 4, more{
			"instrument_type": "option", "details": more{"option_right": "call", "strike": "200", "expiry": "2026-02-20"},
		})
		d.get("/symbols").want(http.StatusOK).is("", `{"grouped_roots":["NQ"],"roots":["AAPL","MNQ","MSFT","NQ"],"symbols":["MNQZ6","MSFT","NQH7","NQZ6"]}`)
		w.addUser(d.client, "other@example.org").get("/symbols").want(http.StatusOK).is("roots", "[]")
	})
}
