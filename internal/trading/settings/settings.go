// Package settings stores a user's journal settings: what the server itself must know,
// in contrast to preferences, which only clients read.
package settings

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/fields"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/strategies"
	"fillbook/internal/trading/tradefilter"
)

// Journal are a user's journal settings. The zero value has the defaults.
type Journal struct {
	// Timezone is an IANA name, or empty.
	Timezone string
	// Tolerance is the JSON that [tradefilter.ParseTolerance] parses, or nil.
	Tolerance json.RawMessage
	// Detection is what the detection of strategies does; empty for the default.
	Detection strategies.Mode
}

// Location returns the time zone, or nil if none.
func (j Journal) Location() *time.Location {
	zone, err := journal.ParseZone("timezone", j.Timezone)
	if err != nil {
		return nil
	}
	return zone
}

// IsEmpty reports whether every setting has its default.
func (j Journal) IsEmpty() bool { return j.Timezone == "" && j.Tolerance == nil && j.Detection == "" }

// Change is a change to the settings. What is not set stays; null clears.
type Change struct {
	Timezone  journal.Opt[string]
	Tolerance journal.Opt[json.RawMessage]
	Detection journal.Opt[strategies.Mode]
}

// apply returns the settings after a change, or the reason why it is invalid.
func (c Change) apply(j Journal) (Journal, error) {
	if c.Timezone.Set {
		j.Timezone = c.Timezone.Value
		if !c.Timezone.Null {
			if _, err := journal.ParseZone("timezone", j.Timezone); err != nil {
				return Journal{}, err
			}
		}
	}
	if c.Tolerance.Set {
		tolerance, err := parseTolerance(c.Tolerance)
		if err != nil {
			return Journal{}, err
		}
		j.Tolerance = tolerance.Stored
	}
	if c.Detection.Set {
		j.Detection = c.Detection.Value
		if !c.Detection.Null && !slices.Contains(strategies.Modes(), j.Detection) {
			return Journal{}, journal.InvalidField("detect", "detect must be off, propose or accept_strong.")
		}
	}
	return j, nil
}

func parseTolerance(value journal.Opt[json.RawMessage]) (tradefilter.Tolerance, error) {
	if value.Null {
		return tradefilter.Tolerance{}, nil
	}
	return tradefilter.ParseTolerance(value.Value)
}

// Service stores settings. It is safe for concurrent use. Each method is one
// transaction.
type Service struct{ db *db.DB }

// New returns a Service.
func New(d *db.DB) *Service { return &Service{db: d} }

// Read returns the owner's settings.
func (s *Service) Read(ctx context.Context, owner journal.UserID) (Journal, error) {
	return db.Get(ctx, s.db.Peek, func(tx *db.Tx) (Journal, error) { return Read(ctx, tx, owner) })
}

// Update changes what is set and returns the settings. check may be nil; it is called
// with the stored settings and may refuse the change.
func (s *Service) Update(ctx context.Context, owner journal.UserID, change Change, check func(Journal) error) (changed Journal, err error) {
	if _, err := change.apply(Journal{}); err != nil {
		return Journal{}, err
	}
	err = s.db.Update(ctx, func(tx *db.Tx) error {
		stored, err := lock(ctx, tx, owner)
		if err != nil {
			return err
		}
		if check != nil {
			if err := check(stored); err != nil {
				return err
			}
		}
		if changed, err = change.apply(stored); err != nil {
			return err
		}
		settingsHistory.Updated(tx, owner, &stored, &changed)
		history.Describe(tx, owner, history.Description{Action: history.Settings})
		return write(ctx, tx, owner, changed)
	})
	return changed, err
}

// Read is [Service.Read] as a step.
func Read(ctx context.Context, tx *db.Tx, owner journal.UserID) (Journal, error) {
	return read(ctx, tx, owner, "")
}

// ToleranceQuery is a subquery for a user's breakeven tolerance, $1.
const ToleranceQuery = `(SELECT breakeven_tolerance FROM journal_settings WHERE user_id = $1)`

