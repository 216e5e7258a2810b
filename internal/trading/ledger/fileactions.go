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

// FileAction is a corporate action that a broker's file states for an account.
type FileAction struct {
	Kind ActionKind
	// Symbol is empty if the file names the company only: then it is the one of Candidates
	// that fits.
	Symbol, NewSymbol string
	Candidates        []string
	Day               journal.Day // in [ActionZone]
	// New and Old are the ratio; 0 if the file states only how many shares came to those
	// held: Came.
	New, Old int64
	Came     decimal.Decimal
	// Left is what must have been held exactly; zero for any quantity.
	Left decimal.Decimal
	Cash decimal.Null
	// SharesOnly leaves options alone, and OptionsOnly shares.
	SharesOnly, OptionsOnly bool
	// Before are the file's earlier actions.
	Before []FileAction
}

// start returns when the action acts.
func (a FileAction) start() (time.Time, error) {
	zone, err := time.LoadLocation(ActionZone)
	year, month, day := a.Day.Time().Date()
	return time.Date(year, month, day, 0, 0, 0, 0, zone), err
}

// ActionZone is the zone in which the day of a file's action begins.
const ActionZone = defaultZone

// FileActionState is what a file's action is to the journal.
type FileActionState string

// The states.
const (
	FileActionNew   FileActionState = "new"
	FileActionKnown FileActionState = "known"
	// FileActionContradicts: an action of the symbol at about the same day is another one.
	FileActionContradicts FileActionState = "contradicts"
	// FileActionUnclear: symbol or ratio does not follow from the shares held.
	FileActionUnclear FileActionState = "unclear"
)

// sameActionDays is how many days apart a recorded action and that of a file may be: brokers
// book actions some days after they act.
const sameActionDays = 7

// isNear reports whether a recorded action can be the file's by its day and kind.
func (a FileAction) isNear(recorded CorporateAction) bool {
	days := recorded.EffectiveOn.DaysUntil(a.Day)
	if max(days, -days) > sameActionDays {
		return false
	}
	moves := func(k ActionKind) bool { return k == ActionRename || k == ActionExchange }
	switch {
	case a.OptionsOnly && !recorded.actsOnOptions(), !a.OptionsOnly && !recorded.actsOnShares():
		return false
	case a.Kind == ActionSpinOff:
		return recorded.Kind == ActionSpinOff && recorded.NewSymbol == a.NewSymbol
	case moves(a.Kind):
		return moves(recorded.Kind)
	}
	return recorded.isSplit()
}

// hasEffectOf reports whether a recorded action does what the file's does. A file that does not
// state its ratio agrees with any.
func (a FileAction) hasEffectOf(recorded CorporateAction) bool {
	sameRatio := a.New == 0 || decimal.New(recorded.RatioNew).Mul(decimal.New(a.Old)).Equal(decimal.New(recorded.RatioOld).Mul(decimal.New(a.New)))
	return sameRatio && recorded.NewSymbol == a.NewSymbol
}

// PlanFileAction compares a file's action with an account's journal and returns the action that
// records it. more are the file's fills by symbol that are not stored. It is a step.
func PlanFileAction(
	ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID, a FileAction, more map[string][]HeldFill,
) (ActionChange, FileActionState, error) {
	if a.Symbol == "" {
		fits, err := a.findSymbol(ctx, tx, owner, account, more)
		if err != nil || len(fits) != 1 {
			return a.toChange(account), FileActionUnclear, err
		}
		a = fits[0]
	}
	actions, err := listActions(ctx, tx, owner, a.Symbol)
	if err != nil {
		return ActionChange{}, "", err
	}
	isNear := func(recorded CorporateAction) bool { return recorded.actsOn(account) && a.isNear(recorded) }
	isRecorded := slices.ContainsFunc(actions, isNear)
	if !isRecorded || a.New == 0 {
		fitting, ok, err := a.fitHeld(ctx, tx, owner, account, more)
		switch {
		case err != nil:
			return ActionChange{}, "", err
		case ok:
			a = fitting
		case !isRecorded:
			return a.toChange(account), FileActionUnclear, nil
		}
	}
	state := FileActionNew
	switch {
	case isRecorded && slices.ContainsFunc(actions, func(recorded CorporateAction) bool { return isNear(recorded) && a.hasEffectOf(recorded) }):
		state = FileActionKnown
	case isRecorded:
		state = FileActionContradicts
	}
	return a.toChange(account), state, nil
}

// findSymbol returns the action for each candidate that fits what was held, and for one for
// which it is recorded.
func (a FileAction) findSymbol(
	ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID, more map[string][]HeldFill,
) (fits []FileAction, err error) {
	for _, symbol := range a.Candidates {
		candidate := a
		candidate.Symbol = symbol
		actions, err := listActions(ctx, tx, owner, symbol)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(actions, func(recorded CorporateAction) bool {
			return recorded.actsOn(account) && candidate.isNear(recorded) && recorded.NewSymbol == a.NewSymbol
		}) {
			return []FileAction{candidate}, nil
		}
		fitting, ok, err := candidate.fitHeld(ctx, tx, owner, account, more)
		if err != nil {
			return nil, err
		}
		if ok {
			fits = append(fits, fitting)
		}
	}
	return fits, nil
}

