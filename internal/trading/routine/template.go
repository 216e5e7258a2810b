package routine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"fillbook/internal/base/db"
	"fillbook/internal/base/fields"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
)

// maxTemplate is how many lines a template can have.
const maxTemplate = 100

// builtInTemplate is the template for users who have set none.
var builtInTemplate = []string{
	"Check the economic calendar",
	"Review open positions and stops",
	"Mark the key levels",
	"Write down the plan for the session",
	"Set the maximum loss for the day",
}

// Template returns the lines the first items are created from: those the user set, or the
// built-in ones.
func (s *Service) Template(ctx context.Context, owner journal.UserID) ([]string, error) {
	return db.Get(ctx, s.db.Peek, func(tx *db.Tx) ([]string, error) { return readTemplate(ctx, tx, owner) })
}

func readTemplate(ctx context.Context, tx *db.Tx, owner journal.UserID) ([]string, error) {
	var text string
	err := tx.QueryRow(ctx, `SELECT items FROM checklist_templates WHERE user_id = $1`, owner).Scan(&text)
	if errors.Is(err, db.ErrNoRows) {
		return slices.Clone(builtInTemplate), nil
	}
	if err != nil {
		return nil, err
	}
	lines := []string{}
	if err := json.Unmarshal([]byte(text), &lines); err != nil {
		return nil, fmt.Errorf("parsing the stored template of user number %d: %w", owner, err)
	}
	return lines, nil
}

// SetTemplate replaces the template. Existing items do not
// change. check, if not nil, is called with the stored template
// first and may return an error.
func (s *Service) SetTemplate(ctx context.Context, owner journal.UserID, lines []string, check func([]string) error) ([]string, error) {
	clean, err := cleanTemplate(lines)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(clean)
	if err != nil {
		return nil, err
	}
	err = s.db.Update(ctx, func(tx *db.Tx) error {
		if err := s.lockTemplate(ctx, tx, owner); err != nil {
			return err
		}
		stored, err := readTemplate(ctx, tx, owner)
		if err != nil {
			return err
		}
		if err := runCheck(check, stored); err != nil {
			return err
		}
		history.Describe(tx, owner, history.Description{Action: history.Settings, Summary: "Changed the routine template"})
		recordTemplate(tx, owner, stored, clean)
		_, err = tx.Exec(ctx, `UPDATE checklist_templates SET items = $1, updated_at = $2 WHERE user_id = $3`,
			string(text), db.Micros(s.clock()), owner)
		return err
	})
	return clean, err
}

func recordTemplate(tx *db.Tx, owner journal.UserID, before, after []string) {
	history.Record(tx, owner, history.Object{Type: "routine_template", Action: history.Updated, Fields: []history.Field{{
		Name: "items", Before: fields.ShowValue(fields.ShowList(before)), After: fields.ShowValue(fields.ShowList(after)),
	}}})
}

// cleanTemplate cleans the lines by the item title rules.
func cleanTemplate(lines []string) ([]string, error) {
	if len(lines) > maxTemplate {
		return nil, journal.InvalidField("items", "A template has at most %d items.", maxTemplate)
	}
	clean := []string{}
	for _, line := range lines {
		title, err := journal.CleanRequiredName("items", line)
		if err != nil {
			return nil, err
		}
		clean = append(clean, title)
	}
	return clean, nil
}

// lockTemplate inserts the built-in template if
// the user has none, and locks the row.
func (s *Service) lockTemplate(ctx context.Context, tx *db.Tx, owner journal.UserID) error {
	text, err := json.Marshal(builtInTemplate)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `
		INSERT INTO checklist_templates (user_id, items, updated_at) VALUES ($1, $2, $3)
		ON CONFLICT (user_id) DO NOTHING`, owner, string(text), db.Micros(s.clock()))
	if errors.Is(err, db.ErrMissing) {
		return journal.NotFound("user")
	}
	if err != nil {
		return err
	}
	var at int64
	return tx.QueryRow(ctx, `SELECT updated_at FROM checklist_templates WHERE user_id = $1`+tx.Lock(), owner).Scan(&at)
}
