package enrollments

import (
	"context"
	"slices"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/limits"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/programs"
)

var selectEnrollments = enrollmentTable.Select("e")

func scanEnrollment(row db.Scanner) (e Enrollment, err error) {
	err = enrollmentTable.Scan(row, &e)
	return e, err
}

// List returns the owner's enrollments, newest first, without those in accounts that the
// context excludes. It is a step.
func List(ctx context.Context, tx *db.Tx, owner journal.UserID) ([]Enrollment, error) {
	list, err := db.List(ctx, tx, scanEnrollment, selectEnrollments+` WHERE e.user_id = $1 ORDER BY e.started_at DESC, e.id`, owner)
	return slices.DeleteFunc(list, func(e Enrollment) bool { return !journal.AllowsAccount(ctx, e.AccountID) }), err
}

// read returns one enrollment.
func read(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.EnrollmentID, lock string) (Enrollment, error) {
	e, err := scanEnrollment(tx.QueryRow(ctx, selectEnrollments+` WHERE e.user_id = $1 AND e.id = $2`+lock, owner, id))
	if err == nil && !journal.AllowsAccount(ctx, e.AccountID) {
		return Enrollment{}, journal.NotFound("enrollment")
	}
	return e, db.NotFound(err, "enrollment")
}

// Enrollment returns one enrollment as it is stored.
func (s *Service) Enrollment(ctx context.Context, owner journal.UserID, id journal.EnrollmentID) (Enrollment, error) {
	return db.Get(ctx, s.db.Peek, func(tx *db.Tx) (Enrollment, error) { return read(ctx, tx, owner, id, "") })
}

// NewEnrollment is an enrollment to create.
type NewEnrollment struct {
	AccountID journal.AccountID
	ProgramID journal.ProgramID
	// StartedAt is now if it is nil, StartingBalance the program's if it is absent.
	StartedAt       *time.Time
	StartingBalance decimal.Null
	Overrides       []programs.Rule
}

// Enroll enrolls an account in a program.
func (s *Service) Enroll(ctx context.Context, owner journal.UserID, in NewEnrollment) (Enrollment, error) {
	return db.Get(ctx, s.db.Update, func(tx *db.Tx) (Enrollment, error) {
		account, err := ledger.LockAccount(ctx, tx, owner, in.AccountID)
		if err != nil {
			return Enrollment{}, err
		}
		p, err := readProgram(ctx, tx, owner, in.ProgramID, "")
		switch {
		case isNotFound(err):
			return Enrollment{}, journal.InvalidField("program_id", "program_id is not a program.")
		case err != nil:
			return Enrollment{}, err
		case p.Currency != account.BaseCurrency:
			return Enrollment{}, journal.InvalidField("program_id", "The program is in %s, the account in %s.", p.Currency, account.BaseCurrency)
		}
		now := s.clock()
		e := Enrollment{
			AccountID: in.AccountID, ProgramID: p.ID, ProgramVersion: p.Version, definition: []programs.Program{p.Program}, StartedAt: now,
			State: programs.Active, StartingBalance: in.StartingBalance.Or(p.StartingBalance()), Overrides: in.Overrides,
		}
		if in.StartedAt != nil {
			e.StartedAt = *in.StartedAt
		}
		return e, insert(ctx, tx, owner, &e, now)
	})
}

// insert checks and stores a new enrollment.
func insert(ctx context.Context, tx *db.Tx, owner journal.UserID, e *Enrollment, now time.Time) error {
	if err := e.check(); err != nil {
		return err
	}
	if err := limits.Enrollments.Check(ctx, tx, owner, `SELECT COUNT(*) FROM enrollments WHERE user_id = $1`); err != nil {
		return err
	}
	e.ID, e.CreatedAt, e.UpdatedAt = journal.NewID[journal.EnrollmentID](), now, now
	enrollmentHistory.Created(tx, owner, e)
	_, err := tx.Exec(ctx, enrollmentTable.Insert(), enrollmentTable.Values(owner, e)...)
	return err
}

// maxItems is how many payouts, costs, snapshots or decisions an enrollment has at most.
const maxItems = 500

// check returns why an enrollment is invalid.
func (e *Enrollment) check() error {
	if !e.StartingBalance.IsShort(15, 8) || e.StartingBalance.Sign() < 0 {
		return journal.InvalidField("starting_balance", "starting_balance must be 0 or above.")
	}
	if e.EndedAt != nil && e.EndedAt.Before(e.StartedAt) {
		return journal.InvalidField("ended_at", "ended_at must not be before started_at.")
	}
	for name, n := range map[string]int{"payouts": len(e.Payouts), "costs": len(e.Costs), "snapshots": len(e.Snapshots), "decisions": len(e.Decisions)} {
		if n > maxItems {
			return journal.Conflict("An enrollment has at most %d %s.", maxItems, name)
		}
	}
	_, err := e.program()
	return err
}

