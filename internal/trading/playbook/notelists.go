package playbook

import (
	"context"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"fillbook/internal/base/db"
	"fillbook/internal/base/fields"
	"fillbook/internal/base/journal"
)

// NoteFilter selects a list's notes. Empty fields are no condition.
type NoteFilter struct {
	Period  journal.Period
	Types   []NoteType
	Account []journal.AccountID
	Trade   journal.TradeID
	// Words must all be found in the title, the text or a note's symbols. They are
	// folded; see package textindex. Only [Service.ReadNotePage] tests them.
	Words []string
}

// listNotes is [Service.ReadNotePage] for a filter without words.
func listNotes(
	ctx context.Context, tx *db.Tx, owner journal.UserID, filter NoteFilter, page Page,
) (notes []Note, total int, err error) {
	notes = []Note{}
	err = EachNote(ctx, tx, owner, filter, page, func(note Note) error {
		notes = append(notes, note)
		return nil
	})
	if err != nil || page == (Page{}) {
		return notes, len(notes), err
	}
	w := filter.where(ctx, owner)
	err = tx.QueryRow(ctx, `SELECT COUNT(*) FROM notes n`+w.text.String(), w.args...).Scan(&total)
	return notes, total, err
}

// EachNote hands out notes, newest first, one at a time, so memory stays flat however
// long the list is. It is a step; fn must not run statements.
func EachNote(ctx context.Context, tx *db.Tx, owner journal.UserID, filter NoteFilter, page Page, fn func(Note) error) error {
	w := filter.where(ctx, owner)
	query := selectNotes + w.newestFirst("n.occurred_at", "n.id", page)
	return db.Each(ctx, tx, func(row db.Scanner) error {
		note, err := scanNote(row)
		if err != nil {
			return err
		}
		return fn(note)
	}, query, w.args...)
}

func (f NoteFilter) where(ctx context.Context, owner journal.UserID) *where {
	w := owned("n.user_id", owner)
	w.limitNotes(ctx, "n.")
	w.period("n.occurred_at", f.Period)
	andIn(w, "n.type", f.Types)
	andIn(w, "n.account_id", f.Account)
	if f.Trade != "" {
		w.and("n.trade_id =", f.Trade)
	}
	return w
}

// noteTable stores notes. An update leaves the link to a trade as it is: while
// the trade has no fill left the link does not show, and must survive.
var noteTable = fields.New("notes",
	fields.List[Note]{fields.NewID("id", func(n *Note) *journal.NoteID { return &n.ID })},
	fields.List[Note]{
		fields.NewText("type", func(n *Note) *NoteType { return &n.Type }).CheckBy(checkNoteType),
		fields.NewTime("occurred_at", func(n *Note) *time.Time { return &n.OccurredAt.At }).
			ShowAs(func(n *Note) any { return n.OccurredAt.String() }).SetAs(setOccurredAt),
		fields.NewFlag("is_day", func(n *Note) *bool { return &n.OccurredAt.WholeDay }).Hide(),
		fields.NewText("title", func(n *Note) *string { return &n.Title }),
		fields.NewText("body", func(n *Note) *string { return &n.Body }).Limit(fields.LongText),
		fields.NewJSON("symbols", func(n *Note) *[]SymbolNote { return &n.Symbols }).CheckBy(checkNoteSymbols).AsSet(),
		fields.NewLink("account_id", func(n *Note) **journal.AccountID { return &n.Account }),
		fields.NewLink("trade_id", func(n *Note) **journal.TradeID { return &n.Trade }).Freeze().ReadAs(func(n string) string {
			// $1 is the owner in each statement reading notes.
			return `CASE WHEN EXISTS (SELECT 1 FROM orphaned_annotations o WHERE o.user_id = $1 AND o.trade_id = ` + n + `.trade_id) THEN NULL ELSE ` + n + `.trade_id END`
		}),
		fields.NewFlag("by_app", func(n *Note) *bool { return &n.ByApp }).Freeze(),
		fields.NewTime("created_at", func(n *Note) *time.Time { return &n.CreatedAt }).Freeze(),
		fields.NewTime("updated_at", func(n *Note) *time.Time { return &n.UpdatedAt }),
	},
)

// setOccurredAt sets a note's time to one in the history.
func setOccurredAt(n *Note, value jsontext.Value) (err error) {
	var text string
	if err := json.Unmarshal(value, &text); err != nil {
		return err
	}
	n.OccurredAt, err = ParseMoment("occurred_at", text)
	return err
}

// selectNotes hides the link to a trade that has no fill left.
var selectNotes = noteTable.Select("n")

func scanNote(row db.Scanner) (n Note, err error) {
	err = noteTable.Scan(row, &n)
	return n, err
}

// Note returns one note.
func (s *noteStore) Note(ctx context.Context, owner journal.UserID, id journal.NoteID) (Note, error) {
	return db.Get(ctx, s.db.Peek, func(tx *db.Tx) (Note, error) { return readNote(ctx, tx, owner, id, "") })
}

// CheckNoteOwner returns an error if the note does not exist or is not the owner's.
// It is a step.
func CheckNoteOwner(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.NoteID) error {
	_, err := readNote(ctx, tx, owner, id, "")
	return err
}

func readNote(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.NoteID, lock string) (Note, error) {
	w := owned("n.user_id", owner)
	w.and("n.id =", id)
	w.limitNotes(ctx, "n.")
	note, err := scanNote(tx.QueryRow(ctx, selectNotes+w.text.String()+lock, w.args...))
	return note, db.NotFound(err, "note")
}

// lockNote reads a note that is about to change and lets check look at it.
func lockNote(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.NoteID, check Check[Note]) (Note, error) {
	return check.apply(readNote(ctx, tx, owner, id, tx.Lock()))
}
