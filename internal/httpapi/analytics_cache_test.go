package httpapi_test

import (
	"net/http"
	"testing"
)

// TestFiguresIncludeARestoredBackup: annotations restored from a backup change no fill,
// and still count. The figures equal those on a new server.
func TestFiguresIncludeARestoredBackup(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		ids := d.nets("AAA", "10", "-4")
		tag := d.made("/tags", more{"name": "late"}).text("id")
		d.annotate(ids[0], more{"initial_risk": 5, "tag_ids": []string{tag}, "trade_quality": 4})
		annotated := d.get("/analytics/summary").is("trades_with_r", "1")
		backup := string(d.get("/exports?format=json").want(http.StatusOK).body)
		d.annotate(ids[0], more{"initial_risk": nil, "tag_ids": []string{}, "trade_quality": nil})
		d.get("/analytics/summary").is("trades_with_r", "0")
		d.get("/analytics/breakdown?by=tag").is("0.trades", "2")

		d.form("/imports/commit", part{"file", "backup.json", backup}).want(http.StatusOK)
		fresh := newWorld(t, w.db).as(d.token)
		for _, path := range []string{"/analytics/summary", "/analytics/breakdown?by=tag", "/analytics/breakdown?by=grade", "/analytics/r"} {
			d.get(path).want(http.StatusOK).wantSame(fresh.get(path))
		}
		if got := d.get("/analytics/summary"); string(got.body) != string(annotated.body) {
			t.Errorf("the figures are %s, before the annotations were lost %s", got.body, annotated.body)
		}
	})
}

// TestFiguresIncludeWritesOfAnotherServer: two servers share the database, and what
// one writes the other counts at once.
func TestFiguresIncludeWritesOfAnotherServer(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		here := w.trader()
		there := trader{newWorld(t, w.db).as(here.token), here.account}
		id := here.nets("AAA", "10")[0]
		there.get("/analytics/summary").is("net_pnl", "10").is("trades_with_r", "0")
		there.annotate(id, more{"initial_risk": 5})
		here.get("/analytics/summary").is("avg_r", "2")
		there.nets("BBB", "-3")
		here.get("/analytics/summary").is("net_pnl", "7")
		setup := here.made("/setups", more{"name": "gap"}).text("id")
		here.annotate(id, more{"setup_ids": []string{setup}})
		there.get("/analytics/breakdown?by=setup").is("0.name", `"gap"`)
		there.delete("/setups/" + setup).wantNone()
		here.get("/analytics/breakdown?by=setup").is("0.trades", "2")
		here.put("/accounts/"+here.account, more{"starting_balance": 100}).want(http.StatusOK)
		there.get("/analytics/equity-curve").is("ending_equity", "107")
		here.delete("/trades/" + id).wantNone()
		there.get("/analytics/summary").is("net_pnl", "-3")
		there.delete("/accounts/" + here.account).wantNone()
		here.get("/analytics/summary").is("total_trades", "0")
	})
}

// TestFiguresIncludeAnnotations: what a tag is called and whether it is a mistake
// changes no account, and is seen by the next question all the same.
func TestFiguresIncludeAnnotations(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		id := d.nets("AAA", "10")[0]
		tag := d.made("/tags", more{"name": "late"}).text("id")
		d.annotate(id, more{"tag_ids": []string{tag}})
		d.get("/analytics/breakdown?by=mistake").is("0.key", `""`)
		d.patch("/tags/"+tag, more{"kind": "mistake", "name": "too late"}).want(http.StatusOK)
		d.get("/analytics/breakdown?by=mistake").is("0.key", `"`+tag+`"`).is("0.name", `"too late"`)
		d.get("/analytics/breakdown?by=account").is("0.name", `"Main"`)
		d.put("/accounts/"+d.account, more{"name": "First"}).want(http.StatusOK)
		d.get("/analytics/breakdown?by=account").is("0.name", `"First"`)
		d.get("/analytics/calendar").is("days.0.notes", "0")
		d.made("/notes", more{"type": "note", "occurred_at": "2026-01-05", "body": "x"})
		d.get("/analytics/calendar").is("days.0.notes", "1")
	})
}
