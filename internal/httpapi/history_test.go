package httpapi_test

import (
	"net/http"
	"testing"
)

// TestChangesAreRecorded checks the changes of common writes: what they list, their order,
// their chain, and that a write without an effect leaves none.
func TestChangesAreRecorded(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		note := d.post("/notes", more{"title": "Plan", "body": "Wait for the open."})
		if note.want(http.StatusCreated).header.Get("X-Change-Id") == "" {
			t.Error("POST /notes has no X-Change-Id")
		}
		id := note.text("id")
		changed := d.patch("/notes/"+id, more{"body": "Buy the dip."}).want(http.StatusOK).header.Get("X-Change-Id")
		if again := d.patch("/notes/"+id, more{"body": "Buy the dip."}).want(http.StatusOK).header.Get("X-Change-Id"); again != "" {
			t.Errorf("an update without an effect left change %s", again)
		}
		one := d.get("/history/" + changed)
		one.is("action", `"update"`).is("summary", `"Changed note Plan"`).is("objects_total", "1").is("undoable", "true").
			is("objects.0.type", `"note"`).is("objects.0.fields.0.name", `"body"`).
			is("objects.0.fields.0.before", `"Wait for the open."`).is("objects.0.fields.0.after", `"Buy the dip."`).is("actor.kind", `"session"`)
		d.delete("/notes/" + id).want(http.StatusNoContent)
		list := d.get("/history?type=note&object_id=" + id)
		list.is("0.action", `"delete"`).is("1.action", `"update"`).is("2.action", `"create"`)
		if list.text("0.previous_hash") != list.text("1.hash") {
			t.Error("the chain is broken")
		}
		d.get("/history/"+list.text("0.id")).is("objects.0.fields.3.before", `"Buy the dip."`)
		trade := d.roundTrip("AAPL")
		d.patch("/trades/"+trade, more{"stop_price": "9.50"}).want(http.StatusOK)
		d.get("/history?type=trade&object_id="+trade).is("0.objects.0.label", `"AAPL"`).is("0.objects.0.fields.0.after", `"9.5"`).
			is("1.summary", `"Created fill AAPL"`)
		d.imported("Symbol,Side,Quantity,Price,Date\nIMP,buy,1,10,2026-01-05 15:00:00\n")
		d.get("/history?limit=1").is("0.summary", `"Imported 1 fill from fills.csv"`)
		d.get("/history/head").is("streams.0.account_id", "null")
		deleted := d.delete("/trades/" + trade).want(http.StatusNoContent).changeOf()
		d.get("/history/"+deleted).is("objects.2.type", `"trade"`).is("objects.2.action", `"deleted"`).is("objects.2.label", `"AAPL"`)
	})
}
