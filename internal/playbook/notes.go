package playbook

import (
	"context"
	"encoding/json"
	"time"

	"fillbook/internal/db"
	"fillbook/internal/journal"
)

// NoteType is the kind of a note.
type NoteType string

// The types of notes.
const (
	PlainNote    NoteType = "note"
	DailyLog     NoteType = "daily_log"
	WeeklyReview NoteType = "weekly_review"
)

// Note is a text of its own: a thought, the log of a day, the review of a week.
type Note struct {
	ID                   journal.NoteID
	Type                 NoteType
	OccurredAt           Moment
	Title                string
	Body                 string // Markdown
	Symbols              []SymbolNote
	Account              *journal.AccountID
	Trade                *journal.TradeID // nil also while the trade has no fill left
	CreatedAt, UpdatedAt time.Time
}

// SymbolNote is the part of a note about one symbol.
type SymbolNote struct {
	Symbol string `json:"symbol"`
	Body   string `json:"body"`
}

// Moment is an instant or a whole calendar day, and gives back which of the two
// it was given. A day is compared as its midnight in UTC.
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

// String writes the moment as the kind it was given.
func (m Moment) String() string {
	if m.WholeDay {
		return string(m.Day())
	}
	return journal.FormatInstant(m.At)
}

// Day returns the calendar day of a moment in UTC.
func (m Moment) Day() journal.Day { return journal.DayOf(m.At.UTC()) }

// DayIn returns the calendar day of a moment in a zone. A moment that is a whole
// day is that day everywhere.
func (m Moment) DayIn(zone *time.Location) journal.Day {
	if m.WholeDay {
		return m.Day()
	}
	return journal.DayOf(m.At.In(zone))
}

// NoteChange is a change of a note.
type NoteChange struct {
	Type        journal.Opt[NoteType]
	OccurredAt  journal.Opt[Moment]
	Title, Body journal.Opt[string]
	Symbols     journal.Opt[[]SymbolNote]
	Account     journal.Opt[journal.AccountID]
	Trade       journal.Opt[journal.TradeID]
}

// maxSymbols is how many symbols a note may speak of.
const maxSymbols = 200

// apply returns the note after the change, or the reason why it is invalid. Whether
// the account and the trade exist is not its business.
func (c NoteChange) apply(note Note) (Note, error) {
	var err error
	if note.Type, err = noteType(c.Type.Or(note.Type)); err != nil {
		return Note{}, err
	}
	if c.OccurredAt.Null {
		return Note{}, journal.InvalidField("occurred_at", "occurred_at must be a day or a date and time.")
	}
	note.OccurredAt = c.OccurredAt.Or(note.OccurredAt)
	if note.Title, err = journal.CleanName("title", c.Title.Or(note.Title)); err != nil {
		return Note{}, err
	}
	if note.Body, err = journal.CheckText("body", c.Body.Or(note.Body)); err != nil {
		return Note{}, err
	}
	if note.Symbols, err = symbolNotes(c.Symbols.Or(note.Symbols)); err != nil {
		return Note{}, err
	}
	note.Account = c.Account.OrNil(note.Account)
	note.Trade = c.Trade.OrNil(note.Trade)
	return note, note.checkContent()
}

func noteType(t NoteType) (NoteType, error) {
	switch t {
	case PlainNote, DailyLog, WeeklyReview:
		return t, nil
	case "":
		return PlainNote, nil
	}
	return "", journal.InvalidField("type", "type must be note, daily_log or weekly_review.")
}

// checkContent demands something to read.
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

// CreateNote creates a note. Without an occurred_at a log or review is of today
// and a plain note of now. An account that is not the owner's is not found; a
// trade that is not the owner's is a wrong field.
func (s *Service) CreateNote(ctx context.Context, owner journal.UserID, change NoteChange) (Note, error) {
	note, err := newNote(change, s.clock())
	if err != nil {
		return Note{}, err
	}
	err = s.db.Update(ctx, func(tx *db.Tx) error {
		if note.Account != nil {
			if err := s.options.Known.Account(ctx, tx, owner, *note.Account); err != nil {
				return err
			}
		}
		if err := s.anchorNote(ctx, tx, owner, note); err != nil {
			return err
		}
		return insertNote(ctx, tx, owner, note)
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
	return change.apply(Note{ID: journal.NewID[journal.NoteID](), OccurredAt: occurred, CreatedAt: now, UpdatedAt: now})
}

// anchorNote ensures that the trade that a note is linked to exists and has
// the row of annotations that links refer to.
func (s *Service) anchorNote(ctx context.Context, tx *db.Tx, owner journal.UserID, note Note) error {
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
	return missing("account_id", err)
}

func (n Note) symbolsText() string {
	text, _ := json.Marshal(n.Symbols) // strings always marshal
	return string(text)
}

// ChangeNote changes what is sent. An account or trade that is not the owner's
// is a wrong field.
func (s *Service) ChangeNote(ctx context.Context, owner journal.UserID, id journal.NoteID, change NoteChange, check Check[Note]) (Note, error) {
	var note Note
	err := s.db.Update(ctx, func(tx *db.Tx) error {
		old, err := lockNote(ctx, tx, owner, id, check)
		if err != nil {
			return err
		}
		if note, err = change.apply(old); err != nil {
			return err
		}
		note.UpdatedAt = s.clock()
		if change.Account.Set && note.Account != nil {
			if err := s.options.Known.Account(ctx, tx, owner, *note.Account); err != nil {
				return reference("account_id", err)
			}
		}
		if err := updateNote(ctx, tx, owner, note); err != nil || !change.Trade.Set {
			return err
		}
		return s.linkNote(ctx, tx, owner, note)
	})
	return note, err
}

// updateNote writes everything but the link to a trade.
func updateNote(ctx context.Context, tx *db.Tx, owner journal.UserID, n Note) error {
	_, err := tx.Exec(ctx, noteTable.Update(), noteTable.UpdateValues(owner, &n)...)
	return err
}

func (s *Service) linkNote(ctx context.Context, tx *db.Tx, owner journal.UserID, note Note) error {
	if err := s.anchorNote(ctx, tx, owner, note); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `UPDATE notes SET trade_id = $1 WHERE user_id = $2 AND id = $3`, note.Trade, owner, note.ID)
	return err
}

// DeleteNote deletes a note with its attachments.
func (s *Service) DeleteNote(ctx context.Context, owner journal.UserID, id journal.NoteID, check Check[Note]) error {
	var files []journal.AttachmentID
	err := s.db.Update(ctx, func(tx *db.Tx) error {
		if _, err := lockNote(ctx, tx, owner, id, check); err != nil {
			return err
		}
		var err error
		files, err = db.List(ctx, tx, db.Single[journal.AttachmentID],
			`SELECT id FROM attachments WHERE user_id = $1 AND note_id = $2 ORDER BY id`, owner, id)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `DELETE FROM notes WHERE user_id = $1 AND id = $2`, owner, id)
		return err
	})
	if err != nil {
		return err
	}
	s.RemoveFiles(ctx, owner, files)
	return nil
}
