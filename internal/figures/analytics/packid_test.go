package analytics

import (
	"testing"

	"github.com/google/uuid"

	"fillbook/internal/base/journal"
)

// TestPackID packs UUIDs in their usual form, and no other ids.
func TestPackID(t *testing.T) {
	t.Parallel()
	for range 100 {
		id := uuid.New()
		key, ok := packID(journal.TradeID(id.String()))
		if !ok || key != idKey(id) {
			t.Errorf("%s is packed as %v, %t", id, key, ok)
		}
	}
	const usual = "0198c0de-00ab-7000-8000-000000000002"
	for _, id := range []string{
		"", "t001", "0198C0DE-00AB-7000-8000-000000000002", usual + "0", usual[:35], usual[:35] + "g", usual[:8] + "_" + usual[9:], "{" + usual[1:], usual[:34] + "é",
		"00000000-0000-0000-8000-000000000002", // the space for other ids
	} {
		if _, ok := packID(journal.TradeID(id)); ok {
			t.Errorf("%q is packed", id)
		}
	}
}
