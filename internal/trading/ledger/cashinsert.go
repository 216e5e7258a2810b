package ledger

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
)

// CashResult reports what inserting cash rows did.
type CashResult struct {
	Inserted, Skipped int
	// Known reports for each row, in the order given, whether it was skipped because it is
	// stored, and Deleted whether it was because the user deleted it by hand.
	Known, Deleted []bool
}

// CashOptions are options for [Service.InsertCash].
type CashOptions struct {
	// Batch is the rows' import; it may be empty.
	Batch journal.BatchID
	// Archived has each backup row's further values, and is nil for a file.
	Archived []ArchivedCash
	// SkipDeleted leaves out what the user deleted by hand. Without it, such rows are stored
	// again.
	SkipDeleted bool
	// Part, if not nil, receives which rows are stored.
	Part *Part
}

// InsertCash stores cash rows from one file or backup as one step. Already stored rows
// are skipped; see [cashDedup].
func (s *Service) InsertCash(
	ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID, list []NewCash, options CashOptions,
) (result CashResult, err error) {
	if len(list) == 0 {
		return CashResult{}, nil
	}
	err = s.withBook(ctx, tx, owner, account, func(b *book) error {
		plan, err := b.cash().planInsert(ctx, list, options)
		if err != nil {
			return err
		}
		result = plan.CashResult
		if !options.SkipDeleted {
			if err := b.cash().forgetDeletedCash(ctx, plan.deleted); err != nil {
				return err
			}
		}
		options.Part.addCash(plan.fresh)
		return b.cash().insertCash(ctx, plan.fresh)
	})
	return result, err
}

// cashPlan is an insert's result before it is written.
type cashPlan struct {
	CashResult
	deleted []*deletedCash // the deleted row each row repeats, or nil
	fresh   []Cash         // the rows to insert
}

// planInsert compares rows with the stored and the deleted ones.
func (l *cashLedger) planInsert(ctx context.Context, list []NewCash, options CashOptions) (p cashPlan, err error) {
	rows := make([]Cash, len(list))
	for i, in := range list {
		if rows[i], err = l.cleanCash(ctx, in, archivedAt(options.Archived, i)); err != nil {
			return p, fmt.Errorf("cash row %d: %w", i+1, err)
		}
		if options.Batch != "" {
			rows[i].Batch = &options.Batch
		}
	}
	if p.Known, err = l.repeatedCash(ctx, rows, options.Archived != nil); err != nil {
		return p, err
	}
	p.deleted, err = l.matchDeletedCash(ctx, rows, p.Known)
	p.Deleted = make([]bool, len(rows))
	for i := range p.deleted {
		p.Deleted[i] = options.SkipDeleted && p.deleted[i] != nil
		if p.Known[i] || p.Deleted[i] {
			p.Skipped++
		} else {
			p.fresh = append(p.fresh, rows[i])
		}
	}
	p.Inserted = len(p.fresh)
	return p, err
}

// archivedAt returns a row's further values, or nil if there are none.
func archivedAt(archived []ArchivedCash, row int) *ArchivedCash {
	if archived == nil {
		return nil
	}
	return &archived[row]
}

// cashDedup finds already stored cash rows. A row matches a stored one that arrived with
// the same type, amount and instant, even if edited since. Files often have whole seconds
// where connections have fractions, so a row also matches one in the same second if
// either has no fraction. A backup row has the stored values. It also matches a stored
// one with the same values now: backups of version 1 do not have the key with which an
// edited row arrived. Each stored row matches one row in the call: if two rows are stored
// and the call has three equal ones, the third is new.
type cashDedup struct {
	*cashLedger
	found   map[string]*storedCash // by condition and key, each read once
	claimed map[journal.CashID]bool
}

// storedCash are stored rows that a file's rows may be: all, by their values now, and
// unedited ones also by type and amount.
type storedCash struct {
	all                           claimQueue[journal.CashID]
	byContent, unedited, byAmount map[string]*claimQueue[journal.CashID]
}

