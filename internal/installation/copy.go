package installation

import (
	"context"
	"slices"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/excursions"
	"fillbook/internal/prices/barfetch"
	"fillbook/internal/prices/bars"
	"fillbook/internal/trading/playbook"
)

// CopyOptions are the [Installation.CopyTo] settings.
type CopyOptions struct {
	// WithoutBars leaves out the price bars and what was computed from them.
	WithoutBars bool
	// Progress is called with the number of rows copied so far; it may be nil.
	Progress func(done, total int)
}

// CopyTo copies everything to another installation on either engine: all users with their
// data, credentials and attachments. The other must have no users. It is one transaction:
// rows and files are copied completely or not at all. It returns the attachments whose
// content is missing.
func (i *Installation) CopyTo(ctx context.Context, other *Installation, options CopyOptions) (missing []journal.AttachmentID, err error) {
	var content playbook.CopiedContent
	skip := []string{playbook.ContentTable}
	if options.WithoutBars {
		skip = slices.Concat(skip, bars.Tables(), barfetch.Tables(), excursions.Tables())
	}
	err = db.Copy(ctx, i.DB, other.DB, db.CopyOptions{
		Skip: skip, Empty: []string{"users"}, Progress: options.Progress,
		Finish: func(from, to *db.Tx) (err error) {
			content.Undo() // from the previous attempt
			content, err = playbook.CopyContent(ctx, i.Playbook, from, other.Playbook, to)
			return err
		},
	})
	if err != nil {
		content.Undo()
	}
	return content.Missing, err
}
