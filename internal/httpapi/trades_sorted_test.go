package httpapi_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"fillbook/internal/base/decimal"
)

// sortFields are what trades can be sorted by.
var sortFields = []string{
	"opened_at", "closed_at", "symbol", "net_pnl", "return_pct", "r_multiple", "time_in_trade_secs", "qty_opened",
	"avg_entry_price", "avg_exit_price", "fees_total", "initial_risk", "trade_quality",
}

// before reports whether two field values are in order: texts as texts, numbers exactly,
// null last.
func before(t *testing.T, a, b any, down bool) int {
	t.Helper()
	switch {
	case a == nil && b == nil:
		return 0
	case b == nil:
		return -1
	case a == nil:
		return 1
	}
	order := 0
	if x, ok := a.(json.Number); ok {
		order = decimal.Must(x.String()).Cmp(decimal.Must(b.(json.Number).String()))
	} else {
		order = strings.Compare(a.(string), b.(string))
	}
	if down {
		return -order
	}
	return order
}

// manyTrades creates all sorts of round trips and open positions in two accounts, many
// equal in one respect or another.
func (d trader) manyTrades(other trader) {
	d.w.t.Helper()
	dice := rand.New(rand.NewPCG(3, 5))
	for i := range 24 {
		at := []trader{d, other}[dice.IntN(2)]
		symbol := fmt.Sprintf("S%d", dice.IntN(5))
		opened := at.fill(symbol, fmt.Sprintf("buy %d@%d.5", 1+dice.IntN(3), 9+dice.IntN(3)), i*20, more{"details": more{"lot": fmt.Sprint(i)}, "fees": dice.IntN(3)})
		id := opened.text("trade_id")
		if dice.IntN(4) > 0 {
			at.fill(symbol, fmt.Sprintf("sell %s@%d", opened.json("quantity"), 8+dice.IntN(5)), i*20+1+dice.IntN(3), more{"details": more{"lot": fmt.Sprint(i)}})
		}
		switch dice.IntN(4) {
		case 0:
			at.annotate(id, more{"initial_risk": 1 + dice.IntN(3)})
		case 1:
			at.annotate(id, more{"stop_price": 8, "trade_quality": 1 + dice.IntN(5)})
		case 2:
			at.annotate(id, more{"notes": "nothing to grade", "reviewed": dice.IntN(2) == 0})
		}
	}
}

// TestTradesAreSorted by every field in both directions, whole and in pages,
// and every trade is there once.
func TestTradesAreSorted(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		d.manyTrades(d.addAccount("Second"))
		all := d.get("/trades").want(http.StatusOK).column("id")
		slices.Sort(all)
		for _, field := range sortFields {
			for _, order := range []string{"asc", "desc"} {
				query := "/trades?sort=" + field + "&order=" + order
				list := d.get(query).want(http.StatusOK)
				for i := 1; i < list.count(""); i++ {
					a, b := list.value(fmt.Sprintf("%d.%s", i-1, field)), list.value(fmt.Sprintf("%d.%s", i, field))
					if before(t, a, b, order == "desc") > 0 {
						t.Errorf("%s: %v comes before %v", query, a, b)
					}
				}
				whole := list.column("id")
				paged, sizes := d.pages(query+"&limit=5", "id")
				if !slices.Equal(paged, whole) || slices.Max(sizes) > 5 {
					t.Errorf("%s in pages: %v, whole %v", query, paged, whole)
				}
				if slices.Sort(whole); !slices.Equal(whole, all) {
					t.Errorf("%s has other trades than the list", query)
				}
			}
		}
	})
}

// TestOrderWithoutSort checks that order without sort is the default order's direction,
// whole and in pages, for either instant.
func TestOrderWithoutSort(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		d.manyTrades(d.addAccount("Second"))
		for _, filter := range []string{"", "&date_basis=open", "&status=open", "&side=long&date_basis=open", "&outcome=win"} {
			newest := d.get("/trades?limit=1000" + filter).want(http.StatusOK).column("id")
			if got := d.get("/trades?limit=1000&order=desc" + filter).want(http.StatusOK).column("id"); !slices.Equal(got, newest) {
				t.Errorf("order=desc%s: %v, want %v", filter, got, newest)
			}
			oldest := slices.Clone(newest)
			slices.Reverse(oldest)
			if got := d.get("/trades?limit=1000&order=asc" + filter).want(http.StatusOK).column("id"); !slices.Equal(got, oldest) {
				t.Errorf("order=asc%s: %v, want %v", filter, got, oldest)
			}
			for order, want := range map[string][]string{"asc": oldest, "desc": newest} {
				if paged, _ := d.pages("/trades?order="+order+"&limit=5"+filter, "id"); !slices.Equal(paged, want) {
					t.Errorf("order=%s%s in pages: %v, want %v", order, filter, paged, want)
				}
			}
		}
	})
}

