package ledger

import (
	"context"
	"maps"
	"slices"

	"fillbook/internal/base/db"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
)

// Part are the rows of one delivery in an import with several. A nil Part is the whole
// import.
type Part struct {
	// First and Next are the number of the first fill and the one after the last.
	First int64 `json:"first"`
	Next  int64 `json:"next"`
	// Sources are the numbers of known fills and of their new source.
	Sources   [][2]int64       `json:"sources,omitempty"`
	Cash      []journal.CashID `json:"cash,omitempty"`
	Withdrawn []string         `json:"withdrawn,omitempty"`
}

func (p *Part) addFills(first, next int64, sources []*source) {
	if p == nil {
		return
	}
	p.First, p.Next = first, next
	for _, s := range sources {
		if s.number > 0 {
			p.Sources = append(p.Sources, [2]int64{s.seq, s.number})
		}
	}
}

func (p *Part) addCash(rows []Cash) {
	if p == nil {
		return
	}
	for i := range rows {
		p.Cash = append(p.Cash, rows[i].ID)
	}
}

func (p *Part) addWithdrawn(ids map[string]string) {
	if p != nil {
		p.Withdrawn = slices.Sorted(maps.Keys(ids))
	}
}

func (p *Part) hasFill(seq int64) bool { return p == nil || p.First <= seq && seq < p.Next }

// hasSource reports whether a fill's source is in the part. The first source of a new fill
// has the number 0.
func (p *Part) hasSource(seq, number int64) bool {
	return p == nil || number == 0 && p.hasFill(seq) || slices.Contains(p.Sources, [2]int64{seq, number})
}

func (p *Part) hasSourceOf(seq int64) bool {
	return p == nil || slices.ContainsFunc(p.Sources, func(s [2]int64) bool { return s[0] == seq })
}

// CheckRemoval adds a conflict for each of an import's rows that was edited or deleted since
// the change to undo, before which deleted fills of it had been deleted. It is a step.
func CheckRemoval(
	ctx context.Context, u *history.Undoing, batch journal.BatchID, part *Part, deleted int, skip func(journal.AccountID) bool,
) error {
	accounts, err := accountsOfBatch(ctx, u.Tx, u.Owner, batch)
	if err != nil {
		return err
	}
	n, err := CountDeleted(ctx, u.Tx, u.Owner, batch, part)
	if err != nil {
		return err
	}
	isMissing, isNamed := n > deleted, false
	for _, a := range accounts {
		if skip(a.ID) {
			continue
		}
		r := &reversal{book: newBook(u.Tx, u.Owner, a), batch: batch, part: part}
		spans, err := r.checkFills(ctx, u)
		if err != nil {
			return err
		}
		if isMissing {
			found, err := checkSpans(ctx, u, a.ID, spans, history.Deleted)
			if err != nil {
				return err
			}
			isNamed = isNamed || found
		}
		if err := r.checkCash(ctx, u); err != nil {
			return err
		}
	}
	if isMissing && !isNamed {
		u.AddConflict(history.Key{Type: "import", ID: string(batch)}, "")
	}
	return nil
}

// CountDeleted counts the fills of an import, or of a part, that were deleted one by one. It
// is a step.
func CountDeleted(ctx context.Context, tx *db.Tx, owner journal.UserID, batch journal.BatchID, part *Part) (deleted int, err error) {
	err = db.Each(ctx, tx, func(row db.Scanner) error {
		var first int64
		var removed int
		err := row.Scan(&first, &removed)
		if part.hasFill(first) {
			deleted += removed
		}
		return err
	}, `SELECT first_seq, removed FROM import_spans WHERE user_id = $1 AND batch_id = $2`, owner, batch)
	return deleted, err
}

// checkFills adds a conflict for each fill that was edited since, and returns the spans of
// the import's fills.
func (r *reversal) checkFills(ctx context.Context, u *history.Undoing) ([]span, error) {
	spans, err := db.List(ctx, r.tx, scanSpan,
		spanSelect+`WHERE user_id = $1 AND account = $2 AND batch_id = $3 ORDER BY first_seq`, r.owner, r.account.number, r.batch)
	if err != nil {
		return nil, err
	}
	spans = slices.DeleteFunc(spans, func(s span) bool { return !r.part.hasFill(s.first) })
	var ids []string
	for _, s := range spans {
		fills, err := db.List(ctx, r.tx, r.scanFill, fillSelect+inSpan+` AND (origin IS NOT NULL OR (facts & $7) <> 0) ORDER BY executed_at, seq`,
			append(r.spanArgs(s), int64(editFacts))...)
		if err != nil {
			return nil, err
		}
		for _, f := range fills {
			if f.edits() != 0 {
				ids = append(ids, string(f.id))
			}
		}
	}
	edited, err := u.ListEdited(ctx, "execution", ids)
	for _, id := range edited {
		u.AddConflict(history.Key{Type: "execution", ID: id}, "")
	}
	return spans, err
}

