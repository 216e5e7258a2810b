package installation

import (
	"context"

	"fillbook/internal/db"
	"fillbook/internal/journal"
	"fillbook/internal/playbook"
)

// CopyTo writes everything that this installation holds into another, of the
// same or the other engine: all users with all they own, credentials and
// attached files included. The other must have no user. It is one transaction:
// the other has everything or nothing, in rows and in files. It gives the
// attachments whose content was missing here.
func (i *Installation) CopyTo(ctx context.Context, other *Installation, progress func(done, total int)) (missing []journal.AttachmentID, err error) {
	var content playbook.CopiedContent
	err = db.Copy(ctx, i.DB, other.DB, db.CopyOptions{
		Skip: []string{playbook.ContentTable}, Empty: []string{"users"}, Progress: progress,
		Finish: func(from, to *db.Tx) (err error) {
			content.Undo() // of the attempt before this one
			content, err = playbook.CopyContent(ctx, i.Playbook, from, other.Playbook, to)
			return err
		},
	})
	if err != nil {
		content.Undo()
	}
	return content.Missing, err
}
