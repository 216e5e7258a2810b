package columns_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/tradeview"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
	"fillbook/internal/trading/playbook"
	"fillbook/internal/trading/tradefilter"
)

// rankTest is a journal with many equal values, open trades and annotations.
type rankTest struct {
	*env
	random   *rand.Rand
	accounts []journal.AccountID
	setup    journal.SetupID
	tag      journal.TagID
	batch    journal.BatchID // for the latest fills, once there are some
}

func newRankTest(h *env) *rankTest {
	r := &rankTest{env: h, random: rand.New(rand.NewPCG(16, 1)), accounts: []journal.AccountID{h.account}}
	r.accounts = append(r.accounts, h.createAccount("Main", "5"), h.createAccount("Another", "5")) // two have the same name
	tag, err := h.Playbook.CreateTag(h.t.Context(), h.owner, playbook.TagChange{Name: journal.Some("early")})
	must(h.t, err)
	setup, err := h.Playbook.CreateSetup(h.t.Context(), h.owner, playbook.SetupChange{Name: journal.Some("gap")})
	must(h.t, err)
	r.tag, r.setup = tag.ID, setup.ID
	return r
}

// addFills adds fills at few instants and prices.
func (r *rankTest) addFills(n int) {
	r.t.Helper()
	for _, account := range r.accounts {
		fills := make([]ledger.NewFill, n)
		for i := range fills {
			f := ledger.NewFill{
				Symbol: fmt.Sprintf("S%d", r.random.IntN(9)), Side: matching.Buy, Quantity: decimal.New(int64(1 + r.random.IntN(3))),
				Price:      decimal.FromScaled(int64(1000+r.random.IntN(30)), int32(r.random.IntN(3))),
				Commission: decimal.FromScaled(int64(r.random.IntN(3)), 1), ExecutedAt: minute(r.random.IntN(40)), AllowDuplicate: true,
			}
			if r.random.IntN(2) == 0 {
				f.Side = matching.Sell
			}
			if r.random.IntN(3) == 0 {
				f.ExternalID = fmt.Sprintf("x%d-%d", r.random.IntN(5), r.random.Uint32())
			}
			fills[i] = f
		}
		must(r.t, r.DB.Update(r.t.Context(), func(tx *db.Tx) error {
			_, err := r.Ledger.InsertFills(r.t.Context(), tx, r.owner, account, r.batch, fills)
			return err
		}))
	}
}

// annotateSome annotates some trades, including open trades.
func (r *rankTest) annotateSome() {
	r.t.Helper()
	var ids []journal.TradeID
	must(r.t, r.Trades.Each(r.t.Context(), r.owner, tradeview.Query{}, func(v *tradeview.View) error {
		ids = append(ids, v.ID)
		return nil
	}))
	for i, id := range ids {
		change := playbook.AnnotationChange{}
		switch i % 5 {
		case 0:
			change.StopPrice = journal.Some(decimal.New(int64(5 + i%20)))
		case 1:
			change.InitialRisk, change.TradeQuality = journal.Some(decimal.New(int64(1+i%3))), journal.Some(1+i%4)
		case 2:
			change.Tags, change.Setups = journal.Some([]journal.TagID{r.tag}), journal.Some([]journal.SetupID{r.setup})
		default:
			continue
		}
		r.annotate(id, change)
	}
}

