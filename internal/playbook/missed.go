package playbook

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"fillbook/internal/db"
	"fillbook/internal/decimal"
	"fillbook/internal/fields"
	"fillbook/internal/journal"
)

// Outcome is what became of a trade that was not taken.
type Outcome string

// The outcomes.
const (
	UnknownOutcome Outcome = "unknown"
	TargetHit      Outcome = "target"
	StoppedOut     Outcome = "stop"
	NoTrigger      Outcome = "no_trigger"
)

// Reason is why a trade was not taken; it may be empty.
type Reason string

// The reasons.
const (
	Hesitated   Reason = "hesitated"
	Away        Reason = "away"
	Rules       Reason = "rules"
	OtherReason Reason = "other"
)

// Missed is a trade that was seen and not taken. It is part of no trade
// statistic.
type Missed struct {
	ID                   journal.MissedID
	Account              *journal.AccountID
	Setup                *journal.SetupID
	Symbol               string
	Direction            Direction
	ObservedAt           time.Time
	Entry, Stop, Target  decimal.Null
	Reason               Reason
	Outcome              Outcome
	Notes                string
	CreatedAt, UpdatedAt time.Time
}

// plannedScale is the number of decimals of a planned R.
const plannedScale = 2

// PlannedR is the reward of the plan in units of its risk, rounded half to even
// to two decimals; absent if the plan is not full.
func (m Missed) PlannedR() decimal.Null {
	if !m.hasPlan() {
		return decimal.Null{}
	}
	reward := m.Target.Decimal.Sub(m.Entry.Decimal).Abs()
	risk := m.Entry.Decimal.Sub(m.Stop.Decimal).Abs()
	return decimal.Of(reward.DivRound(risk, plannedScale))
}

// R is what the trade would have made: the planned R at the target, −1 at the
// stop, 0 if it never triggered; absent if that is not known.
func (m Missed) R() decimal.Null {
	switch m.Outcome {
	case TargetHit:
		return m.PlannedR()
	case StoppedOut:
		return decimal.Of(decimal.New(-1))
	case NoTrigger:
		return decimal.Of(decimal.Zero)
	default:
		return decimal.Null{}
	}
}

func (m Missed) hasPlan() bool { return m.Entry.Valid && m.Stop.Valid && m.Target.Valid }

// MissedChange is a change of a missed trade. A new one needs
// symbol, direction and observed_at; none of the three can be cleared.
type MissedChange struct {
	Account             journal.Opt[journal.AccountID]
	Setup               journal.Opt[journal.SetupID]
	Symbol              journal.Opt[string]
	Direction           journal.Opt[Direction]
	ObservedAt          journal.Opt[time.Time]
	Entry, Stop, Target journal.Opt[decimal.Decimal]
	Reason              journal.Opt[Reason]
	Outcome             journal.Opt[Outcome]
	Notes               journal.Opt[string]
}

// apply returns the missed trade after the change, or the reason why it is invalid.
// Whether the account and the setup exist is not its business.
func (c MissedChange) apply(m Missed) (Missed, error) {
	var err error
	if m.Symbol, err = journal.CleanSymbol("symbol", c.Symbol.Or(m.Symbol)); err != nil {
		return Missed{}, err
	}
	if m.Direction = c.Direction.Or(m.Direction); m.Direction != Long && m.Direction != Short {
		return Missed{}, journal.InvalidField("direction", "direction must be long or short.")
	}
	if m.ObservedAt = c.ObservedAt.Or(m.ObservedAt); m.ObservedAt.IsZero() {
		return Missed{}, journal.InvalidField("observed_at", "observed_at must be a date and time.")
	}
	if m, err = c.applyPlan(m); err != nil {
		return Missed{}, err
	}
	m.Reason = c.Reason.Or(m.Reason)
	if !slices.Contains([]Reason{"", Hesitated, Away, Rules, OtherReason}, m.Reason) {
		return Missed{}, journal.InvalidField("reason", "reason must be hesitated, away, rules, other or empty.")
	}
	if m.Outcome, err = outcome(c.Outcome.Or(m.Outcome)); err != nil {
		return Missed{}, err
	}
	m.Notes, err = journal.CheckText("notes", c.Notes.Or(m.Notes))
	m.Account = c.Account.OrNil(m.Account)
	m.Setup = c.Setup.OrNil(m.Setup)
	return m, err
}

