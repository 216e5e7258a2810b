package httpapi_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
)

// TestLongLists are longer than what is read or held back at once: streamed,
// whole, without a gap or a repetition at the seams.
func TestLongLists(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		const n = 2100 // more than two parts, and more than a MiB
		fills := make([]ledger.NewFill, n)
		for i := range fills {
			fills[i] = ledger.NewFill{
				Symbol: fmt.Sprint("S", i), Side: matching.Buy, Quantity: decimal.New(1), Price: decimal.New(1),
				ExecutedAt: time.Date(2026, 1, 5, 0, 0, i/600, 0, time.UTC), // hundreds at one instant
			}
		}
		me, err := w.services.Identity.User(t.Context(), journal.PublicID(d.get("/me").text("id")))
		if err != nil {
			t.Fatal(err)
		}
		owner, account := me.ID, journal.AccountID(d.account)
		err = w.db.Update(t.Context(), func(tx *db.Tx) error {
			_, err := w.services.Ledger.InsertFills(t.Context(), tx, owner, account, "", fills)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{"/trades", "/executions"} {
			ids := d.get(path).want(http.StatusOK).column("id")
			if distinct := slices.Compact(slices.Sorted(slices.Values(ids))); len(ids) != n || len(distinct) != n {
				t.Errorf("%s lists %d records, %d of them once, want %d", path, len(ids), len(distinct), n)
			}
			paged, sizes := d.pages(path+"?limit=1000", "id")
			if !slices.Equal(paged, ids) || !slices.Equal(sizes, []int{1000, 1000, 100}) {
				t.Errorf("%s in pages of %v is another list than the whole", path, sizes)
			}
		}
		packed := d.with("Accept-Encoding", "gzip").get("/trades").want(http.StatusOK)
		if packed.header.Get("Content-Encoding") != "gzip" || len(packed.body) > 300_000 {
			t.Errorf("%d bytes with the encoding %q", len(packed.body), packed.header.Get("Content-Encoding"))
		}
	})
}
