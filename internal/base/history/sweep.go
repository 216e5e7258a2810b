package history

import (
	"context"
	"fmt"

	"fillbook/internal/base/db"
)

// Sweep drops what expired changes have removed, in small steps, so no writer waits long. If
// content is now kept for a shorter time, that counts for what is kept already. The changes
// stay, and so do their hashes.
func (s *Service) Sweep(ctx context.Context) error {
	now, kept := db.Micros(s.clock()), s.kept.Microseconds()
	err := s.db.DeletePages(ctx, `UPDATE history_changes SET expires_at = at + $1 WHERE (user_id, position) IN (
		SELECT user_id, position FROM history_changes WHERE expires_at > $2 AND expires_at > at + $1 ORDER BY expires_at LIMIT 1000)`, kept, now)
	if err != nil {
		return fmt.Errorf("shortening the time of kept content: %w", err)
	}
	err = s.db.DeletePages(ctx, `DELETE FROM history_blocks WHERE (user_id, position, part) IN (
		SELECT b.user_id, b.position, b.part FROM history_blocks AS b
		JOIN history_changes AS c ON c.user_id = b.user_id AND c.position = b.position
		WHERE c.expires_at <= $1 ORDER BY c.expires_at LIMIT 1000)`, now)
	if err != nil {
		return fmt.Errorf("dropping expired content: %w", err)
	}
	return nil
}
