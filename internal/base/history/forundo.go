package history

import (
	"context"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
)

// LoadForUndo reads and locks a change that is to be undone, with its kept block, which is nil
// if it has none. The change is described with its position ([Description.Undoes]). It returns
// a conflict if the change cannot be undone, and a refusal if objects of it are hidden from
// the caller. It is a step.
func (s *Service) LoadForUndo(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.ChangeID) (Change, *Block, error) {
	c, err := s.load(ctx, tx, owner, id, tx.Lock())
	if err != nil {
		return Change{}, nil, err
	}
	if c.IsPartial {
		return Change{}, nil, journal.Forbidden("This access token is limited to some accounts, and the change has objects of others.")
	}
	if c.NotUndoable != "" {
		return Change{}, nil, notUndoable(c.NotUndoable)
	}
	block, err := s.openBlock(ctx, tx, owner, c.Position)
	if err != nil {
		return Change{}, nil, err
	}
	return c, block, s.showKept(ctx, tx, owner, &c)
}

// notUndoable is the refusal of an undo.
func notUndoable(reason Reason) error {
	if reason == NotUndoableUndone {
		refusal := journal.Conflict("This change has been undone already.")
		refusal.Code = "already_undone"
		return refusal
	}
	refusal := journal.Conflict("This change cannot be undone.")
	refusal.Code, refusal.Details = "not_undoable", map[string]any{"code": reason}
	return refusal
}
