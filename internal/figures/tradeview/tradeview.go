// Package tradeview reads trades together with their annotations and derived values.
// Lists, sorted lists, exports and the trade detail all read through it, so they agree.
//
// A function with a *db.Tx parameter is one step in the caller's transaction. The methods
// on [Service] run one snapshot each.
package tradeview

import (
	"context"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/excursions"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
	"fillbook/internal/trading/playbook"
	"fillbook/internal/trading/settings"
	"fillbook/internal/trading/tradefilter"
)

// View is a trade with its annotations.
type View struct {
	ledger.Trade
	Annotations playbook.Annotations
	Tags        []playbook.Tag // in Annotations.Tags order
	Derived     playbook.Derived
	// Outcome is empty while the trade is open, and if it ended only by removals.
	Outcome tradefilter.Outcome
	// Excursion is what the price did during the trade, nil if it is not known.
	Excursion *excursions.Result
	// TradingRules are the verdicts of the owner's trading rules.
	TradingRules TradingRules
	// Strategy is the accepted or manual strategy that the trade belongs to; empty for none.
	Strategy journal.StrategyID
	// Rank is what the trade was sorted by; it is set in sorted lists only.
	Rank ledger.RankedTrade
}

// TradingRules counts the rules that a trade kept and those that could not be judged, and
// lists those that it broke.
type TradingRules struct {
	Kept, Unknown int
	Broken        []journal.TradingRuleID
}

// Completer returns a function that adds what depends on other trades, in the caller's
// snapshot: the verdicts of trading rules, and the strategy. It is nil if the owner has
// neither.
type Completer func(ctx context.Context, tx *db.Tx, owner journal.UserID) (func(*View), error)

// Query selects trades and their order.
type Query struct {
	Filter tradefilter.Filter
	// Sort is the order, by one of [ledger.SortKeys]; nil means newest first.
	Sort *ledger.Sort
	// After excludes everything up to and including this position in an unsorted list;
	// Limit bounds the list, 0 means all.
	After *ledger.TradeCursor
	Limit int
	// Completed adds the verdicts of trading rules, and strategies.
	Completed bool
}

// ledgerQuery returns the query for the ledger. Its filter must not need columns.
func (q *Query) ledgerQuery(owner journal.UserID) ledger.TradeQuery {
	f := &q.Filter
	trades := ledger.TradeQuery{
		Scope: f.Scope, Status: ledger.Status(f.Status), Symbols: f.Symbols, Direction: matching.Direction(f.Side), InstrumentTypes: f.InstrumentTypes,
		After: q.After, Limit: q.Limit,
	}
	if f.ByOpening {
		trades.Basis = ledger.ByOpening
	}
	addID := func(condition func(args *[]any) string) {
		trades.Where = append(trades.Where, ledger.TradeIDCondition(condition))
	}
	if len(f.Setups) > 0 {
		addID(func(args *[]any) string { return playbook.HasSetup(args, owner, f.Setups) })
	}
	if len(f.Tags) > 0 {
		addID(func(args *[]any) string { return playbook.HasTag(args, owner, f.Tags) })
	}
	if f.Reviewed.Set {
		addID(func(args *[]any) string { return playbook.IsReviewed(args, owner, f.Reviewed.Value) })
	}
	if f.Batch != "" {
		trades.Where = append(trades.Where, ledger.BatchCondition(owner, f.Batch))
	}
	return trades
}

// ChunkSize is how many trades are read with their annotations at a time.
const ChunkSize = 1000

// EachInDatabase calls fn with a query's trades as they are read. The query must not be
// sorted, and its filter must not need columns. Memory stays flat. A View is valid until
// fn returns. fn must not run statements.
func EachInDatabase(ctx context.Context, tx *db.Tx, owner journal.UserID, q Query, fn func(*View) error) error {
	r := newReader(ctx, tx, owner)
	trades := q.ledgerQuery(owner)
	if trades.Limit == 0 || trades.Limit > fewTrades {
		if err := r.loadFew(); err != nil {
			return err
		}
	}
	if r.few != nil {
		if err := r.loadTolerance(); err != nil {
			return err
		}
		return r.eachDirectly(trades, fn)
	}
	return r.eachInChunks(trades, fn)
}

