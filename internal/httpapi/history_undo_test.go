package httpapi_test

import (
	"net/http"
	"testing"
)

// changeOf returns the id of the change that a write left.
func (r *reply) changeOf() string {
	r.t.Helper()
	id := r.header.Get("X-Change-Id")
	if id == "" {
		r.t.Error("the write has no X-Change-Id")
	}
	return id
}

// TestUndo undoes writes over HTTP: what comes back, what is refused and why, and the redo.
func TestUndo(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		trade := d.roundTrip("AAPL")
		tag := d.made("/tags", more{"name": "gap"}).text("id")
		d.patch("/trades/"+trade, more{"tag_ids": []string{tag}, "notes": "Too early."}).want(http.StatusOK)

		deleted := d.delete("/tags/" + tag).want(http.StatusNoContent).changeOf()
		undo := d.post("/history/"+deleted+"/undo", nil).want(http.StatusOK)
		undo.is("id", `"`+undo.changeOf()+`"`)
		undo.is("action", `"undo"`).is("undoes", `"`+deleted+`"`).is("undoable", "true")
		d.get("/trades/"+trade).is("tag_ids.0", `"`+tag+`"`)
		d.get("/history/"+deleted).is("undone_by", `"`+undo.text("id")+`"`).is("not_undoable", `"already_undone"`)
		d.post("/history/"+deleted+"/undo", nil).wantError(http.StatusConflict, "already_undone")
		d.post("/history/"+undo.text("id")+"/undo", nil).want(http.StatusOK)
		d.get("/tags").is("", "[]")

		first := d.patch("/trades/"+trade, more{"notes": "Too late."}).want(http.StatusOK).changeOf()
		d.patch("/trades/"+trade, more{"emotional_state": "calm"}).want(http.StatusOK)
		second := d.patch("/trades/"+trade, more{"notes": "In time."}).want(http.StatusOK).changeOf()
		refused := d.post("/history/"+first+"/undo", nil).wantError(http.StatusConflict, "changed_since")
		refused.is("error.details.conflicts_total", "1").is("error.details.conflicts.0.field", `"notes"`).
			is("error.details.conflicts.0.id", `"`+trade+`"`).is("error.details.conflicts.0.change_id", `"`+second+`"`)
		d.post("/history/"+second+"/undo", nil).want(http.StatusOK)
		d.post("/history/"+first+"/undo", nil).want(http.StatusOK)
		d.get("/trades/"+trade).is("notes", `"Too early."`).is("emotional_state", `"calm"`)

		d.post("/history/00000000-0000-4000-8000-000000000000/undo", nil).wantError(http.StatusNotFound, "not_found")
		other := w.addUser(d.client, "other@example.org")
		other.post("/history/"+first+"/undo", nil).wantError(http.StatusNotFound, "not_found")
	})
}

// TestUndoTakesName: a deleted record does not come back while another has its name, and the
// conflict names that one.
func TestUndoTakesName(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		tag := d.made("/tags", more{"name": "gap"}).text("id")
		deleted := d.delete("/tags/" + tag).want(http.StatusNoContent).changeOf()
		taker := d.made("/tags", more{"name": "Gap"})
		d.post("/history/"+deleted+"/undo", nil).wantError(http.StatusConflict, "changed_since").
			is("error.details.conflicts.0.type", `"tag"`).is("error.details.conflicts.0.id", `"`+taker.text("id")+`"`).
			is("error.details.conflicts.0.field", "null").is("error.details.conflicts.0.change_id", `"`+taker.changeOf()+`"`)

		alias := d.made("/bars/aliases", more{"symbol": "A", "bars_symbol": "B"}).text("id")
		deleted = d.delete("/bars/aliases/" + alias).want(http.StatusNoContent).changeOf()
		taker = d.made("/bars/aliases", more{"symbol": "A", "bars_symbol": "C"})
		d.post("/history/"+deleted+"/undo", nil).wantError(http.StatusConflict, "changed_since").
			is("error.details.conflicts.0.type", `"bar_alias"`).is("error.details.conflicts.0.id", `"`+taker.text("id")+`"`)
	})
}

