package httpapi_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
)

func detailIDs(t *testing.T, detail *reply) (ids []string) {
	t.Helper()
	var shape struct {
		Fills []struct{ ID string }
	}
	if err := json.Unmarshal(detail.body, &shape); err != nil {
		t.Fatal(err)
	}
	for _, f := range shape.Fills {
		ids = append(ids, f.ID)
	}
	return ids
}

// TestFillsOfALongTrade: the detail has the first 1000 fills and a link to the others.
func TestFillsOfALongTrade(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		const n = 2300
		fills := make([]ledger.NewFill, n)
		for i := range fills {
			fills[i] = ledger.NewFill{
				Symbol: "LONG", Side: matching.Buy, Quantity: decimal.New(2), Price: decimal.New(1),
				ExecutedAt: time.Date(2026, 1, 5, 0, 0, i/7, 0, time.UTC),
			}
		}
		// The first fill closes another trade, and the last one crosses zero.
		fills[0].Quantity = decimal.New(3)
		fills[n-1].Side, fills[n-1].Quantity = matching.Sell, decimal.New(2*(n-1)+5)
		before := ledger.NewFill{
			Symbol: "LONG", Side: matching.Sell, Quantity: decimal.New(1), Price: decimal.New(1),
			ExecutedAt: time.Date(2026, 1, 4, 0, 0, 0, 0, time.UTC),
		}
		me, err := w.services.Identity.User(t.Context(), journal.PublicID(d.get("/me").text("id")))
		if err != nil {
			t.Fatal(err)
		}
		owner, account := me.ID, journal.AccountID(d.account)
		err = w.db.Update(t.Context(), func(tx *db.Tx) error {
			_, err := w.services.Ledger.InsertFills(t.Context(), tx, owner, account, "", append([]ledger.NewFill{before}, fills...))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		id := d.get("/trades?status=closed").want(http.StatusOK).text("0.id")
		path := "/trades/" + id
		detail := d.get(path).want(http.StatusOK)
		first := detailIDs(t, detail)
		detail.is("execution_count", "2300").is("fills.0.trade_quantity", "2").is("fills.0.quantity", "3").is("fills.0.role", `"opening"`)
		all := d.get(path + "/fills").want(http.StatusOK)
		ids := all.column("id")
		if len(first) != 1000 || len(ids) != n || !slices.Equal(ids[:1000], first) {
			t.Fatalf("%d fills in the detail, %d in the list", len(first), len(ids))
		}
		all.is("2299.role", `"closing"`).is("2299.trade_quantity", "4598").is("2299.quantity", "4603")
		rest, sizes := d.pages(strings.TrimPrefix(detail.text("more_fills"), "/api/v1"), "id")
		if !slices.Equal(rest, ids[1000:]) || !slices.Equal(sizes, []int{1000, 300}) {
			t.Errorf("the other fills have pages of %v", sizes)
		}
		paged, _ := d.pages(path+"/fills?limit=170", "id")
		if !slices.Equal(paged, ids) {
			t.Error("the list in pages differs from the whole list")
		}
		last := d.get(path + "/fills?limit=1").want(http.StatusOK)
		if total := last.header.Get("X-Total-Count"); total != "2300" {
			t.Errorf("X-Total-Count %s", total)
		}
		small := d.get("/trades?status=open").want(http.StatusOK).text("0.id")
		if detail := d.get("/trades/" + small).want(http.StatusOK); strings.Contains(string(detail.body), "more_fills") {
			t.Error("a short trade has more fills")
		}
		d.get("/trades/"+small+"/fills").want(http.StatusOK).is("0.role", `"opening"`)
		d.get(path+"/fills?limit=2&cursor=x").wantError(http.StatusBadRequest, "bad_request")
		other := w.addUser(d.client, "other@example.org")
		other.get(path+"/fills").wantError(http.StatusNotFound, "not_found")
	})
}