func (r *rankTest) filters() map[string]tradefilter.Filter {
	from, to := minute(10).Add(500*time.Nanosecond), minute(25)
	period := journal.Period{From: &from, To: &to}
	return map[string]tradefilter.Filter{
		"all":            {},
		"one account":    {Scope: journal.Scope{Accounts: r.accounts[1:2]}},
		"open":           {Status: tradefilter.Open},
		"closed":         {Status: tradefilter.Closed, Conditions: tradefilter.Conditions{Side: tradefilter.Long}},
		"a period":       {Scope: journal.Scope{Period: period}},
		"opened then":    {Scope: journal.Scope{Period: period}, ByOpening: true},
		"symbols":        {Conditions: tradefilter.Conditions{Symbols: []string{"S1", "S2"}}},
		"a type":         {Conditions: tradefilter.Conditions{InstrumentTypes: []string{"stock"}}},
		"another type":   {Conditions: tradefilter.Conditions{InstrumentTypes: []string{"future"}}},
		"a tag":          {Conditions: tradefilter.Conditions{Tags: []journal.TagID{r.tag}}},
		"a setup, short": {Conditions: tradefilter.Conditions{Side: tradefilter.Short, Setups: []journal.SetupID{r.setup}}},
		"reviewed":       {Conditions: tradefilter.Conditions{Reviewed: journal.Some(true)}},
		"not reviewed":   {Conditions: tradefilter.Conditions{Reviewed: journal.Some(false)}},
		"an import":      {Conditions: tradefilter.Conditions{Batch: r.batch}},
	}
}

// TestRanksAreThoseOfTheDatabase compares the ranks from columns with those from database
// values: by every key, in both directions, whole and in pages, and after writes.
func TestRanksAreThoseOfTheDatabase(t *testing.T) {
	t.Parallel()
	eachEnv(t, func(_ *testing.T, h *env) {
		r := newRankTest(h)
		r.check("nothing", tradeview.Query{Sort: &ledger.Sort{By: ledger.SortNetPnL}})
		r.addFills(60)
		r.check("fills", tradeview.Query{Sort: &ledger.Sort{By: ledger.SortExitPrice}})
		r.annotateSome()
		r.batch = "an import"
		r.addFills(3)
		r.checkAll()
	})
}

func (r *rankTest) checkAll() {
	r.t.Helper()
	for name, filter := range r.filters() {
		query := tradeview.Query{Filter: filter}
		r.checkUnsorted(name, query)
		for _, key := range ledger.SortKeys() {
			for _, down := range []bool{false, true} {
				query.Sort = &ledger.Sort{By: key, Down: down}
				r.check(fmt.Sprintf("%s by %s, down %t", name, key, down), query)
			}
		}
	}
}

// checkUnsorted compares an unsorted list, and its pages, with the database list.
func (r *rankTest) checkUnsorted(name string, q tradeview.Query) {
	r.t.Helper()
	ctx := r.t.Context()
	var want []journal.TradeID
	places := map[journal.TradeID]ledger.TradeCursor{}
	must(r.t, r.DB.View(ctx, func(tx *db.Tx) error {
		return tradeview.EachInDatabase(ctx, tx, r.owner, q, func(v *tradeview.View) error {
			want = append(want, v.ID)
			places[v.ID] = v.Cursor
			return nil
		})
	}))
	for _, limit := range []int{0, 1 + r.random.IntN(20)} {
		q.Limit, q.After = limit, nil
		var got []journal.TradeID
		for last := false; !last; {
			must(r.t, r.DB.View(ctx, func(tx *db.Tx) error {
				ranking, err := r.Figures.RankTrades(ctx, tx, r.owner, q)
				if ranking.Total != len(want) {
					r.t.Errorf("%s: the total is %d, want %d", name, ranking.Total, len(want))
				}
				for _, trade := range ranking.Trades {
					place := places[trade.ID]
					got, q.After = append(got, trade.ID), &place
				}
				last = limit == 0 || len(ranking.Trades) < limit
				return err
			}))
		}
		if !slices.Equal(got, want) {
			r.t.Fatalf("%s, pages of %d:\n%q\nwant\n%q", name, limit, got, want)
		}
	}
}