// fitHeld returns the action with its ratio, and false if that does not follow from the shares
// held, or other shares were held than those that left.
func (a FileAction) fitHeld(
	ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID, more map[string][]HeldFill,
) (FileAction, bool, error) {
	if a.New > 0 && a.Left.IsZero() {
		return a, true, nil
	}
	held, isKnown, err := heldShares(ctx, tx, owner, account, a, more[a.Symbol])
	if err != nil || !isKnown {
		return a, false, err
	}
	if !a.Left.IsZero() && !held.Equal(a.Left) {
		return a, false, nil
	}
	if a.New > 0 {
		return a, true, nil
	}
	ratio, ok := addedRatio(held, a.Came, a.Kind == ActionSplit)
	if a.New, a.Old = ratio.New, ratio.Old; a.Kind == ActionSpinOff {
		a.New -= a.Old
	}
	return a, ok, nil
}

// toChange returns the action that records it.
func (a FileAction) toChange(account journal.AccountID) ActionChange {
	scope := ScopeAll
	switch {
	case a.OptionsOnly:
		scope = ScopeOptions
	case a.Kind == ActionRename && !a.SharesOnly:
	case a.SharesOnly || a.Old != 1 || a.NewSymbol != "":
		scope = ScopeShares
	}
	change := ActionChange{
		Kind: journal.Some(a.Kind), Symbol: journal.Some(a.Symbol), RatioNew: journal.Some(a.New), RatioOld: journal.Some(a.Old),
		EffectiveOn: journal.Some(a.Day), AppliesTo: journal.Some(scope), Accounts: journal.Some([]journal.AccountID{account}), Source: journal.Some(SourceFile),
	}
	if a.NewSymbol != "" {
		change.NewSymbol = journal.Some(a.NewSymbol)
	}
	if a.Cash.Valid {
		change.Cash = journal.Some(a.Cash.Decimal)
	}
	return change
}

// HeldFill is a fill of shares that changes what is held.
type HeldFill struct {
	At       time.Time
	Quantity decimal.Decimal // negative for a sale
}

// heldShares returns how many shares of a symbol an account held when a file's action acted, by
// its fills, the further ones, and the actions before: recorded splits and the file's actions. It
// is not known if the ratio of an earlier split is not, or if a recorded action that is not
// among the file's moved shares to the symbol or away.
func heldShares(
	ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID, a FileAction, more []HeldFill,
) (held decimal.Decimal, isKnown bool, err error) {
	end, err := a.start()
	if err != nil {
		return held, false, err
	}
	fills, err := listHeldFills(ctx, tx, owner, account, a.Symbol, end)
	if err != nil {
		return held, false, err
	}
	var ratios []matching.Event
	fileMoves := false
	for _, before := range a.Before {
		at, err := before.start()
		if err != nil {
			return held, false, err
		}
		switch {
		case before.OptionsOnly:
		case before.NewSymbol == a.Symbol:
			fileMoves, fills = true, append(fills, HeldFill{At: at, Quantity: before.Came})
		case before.Symbol == a.Symbol && before.NewSymbol == "" && before.New == 0:
			return held, false, nil
		case before.Symbol == a.Symbol && before.NewSymbol == "":
			ratios = append(ratios, matching.Event{At: db.Micros(at), New: before.New, Old: before.Old})
		}
	}
	recorded, err := db.List(ctx, tx, scanAction,
		selectActions+` WHERE a.user_id = $1 AND (a.symbol = $2 OR a.new_symbol = $2)`+actionOrder, owner, a.Symbol)
	if err != nil {
		return held, false, err
	}
	for _, r := range recorded {
		switch {
		case !r.actsOn(account) || !r.actsOnShares() || r.at >= db.Micros(end) || r.Symbol == a.Symbol && a.isNear(r):
		case r.isSplit():
			ratios = append(ratios, matching.Event{At: r.at, New: r.RatioNew, Old: r.RatioOld})
		case r.NewSymbol == a.Symbol && fileMoves, r.Kind == ActionSpinOff && r.Symbol == a.Symbol:
		default:
			return held, false, nil
		}
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

// addedRatio returns the split that adds shares to those held: by a simple ratio. rounds reports
// that whole shares may be without a fraction; only ratios of splits are simple enough for that.
func addedRatio(held, added decimal.Decimal, rounds bool) (matching.Event, bool) {
	const maxTerm = 100
	if held.Sign() <= 0 || added.Sign() <= 0 {
		return matching.Event{}, false
	}
	// What came is rounded: down to whole shares, or to the last place of a fraction.
	tolerance := decimal.FromScaled(1, 4)
	if rounds && added.Equal(added.Round(0)) {
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