// TestUndoCreation: a created record that is in use does not go.
func TestUndoCreation(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		trade := d.roundTrip("AAPL")
		tag := d.made("/tags", more{"name": "gap"})
		d.patch("/trades/"+trade, more{"tag_ids": []string{tag.text("id")}}).want(http.StatusOK)
		d.post("/history/"+tag.changeOf()+"/undo", nil).wantError(http.StatusConflict, "changed_since").
			is("error.details.conflicts.0.type", `"trade"`).is("error.details.conflicts.0.id", `"`+trade+`"`)
		d.patch("/trades/"+trade, more{"tag_ids": []string{}}).want(http.StatusOK)
		d.post("/history/"+tag.changeOf()+"/undo", nil).want(http.StatusOK)
		d.get("/tags").is("", "[]")
	})
}

// TestUndoAccount: a deleted account comes back with everything in it, also if its name and
// numbers were used again meanwhile.
func TestUndoAccount(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		trade := d.roundTrip("AAPL")
		d.patch("/trades/"+trade, more{"notes": "Too early."}).want(http.StatusOK)
		note := d.made("/notes", more{"title": "Plan", "body": "Wait.", "account_id": d.account, "trade_id": trade}).text("id")
		before := d.get("/trades/" + trade).want(http.StatusOK)
		deleted := d.delete("/accounts/" + d.account).want(http.StatusNoContent).changeOf()
		d.get("/history/"+deleted).is("objects.0.contains.execution", "2").is("account_id", `"`+d.account+`"`)
		other := d.client.addAccount("Other")
		other.roundTrip("MSFT")
		undo := d.post("/history/"+deleted+"/undo", nil).want(http.StatusOK)
		if after := d.get("/trades/" + trade).want(http.StatusOK); after.text("notes") != before.text("notes") || after.json("executions") != before.json("executions") {
			t.Errorf("the trade is %s, and was %s", after.body, before.body)
		}
		d.get("/notes/"+note).is("account_id", `"`+d.account+`"`).is("trade_id", `"`+trade+`"`)
		w.checkInstallation()
		d.post("/history/"+undo.text("id")+"/undo", nil).want(http.StatusOK)
		d.get("/accounts/"+d.account).wantError(http.StatusNotFound, "not_found")
		w.checkInstallation()
	})
}

// TestUndoScope: a token undoes what it could have written.
func TestUndoScope(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		other := d.client.addAccount("Other")
		mine, theirs := d.roundTrip("AAPL"), other.roundTrip("MSFT")
		both := d.patch("/trades", more{"ids": []string{mine, theirs}, "set": more{"notes": "Both."}}).want(http.StatusOK).changeOf()
		alone := other.patch("/trades/"+theirs, more{"emotional_state": "calm"}).want(http.StatusOK).changeOf()
		_, reader := d.mint(more{"name": "reader", "scope": "read"})
		w.as(reader).post("/history/"+both+"/undo", nil).wantError(http.StatusForbidden, "insufficient_scope")
		_, limited := d.mint(more{"name": "limited", "scope": "write", "account_ids": []string{d.account}})
		w.as(limited).post("/history/"+both+"/undo", nil).wantError(http.StatusForbidden, "forbidden")
		w.as(limited).post("/history/"+alone+"/undo", nil).wantError(http.StatusNotFound, "not_found")
		_, writer := d.mint(more{"name": "writer", "scope": "write"})
		w.as(writer).keyed("once").post("/history/"+both+"/undo", nil).want(http.StatusOK)
		w.as(writer).keyed("once").post("/history/"+both+"/undo", nil).want(http.StatusOK)
		d.get("/trades/"+mine).is("notes", `""`)

		// What concerns all accounts is not for a token limited to some.
		alerts := d.put("/alert-settings", more{"max_per_hour": 5}).want(http.StatusOK).changeOf()
		tag := d.made("/tags", more{"name": "gap"})
		deleted := d.delete("/tags/" + tag.text("id")).want(http.StatusNoContent).changeOf()
		d.sendBars("/commit", "ESH6.csv", barFile(5)).want(http.StatusOK)
		series := d.delete("/bars/series/" + d.get("/bars/series").text("0.id")).want(http.StatusNoContent).changeOf()
		_, full := d.mint(more{"name": "full", "scope": "full", "account_ids": []string{d.account}})
		for _, id := range []string{alerts, deleted, series} {
			w.as(full).post("/history/"+id+"/undo", nil).wantError(http.StatusForbidden, "forbidden")
			d.post("/history/"+id+"/undo", nil).want(http.StatusOK)
		}
		created := w.as(full).post("/tags", more{"name": "news"}).want(http.StatusCreated).changeOf()
		w.as(full).post("/history/"+created+"/undo", nil).want(http.StatusOK)
	})
}
