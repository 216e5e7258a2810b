package backup

import (
	"strings"
	"testing"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/intake/kinds"
	"fillbook/internal/intake/statement"
)

func (h *fixture) storeKind(t failer, owner journal.UserID, layout, word string, kind statement.Kind) {
	t.Helper()
	must(t, h.db.Update(h.ctx(), func(tx *db.Tx) error {
		return kinds.Store(h.ctx(), tx, owner, []kinds.WordKind{{Layout: layout, Word: word, Kind: kind, CreatedAt: h.clock.Now()}})
	}))
}

// TestImportKindsAreRestored checks that the backup has a user's kinds for words in files
// and that a restore keeps the stored choices.
func TestImportKindsAreRestored(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(t *testing.T, h *fixture) {
		from, to := h.user(t), h.user(t)
		h.storeKind(t, from, "robinhood/account activity", "zorp", statement.KindInterest)
		h.clock.Advance(time.Hour)
		h.storeKind(t, from, "robinhood/account activity", "blip", statement.KindIgnored)
		h.storeKind(t, from, "degiro/account", "zorp", statement.KindFee)
		text := h.export(t, from, "")
		result := h.restore(t, to, text)
		wantComplete(t, result)
		if result.ImportKinds != 3 {
			t.Errorf("%d kinds were restored, want 3", result.ImportKinds)
		}
		wantSame(t, h.export(t, to, ""), text)
		wantUnchanged(t, h.restore(t, to, text))

		third := h.user(t)
		h.storeKind(t, third, "degiro/account", "zorp", statement.KindTax)
		if result := h.restore(t, third, text); result.ImportKinds != 2 {
			t.Errorf("%d kinds were restored, want 2", result.ImportKinds)
		}
		if got := h.export(t, third, ""); !strings.Contains(got, `"layout":"degiro/account","word":"zorp","kind":"tax"`) {
			t.Errorf("the stored choice was replaced:\n%s", got)
		}
		if got := h.export(t, from, h.account(t, from, "Main")); strings.Contains(got, "import_kinds") {
			t.Errorf("the backup of one account contains kinds:\n%s", got)
		}
	})
}
