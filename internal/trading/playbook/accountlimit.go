package playbook

import (
	"context"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
)

// limitAccounts selects records without an account, or with one the context does not
// exclude; see [journal.LimitAccounts].
func (w *where) limitAccounts(ctx context.Context, column string) {
	ids, limited := journal.AllowedAccounts(ctx)
	if !limited {
		return
	}
	w.text.WriteString(" AND (" + column + " IS NULL OR " + column + " IN " + db.In(&w.args, ids) + ")")
}

// limitTrades is limitAccounts for a column with a trade's id. Whatever is linked to a
// trade has an annotations row, which names the account.
func (w *where) limitTrades(ctx context.Context, column string) {
	ids, limited := journal.AllowedAccounts(ctx)
	if !limited {
		return
	}
	w.text.WriteString(" AND (" + column + " IS NULL OR " + column +
		" IN (SELECT trade_id FROM trade_annotations WHERE user_id = $1 AND account_id IN " + db.In(&w.args, ids) + "))")
}

// limitNotes leaves out notes whose account or trade is excluded. prefix comes before the
// columns.
func (w *where) limitNotes(ctx context.Context, prefix string) {
	w.limitAccounts(ctx, prefix+"account_id")
	w.limitTrades(ctx, prefix+"trade_id")
}

// limitAttachments leaves out attachments whose trade or note is excluded.
func (w *where) limitAttachments(ctx context.Context) {
	if _, limited := journal.AllowedAccounts(ctx); !limited {
		return
	}
	w.limitTrades(ctx, "trade_id")
	w.text.WriteString(" AND (note_id IS NULL OR note_id IN (SELECT id FROM notes WHERE user_id = $1")
	w.limitNotes(ctx, "notes.")
	w.text.WriteString("))")
}