func outcome(o Outcome) (Outcome, error) {
	switch o {
	case UnknownOutcome, TargetHit, StoppedOut, NoTrigger:
		return o, nil
	case "":
		return UnknownOutcome, nil
	}
	return "", journal.InvalidField("outcome", "outcome must be unknown, target, stop or no_trigger.")
}

// applyPlan takes the three prices and demands that a full plan makes sense.
func (c MissedChange) applyPlan(m Missed) (Missed, error) {
	m.Entry, m.Stop, m.Target = orNull(c.Entry, m.Entry), orNull(c.Stop, m.Stop), orNull(c.Target, m.Target)
	rule := priceRuleOfSymbol(m.Symbol)
	err := cmp.Or(rule.Check("entry", m.Entry), rule.Check("stop", m.Stop), rule.Check("target", m.Target), m.checkPlan())
	return m, err
}

// checkPlan refuses a full plan that makes no sense.
func (m Missed) checkPlan() error {
	if !m.hasPlan() {
		return nil
	}
	low, high := m.Stop.Decimal, m.Target.Decimal
	if m.Direction == Short {
		low, high = high, low
	}
	if low.Cmp(m.Entry.Decimal) >= 0 || m.Entry.Decimal.Cmp(high) >= 0 {
		return journal.InvalidField("entry", "The entry must lie between the stop and the target, with the target on the side of the trade.")
	}
	return nil
}

// missedTable stores missed trades.
var missedTable = fields.New("missed_trades",
	fields.List[Missed]{fields.NewID("id", func(m *Missed) *journal.MissedID { return &m.ID })},
	fields.List[Missed]{
		fields.NewLink("account_id", func(m *Missed) **journal.AccountID { return &m.Account }),
		fields.NewLink("setup_id", func(m *Missed) **journal.SetupID { return &m.Setup }),
		fields.NewText("symbol", func(m *Missed) *string { return &m.Symbol }),
		fields.NewText("direction", func(m *Missed) *Direction { return &m.Direction }),
		fields.NewTime("observed_at", func(m *Missed) *time.Time { return &m.ObservedAt }),
		fields.NewNumber("entry", func(m *Missed) *decimal.Null { return &m.Entry }),
		fields.NewNumber("stop", func(m *Missed) *decimal.Null { return &m.Stop }),
		fields.NewNumber("target", func(m *Missed) *decimal.Null { return &m.Target }),
		fields.NewText("reason", func(m *Missed) *Reason { return &m.Reason }),
		fields.NewText("outcome", func(m *Missed) *Outcome { return &m.Outcome }),
		fields.NewText("notes", func(m *Missed) *string { return &m.Notes }),
		fields.NewTime("created_at", func(m *Missed) *time.Time { return &m.CreatedAt }).Freeze(),
		fields.NewTime("updated_at", func(m *Missed) *time.Time { return &m.UpdatedAt }),
	},
)

var selectMissed = missedTable.Select("m")

func scanMissed(row db.Scanner) (m Missed, err error) {
	err = missedTable.Scan(row, &m)
	return m, err
}

// ReadMissedPage lists missed trades by the instant they were observed, newest
// first, and returns how many the scope has in all.
func ReadMissedPage(
	ctx context.Context, tx *db.Tx, owner journal.UserID, scope journal.Scope, page Page,
) (list []Missed, total int, err error) {
	if list, err = ListMissed(ctx, tx, owner, scope, page); err != nil || page == (Page{}) {
		return list, len(list), err
	}
	w := missedWhere(owner, scope)
	err = tx.QueryRow(ctx, `SELECT COUNT(*) FROM missed_trades`+w.text.String(), w.args...).Scan(&total)
	return list, total, err
}

// ListMissed lists missed trades, newest first. It is a step.
func ListMissed(ctx context.Context, tx *db.Tx, owner journal.UserID, scope journal.Scope, page Page) ([]Missed, error) {
	w := missedWhere(owner, scope)
	query := selectMissed + w.newestFirst("observed_at", "id", page)
	return db.List(ctx, tx, scanMissed, query, w.args...)
}

