package sharing

import (
	"context"

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
		var hash []byte
		err := u.Tx.QueryRow(ctx, `SELECT token_hash FROM share_links WHERE user_id = $1 AND id = $2`, u.Owner, after.ID).Scan(&hash)
		if err != nil {
			return err
		}
		return identity.AddTokenOwner(ctx, u.Tx, hash, u.Owner, after.ExpiresAt)
	}
	return []history.TypeUndoer{{Type: "share_link", Undoer: r}}
}
