package routine

import (
	"slices"
	"testing"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
)

func (f fixture) storedTemplate() (lines []string, set bool) {
	f.Helper()
	f.must(f.db.View(f.Context(), func(tx *db.Tx) (err error) {
		lines, set, err = ReadStoredTemplate(f.Context(), tx, f.owner)
		return err
	}))
	return lines, set
}

func (f fixture) restoreTemplate(lines ...string) (done bool, err error) {
	f.Helper()
	err = f.db.Update(f.Context(), func(tx *db.Tx) error {
		done, err = RestoreTemplate(f.Context(), tx, f.owner, lines, time.Unix(0, 0))
		return err
	})
	return done, err
}

// A template, even an empty one, is restored only if the
// user has set none.
func TestTemplateRoundTrip(t *testing.T) {
	eachEngine(t, func(f fixture) {
		f.owner = newUser(f.T, f.db) // who has set none
		if lines, set := f.storedTemplate(); set || lines != nil {
			f.Errorf("the template %q is reported as set", lines)
		}
		if _, err := f.restoreTemplate("fine", " "); !journal.IsKind(err, journal.KindInvalid) {
			f.Errorf("a blank line: %v", err)
		}
		if done, err := f.restoreTemplate(" breathe ", "look"); !done || err != nil {
			f.Errorf("restored %v, %v", done, err)
		}
		if done, err := f.restoreTemplate("other"); done || err != nil {
			f.Errorf("restored again %v, %v", done, err)
		}
		if lines, set := f.storedTemplate(); !set || !slices.Equal(lines, []string{"breathe", "look"}) {
			f.Errorf("stored %q, %v", lines, set)
		}
		other := f
		other.owner = newUser(f.T, f.db)
		if done, err := other.restoreTemplate(); !done || err != nil {
			f.Errorf("an empty one: %v, %v", done, err)
		}
		if lines, set := other.storedTemplate(); !set || len(lines) != 0 {
			f.Errorf("stored %q, %v", lines, set)
		}
	})
}
