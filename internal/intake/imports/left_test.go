package imports_test

import (
	"context"
	"errors"
	"testing"

	"fillbook/internal/base/db"
	"fillbook/internal/intake/imports"
	"fillbook/internal/testkit"
)

// TestClientLeavesBeforeTheWrite checks that an import stops if its client leaves while
// it waits for its turn to write, and goes on if the client leaves later. A stopped
// import can be finished.
func TestClientLeavesBeforeTheWrite(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		b := newFixture(t, d)
		data := []byte(`{"tags":[{"name":"gap"}],"executions":[{"symbol":"AAPL","side":"buy","quantity":"1","price":"10","executed_at":"2026-01-05T15:00:00Z"}]}`)
		account := b.account("USD")
		for _, stage := range []string{"checking", "writing"} {
			isStored := stage == "writing"
			ctx, leave := context.WithCancel(t.Context())
			up := imports.Upload{FileName: "b.json", Account: account, Data: data, Watch: func(p imports.Progress) {
				if p.Stage == stage {
					leave()
				}
			}}
			_, err := b.Imports.Commit(ctx, b.by, up)
			leave()
			if _, trades := b.net(account); isStored != (err == nil) || isStored != (trades == 1) || !isStored && !errors.Is(err, context.Canceled) {
				t.Errorf("client left at stage %q: %d trades, %v", stage, trades, err)
			}
			if isStored {
				continue
			}
			list, _, err := b.Imports.Batches(t.Context(), b.by.Principal, "", 10)
			if err != nil || len(list) != 1 || list[0].Status != imports.Pending {
				t.Errorf("after the client left: %+v, %v", list, err)
			}
		}
	})
}
