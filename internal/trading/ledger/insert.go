package ledger

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/limits"
)

// InsertResult is what inserting fills did.
type InsertResult struct {
	// Outcomes has one entry for each fill, in the order given.
	Outcomes []Outcome
	Inserted int
	// Skipped counts already stored fills that add nothing, Completed those that complete
	// or correct a stored fill, Deleted those that were left out because the user deleted
	// them, and Withdrawn those that were because the broker withdrew them.
	Skipped, Completed, Deleted, Withdrawn int
	// Recorded reports that ledger rows name the import: for new fills, and for stored
	// fills it contained too.
	Recorded bool
	// Unbought are the sales that close what was not held, by their source.
	Unbought []UnboughtSale
	// Trades lists the created or changed trades.
	Trades []journal.TradeID
	// Warnings are sentences for the user, without repetitions.
	Warnings []string
}

// Outcome is the result for one fill.
type Outcome struct {
	// ID identifies the fill, or the stored fill it repeats.
	ID journal.ExecutionID
	// Duplicate reports that the fill was already stored, Completed that it
	// completed or corrected the stored fill, Deleted that it was left out
	// because the user deleted it, and Withdrawn that it was because the broker
	// withdrew it. A fill that was left out has no id.
	Duplicate, Completed, Deleted, Withdrawn bool
	// Trades are a new fill's trades: two if it crosses zero. For a duplicate use
	// [TradesByExecution].
	Trades []journal.TradeID
}

// CheckedFill is a fill in its stored form. A preview or an insert modifies it, so
// it must be used only once.
type CheckedFill struct {
	fill         *fill
	key          *streamKey // shared by one [FillChecker]'s fills
	unmultiplied bool       // the usual multiplier applies
}

// ExecutedAt returns the fill's instant.
func (c CheckedFill) ExecutedAt() time.Time { return db.FromMicros(c.fill.at) }

// ToChecked returns the fill in its stored form, or an error if it is invalid.
func (n NewFill) ToChecked() (CheckedFill, error) { return NewFillChecker().Check(&n) }