// Change changes an enrollment. check may refuse it as it is; it may be nil. change sets the
// new values; it may refuse too.
func (s *Service) Change(
	ctx context.Context, owner journal.UserID, id journal.EnrollmentID, check func(Evaluated) error, change func(*Enrollment) error,
) (Enrollment, error) {
	return db.Get(ctx, s.db.Update, func(tx *db.Tx) (Enrollment, error) {
		old, err := s.lock(ctx, tx, owner, id, check)
		if err != nil {
			return Enrollment{}, err
		}
		e := old.clone()
		if err := change(&e); err != nil {
			return Enrollment{}, err
		}
		return e, s.store(ctx, tx, owner, &old, &e)
	})
}

// lock returns an enrollment that is about to change. check may refuse it.
func (s *Service) lock(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.EnrollmentID, check func(Evaluated) error) (Enrollment, error) {
	e, err := read(ctx, tx, owner, id, tx.Lock())
	if err != nil || check == nil {
		return e, err
	}
	result, err := s.evaluate(ctx, tx, owner, &e, s.clock())
	if err != nil {
		return Enrollment{}, err
	}
	return e, check(Evaluated{e, result})
}

// clone returns a copy whose lists can be changed.
func (e *Enrollment) clone() Enrollment {
	out := *e
	out.Overrides, out.Decisions, out.Payouts = slices.Clone(e.Overrides), slices.Clone(e.Decisions), slices.Clone(e.Payouts)
	out.Costs, out.Snapshots = slices.Clone(e.Costs), slices.Clone(e.Snapshots)
	return out
}

// store checks and stores a changed enrollment.
func (s *Service) store(ctx context.Context, tx *db.Tx, owner journal.UserID, old, e *Enrollment) error {
	if err := e.check(); err != nil {
		return err
	}
	if old.StartedAt.Equal(e.StartedAt) && enrollmentTable.Fields.Equal(old, e) {
		return nil
	}
	e.UpdatedAt = s.clock()
	enrollmentHistory.Updated(tx, owner, old, e)
	_, err := tx.Exec(ctx, enrollmentTable.Update(), enrollmentTable.UpdateValues(owner, e)...)
	return err
}

// Delete deletes an enrollment. check may refuse; it may be nil.
func (s *Service) Delete(ctx context.Context, owner journal.UserID, id journal.EnrollmentID, check func(Evaluated) error) error {
	return s.db.Update(ctx, func(tx *db.Tx) error {
		e, err := s.lock(ctx, tx, owner, id, check)
		if err != nil {
			return err
		}
		enrollmentHistory.Deleted(tx, owner, &e)
		if err := history.Keep(ctx, tx, owner, "enrollments", `id = $2`, id); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `DELETE FROM enrollments WHERE user_id = $1 AND id = $2`, owner, id)
		return err
	})
}

// The decisions after a breach.
const (
	Reset    = "reset"
	Continue = "continue"
	Ended    = "ended"
)

// Decide records what happened after a breach, and returns the enrollment that goes on. at
// is when a reset begins; nil is right after the breach.
func (s *Service) Decide(ctx context.Context, owner journal.UserID, id journal.EnrollmentID, decision string, at *time.Time) (Enrollment, error) {
	if !slices.Contains([]string{Reset, Continue, Ended}, decision) {
		return Enrollment{}, journal.InvalidField("decision", "decision must be reset, continue or ended.")
	}
	return db.Get(ctx, s.db.Update, func(tx *db.Tx) (Enrollment, error) {
		old, err := read(ctx, tx, owner, id, tx.Lock())
		if err != nil {
			return Enrollment{}, err
		}
		now := s.clock()
		result, err := s.evaluate(ctx, tx, owner, &old, now)
		if err != nil {
			return Enrollment{}, err
		}
		if result.Breach == nil || old.State != programs.Active {
			return Enrollment{}, journal.Conflict("There is no breach to decide on.")
		}
		breached := db.FromMicros(result.Breach.At)
		e := old.clone()
		e.Decisions = append(e.Decisions, Decision{Decision: decision, Kind: result.Breach.Kind, BreachAt: breached, DecidedAt: now})
		if decision != Continue {
			e.State, e.EndedAt = programs.Failed, &breached
		}
		if err := s.store(ctx, tx, owner, &old, &e); err != nil || decision != Reset {
			return e, err
		}
		next := Enrollment{
			AccountID: e.AccountID, ProgramID: e.ProgramID, ProgramVersion: e.ProgramVersion, definition: e.definition, State: programs.Active,
			StartedAt: breached.Add(time.Microsecond), StartingBalance: e.StartingBalance, Overrides: e.Overrides, PreviousID: &e.ID,
		}
		if at != nil {
			if next.StartedAt = *at; at.Before(breached) {
				return Enrollment{}, journal.InvalidField("at", "at must not be before the breach.")
			}
		}
		return next, insert(ctx, tx, owner, &next, now)
	})
}
