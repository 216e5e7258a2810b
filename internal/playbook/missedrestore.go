package playbook

import (
	"context"
	"fmt"
	"slices"
	"time"

	"fillbook/internal/db"
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
		func(stored, m Missed) bool { return missedTable.Fields.Equal(&stored, &m) },
		func(stored, m Missed) bool {
			merged, kept := mergeMissed(stored, m)
			return len(kept) == 0 && missedTable.Fields.Equal(&merged, &stored)
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
	out := MissedOutcome{ID: stored.ID, Kept: kept, Changed: !missedTable.Fields.Equal(&merged, stored)}
	if !out.Changed {
		return out, nil
	}
	merged.UpdatedAt = r.now
	return out, updateMissed(r.ctx, r.tx, r.owner, merged)
}

// mergeMissed fills the empty fields of a missed trade from another one and
// appends its notes. kept names the fields in which the two differ.
func mergeMissed(m, other Missed) (merged Missed, kept []string) {
	merged = m
	missedTable.Fields.Merge(&merged, &other)
	if merged.checkPlan() != nil { // the prices of two plans do not make one
		merged.Entry, merged.Stop, merged.Target = m.Entry, m.Stop, m.Target
	}
	return merged, missedTable.Fields.Differences(&merged, &other)
}
