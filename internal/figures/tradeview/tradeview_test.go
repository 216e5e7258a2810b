package tradeview_test

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/secrets"
	"fillbook/internal/figures/tradeview"
	"fillbook/internal/installation"
	"fillbook/internal/testkit"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
	"fillbook/internal/trading/playbook"
	"fillbook/internal/trading/tradefilter"
)

// fixture is an installation with one user and one account.
type fixture struct {
	*testing.T
	services *installation.Installation
	owner    journal.UserID
	account  journal.AccountID
}

func eachEngine(t *testing.T, test func(f *fixture)) {
	t.Helper()
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) { test(newFixture(t, d)) })
}

func newFixture(t *testing.T, d *db.DB) *fixture {
	t.Helper()
	keys, err := secrets.NewKeys([]byte("a root secret for tests, 32 bytes or more"))
	must(t, err)
	services, err := installation.New(installation.Options{DB: d, Keys: keys, Clock: testkit.NewClock().Now, Log: slog.New(slog.DiscardHandler)})
	must(t, err)
	f := &fixture{T: t, services: services}
	f.owner, _ = testkit.NewUser(t, d)
	account, err := f.services.Ledger.CreateAccount(t.Context(), f.owner, ledger.NewAccount{Name: "Main", BaseCurrency: "USD"})
	must(t, err)
	f.account = account.ID
	return f
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// addTrades adds n closed trades, a minute apart. Their results repeat, so sorted lists
// have equal values.
func (f *fixture) addTrades(n int) {
	f.Helper()
	begin := time.Date(2026, 1, 5, 15, 0, 0, 0, time.UTC)
	var fills []ledger.NewFill
	for i := range n {
		for j, side := range []matching.Side{matching.Buy, matching.Sell} {
			fills = append(fills, ledger.NewFill{
				Symbol: fmt.Sprintf("S%d", i%7), Side: side, Quantity: decimal.New(1), Price: decimal.New(int64(10 + j*(i%5-1))),
				Fees: decimal.New(int64(i % 3)), ExecutedAt: begin.Add(time.Duration(2*i+j) * 30 * time.Second),
			})
		}
	}
	must(f, f.services.DB.Update(f.Context(), func(tx *db.Tx) error {
		_, err := f.services.Ledger.InsertFills(f.Context(), tx, f.owner, f.account, "", fills)
		return err
	}))
}

// list reads a query's trades.
func (f *fixture) list(q tradeview.Query) []tradeview.View {
	f.Helper()
	var views []tradeview.View
	must(f, f.services.Trades.Each(f.Context(), f.owner, q, func(v *tradeview.View) error {
		views = append(views, *v)
		return nil
	}))
	return views
}

func idsOf(views []tradeview.View) []journal.TradeID {
	ids := make([]journal.TradeID, len(views))
	for i := range views {
		ids[i] = views[i].ID
	}
	return ids
}

// TestPagesMakeTheList reads more trades than a chunk has, whole and by pages,
// in the usual order and in a sorted one.
func TestPagesMakeTheList(t *testing.T) {
	t.Parallel()
	f := newFixture(t, testkit.Open(t, db.SQLite))
	const n = tradeview.ChunkSize + 5
	f.addTrades(n)
	for _, order := range []*ledger.Sort{nil, {By: ledger.SortNetPnL}, {By: ledger.SortCosts, Down: true}} {
		whole := idsOf(f.list(tradeview.Query{Sort: order}))
		if distinct := slices.Compact(slices.Sorted(slices.Values(whole))); len(whole) != n || len(distinct) != n {
			t.Errorf("sorted by %v: %d trades of which %d differ, want %d", order, len(whole), len(distinct), n)
		}
		query := tradeview.Query{Limit: 300}
		if order != nil {
			query.Sort = &ledger.Sort{By: order.By, Down: order.Down}
		}
		var paged []journal.TradeID
		for {
			page, err := f.services.Trades.Page(t.Context(), f.owner, query)
			must(t, err)
			if page.Total != n {
				t.Fatalf("the total is %d, want %d", page.Total, n)
			}
			paged = append(paged, idsOf(page.Rows)...)
			if len(page.Rows) < 300 {
				break
			}
			last := page.Rows[len(page.Rows)-1]
			query.After = &last.Cursor
			if query.Sort != nil {
				query.After, query.Sort.After = nil, &last.Rank
			}
		}
		if !slices.Equal(paged, whole) {
			t.Errorf("sorted by %v: the pages are not the list", order)
		}
	}
}

// TestEveryEntrySeesTheSame: a trade is the same in a list, a sorted list, by id
// and in its detail.
func TestEveryEntrySeesTheSame(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		f.addTrades(5)
		tag, err := f.services.Playbook.CreateTag(f.Context(), f.owner, playbook.TagChange{Name: journal.Some("Late")})
		must(f, err)
		setup, err := f.services.Playbook.CreateSetup(f.Context(), f.owner, playbook.SetupChange{Name: journal.Some("ORB")})
		must(f, err)
		trade := f.list(tradeview.Query{})[2].ID
		_, err = f.services.Playbook.Annotate(f.Context(), f.owner, trade, playbook.AnnotationChange{
			ValueChange: playbook.ValueChange{Notes: journal.Some("n"), StopPrice: journal.Some(decimal.Must("9"))},
			Tags:        journal.Some([]journal.TagID{tag.ID}), Setups: journal.Some([]journal.SetupID{setup.ID}), Reviewed: journal.Some(true),
		}, nil)
		must(f, err)
		filter := tradefilter.Filter{Conditions: tradefilter.Conditions{
			Tags: []journal.TagID{tag.ID}, Setups: []journal.SetupID{setup.ID}, Reviewed: journal.Some(true),
		}}
		listed := f.list(tradeview.Query{Filter: filter})
		sorted := f.list(tradeview.Query{Filter: filter, Sort: &ledger.Sort{By: ledger.SortRisk}})
		if len(listed) != 1 || len(sorted) != 1 {
			f.Fatalf("the filter selects %d trades, and %d if sorted", len(listed), len(sorted))
		}
		detail, err := f.services.Trades.Detail(f.Context(), f.owner, trade)
		must(f, err)
		want := fmt.Sprintf("%+v", detail.Annotations)
		for name, v := range map[string]tradeview.View{"list": listed[0], "sorted list": sorted[0], "detail": detail.View} {
			if v.ID != trade || fmt.Sprintf("%+v", v.Annotations) != want || len(v.Tags) != 1 || v.Tags[0].Name != "Late" ||
				!v.Derived.InitialRisk.Decimal.Equal(decimal.New(1)) {
				f.Errorf("the %s has %+v", name, v)
			}
		}
		if len(detail.Fills) != 2 || len(detail.Setups) != 1 || detail.Setups[0].Name != "ORB" || !detail.TotalPnL().Equal(detail.NetPnL) {
			f.Errorf("the detail is %+v", detail)
		}
		if rest := f.list(tradeview.Query{Filter: tradefilter.Filter{Conditions: tradefilter.Conditions{Reviewed: journal.Some(false)}}}); len(rest) != 4 {
			f.Errorf("%d trades are not reviewed, want 4", len(rest))
		}
	})
}

