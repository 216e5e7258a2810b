package enrollments

import (
	"context"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/limits"
	"fillbook/internal/trading/programs"
)

// SetDefinition sets the program as it was when the enrollment began.
func (e *Enrollment) SetDefinition(p programs.Program) error {
	if err := p.Check(); err != nil {
		return err
	}
	e.definition = []programs.Program{p}
	if !slices.Contains([]programs.State{programs.Active, programs.Passed, programs.Failed, programs.Closed}, e.State) {
		e.State = programs.Active
	}
	return e.check()
}

// contentKey is equal for equal programs.
func contentKey(p *programs.Program) string {
	text, err := json.Marshal(p, json.Deterministic(true))
	if err != nil {
		panic(err) // programs always marshal
	}
	return string(text)
}

// RestorePrograms creates a backup's programs that are not stored yet, and returns the id of
// each. The refusals are those of single programs. It is a step.
func RestorePrograms(
	ctx context.Context, tx *db.Tx, owner journal.UserID, list []Program,
) (ids []journal.ProgramID, added int, refusals []error, err error) {
	if len(list) == 0 {
		return nil, 0, nil, nil
	}
	stored, err := OwnPrograms(ctx, tx, owner)
	if err != nil {
		return nil, 0, nil, err
	}
	known := make(map[string]journal.ProgramID, len(stored))
	for i := range stored {
		known[contentKey(&stored[i].Program)] = stored[i].ID
	}
	ids, refusals = make([]journal.ProgramID, len(list)), make([]error, len(list))
	var rows []Program
	for i := range list {
		p := &list[i]
		version := p.Version
		if err := checkProgram(p, func(*programs.Program) error { return nil }); err != nil {
			refusals[i] = err
			continue
		}
		p.Version = max(version, 1)
		key := contentKey(&p.Program)
		if id, found := known[key]; found {
			ids[i] = id
			continue
		}
		if len(stored)+len(rows) >= limits.Programs.Max {
			refusals[i] = limits.Programs.Reached()
			continue
		}
		p.ID, p.UpdatedAt = journal.NewID[journal.ProgramID](), p.CreatedAt
		ids[i], known[key] = p.ID, p.ID
		rows = append(rows, *p)
	}
	for i := range rows {
		if _, err := tx.Exec(ctx, programTable.Insert(), programTable.Values(owner, &rows[i])...); err != nil {
			return nil, 0, nil, err
		}
		programHistory.Brought(tx, owner, &rows[i])
	}
	return ids, len(rows), refusals, nil
}

// Restore creates a backup's enrollments that are not stored yet: those with another
// account, program or start. previous has the place in the list of the one that each
// resets, or -1. It is a step.
func Restore(ctx context.Context, tx *db.Tx, owner journal.UserID, list []Enrollment, previous []int) (added int, refusals []error, err error) {
	if len(list) == 0 {
		return 0, nil, nil
	}
	stored, err := List(ctx, tx, owner)
	if err != nil {
		return 0, nil, err
	}
	known := make(map[string]journal.EnrollmentID, len(stored))
	for i := range stored {
		known[stored[i].restoreKey()] = stored[i].ID
	}
	refusals = make([]error, len(list))
	isNew := make([]bool, len(list))
	for i := range list {
		e := &list[i]
		key := e.restoreKey()
		switch id, found := known[key]; {
		case found:
			e.ID = id
		case len(stored)+added >= limits.Enrollments.Max:
			refusals[i] = limits.Enrollments.Reached()
		default:
			e.ID = journal.NewID[journal.EnrollmentID]()
			known[key], isNew[i] = e.ID, true
			added++
		}
	}
	for i := range list {
		if !isNew[i] {
			continue
		}
		if previous[i] >= 0 && list[previous[i]].ID != "" {
			list[i].PreviousID = &list[previous[i]].ID
		}
		if _, err := tx.Exec(ctx, enrollmentTable.Insert(), enrollmentTable.Values(owner, &list[i])...); err != nil {
			return 0, nil, err
		}
		enrollmentHistory.Brought(tx, owner, &list[i])
	}
	return added, refusals, nil
}

// restoreKey is equal for an enrollment that is restored twice.
func (e *Enrollment) restoreKey() string {
	return fmt.Sprint(e.AccountID, " ", db.Micros(e.StartedAt), " ", e.Definition().Firm, " ", e.Definition().Name)
}
