package ledger

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"fillbook/internal/base/db"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
)

// reversal deletes one import from one account.
type reversal struct {
	*book
	batch journal.BatchID
	part  *Part // nil for the whole import
	spans []span
	// own are the fills whose first source is the import, others have it as a later
	// source; both are in arrival order.
	own, others []*fill
	sources     map[int64][]*source // by the fill's number
	repeats     []repeat

	// The changes to make.
	removed    []*fill
	changed    []changedFill          // by the stored fill's instrument
	nextKeys   map[*fill]streamKey    // a changed fill's instrument
	nextOwners map[int64]importSource // the next owner for fills that stay
	dropped    []*source              // sources no fill has any more
	moved      []*source              // sources another import has too
}

// deleteBatch deletes an import, or a part of it, from the book's account. It returns how
// many of its own fills stay.
func (b *book) deleteBatch(ctx context.Context, batch journal.BatchID, part *Part) (stays int, err error) {
	r := &reversal{book: b, batch: batch, part: part, nextKeys: map[*fill]streamKey{}, nextOwners: map[int64]importSource{}}
	if err := r.load(ctx); err != nil {
		return 0, err
	}
	for _, f := range slices.Concat(r.own, r.others) {
		if err := r.planFill(ctx, f); err != nil {
			return 0, err
		}
	}
	if err := r.keep(ctx); err != nil {
		return 0, err
	}
	if err := r.write(ctx); err != nil {
		return 0, err
	}
	if err := r.deleteOthers(ctx); err != nil {
		return 0, err
	}
	if err := r.regroupFills(ctx); err != nil {
		return 0, err
	}
	for _, k := range r.changed {
		if err := r.recordChanged(k.before, k.after, k.key, r.nextKeys[k.after]); err != nil {
			return 0, err
		}
	}
	return len(r.nextOwners), nil
}

// deleteOthers deletes the import's rows that are not fills.
func (r *reversal) deleteOthers(ctx context.Context) error {
	for _, t := range r.otherRows() {
		err := r.tx.DeleteInChunks(ctx, t.table, t.key, `user_id = $1 AND `+t.where, append([]any{r.owner}, t.args...)...)
		if err != nil {
			return err
		}
	}
	return nil
}

// batchRows are an import's rows in a table; key has the columns that name one row.
type batchRows struct {
	table, key, where string
	args              []any
}

// otherRows returns the import's rows that are not fills. The arguments follow the owner.
func (r *reversal) otherRows() []batchRows {
	cash := batchRows{"cash_transactions", "id", `account = $2 AND import_batch_id = $3`, []any{r.account.number, r.batch}}
	withdrawn := batchRows{"withdrawn_fills", "account, external_id", `account = $2 AND batch_id = $3`, []any{r.account.number, r.batch}}
	if r.part == nil {
		repeats := batchRows{"import_repeats", "account, first_seq, source, batch_id", `account = $2 AND batch_id = $3`, []any{r.account.number, r.batch}}
		return []batchRows{cash, withdrawn, repeats}
	}
	all := append([]any{r.owner}, cash.args...)
	cash.where += ` AND id IN ` + db.In(&all, r.part.Cash)
	cash.args = all[1:]
	all = append([]any{r.owner}, withdrawn.args...)
	withdrawn.where += ` AND external_id IN ` + db.In(&all, r.part.Withdrawn)
	withdrawn.args = all[1:]
	return []batchRows{cash, withdrawn}
}

