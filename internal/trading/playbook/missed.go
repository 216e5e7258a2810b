package playbook

import (
	"cmp"
	"context"
	"slices"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/fields"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/limits"
	"fillbook/internal/trading/annotations"
)

// Outcome is how a missed trade turned out.
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

// MissedMembers are a missed trade's values, with one type for each kind. The tags are
// the JSON names in the API and backups, and the API descriptions. See
// docs/architecture.md, "Add a field to a record".
type MissedMembers[AccountLink, SetupLink, Text, Side, Instant, Number, Cause, Result any] struct {
	Account    AccountLink `json:"account_id"`
	Setup      SetupLink   `json:"setup_id"`
	Symbol     Text        `json:"symbol"`
	Direction  Side        `json:"direction" enum:"long,short"`
	ObservedAt Instant     `json:"observed_at"`
	Entry      Number      `json:"entry" doc:"Above zero, unless the symbol is a future or an option."`
	Stop       Number      `json:"stop" doc:"Above zero, unless the symbol is a future or an option."`
	Target     Number      `json:"target" doc:"Above zero, unless the symbol is a future or an option."`
	Reason     Cause       `json:"reason" enum:",hesitated,away,rules,other"`
	Outcome    Result      `json:"outcome" enum:"unknown,target,stop,no_trigger"`
	Notes      Text        `json:"notes"`
}

// MissedValues are a missed trade's values as stored and answered.
type MissedValues = MissedMembers[*journal.AccountID, *journal.SetupID, string, Direction, time.Time, decimal.Null, Reason, Outcome]

// MissedChange is a change to a missed trade. A new one needs symbol, direction and
// observed_at; they cannot be cleared.
type MissedChange = MissedMembers[
	journal.Opt[journal.AccountID], journal.Opt[journal.SetupID], journal.Opt[string], journal.Opt[Direction], journal.Opt[time.Time],
	journal.Opt[decimal.Decimal], journal.Opt[Reason], journal.Opt[Outcome],
]

// Missed is a trade that was seen and not taken. It is part of no trade
// statistic.
type Missed struct {
	ID journal.MissedID `json:"id"`
	MissedValues
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

// plannedScale is how many decimals a planned R has.
const plannedScale = 2

// PlannedR is the plan's reward in multiples of its risk, rounded half to even to two
// decimals; absent if the plan is not full.
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

// applyMissed returns the missed trade after a change, or the reason why it is
// invalid. It does not check whether the account and the setup exist.
func applyMissed(change MissedChange, m Missed) (Missed, error) {
	fields.Copy(&m.MissedValues, &change)
	err := checkRecord(missedTable, &m, func(m *Missed) PriceRule { return priceRuleOfSymbol(m.Symbol) })
	if err := cmp.Or(err, m.checkPlan()); err != nil {
		return Missed{}, err
	}
	return m, nil
}

func checkMissedSymbol(m *Missed) (err error) {
	m.Symbol, err = journal.CleanSymbol("symbol", m.Symbol)
	return err
}

func checkMissedDirection(m *Missed) error {
	if m.Direction != Long && m.Direction != Short {
		return journal.InvalidField("direction", "direction must be long or short.")
	}
	return nil
}

func checkMissedTime(m *Missed) error {
	if m.ObservedAt.IsZero() {
		return journal.InvalidField("observed_at", "observed_at must be a date and time.")
	}
	return nil
}

func checkMissedReason(m *Missed) error {
	if !slices.Contains([]Reason{"", Hesitated, Away, Rules, OtherReason}, m.Reason) {
		return journal.InvalidField("reason", "reason must be hesitated, away, rules, other or empty.")
	}
	return nil
}

func checkMissedOutcome(m *Missed) error {
	m.Outcome = cmp.Or(m.Outcome, UnknownOutcome)
	if !slices.Contains([]Outcome{UnknownOutcome, TargetHit, StoppedOut, NoTrigger}, m.Outcome) {
		return journal.InvalidField("outcome", "outcome must be unknown, target, stop or no_trigger.")
	}
	return nil
}

// checkPlan refuses a full plan making no sense.
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
		fields.NewText("symbol", func(m *Missed) *string { return &m.Symbol }).CheckBy(checkMissedSymbol),
		fields.NewText("direction", func(m *Missed) *Direction { return &m.Direction }).CheckBy(checkMissedDirection),
		fields.NewTime("observed_at", func(m *Missed) *time.Time { return &m.ObservedAt }).CheckBy(checkMissedTime),
		fields.NewNumber("entry", func(m *Missed) *decimal.Null { return &m.Entry }).Limit(fields.Price),
		fields.NewNumber("stop", func(m *Missed) *decimal.Null { return &m.Stop }).Limit(fields.Price),
		fields.NewNumber("target", func(m *Missed) *decimal.Null { return &m.Target }).Limit(fields.Price),
		fields.NewText("reason", func(m *Missed) *Reason { return &m.Reason }).CheckBy(checkMissedReason),
		fields.NewText("outcome", func(m *Missed) *Outcome { return &m.Outcome }).CheckBy(checkMissedOutcome).
			EmptyIf(func(m *Missed) bool { return m.Outcome == "" || m.Outcome == UnknownOutcome }),
		fields.NewText("notes", func(m *Missed) *string { return &m.Notes }).Limit(fields.LongText).
			MergeBy(func(into, other *Missed) { into.Notes = annotations.MergeNotes(into.Notes, other.Notes) }),
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
	w := missedWhere(ctx, owner, scope)
	err = tx.QueryRow(ctx, `SELECT COUNT(*) FROM missed_trades`+w.text.String(), w.args...).Scan(&total)
	return list, total, err
}

