package httpapi_test

import (
	"net/http"
	"testing"
)

// undoChange undoes a change and returns the undo's id.
func (d trader) undoChange(id string) string {
	d.w.t.Helper()
	return d.post("/history/"+id+"/undo", nil).want(http.StatusOK).changeOf()
}

// TestUndoKeepsTradeIDs: trades get their ids again after an undo, a redo and another undo,
// whichever of their fills was deleted.
func TestUndoKeepsTradeIDs(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		for symbol, texts := range map[string][]string{
			"A": {"buy 1@1", "sell 1@2"}, "B": {"buy 1@1"}, "C": {"buy 1@1", "sell 2@2", "buy 1@3"}, "D": {"buy 1@1", "sell 1@2", "buy 1@1", "sell 1@2"},
		} {
			var fills []string
			for _, made := range d.fills(symbol, 0, texts...) {
				fills = append(fills, made.text("id"))
			}
			before := string(d.trades(symbol).body)
			for i, fill := range fills {
				deleted := d.delete("/executions/" + fill).want(http.StatusNoContent).changeOf()
				without := string(d.trades(symbol).body)
				for round := range 2 {
					undo := d.undoChange(deleted)
					if after := string(d.trades(symbol).body); after != before {
						t.Fatalf("%s, fill %d, undo %d: the trades are %s\nand were %s", symbol, i, round, after, before)
					}
					deleted = d.undoChange(undo)
					if after := string(d.trades(symbol).body); after != without {
						t.Fatalf("%s, fill %d, redo %d: the trades are %s\nand were %s", symbol, i, round, after, without)
					}
				}
				d.undoChange(deleted)
			}
		}
		w.checkInstallation()
	})
}