// keep keeps the rows that are deleted or changed, for an undo.
func (r *reversal) keep(ctx context.Context) error {
	streams := map[int64]bool{}
	for _, f := range r.removed {
		streams[f.stream] = true
	}
	if err := r.keepStreams(ctx, streams); err != nil {
		return err
	}
	if err := r.keepRemoved(ctx); err != nil {
		return err
	}
	var sourced []int64
	for _, f := range slices.Concat(r.own, r.others) {
		if f.facts.has(hasSources) {
			sourced = append(sourced, f.seq)
		}
	}
	if err := history.KeepIn(ctx, r.tx, r.owner, "fill_sources", `account = $2 AND `, "seq", sourced, r.account.number); err != nil {
		return err
	}
	for _, s := range r.spans {
		if err := history.Keep(ctx, r.tx, r.owner, "import_spans", `account = $2 AND first_seq = $3`, s.account, s.first); err != nil {
			return err
		}
	}
	for _, t := range r.otherRows() {
		if err := history.Keep(ctx, r.tx, r.owner, t.table, t.where, t.args...); err != nil {
			return err
		}
	}
	return nil
}

// keptAtOnce is how many fills a statement reads to keep them, if others stay.
const keptAtOnce = 500

// keepRemoved keeps the removed fills: whole spans if no fill stays.
func (r *reversal) keepRemoved(ctx context.Context) error {
	if len(r.nextOwners) == 0 {
		for _, s := range r.spans {
			where := strings.TrimPrefix(inSpan, `WHERE user_id = $1 AND `)
			if err := history.Keep(ctx, r.tx, r.owner, "executions", where, r.spanArgs(s)[1:]...); err != nil {
				return err
			}
		}
		return nil
	}
	removed := slices.SortedFunc(slices.Values(r.removed), func(f, g *fill) int { return f.position().Compare(g.position()) })
	for part := range slices.Chunk(removed, keptAtOnce) {
		numbers := make([]int64, len(part))
		for i, f := range part {
			numbers[i] = f.seq
		}
		err := history.KeepIn(ctx, r.tx, r.owner, "executions", `account = $2 AND executed_at >= $3 AND executed_at <= $4 AND `, "seq", numbers,
			r.account.number, part[0].at, part[len(part)-1].at)
		if err != nil {
			return err
		}
	}
	return nil
}

// load reads the import's fills and their other sources.
func (r *reversal) load(ctx context.Context) (err error) {
	r.spans, err = db.List(ctx, r.tx, scanSpan,
		spanSelect+`WHERE user_id = $1 AND account = $2 AND batch_id = $3 ORDER BY first_seq`, r.owner, r.account.number, r.batch)
	if err != nil {
		return err
	}
	r.spans = slices.DeleteFunc(r.spans, func(s span) bool { return !r.part.hasFill(s.first) })
	for _, s := range r.spans {
		fills, err := db.List(ctx, r.tx, r.scanFill, fillSelect+inSpan+` ORDER BY executed_at, seq`, r.spanArgs(s)...)
		if err != nil {
			return err
		}
		r.own = append(r.own, fills...)
	}
	if err := r.loadOthers(ctx); err != nil {
		return err
	}
	all := slices.Concat(r.own, r.others)
	if len(all) == 0 {
		return nil
	}
	var several []int64
	first, last := all[0].seq, all[0].seq
	for _, f := range all {
		if f.facts.has(hasSources) {
			several = append(several, f.seq)
		}
		first, last = min(first, f.seq), max(last, f.seq)
	}
	if r.sources, err = r.loadSources(ctx, several); err != nil {
		return err
	}
	r.repeats, err = r.loadRepeats(ctx, first, last)
	r.repeats = slices.DeleteFunc(r.repeats, func(p repeat) bool { return r.part == nil && p.batch == r.batch })
	return err
}

const inSpan = `WHERE user_id = $1 AND account = $2 AND executed_at >= $3 AND executed_at <= $4 AND seq >= $5 AND seq <= $6`

func (r *reversal) spanArgs(s span) []any {
	return []any{r.owner, s.account, s.firstAt, s.lastAt, s.first, s.last}
}

