package installation

import (
	"context"

	"fillbook/internal/db"
	"fillbook/internal/journal"
	"fillbook/internal/playbook"
)

// CopyTo copies everything to another installation of the same or the other
// engine: all users with their data, credentials and attached files. The other
// must have no users. It is one transaction: rows and files are copied
// completely or not at all. It returns the attachments whose content is
// missing.
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
