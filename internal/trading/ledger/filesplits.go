package ledger

import (
	"context"
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
		earlier := slices.DeleteFunc(slices.Clone(actions), near)
		held, err := heldShares(ctx, tx, owner, account, split, earlier, more)
		if err != nil {
			return ActionChange{}, "", err
		}
		if ratio, ok := addedRatio(held, split.Added); ok {
			split.New, split.Old = ratio.New, ratio.Old
		}
	}
	sameRatio := func(a CorporateAction) bool {
		return near(a) && (split.New == 0 || a.RatioNew*split.Old == a.RatioOld*split.New)
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
// fills, the further ones, and the splits before.
func heldShares(
	ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID, split FileSplit, actions []CorporateAction, more []HeldFill,
) (held decimal.Decimal, err error) {
	zone, err := time.LoadLocation(ActionZone)
	if err != nil {
		return held, err
	}
	year, month, day := split.Day.Time().Date()
	end := time.Date(year, month, day, 0, 0, 0, 0, zone)
	fills, err := db.List(ctx, tx, func(row db.Scanner) (HeldFill, error) {
		var at int64
		var isBuy bool
		var quantity, unmatched decimal.Decimal
		err := row.Scan(&at, &isBuy, &quantity, zeroIfNull{&unmatched})
		if quantity = quantity.Sub(unmatched); !isBuy {
			quantity = quantity.Neg()
		}
		return HeldFill{db.FromMicros(at), quantity}, err
	}, `SELECT executions.executed_at, executions.is_buy, executions.quantity, executions.unmatched FROM executions
			JOIN streams ON streams.user_id = executions.user_id AND streams.number = COALESCE(executions.stated, executions.stream)
			JOIN accounts ON accounts.user_id = streams.user_id AND accounts.number = streams.account
		WHERE executions.user_id = $1 AND streams.user_id = $1 AND accounts.id = $2 AND streams.symbol = $3 AND streams.instrument_type = $4
			AND executions.executed_at < $5 ORDER BY executions.executed_at, executions.seq`,
		owner, account, split.Symbol, instruments.TypeStock, db.Micros(end))
	if err != nil {
		return held, err
	}
	fills = append(fills, more...)
	slices.SortStableFunc(fills, func(a, b HeldFill) int { return a.At.Compare(b.At) })
	for _, f := range fills {
		for len(actions) > 0 && !actions[0].At().After(f.At) {
			held, actions = actions[0].ratio().Apply(held), actions[1:]
		}
		if f.At.Before(end) {
			held = held.Add(f.Quantity)
		}
	}
	for len(actions) > 0 && actions[0].At().Before(end) {
		held, actions = actions[0].ratio().Apply(held), actions[1:]
	}
	return held, nil
}

// ratio returns the conversion of a split.
func (a *CorporateAction) ratio() matching.Event {
	return matching.Event{At: a.at, New: a.RatioNew, Old: a.RatioOld}
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

// RecordFileAction records the action of a file; an error that is the user's says why it
// cannot be. It is a step.
func (s *Service) RecordFileAction(ctx context.Context, tx *db.Tx, owner journal.UserID, change ActionChange) (journal.ActionID, error) {
	a, err := s.insertAction(ctx, tx, owner, change)
	return a.ID, err
}

// DeleteFileActions deletes actions that a file brought, those that are still there as files
// bring them. It is a step.
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
