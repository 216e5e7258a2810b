package backup

import (
	"testing"
	"time"

	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
)

// A restored fill or cash row was created when it was stored first, not when it
// was restored.
func TestCreatedAtIsRestored(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(t *testing.T, h *fixture) {
		owner, other := h.user(t), h.user(t)
		account := h.account(t, owner, "Main")
		h.fill(t, owner, account, matching.Buy, "10", "100", 0)
		h.importCash(t, owner, account, deposit("100"))
		created := h.clock.Now()
		text := h.export(t, owner, "")
		h.clock.Advance(48 * time.Hour)
		wantComplete(t, h.restore(t, other, text))
		check := func(what string, got time.Time) {
			if !got.Equal(created) {
				t.Errorf("the %s was created at %s, want %s", what, got, created)
			}
		}
		must(t, h.ledger.EachExecution(t.Context(), other, ledger.ExecutionQuery{}, func(x ledger.Execution) error {
			check("fill", x.CreatedAt)
			return nil
		}))
		must(t, h.ledger.EachCash(t.Context(), other, journal.Scope{}, func(c ledger.Cash) error {
			check("cash row", c.CreatedAt)
			return nil
		}))
		wantSame(t, h.export(t, other, ""), text)
	})
}
