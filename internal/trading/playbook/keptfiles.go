package playbook

import (
	"context"
	"slices"
	"strconv"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
)

// keepAttachments keeps the attachments that meet a condition, for an undo of their
// deletion. The condition's arguments follow the owner, $1.
func keepAttachments(ctx context.Context, tx *db.Tx, owner journal.UserID, now time.Time, where string, args ...any) error {
	if err := history.Keep(ctx, tx, owner, "attachments", where, args...); err != nil {
		return err
	}
	return keepContent(ctx, tx, owner, now, where, args...)
}

// countFiles counts a record's attachments for the history.
func countFiles(n int) map[string]int {
	if n == 0 {
		return nil
	}
	return map[string]int{"attachment": n}
}

// keepContent keeps the content of attachments, which is too large for a kept block.
func keepContent(ctx context.Context, tx *db.Tx, owner journal.UserID, now time.Time, where string, args ...any) error {
	all := append(append([]any{owner}, args...), db.Micros(now))
	_, err := tx.Exec(ctx, `INSERT INTO kept_attachments (user_id, attachment_id, deleted_at, content)
		SELECT a.user_id, a.id, CAST($`+strconv.Itoa(len(all))+` AS BIGINT), b.content FROM attachments AS a
		LEFT JOIN attachment_blobs AS b ON b.user_id = a.user_id AND b.attachment_id = a.id
		WHERE a.user_id = $1 AND a.`+where+` ON CONFLICT (user_id, attachment_id) DO NOTHING`, all...)
	return err
}

// restoreContent restores the content of restored attachments that meet a condition.
func restoreContent(ctx context.Context, tx *db.Tx, owner journal.UserID, where string, args ...any) error {
	all := append([]any{owner}, args...)
	_, err := tx.Exec(ctx, `INSERT INTO attachment_blobs (user_id, attachment_id, content)
		SELECT k.user_id, k.attachment_id, k.content FROM kept_attachments AS k
		JOIN attachments AS a ON a.user_id = k.user_id AND a.id = k.attachment_id
		WHERE k.user_id = $1 AND a.`+where+` AND k.content IS NOT NULL ON CONFLICT DO NOTHING`, all...)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `DELETE FROM kept_attachments WHERE user_id = $1 AND attachment_id IN (
		SELECT id FROM attachments WHERE user_id = $1 AND `+where+`)`, all...)
	return err
}

// keptIDs returns the attachments among some that are kept for an undo.
func (s *attachmentStore) keptIDs(
	ctx context.Context, owner journal.UserID, ids []journal.AttachmentID,
) (map[journal.AttachmentID]bool, error) {
	kept := map[journal.AttachmentID]bool{}
	err := s.db.View(ctx, func(tx *db.Tx) error {
		return db.EachIn(ctx, tx, ids, func(row db.Scanner) error {
			id, err := db.Single[journal.AttachmentID](row)
			kept[id] = true
			return err
		}, `SELECT attachment_id FROM kept_attachments WHERE user_id = $1 AND attachment_id IN $keys`, owner)
	})
	return kept, err
}

// DropKeptFiles ends the keeping of attachments that were deleted before an instant, and
// removes their files.
func (s *attachmentStore) DropKeptFiles(ctx context.Context, before time.Time) error {
	dropped := map[journal.UserID][]journal.AttachmentID{}
	err := s.db.Update(ctx, func(tx *db.Tx) error {
		err := db.Each(ctx, tx, func(row db.Scanner) error {
			var owner journal.UserID
			var id journal.AttachmentID
			err := row.Scan(&owner, &id)
			dropped[owner] = append(dropped[owner], id)
			return err
		}, `SELECT user_id, attachment_id FROM kept_attachments WHERE deleted_at <= $1 ORDER BY user_id, attachment_id`, db.Micros(before))
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `DELETE FROM kept_attachments WHERE deleted_at <= $1`, db.Micros(before))
		return err
	})
	if err != nil {
		return err
	}
	for owner, ids := range dropped {
		s.RemoveFiles(ctx, owner, ids)
	}
	return nil
}

// RestoreAccount restores what was written on the trades in an account that came back. It
// is a step in undoing the deletion of the account.
func RestoreAccount(ctx context.Context, u *history.Undoing, account journal.AccountID) error {
	for _, table := range append(slices.Clone(annotationTables), "attachments") {
		if err := u.Insert(ctx, table, ""); err != nil {
			return err
		}
	}
	if err := restoreContent(ctx, u.Tx, u.Owner, ofAccount, account); err != nil {
		return err
	}
	return recordNotes(ctx, u.Tx, u.Owner)
}

