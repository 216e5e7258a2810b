package ledger

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"fillbook/internal/db"
	"fillbook/internal/journal"
)

// InsertResult tells what became of the fills that were to be inserted.
type InsertResult struct {
	// Outcomes has one entry for each fill, in the order given.
	Outcomes []Outcome
	Inserted int
	// Skipped counts the fills that were stored already and say nothing new,
	// Completed those that complete or correct a stored fill.
	Skipped, Completed int
	// Trades lists the trades that were created or changed.
	Trades []journal.TradeID
	// Warnings are sentences for the user, each once.
	Warnings []string
}

// Outcome is what became of one fill.
type Outcome struct {
	// ID is the fill's, or that of the stored fill that it repeats.
	ID journal.ExecutionID
	// Duplicate reports that the fill was known, Completed that the known fill
	// has learned something from it.
	Duplicate, Completed bool
	// Trades are the trades of a new fill: two if it crosses zero. For those
	// of a duplicate ask [TradesByExecution].
	Trades []journal.TradeID
}

// CheckedFill is a fill that the ledger takes. It may be inserted once: what
// becomes of it is noted in it, so that a long file is not held twice.
type CheckedFill struct{ arrival *arrival }

// ToChecked gives a fill as it will be stored, or says why it cannot be.
func (n NewFill) ToChecked() (CheckedFill, error) {
	f, instrument, err := n.clean()
	if err != nil {
		return CheckedFill{}, err
	}
	return CheckedFill{&arrival{fill: f, key: instrument.key(), unmultiplied: !n.Multiplier.Valid}}, nil
}

func checkAll(fills []NewFill) ([]CheckedFill, error) {
	list := make([]CheckedFill, len(fills))
	for i, in := range fills {
		var err error
		if list[i], err = in.ToChecked(); err != nil && len(fills) > 1 {
			err = fmt.Errorf("fill %d: %w", i+1, err)
		}
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

// InsertFills is [Service.InsertChecked] for fills that nobody has checked yet.
// One that [NewFill.Check] refuses fails the whole step.
func (s *Service) InsertFills(
	ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID, batch journal.BatchID, fills []NewFill,
) (InsertResult, error) {
	checked, err := checkAll(fills)
	if err != nil {
		return InsertResult{}, err
	}
	return s.InsertChecked(ctx, tx, owner, account, batch, checked)
}

// InsertChecked stores the fills of one file or backup as one step, in the order
// given, which is their order of arrival. Fills that are stored already are
// skipped or complete the stored ones, and rows that repeat a broker's id within
// the call are skipped; equal fills without an id are all taken, as a broker's
// file does not say things twice. batch names the import that the fills can be taken back with; it may
// be empty.
func (s *Service) InsertChecked(
	ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID, batch journal.BatchID, fills []CheckedFill,
) (result InsertResult, err error) {
	err = s.writing(ctx, tx, owner, account, func(b *book) error {
		arrivals, warnings, err := b.prepare(ctx, fills)
		if err != nil {
			return err
		}
		if err := b.dedup(ctx, arrivals); err != nil {
			return err
		}
		known, err := b.planKnown(ctx, arrivals, batch)
		if err != nil {
			return err
		}
		if err := b.number(ctx, arrivals, batch); err != nil {
			return err
		}
		if err := b.insert(ctx, arrivals, known); err != nil {
			return err
		}
		if err := b.storeKnown(ctx, known); err != nil {
			return err
		}
		result = report(arrivals)
		result.Trades, result.Warnings = slices.Concat(b.change.Created, b.change.Changed), warnings
		s.analyzeAfter(tx, result.Inserted)
		return nil
	})
	return result, err
}

// manyFills is from how many new fills on the planner is told of them.
const manyFills = 5000

// analyzeAfter has the planner look at a large import once it is committed,
// without keeping the caller waiting.
func (s *Service) analyzeAfter(tx *db.Tx, inserted int) {
	if inserted < manyFills {
		return
	}
	tx.AfterCommit(func() {
		go func() {
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			s.db.Analyze(ctx, "streams", "executions", "trades")
		}()
	})
}

// prepare gives each fill its multiplier.
func (b *book) prepare(ctx context.Context, fills []CheckedFill) (arrivals []*arrival, warnings []string, err error) {
	usual := b.multipliers()
	arrivals = make([]*arrival, len(fills))
	for i, checked := range fills {
		a := checked.arrival
		if a.unmultiplied {
			if a.multiplier, err = usual.of(ctx, a.key.symbol, a.key.kind); err != nil {
				return nil, nil, err
			}
		}
		arrivals[i] = a
	}
	return arrivals, usual.warnings, nil
}

// number gives the new fills their ids and arrival numbers. Those of an import
// are consecutive, which is how the import is found again.
func (b *book) number(ctx context.Context, arrivals []*arrival, batch journal.BatchID) error {
	last := int64(0) // arrival number of this call
	taken := span{first: b.nextSeq, firstAt: math.MaxInt64, lastAt: math.MinInt64, batch: batch}
	for _, a := range arrivals {
		if a.known == nil {
			a.seq, a.id = b.nextSeq, journal.NewID[journal.ExecutionID]()
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
	if batch == "" || taken.last < taken.first {
		return nil
	}
	return b.insertSpan(ctx, taken)
}

// insert groups the new and the completed fills, all streams together, so that
// what they become can be stored in the order of the tables.
func (b *book) insert(ctx context.Context, arrivals []*arrival, known *knownFills) error {
	set, err := b.changesOf(ctx, arrivals, known, b.streamFor)
	if err != nil {
		return err
	}
	return b.apply(ctx, set.order...)
}

// changeSet is the changes of several streams, in the order in which the streams
// were met.
type changeSet struct {
	streamOf func(context.Context, streamKey) (*stream, error)
	byKey    map[streamKey]*changes
	order    []*changes
}

// in returns the changes of a stream.
func (s *changeSet) in(ctx context.Context, key streamKey) (*changes, error) {
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

// replace puts a fill as it will be in the place of what is stored.
func (s *changeSet) replace(ctx context.Context, before, after *fill, from, to streamKey) error {
	old, err := s.in(ctx, from)
	if err != nil {
		return err
	}
	old.remove(before)
	into, err := s.in(ctx, to)
	if err != nil {
		return err
	}
	after.stream = into.stream.number
	into.added = append(into.added, after)
	return nil
}

// changesOf deals new and completed fills to their streams, which streamOf
// finds.
func (b *book) changesOf(
	ctx context.Context, arrivals []*arrival, known *knownFills, streamOf func(context.Context, streamKey) (*stream, error),
) (*changeSet, error) {
	set := &changeSet{streamOf: streamOf, byKey: map[streamKey]*changes{}}
	for _, a := range arrivals {
		if a.known != nil {
			continue
		}
		c, err := set.in(ctx, a.key)
		if err != nil {
			return nil, err
		}
		a.stream = c.stream.number
		c.added = append(c.added, a.fill)
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

// apply regroups what the changes of some streams touch. Streams between which
// a fill moves must be given together, or its trade would not follow it.
func (b *book) apply(ctx context.Context, together ...*changes) error {
	fills := 0
	for _, c := range together {
		fills += len(c.added)
	}
	r := newRegrouping(fills)
	for _, c := range together {
		if err := b.regroup(ctx, c, r); err != nil {
			return err
		}
	}
	b.settle(r)
	return nil
}

func report(arrivals []*arrival) (r InsertResult) {
	r.Outcomes = make([]Outcome, len(arrivals))
	for i, a := range arrivals {
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
