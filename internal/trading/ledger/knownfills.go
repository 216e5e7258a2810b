package ledger

import (
	"context"
	"slices"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/matching"
)

// knownFills are the writes for already stored arrivals.
type knownFills struct {
	// repeats are fills whose arrivals add nothing.
	repeats []repeat
	// sources are other arrivals' values, and the first sources for fills that had only
	// one.
	sources []*source
	changed []changedFill
}

// isEmpty reports whether there is nothing to write.
func (k *knownFills) isEmpty() bool { return len(k.repeats)+len(k.sources)+len(k.changed) == 0 }

// addRepeat adds a repeat, to the one before it if an import has consecutive fills.
func (k *knownFills) addRepeat(r repeat) {
	if n := len(k.repeats); n > 0 && r.batch != "" {
		if last := &k.repeats[n-1]; last.batch == r.batch && last.source == r.source && last.last+1 == r.first {
			last.last = r.last
			return
		}
	}
	k.repeats = append(k.repeats, r)
}

// changedFill is a stored fill before and after a change by a source.
type changedFill struct {
	before, after *fill
	key           streamKey
}

// planKnown compares already stored arrivals with the stored fills. It sets completed in
// each arrival, and writes nothing.
func (b *book) planKnown(ctx context.Context, arrivals []*arrival, from importSource) (*knownFills, error) {
	p := &knownPlan{book: b, from: from}
	var open []*arrival
	streams := map[*streamKey]*stream{}
	for _, a := range arrivals {
		if a.known == nil || a.known.state != stored || a.repeated {
			continue
		}
		s, found := streams[a.key]
		if !found {
			var err error
			if s, err = b.findStream(ctx, *a.key); err != nil {
				return nil, err
			}
			streams[a.key] = s
		}
		p.known = append(p.known, a.known)
		same := s != nil && s.number == a.known.stream
		if from.sender == "" && same && !a.known.facts.has(hasSources) && a.known.hasSameValues(a.fill) {
			p.out.addRepeat(repeat{first: a.known.seq, last: a.known.seq, batch: from.batch})
			continue
		}
		open = append(open, a)
	}
	if err := p.load(ctx, open); err != nil {
		return nil, err
	}
	for _, a := range open {
		if err := p.add(ctx, a); err != nil {
			return nil, err
		}
	}
	p.dropOwnRepeats()
	return &p.out, nil
}

// knownPlan builds an insert's knownFills.
type knownPlan struct {
	*book
	from    importSource
	out     knownFills
	known   []*fill         // all stored fills that arrivals repeat
	fills   map[int64]*fill // by number, as the sources
	sources map[int64][]*source
	imports spans
}

// load reads the stored fills and their sources.
func (p *knownPlan) load(ctx context.Context, open []*arrival) (err error) {
	if len(open) == 0 && (p.from.batch != "" || len(p.out.repeats) == 0) {
		return nil
	}
	if p.imports, err = p.loadSpansOf(ctx, p.known); err != nil {
		return err
	}
	var places []matching.Position
	var several []int64
	for _, a := range open {
		places = append(places, a.known.position())
		if a.known.facts.has(hasSources) {
			several = append(several, a.known.seq)
		}
	}
	if p.fills, err = p.fillsAt(ctx, places); err != nil {
		return err
	}
	p.sources, err = p.loadSources(ctx, several)
	return err
}

