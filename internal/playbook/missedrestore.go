package playbook

import (
	"context"
	"fmt"
	"slices"
	"time"

	"fillbook/internal/annotations"
	"fillbook/internal/db"
	"fillbook/internal/decimal"
	"fillbook/internal/journal"
)

// NewMissed returns the missed trade of a change, checked like a request, as
// [RestoreMissed] takes it.
func NewMissed(change MissedChange, created time.Time) (Missed, error) {
	return newMissed(change, created)
}

// MissedOutcome reports what a restore did with a missed trade.
type MissedOutcome struct {
	// ID is that of the new one, or of the stored one that it is.
	ID             journal.MissedID
	Added, Changed bool
	// Kept names the fields in which the stored one differs and was kept.
	Kept []string
}

// RestoreMissed stores the missed trades of a backup as one step. A missed
// trade is the stored one of the same symbol, direction and instant: its empty
// fields are filled, other notes are appended below a line, and what differs
// stays as it is stored. Each stored one answers for one of the list, first of
// all for its equal. Accounts and setups must be known to be the owner's.
func RestoreMissed(
	ctx context.Context, tx *db.Tx, owner journal.UserID, now time.Time, list []Missed,
) ([]MissedOutcome, error) {
	r := &missedRestore{ctx: ctx, tx: tx, owner: owner, now: now, stored: map[string][]Missed{}}
	same, err := r.match(list)
	if err != nil {
		return nil, err
	}
	outcomes := make([]MissedOutcome, len(list))
	for i, m := range list {
		if outcomes[i], err = r.restore(m, same[i]); err != nil {
			return nil, err
		}
	}
	return outcomes, nil
}

type missedRestore struct {
	ctx    context.Context
	tx     *db.Tx
	owner  journal.UserID
	now    time.Time
	stored map[string][]Missed // by missedKey; those that were taken are gone
}

// missedKey identifies a missed trade.
func missedKey(m Missed) string {
	return fmt.Sprintf("%d|%s|%s", db.Micros(m.ObservedAt), m.Direction, m.Symbol)
}

// match finds the stored missed trade of each, nil for one that is new: equals
// first, then those that the stored one says already, then any of the key.
func (r *missedRestore) match(list []Missed) ([]*Missed, error) {
	same := make([]*Missed, len(list))
	for _, fits := range []func(stored, m Missed) bool{
		func(stored, m Missed) bool { return slices.Equal(stored.row(), m.row()) },
		func(stored, m Missed) bool {
			merged, kept := mergeMissed(stored, m)
			return len(kept) == 0 && slices.Equal(merged.row(), stored.row())
		},
		func(Missed, Missed) bool { return true },
	} {
		for i, m := range list {
			if same[i] != nil {
				continue
			}
			if err := r.load(m); err != nil {
				return nil, err
			}
			same[i] = r.take(m, fits)
		}
	}
	return same, nil
}

// load reads the stored missed trades of a key once.
func (r *missedRestore) load(m Missed) error {
	key := missedKey(m)
	if _, known := r.stored[key]; known {
		return nil
	}
	list, err := db.List(r.ctx, r.tx, scanMissed, selectMissed+`
		WHERE user_id = $1 AND observed_at = $2 AND symbol = $3 AND direction = $4 ORDER BY id`,
		r.owner, db.Micros(m.ObservedAt), m.Symbol, m.Direction)
	r.stored[key] = list
	return err
}

func (r *missedRestore) take(m Missed, fits func(stored, m Missed) bool) *Missed {
	key := missedKey(m)
	for i, stored := range r.stored[key] {
		if fits(stored, m) {
			r.stored[key] = slices.Delete(r.stored[key], i, i+1)
			return &stored
		}
	}
	return nil
}

// restore adds a missed trade, or fills the stored one.
func (r *missedRestore) restore(m Missed, stored *Missed) (MissedOutcome, error) {
	if stored == nil {
		return MissedOutcome{ID: m.ID, Added: true}, insertMissed(r.ctx, r.tx, r.owner, m)
	}
	merged, kept := mergeMissed(*stored, m)
	out := MissedOutcome{ID: stored.ID, Kept: kept, Changed: !slices.Equal(merged.row(), stored.row())}
	if !out.Changed {
		return out, nil
	}
	merged.UpdatedAt = r.now
	return out, updateMissed(r.ctx, r.tx, r.owner, merged)
}

// row is what a missed trade says, without its id and times.
func (m Missed) row() []any {
	var account journal.AccountID
	var setup journal.SetupID
	if m.Account != nil {
		account = *m.Account
	}
	if m.Setup != nil {
		setup = *m.Setup
	}
	return []any{
		account, setup, m.Symbol, m.Direction, db.Micros(m.ObservedAt), stored(m.Entry), stored(m.Stop), stored(m.Target),
		m.Reason, m.Outcome, m.Notes,
	}
}

// mergeMissed fills the empty fields of a missed trade from another one and
// appends its notes. kept names the fields in which the two differ.
func mergeMissed(m, other Missed) (merged Missed, kept []string) {
	keep := func(name string, differs bool) {
		if differs {
			kept = append(kept, name)
		}
	}
	keep("account_id", fillPointer(&m.Account, other.Account))
	keep("setup_id", fillPointer(&m.Setup, other.Setup))
	plan := m
	differs := []bool{fillNumber(&plan.Entry, other.Entry), fillNumber(&plan.Stop, other.Stop), fillNumber(&plan.Target, other.Target)}
	if plan.checkPlan() != nil { // the prices of two plans make none together
		plan = m
		differs = []bool{isOther(m.Entry, other.Entry), isOther(m.Stop, other.Stop), isOther(m.Target, other.Target)}
	}
	m = plan
	for i, name := range []string{"entry", "stop", "target"} {
		keep(name, differs[i])
	}
	keep("reason", fillText(&m.Reason, other.Reason, ""))
	keep("outcome", fillText(&m.Outcome, other.Outcome, UnknownOutcome))
	m.Notes = annotations.MergeNotes(m.Notes, other.Notes)
	return m, kept
}

// The fill functions set a field that is empty to another value and report
// whether the two values differ, so that the field was kept.

func fillPointer[T comparable](field **T, other *T) (differs bool) {
	if *field == nil {
		*field = other
	}
	return other != nil && **field != *other
}

func fillNumber(field *decimal.Null, other decimal.Null) (differs bool) {
	fill(field, other, !field.Valid)
	return isOther(*field, other)
}

func fillText[T comparable](field *T, other, none T) (differs bool) {
	fill(field, other, *field == none)
	return other != none && *field != other
}

// isOther reports whether a number is stated and another one.
func isOther(n, other decimal.Null) bool { return other.Valid && !n.Equal(other) }

// fill sets a field that is empty to the value of another record.
func fill[T any](field *T, other T, isEmpty bool) {
	if isEmpty {
		*field = other
	}
}