// TestSortedTradesAreFiltered: the order leaves out what the filter does, and
// counts the same.
func TestSortedTradesAreFiltered(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		second := d.addAccount("Second")
		d.manyTrades(second)
		for _, filter := range []string{
			"status=open", "status=closed", "symbol=S1,S2", "account_id=" + second.account, "instrument_type=stock&side=long",
			"reviewed=true", "reviewed=false", "reviewed=false&status=closed", "from=" + at(60) + "&to=" + at(300), "date_basis=open&to=" + at(200),
		} {
			plain := d.get("/trades?limit=1000&" + filter).want(http.StatusOK)
			sorted := d.get("/trades?limit=1000&sort=net_pnl&" + filter).want(http.StatusOK)
			want, got := plain.column("id"), sorted.column("id")
			slices.Sort(want)
			slices.Sort(got)
			if !slices.Equal(want, got) || plain.header.Get("X-Total-Count") != sorted.header.Get("X-Total-Count") {
				t.Errorf("%s: sorted %v, else %v", filter, got, want)
			}
		}
		stranger := w.addUser(d.client, "anna@example.org")
		stranger.get("/trades?sort=net_pnl").want(http.StatusOK).is("", "[]")
		stranger.get("/trades?sort=net_pnl&account_id="+d.account).wantError(http.StatusNotFound, "not_found")
		for query, field := range map[string]string{
			"sort=profit": "sort", "sort=net_pnl,symbol": "sort", "sort=net_pnl&order=up": "order", "order=up": "order", "sort=listed_at": "sort", "reviewed=maybe": "reviewed",
			"sort=net_pnl&limit=0": "limit", "sort=net_pnl&limit=2&cursor=nonsense": "cursor",
		} {
			d.get("/trades?"+query).wantError(http.StatusBadRequest, "bad_request").wantField(field)
		}
		// A cursor leads on in its own order only.
		link := d.get("/trades?sort=net_pnl&limit=2").want(http.StatusOK).header.Get("Link")
		_, cursor, _ := strings.Cut(strings.TrimSuffix(link, `>; rel="next"`), "cursor=")
		cursor, _, _ = strings.Cut(cursor, "&")
		d.get("/trades?sort=net_pnl&limit=2&cursor=" + cursor).want(http.StatusOK)
		for _, query := range []string{"sort=symbol", "sort=net_pnl&order=desc", ""} {
			d.get("/trades?limit=2&"+query+"&cursor="+cursor).wantError(http.StatusBadRequest, "bad_request").wantField("cursor")
		}
	})
}

// TestTradesOfAnImport have a fill from it: created, closed, or reversed by it.
func TestTradesOfAnImport(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(_ *testing.T, w *world) {
		d := w.trader()
		d.fill("MSFT", "buy 1@10", 0)
		kept := d.fills("MSFT", 1, "sell 1@12", "buy 5@10")[1].text("trade_id")
		done := d.imported(headLine + "AAPL,buy,100,10,2026-01-05T16:00:00Z,1\nMSFT,sell,8,11,2026-01-05T16:10:00Z,1\n")
		batch := done.text("import_batch_id")
		flipped := d.get("/trades?symbol=MSFT&status=open").want(http.StatusOK).text("0.id")
		made := d.trades("AAPL").text("0.id")
		list := d.get("/trades?import_batch_id=" + batch).want(http.StatusOK)
		list.wantColumn("id", flipped, kept, made)
		d.get("/trades?import_batch_id="+batch+"&sort=symbol&limit=1").want(http.StatusOK).wantColumn("id", made)
		d.get("/trades?import_batch_id="+unknown()).want(http.StatusOK).is("", "[]")
		w.addUser(d.client, "anna@example.org").get("/trades?import_batch_id="+batch).want(http.StatusOK).is("", "[]")
		d.delete("/imports/" + batch).want(http.StatusNoContent)
		d.get("/trades?import_batch_id="+batch).want(http.StatusOK).is("", "[]")
	})
}