func checkFills(fills []NewFill) ([]CheckedFill, error) {
	list := make([]CheckedFill, len(fills))
	checker := NewFillChecker()
	for i := range fills {
		var err error
		if list[i], err = checker.Check(&fills[i]); err != nil && len(fills) > 1 {
			err = fmt.Errorf("fill %d: %w", i+1, err)
		}
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

// InsertFills checks fills and inserts them with [Service.InsertChecked]. One
// invalid fill fails the whole step.
func (s *Service) InsertFills(
	ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID, batch journal.BatchID, fills []NewFill,
) (InsertResult, error) {
	checked, err := checkFills(fills)
	if err != nil {
		return InsertResult{}, err
	}
	return s.InsertChecked(ctx, tx, owner, account, checked, InsertOptions{Batch: batch})
}

// InsertOptions are options for [Service.InsertChecked].
type InsertOptions struct {
	// Batch is the import that can delete the fills again; it may be empty.
	Batch journal.BatchID
	// SkipDeleted leaves out fills the user deleted by hand, for sources sending fills
	// without being asked. Otherwise they are stored again.
	SkipDeleted bool
	// Sender is the connection or hook sending the fills; empty for files. A later record
	// from the same sender with the same id corrects the earlier one.
	Sender string
	// SkipWithdrawn leaves out fills whose ids the broker has withdrawn; see
	// [Service.WithdrawFills].
	SkipWithdrawn bool
	// Replaced maps a corrected fill's new id to the one before. The stored fill keeps
	// its own id and its trade, and has the new broker's id and values.
	Replaced map[string]string
	// Part, if not nil, receives which rows are stored.
	Part *Part
}

// InsertChecked stores fills from one file or backup as one step, in arrival order. An
// already stored fill is skipped or completes the stored one, and a fill repeating a
// broker's id within the call is skipped. Equal fills without an id are all stored,
// because a broker's file does not list a fill twice. The account's revision is raised
// only if a row has changed. The caller must not use the fills afterwards.
func (s *Service) InsertChecked(
	ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID, fills []CheckedFill, options InsertOptions,
) (result InsertResult, err error) {
	if len(fills) == 0 {
		return InsertResult{}, nil
	}
	b, err := s.openBook(ctx, tx, owner, account)
	if err != nil {
		return InsertResult{}, err
	}
	all, warnings, err := b.newArrivals(ctx, fills)
	if err != nil {
		return InsertResult{}, err
	}
	arrivals, err := b.selectArrivals(ctx, all, options)
	if err != nil {
		return InsertResult{}, err
	}
	if !options.SkipDeleted {
		if _, err := b.applyDeleted(ctx, arrivals, false); err != nil {
			return InsertResult{}, err
		}
	}
	first := b.nextSeq
	known, err := b.storeArrivals(ctx, arrivals, importSource{batch: options.Batch, sender: options.Sender})
	if err != nil {
		return InsertResult{}, err
	}
	options.Part.addFills(first, b.nextSeq, known.sources)
	result = newInsertResult(all)
	result.Unbought = listUnbought(all)
	result.Recorded = result.Inserted > 0 || !known.isEmpty()
	result.Trades, result.Warnings = slices.Concat(b.change.Created, b.change.Changed), warnings
	analyzeAfterCommit(s.db, tx, result.Inserted)
	return result, nil
}

// selectArrivals finds the stored fills that arrivals repeat, and returns the arrivals
// without those the options leave out.
func (b *book) selectArrivals(ctx context.Context, all []*arrival, options InsertOptions) (selected []*arrival, err error) {
	selected = all
	setReplaced(selected, options.Replaced)
	if options.SkipWithdrawn {
		if selected, err = b.leaveOutWithdrawn(ctx, selected); err != nil {
			return nil, err
		}
	}
	if err := b.findDuplicates(ctx, selected); err != nil || !options.SkipDeleted {
		return selected, err
	}
	return b.applyDeleted(ctx, selected, true)
}

// analyzeFrom is how many new fills make statistics worth updating, as PostgreSQL itself
// does. A new table without statistics is read by wrong plans.
const analyzeFrom = 50

// analyzeAfterCommit updates the planner's statistics in the background once an
// import is committed.
func analyzeAfterCommit(d *db.DB, tx *db.Tx, inserted int) {
	if inserted < analyzeFrom {
		return
	}
	tx.AfterCommit(func() {
		go func() {
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			d.Analyze(ctx, inserted, "streams", "executions", "trades")
		}()
	})
}

// newArrivals returns checked fills as arrivals, each with its multiplier.
func (b *book) newArrivals(ctx context.Context, fills []CheckedFill) (list []*arrival, warnings []string, err error) {
	usual := b.newMultipliers()
	list = make([]*arrival, len(fills))
	arrivals := make([]arrival, len(fills))
	shared := sharedKeys{}
	for i, checked := range fills {
		a, k := &arrivals[i], shared.find(checked.key)
		*a = arrival{fill: checked.fill, key: k.key, unmultiplied: checked.unmultiplied}
		if a.unmultiplied {
			if a.multiplier, err = k.multiplier(ctx, usual); err != nil {
				return nil, nil, err
			}
		}
		list[i] = a
	}
	return list, usual.warnings, b.loadStreams(ctx, len(shared.byValue))
}

// sharedKeys finds for each key the one representing all equal ones, so equal keys are
// the same pointer.
type sharedKeys struct {
	byValue map[streamKey]*sharedKey
	known   map[*streamKey]*sharedKey
}

// sharedKey is a key with its instrument's usual multiplier, once that was looked up.
type sharedKey struct {
	key   *streamKey
	usual decimal.Null
}

func (s *sharedKeys) find(key *streamKey) *sharedKey {
	if shared := s.known[key]; shared != nil {
		return shared
	}
	if s.known == nil {
		s.byValue, s.known = map[streamKey]*sharedKey{}, map[*streamKey]*sharedKey{}
	}
	shared := s.byValue[*key]
	if shared == nil {
		shared = &sharedKey{key: key}
		s.byValue[*key] = shared
	}
	s.known[key] = shared
	return shared
}

// multiplier returns the instrument's usual multiplier.
func (k *sharedKey) multiplier(ctx context.Context, usual *multipliers) (decimal.Decimal, error) {
	if !k.usual.Valid {
		found, err := usual.lookup(ctx, k.key.symbol, k.key.kind)
		if err != nil {
			return decimal.Zero, err
		}
		k.usual = decimal.Of(found)
	}
	return k.usual.Decimal, nil
}

// assignNumbers sets ids and arrival numbers in new fills. An import's numbers are
// consecutive, so its fills can be found by them.
func (b *book) assignNumbers(ctx context.Context, arrivals []*arrival, from importSource) error {
	last := int64(0) // last arrival number in this call
	taken := span{first: b.nextSeq, firstAt: math.MaxInt64, lastAt: math.MinInt64, importSource: from}
	for _, a := range arrivals {
		if a.known == nil {
			a.seq = b.nextSeq
			a.id = b.account.executionID(a.position())
			if a.createdAt == 0 {
				a.createdAt = db.Micros(b.now)
			}
			if a.arrival <= last {
				a.arrival = b.arrivals + 1
			}
			last, b.arrivals = a.arrival, max(b.arrivals, a.arrival)
			taken.firstAt, taken.lastAt = min(taken.firstAt, a.at), max(taken.lastAt, a.at)
			b.nextSeq++
		}
	}
	taken.last = b.nextSeq - 1
	if taken.last > int64(limits.Executions.Max) {
		return limits.Executions.Reached()
	}
	if from.batch == "" || taken.last < taken.first {
		return nil
	}
	return b.insertSpan(ctx, taken)
}

// regroupArrivals regroups new and completed fills in all streams at once, so rows can be
// written in table order.
func (b *book) regroupArrivals(ctx context.Context, arrivals []*arrival, known *knownFills) error {
	set, err := collectChanges(ctx, arrivals, known, b.streamFor)
	if err != nil {
		return err
	}
	return b.regroupChanges(ctx, set.order...)
}

// changeSet contains changes in several streams, by first use.
type changeSet struct {
	streamOf func(context.Context, streamKey) (*stream, error)
	byKey    map[streamKey]*changes
	order    []*changes
}

// forStream returns a stream's changes.
func (s *changeSet) forStream(ctx context.Context, key streamKey) (*changes, error) {
	c := s.byKey[key]
	if c != nil {
		return c, nil
	}
	found, err := s.streamOf(ctx, key)
	if err != nil {
		return nil, err
	}
	c = &changes{stream: found}
	s.byKey[key] = c
	s.order = append(s.order, c)
	return c, nil
}

// replace replaces a stored fill by its new version, possibly in another stream.
func (s *changeSet) replace(ctx context.Context, before, after *fill, from, to streamKey) error {
	old, err := s.forStream(ctx, from)
	if err != nil {
		return err
	}
	old.remove(before)
	into, err := s.forStream(ctx, to)
	if err != nil {
		return err
	}
	after.stream = into.stream.number
	into.added = append(into.added, after)
	return nil
}

// freshFills are a stream's changes with its new fill count, for which their list is
// allocated.
type freshFills struct {
	*changes
	count int
}

// collectChanges sorts new and completed fills into the streams that streamOf
// returns.
func collectChanges(
	ctx context.Context, arrivals []*arrival, known *knownFills, streamOf func(context.Context, streamKey) (*stream, error),
) (*changeSet, error) {
	set := &changeSet{streamOf: streamOf, byKey: map[streamKey]*changes{}}
	fresh := make(map[*streamKey]*freshFills, min(len(arrivals)/4, 256))
	all := 0
	for _, a := range arrivals {
		if a.known != nil {
			continue
		}
		f := fresh[a.key]
		if f == nil {
			c, err := set.forStream(ctx, *a.key)
			if err != nil {
				return nil, err
			}
			f = &freshFills{changes: c}
			fresh[a.key] = f
		}
		f.count++
		all++
	}
	fills := make([]*fill, all)
	for _, a := range arrivals {
		if a.known != nil {
			continue
		}
		f := fresh[a.key]
		if f.added == nil {
			f.added, fills = fills[:0:f.count], fills[f.count:]
		}
		a.stream = f.stream.number
		f.added = append(f.added, a.fill)
	}
	for _, k := range known.changed {
		if sameFigures(k.before, k.after) {
			continue
		}
		if err := set.replace(ctx, k.before, k.after, k.key, k.key); err != nil {
			return nil, err
		}
	}
	return set, nil
}

// regroupChanges regroups some streams where they changed. Streams between which a fill
// moves must be passed together, so its trade keeps its id.
func (b *book) regroupChanges(ctx context.Context, together ...*changes) error {
	return b.regroupDeleting(ctx, "", together...)
}

// regroupDeleting is regroupChanges for a deleted trade, whose id no new trade takes.
func (b *book) regroupDeleting(ctx context.Context, deleted journal.TradeID, together ...*changes) error {
	r, err := b.regroupTogether(ctx, deleted, together)
	if err != nil {
		return err
	}
	if err := b.keepTrades(ctx, r); err != nil {
		return err
	}
	b.collectWrites(r)
	return nil
}

// regroupTogether computes some streams' trades and their ids.
func (set *streamSet) regroupTogether(ctx context.Context, deleted journal.TradeID, together []*changes) (*regrouping, error) {
	fills := 0
	for _, c := range together {
		fills += len(c.added)
	}
	if err := set.tx.ReleaseWriter(ctx); err != nil { // grouping many fills takes time
		return nil, err
	}
	r := newRegrouping(fills)
	r.deleted, r.hints, r.existing, r.adopted, r.effects = deleted, set.hints, set.existing, set.adopted, set.effects
	if err := set.loadActions(ctx); err != nil {
		return nil, err
	}
	var linked []*changes
	for _, c := range together {
		if set.isLinked(c.stream) {
			linked = append(linked, c)
			continue
		}
		if err := set.regroup(ctx, c, r); err != nil {
			return nil, err
		}
	}
	if len(linked) > 0 {
		if err := set.regroupLinked(ctx, linked, r); err != nil {
			return nil, err
		}
	}
	r.markUnbought()
	r.reconcile()
	return r, nil
}

func newInsertResult(arrivals []*arrival) (r InsertResult) {
	r.Outcomes = make([]Outcome, len(arrivals))
	for i, a := range arrivals {
		if a.deleted {
			r.Outcomes[i] = Outcome{Deleted: true}
			r.Deleted++
			continue
		}
		if a.withdrawn {
			r.Outcomes[i] = Outcome{Withdrawn: true}
			r.Withdrawn++
			continue
		}
		if a.known != nil {
			r.Outcomes[i] = Outcome{ID: a.known.id, Duplicate: true, Completed: a.completed}
			if a.completed {
				r.Completed++
			} else {
				r.Skipped++
			}
			continue
		}
		r.Outcomes[i] = Outcome{ID: a.id, Trades: a.next.list()}
		r.Inserted++
	}
	return r
}
