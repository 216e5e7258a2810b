package enrollments

import (
	"context"
	"errors"
	"slices"

	"fillbook/internal/base/db"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/limits"
	"fillbook/internal/trading/programs"
)

var selectPrograms = programTable.Select("p")

func scanProgram(row db.Scanner) (p Program, err error) {
	err = programTable.Scan(row, &p)
	return p, err
}

// ListPrograms returns the built-in programs and the owner's, which come first.
func (s *Service) ListPrograms(ctx context.Context, owner journal.UserID) ([]Program, error) {
	list, err := db.Get(ctx, s.db.Peek, func(tx *db.Tx) ([]Program, error) { return OwnPrograms(ctx, tx, owner) })
	for _, b := range programs.Catalog() {
		list = append(list, fromBuiltIn(b))
	}
	return list, err
}

func fromBuiltIn(b programs.BuiltIn) Program {
	return Program{ID: journal.ProgramID(b.ID), Program: b.Program, BuiltIn: true}
}

// OwnPrograms returns the owner's programs, oldest first. It is a step.
func OwnPrograms(ctx context.Context, tx *db.Tx, owner journal.UserID) ([]Program, error) {
	return db.List(ctx, tx, scanProgram, selectPrograms+` WHERE p.user_id = $1 ORDER BY p.created_at, p.id`, owner)
}

// Program returns a program of the owner or a built-in one.
func (s *Service) Program(ctx context.Context, owner journal.UserID, id journal.ProgramID) (Program, error) {
	return db.Get(ctx, s.db.Peek, func(tx *db.Tx) (Program, error) { return readProgram(ctx, tx, owner, id, "") })
}

func readProgram(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.ProgramID, lock string) (Program, error) {
	if b, found := programs.FindBuiltIn(string(id)); found {
		return fromBuiltIn(programs.BuiltIn{ID: string(id), Program: b}), nil
	}
	p, err := scanProgram(tx.QueryRow(ctx, selectPrograms+` WHERE p.user_id = $1 AND p.id = $2`+lock, owner, id))
	return p, db.NotFound(err, "program")
}

// CreateProgram makes a program. It begins as a copy if copyOf is not empty; apply then
// sets what was sent.
func (s *Service) CreateProgram(
	ctx context.Context, owner journal.UserID, copyOf journal.ProgramID, apply func(*programs.Program) error,
) (Program, error) {
	return db.Get(ctx, s.db.Update, func(tx *db.Tx) (Program, error) {
		var p Program
		if copyOf != "" {
			from, err := readProgram(ctx, tx, owner, copyOf, "")
			if err != nil {
				return Program{}, err
			}
			p.Program = from.Program
			p.Rules = slices.Clone(p.Rules)
		}
		if err := checkProgram(&p, apply); err != nil {
			return Program{}, err
		}
		if err := limits.Programs.Check(ctx, tx, owner, `SELECT COUNT(*) FROM prop_programs WHERE user_id = $1`); err != nil {
			return Program{}, err
		}
		now := s.clock()
		p.ID, p.Version, p.CreatedAt, p.UpdatedAt = journal.NewID[journal.ProgramID](), 1, now, now
		programHistory.Created(tx, owner, &p)
		_, err := tx.Exec(ctx, programTable.Insert(), programTable.Values(owner, &p)...)
		return p, err
	})
}

// checkProgram sets what was sent and checks the program.
func checkProgram(p *Program, apply func(*programs.Program) error) (err error) {
	if err := apply(&p.Program); err != nil {
		return err
	}
	if p.Currency, err = journal.CleanCurrency("currency", p.Currency); err != nil {
		return err
	}
	if p.CheckedOn != "" {
		if p.CheckedOn, err = journal.ParseDay("checked_on", string(p.CheckedOn)); err != nil {
			return err
		}
	}
	return p.Check()
}

// UpdateProgram makes the next version of a program. check may refuse it.
func (s *Service) UpdateProgram(
	ctx context.Context, owner journal.UserID, id journal.ProgramID, apply func(*programs.Program) error, check func(Program) error,
) (Program, error) {
	return db.Get(ctx, s.db.Update, func(tx *db.Tx) (Program, error) {
		old, err := lockOwn(ctx, tx, owner, id, check)
		if err != nil {
			return Program{}, err
		}
		p := old
		p.Rules = slices.Clone(old.Rules)
		if err := checkProgram(&p, apply); err != nil {
			return Program{}, err
		}
		if programTable.Fields.Equal(&old, &p) {
			return old, nil
		}
		p.Version, p.UpdatedAt = old.Version+1, s.clock()
		programHistory.Updated(tx, owner, &old, &p)
		_, err = tx.Exec(ctx, programTable.Update(), programTable.UpdateValues(owner, &p)...)
		return p, err
	})
}

// lockOwn locks a program of the owner. Built-in programs are refused.
func lockOwn(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.ProgramID, check func(Program) error) (Program, error) {
	p, err := readProgram(ctx, tx, owner, id, tx.Lock())
	if err != nil {
		return Program{}, err
	}
	if p.BuiltIn {
		return Program{}, journal.Forbidden("A built-in program cannot be changed. Copy it first.")
	}
	if check != nil {
		err = check(p)
	}
	return p, err
}

// DeleteProgram deletes a program that no enrollment uses.
func (s *Service) DeleteProgram(ctx context.Context, owner journal.UserID, id journal.ProgramID, check func(Program) error) error {
	return s.db.Update(ctx, func(tx *db.Tx) error {
		p, err := lockOwn(ctx, tx, owner, id, check)
		if err != nil {
			return err
		}
		enrolled, err := findEnrolled(ctx, tx, owner, id)
		if err != nil {
			return err
		}
		if enrolled.ID != "" {
			return journal.Conflict("An account is enrolled in this program. End the enrollment first.")
		}
		programHistory.Deleted(tx, owner, &p)
		if err := history.Keep(ctx, tx, owner, "prop_programs", `id = $2`, id); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `DELETE FROM prop_programs WHERE user_id = $1 AND id = $2`, owner, id)
		return err
	})
}

// isNotFound reports whether an error is a missing record.
func isNotFound(err error) bool {
	var refusal *journal.Error
	return errors.As(err, &refusal) && refusal.Kind == journal.KindNotFound
}
