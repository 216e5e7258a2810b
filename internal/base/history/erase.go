package history

import (
	"context"

	"github.com/go-json-experiment/json"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
)

// Erase removes the summary, labels and values of a change for good. The header and the hash
// of the content stay, so the chain still verifies. Erasing is itself a change. An erased
// change stays as it is.
func (s *Service) Erase(ctx context.Context, owner journal.UserID, id journal.ChangeID) error {
	return s.db.Update(ctx, func(tx *db.Tx) error {
		c, err := s.load(ctx, tx, owner, id, tx.Lock())
		if err != nil || c.ErasedAt != nil {
			return err
		}
		rest, err := json.Marshal(erasedRest{c.content, c.stored.objects})
		if err != nil {
			return err
		}
		at := s.clock()
		_, err = tx.Exec(ctx, `UPDATE history_changes SET content = NULL, rest = $1, erased_at = $2 WHERE user_id = $3 AND position = $4`,
			rest, db.Micros(at), owner, c.Position)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `DELETE FROM history_blocks WHERE user_id = $1 AND position = $2`, owner, c.Position); err != nil {
			return err
		}
		Describe(tx, owner, Description{Action: Security, Summary: "Erased the content of a change"})
		Record(tx, owner, Object{
			Type: "change", ID: string(id), Label: string(c.Action), Action: Updated, Account: c.Account,
			Fields: []Field{NewField("erased_at", nil, journal.FormatInstant(at))},
		})
		return nil
	})
}