// checkSpans adds a conflict for each fill of some spans to which one of some actions was done
// since, and reports whether there is one.
func checkSpans(
	ctx context.Context, u *history.Undoing, account journal.AccountID, spans []span, actions ...history.ObjectAction,
) (found bool, err error) {
	later, err := u.LaterChanges(ctx, account)
	if err != nil {
		return false, err
	}
	for i := range later {
		for _, o := range later[i].Objects {
			_, _, seq, ok := journal.UnpackID(journal.ExecutionID(o.ID))
			if o.Type == "execution" && slices.Contains(actions, o.Action) && ok && slices.ContainsFunc(spans, func(s span) bool { return s.holds(seq) }) {
				u.AddConflict(history.Key{Type: o.Type, ID: o.ID}, "")
				found = true
			}
		}
	}
	return found, nil
}

// checkCash adds a conflict for each edited cash row.
func (r *reversal) checkCash(ctx context.Context, u *history.Undoing) error {
	rows := r.otherRows()[0]
	ids, err := db.List(ctx, r.tx, db.Single[string], `SELECT id FROM cash_transactions WHERE user_id = $1 AND `+rows.where+` ORDER BY id`,
		append([]any{r.owner}, rows.args...)...)
	if err != nil {
		return err
	}
	edited, err := u.ListEdited(ctx, "cash_transaction", ids)
	for _, id := range edited {
		u.AddConflict(history.Key{Type: "cash_transaction", ID: id}, "")
	}
	return err
}

// CheckRestoration adds conflicts with bringing back a removed import's rows. It is a step.
func CheckRestoration(ctx context.Context, u *history.Undoing, batch journal.BatchID, removed RemovedBatch) error {
	stored := 0
	for _, id := range slices.Sorted(maps.Keys(removed.Accounts)) {
		b, err := readBook(ctx, u.Tx, u.Owner, id)
		if journal.IsKind(err, journal.KindNotFound) {
			u.AddConflict(history.Key{Type: "account", ID: string(id)}, "")
			continue
		}
		if err != nil {
			return err
		}
		b.keptNumber = removed.Accounts[id]
		n, spans, err := b.countStored(ctx, u)
		if err != nil {
			return err
		}
		stored += n
		// As many fills may be others: the undo of a deletion before the removal restores one.
		if _, err := checkSpans(ctx, u, id, spans, history.Created, history.Deleted); err != nil {
			return err
		}
		if err := b.checkKeptIDs(ctx, u); err != nil {
			return err
		}
	}
	if stored != removed.Stays {
		u.AddConflict(history.Key{Type: "import", ID: string(batch)}, "")
	}
	return nil
}

// countStored counts the stored fills in the kept spans, and returns the spans' numbers.
func (b *book) countStored(ctx context.Context, u *history.Undoing) (stored int, spans []span, err error) {
	err = b.eachKept(u, "import_spans", func(rows history.KeptRows) error {
		for i := range rows.Rows {
			var n int
			err := b.tx.QueryRow(ctx, `SELECT COUNT(*) FROM executions `+inSpan, b.owner, b.account.number,
				rows.Value(i, "first_at"), rows.Value(i, "last_at"), rows.Value(i, "first_seq"), rows.Value(i, "last_seq")).Scan(&n)
			if err != nil {
				return err
			}
			stored += n
			first, _ := rows.Value(i, "first_seq").(int64)
			last, _ := rows.Value(i, "last_seq").(int64)
			spans = append(spans, span{first: first, last: last})
		}
		return nil
	})
	return stored, spans, err
}

// checkKeptIDs adds a conflict for each stored fill with the broker's id of a kept one.
func (b *book) checkKeptIDs(ctx context.Context, u *history.Undoing) error {
	return b.eachKept(u, "executions", func(rows history.KeptRows) error {
		var ids []string
		for i := range rows.Rows {
			if id, ok := rows.Value(i, "external_id").(string); ok {
				ids = append(ids, id)
			}
		}
		known, err := b.fillsByExternalID(ctx, ids)
		for _, f := range known {
			u.AddConflict(history.Key{Type: "execution", ID: string(f.id)}, "")
		}
		return err
	})
}

