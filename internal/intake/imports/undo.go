package imports

import (
	"fillbook/internal/base/history"
	"fillbook/internal/intake/kinds"
	"fillbook/internal/intake/layouts"
)

// Undoers undo changes to imports and to what was chosen for them.
func (s *Service) Undoers() []history.TypeUndoer {
	return []history.TypeUndoer{layouts.Undoer(), kinds.Undoer()}
}