// add plans the writes for one arrival.
func (p *knownPlan) add(ctx context.Context, a *arrival) error {
	before := p.fills[a.known.seq]
	s, err := p.streamNumbered(ctx, before.stream)
	if err != nil {
		return err
	}
	key := s.key
	list := p.sources[before.seq]
	if len(list) == 0 {
		owner, _ := p.imports.find(p.account.number, before.seq)
		list = []*source{newSource(before.seq, 0, owner.importSource, key, before)}
		list[0].values.facts |= before.edits() // it has the edited values; others still complete the rest
	}
	arrived := newSource(before.seq, list[len(list)-1].number+1, p.from, *a.key, a.fill)
	arrived.replaces = a.replaces
	if p.isRepeat(list, arrived) {
		return nil
	}
	if !before.facts.has(hasSources) {
		p.out.sources = append(p.out.sources, list[0])
	}
	p.out.sources = append(p.out.sources, arrived)
	after := *before
	after.state, after.was = edited, before.at
	after.facts |= hasSources
	if key == *a.key || before.edits().has(FiguresEdited) {
		after.completeFrom(arrived, previousOf(list, arrived))
	}
	a.completed = !sameFigures(before, &after) || before.externalID != after.externalID || before.details != after.details
	p.out.changed = append(p.out.changed, changedFill{before: before, after: &after, key: key})
	return nil
}

// isRepeat reports whether an arrival says what a stored source says, and records that
// its import contained the fill too. A connection or hook repeats only its own latest
// record, which needs no further row: reading the same time again must not keep a
// reversed import's fills, and a value that changed back is a correction. The first time
// it is its own source, which it can correct later.
func (p *knownPlan) isRepeat(list []*source, arrived *source) bool {
	if p.from.sender != "" {
		last := latestOf(list, p.from.sender)
		return last != nil && last.says(arrived)
	}
	for _, s := range list {
		if s.says(arrived) {
			if s.batch != p.from.batch {
				p.out.addRepeat(repeat{first: s.seq, last: s.seq, source: s.number, batch: p.from.batch})
			}
			return true
		}
	}
	return false
}

// dropOwnRepeats drops repeats between entries by hand.
func (p *knownPlan) dropOwnRepeats() {
	if p.from.batch != "" {
		return
	}
	p.out.repeats = slices.DeleteFunc(p.out.repeats, func(r repeat) bool {
		return r.source == 0 && p.imports.batchOf(p.account.number, r.first) == nil
	})
}

// storeKnown writes the plan for known arrivals. Fills whose trades change are
// written by the regrouping.
func (b *book) storeKnown(ctx context.Context, known *knownFills) error {
	moved := make([]*fill, 0, len(known.changed))
	for _, k := range known.changed {
		if sameFigures(k.before, k.after) {
			b.collectDetails(k.before, k.after)
		}
		if k.before.at != k.after.at {
			moved = append(moved, k.after)
		}
	}
	if err := b.widenSpans(ctx, moved...); err != nil {
		return err
	}
	if err := b.insertSources(ctx, known.sources); err != nil {
		return err
	}
	return b.insertRepeats(ctx, known.repeats)
}

// accountsOfBatchSelect selects the accounts in which an import has rows.
const accountsOfBatchSelect = `SELECT ` + accountColumns + ` FROM accounts WHERE user_id = $1 AND (
		number IN (SELECT account FROM import_spans WHERE user_id = $1 AND batch_id = $2)
		OR number IN (SELECT account FROM import_repeats WHERE user_id = $1 AND batch_id = $2)
		OR number IN (SELECT account FROM fill_sources WHERE user_id = $1 AND batch_id = $2)
		OR number IN (SELECT account FROM withdrawn_fills WHERE user_id = $1 AND batch_id = $2)
		OR number IN (SELECT account FROM cash_transactions WHERE user_id = $1 AND import_batch_id = $2))
	ORDER BY id`

// HasBatchRows reports whether an import has rows in any account. It is a step.
func HasBatchRows(ctx context.Context, tx *db.Tx, owner journal.UserID, batch journal.BatchID) (bool, error) {
	accounts, err := accountsOfBatch(ctx, tx, owner, batch)
	return len(accounts) > 0, err
}

func accountsOfBatch(ctx context.Context, tx *db.Tx, owner journal.UserID, batch journal.BatchID) ([]Account, error) {
	return db.List(ctx, tx, scanAccount, accountsOfBatchSelect, owner, batch)
}