// eachDirectly calls fn with each trade when it is read. The annotations must be
// loaded.
func (r *reader) eachDirectly(q ledger.TradeQuery, fn func(*View) error) error {
	var v View
	return ledger.EachTrade(r.ctx, r.tx, r.owner, q, func(t ledger.Trade) error {
		v = View{Trade: t}
		if err := r.setAnnotations(&v, r.few[t.ID]); err != nil {
			return err
		}
		return fn(&v)
	})
}

// eachInChunks reads some trades, then their annotations, and calls fn with them.
func (r *reader) eachInChunks(trades ledger.TradeQuery, fn func(*View) error) error {
	left := trades.Limit
	for {
		part := trades
		part.Limit = ChunkSize
		if left > 0 {
			part.Limit = min(left, ChunkSize)
		}
		views, err := r.readChunk(part)
		if err != nil {
			return err
		}
		if err := callEach(views, fn); err != nil {
			return err
		}
		if n := len(views); n < part.Limit || n == left {
			return nil
		}
		left -= min(left, len(views))
		last := views[len(views)-1].Cursor // a copy: the next chunk reuses the memory
		trades.After = &last
	}
}

func callEach(views []View, fn func(*View) error) error {
	for i := range views {
		if err := fn(&views[i]); err != nil {
			return err
		}
	}
	return nil
}

// Derive returns what follows from a trade and its annotations.
func Derive(t *ledger.Trade, a playbook.Annotations) playbook.Derived {
	return playbook.Derive(playbook.Figures{
		Long: t.Direction == matching.Long, EntryNotional: t.EntryNotional, EntrySize: t.EntrySize, Rate: t.Rate, NetPnL: t.NetPnL,
		QtyOpened: t.QtyOpened, QtyRemaining: t.QtyRemaining,
	}, a)
}

// reader reads trades in one transaction.
type reader struct {
	ctx   context.Context
	tx    *db.Tx
	owner journal.UserID
	tags  map[journal.TagID]playbook.Tag // nil until a trade has a tag
	views []View                         // the memory for a chunk
	// few are all trades' annotations, nil if they are many or not loaded.
	few map[journal.TradeID]playbook.Annotations
	// results are all trades' excursions if few is set, else those for the trades being
	// read.
	results map[journal.TradeID]excursions.Result
	// tolerance decides outcomes; nil until it is needed.
	tolerance *tradefilter.Tolerance
}

// newReader returns a reader, which reads the settings together with its first query.
func newReader(ctx context.Context, tx *db.Tx, owner journal.UserID) *reader {
	prefetchSettings(ctx, tx, owner)
	return &reader{ctx: ctx, tx: tx, owner: owner}
}

func prefetchSettings(ctx context.Context, tx *db.Tx, owner journal.UserID) {
	tx.Prefetch(func(tx *db.Tx) { _, _ = settings.Read(ctx, tx, owner) })
}

// loadTolerance loads the breakeven tolerance, once.
func (r *reader) loadTolerance() error {
	if r.tolerance != nil {
		return nil
	}
	stored, err := settings.Read(r.ctx, r.tx, r.owner)
	if err != nil {
		return err
	}
	r.tolerance = &tradefilter.Tolerance{}
	if stored.Tolerance != nil {
		*r.tolerance, err = tradefilter.ParseTolerance(stored.Tolerance)
	}
	return err
}

// readChunk reads the trades in a query with a limit.
func (r *reader) readChunk(q ledger.TradeQuery) ([]View, error) {
	views := r.views[:0]
	err := ledger.EachTrade(r.ctx, r.tx, r.owner, q, func(t ledger.Trade) error {
		views = append(views, View{Trade: t})
		return nil
	})
	if err != nil {
		return nil, err
	}
	r.views = views
	return views, r.annotate(views)
}