func missedWhere(owner journal.UserID, scope journal.Scope) *where {
	w := owned("user_id", owner)
	andIn(w, "account_id", scope.Accounts)
	w.period("observed_at", scope.Period)
	return w
}

// MissedTrade returns one missed trade.
func (s *Service) MissedTrade(ctx context.Context, owner journal.UserID, id journal.MissedID) (Missed, error) {
	var missed Missed
	err := s.db.Peek(ctx, func(tx *db.Tx) (err error) {
		missed, err = readMissed(ctx, tx, owner, id, "")
		return err
	})
	return missed, err
}

func readMissed(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.MissedID, lock string) (Missed, error) {
	missed, err := scanMissed(tx.QueryRow(ctx, selectMissed+` WHERE user_id = $1 AND id = $2`+lock, owner, id))
	if errors.Is(err, db.ErrNoRows) {
		return Missed{}, journal.NotFound("missed trade")
	}
	return missed, err
}

// CreateMissed records a missed trade. An account that is not the owner's is not
// found; a setup that is not the owner's is a wrong field.
func (s *Service) CreateMissed(ctx context.Context, owner journal.UserID, change MissedChange) (Missed, error) {
	missed, err := newMissed(change, s.clock())
	if err != nil {
		return Missed{}, err
	}
	err = s.db.Update(ctx, func(tx *db.Tx) error {
		if missed.Account != nil {
			if err := s.options.Known.Account(ctx, tx, owner, *missed.Account); err != nil {
				return err
			}
		}
		if err := checkSetup(ctx, tx, owner, missed); err != nil {
			return err
		}
		return insertMissed(ctx, tx, owner, missed)
	})
	return missed, err
}

func newMissed(change MissedChange, now time.Time) (Missed, error) {
	return change.apply(Missed{ID: journal.NewID[journal.MissedID](), CreatedAt: now, UpdatedAt: now})
}

func checkSetup(ctx context.Context, tx *db.Tx, owner journal.UserID, m Missed) error {
	if m.Setup == nil {
		return nil
	}
	_, err := readSetup(ctx, tx, owner, *m.Setup, "")
	return reference("setup_id", err)
}

func insertMissed(ctx context.Context, tx *db.Tx, owner journal.UserID, m Missed) error {
	_, err := tx.Exec(ctx, missedTable.Insert(), missedTable.Values(owner, &m)...)
	return missing("setup_id", err)
}

// ChangeMissed changes what is sent. An account or setup that is not the owner's
// is a wrong field.
func (s *Service) ChangeMissed(ctx context.Context, owner journal.UserID, id journal.MissedID, change MissedChange, check Check[Missed]) (Missed, error) {
	var missed Missed
	err := s.db.Update(ctx, func(tx *db.Tx) error {
		old, err := readMissed(ctx, tx, owner, id, tx.Lock())
		if err != nil {
			return err
		}
		if err := check.run(old); err != nil {
			return err
		}
		if missed, err = change.apply(old); err != nil {
			return err
		}
		missed.UpdatedAt = s.clock()
		if change.Account.Set && missed.Account != nil {
			if err := s.options.Known.Account(ctx, tx, owner, *missed.Account); err != nil {
				return reference("account_id", err)
			}
		}
		if err := checkSetup(ctx, tx, owner, missed); err != nil {
			return err
		}
		return updateMissed(ctx, tx, owner, missed)
	})
	return missed, err
}

func updateMissed(ctx context.Context, tx *db.Tx, owner journal.UserID, m Missed) error {
	_, err := tx.Exec(ctx, missedTable.Update(), missedTable.UpdateValues(owner, &m)...)
	return missing("setup_id", err)
}

// DeleteMissed deletes a missed trade.
func (s *Service) DeleteMissed(ctx context.Context, owner journal.UserID, id journal.MissedID, check Check[Missed]) error {
	return s.db.Update(ctx, func(tx *db.Tx) error {
		old, err := readMissed(ctx, tx, owner, id, tx.Lock())
		if err != nil {
			return err
		}
		if err := check.run(old); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `DELETE FROM missed_trades WHERE user_id = $1 AND id = $2`, owner, id)
		return err
	})
}
