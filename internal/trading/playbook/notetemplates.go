package playbook

import (
	"cmp"
	"context"
	"errors"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/fields"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/limits"
)

// NoteTemplate is a text that one type of note starts from. Its placeholders, such as
// {{date}}, are filled in by the client starting the note. Its name is unique among the
// owner's templates without regard to case.
type NoteTemplate struct {
	ID   journal.NoteTemplateID
	Name string
	Type NoteType
	Body string
	// Default reports that new notes with its type start from it. At most one template
	// for a type is the default.
	Default   bool
	CreatedAt time.Time
	UpdatedAt time.Time
}

// NoteTemplateChange is a change to a template. A new template needs a name and a body;
// its type is [PlainNote] by default.
type NoteTemplateChange struct {
	Name, Body journal.Opt[string]
	Type       journal.Opt[NoteType]
	Default    journal.Opt[bool]
}

// apply returns the template after a change, or the reason why it is invalid.
func (c *NoteTemplateChange) apply(t NoteTemplate) (NoteTemplate, error) {
	var err error
	if t.Name, err = journal.CleanRequiredName("name", c.Name.Or(t.Name)); err != nil {
		return NoteTemplate{}, err
	}
	if t.Body, err = journal.CheckText("body", c.Body.Or(t.Body)); err != nil {
		return NoteTemplate{}, err
	}
	if journal.IsBlank(t.Body) {
		return NoteTemplate{}, journal.InvalidField("body", "body must not be empty.")
	}
	t.Type, t.Default = cmp.Or(c.Type.Or(t.Type), PlainNote), c.Default.Or(t.Default)
	return t, checkKnownNoteType(t.Type)
}

var noteTemplateTable = fields.New("note_templates",
	fields.List[NoteTemplate]{fields.NewID("id", func(t *NoteTemplate) *journal.NoteTemplateID { return &t.ID })},
	fields.List[NoteTemplate]{
		fields.NewText("name", func(t *NoteTemplate) *string { return &t.Name }),
		fields.NewDerived("name_key", func(t *NoteTemplate) string { return nameKey(t.Name) }),
		fields.NewText("type", func(t *NoteTemplate) *NoteType { return &t.Type }),
		fields.NewText("body", func(t *NoteTemplate) *string { return &t.Body }),
		fields.NewFlag("is_default", func(t *NoteTemplate) *bool { return &t.Default }),
		fields.NewTime("created_at", func(t *NoteTemplate) *time.Time { return &t.CreatedAt }).Freeze(),
		fields.NewTime("updated_at", func(t *NoteTemplate) *time.Time { return &t.UpdatedAt }),
	},
)

var selectNoteTemplates = noteTemplateTable.Select("t")

func scanNoteTemplate(row db.Scanner) (t NoteTemplate, err error) {
	err = noteTemplateTable.Scan(row, &t)
	return t, err
}

// NoteTemplates lists the owner's templates by name.
func (s *noteStore) NoteTemplates(ctx context.Context, owner journal.UserID) ([]NoteTemplate, error) {
	return db.Get(ctx, s.db.Peek, func(tx *db.Tx) ([]NoteTemplate, error) { return ListNoteTemplates(ctx, tx, owner) })
}

// ListNoteTemplates is [Service.NoteTemplates] as a step.
func ListNoteTemplates(ctx context.Context, tx *db.Tx, owner journal.UserID) ([]NoteTemplate, error) {
	return db.List(ctx, tx, scanNoteTemplate, selectNoteTemplates+` WHERE t.user_id = $1 ORDER BY t.name_key, t.id`, owner)
}

// NoteTemplate returns one template.
func (s *noteStore) NoteTemplate(ctx context.Context, owner journal.UserID, id journal.NoteTemplateID) (NoteTemplate, error) {
	return db.Get(ctx, s.db.Peek, func(tx *db.Tx) (NoteTemplate, error) { return readNoteTemplate(ctx, tx, owner, id, "") })
}

func readNoteTemplate(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.NoteTemplateID, lock string) (NoteTemplate, error) {
	t, err := scanNoteTemplate(tx.QueryRow(ctx, selectNoteTemplates+` WHERE t.user_id = $1 AND t.id = $2`+lock, owner, id))
	return t, db.NotFound(err, "template")
}

// CreateNoteTemplate creates a template. A taken name is a conflict.
func (s *noteStore) CreateNoteTemplate(ctx context.Context, owner journal.UserID, change NoteTemplateChange) (t NoteTemplate, err error) {
	err = s.db.Update(ctx, func(tx *db.Tx) error {
		var created bool
		if t, created, err = insertNoteTemplate(ctx, tx, owner, s.clock(), change); err == nil && !created {
			err = templateTaken(t.Name)
		}
		templateHistory.Created(tx, owner, &t)
		return err
	})
	return t, err
}

// insertNoteTemplate inserts a template unless its name is taken, and reports whether
// it did.
func insertNoteTemplate(
	ctx context.Context, tx *db.Tx, owner journal.UserID, now time.Time, change NoteTemplateChange,
) (t NoteTemplate, created bool, err error) {
	t, err = change.apply(NoteTemplate{ID: journal.NewID[journal.NoteTemplateID](), CreatedAt: now, UpdatedAt: now})
	if err != nil {
		return t, false, err
	}
	var count, taken int
	err = tx.QueryRow(ctx, `SELECT COUNT(*), COUNT(CASE WHEN name_key = $2 THEN 1 END) FROM note_templates WHERE user_id = $1`,
		owner, nameKey(t.Name)).Scan(&count, &taken)
	if err != nil || taken > 0 {
		return t, false, err
	}
	if count >= limits.NoteTemplates.Max {
		return t, false, limits.NoteTemplates.Reached()
	}
	n, err := tx.Exec(ctx, noteTemplateTable.Insert()+` ON CONFLICT (user_id, name_key) DO NOTHING`, noteTemplateTable.Values(owner, &t)...)
	if err != nil || n == 0 {
		return t, false, err
	}
	return t, true, clearOtherDefaults(ctx, tx, owner, t)
}