func (r *reader) readMany(ids []journal.TradeID) ([]View, error) {
	found, err := ledger.TradesByID(r.ctx, r.tx, r.owner, ids)
	if err != nil {
		return nil, err
	}
	byID := make(map[journal.TradeID]int, len(found))
	for i := range found {
		byID[found[i].ID] = i
	}
	views := make([]View, 0, len(found))
	for _, id := range ids {
		if i, ok := byID[id]; ok {
			views = append(views, View{Trade: found[i]})
		}
	}
	return views, r.annotate(views)
}

// annotate adds the annotations, and what follows from them, to trades.
func (r *reader) annotate(views []View) error {
	if len(views) == 0 {
		return nil
	}
	stored, err := r.loadAnnotations(views)
	if err != nil {
		return err
	}
	if r.few == nil {
		if r.results, err = excursions.Load(r.ctx, r.tx, r.owner, idsOf(views)); err != nil {
			return err
		}
	}
	for i := range views {
		if err := r.setAnnotations(&views[i], stored[views[i].ID]); err != nil {
			return err
		}
	}
	return nil
}

// setAnnotations sets a trade's annotations and the values derived from them.
func (r *reader) setAnnotations(v *View, stored playbook.Annotations) (err error) {
	v.Annotations = stored
	v.Derived = Derive(&v.Trade, stored)
	if result, found := r.results[v.ID]; found && result.IsAvailable() {
		v.Excursion = &result
	}
	if v.NetPnL.Valid && !v.Removed {
		if err := r.loadTolerance(); err != nil {
			return err
		}
		v.Outcome = r.tolerance.OutcomeOf(v.NetPnL.Decimal, v.Derived.InitialRisk)
	}
	v.Tags, err = r.findTags(stored.Tags)
	return err
}

// fewTrades is the trade count up to which annotations are read by trade id.
const fewTrades = 64

// fewResults is the excursion count up to which all are loaded at once.
const fewResults = 20_000

// loadFew loads all trades' annotations, and their tags, if there are at most ChunkSize:
// people annotate fewer trades than they make, and a search for each id takes longer.
func (r *reader) loadFew() (err error) {
	if r.few, err = playbook.LoadFewAnnotations(r.ctx, r.tx, r.owner, ChunkSize); err != nil {
		return err
	}
	if r.few == nil {
		return nil
	}
	if r.results, err = excursions.LoadFew(r.ctx, r.tx, r.owner, fewResults); err != nil {
		return err
	}
	if r.results == nil { // too many: read all by id
		r.few = nil
	}
	for _, stored := range r.few {
		if _, err := r.findTags(stored.Tags); err != nil {
			return err
		}
	}
	return nil
}

// loadAnnotations returns trade annotations.
func (r *reader) loadAnnotations(views []View) (map[journal.TradeID]playbook.Annotations, error) {
	if r.few != nil {
		return r.few, nil
	}
	return playbook.LoadAnnotations(r.ctx, r.tx, r.owner, idsOf(views))
}

func idsOf(views []View) []journal.TradeID {
	ids := make([]journal.TradeID, len(views))
	for i := range views {
		ids[i] = views[i].ID
	}
	return ids
}

func (r *reader) findTags(ids []journal.TagID) ([]playbook.Tag, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	if r.tags == nil {
		all, err := playbook.ListTags(r.ctx, r.tx, r.owner)
		if err != nil {
			return nil, err
		}
		r.tags = make(map[journal.TagID]playbook.Tag, len(all))
		for _, tag := range all {
			r.tags[tag.ID] = tag
		}
	}
	tags := make([]playbook.Tag, len(ids))
	for i, id := range ids {
		tags[i] = r.tags[id]
	}
	return tags, nil
}
