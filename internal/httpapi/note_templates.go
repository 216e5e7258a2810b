package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"fillbook/internal/base/journal"
	"fillbook/internal/trading/playbook"
	"fillbook/internal/transport"
)

// noteTemplate is a template as the API shows it.
type noteTemplate struct {
	ID        journal.NoteTemplateID `json:"id"`
	Name      string                 `json:"name"`
	Type      playbook.NoteType      `json:"type" enum:"note,daily_log,weekly_review" doc:"The type of the notes that start from it."`
	Body      string                 `json:"body" doc:"Markdown with placeholders such as {{date}}, which the client fills in."`
	Default   bool                   `json:"default" doc:"Whether new notes of the type start from it; true for at most one of a type."`
	CreatedAt time.Time              `json:"created_at"`
	UpdatedAt time.Time              `json:"updated_at"`
}

func shapeNoteTemplate(t playbook.NoteTemplate) noteTemplate { return noteTemplate(t) }

func noteTemplateTag(t playbook.NoteTemplate) any { return shapeNoteTemplate(t) }

type noteTemplateFields struct {
	Name    opt[string]            `json:"name"`
	Type    opt[playbook.NoteType] `json:"type" enum:"note,daily_log,weekly_review" doc:"Default of a new template: note."`
	Body    opt[string]            `json:"body" doc:"Markdown with placeholders."`
	Default opt[bool]              `json:"default" doc:"true makes it the only default of its type."`
}

// TransformSchema describes what a request must have.
func (noteTemplateFields) TransformSchema(_ huma.Registry, schema *huma.Schema) *huma.Schema {
	return requireOnly(schema, "name", "body")
}

func (f noteTemplateFields) change() playbook.NoteTemplateChange {
	return playbook.NoteTemplateChange{Name: f.Name.Opt, Body: f.Body.Opt, Type: f.Type.Opt, Default: f.Default.Opt}
}

func noteTemplateRoute(needs permission, method, path, id, summary string) route {
	return journalRoute(needs, method, "/note-templates"+path, id, "Notes", summary)
}

// noteTemplateAPI has the operations on note templates.
type noteTemplateAPI struct {
	playbook *playbook.Service
}

func (a noteTemplateAPI) register(api *API) {
	registerList(api, noteTemplateRoute(readJournal, http.MethodGet, "", "listNoteTemplates", "List the templates of notes by name"),
		func(ctx context.Context, in *Paging) (*listing[noteTemplate], error) {
			list, err := a.playbook.NoteTemplates(ctx, caller(ctx).UserID)
			if err != nil {
				return nil, err
			}
			return paginate(in, list, shapeNoteTemplate, func(t playbook.NoteTemplate) string { return string(t.ID) })
		})
	register(api, noteTemplateRoute(writeJournal, http.MethodPost, "", "createNoteTemplate", "Create a template; names are unique regardless of case"),
		func(ctx context.Context, in *body[noteTemplateFields]) (*body[noteTemplate], error) {
			created, err := a.playbook.CreateNoteTemplate(ctx, caller(ctx).UserID, in.Body.change())
			return answer(shapeNoteTemplate(created), err)
		})
	register(api, noteTemplateRoute(readJournal, http.MethodGet, "/{id}", "getNoteTemplate", "Read a template"),
		func(ctx context.Context, in *ByID[journal.NoteTemplateID]) (*body[noteTemplate], error) {
			found, err := a.playbook.NoteTemplate(ctx, caller(ctx).UserID, in.ID)
			return answer(shapeNoteTemplate(found), err)
		})
	register(api, noteTemplateRoute(writeJournal, http.MethodPatch, "/{id}", "changeNoteTemplate", "Change a template"),
		func(ctx context.Context, in *ChangeOf[journal.NoteTemplateID, noteTemplateFields]) (*body[noteTemplate], error) {
			check := transport.IfMatch(in.IfMatch, noteTemplateTag)
			changed, err := a.playbook.ChangeNoteTemplate(ctx, caller(ctx).UserID, in.ID, in.Body.change(), check)
			return answer(shapeNoteTemplate(changed), err)
		})
	register(api, noteTemplateRoute(writeJournal, http.MethodDelete, "/{id}", "deleteNoteTemplate", "Delete a template; notes that started from it stay"),
		func(ctx context.Context, in *DeleteOf[journal.NoteTemplateID]) (*nothing, error) {
			return nil, a.playbook.DeleteNoteTemplate(ctx, caller(ctx).UserID, in.ID, transport.IfMatch(in.IfMatch, noteTemplateTag))
		})
}
