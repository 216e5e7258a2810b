package backup

import (
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/playbook"
)

// NoteTemplate is a note template.
type NoteTemplate struct {
	Name      string  `json:"name"`
	Type      string  `json:"type"`
	Body      string  `json:"body"`
	Default   bool    `json:"default,omitzero"`
	CreatedAt Instant `json:"created_at,omitzero"`
}

func (e *exporter) writeNoteTemplates() error {
	return e.list("note_templates", func() error {
		return playbook.EachNoteTemplate(e.ctx, e.tx, e.owner, func(t playbook.NoteTemplate) error {
			return e.element(NoteTemplate{Name: t.Name, Type: string(t.Type), Body: t.Body, Default: t.Default, CreatedAt: Instant{t.CreatedAt}})
		})
	})
}

// restoreNoteTemplates adds the templates whose names are not taken.
func (r *playbookRestorer) restoreNoteTemplates() error {
	list := make([]playbook.NewNoteTemplate, len(r.Document.NoteTemplates))
	for i, t := range r.Document.NoteTemplates {
		list[i] = playbook.NewNoteTemplate{CreatedAt: t.CreatedAt.instantOr(r.now), NoteTemplateChange: playbook.NoteTemplateChange{
			Name: journal.Some(t.Name), Type: journal.Some(playbook.NoteType(t.Type)), Body: journal.Some(t.Body), Default: journal.Some(t.Default),
		}}
	}
	done, err := playbook.RestoreNoteTemplates(r.ctx, r.tx, r.Owner, list)
	if err != nil {
		return err
	}
	r.result.NoteTemplates, err = countChanged(r.restorer, "Note template", done, nil)
	return err
}