// ListMissed lists missed trades, newest first. It is a step.
func ListMissed(ctx context.Context, tx *db.Tx, owner journal.UserID, scope journal.Scope, page Page) ([]Missed, error) {
	w := missedWhere(ctx, owner, scope)
	query := selectMissed + w.newestFirst("observed_at", "id", page)
	return db.List(ctx, tx, scanMissed, query, w.args...)
}

func missedWhere(ctx context.Context, owner journal.UserID, scope journal.Scope) *where {
	w := owned("user_id", owner)
	w.limitAccounts(ctx, "account_id")
	andIn(w, "account_id", scope.Accounts)
	w.period("observed_at", scope.Period)
	return w
}

// MissedTrade returns one missed trade.
func (s *Service) MissedTrade(ctx context.Context, owner journal.UserID, id journal.MissedID) (Missed, error) {
	return db.Get(ctx, s.db.Peek, func(tx *db.Tx) (Missed, error) { return readMissed(ctx, tx, owner, id, "") })
}

func readMissed(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.MissedID, lock string) (Missed, error) {
	w := owned("user_id", owner)
	w.and("id =", id)
	w.limitAccounts(ctx, "account_id")
	missed, err := scanMissed(tx.QueryRow(ctx, selectMissed+w.text.String()+lock, w.args...))
	return missed, db.NotFound(err, "missed trade")
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
		if err := limits.MissedTrades.Check(ctx, tx, owner, countMissed); err != nil {
			return err
		}
		if err := checkSetup(ctx, tx, owner, missed); err != nil {
			return err
		}
		missedHistory.Created(tx, owner, &missed)
		return insertMissed(ctx, tx, owner, missed)
	})
	return missed, err
}

func newMissed(change MissedChange, now time.Time) (Missed, error) {
	return applyMissed(change, Missed{ID: journal.NewID[journal.MissedID](), CreatedAt: now, UpdatedAt: now})
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
	return err
}

// ChangeMissed changes what is sent. An account or setup that is not the owner's
// is a wrong field.
func (s *Service) ChangeMissed(ctx context.Context, owner journal.UserID, id journal.MissedID, change MissedChange, check Check[Missed]) (Missed, error) {
	var missed Missed
	err := s.db.Update(ctx, func(tx *db.Tx) error {
		old, err := check.apply(readMissed(ctx, tx, owner, id, tx.Lock()))
		if err != nil {
			return err
		}
		if missed, err = applyMissed(change, old); err != nil {
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
		missedHistory.Updated(tx, owner, &old, &missed)
		return updateMissed(ctx, tx, owner, missed)
	})
	return missed, err
}

func updateMissed(ctx context.Context, tx *db.Tx, owner journal.UserID, m Missed) error {
	_, err := tx.Exec(ctx, missedTable.Update(), missedTable.UpdateValues(owner, &m)...)
	return err
}

// DeleteMissed deletes a missed trade.
func (s *Service) DeleteMissed(ctx context.Context, owner journal.UserID, id journal.MissedID, check Check[Missed]) error {
	return s.db.Update(ctx, func(tx *db.Tx) error {
		missed, err := check.apply(readMissed(ctx, tx, owner, id, tx.Lock()))
		if err != nil {
			return err
		}
		missedHistory.Deleted(tx, owner, &missed)
		if err := history.Keep(ctx, tx, owner, "missed_trades", `id = $2`, id); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `DELETE FROM missed_trades WHERE user_id = $1 AND id = $2`, owner, id)
		return err
	})
}
