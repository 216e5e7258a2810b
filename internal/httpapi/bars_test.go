package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// barsStart is a Monday, 9:30 in New York.
var barsStart = time.Date(2026, 1, 5, 14, 30, 0, 0, time.UTC)

// barFile returns minutes in TradingView's layout: each opens at its number plus 100, the
// high is a quarter more and the low a quarter less.
func barFile(minutes int) string {
	var b strings.Builder
	b.WriteString("time,open,high,low,close,Volume\n")
	for i := range minutes {
		fmt.Fprintf(&b, "%d,%d,%d.25,%d.75,%d,%d\n", barsStart.Unix()+60*int64(i), 100+i, 100+i, 99+i, 100+i, 10*i)
	}
	return b.String()
}

func (c *client) sendBars(path, name, content string, fields ...string) *reply {
	c.w.t.Helper()
	parts := []part{{field: "file", file: name, content: content}}
	for i := 0; i < len(fields); i += 2 {
		parts = append(parts, part{field: fields[i], content: fields[i+1]})
	}
	return c.form("/bars/imports"+path, parts...)
}

func (d trader) fillAt(symbol string, minute int, price string) {
	d.w.t.Helper()
	d.made("/executions", more{
		"account_id": d.account, "symbol": symbol, "instrument_type": "future", "side": "buy", "quantity": 1, "price": price,
		"executed_at": barsStart.Add(time.Duration(minute)*time.Minute + 20*time.Second).Format(time.RFC3339),
	})
}

func TestBarImport(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		d.fillAt("ES 03-26", 2, "102")
		d.fillAt("ES 03-26", 3, "150")
		name := "CME_MINI_ESH2026, 1.csv"
		preview := d.sendBars("", name, barFile(30)+"x,1,1,1,1,1\n").want(http.StatusOK)
		preview.is("series.0.symbol", `"ESH2026"`).is("series.0.bar_secs", `60`).is("series.0.bars", `30`).is("series.0.tz", `"UTC"`).
			is("series.0.stamp", `"open"`).is("series.0.price_scale", `1`).is("series.0.price_kind", `"trade"`).is("series.0.fills_checked", `2`).
			is("series.0.fills_inside", `1`).is("series.0.from", `"2026-01-05T14:30:00Z"`).is("series.0.to", `"2026-01-05T14:59:00Z"`).
			is("series.0.overlaps", `0`).is("series.0.proposed.fills_inside", `1`).is("error_count", `1`).is("errors.0.row", `32`)
		d.get("/bars/imports").is("", `[]`)

		done := d.sendBars("/commit", name, barFile(30)).want(http.StatusOK)
		done.is("inserted", `30`).is("replaced", `0`).is("unchanged", `0`).is("series.0.fills_inside", `1`)
		d.sendBars("/commit", "ESH6.csv", barFile(40)).want(http.StatusOK).is("inserted", `10`).is("unchanged", `30`).is("series.0.overlaps", `30`)
		d.get("/bars/imports").is("0.inserted", `10`).is("1.id", fmt.Sprintf("%q", done.text("import_batch_id"))).is("1.status", `"committed"`).
			is("1.filename", fmt.Sprintf("%q", name)).is("1.series", `1`)
		series := d.get("/bars/series").is("0.bars", `40`).is("0.symbol", `"ESH2026"`)
		if used, limit := series.header.Get("X-Quota-Used"), series.header.Get("X-Quota-Limit"); used != "70" || limit != "50000000" {
			t.Errorf("%s bars of %s are used", used, limit)
		}
		d.get("/bars?symbol=ES+03-26&from=2026-01-05T14:31:00Z&to=2026-01-05T14:32:00Z").want(http.StatusOK).
			is("bar_secs", `60`).is("scale", `2`).is("t", fmt.Sprintf("[%d,%d]", barsStart.Unix()+60, barsStart.Unix()+120)).
			is("o", `[10100,10200]`).is("h", `[10125,10225]`).is("l", `[10075,10175]`).is("c", `[10100,10200]`).is("v", `[10,20]`).
			is("volume_scale", `0`).is("similar", `false`)
		d.get("/bars?symbol=ESH6&max_points=10").want(http.StatusOK).is("bar_secs", `300`).is("o.0", `10000`).is("c.0", `10400`)
		d.get("/bars?symbol=ESH6&bar_secs=900").want(http.StatusOK).is("bar_secs", `900`)
		d.get("/bars?symbol=ESH6&bar_secs=90").wantField("bar_secs")
		d.get("/bars?symbol=NQH6").want(http.StatusOK).is("t", `[]`).is("v", `null`)

		d.delete("/bars/imports/" + done.text("import_batch_id")).wantNone()
		d.delete("/bars/imports/" + done.text("import_batch_id")).wantNone()
		d.get("/bars/series").is("0.bars", `40`)
		d.delete("/bars/series/" + series.text("0.id")).wantNone()
		d.get("/bars/series").is("", `[]`)
	})
}

