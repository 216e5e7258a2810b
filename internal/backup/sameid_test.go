package backup

import (
	"fmt"
	"testing"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
)

// TestSecondRestoreTellsSameIDs restores a journal twice in which fills have one broker's id,
// as the user allowed: each is recognized by its content, so annotations stay with their
// trade.
func TestSecondRestoreTellsSameIDs(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(t *testing.T, h *fixture) {
		owner, other := h.user(t), h.user(t)
		account := h.account(t, owner, "Main")
		for i, minute := range []int{20, 10, 30} { // they arrive in another order than they were executed
			added, err := h.ledger.AddExecution(t.Context(), owner, account, ledger.NewFill{
				Symbol: fmt.Sprint("S", i), Side: matching.Buy, Quantity: decimal.New(1), Price: decimal.New(10),
				ExecutedAt: morning.Add(time.Duration(minute) * time.Minute), ExternalID: "X", AllowDuplicate: true,
			})
			must(t, err)
			h.annotate(t, owner, added.TradeIDs[0], fmt.Sprint("words ", i))
		}
		text := h.export(t, owner, "")
		wantUnchanged(t, h.restore(t, owner, text))
		wantComplete(t, h.restore(t, other, text))
		wantUnchanged(t, h.restore(t, other, text))
		wantSame(t, h.export(t, other, ""), text)
	})
}