// repeatedCash reports for each row whether it is already stored.
func (l *cashLedger) repeatedCash(ctx context.Context, rows []Cash, areArchived bool) ([]bool, error) {
	d := &cashDedup{cashLedger: l, found: map[string]*storedCash{}, claimed: map[journal.CashID]bool{}}
	repeats := make([]bool, len(rows))
	for i := range rows {
		var err error
		if repeats[i], err = d.claimByOrigin(ctx, &rows[i]); err != nil {
			return nil, err
		}
	}
	claim := d.claimBySecond
	if areArchived {
		claim = d.claimByContent
	}
	for i := range rows {
		if repeats[i] {
			continue
		}
		var err error
		if repeats[i], err = claim(ctx, &rows[i]); err != nil {
			return nil, err
		}
	}
	return repeats, nil
}

// claimByOrigin claims a stored row that arrived with c's key, preferably one with the
// same values now.
func (d *cashDedup) claimByOrigin(ctx context.Context, c *Cash) (bool, error) {
	same, err := d.loadStored(ctx, c.Origin, `origin`, `origin = $3`, c.Origin)
	if err != nil {
		return false, err
	}
	return d.claim(same.byContent[c.contentKey()]) || d.claim(&same.all), nil
}

// claimByContent claims a stored row with c's values.
func (d *cashDedup) claimByContent(ctx context.Context, c *Cash) (bool, error) {
	at := db.Micros(c.OccurredAt)
	same, err := d.loadStored(ctx, strconv.FormatInt(at, 10), `occurred_at`, `occurred_at = $3`, at)
	if err != nil {
		return false, err
	}
	return d.claim(same.byContent[c.contentKey()]), nil
}

// claimBySecond claims a stored row that arrived with c's type and amount in the same
// second, if one has no fraction. Edited rows are left out: they arrived with other
// values.
func (d *cashDedup) claimBySecond(ctx context.Context, c *Cash) (bool, error) {
	at := db.Micros(c.OccurredAt)
	from := at - at%second
	same, err := d.loadStored(ctx, strconv.FormatInt(from, 10), `occurred_at`, `occurred_at >= $3 AND occurred_at < $4`, from, from+second)
	if err != nil {
		return false, err
	}
	if at == from {
		return d.claim(same.byAmount[c.amountKey()]), nil
	}
	// A fraction equals itself, which was matched by its origin, and a time without one.
	whole := *c
	whole.OccurredAt = db.FromMicros(from)
	return d.claim(same.unedited[whole.contentKey()]), nil
}

// amountKey returns a row's type and amount.
func (c *Cash) amountKey() string {
	content, _, _ := splitCashKey(c.contentKey())
	return content
}

// claim claims a queue's first unclaimed row.
func (d *cashDedup) claim(queue *claimQueue[journal.CashID]) bool {
	_, found := queue.take(d.claimed)
	return found
}

// loadStored returns the account's rows fulfilling a condition, whose arguments begin
// with $3. The key identifies the arguments. Rows are read in the condition's column
// order: to sort by id, SQLite would read all the owner's rows.
func (d *cashDedup) loadStored(ctx context.Context, key, order, condition string, args ...any) (*storedCash, error) {
	key = condition + " " + key
	if stored, known := d.found[key]; known {
		return stored, nil
	}
	list, err := db.List(ctx, d.tx, d.scanCash, cashSelect+` WHERE user_id = $1 AND account = $2 AND `+condition+` ORDER BY `+order,
		append([]any{d.owner, d.account.number}, args...)...)
	slices.SortFunc(list, func(a, b Cash) int { return cmp.Compare(a.ID, b.ID) })
	type queues = map[string]*claimQueue[journal.CashID]
	stored := &storedCash{byContent: queues{}, byAmount: queues{}, unedited: queues{}}
	for i := range list {
		c := &list[i]
		stored.all.add(c.ID)
		queueOf(stored.byContent, c.contentKey()).add(c.ID)
		if c.EditedOrigin() == "" {
			queueOf(stored.unedited, c.contentKey()).add(c.ID)
			queueOf(stored.byAmount, c.amountKey()).add(c.ID)
		}
	}
	d.found[key] = stored
	return stored, err
}