func TestBarMappingRequired(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		const file = "20260105 093000;1;2;1;2;5\n20260105 093100;1;2;1;2;5\n"
		d.sendBars("", "minutes.txt", file).want(http.StatusOK).is("series.0.tz", `null`).is("series.0.stamp", `null`).
			is("missing_mapping", `["tz"]`).is("series.0.proposed", `null`)
		d.sendBars("/commit", "minutes.txt", file).wantError(http.StatusBadRequest, "mapping_required").is("error.details.field", `"tz"`)
		d.sendBars("/commit", "minutes.txt", file, "tz", "-05:00").wantError(http.StatusBadRequest, "mapping_required").is("error.details.field", `"stamp"`)
		d.sendBars("/commit", "minutes.txt", file, "tz", "America/New_York", "stamp", "close", "symbol", "nqh6", "price_scale", "0.01").
			want(http.StatusOK).is("series.0.symbol", `"NQH6"`).is("series.0.from", `"2026-01-05T14:29:00Z"`).is("series.0.price_scale", `0.01`)
		d.get("/bars?symbol=NQH26").is("o", `[1,1]`).is("scale", `2`)
		d.sendBars("", "x.csv", "no bars at all").wantField("file")
		d.sendBars("", "x.csv", file, "tz", "Mars").wantField("tz")
		d.sendBars("", "x.csv", file, "bar_secs", "x").wantField("bar_secs")
		d.sendBars("", "x.csv", file, "price_scale", "x").wantField("price_scale")
	})
}

func TestBarsAreSeparate(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		other := w.addUser(d.client, "other@example.org")
		done := d.sendBars("/commit", "ESH6.csv", barFile(5)).want(http.StatusOK).text("import_batch_id")
		alias := d.made("/bars/aliases", more{"symbol": "us500", "bars_symbol": "ESH6"}).is("symbol", `"US500"`).text("id")
		series := d.get("/bars/series").text("0.id")
		for _, path := range []string{"/bars/imports/" + done, "/bars/series/" + series, "/bars/aliases/" + alias} {
			other.delete(path).wantError(http.StatusNotFound, "not_found")
		}
		for _, path := range []string{"/bars/imports", "/bars/series", "/bars/aliases"} {
			other.get(path).want(http.StatusOK).is("", `[]`)
		}
		other.get("/bars?symbol=ESH6").want(http.StatusOK).is("t", `[]`)
		d.get("/bars?symbol=US500").is("o.4", `10400`)
		d.delete("/bars/aliases/" + alias).wantNone()
		d.get("/bars?symbol=US500").is("t", `[]`)

		_, secret := d.mint(map[string]any{"name": "reader", "scope": "read"})
		reader := w.as(secret)
		reader.get("/bars?symbol=ESH6").want(http.StatusOK).is("o.4", `10400`)
		reader.sendBars("/commit", "ESH6.csv", barFile(5)).wantError(http.StatusForbidden, "insufficient_scope")
	})
}

func TestBarsTooLarge(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		w.trader().sendBars("", "ESH6.csv", barFile(200)).wantError(http.StatusRequestEntityTooLarge, "too_large")
	}, func(s *settle) { s.api.BarsMaxBytes = 4096 })
}