// ofAccount is the condition for rows about the trades of account $2.
const ofAccount = `trade_id IN (SELECT trade_id FROM trade_annotations WHERE user_id = $1 AND account_id = $2)`

// annotationTables have the annotations of trades, in the order of insertion.
var annotationTables = []string{"trade_annotations", "trade_tags", "trade_setups", "trade_rules", "orphaned_annotations", "orphaned_fills"}

// keepAnnotations keeps what was written on an account's trades that are deleted, and records
// the deletion, also of trades without annotations: the redo of a deletion must know them.
// Notes lose their link.
func keepAnnotations(
	ctx context.Context, tx *db.Tx, owner journal.UserID, now time.Time, account journal.AccountID, trades []journal.TradeID,
) error {
	stored, err := LoadAnnotations(ctx, tx, owner, trades)
	if err != nil {
		return err
	}
	for _, trade := range trades {
		annotations, found := stored[trade]
		if !found {
			tradeHistory.Deleted(tx, owner, &Annotations{Trade: trade, Account: account})
			continue
		}
		tradeHistory.Deleted(tx, owner, &annotations)
		for _, table := range annotationTables {
			if err := history.Keep(ctx, tx, owner, table, `trade_id = $2`, trade); err != nil {
				return err
			}
		}
		if err := keepAttachments(ctx, tx, owner, now, `trade_id = $2`, trade); err != nil {
			return err
		}
		if err := recordUnlinkedNotes(ctx, tx, owner, annotations.Account, `trade_id = $2`, trade); err != nil {
			return err
		}
	}
	return nil
}

// keepAccount keeps what was written on the trades in an account that is deleted. Notes and
// missed trades lose their links.
func keepAccount(ctx context.Context, tx *db.Tx, owner journal.UserID, now time.Time, account journal.AccountID) error {
	key := history.Key{Type: "account", ID: string(account)}
	for _, table := range annotationTables {
		where := ofAccount
		if table == "trade_annotations" {
			where = `account_id = $2`
		}
		if err := history.Keep(ctx, tx, owner, table, where, account); err != nil {
			return err
		}
	}
	var files int
	if err := tx.QueryRow(ctx, `SELECT COUNT(*) FROM attachments WHERE user_id = $1 AND `+ofAccount, owner, account).Scan(&files); err != nil {
		return err
	}
	history.Contain(tx, key, "attachment", files)
	if err := keepAttachments(ctx, tx, owner, now, ofAccount, account); err != nil {
		return err
	}
	if err := recordUnlinkedNotes(ctx, tx, owner, account, `(account_id = $2 OR `+ofAccount+`)`, account); err != nil {
		return err
	}
	missed, err := db.List(ctx, tx, scanMissed, selectMissed+` WHERE user_id = $1 AND account_id = $2 ORDER BY id`, owner, account)
	for _, before := range missed {
		after := before
		after.Account = nil
		missedHistory.UpdatedIn(tx, owner, account, &before, &after)
	}
	return err
}

// recordUnlinkedNotes records that notes lose the links by which a condition finds them.
func recordUnlinkedNotes(
	ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID, where string, id any,
) error {
	notes, err := db.List(ctx, tx, scanNote, selectNotes+` WHERE user_id = $1 AND `+where+` ORDER BY id`, owner, id)
	if err != nil {
		return err
	}
	links := map[journal.NoteID]*journal.TradeID{} // also to orphans, which notes do not show
	err = db.Each(ctx, tx, func(row db.Scanner) error {
		var note journal.NoteID
		var trade *journal.TradeID
		err := row.Scan(&note, &trade)
		links[note] = trade
		return err
	}, `SELECT id, trade_id FROM notes WHERE user_id = $1 AND `+where, owner, id)
	if err != nil {
		return err
	}
	trades := map[journal.TradeID]bool{}
	err = db.Each(ctx, tx, func(row db.Scanner) error {
		trade, err := db.Single[journal.TradeID](row)
		trades[trade] = true
		return err
	}, `SELECT trade_id FROM trade_annotations WHERE user_id = $1 AND account_id = $2`, owner, account)
	for _, before := range notes {
		before.Trade = links[before.ID]
		after := before
		if after.Account != nil && *after.Account == account && id == any(account) {
			after.Account = nil
		}
		if after.Trade != nil && (id == any(*after.Trade) || id == any(account) && trades[*after.Trade]) {
			after.Trade = nil
		}
		noteHistory.UpdatedIn(tx, owner, account, &before, &after)
	}
	return err
}