// loadOthers reads fills with the import as a later source.
func (r *reversal) loadOthers(ctx context.Context) error {
	numbers, err := db.List(ctx, r.tx, db.Single[int64], `
		SELECT DISTINCT seq FROM fill_sources
		WHERE user_id = $1 AND account = $2 AND batch_id = $3 ORDER BY seq`, r.owner, r.account.number, r.batch)
	if err != nil {
		return err
	}
	isOwn := make(map[int64]bool, len(r.own))
	for _, f := range r.own {
		isOwn[f.seq] = true
	}
	fills, err := r.sourcedFills(ctx, slices.DeleteFunc(numbers, func(seq int64) bool { return isOwn[seq] || !r.part.hasSourceOf(seq) }))
	r.others = slices.SortedFunc(maps.Values(fills), func(f, g *fill) int { return cmp.Compare(f.seq, g.seq) })
	return err
}

// nextBatch returns another import that repeated a fill's given source, or any source for
// anySource.
func (r *reversal) nextBatch(f *fill, number int64) (journal.BatchID, bool) {
	for _, p := range r.repeats {
		if p.first <= f.seq && f.seq <= p.last && (p.source == number || number == anySource) {
			return p.batch, true
		}
	}
	return "", false
}

const anySource = -1

// planFill decides whether a fill is deleted, changed or kept.
func (r *reversal) planFill(ctx context.Context, f *fill) error {
	if !f.facts.has(hasSources) {
		if next, found := r.nextBatch(f, anySource); found {
			r.nextOwners[f.seq] = importSource{batch: next}
		} else {
			r.removed = append(r.removed, f)
		}
		return nil
	}
	left := r.sourcesLeft(f)
	if len(left) == 0 {
		r.removed = append(r.removed, f)
		return nil
	}
	if r.isInSpans(f.seq) {
		r.nextOwners[f.seq] = left[0].importSource
	}
	after, key := f.rebuild(left)
	if len(left) == 1 && left[0].number == 0 {
		r.dropped = append(r.dropped, left[0])
		after.facts &^= hasSources
	}
	return r.planChange(ctx, f, after, key)
}

func (r *reversal) isInSpans(seq int64) bool {
	return slices.ContainsFunc(r.spans, func(s span) bool { return s.holds(seq) })
}

// sourcesLeft returns a fill's sources without the import's.
func (r *reversal) sourcesLeft(f *fill) []*source {
	var left []*source
	for _, s := range r.sources[f.seq] {
		if s.batch == r.batch && r.part.hasSource(s.seq, s.number) {
			next, found := r.nextBatch(f, s.number)
			if !found {
				r.dropped = append(r.dropped, s)
				continue
			}
			s.importSource = importSource{batch: next}
			r.moved = append(r.moved, s)
		}
		left = append(left, s)
	}
	return left
}

// planChange collects a fill that stays with other values.
func (r *reversal) planChange(ctx context.Context, before, after *fill, key streamKey) error {
	s, err := r.streamNumbered(ctx, before.stream)
	if err != nil {
		return err
	}
	from := s.key
	if before.edits().has(FiguresEdited) {
		key = from
	}
	if key == from && sameRow(before, after) {
		return nil
	}
	r.changed = append(r.changed, changedFill{before: before, after: after, key: from})
	r.nextKeys[after] = key
	return nil
}

// write deletes the import's rows and updates those that stay.
func (r *reversal) write(ctx context.Context) error {
	if err := r.deleteRemoved(ctx); err != nil {
		return err
	}
	keys := make([][]any, len(r.dropped))
	for i, s := range r.dropped {
		keys[i] = r.sourceKeyOf(s)
	}
	if err := r.tx.DeleteMany(ctx, "fill_sources", sourceKey, keys); err != nil {
		return err
	}
	rows := make([][]any, 0, len(r.moved))
	for _, s := range r.moved {
		text, err := s.marshalContent()
		if err != nil {
			return err
		}
		rows = append(rows, append([]any{string(s.batch), text}, r.sourceKeyOf(s)...))
	}
	if err := r.tx.UpdateMany(ctx, "fill_sources", []string{"batch_id", "content"}, sourceKey, rows); err != nil {
		return err
	}
	for _, s := range r.spans {
		err := r.tx.Queue(ctx, `DELETE FROM import_spans WHERE user_id = $1 AND account = $2 AND first_seq = $3`, r.owner, s.account, s.first)
		if err != nil {
			return err
		}
	}
	return r.insertOwners(ctx)
}

