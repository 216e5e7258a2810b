package playbook

import (
	"context"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
)

// Orphan has the annotations from a trade without any fill. It returns by itself when a
// fill does; until then its owner may give it to another trade or throw it away.
type Orphan struct {
	Annotations
	Symbol      string     // the removed trade's, if it was known
	OpenedAt    *time.Time // likewise
	OrphanedAt  time.Time
	Attachments []Attachment
}

// Orphans lists the owner's orphans, newest first.
func (s *Service) Orphans(ctx context.Context, owner journal.UserID) ([]Orphan, error) {
	var orphans []Orphan
	err := s.db.View(ctx, func(tx *db.Tx) (err error) {
		w := owned("user_id", owner)
		w.limitAccounts(ctx, "account_id")
		orphans, err = db.List(ctx, tx, scanOrphan, `SELECT trade_id, symbol, opened_at, orphaned_at FROM orphaned_annotations`+
			w.text.String()+` ORDER BY orphaned_at DESC, trade_id DESC`, w.args...)
		if err != nil {
			return err
		}
		return describeOrphans(ctx, tx, owner, orphans)
	})
	return orphans, err
}

func scanOrphan(row db.Scanner) (Orphan, error) {
	var o Orphan
	err := row.Scan(&o.Trade, &o.Symbol, db.NullInstant(&o.OpenedAt), db.Instant(&o.OrphanedAt))
	return o, err
}

func describeOrphans(ctx context.Context, tx *db.Tx, owner journal.UserID, orphans []Orphan) error {
	trades := make([]journal.TradeID, len(orphans))
	for i, o := range orphans {
		trades[i] = o.Trade
	}
	annotations, err := LoadAnnotations(ctx, tx, owner, trades)
	if err != nil {
		return err
	}
	files, err := attachmentsOf(ctx, tx, owner, trades)
	if err != nil {
		return err
	}
	for i := range orphans {
		orphans[i].Annotations = annotations[orphans[i].Trade]
		orphans[i].Attachments = files[orphans[i].Trade]
	}
	return nil
}

// AdoptOrphan adds what an orphan says to another trade, as [MoveAnnotations] does, and
// returns that trade's annotations.
func (s *Service) AdoptOrphan(ctx context.Context, owner journal.UserID, orphan, into journal.TradeID) (Annotations, error) {
	return db.Get(ctx, s.db.Update, func(tx *db.Tx) (Annotations, error) { return s.AdoptOrphanIn(ctx, tx, owner, orphan, into) })
}

// AdoptOrphanIn is [Service.AdoptOrphan] as a step.
func (s *Service) AdoptOrphanIn(ctx context.Context, tx *db.Tx, owner journal.UserID, orphan, into journal.TradeID) (Annotations, error) {
	// The trade first and the orphan then, as a regrouping does.
	account, err := s.options.Known.Trade(ctx, tx, owner, into)
	if err != nil {
		return Annotations{}, reference("trade_id", err)
	}
	if err := lockOrphan(ctx, tx, owner, orphan); err != nil {
		return Annotations{}, err
	}
	if err := EnsureAnnotationsRow(ctx, tx, owner, into, account, s.clock()); err != nil {
		return Annotations{}, err
	}
	if err := adoptInto(ctx, tx, owner, s.clock(), map[journal.TradeID]journal.TradeID{orphan: into}); err != nil {
		return Annotations{}, err
	}
	annotations, err := readAnnotations(ctx, tx, owner, into)
	if err != nil {
		return Annotations{}, err
	}
	return annotations, s.reportAnnotationsChanged(ctx, tx, owner, annotations)
}

// DeleteOrphan throws an orphan away, with its attachments.
func (s *Service) DeleteOrphan(ctx context.Context, owner journal.UserID, orphan journal.TradeID) error {
	var files []journal.AttachmentID
	err := s.db.Update(ctx, func(tx *db.Tx) (err error) {
		if err := lockOrphan(ctx, tx, owner, orphan); err != nil {
			return err
		}
		files, err = ForgetTrades(ctx, tx, owner, s.clock(), "", []journal.TradeID{orphan})
		return err
	})
	if err != nil {
		return err
	}
	s.RemoveFiles(ctx, owner, files)
	return nil
}

