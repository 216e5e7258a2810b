package history

import (
	"bufio"
	"context"
	"io"
	"slices"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
)

// ExportFormat is the name in the first line of an export, and ExportMediaType its media
// type.
const (
	ExportFormat    = "fillbook-history"
	ExportMediaType = "application/jsonl"
)

// Export writes the history as JSON Lines, in order of the commits: a first line with the
// hash of all streams, then one line for each change. With an account it is that account's
// stream. For a caller who does not see all accounts, changes with hidden objects are left
// out, and the first line says so. It is a step.
func (s *Service) Export(ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID, to io.Writer) error {
	known, err := readStreams(ctx, tx, owner)
	if err != nil {
		return err
	}
	heads, all, err := readHeadList(ctx, tx, owner)
	if err != nil {
		return err
	}
	if account != "" {
		all = Hash{}
		if i := slices.IndexFunc(heads, func(h Head) bool { return h.Account == account }); i >= 0 {
			all = heads[i].Hash
		}
	}
	_, limited := journal.AllowedAccounts(ctx)
	out := bufio.NewWriter(to)
	_, _ = out.Write(exportHead(s.clock(), all, limited && account == "")) // Flush returns the error
	err = known.eachChange(ctx, tx, owner, func(c Change, err error) error {
		if err != nil {
			return err
		}
		if account != "" && c.Account != account || !c.limit(ctx) || c.IsPartial {
			return nil
		}
		_, err = out.Write(c.exportLine())
		return err
	})
	if err != nil {
		return err
	}
	return out.Flush()
}

func exportHead(at time.Time, head Hash, isPartial bool) []byte {
	b := quote([]byte(`{"format":`), ExportFormat)
	b = quote(append(b, `,"version":1,"exported_at":`...), journal.FormatInstant(at))
	b = quote(append(b, `,"head":`...), head.String())
	if isPartial {
		b = append(b, `,"partial":true`...)
	}
	return append(b, "}\n"...)
}

// exportLine returns a change's line.
func (c *Change) exportLine() []byte {
	b := c.stored.appendTo([]byte(`{"header":`))
	b = append(b, `,"content":`...)
	if c.canonical == nil {
		b = append(b, "null"...)
	} else {
		b = append(b, c.canonical...)
	}
	b = quote(append(b, `,"content_sha256":`...), c.content.String())
	b = quote(append(b, `,"previous_hash":`...), c.PreviousHash.String())
	b = quote(append(b, `,"hash":`...), c.Hash.String())
	return append(b, "}\n"...)
}