// deletedAtOnce is how many fills a statement deletes if others are let in between.
const deletedAtOnce = 500

// deleteRemoved deletes the removed fills, by their spans if no fill stays.
func (r *reversal) deleteRemoved(ctx context.Context) error {
	if len(r.nextOwners) > 0 {
		rows := make([][]any, len(r.removed))
		for i, f := range r.removed {
			rows[i] = []any{int64(r.owner), r.account.number, f.at, f.seq}
		}
		return r.tx.DeleteMany(ctx, "executions", []string{"user_id", "account", "executed_at", "seq"}, rows)
	}
	for _, s := range r.spans {
		parts := []span{s}
		if r.tx.IsInParts() {
			parts = r.cutSpan(s)
		}
		for _, part := range parts {
			if _, err := r.tx.Exec(ctx, `DELETE FROM executions `+inSpan, r.spanArgs(part)...); err != nil {
				return err
			}
		}
	}
	return nil
}

// cutSpan cuts a span by time into parts with some of its fills each. Fills at the instant
// of a cut are in both parts.
func (r *reversal) cutSpan(s span) []span {
	var times []int64
	for _, f := range r.own {
		if s.holds(f.seq) {
			times = append(times, f.at)
		}
	}
	slices.Sort(times)
	var parts []span
	for part := range slices.Chunk(times, deletedAtOnce) {
		s.firstAt, s.lastAt = part[0], part[len(part)-1]
		parts = append(parts, s)
	}
	return parts
}

// insertOwners assigns the fills that stay to the other imports that contained
// them.
func (r *reversal) insertOwners(ctx context.Context) error {
	at := map[int64]int64{}
	for _, f := range r.own {
		at[f.seq] = f.at
	}
	for _, k := range r.changed {
		at[k.after.seq] = k.after.at
	}
	var next *span
	flush := func() error {
		if next == nil {
			return nil
		}
		return r.insertSpan(ctx, *next)
	}
	for _, seq := range slices.Sorted(maps.Keys(r.nextOwners)) {
		owner := r.nextOwners[seq]
		if next != nil && next.importSource == owner && next.last+1 == seq {
			next.last, next.firstAt, next.lastAt = seq, min(next.firstAt, at[seq]), max(next.lastAt, at[seq])
			continue
		}
		if err := flush(); err != nil {
			return err
		}
		next = nil
		if owner.batch != "" { // an entry by hand has no span
			next = &span{first: seq, last: seq, firstAt: at[seq], lastAt: at[seq], importSource: owner}
		}
	}
	return flush()
}

// regroupFills regroups streams with removed or changed fills.
func (r *reversal) regroupFills(ctx context.Context) error {
	set := &changeSet{streamOf: r.streamFor, byKey: map[streamKey]*changes{}}
	for _, f := range r.removed {
		s, err := r.streamNumbered(ctx, f.stream)
		if err != nil {
			return err
		}
		c, err := set.forStream(ctx, s.key)
		if err != nil {
			return err
		}
		c.remove(f)
	}
	var moved []*fill
	for _, k := range r.changed {
		if r.nextKeys[k.after] == k.key && sameFigures(k.before, k.after) {
			r.collectDetails(k.before, k.after)
			continue
		}
		if err := set.replace(ctx, k.before, k.after, k.key, r.nextKeys[k.after]); err != nil {
			return err
		}
		if k.before.at != k.after.at {
			moved = append(moved, k.after)
		}
	}
	if err := r.widenSpans(ctx, moved...); err != nil {
		return err
	}
	return r.regroupChanges(ctx, set.order...)
}