func lockOrphan(ctx context.Context, tx *db.Tx, owner journal.UserID, orphan journal.TradeID) error {
	w := owned("user_id", owner)
	w.and("trade_id =", orphan)
	w.limitAccounts(ctx, "account_id")
	var id journal.TradeID
	err := tx.QueryRow(ctx, `SELECT trade_id FROM orphaned_annotations`+w.text.String()+tx.Lock(), w.args...).Scan(&id)
	return db.NotFound(err, "orphan")
}

// ForgetTrades deletes what was written on an account's trades the user deletes: annotations and
// attachments go, linked notes lose only the link. It is a step. The caller hands the
// attachments to [Service.RemoveFiles] after the commit. The account is not needed for
// orphans.
func ForgetTrades(
	ctx context.Context, tx *db.Tx, owner journal.UserID, now time.Time, account journal.AccountID, trades []journal.TradeID,
) ([]journal.AttachmentID, error) {
	files, err := db.ListIn(ctx, tx, trades, db.Single[journal.AttachmentID],
		`SELECT id FROM attachments WHERE user_id = $1 AND trade_id IN $keys ORDER BY id`, owner)
	if err != nil {
		return nil, err
	}
	if err := keepAnnotations(ctx, tx, owner, now, account, trades); err != nil {
		return nil, err
	}
	if err := deleteLinks(ctx, tx, owner, `UPDATE notes SET trade_id = NULL`, trades); err != nil {
		return nil, err
	}
	return files, deleteLinks(ctx, tx, owner, `DELETE FROM trade_annotations`, trades)
}

// ForgetAccount deletes what was written on an account's trades before the account is
// deleted, orphans included; notes and missed trades lose only the link. It is a step,
// and the database refuses to delete the account without it. The caller hands the
// attachments to [Service.RemoveFiles] after the commit.
func ForgetAccount(
	ctx context.Context, tx *db.Tx, owner journal.UserID, now time.Time, account journal.AccountID,
) ([]journal.AttachmentID, error) {
	if err := keepAccount(ctx, tx, owner, now, account); err != nil {
		return nil, err
	}
	files, err := db.List(ctx, tx, db.Single[journal.AttachmentID],
		`SELECT id FROM attachments WHERE user_id = $1 AND `+ofAccount+` ORDER BY id`, owner, account)
	if err != nil {
		return nil, err
	}
	for _, statement := range []string{
		`UPDATE notes SET trade_id = NULL WHERE user_id = $1 AND ` + ofAccount,
		`UPDATE missed_trades SET account_id = NULL WHERE user_id = $1 AND account_id = $2`,
	} {
		if _, err := tx.Exec(ctx, statement, owner, account); err != nil {
			return nil, err
		}
	}
	if err := tx.DeleteInChunks(ctx, "trade_annotations", "trade_id", `user_id = $1 AND account_id = $2`, owner, account); err != nil {
		return nil, err
	}
	changed, err := tx.Exec(ctx, `UPDATE notes SET account_id = NULL WHERE user_id = $1 AND account_id = $2`, owner, account)
	if err != nil || changed == 0 {
		return files, err
	}
	return files, recordNotes(ctx, tx, owner)
}

// DeleteAll deletes the notes, missed trades and annotations for a user. It is a step in
// deleting the user, which deletes the rest.
func DeleteAll(ctx context.Context, tx *db.Tx, owner journal.UserID) error {
	for _, table := range []struct{ name, columns string }{{"notes", "id"}, {"missed_trades", "id"}, {"trade_annotations", "trade_id"}} {
		if err := tx.DeleteInChunks(ctx, table.name, table.columns, `user_id = $1`, owner); err != nil {
			return err
		}
	}
	return nil
}