func TestReadMany(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		f.addTrades(3)
		ids := idsOf(f.list(tradeview.Query{}))
		asked := []journal.TradeID{ids[2], journal.NewID[journal.TradeID](), ids[0]}
		must(f, f.services.DB.View(f.Context(), func(tx *db.Tx) error {
			found, err := tradeview.ReadMany(f.Context(), tx, f.owner, asked)
			if got := idsOf(found); !slices.Equal(got, []journal.TradeID{ids[2], ids[0]}) {
				f.Errorf("found %v of %v", got, asked)
			}
			return err
		}))
	})
}

// TestSortKeys sorts by every key, in both directions.
func TestSortKeys(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		f.addTrades(20)
		all := idsOf(f.list(tradeview.Query{}))
		for i, id := range all[:10] {
			_, err := f.services.Playbook.Annotate(f.Context(), f.owner, id, playbook.AnnotationChange{
				ValueChange: playbook.ValueChange{InitialRisk: journal.Some(decimal.New(int64(i%3 + 1))), TradeQuality: journal.Some(i%5 + 1)},
			}, nil)
			must(f, err)
		}
		for _, key := range ledger.SortKeys() {
			for _, down := range []bool{false, true} {
				views := f.list(tradeview.Query{Sort: &ledger.Sort{By: key, Down: down}})
				if len(views) != len(all) || !slices.IsSortedFunc(views, func(a, b tradeview.View) int { return compareRanks(a.Rank, b.Rank, down) }) {
					f.Errorf("%d trades sorted by %s, down %t, are not in order", len(views), key, down)
				}
			}
		}
	})
}

// compareRanks compares by value alone; an absent value comes last.
func compareRanks(a, b ledger.RankedTrade, down bool) int {
	order := a.Number.Decimal.Cmp(b.Number.Decimal)
	switch {
	case a.Text != b.Text:
		order = 1
		if a.Text < b.Text {
			order = -1
		}
	case a.Number.Valid != b.Number.Valid:
		if a.Number.Valid {
			return -1
		}
		return 1
	}
	if down {
		return -order
	}
	return order
}

// TestEachStopsAtAnError and returns it.
func TestEachStopsAtAnError(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		f.addTrades(3)
		stop := errors.New("stop")
		calls := 0
		err := f.services.Trades.Each(f.Context(), f.owner, tradeview.Query{}, func(*tradeview.View) error {
			calls++
			return stop
		})
		if calls != 1 || !errors.Is(err, stop) {
			f.Errorf("%d calls, error %v", calls, err)
		}
	})
}
