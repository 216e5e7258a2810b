package httpapi

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json"

	"fillbook/internal/base/db"
	"fillbook/internal/base/fields"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/playbook"
	"fillbook/internal/trading/tradefilter"
	"fillbook/internal/transport"
)

// moment is a day or a date-time in a request. It is returned in the form it was
// sent.
type moment struct{ playbook.Moment }

// UnmarshalJSON accepts either form.
func (m *moment) UnmarshalJSON(text []byte) error {
	var value string
	if err := json.Unmarshal(text, &value); err != nil {
		return err
	}
	parsed, err := playbook.ParseMoment("occurred_at", value)
	m.Moment = parsed
	return err
}

// Wanted describes the accepted values, for the error message.
func (moment) Wanted() string { return "a day such as 2026-01-31 or a date and time" }

// Schema describes the text.
func (moment) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Description: "A day (2026-01-31) or a date-time; returned in the form it was sent."}
}

func noteTag(n playbook.Note) any { return n }

// SentNote are a note's values in a request.
type SentNote = playbook.NoteMembers[
	opt[playbook.NoteType], opt[moment], opt[string], opt[string], opt[[]symbolNoteFields], opt[journal.AccountID], opt[journal.TradeID],
]

type noteFields struct{ SentNote }

// TransformSchema describes what a request must have.
func (noteFields) TransformSchema(_ huma.Registry, schema *huma.Schema) *huma.Schema {
	return requireOnly(schema)
}

func (f noteFields) change() playbook.NoteChange {
	return fields.CopyTo[playbook.NoteChange](&f.SentNote)
}

// symbolNoteFields is a playbook.SymbolNote whose text may be left out.
type symbolNoteFields struct {
	Symbol string `json:"symbol"`
	Body   string `json:"body" required:"false"`
}

type noteQuery struct {
	ScopeInput
	Paging
	Type    []playbook.NoteType `query:"type,explode" doc:"Only notes of these types."`
	TradeID journal.TradeID     `query:"trade_id" doc:"Only notes about this trade."`
	Q       string              `query:"q" doc:"Words, each the beginning of a word in the title, the text or the symbols of the note, in any case. All must be found."`
}

func noteRoute(needs permission, method, path, id, summary string) route {
	r := journalRoute(needs, method, "/notes"+path, id, "Notes", summary)
	r.repeated = append([]string{"type"}, repeatable...)
	return r
}

// noteAPI has the operations on notes.
type noteAPI struct {
	db       *db.DB
	playbook *playbook.Service
}

func (a noteAPI) register(api *API) {
	registerList(api, allowLongAnswer(noteRoute(readJournal, http.MethodGet, "", "listNotes", "List notes, newest first")), a.listNotes)
	register(api, noteRoute(writeJournal, http.MethodPost, "", "createNote", "Write a note, a daily log or a weekly review"),
		func(ctx context.Context, in *body[noteFields]) (*body[playbook.Note], error) {
			create := a.playbook.CreateNote
			if isByAssistant(ctx) {
				create = a.playbook.CreateNoteByApp
			}
			created, err := create(ctx, caller(ctx).UserID, in.Body.change())
			return answer(created, err)
		})
	register(api, noteRoute(readJournal, http.MethodGet, "/{id}", "getNote", "Read a note"),
		func(ctx context.Context, in *ByID[journal.NoteID]) (*body[playbook.Note], error) {
			found, err := a.playbook.Note(ctx, caller(ctx).UserID, in.ID)
			return answer(found, err)
		})
	register(api, noteRoute(writeJournal, http.MethodPatch, "/{id}", "changeNote", "Change a note"),
		func(ctx context.Context, in *ChangeOf[journal.NoteID, noteFields]) (*body[playbook.Note], error) {
			changed, err := a.playbook.ChangeNote(ctx, caller(ctx).UserID, in.ID, in.Body.change(), transport.IfMatch(in.IfMatch, noteTag))
			return answer(changed, err)
		})
	register(api, noteRoute(writeJournal, http.MethodDelete, "/{id}", "deleteNote", "Delete a note with its attachments"),
		func(ctx context.Context, in *DeleteOf[journal.NoteID]) (*nothing, error) {
			return nil, a.playbook.DeleteNote(ctx, caller(ctx).UserID, in.ID, transport.IfMatch(in.IfMatch, noteTag))
		})
}

func (a noteAPI) listNotes(ctx context.Context, in *noteQuery) (*listing[playbook.Note], error) {
	scope, err := in.scope()
	if err != nil {
		return nil, err
	}
	types, err := noteTypes(in.Type)
	if err != nil {
		return nil, err
	}
	filter := playbook.NoteFilter{Period: scope.Period, Account: scope.Accounts, Types: types, Trade: in.TradeID}
	if in.Q != "" {
		if filter.Words, err = tradefilter.ParseWords("q", in.Q); err != nil {
			return nil, err
		}
	}
	at, err := in.playbookPage()
	if err != nil {
		return nil, err
	}
	var notes []playbook.Note
	var total int
	err = viewAccounts(ctx, a.db, scope.Accounts, func(tx *db.Tx) (err error) {
		notes, total, err = a.playbook.ReadNotePage(ctx, tx, caller(ctx).UserID, filter, at)
		return err
	})
	if err != nil {
		return nil, err
	}
	return newListing(&in.Paging, notes, total, keepShape, func(n playbook.Note) []string {
		return timeKeys(n.OccurredAt.At, string(n.ID))
	}), nil
}

func noteTypes(given []playbook.NoteType) ([]playbook.NoteType, error) {
	types, err := splitList[playbook.NoteType]("type", toStrings(given))
	for _, t := range types {
		if t != playbook.PlainNote && t != playbook.DailyLog && t != playbook.WeeklyReview {
			return nil, journal.InvalidField("type", "type must be note, daily_log or weekly_review.")
		}
	}
	return types, err
}
