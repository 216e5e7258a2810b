package httpapi_test

import (
	"net/http"
	"testing"
)

var forex = more{"instrument_type": "forex"}

// TestRatesAreNoPrices imports EURUSD reference rates for a EURUSD trader.
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

// TestPositionTotals adds up positions in USD, EUR and CHF accounts. The test clock is at
// Tuesday, 10 March 2026.
func TestPositionTotals(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		d.get("/positions/totals").want(http.StatusOK).is("totals", `[]`).is("roots", `[]`).is("converted", `null`)
		d.get("/positions/totals?currency=EUR").want(http.StatusOK).
			is("converted", `{"currency":"EUR","day_change":null,"open_risk":null,"rates":[],"unrealized_pnl":null}`)
		mark := func(id string, price string) {
			d.put("/positions/"+id+"/mark", more{"price": price}).want(http.StatusOK)
		}
		euro := d.client.addAccount("Euro", more{"base_currency": "EUR"})
		swiss := d.client.addAccount("Swiss", more{"base_currency": "CHF"})
		first := d.fill("BTCUSD", "buy 2@100", 1, crypto).text("trade_id")
		d.annotate(first, more{"stop_price": "98"})
		mark(first, "105")
		second := d.fill("ETHUSD", "sell 1@10", 1, crypto).text("trade_id")
		mark(second, "12.5")
		d.fill("SOLUSD", "buy 1@10", 1, crypto) // without a mark
		other := euro.fill("BTCEUR", "buy 1@90", 1, crypto).text("trade_id")
		mark(other, "93")
		d.roundTrip("AAPL") // closed

		const usd = `{"currency":"USD","day_change":null,"marked":2,"open_risk":14,"positions":3,"unrealized_pnl":7.5}`
		const eur = `{"currency":"EUR","day_change":null,"marked":1,"open_risk":null,"positions":1,"unrealized_pnl":3}`
		d.get("/positions/totals").want(http.StatusOK).is("totals", `[`+eur+`,`+usd+`]`).is("converted", `null`)
		d.get("/positions/totals").want(http.StatusOK).holds("roots", `[{"root": "BTCEUR", "currency": "EUR", "unrealized_pnl": 3},
			{"root": "BTCUSD", "currency": "USD", "positions": 1, "marked": 1, "unrealized_pnl": 10, "open_risk": 14},
			{"root": "ETHUSD", "unrealized_pnl": -2.5, "open_risk": null}, {"root": "SOLUSD", "marked": 0, "unrealized_pnl": null}]`)
		d.get("/positions/totals?symbol=ETHUSD").want(http.StatusOK).holds("totals", `[{"currency": "USD", "positions": 1, "unrealized_pnl": -2.5}]`)
		d.get("/positions/totals?status=closed").want(http.StatusOK).holds("totals", `[{}, {}]`)
		// Without a rate nothing is converted, and a rate is never 1.
		missing := func(base, quote string) string {
			return `[{"base":"` + base + `","from":"2026-03-10","quote":"` + quote + `","to":"2026-03-10"}]`
		}
		d.get("/positions/totals?currency=eur").wantError(http.StatusConflict, "rates_missing").is("error.details.missing", missing("USD", "EUR"))
		d.get("/positions/totals?currency=GBP").wantError(http.StatusConflict, "rates_missing").holds("error.details.missing", `[{"base": "EUR"}, {"base": "USD"}]`)
		for _, bad := range []string{"E", "EURO12", "€", "EU-"} {
			d.get("/positions/totals?currency=" + bad).wantField("currency")
		}

		d.sendBars("/commit", "old.csv", "Date,USD\n2026-03-02,2\n").want(http.StatusOK) // eight days ago
		d.get("/positions/totals?currency=EUR").wantError(http.StatusConflict, "rates_missing")
		d.sendBars("/commit", "eurofxref-hist.csv", "Date,USD,GBP,\n2026-03-09,1.25,0.8,\n2026-03-06,1.2,0.75,\n").want(http.StatusOK)
		d.get("/positions/totals?currency=EUR").want(http.StatusOK).is("totals.1", usd).
			is("converted", `{"currency":"EUR","day_change":null,"open_risk":11.2,`+
				`"rates":[{"currency":"USD","rate":0.8,"rate_date":"2026-03-09","source":"European Central Bank"}],"unrealized_pnl":9}`)
		d.get("/positions/totals?currency=USD").want(http.StatusOK).
			holds("converted", `{"unrealized_pnl": 11.25, "open_risk": 14, "rates": [{"currency": "EUR", "rate": 1.25}]}`)
		d.get("/positions/totals?currency=GBP").want(http.StatusOK).
			holds("converted", `{"unrealized_pnl": 7.2, "rates": [{"currency": "EUR", "rate": 0.8}, {"currency": "USD", "rate": 0.64}]}`)
		// One currency without a rate is enough to refuse, although others have one.
		swiss.fill("BTCCHF", "buy 1@90", 1, crypto)
		d.get("/positions/totals?currency=EUR").wantError(http.StatusConflict, "rates_missing").is("error.details.missing", missing("CHF", "EUR"))
		d.get("/analytics/summary").wantError(http.StatusBadRequest, "mixed_currencies")

		stranger := w.addUser(d.client, "other@example.org")
		stranger.get("/positions/totals?currency=EUR").want(http.StatusOK).is("totals", `[]`)
		_, secret := d.mint(more{"name": "files", "scope": "import"})
		w.as(secret).get("/positions/totals").wantError(http.StatusForbidden, "insufficient_scope")
	})
}

