package sharing

import (
	"context"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/people/identity"
)

// Undoers undo changes to share links. A revoked link comes back with its address.
func (s *Service) Undoers() []history.TypeUndoer {
	r := &history.Records[Link]{Type: linkHistory, Tables: []string{"share_links"}}
	r.Load = func(ctx context.Context, tx *db.Tx, owner journal.UserID, ids []string) (map[string]Link, error) {
		found := map[string]Link{}
		err := db.EachIn(ctx, tx, ids, func(row db.Scanner) error {
			link, err := s.scanLink(row)
			found[string(link.ID)] = link
			return err
		}, linkColumns+` WHERE user_id = $1 AND id IN $keys ORDER BY id`+tx.Lock(), owner)
		return found, err
	}
	r.Remove = func(ctx context.Context, tx *db.Tx, owner journal.UserID, link *Link) error {
		return deleteLink(ctx, tx, owner, link.ID)
	}
	r.Changed = func(ctx context.Context, u *history.Undoing, before, after *Link) error {
		if before != nil {
			return nil
		}
		return addOwner(ctx, u, after.ID)
	}
	return []history.TypeUndoer{{Type: "share_link", Undoer: r}}
}

// addOwner makes a restored link's address work again.
func addOwner(ctx context.Context, u *history.Undoing, id journal.ShareID) error {
	var hash []byte
	var expires *time.Time
	err := u.Tx.QueryRow(ctx, `SELECT token_hash, expires_at FROM share_links WHERE user_id = $1 AND id = $2`, u.Owner, id).
		Scan(&hash, db.NullInstant(&expires))
	if err != nil {
		return err
	}
	return identity.AddTokenOwner(ctx, u.Tx, hash, u.Owner, expires)
}

// RestoreAccount restores the links to an account that came back.
func RestoreAccount(ctx context.Context, u *history.Undoing, account journal.AccountID) error {
	if err := u.Insert(ctx, "share_links", ""); err != nil {
		return err
	}
	return u.EachKept("share_links", func(rows history.KeptRows) error {
		for i := range rows.Rows {
			id, _ := rows.Value(i, "id").(string)
			if err := addOwner(ctx, u, journal.ShareID(id)); err != nil {
				return err
			}
		}
		history.Contain(u.Tx, history.Key{Type: "account", ID: string(account)}, "share_link", len(rows.Rows))
		return nil
	})
}