func read(ctx context.Context, tx *db.Tx, owner journal.UserID, lock string) (Journal, error) {
	var timezone, tolerance, detection *string
	err := tx.QueryRow(ctx, `SELECT timezone, breakeven_tolerance, strategy_detection FROM journal_settings WHERE user_id = $1`+lock, owner).
		Scan(&timezone, &tolerance, &detection)
	if err != nil && !errors.Is(err, db.ErrNoRows) {
		return Journal{}, err
	}
	var stored Journal
	if timezone != nil {
		stored.Timezone = *timezone
	}
	if tolerance != nil {
		stored.Tolerance = json.RawMessage(*tolerance)
	}
	if detection != nil {
		stored.Detection = strategies.Mode(*detection)
	}
	return stored, nil
}

// lock returns the settings and locks them until the transaction ends. The row is created
// first, so two changes of a new user's settings are both kept.
func lock(ctx context.Context, tx *db.Tx, owner journal.UserID) (Journal, error) {
	_, err := tx.Exec(ctx, `INSERT INTO journal_settings (user_id) VALUES ($1) ON CONFLICT (user_id) DO NOTHING`, owner)
	if err != nil {
		return Journal{}, err
	}
	return read(ctx, tx, owner, tx.Lock())
}

func write(ctx context.Context, tx *db.Tx, owner journal.UserID, j Journal) error {
	var timezone, tolerance, detection *string
	if j.Timezone != "" {
		timezone = &j.Timezone
	}
	if j.Tolerance != nil {
		text := string(j.Tolerance)
		tolerance = &text
	}
	if j.Detection != "" {
		text := string(j.Detection)
		detection = &text
	}
	_, err := tx.Exec(ctx, `UPDATE journal_settings SET timezone = $2, breakeven_tolerance = $3, strategy_detection = $4 WHERE user_id = $1`,
		owner, timezone, tolerance, detection)
	return err
}

// Restore sets the settings with their default and returns how many it set. It is a step;
// invalid settings are refused before anything is written.
func Restore(ctx context.Context, tx *db.Tx, owner journal.UserID, in Journal) (added int, err error) {
	change := Change{
		Timezone:  journal.Opt[string]{Set: in.Timezone != "", Value: in.Timezone},
		Tolerance: journal.Opt[json.RawMessage]{Set: in.Tolerance != nil, Value: in.Tolerance},
		Detection: journal.Opt[strategies.Mode]{Set: in.Detection != "", Value: in.Detection},
	}
	if _, err := change.apply(Journal{}); err != nil || in.IsEmpty() {
		return 0, err
	}
	stored, err := lock(ctx, tx, owner)
	if err != nil {
		return 0, err
	}
	change.Timezone.Set = change.Timezone.Set && stored.Timezone == ""
	change.Tolerance.Set = change.Tolerance.Set && stored.Tolerance == nil
	change.Detection.Set = change.Detection.Set && stored.Detection == ""
	for _, set := range []bool{change.Timezone.Set, change.Tolerance.Set, change.Detection.Set} {
		if set {
			added++
		}
	}
	if added == 0 {
		return 0, nil
	}
	changed, err := change.apply(stored)
	if err != nil {
		return 0, err
	}
	settingsHistory.BroughtUpdate(tx, owner, &stored, &changed)
	return added, write(ctx, tx, owner, changed)
}

var settingsHistory = history.NewType("settings", fields.List[Journal]{
	fields.NewShown("timezone", func(j *Journal) any { return textOrNil(j.Timezone) }),
	fields.NewShown("breakeven_tolerance", func(j *Journal) any { return textOrNil(string(j.Tolerance)) }),
	fields.NewShown("strategy_detection", func(j *Journal) any { return textOrNil(string(j.Detection)) }),
}, history.Of[Journal]{ID: func(*Journal) string { return "" }, Label: func(*Journal) string { return "" }})

func textOrNil(text string) any {
	if text == "" {
		return nil
	}
	return text
}