// sorted reads a query's trades and sorts them by their values.
func (r *rankTest) sorted(q tradeview.Query) []tradeview.View {
	r.t.Helper()
	ctx, by := r.t.Context(), *q.Sort
	q.Sort = nil
	var list []tradeview.View
	must(r.t, r.DB.View(ctx, func(tx *db.Tx) error {
		list = nil
		return tradeview.EachInDatabase(ctx, tx, r.owner, q, func(v *tradeview.View) error {
			v.Rank = rankOf(v, by.By)
			list = append(list, *v)
			return nil
		})
	}))
	slices.SortFunc(list, func(a, b tradeview.View) int {
		x, y := a.Rank, b.Rank
		order := cmp.Or(cmp.Compare(x.Text, y.Text), x.Number.Decimal.Cmp(y.Number.Decimal), x.Place.Compare(&y.Place, by.Basis()))
		switch {
		case x.Number.Valid != y.Number.Valid && x.Number.Valid: // trades without a value are last
			return -1
		case x.Number.Valid != y.Number.Valid:
			return 1
		case by.Down:
			return -order
		}
		return order
	})
	return list
}

// rankOf returns a trade's sort value and its position.
func rankOf(v *tradeview.View, by ledger.SortKey) ledger.RankedTrade {
	rank := ledger.RankedTrade{ID: v.ID, Place: v.Cursor}
	switch by {
	case ledger.SortOpenedAt:
		rank.Number = decimal.Of(decimal.New(v.OpenedAt.UnixMicro()))
	case ledger.SortClosedAt:
		if v.ClosedAt != nil {
			rank.Number = decimal.Of(decimal.New(v.ClosedAt.UnixMicro()))
		}
	case ledger.SortTimeHeld:
		if v.ClosedAt != nil {
			rank.Number = decimal.Of(decimal.New(v.ClosedAt.Sub(v.OpenedAt).Microseconds()))
		}
	case ledger.SortSymbol:
		rank.Text = v.Instrument.Symbol
	case ledger.SortNetPnL:
		rank.Number = v.NetPnL
	case ledger.SortReturnPct:
		rank.Number = v.ReturnPct
	case ledger.SortQtyOpened:
		rank.Number = decimal.Of(v.QtyOpened)
	case ledger.SortEntryPrice:
		rank.Number = decimal.Of(v.AvgEntry)
	case ledger.SortExitPrice:
		rank.Number = v.AvgExit
	case ledger.SortCosts:
		rank.Number = decimal.Of(v.Costs())
	case ledger.SortR:
		rank.Number = v.Derived.RMultiple
	case ledger.SortRisk:
		rank.Number = v.Derived.InitialRisk
	case ledger.SortQuality:
		if v.Annotations.TradeQuality > 0 {
			rank.Number = decimal.Of(decimal.New(int64(v.Annotations.TradeQuality)))
		}
	case ledger.SortListedAt: // queries cannot name it
	}
	return rank
}

// check compares a list and its pages with the database list.
func (r *rankTest) check(name string, q tradeview.Query) {
	r.t.Helper()
	ctx := r.t.Context()
	var want, got, paged []string
	describe := func(into *[]string) func(v *tradeview.View) error {
		return func(v *tradeview.View) error {
			*into = append(*into, fmt.Sprintf("%s %s %v %+v", v.ID, v.Rank.Number, v.Rank.Text, v.Rank.Place))
			return nil
		}
	}
	for _, v := range r.sorted(q) {
		must(r.t, describe(&want)(&v))
	}
	must(r.t, r.Trades.Each(ctx, r.owner, q, describe(&got)))
	if !slices.Equal(got, want) {
		r.t.Fatalf("%s:\n%q\nwant\n%q", name, got, want)
	}
	q.Limit = 5 + r.random.IntN(30)
	for {
		page, err := r.Trades.Page(ctx, r.owner, q)
		must(r.t, err)
		if page.Total != len(want) {
			r.t.Errorf("%s: the total is %d, want %d", name, page.Total, len(want))
		}
		for i := range page.Rows {
			must(r.t, describe(&paged)(&page.Rows[i]))
		}
		if len(page.Rows) < q.Limit {
			break
		}
		order := *q.Sort
		order.After = &page.Rows[len(page.Rows)-1].Rank
		q.Sort = &order
	}
	if !slices.Equal(paged, want) {
		r.t.Fatalf("%s, pages of %d:\n%q\nwant\n%q", name, q.Limit, paged, want)
	}
}
