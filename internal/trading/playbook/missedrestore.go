package playbook

import (
	"context"
	"fmt"
	"slices"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/limits"
)

// NewMissed returns a change as a missed trade, checked like a request, as
// [RestoreMissed] takes it.
func NewMissed(change MissedChange, created time.Time) (Missed, error) {
	return newMissed(change, created)
}

// MissedOutcome reports what a restore did with a missed trade.
type MissedOutcome struct {
	// ID identifies the new one, or the stored one it equals.
	ID             journal.MissedID
	Added, Changed bool
	// Kept names the fields in which the stored one differs and was kept.
	Kept []string
	// Err is why this missed trade was refused.
	Err error
}

// RestoreMissed stores a backup's missed trades as one step. A missed trade matches the
// stored one with the same symbol, direction and instant: its empty fields are filled,
// other notes are appended below a line, and what differs stays as it is stored. Each
// stored one matches one in the list, its equal first. Accounts and setups must be known
// to be the owner's.
func RestoreMissed(
	ctx context.Context, tx *db.Tx, owner journal.UserID, now time.Time, list []Missed,
) ([]MissedOutcome, error) {
	if len(list) == 0 {
		return nil, nil
	}
	r := &missedRestore{ctx: ctx, tx: tx, owner: owner, now: now}
	same, err := r.match(list)
	if err != nil {
		return nil, err
	}
	room, err := limits.MissedTrades.Room(ctx, tx, owner, countMissed)
	if err != nil {
		return nil, err
	}
	outcomes := make([]MissedOutcome, len(list))
	var fresh []Missed
	for i, m := range list {
		switch {
		case same[i] != nil:
			if outcomes[i], err = r.complete(m, *same[i]); err != nil {
				return nil, err
			}
		case len(fresh) == room:
			outcomes[i].Err = limits.MissedTrades.Reached()
		default:
			outcomes[i] = MissedOutcome{ID: m.ID, Added: true}
			fresh = append(fresh, m)
		}
	}
	recordBrought(tx, owner, missedHistory, fresh)
	_, err = insertRows(ctx, tx, missedTable.Name, missedTable.Columns(), "", fresh, func(m *Missed) []any { return missedTable.Values(owner, m) })
	return outcomes, err
}

const countMissed = `SELECT COUNT(*) FROM missed_trades WHERE user_id = $1`

type missedRestore struct {
	ctx   context.Context
	tx    *db.Tx
	owner journal.UserID
	now   time.Time
}

// missedKey identifies a missed trade.
func missedKey(m *Missed) string {
	return fmt.Sprintf("%d|%s|%s", db.Micros(m.ObservedAt), m.Direction, m.Symbol)
}

// missedValues returns a hash of all a missed trade's values.
func missedValues(m *Missed) recordKey {
	values := *m
	values.ID, values.CreatedAt, values.UpdatedAt = "", time.Time{}, time.Time{}
	return newRecordKey("%#v", missedTable.Values(0, &values))
}

// maxMissedCompared is how many stored missed trades with one symbol, direction and
// instant a file's missed trade is compared with.
const maxMissedCompared = 32

// match finds each one's stored missed trade, nil for a new one: equals first, then those
// that add nothing, then any with the key.
func (r *missedRestore) match(list []Missed) ([]*Missed, error) {
	stored, err := r.load(list)
	if err != nil {
		return nil, err
	}
	same := make([]*Missed, len(list))
	equals, taken := map[recordKey][]*Missed{}, map[*Missed]bool{}
	for i := range stored {
		key := missedValues(&stored[i])
		equals[key] = append(equals[key], &stored[i])
	}
	for i := range list {
		if key := missedValues(&list[i]); len(equals[key]) > 0 {
			same[i], equals[key] = equals[key][0], equals[key][1:]
			taken[same[i]] = true
		}
	}
	left := map[string][]*Missed{}
	for i := range stored {
		if m := &stored[i]; !taken[m] {
			left[missedKey(m)] = append(left[missedKey(m)], m)
		}
	}
	for _, fits := range []func(stored, m Missed) bool{saysAlready, func(Missed, Missed) bool { return true }} {
		for i := range list {
			if same[i] == nil {
				key := missedKey(&list[i])
				same[i], left[key] = takeFitting(left[key], func(stored *Missed) bool { return fits(*stored, list[i]) })
			}
		}
	}
	return same, nil
}

// saysAlready reports whether a missed trade adds nothing to a stored one.
func saysAlready(stored, m Missed) bool {
	merged, kept := mergeMissed(stored, m)
	return len(kept) == 0 && missedTable.Fields.Equal(&merged, &stored)
}

// takeFitting returns the first fitting one among the leading missed trades, and the list
// without it.
func takeFitting(list []*Missed, fits func(*Missed) bool) (*Missed, []*Missed) {
	i := slices.IndexFunc(list[:min(len(list), maxMissedCompared)], fits)
	if i < 0 {
		return nil, list
	}
	found := list[i]
	copy(list[1:i+1], list[:i]) // the rest may be long and stays where it is
	return found, list[1:]
}

// load reads the stored missed trades with the same instants, symbols and directions.
func (r *missedRestore) load(list []Missed) (found []Missed, err error) {
	wanted := make(map[string]bool, len(list))
	instants := make([]int64, len(list))
	for i := range list {
		wanted[missedKey(&list[i])] = true
		instants[i] = db.Micros(list[i].ObservedAt)
	}
	w := owned("user_id", r.owner)
	andAmong(w, "observed_at", instants)
	err = db.Each(r.ctx, r.tx, func(row db.Scanner) error {
		m, err := scanMissed(row)
		if err == nil && wanted[missedKey(&m)] {
			found = append(found, m)
		}
		return err
	}, selectMissed+w.text.String()+` ORDER BY observed_at, id`, w.args...)
	return found, err
}

// complete fills the stored missed trade that a file's one matches.
func (r *missedRestore) complete(m, stored Missed) (MissedOutcome, error) {
	merged, kept := mergeMissed(stored, m)
	out := MissedOutcome{ID: stored.ID, Kept: kept, Changed: !missedTable.Fields.Equal(&merged, &stored)}
	if !out.Changed {
		return out, nil
	}
	merged.UpdatedAt = r.now
	missedHistory.BroughtUpdate(r.tx, r.owner, &stored, &merged)
	return out, updateMissed(r.ctx, r.tx, r.owner, merged)
}

// mergeMissed fills a missed trade's empty fields from another one and appends its notes.
// kept names the fields in which the two differ.
func mergeMissed(m, other Missed) (merged Missed, kept []string) {
	merged = m
	missedTable.Fields.Merge(&merged, &other)
	if merged.checkPlan() != nil { // two plans' prices do not make one
		merged.Entry, merged.Stop, merged.Target = m.Entry, m.Stop, m.Target
	}
	return merged, missedTable.Fields.Differences(&merged, &other)
}
