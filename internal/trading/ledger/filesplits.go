package ledger

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/instruments"
	"fillbook/internal/trading/matching"
)

// FileSplit is a split of shares that a broker's file states for an account.
type FileSplit struct {
	Symbol string
	Day    journal.Day // in [ActionZone]
	// New and Old are the ratio; 0 if the file states only how many shares came to those
	// held.
	New, Old int64
	Added    decimal.Decimal
	// SharesOnly leaves options alone.
	SharesOnly bool
	// Before are the file's earlier splits of the symbol that are not recorded.
	Before []FileSplit
}

// start returns when the split acts.
func (s FileSplit) start() (time.Time, error) {
	zone, err := time.LoadLocation(ActionZone)
	year, month, day := s.Day.Time().Date()
	return time.Date(year, month, day, 0, 0, 0, 0, zone), err
}

// ActionZone is the zone in which the day of a file's split begins.
const ActionZone = defaultZone

// SplitState is what a file's split is to the journal.
type SplitState string

// The states.
const (
	SplitNew   SplitState = "new"
	SplitKnown SplitState = "known"
	// SplitContradicts: an action of the symbol at about the same day has another ratio.
	SplitContradicts SplitState = "contradicts"
	// SplitUnclear: the ratio does not follow from the shares held.
	SplitUnclear SplitState = "unclear"
)

// sameSplitDays is how many days apart a recorded split and that of a file may be: brokers
// book splits some days after they act.
const sameSplitDays = 7

// PlanSplit compares a file's split with an account's journal and returns the action that
// records it. more are the file's fills of the symbol that are not stored. It is a step.
func PlanSplit(ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID, split FileSplit, more []HeldFill) (ActionChange, SplitState, error) {
	actions, err := listActions(ctx, tx, owner, split.Symbol)
	if err != nil {
		return ActionChange{}, "", err
	}
	actions = slices.DeleteFunc(actions, func(a CorporateAction) bool { return !a.isSplit() || !a.actsOn(account) })
	near := func(a CorporateAction) bool {
		days := a.EffectiveOn.DaysUntil(split.Day)
		return max(days, -days) <= sameSplitDays
	}
	isRecorded := slices.ContainsFunc(actions, near)
	if split.New == 0 {
		held, isKnown, err := heldShares(ctx, tx, owner, account, split, slices.DeleteFunc(slices.Clone(actions), near), more)
		if err != nil {
			return ActionChange{}, "", err
		}
		if ratio, ok := addedRatio(held, split.Added); ok && isKnown {
			split.New, split.Old = ratio.New, ratio.Old
		}
	}
	sameRatio := func(a CorporateAction) bool {
		return near(a) && (split.New == 0 || decimal.New(a.RatioNew).Mul(decimal.New(split.Old)).Equal(decimal.New(a.RatioOld).Mul(decimal.New(split.New))))
	}
	state := SplitNew
	switch {
	case isRecorded && slices.ContainsFunc(actions, sameRatio):
		state = SplitKnown
	case isRecorded:
		state = SplitContradicts
	case split.New == 0:
		state = SplitUnclear
	}
	return split.toChange(account), state, nil
}

// toChange returns the action that records the split.
func (s FileSplit) toChange(account journal.AccountID) ActionChange {
	scope := ScopeAll
	if s.SharesOnly || s.Old != 1 {
		scope = ScopeShares
	}
	return ActionChange{
		Kind: journal.Some(ActionSplit), Symbol: journal.Some(s.Symbol), RatioNew: journal.Some(s.New), RatioOld: journal.Some(s.Old),
		EffectiveOn: journal.Some(s.Day), AppliesTo: journal.Some(scope), Accounts: journal.Some([]journal.AccountID{account}), Source: journal.Some(SourceFile),
	}
}

// HeldFill is a fill of shares that changes what is held.
type HeldFill struct {
	At       time.Time
	Quantity decimal.Decimal // negative for a sale
}

