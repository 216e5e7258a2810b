package backup

import (
	"testing"

	"fillbook/internal/trading/matching"
)

// Trades of one symbol that lose their fills at the same instant are told apart
// by the fills: where one of the orphans is gone, a restore brings that one back
// and not the other twice.
func TestRestoreTellsOrphansApart(t *testing.T) {
	t.Parallel()
	eachHouse(t, func(t *testing.T, h *house) {
		owner := h.user(t)
		account := h.account(t, owner, "Main")
		for i, notes := range []string{"first", "second"} {
			bought := h.fill(t, owner, account, matching.Buy, "1", "100", 10*i)
			h.annotate(t, owner, bought.TradeIDs[0], notes)
			must(t, h.ledger.DeleteExecution(t.Context(), owner, bought.ID, nil))
		}
		text := h.export(t, owner, "")
		orphans, err := h.playbook.Orphans(t.Context(), owner)
		must(t, err)
		if len(orphans) != 2 || !orphans[0].OrphanedAt.Equal(orphans[1].OrphanedAt) {
			t.Fatalf("orphans %+v", orphans)
		}
		unchanged(t, h.restore(t, owner, text))
		must(t, h.playbook.DeleteOrphan(t.Context(), owner, orphans[1].Trade))
		if result := h.restore(t, owner, text); result.Orphans != 1 {
			t.Errorf("%+v", result)
		}
		orphans, err = h.playbook.Orphans(t.Context(), owner)
		must(t, err)
		if len(orphans) != 2 || orphans[0].Notes == orphans[1].Notes {
			t.Errorf("orphans %+v", orphans)
		}
	})
}
