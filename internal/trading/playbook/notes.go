package playbook

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/fields"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/limits"
)

// NoteType is a note's kind.
type NoteType string

// The note types.
const (
	PlainNote    NoteType = "note"
	DailyLog     NoteType = "daily_log"
	WeeklyReview NoteType = "weekly_review"
)

// NoteMembers are a note's values, with one type for each kind. The tags are the JSON
// names in the API and backups, and the API descriptions. See docs/architecture.md, "Add
// a field to a record".
type NoteMembers[Kind, When, Line, Text, Symbols, AccountLink, TradeLink any] struct {
	Type       Kind        `json:"type" enum:"note,daily_log,weekly_review" doc:"Default of a new note: note."`
	OccurredAt When        `json:"occurred_at"`
	Title      Line        `json:"title"`
	Body       Text        `json:"body" doc:"Markdown. Required, except for a daily log with symbols."`
	Symbols    Symbols     `json:"symbols"`
	Account    AccountLink `json:"account_id"`
	Trade      TradeLink   `json:"trade_id"` // absent also while the trade has no fill left
}

// NoteValues are a note's values as they are stored and answered.
type NoteValues = NoteMembers[NoteType, Moment, string, string, []SymbolNote, *journal.AccountID, *journal.TradeID]

// NoteChange is a change to a note. A new note's type is [PlainNote] by default.
type NoteChange = NoteMembers[
	journal.Opt[NoteType], journal.Opt[Moment], journal.Opt[string], journal.Opt[string], journal.Opt[[]SymbolNote],
	journal.Opt[journal.AccountID], journal.Opt[journal.TradeID],
]