// heldShares returns how many shares of a symbol an account held when a split acted, by its
// fills, the further ones, and the splits before: recorded ones and those of the file. It is
// not known if the ratio of an earlier one is not.
func heldShares(
	ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID, split FileSplit, actions []CorporateAction, more []HeldFill,
) (held decimal.Decimal, isKnown bool, err error) {
	end, err := split.start()
	if err != nil {
		return held, false, err
	}
	fills, err := listHeldFills(ctx, tx, owner, account, split.Symbol, end)
	if err != nil {
		return held, false, err
	}
	var ratios []matching.Event
	for _, a := range actions {
		ratios = append(ratios, matching.Event{At: a.at, New: a.RatioNew, Old: a.RatioOld})
	}
	for _, before := range split.Before {
		at, err := before.start()
		if err != nil || before.New == 0 {
			return held, false, err
		}
		ratios = append(ratios, matching.Event{At: db.Micros(at), New: before.New, Old: before.Old})
	}
	slices.SortStableFunc(ratios, func(a, b matching.Event) int { return cmp.Compare(a.At, b.At) })
	fills = append(fills, more...)
	slices.SortStableFunc(fills, func(a, b HeldFill) int { return a.At.Compare(b.At) })
	apply := func(until time.Time) {
		for len(ratios) > 0 && ratios[0].At <= db.Micros(until) {
			held, ratios = ratios[0].Apply(held), ratios[1:]
		}
	}
	for _, f := range fills {
		if f.At.Before(end) {
			apply(f.At)
			held = held.Add(f.Quantity)
		}
	}
	apply(end.Add(-time.Microsecond))
	return held, true, nil
}

// listHeldFills returns an account's fills of a symbol's shares before an instant.
func listHeldFills(
	ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID, symbol string, end time.Time,
) ([]HeldFill, error) {
	// A fill that an action moved to another stream has its own in stated.
	query := func(column, condition string) string {
		return `SELECT executions.executed_at, executions.is_buy, executions.quantity, executions.unmatched FROM streams
			JOIN accounts ON accounts.user_id = streams.user_id AND accounts.number = streams.account
			JOIN executions ON executions.user_id = streams.user_id AND executions.account = streams.account AND executions.` + column + ` = streams.number` + condition + `
		WHERE streams.user_id = $1 AND accounts.id = $2 AND streams.symbol = $3 AND streams.instrument_type = $4 AND executions.executed_at < $5`
	}
	return db.List(ctx, tx, func(row db.Scanner) (HeldFill, error) {
		var at int64
		var isBuy bool
		var quantity, unmatched decimal.Decimal
		err := row.Scan(&at, &isBuy, &quantity, zeroIfNull{&unmatched})
		if quantity = quantity.Sub(unmatched); !isBuy {
			quantity = quantity.Neg()
		}
		return HeldFill{db.FromMicros(at), quantity}, err
	}, query("stream", " AND executions.stated IS NULL")+` UNION ALL `+query("stated", ""),
		owner, account, symbol, instruments.TypeStock, db.Micros(end))
}

// addedRatio returns the split that adds shares to those held: by a simple ratio.
func addedRatio(held, added decimal.Decimal) (matching.Event, bool) {
	const maxTerm = 100
	if held.Sign() <= 0 || added.Sign() <= 0 {
		return matching.Event{}, false
	}
	// What came is rounded: down to whole shares, or to the last place of a fraction.
	tolerance := decimal.FromScaled(1, 4)
	if added.Equal(added.Round(0)) {
		tolerance = decimal.New(1)
	}
	for old := int64(1); old <= maxTerm/10; old++ {
		exact := added.Mul(decimal.New(old)).DivRound(held, 0)
		plus, ok := exact.ToScaled(0)
		if !ok || plus < 1 || plus > maxTerm*old || gcd(plus, old) > 1 {
			continue
		}
		off := held.Mul(decimal.New(plus)).DivRound(decimal.New(old), 8).Sub(added)
		if off.Abs().Cmp(tolerance) < 0 && (off.Sign() >= 0 || off.Abs().Cmp(decimal.FromScaled(1, 4)) < 0) {
			return matching.Event{New: old + plus, Old: old}, true
		}
	}
	return matching.Event{}, false
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// RecordFileAction records the action of a file. refusal is why it cannot be recorded; then
// nothing has changed. It is a step.
func (s *Service) RecordFileAction(ctx context.Context, tx *db.Tx, owner journal.UserID, change ActionChange) (id journal.ActionID, refusal *journal.Error, err error) {
	a, err := change.apply(CorporateAction{ID: journal.NewID[journal.ActionID]()}, s.clock())
	if err == nil {
		err = s.checkAction(ctx, tx, owner, a)
	}
	if errors.As(err, &refusal) {
		return "", refusal, nil
	}
	if err == nil {
		a, err = s.insertAction(ctx, tx, owner, change)
	}
	return a.ID, nil, err
}

// DeleteFileActions deletes the actions that a file brought, except those that are gone. It
// is a step.
func (s *Service) DeleteFileActions(ctx context.Context, tx *db.Tx, owner journal.UserID, ids []journal.ActionID) error {
	for _, id := range ids {
		a, err := readAction(ctx, tx, owner, id, tx.Lock())
		if journal.IsKind(err, journal.KindNotFound) {
			continue
		}
		if err == nil {
			err = s.deleteAction(ctx, tx, owner, a)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