// clearOtherDefaults leaves one default for the type, if this template is one.
func clearOtherDefaults(ctx context.Context, tx *db.Tx, owner journal.UserID, t NoteTemplate) error {
	if !t.Default {
		return nil
	}
	others, err := db.List(ctx, tx, scanNoteTemplate,
		selectNoteTemplates+` WHERE t.user_id = $1 AND t.type = $2 AND t.id <> $3 AND t.is_default ORDER BY t.id`, owner, t.Type, t.ID)
	if err != nil {
		return err
	}
	for _, before := range others {
		after := before
		after.Default = false
		templateHistory.Updated(tx, owner, &before, &after)
	}
	_, err = tx.Exec(ctx, `UPDATE note_templates SET is_default = $1 WHERE user_id = $2 AND type = $3 AND id <> $4 AND is_default`,
		false, owner, t.Type, t.ID)
	return err
}

func templateTaken(name string) error {
	return journal.Conflict("There is already a template called %s.", name)
}

// ChangeNoteTemplate changes what is sent.
func (s *noteStore) ChangeNoteTemplate(
	ctx context.Context, owner journal.UserID, id journal.NoteTemplateID, change NoteTemplateChange, check Check[NoteTemplate],
) (t NoteTemplate, err error) {
	err = s.db.Update(ctx, func(tx *db.Tx) error {
		old, err := lockNoteTemplate(ctx, tx, owner, id, check)
		if err != nil {
			return err
		}
		if t, err = change.apply(old); err != nil {
			return err
		}
		t.UpdatedAt = s.clock()
		templateHistory.Updated(tx, owner, &old, &t)
		_, err = tx.Exec(ctx, noteTemplateTable.Update(), noteTemplateTable.UpdateValues(owner, &t)...)
		if errors.Is(err, db.ErrConflict) {
			return templateTaken(t.Name)
		}
		if err != nil {
			return err
		}
		return clearOtherDefaults(ctx, tx, owner, t)
	})
	return t, err
}

// DeleteNoteTemplate deletes a template. Notes that started from it stay.
func (s *noteStore) DeleteNoteTemplate(ctx context.Context, owner journal.UserID, id journal.NoteTemplateID, check Check[NoteTemplate]) error {
	return s.db.Update(ctx, func(tx *db.Tx) error {
		t, err := lockNoteTemplate(ctx, tx, owner, id, check)
		if err != nil {
			return err
		}
		templateHistory.Deleted(tx, owner, &t)
		if err := history.Keep(ctx, tx, owner, "note_templates", `id = $2`, id); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `DELETE FROM note_templates WHERE user_id = $1 AND id = $2`, owner, id)
		return err
	})
}

// lockNoteTemplate reads a template that is about to change and calls check with it.
func lockNoteTemplate(
	ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.NoteTemplateID, check Check[NoteTemplate],
) (NoteTemplate, error) {
	return check.apply(readNoteTemplate(ctx, tx, owner, id, tx.Lock()))
}

// NewNoteTemplate is a template to be restored, with the instant at which it was created.
type NewNoteTemplate struct {
	NoteTemplateChange
	CreatedAt time.Time
}

// RestoreNoteTemplates creates a backup's templates, except those whose names are taken.
// It is a step. A type with a default keeps it.
func RestoreNoteTemplates(
	ctx context.Context, tx *db.Tx, owner journal.UserID, list []NewNoteTemplate,
) ([]Restored[journal.NoteTemplateID], error) {
	if len(list) == 0 {
		return nil, nil
	}
	taken, hasDefault := map[string]journal.NoteTemplateID{}, map[NoteType]bool{}
	err := db.Each(ctx, tx, func(row db.Scanner) error {
		var key string
		var t NoteTemplate
		err := row.Scan(&key, &t.ID, &t.Type, &t.Default)
		taken[key] = t.ID
		hasDefault[t.Type] = hasDefault[t.Type] || t.Default
		return err
	}, `SELECT name_key, id, type, is_default FROM note_templates WHERE user_id = $1 ORDER BY name_key`, owner)
	if err != nil {
		return nil, err
	}
	out := make([]Restored[journal.NoteTemplateID], len(list))
	var fresh []NoteTemplate
	for i, in := range list {
		t, err := in.apply(NoteTemplate{ID: journal.NewID[journal.NoteTemplateID](), CreatedAt: in.CreatedAt, UpdatedAt: in.CreatedAt})
		if err != nil {
			out[i].Err = err
			continue
		}
		if id, found := taken[nameKey(t.Name)]; found {
			out[i].ID = id
			continue
		}
		if len(taken) >= limits.NoteTemplates.Max {
			out[i].Err = limits.NoteTemplates.Reached()
			continue
		}
		t.Default = t.Default && !hasDefault[t.Type]
		hasDefault[t.Type] = hasDefault[t.Type] || t.Default
		taken[nameKey(t.Name)], out[i] = t.ID, Restored[journal.NoteTemplateID]{ID: t.ID, Changed: true}
		fresh = append(fresh, t)
	}
	_, err = insertRows(ctx, tx, noteTemplateTable.Name, noteTemplateTable.Columns(), "", fresh,
		func(t *NoteTemplate) []any { return noteTemplateTable.Values(owner, t) })
	if errors.Is(err, db.ErrConflict) {
		err = journal.Conflict("Another request created one of the templates. Try again.")
	}
	recordBrought(tx, owner, templateHistory, fresh)
	return out, err
}