// Note is a standalone text: a thought, a day's log, a week's review.
type Note struct {
	ID journal.NoteID `json:"id"`
	NoteValues
	ByApp     bool      `json:"by_app" doc:"Whether an assistant wrote the note. Later changes leave it as it is."`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`

	tradeAccount journal.AccountID // the account of its trade; see findTradeAccount
}

// SymbolNote is a note's part about one symbol.
type SymbolNote struct {
	Symbol string `json:"symbol"`
	Body   string `json:"body"`
}

// Moment is an instant or a whole calendar day. It is written in the form in which
// it was read. A day is compared as its midnight in UTC.
type Moment struct {
	At       time.Time
	WholeDay bool
}

// ParseMoment reads a day or a date-time with an offset.
func ParseMoment(field, text string) (Moment, error) {
	if len(text) == len(time.DateOnly) {
		day, err := journal.ParseDay(field, text)
		return MomentOf(day), err
	}
	at, err := journal.ParseInstant(field, text)
	return Moment{At: at}, err
}

// MomentOf is a whole day.
func MomentOf(day journal.Day) Moment { return Moment{At: day.Time(), WholeDay: true} }

// MarshalJSON writes the moment in the form in which it was read.
func (m Moment) MarshalJSON() ([]byte, error) { return json.Marshal(m.String()) }

// String returns the moment in the form in which it was read.
func (m Moment) String() string {
	if m.WholeDay {
		return string(m.Day())
	}
	return journal.FormatInstant(m.At)
}

// Day returns a moment's calendar day in UTC.
func (m Moment) Day() journal.Day { return journal.DayOf(m.At.UTC()) }

// DayIn returns a moment's calendar day in a zone. A moment that is a whole day is that
// day everywhere.
func (m Moment) DayIn(zone *time.Location) journal.Day {
	if m.WholeDay {
		return m.Day()
	}
	return journal.DayOf(m.At.In(zone))
}

// maxSymbols is how many symbols a note may have.
const maxSymbols = 200

// applyNote returns the note after a change, or the reason why it is invalid. It
// does not check whether the account and the trade exist.
func applyNote(change NoteChange, note Note) (Note, error) {
	if change.OccurredAt.Null {
		return Note{}, journal.InvalidField("occurred_at", "occurred_at must be a day or a date and time.")
	}
	fields.Copy(&note.NoteValues, &change)
	if err := checkRecord(noteTable, &note, func(*Note) PriceRule { return PricesAboveZero }); err != nil {
		return Note{}, err
	}
	return note, note.checkContent()
}

func checkNoteType(n *Note) error {
	n.Type = cmp.Or(n.Type, PlainNote)
	return checkKnownNoteType(n.Type)
}

func checkKnownNoteType(t NoteType) error {
	if !slices.Contains([]NoteType{PlainNote, DailyLog, WeeklyReview}, t) {
		return journal.InvalidField("type", "type must be note, daily_log or weekly_review.")
	}
	return nil
}

func checkNoteSymbols(n *Note) (err error) {
	n.Symbols, err = symbolNotes(n.Symbols)
	return err
}

// checkContent requires a text.
func (n Note) checkContent() error {
	switch {
	case !journal.IsBlank(n.Body) || n.Type == DailyLog && len(n.Symbols) > 0:
		return nil
	case n.Type == DailyLog:
		return journal.InvalidField("body", "A daily log needs a body or at least one symbol.")
	}
	return journal.InvalidField("body", "body must not be empty.")
}

func symbolNotes(list []SymbolNote) ([]SymbolNote, error) {
	if len(list) > maxSymbols {
		return nil, journal.InvalidField("symbols", "symbols must be at most %d.", maxSymbols)
	}
	clean := make([]SymbolNote, len(list))
	size := 0
	for i, item := range list {
		symbol, err := journal.CleanSymbol("symbols", item.Symbol)
		if err != nil {
			return nil, err
		}
		body, err := journal.CheckText("symbols", item.Body)
		if err != nil {
			return nil, err
		}
		clean[i] = SymbolNote{symbol, body}
		size += len(body)
	}
	if size > journal.MaxNoteBytes {
		return nil, journal.InvalidField("symbols", "symbols must be at most 256 KiB long together.")
	}
	return clean, nil
}

// CreateNote creates a note. Without an occurred_at a log or review is dated today and a
// plain note now. An account that is not the owner's is not found; a trade that is not
// the owner's is a wrong field.
func (s *noteStore) CreateNote(ctx context.Context, owner journal.UserID, change NoteChange) (Note, error) {
	return s.createNote(ctx, owner, change, false)
}

// CreateNoteByApp creates a note that an assistant wrote; see [Service.CreateNote].
func (s *noteStore) CreateNoteByApp(ctx context.Context, owner journal.UserID, change NoteChange) (Note, error) {
	return s.createNote(ctx, owner, change, true)
}

func (s *noteStore) createNote(ctx context.Context, owner journal.UserID, change NoteChange, byApp bool) (Note, error) {
	note, err := newNote(change, s.clock())
	if err != nil {
		return Note{}, err
	}
	note.ByApp = byApp
	err = s.db.Update(ctx, func(tx *db.Tx) error {
		if note.Account != nil {
			if err := s.options.Known.Account(ctx, tx, owner, *note.Account); err != nil {
				return err
			}
		}
		if err := limits.Notes.Check(ctx, tx, owner, countNotes); err != nil {
			return err
		}
		if err := checkNoteBytes(ctx, tx, owner, note.bytes()); err != nil {
			return err
		}
		if err := s.anchorNote(ctx, tx, owner, note); err != nil {
			return err
		}
		if err := insertNote(ctx, tx, owner, note); err != nil {
			return err
		}
		if err := s.reportLinked(ctx, tx, owner, note.Trade); err != nil {
			return err
		}
		if err := findTradeAccount(ctx, tx, owner, &note); err != nil {
			return err
		}
		noteHistory.Created(tx, owner, &note)
		return recordNotes(ctx, tx, owner, note.ID)
	})
	return note, err
}

func newNote(change NoteChange, now time.Time) (Note, error) {
	if change.OccurredAt.Null {
		change.OccurredAt = journal.Opt[Moment]{}
	}
	occurred := Moment{At: now}
	if t := change.Type.Value; t == DailyLog || t == WeeklyReview {
		occurred = MomentOf(journal.DayOf(now.UTC()))
	}
	return applyNote(change, Note{
		ID: journal.NewID[journal.NoteID](), NoteValues: NoteValues{OccurredAt: occurred}, CreatedAt: now, UpdatedAt: now,
	})
}

// anchorNote ensures that the trade a note is linked to exists and has the annotations
// row that links refer to.
func (s *noteStore) anchorNote(ctx context.Context, tx *db.Tx, owner journal.UserID, note Note) error {
	if note.Trade == nil {
		return nil
	}
	account, err := s.options.Known.Trade(ctx, tx, owner, *note.Trade)
	if err != nil {
		return reference("trade_id", err)
	}
	return EnsureAnnotationsRow(ctx, tx, owner, *note.Trade, account, note.UpdatedAt)
}

func insertNote(ctx context.Context, tx *db.Tx, owner journal.UserID, n Note) error {
	_, err := tx.Exec(ctx, noteTable.Insert(), noteTable.Values(owner, &n)...)
	return err
}

// bytes returns how many bytes a note counts toward [limits.NoteBytes].
func (n Note) bytes() int { return len(n.Title) + len(n.Body) }

const sumNoteBytes = `SELECT CAST(COALESCE(SUM(octet_length(title) + octet_length(body)), 0) AS BIGINT) FROM notes WHERE user_id = $1`

// checkNoteBytes returns an error if a user's notes would become too long with some more
// bytes.
func checkNoteBytes(ctx context.Context, tx *db.Tx, owner journal.UserID, more int) error {
	if more <= 0 {
		return nil
	}
	room, err := limits.NoteBytes.Room(ctx, tx, owner, sumNoteBytes)
	if err == nil && more > room {
		return errNoteBytes()
	}
	return err
}

func errNoteBytes() error {
	return journal.Conflict("All notes together can have %d bytes. Shorten or delete some first.", limits.NoteBytes.Max)
}

func (n Note) symbolsText() string {
	text, _ := json.Marshal(n.Symbols) // strings always marshal
	return string(text)
}

// ChangeNote changes what is sent. An account or trade that is not the owner's
// is a wrong field.
func (s *noteStore) ChangeNote(ctx context.Context, owner journal.UserID, id journal.NoteID, change NoteChange, check Check[Note]) (Note, error) {
	var note Note
	err := s.db.Update(ctx, func(tx *db.Tx) error {
		old, err := lockNote(ctx, tx, owner, id, check)
		if err != nil {
			return err
		}
		if note, err = applyNote(change, old); err != nil {
			return err
		}
		note.UpdatedAt = s.clock()
		if change.Account.Set && note.Account != nil {
			if err := s.options.Known.Account(ctx, tx, owner, *note.Account); err != nil {
				return reference("account_id", err)
			}
		}
		if err := checkNoteBytes(ctx, tx, owner, note.bytes()-old.bytes()); err != nil {
			return err
		}
		if err := updateNote(ctx, tx, owner, note); err != nil {
			return err
		}
		if change.Trade.Set {
			if err := loadOrphanLink(ctx, tx, owner, &old); err != nil {
				return err
			}
			if err := s.linkNote(ctx, tx, owner, note); err != nil {
				return err
			}
		}
		if err := s.reportLinked(ctx, tx, owner, old.Trade, note.Trade); err != nil {
			return err
		}
		if err := findTradeAccount(ctx, tx, owner, &note); err != nil {
			return err
		}
		noteHistory.Updated(tx, owner, &old, &note)
		return recordNotes(ctx, tx, owner, note.ID)
	})
	return note, err
}

// updateNote writes everything but the link to a trade.
func updateNote(ctx context.Context, tx *db.Tx, owner journal.UserID, n Note) error {
	_, err := tx.Exec(ctx, noteTable.Update(), noteTable.UpdateValues(owner, &n)...)
	return err
}

func (s *noteStore) linkNote(ctx context.Context, tx *db.Tx, owner journal.UserID, note Note) error {
	if err := s.anchorNote(ctx, tx, owner, note); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `UPDATE notes SET trade_id = $1 WHERE user_id = $2 AND id = $3`, note.Trade, owner, note.ID)
	return err
}

// DeleteNote deletes a note with its attachments.
func (s *noteStore) DeleteNote(ctx context.Context, owner journal.UserID, id journal.NoteID, check Check[Note]) error {
	var files []journal.AttachmentID
	err := s.db.Update(ctx, func(tx *db.Tx) error {
		note, err := lockNote(ctx, tx, owner, id, check)
		if err != nil {
			return err
		}
		files, err = db.List(ctx, tx, db.Single[journal.AttachmentID],
			`SELECT id FROM attachments WHERE user_id = $1 AND note_id = $2 ORDER BY id`, owner, id)
		if err != nil {
			return err
		}
		if err := loadOrphanLink(ctx, tx, owner, &note); err != nil {
			return err
		}
		if err := findTradeAccount(ctx, tx, owner, &note); err != nil {
			return err
		}
		noteHistory.DeletedWith(tx, owner, &note, countFiles(len(files)))
		if err := history.Keep(ctx, tx, owner, "notes", `id = $2`, id); err != nil {
			return err
		}
		if err := keepAttachments(ctx, tx, owner, s.clock(), `note_id = $2`, id); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `DELETE FROM notes WHERE user_id = $1 AND id = $2`, owner, id); err != nil {
			return err
		}
		if err := s.reportLinked(ctx, tx, owner, note.Trade); err != nil {
			return err
		}
		return recordNotes(ctx, tx, owner, id)
	})
	if err != nil {
		return err
	}
	s.files.RemoveFiles(ctx, owner, files)
	return nil
}