// RestoreBatch brings back the rows of a removed import, and sets the fills back that it
// left with other values. It is a step in the undo of the removal.
func (s *Service) RestoreBatch(ctx context.Context, u *history.Undoing, removed RemovedBatch) error {
	var fills []history.Object
	for _, o := range u.Change.Objects {
		if o.Type == "execution" && o.Action == history.Updated {
			fills = append(fills, o)
		}
	}
	_, of := byAccount(fills)
	for _, id := range slices.Sorted(maps.Keys(removed.Accounts)) {
		err := s.withBook(ctx, u.Tx, u.Owner, id, func(b *book) error {
			b.keptNumber = removed.Accounts[id]
			return b.restoreBatch(ctx, u, of[id])
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// RestoreMarks stores the marks of deleted fills and cash transactions again that an import
// removed, because it contained them. It is a step in the undo of the import, after
// [Service.RemoveBatch].
func (s *Service) RestoreMarks(ctx context.Context, u *history.Undoing, removed RemovedBatch) error {
	for _, id := range slices.Sorted(maps.Keys(removed.Accounts)) {
		err := s.withBook(ctx, u.Tx, u.Owner, id, func(b *book) error {
			b.keptNumber = removed.Accounts[id]
			if err := b.findKeptNumber(u); err != nil {
				return err
			}
			for _, table := range markTables {
				if err := b.insertKept(ctx, u, table.name); err != nil {
					return err
				}
			}
			return b.eachMark(ctx, u, func(string, []any) error { return nil })
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// markTables have the marks of rows that were deleted by hand, with the column that names
// one in its account.
var markTables = []struct{ name, column string }{{"deleted_fills", "number"}, {"deleted_cash", "id"}}

// eachMark keeps the marks that an import removed, for the next undo, and calls fn with the
// statement that removes each.
func (b *book) eachMark(ctx context.Context, u *history.Undoing, fn func(statement string, args []any) error) error {
	for _, table := range markTables {
		err := b.eachKept(u, table.name, func(rows history.KeptRows) error {
			for i := range rows.Rows {
				mark := rows.Value(i, table.column)
				if err := history.Keep(ctx, b.tx, b.owner, table.name, `account = $2 AND `+table.column+` = $3`, b.account.number, mark); err != nil {
					return err
				}
				err := fn(`DELETE FROM `+table.name+` WHERE user_id = $1 AND account = $2 AND `+table.column+` = $3`, []any{b.owner, b.account.number, mark})
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// removeMarks removes the marks that the undo of an import had restored.
func (b *book) removeMarks(ctx context.Context, u *history.Undoing) error {
	return b.eachMark(ctx, u, func(statement string, args []any) error { return b.tx.Queue(ctx, statement, args...) })
}

func (b *book) restoreBatch(ctx context.Context, u *history.Undoing, changed []history.Object) error {
	set := &changeSet{streamOf: b.streamFor, byKey: map[streamKey]*changes{}}
	if err := b.loadHints(ctx, u); err != nil {
		return err
	}
	if err := b.makeRoomForKept(ctx, u); err != nil {
		return err
	}
	if _, err := b.restoreFills(ctx, u, set); err != nil {
		return err
	}
	_, reverted, err := b.changeBack(ctx, changed, set)
	if err != nil {
		return err
	}
	if err := b.regroupChanges(ctx, set.order...); err != nil {
		return err
	}
	if err := b.removeMarks(ctx, u); err != nil {
		return err
	}
	return b.recordUndone(ctx, nil, reverted)
}

// makeRoomForKept deletes the spans and sources that the removal gave to fills which stay:
// the kept ones come back.
func (b *book) makeRoomForKept(ctx context.Context, u *history.Undoing) error {
	err := b.eachKept(u, "import_spans", func(rows history.KeptRows) error {
		for i := range rows.Rows {
			_, err := b.tx.Exec(ctx, `DELETE FROM import_spans WHERE user_id = $1 AND account = $2 AND first_seq >= $3 AND first_seq <= $4`,
				b.owner, b.account.number, rows.Value(i, "first_seq"), rows.Value(i, "last_seq"))
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return b.eachKept(u, "fill_sources", func(rows history.KeptRows) error {
		numbers := make([]int64, len(rows.Rows))
		for i := range rows.Rows {
			numbers[i], _ = rows.Value(i, "seq").(int64)
		}
		return db.QueueIn(ctx, b.tx, numbers, `DELETE FROM fill_sources WHERE user_id = $1 AND account = $2 AND seq IN $keys`, b.owner, b.account.number)
	})
}
