package ledger

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
)

// span is a row of import_spans: the number range and the time range of an import's
// fills.
type span struct {
	account         int64
	first, last     int64
	firstAt, lastAt int64
	importSource
}

// importSource is an import, and the connection or hook that sent it; empty for
// files. Both are empty for entries by hand.
type importSource struct {
	batch  journal.BatchID
	sender string
}

const spanSelect = `SELECT account, first_seq, last_seq, first_at, last_at, batch_id, sender FROM import_spans `

func scanSpan(row db.Scanner) (s span, err error) {
	err = row.Scan(&s.account, &s.first, &s.last, &s.firstAt, &s.lastAt, &s.batch, &s.sender)
	return s, err
}

// insertSpan stores which fills belong to an import.
func (a *accountRows) insertSpan(ctx context.Context, s span) error {
	return a.tx.Queue(ctx, `
		INSERT INTO import_spans (user_id, account, first_seq, last_seq, first_at, last_at, batch_id, sender)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		a.owner, a.account.number, s.first, s.last, s.firstAt, s.lastAt, s.batch, s.sender)
}

// widenSpans extends import time ranges to moved fills.
func (a *accountRows) widenSpans(ctx context.Context, moved ...*fill) error {
	imports, err := a.loadSpansOf(ctx, moved)
	if err != nil {
		return err
	}
	list, isWider := imports[a.account.number], map[int]bool{}
	for _, f := range moved {
		if i := indexSpan(list, f.seq); i >= 0 && (f.at < list[i].firstAt || f.at > list[i].lastAt) {
			list[i].firstAt, list[i].lastAt = min(list[i].firstAt, f.at), max(list[i].lastAt, f.at)
			isWider[i] = true
		}
	}
	for i := range isWider {
		err := a.tx.Queue(ctx,
			`UPDATE import_spans SET first_at = $1, last_at = $2 WHERE user_id = $3 AND account = $4 AND first_seq = $5`,
			list[i].firstAt, list[i].lastAt, a.owner, a.account.number, list[i].first)
		if err != nil {
			return err
		}
	}
	return nil
}

// spans are import spans by account number.
type spans map[int64][]span

// loadSpans reads the spans of some accounts.
func loadSpans(ctx context.Context, tx *db.Tx, owner journal.UserID, accounts ...Account) (spans, error) {
	found := spans{}
	numbers := make([]int64, len(accounts))
	for i, a := range accounts {
		numbers[i] = a.number
	}
	args := []any{owner}
	list, err := db.List(ctx, tx, scanSpan,
		spanSelect+`WHERE user_id = $1 AND account IN `+db.In(&args, numbers)+` ORDER BY account, first_seq`, args...)
	for _, s := range list {
		found[s.account] = append(found[s.account], s)
	}
	return found, err
}

// loadSpansOf reads the spans around some fills: an account may have thousands.
func (a *accountRows) loadSpansOf(ctx context.Context, fills []*fill) (spans, error) {
	if len(fills) == 0 {
		return nil, nil
	}
	first, last := fills[0].seq, fills[0].seq
	for _, f := range fills {
		first, last = min(first, f.seq), max(last, f.seq)
	}
	list, err := db.List(ctx, a.tx, scanSpan,
		spanSelect+`WHERE user_id = $1 AND account = $2 AND first_seq <= $3 AND last_seq >= $4 ORDER BY first_seq`,
		a.owner, a.account.number, last, first)
	return spans{a.account.number: list}, err
}

// batchOf returns a fill's import, or nil.
func (s spans) batchOf(account, seq int64) *journal.BatchID {
	list := s[account]
	if i := indexSpan(list, seq); i >= 0 {
		return &list[i].batch
	}
	return nil
}

// find returns the span containing a fill's number.
func (s spans) find(account, seq int64) (found span, imported bool) {
	list := s[account]
	if i := indexSpan(list, seq); i >= 0 {
		return list[i], true
	}
	return span{}, false
}

// indexSpan returns the index of the span containing a fill's number, or -1. The spans
// must be sorted.
func indexSpan(list []span, seq int64) int {
	i, _ := slices.BinarySearchFunc(list, seq, func(s span, seq int64) int { return cmp.Compare(s.last, seq) })
	if i < len(list) && list[i].holds(seq) {
		return i
	}
	return -1
}

func (s span) holds(seq int64) bool { return s.first <= seq && seq <= s.last }

// spanOf reads the span containing a fill's number.
func (a *accountRows) spanOf(ctx context.Context, seq int64) (s span, imported bool, err error) {
	s, err = scanSpan(a.tx.QueryRow(ctx,
		spanSelect+`WHERE user_id = $1 AND account = $2 AND first_seq <= $3 ORDER BY first_seq DESC LIMIT 1`,
		a.owner, a.account.number, seq))
	if errors.Is(err, db.ErrNoRows) {
		return span{}, false, nil
	}
	return s, err == nil && s.holds(seq), err
}

// ListSentIDs returns the ids of fills in [from, to) that a connection or hook brought
// into an account before any other source, ordered by their time. Fills the user edited
// are left out. It is a step.
func ListSentIDs(
	ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID, sender string, from, to time.Time,
) ([]string, error) {
	b, err := readBook(ctx, tx, owner, account)
	if err != nil {
		return nil, err
	}
	return db.List(ctx, tx, db.Single[string], `
		SELECT executions.external_id FROM import_spans JOIN executions ON executions.user_id = import_spans.user_id
			AND executions.account = import_spans.account
			AND executions.executed_at >= import_spans.first_at AND executions.executed_at <= import_spans.last_at
			AND executions.seq >= import_spans.first_seq AND executions.seq <= import_spans.last_seq
		WHERE import_spans.user_id = $1 AND import_spans.account = $2 AND import_spans.sender = $3
			AND import_spans.last_at >= $4 AND import_spans.first_at < $5
			AND executions.executed_at >= $4 AND executions.executed_at < $5
			AND executions.external_id IS NOT NULL AND executions.origin IS NULL
		ORDER BY executions.executed_at, executions.seq`, owner, b.account.number, sender, db.Micros(from), db.Micros(to))
}

// BatchRows counts an import's rows in the ledger.
type BatchRows struct {
	Fills, Cash int
	// FillsRemoved counts fills deleted one by one.
	FillsRemoved int
}

// CountBatchRows counts an import's stored rows. It is a step.
func CountBatchRows(ctx context.Context, tx *db.Tx, owner journal.UserID, batch journal.BatchID) (n BatchRows, err error) {
	err = tx.QueryRow(ctx, `
		SELECT COUNT(*) FROM import_spans JOIN executions ON executions.user_id = import_spans.user_id
			AND executions.account = import_spans.account
			AND executions.executed_at >= import_spans.first_at AND executions.executed_at <= import_spans.last_at
			AND executions.seq >= import_spans.first_seq AND executions.seq <= import_spans.last_seq
		WHERE import_spans.user_id = $1 AND import_spans.batch_id = $2`, owner, batch).Scan(&n.Fills)
	if err != nil {
		return n, err
	}
	err = tx.QueryRow(ctx, `
		SELECT COALESCE(SUM(removed), 0), (SELECT COUNT(*) FROM cash_transactions WHERE user_id = $1 AND import_batch_id = $2)
		FROM import_spans WHERE user_id = $1 AND batch_id = $2`, owner, batch).Scan(&n.FillsRemoved, &n.Cash)
	return n, err
}

// DeleteBatch deletes an import as one step and leaves the ledger as if it had never run:
// its fills and cash rows are deleted, even if they were edited, and the values it
// completed are restored. A fill another import or an entry by hand contained too stays,
// with that source's values. Fills it withdrew are not stored again, but other imports
// may bring them back. The affected streams are regrouped. It returns how many rows the
// import had; an unknown batch has none.
func (s *Service) DeleteBatch(ctx context.Context, tx *db.Tx, owner journal.UserID, batch journal.BatchID) (BatchRows, error) {
	removed, err := s.RemoveBatch(ctx, tx, owner, batch, Removal{})
	return removed.BatchRows, err
}

// RemovedBatch is what [Service.RemoveBatch] removed, and what an undo needs of it.
type RemovedBatch struct {
	BatchRows `json:"-"`
	// Accounts are the accounts with rows and their numbers, by which kept rows name them.
	Accounts map[journal.AccountID]int64 `json:"accounts"`
	// Stays is how many fills stay in the ledger, because another source has them too.
	Stays int `json:"stays"`
}

// Removal has the choices of [Service.RemoveBatch].
type Removal struct {
	Part *Part // nil for the whole import
	// Skip returns true for accounts that are left out. It may be nil.
	Skip func(journal.AccountID) bool
	// Undoing is the undo of the import: the trades that it changed get their ids again. Nil
	// for a reversal.
	Undoing *history.Undoing
}

// RemoveBatch is [Service.DeleteBatch] with choices. The rows are kept for an undo.
func (s *Service) RemoveBatch(
	ctx context.Context, tx *db.Tx, owner journal.UserID, batch journal.BatchID, what Removal,
) (removed RemovedBatch, err error) {
	before, err := CountBatchRows(ctx, tx, owner, batch)
	if err != nil {
		return removed, err
	}
	accounts, err := accountsOfBatch(ctx, tx, owner, batch)
	if err != nil {
		return removed, err
	}
	removed.Accounts = map[journal.AccountID]int64{}
	for _, a := range accounts {
		if what.Skip != nil && what.Skip(a.ID) {
			continue
		}
		removed.Accounts[a.ID] = a.number
		err := s.withBook(ctx, tx, owner, a.ID, func(b *book) error {
			if what.Undoing != nil {
				b.keptNumber = a.number
				if err := b.loadHints(ctx, what.Undoing); err != nil {
					return err
				}
			}
			stays, err := b.deleteBatch(ctx, batch, what.Part)
			removed.Stays += stays
			return err
		})
		if err != nil {
			return removed, err
		}
	}
	removed.BatchRows = before
	if what.Part == nil {
		return removed, nil
	}
	left, err := CountBatchRows(ctx, tx, owner, batch)
	removed.Fills, removed.Cash, removed.FillsRemoved = before.Fills-left.Fills, before.Cash-left.Cash, before.FillsRemoved-left.FillsRemoved
	return removed, err
}

// regroupWithout regroups streams without deleted fills.
func (b *book) regroupWithout(ctx context.Context, fills []*fill) error {
	touched := map[int64]*changes{}
	var order []*changes
	for _, f := range fills {
		c := touched[f.stream]
		if c == nil {
			s, err := b.streamNumbered(ctx, f.stream)
			if err != nil {
				return err
			}
			c = &changes{stream: s}
			touched[f.stream] = c
			order = append(order, c)
		}
		c.remove(f)
	}
	for _, c := range order {
		if err := b.regroupChanges(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// countRemoved counts deleted fills in their import spans.
func (a *accountRows) countRemoved(ctx context.Context, fills []*fill) error {
	var s span
	var imported bool
	removed := map[int64]int{}
	for _, f := range fills {
		if !imported || !s.holds(f.seq) {
			var err error
			if s, imported, err = a.spanOf(ctx, f.seq); err != nil {
				return err
			}
		}
		if imported {
			removed[s.first]++
		}
	}
	for first, n := range removed {
		_, err := a.tx.Exec(ctx,
			`UPDATE import_spans SET removed = removed + $1 WHERE user_id = $2 AND account = $3 AND first_seq = $4`,
			n, a.owner, a.account.number, first)
		if err != nil {
			return err
		}
	}
	return nil
}

// BatchRef identifies an import with rows in the ledger.
type BatchRef struct {
	User  journal.UserID
	Batch journal.BatchID
}

// BatchesWithRows lists all users' imports with rows, for an installation check. It is a
// step.
func BatchesWithRows(ctx context.Context, tx *db.Tx) ([]BatchRef, error) {
	return db.List(ctx, tx, func(row db.Scanner) (p BatchRef, err error) {
		err = row.Scan(&p.User, &p.Batch)
		return p, err
	}, `SELECT user_id, batch_id FROM import_spans
		UNION SELECT user_id, batch_id FROM fill_sources WHERE batch_id <> ''
		UNION SELECT user_id, batch_id FROM import_repeats WHERE batch_id <> ''
		UNION SELECT user_id, batch_id FROM withdrawn_fills
		UNION SELECT user_id, import_batch_id FROM cash_transactions WHERE import_batch_id IS NOT NULL
		ORDER BY user_id, batch_id`)
}

// CountNewRows counts an import's rows stored after an instant. It is a step.
func CountNewRows(ctx context.Context, tx *db.Tx, owner journal.UserID, batch journal.BatchID, since time.Time) (n BatchRows, err error) {
	err = tx.QueryRow(ctx, `
		SELECT COUNT(*) FROM import_spans JOIN executions ON executions.user_id = import_spans.user_id
			AND executions.account = import_spans.account
			AND executions.executed_at >= import_spans.first_at AND executions.executed_at <= import_spans.last_at
			AND executions.seq >= import_spans.first_seq AND executions.seq <= import_spans.last_seq
		WHERE import_spans.user_id = $1 AND import_spans.batch_id = $2 AND executions.created_at > $3`,
		owner, batch, db.Micros(since)).Scan(&n.Fills)
	if err != nil {
		return n, err
	}
	err = tx.QueryRow(ctx, `SELECT COUNT(*) FROM cash_transactions WHERE user_id = $1 AND import_batch_id = $2 AND created_at > $3`,
		owner, batch, db.Micros(since)).Scan(&n.Cash)
	return n, err
}
