package backup

import (
	"fmt"
	"slices"
	"testing"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
	"fillbook/internal/trading/playbook"
)

// TestArrivalComesBack stores simultaneous fills in two accounts in turn. After a restore
// into another journal they are listed in the same order, and that journal's backup is
// the same.
func TestArrivalComesBack(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(t *testing.T, h *fixture) {
		owner := h.user(t)
		accounts := []journal.AccountID{h.account(t, owner, "Same"), h.account(t, owner, "Same 2")}
		for n, account := range []int{1, 0, 0, 1, 0, 1, 1} {
			h.fill(t, owner, accounts[account], matching.Buy, fmt.Sprint(n+1), "10", 5)
		}
		h.fill(t, owner, accounts[0], matching.Buy, "8", "10", 1) // arrives late, and is early
		quantities := func(owner journal.UserID) (list []string) {
			must(t, h.ledger.EachExecution(t.Context(), owner, ledger.ExecutionQuery{}, func(e ledger.Execution) error {
				list = append(list, e.Quantity.String())
				return nil
			}))
			return list
		}
		want := []string{"8", "1", "2", "3", "4", "5", "6", "7"}
		if got := quantities(owner); !slices.Equal(got, want) {
			t.Errorf("stored %v, want %v", got, want)
		}
		text := h.export(t, owner, "")
		other := h.user(t)
		wantComplete(t, h.restore(t, other, text))
		if got := quantities(other); !slices.Equal(got, want) {
			t.Errorf("restored %v, want %v", got, want)
		}
		wantSame(t, h.export(t, other, ""), text)
		wantUnchanged(t, h.restore(t, other, text))
		h.check(t)
	})
}

// TestLastStopComesBack is an annotation like any other.
func TestLastStopComesBack(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(t *testing.T, h *fixture) {
		owner := h.user(t)
		account := h.account(t, owner, "Main")
		trade := h.fill(t, owner, account, matching.Buy, "1", "10", 1).TradeIDs[0]
		_, err := h.playbook.Annotate(t.Context(), owner, trade, playbook.AnnotationChange{ValueChange: playbook.ValueChange{LastStop: journal.Some(decimal.Must("9.5"))}}, nil)
		must(t, err)
		text, other := h.export(t, owner, ""), h.user(t)
		wantComplete(t, h.restore(t, other, text))
		wantSame(t, h.export(t, other, ""), text)
	})
}
