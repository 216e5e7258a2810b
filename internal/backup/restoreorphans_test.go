package backup

import (
	"testing"

	"fillbook/internal/trading/matching"
)

// Trades in one symbol losing their fills at the same instant are distinguished by the
// fills: if one orphan is gone, a restore brings that one back and not the other twice.
func TestRestoreDistinguishesOrphans(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(t *testing.T, h *fixture) {
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
		wantUnchanged(t, h.restore(t, owner, text))
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