// TestTypedRates creates, changes, deletes and restores typed exchange rates.
func TestTypedRates(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		d.get("/rates").want(http.StatusOK).is("", `[]`)
		id := d.made("/rates", more{"base": "usd", "quote": "TWD", "on": "2026-03-09", "rate": "32.5"}).
			holds("", `{"base": "USD", "quote": "TWD", "on": "2026-03-09", "rate": 32.5}`).text("id")
		for field, bad := range map[string]more{
			"base":  {"base": "U", "quote": "EUR", "on": "2026-03-09", "rate": "1"},
			"quote": {"base": "EUR", "quote": "eur", "on": "2026-03-09", "rate": "1"},
			"on":    {"base": "USD", "quote": "EUR", "on": "2026-02-30", "rate": "1"},
			"rate":  {"base": "USD", "quote": "EUR", "on": "2026-03-09", "rate": "0"},
		} {
			d.post("/rates", bad).wantField(field)
		}
		d.post("/rates", more{"base": "USD", "quote": "EUR", "on": "2026-03-09", "rate": "-1"}).wantField("rate")
		// A pair has one rate for a day, in either direction.
		d.post("/rates", more{"base": "TWD", "quote": "USD", "on": "2026-03-09", "rate": "0.03"}).wantError(http.StatusConflict, "conflict")
		other := d.made("/rates", more{"base": "TWD", "quote": "USD", "on": "2026-03-10", "rate": "0.03"}).text("id")
		d.patch("/rates/"+other, more{"on": "2026-03-09"}).wantError(http.StatusConflict, "conflict")
		d.patch("/rates/"+other, more{"rate": "0.031"}).want(http.StatusOK).is("rate", `0.031`)
		d.get("/rates").want(http.StatusOK).holds("", `[{"on": "2026-03-10"}, {"on": "2026-03-09"}]`)
		d.get("/rates/"+id).want(http.StatusOK).is("rate", `32.5`)

		moved := d.patch("/rates/"+id, more{"on": "2026-03-08", "rate": "32"}).want(http.StatusOK)
		d.post("/history/"+moved.header.Get("X-Change-Id")+"/undo", nil).want(http.StatusOK)
		d.get("/rates/"+id).want(http.StatusOK).holds("", `{"on": "2026-03-09", "rate": 32.5}`)
		gone := d.delete("/rates/" + id).want(http.StatusNoContent)
		d.get("/rates/"+id).wantError(http.StatusNotFound, "not_found")
		d.post("/history/"+gone.header.Get("X-Change-Id")+"/undo", nil).want(http.StatusOK)
		d.get("/rates/"+id).want(http.StatusOK).is("rate", `32.5`)
		// Another rate took the place.
		gone = d.delete("/rates/" + id).want(http.StatusNoContent)
		d.patch("/rates/"+other, more{"on": "2026-03-09"}).want(http.StatusOK)
		d.post("/history/"+gone.header.Get("X-Change-Id")+"/undo", nil).wantError(http.StatusConflict, "changed_since")

		stranger := w.addUser(d.client, "other@example.org")
		stranger.get("/rates").want(http.StatusOK).is("", `[]`)
		stranger.get("/rates/"+other).wantError(http.StatusNotFound, "not_found")
		_, secret := d.mint(more{"name": "figures", "scope": "analytics"})
		w.as(secret).get("/rates").wantError(http.StatusForbidden, "insufficient_scope")
	})
}
