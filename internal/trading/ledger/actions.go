package ledger

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/fields"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/limits"
)

// ActionKind is what a corporate action does.
type ActionKind string

// The kinds. A stock dividend acts as a split does.
const (
	ActionSplit         ActionKind = "split"
	ActionStockDividend ActionKind = "stock_dividend"
	// ActionRename and ActionExchange move positions to another symbol, an exchange with a
	// ratio and perhaps cash.
	ActionRename   ActionKind = "rename"
	ActionExchange ActionKind = "exchange"
	// ActionSpinOff opens positions in another symbol for a share of the cost.
	ActionSpinOff ActionKind = "spin_off"
)

// ActionKinds lists the kinds.
func ActionKinds() []ActionKind {
	return []ActionKind{ActionSplit, ActionStockDividend, ActionRename, ActionExchange, ActionSpinOff}
}

// ActionScope is on which instruments a corporate action acts.
type ActionScope string

// The scopes. With ScopeAll, open options are refused if the action changes what they
// deliver.
const (
	ScopeAll     ActionScope = "all"
	ScopeShares  ActionScope = "shares"
	ScopeOptions ActionScope = "options"
)

// ActionSource is where a corporate action came from.
type ActionSource string

// The sources.
const (
	SourceUser ActionSource = "user"
	SourceFile ActionSource = "file"
)

// CorporateAction changes the positions that are open in a symbol at the start of a day.
type CorporateAction struct {
	ID                 journal.ActionID
	Kind               ActionKind
	Symbol             string
	NewSymbol          string // empty for splits and stock dividends
	RatioNew, RatioOld int64
	// CostShare is the share of the cost that a spin-off takes, or that Cash pays for. Cash is
	// what an exchange pays for a share besides.
	CostShare, Cash decimal.Null
	EffectiveOn     journal.Day
	Zone            string
	AppliesTo       ActionScope
	// Accounts are those on which it acts; empty for all.
	Accounts  []journal.AccountID
	Source    ActionSource
	Note      string
	CreatedAt time.Time
	UpdatedAt time.Time

	at int64 // the start of EffectiveOn in Zone, in microseconds since 1970
}

// At returns when the action acts.
func (a *CorporateAction) At() time.Time { return db.FromMicros(a.at) }

// actsOn reports whether the action acts on an account.
func (a *CorporateAction) actsOn(account journal.AccountID) bool {
	return len(a.Accounts) == 0 || slices.Contains(a.Accounts, account)
}

// ActionChange is a change to a corporate action, or a new one.
type ActionChange struct {
	Kind               journal.Opt[ActionKind]
	Symbol             journal.Opt[string]
	NewSymbol          journal.Opt[string]
	RatioNew, RatioOld journal.Opt[int64]
	CostShare, Cash    journal.Opt[decimal.Decimal]
	EffectiveOn        journal.Opt[journal.Day]
	Zone               journal.Opt[string]
	AppliesTo          journal.Opt[ActionScope]
	Accounts           journal.Opt[[]journal.AccountID]
	Source             journal.Opt[ActionSource]
	Note               journal.Opt[string]
}

// maxRatio limits both numbers of a ratio.
const maxRatio = 1_000_000_000_000

// defaultZone is the zone of a day without one: that of the American exchanges.
const defaultZone = "America/New_York"

// apply returns the action after a change, or the reason why it is invalid. now limits the
// day: a split in the future has no effect yet.
func (c *ActionChange) apply(a CorporateAction, now time.Time) (CorporateAction, error) {
	var err error
	a.Kind = c.Kind.Or(a.Kind)
	if !slices.Contains(ActionKinds(), a.Kind) {
		return a, journal.InvalidField("kind", "kind must be split, stock_dividend, rename, exchange or spin_off.")
	}
	if a.Symbol, err = journal.CleanSymbol("symbol", c.Symbol.Or(a.Symbol)); err != nil {
		return a, err
	}
	if err := c.applyTarget(&a); err != nil {
		return a, err
	}
	a.RatioNew, a.RatioOld = c.RatioNew.Or(max(a.RatioNew, 1)), c.RatioOld.Or(max(a.RatioOld, 1))
	for _, n := range []struct {
		field string
		value int64
	}{{"ratio_new", a.RatioNew}, {"ratio_old", a.RatioOld}} {
		if n.value < 1 || n.value > maxRatio {
			return a, journal.InvalidField(n.field, "%s must be a whole number from 1 to %d.", n.field, int64(maxRatio))
		}
	}
	a.AppliesTo = cmp.Or(c.AppliesTo.Or(a.AppliesTo), ScopeAll)
	if a.AppliesTo != ScopeAll && a.AppliesTo != ScopeShares && a.AppliesTo != ScopeOptions {
		return a, journal.InvalidField("applies_to", "applies_to must be all, shares or options.")
	}
	if a.AppliesTo == ScopeOptions && (a.Kind == ActionSpinOff || a.isSplit() && a.wholeRatio() == 0) {
		return a, journal.InvalidField("applies_to", "applies_to must be all or shares: contracts follow a rename, an exchange or a split by a whole number only.")
	}
	a.Source = cmp.Or(c.Source.Or(a.Source), SourceUser)
	if a.Source != SourceUser && a.Source != SourceFile {
		return a, journal.InvalidField("source", "source must be user or file.")
	}
	if a.Note, err = journal.CheckText("note", c.Note.Or(a.Note)); err != nil {
		return a, err
	}
	if c.Accounts.Set {
		a.Accounts = slices.Clone(c.Accounts.Value)
		slices.Sort(a.Accounts)
		a.Accounts = slices.Compact(a.Accounts)
	}
	a.EffectiveOn, a.Zone = c.EffectiveOn.Or(a.EffectiveOn), cmp.Or(c.Zone.Or(a.Zone), defaultZone)
	return a, a.setInstant(now)
}

// applyTarget changes the new symbol, the cash and the share of the cost.
func (c *ActionChange) applyTarget(a *CorporateAction) (err error) {
	a.NewSymbol = c.NewSymbol.Or(a.NewSymbol)
	a.CostShare, a.Cash = changeNull(c.CostShare, a.CostShare), changeNull(c.Cash, a.Cash)
	moves := a.Kind == ActionRename || a.Kind == ActionExchange || a.Kind == ActionSpinOff
	switch {
	case !moves && a.NewSymbol != "":
		return journal.InvalidField("new_symbol", "new_symbol is for a rename, an exchange or a spin_off.")
	case a.CostShare.Valid && a.Kind != ActionExchange && a.Kind != ActionSpinOff:
		return journal.InvalidField("cost_share", "cost_share is for an exchange or a spin_off.")
	case a.Cash.Valid && a.Kind != ActionExchange:
		return journal.InvalidField("cash_per_share", "cash_per_share is for an exchange.")
	case a.CostShare.Valid && (a.CostShare.Decimal.Sign() < 0 || a.CostShare.Decimal.Cmp(decimal.New(1)) > 0):
		return journal.InvalidField("cost_share", "cost_share must be from 0 to 1.")
	case a.CostShare.Valid && a.Kind == ActionExchange && !a.Cash.Valid:
		return journal.InvalidField("cost_share", "cost_share of an exchange is what cash_per_share pays for. Send both.")
	case a.Cash.Valid && a.Cash.Decimal.Sign() < 0:
		return journal.InvalidField("cash_per_share", "cash_per_share must not be negative.")
	}
	for field, n := range map[string]decimal.Null{"cost_share": a.CostShare, "cash_per_share": a.Cash} {
		if err := checkAmount(field, n.Decimal); n.Valid && err != nil {
			return err
		}
	}
	if !moves {
		return nil
	}
	if a.NewSymbol, err = journal.CleanSymbol("new_symbol", a.NewSymbol); err == nil && a.NewSymbol == a.Symbol {
		err = journal.InvalidField("new_symbol", "new_symbol must differ from symbol.")
	}
	return err
}

// setInstant computes the instant at which the action acts.
func (a *CorporateAction) setInstant(now time.Time) error {
	zone, err := journal.ParseZone("tz", a.Zone)
	if err != nil {
		return err
	}
	day, err := journal.ParseDay("effective_on", string(a.EffectiveOn))
	if err != nil {
		return err
	}
	if day > journal.DayOf(now.In(zone)) {
		return journal.InvalidField("effective_on", "effective_on must not be in the future. Record the action on its day.")
	}
	year, month, date := day.Time().Date()
	a.at = db.Micros(time.Date(year, month, date, 0, 0, 0, 0, zone))
	return nil
}

var actionTable = fields.New("corporate_actions",
	fields.List[CorporateAction]{fields.NewID("id", func(a *CorporateAction) *journal.ActionID { return &a.ID })},
	fields.List[CorporateAction]{
		fields.NewText("kind", func(a *CorporateAction) *ActionKind { return &a.Kind }),
		fields.NewText("symbol", func(a *CorporateAction) *string { return &a.Symbol }),
		fields.NewText("new_symbol", func(a *CorporateAction) *string { return &a.NewSymbol }),
		fields.NewInteger("ratio_new", func(a *CorporateAction) *int64 { return &a.RatioNew }),
		fields.NewInteger("ratio_old", func(a *CorporateAction) *int64 { return &a.RatioOld }),
		fields.NewNumber("cost_share", func(a *CorporateAction) *decimal.Null { return &a.CostShare }),
		fields.NewNumber("cash_per_share", func(a *CorporateAction) *decimal.Null { return &a.Cash }),
		fields.NewText("effective_on", func(a *CorporateAction) *journal.Day { return &a.EffectiveOn }),
		fields.NewText("tz", func(a *CorporateAction) *string { return &a.Zone }),
		fields.NewInteger("at", func(a *CorporateAction) *int64 { return &a.at }).Hide(),
		fields.NewText("applies_to", func(a *CorporateAction) *ActionScope { return &a.AppliesTo }),
		fields.NewJSON("account_ids", func(a *CorporateAction) *[]journal.AccountID { return &a.Accounts }),
		fields.NewText("source", func(a *CorporateAction) *ActionSource { return &a.Source }),
		fields.NewText("note", func(a *CorporateAction) *string { return &a.Note }),
		fields.NewTime("created_at", func(a *CorporateAction) *time.Time { return &a.CreatedAt }).Freeze(),
		fields.NewTime("updated_at", func(a *CorporateAction) *time.Time { return &a.UpdatedAt }),
	},
)

var actionHistory = history.NewType("corporate_action", actionTable.Fields, history.Of[CorporateAction]{
	ID: func(a *CorporateAction) string { return string(a.ID) }, Label: func(a *CorporateAction) string { return a.Symbol },
	Account: func(a *CorporateAction) *journal.AccountID {
		if len(a.Accounts) == 1 {
			return &a.Accounts[0]
		}
		return nil
	},
})

var selectActions = actionTable.Select("a")

// actionOrder is the order in which actions act.
const actionOrder = ` ORDER BY a.at, a.created_at, a.id`

func scanAction(row db.Scanner) (a CorporateAction, err error) {
	err = actionTable.Scan(row, &a)
	return a, err
}

// listActions returns a symbol's actions in order.
func listActions(ctx context.Context, tx *db.Tx, owner journal.UserID, symbol string) ([]CorporateAction, error) {
	return db.List(ctx, tx, scanAction, selectActions+` WHERE a.user_id = $1 AND a.symbol = $2`+actionOrder, owner, symbol)
}

// Actions lists the owner's corporate actions, newest day first. A token limited to accounts
// sees those that act on one of them.
func (s *Service) Actions(ctx context.Context, owner journal.UserID) ([]CorporateAction, error) {
	return db.Get(ctx, s.db.Peek, func(tx *db.Tx) ([]CorporateAction, error) { return ListActions(ctx, tx, owner) })
}

// ListActions is [Service.Actions] as a step.
func ListActions(ctx context.Context, tx *db.Tx, owner journal.UserID) ([]CorporateAction, error) {
	list, err := db.List(ctx, tx, scanAction, selectActions+` WHERE a.user_id = $1`+actionOrder, owner)
	slices.Reverse(list)
	return slices.DeleteFunc(list, func(a CorporateAction) bool { return !a.isVisible(ctx) }), err
}

// isVisible reports whether the action acts on an account that the context allows.
func (a *CorporateAction) isVisible(ctx context.Context) bool {
	allows := func(id journal.AccountID) bool { return journal.AllowsAccount(ctx, id) }
	return len(a.Accounts) == 0 || slices.ContainsFunc(a.Accounts, allows)
}

// checkAccounts returns an error if an account of the action is not the owner's, or not one
// that the context allows.
func (a *CorporateAction) checkAccounts(ctx context.Context, tx *db.Tx, owner journal.UserID) error {
	if _, limited := journal.AllowedAccounts(ctx); limited && len(a.Accounts) == 0 {
		return journal.Forbidden("Name the accounts in account_ids: this access token is limited to some.")
	}
	if len(a.Accounts) == 0 {
		return nil
	}
	known, err := Accounts(ctx, tx, owner)
	if err != nil {
		return err
	}
	for _, id := range a.Accounts {
		if !slices.ContainsFunc(known, func(k Account) bool { return k.ID == id }) {
			return journal.InvalidField("account_ids", "There is no account %s.", id)
		}
	}
	return nil
}

// Action returns one action.
func (s *Service) Action(ctx context.Context, owner journal.UserID, id journal.ActionID) (CorporateAction, error) {
	return db.Get(ctx, s.db.Peek, func(tx *db.Tx) (CorporateAction, error) { return readAction(ctx, tx, owner, id, "") })
}

func readAction(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.ActionID, lock string) (CorporateAction, error) {
	a, err := scanAction(tx.QueryRow(ctx, selectActions+` WHERE a.user_id = $1 AND a.id = $2`+lock, owner, id))
	if err == nil && !a.isVisible(ctx) {
		err = db.ErrNoRows
	}
	return a, db.NotFound(err, "corporate action")
}

// CreateAction records an action and converts the positions on which it acts.
func (s *Service) CreateAction(ctx context.Context, owner journal.UserID, change ActionChange) (a CorporateAction, err error) {
	err = s.db.Update(ctx, func(tx *db.Tx) error {
		a, err = s.insertAction(ctx, tx, owner, change)
		return err
	})
	return a, err
}

// insertAction is CreateAction as a step.
func (s *Service) insertAction(ctx context.Context, tx *db.Tx, owner journal.UserID, change ActionChange) (a CorporateAction, err error) {
	now := s.clock()
	a, err = change.apply(CorporateAction{ID: journal.NewID[journal.ActionID](), CreatedAt: now, UpdatedAt: now}, now)
	if err != nil {
		return a, err
	}
	if err := s.checkAction(ctx, tx, owner, a); err != nil {
		return a, err
	}
	if _, err := tx.Exec(ctx, actionTable.Insert(), actionTable.Values(owner, &a)...); err != nil {
		return a, err
	}
	actionHistory.Created(tx, owner, &a)
	return a, s.regroupSymbols(ctx, tx, owner, nil, a.symbols()...)
}

// symbols returns the symbols on whose positions the action acts.
func (a *CorporateAction) symbols() []string {
	if a.NewSymbol == "" {
		return []string{a.Symbol}
	}
	return []string{a.Symbol, a.NewSymbol}
}

// checkAction returns an error if an action cannot be stored: it is one too many, there is
// the same one, or it would change option contracts.
func (s *Service) checkAction(ctx context.Context, tx *db.Tx, owner journal.UserID, a CorporateAction) error {
	if err := a.checkAccounts(ctx, tx, owner); err != nil {
		return err
	}
	var count int
	if err := tx.QueryRow(ctx, `SELECT COUNT(*) FROM corporate_actions WHERE user_id = $1 AND id <> $2`, owner, a.ID).Scan(&count); err != nil {
		return err
	}
	if count >= limits.CorporateActions.Max {
		return limits.CorporateActions.Reached()
	}
	others, err := listActions(ctx, tx, owner, a.Symbol)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(others, a.repeats) {
		return journal.Conflict("%s has an action of this kind on %s already.", a.Symbol, a.EffectiveOn)
	}
	if !a.fits(others) {
		return a.tooMany()
	}
	if a.changesContracts() {
		return checkContracts(ctx, tx, owner, a)
	}
	return nil
}

// changesContracts reports whether the action changes what options of the symbol deliver, so
// their contracts cannot be computed.
func (a *CorporateAction) changesContracts() bool {
	return a.AppliesTo == ScopeAll && (a.Kind == ActionExchange || a.isSplit() && a.wholeRatio() == 0)
}

// maxMagnitude limits what a symbol's actions do to quantities together, in powers of ten.
const maxMagnitude = 24

// fits reports whether the symbol's actions with this one keep quantities within bounds.
func (a *CorporateAction) fits(others []CorporateAction) bool {
	sum := a.magnitude()
	for _, other := range others {
		if other.ID != a.ID {
			sum += other.magnitude()
		}
	}
	return sum <= maxMagnitude
}

// magnitude returns by how many powers of ten the action changes quantities.
func (a *CorporateAction) magnitude() float64 {
	return math.Abs(math.Log10(float64(a.RatioNew) / float64(a.RatioOld)))
}

func (a *CorporateAction) tooMany() error {
	return journal.InvalidField("ratio_new", "The ratios of %s are too large together. Check them.", a.Symbol)
}

// repeats reports whether another action has the same kind, symbol and day for one of the
// accounts.
func (a *CorporateAction) repeats(other CorporateAction) bool {
	if a.ID == other.ID || a.Kind != other.Kind || a.Symbol != other.Symbol || a.EffectiveOn != other.EffectiveOn {
		return false
	}
	return len(a.Accounts) == 0 || len(other.Accounts) == 0 || slices.ContainsFunc(a.Accounts, other.actsOn)
}

// checkContracts returns an error if options of the symbol are open when the action acts:
// their quantity, strike or deliverable would change.
func checkContracts(ctx context.Context, tx *db.Tx, owner journal.UserID, a CorporateAction) error {
	var options []journal.AccountID
	err := db.Each(ctx, tx, func(row db.Scanner) error {
		var account journal.AccountID
		err := row.Scan(&account)
		if a.actsOn(account) {
			options = append(options, account)
		}
		return err
	}, `SELECT DISTINCT accounts.id FROM streams
			JOIN trades ON trades.user_id = streams.user_id AND trades.stream = streams.number
			JOIN accounts ON accounts.user_id = streams.user_id AND accounts.number = streams.account
		WHERE streams.user_id = $1 AND streams.symbol = $2 AND streams.instrument_type = 'option' AND trades.opened_at < $3
			AND (trades.is_open = TRUE OR COALESCE(trades.last_at, trades.list_at) >= $3)`, owner, a.Symbol, a.at)
	if err != nil || len(options) == 0 {
		return err
	}
	return &journal.Error{
		Kind: journal.KindConflict, Code: "adjusted_contract",
		Message: "Options on " + a.Symbol + " were open on that day, and this action changes what they deliver. Send it with applies_to shares, " +
			"and a rename or an exchange of the contracts with applies_to options.",
	}
}

// ChangeAction changes what is sent, and the positions on which the action acts.
func (s *Service) ChangeAction(
	ctx context.Context, owner journal.UserID, id journal.ActionID, change ActionChange, check func(CorporateAction) error,
) (a CorporateAction, err error) {
	err = s.db.Update(ctx, func(tx *db.Tx) error {
		old, err := s.lockAction(ctx, tx, owner, id, check)
		if err != nil {
			return err
		}
		now := s.clock()
		if a, err = change.apply(old, now); err != nil {
			return err
		}
		a.UpdatedAt = now
		if err := s.checkAction(ctx, tx, owner, a); err != nil {
			return err
		}
		actionHistory.Updated(tx, owner, &old, &a)
		if _, err := tx.Exec(ctx, actionTable.Update(), actionTable.UpdateValues(owner, &a)...); err != nil {
			return err
		}
		return s.regroupSymbols(ctx, tx, owner, nil, append(old.symbols(), a.symbols()...)...)
	})
	return a, err
}

// DeleteAction deletes an action. The positions are again as they were without it.
func (s *Service) DeleteAction(ctx context.Context, owner journal.UserID, id journal.ActionID, check func(CorporateAction) error) error {
	return s.db.Update(ctx, func(tx *db.Tx) error {
		a, err := s.lockAction(ctx, tx, owner, id, check)
		if err != nil {
			return err
		}
		return s.deleteAction(ctx, tx, owner, a)
	})
}

// deleteAction is DeleteAction as a step.
func (s *Service) deleteAction(ctx context.Context, tx *db.Tx, owner journal.UserID, a CorporateAction) error {
	actionHistory.Deleted(tx, owner, &a)
	if err := history.Keep(ctx, tx, owner, "corporate_actions", `id = $2`, a.ID); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `DELETE FROM corporate_actions WHERE user_id = $1 AND id = $2`, owner, a.ID); err != nil {
		return err
	}
	return s.regroupSymbols(ctx, tx, owner, nil, a.symbols()...)
}

// lockAction reads an action that is about to change. A token limited to accounts can change
// those that act on its accounts only.
func (s *Service) lockAction(
	ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.ActionID, check func(CorporateAction) error,
) (CorporateAction, error) {
	a, err := readAction(ctx, tx, owner, id, tx.Lock())
	if err != nil {
		return a, err
	}
	if err := a.checkAccounts(ctx, tx, owner); err != nil {
		return a, journal.Forbidden("This access token is limited to other accounts than the action.")
	}
	return a, runCheck(check, a)
}

// regroupSymbols applies the stored actions to the streams of some symbols. u is the undo
// that it is part of, nil for none.
func (s *Service) regroupSymbols(ctx context.Context, tx *db.Tx, owner journal.UserID, u *history.Undoing, symbols ...string) error {
	slices.Sort(symbols)
	symbols = slices.Compact(symbols)
	accounts, err := db.ListIn(ctx, tx, symbols, db.Single[journal.AccountID], `
		SELECT DISTINCT id FROM accounts JOIN streams ON streams.user_id = accounts.user_id AND streams.account = accounts.number
		WHERE accounts.user_id = $1 AND streams.symbol IN $keys`, owner)
	if err != nil {
		return err
	}
	slices.Sort(accounts)
	for _, account := range slices.Compact(accounts) {
		if !journal.AllowsAccount(ctx, account) {
			continue // its events do not change
		}
		if u != nil && isWhole(u, account) {
			continue // it goes as it is, or came back with its trades; see reapplyActions
		}
		err := s.withBook(ctx, tx, owner, account, func(b *book) error {
			if err := b.loadEffects(ctx); err != nil {
				return err
			}
			if u != nil {
				b.effects.undone = true
				if err := b.loadHints(ctx, u); err != nil {
					return err
				}
			}
			return b.applyActions(ctx, symbols)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// reapplyActions applies the actions of now to an account that came back: some may have
// changed since it was deleted.
func (s *Service) reapplyActions(ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID) error {
	return s.withBook(ctx, tx, owner, account, func(b *book) error {
		symbols, err := db.List(ctx, tx, db.Single[string], `SELECT DISTINCT symbol FROM streams
			WHERE user_id = $1 AND account = $2 AND (events IS NOT NULL OR EXISTS (
				SELECT 1 FROM corporate_actions AS a WHERE a.user_id = $1 AND streams.symbol IN (a.symbol, a.new_symbol)))`, owner, b.account.number)
		if err != nil || len(symbols) == 0 {
			return err
		}
		if err := b.loadEffects(ctx); err != nil {
			return err
		}
		return b.applyActions(ctx, symbols)
	})
}

// actionUndoer undoes changes to corporate actions.
type actionUndoer struct {
	*history.Records[CorporateAction]
}

// Apply implements [history.Undoer]. It undoes everything in the first phase, as fills are:
// the trades have to be as before when what was written on them is set back.
func (a actionUndoer) Apply(ctx context.Context, u *history.Undoing, objects []history.Object, phase history.Phase) error {
	if phase != history.Restoring {
		return nil
	}
	for _, each := range []history.Phase{history.Restoring, history.Reverting, history.Removing} {
		if err := a.Records.Apply(ctx, u, objects, each); err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) newActionUndoer() history.Undoer {
	r := history.TableRecords(actionHistory, actionTable, s.clock)
	save := r.Save
	r.Save = func(ctx context.Context, tx *db.Tx, owner journal.UserID, before, after []CorporateAction) error {
		for i := range after {
			if err := after[i].setInstant(s.clock()); err != nil {
				return err
			}
		}
		return save(ctx, tx, owner, before, after)
	}
	r.FindObstacle = func(ctx context.Context, u *history.Undoing, a *CorporateAction) (history.Key, error) {
		others, err := listActions(ctx, u.Tx, u.Owner, a.Symbol)
		if at := slices.IndexFunc(others, a.repeats); at >= 0 {
			return history.Key{Type: "corporate_action", ID: string(others[at].ID)}, nil
		}
		return history.Key{}, err
	}
	r.Changed = func(ctx context.Context, u *history.Undoing, before, after *CorporateAction) error {
		var symbols []string
		for _, a := range []*CorporateAction{before, after} {
			if a != nil {
				symbols = append(symbols, a.symbols()...)
			}
		}
		return s.regroupSymbols(ctx, u.Tx, u.Owner, u, symbols...)
	}
	return actionUndoer{r}
}

// NewAction is an action to be restored, with the instant at which it was created.
type NewAction struct {
	ActionChange
	CreatedAt time.Time
}

// RestoredAction is what became of an action in a backup.
type RestoredAction struct {
	// Changed reports whether it was stored: there may be the same one already.
	Changed bool
	// Err is why it was refused. The others are restored.
	Err error
}

// RestoreActions stores a backup's actions, except those that are stored already, and
// applies them to stored fills. It is a step.
func (s *Service) RestoreActions(ctx context.Context, tx *db.Tx, owner journal.UserID, list []NewAction) ([]RestoredAction, error) {
	if len(list) == 0 {
		return nil, nil
	}
	stored, err := db.List(ctx, tx, scanAction, selectActions+` WHERE a.user_id = $1`+actionOrder, owner)
	if err != nil {
		return nil, err
	}
	type day struct {
		symbol string
		on     journal.Day
	}
	known, bySymbol := map[day][]CorporateAction{}, map[string][]CorporateAction{}
	for _, a := range stored {
		bySymbol[a.Symbol] = append(bySymbol[a.Symbol], a)
		known[day{a.Symbol, a.EffectiveOn}] = append(known[day{a.Symbol, a.EffectiveOn}], a)
	}
	out := make([]RestoredAction, len(list))
	var rows [][]any
	var symbols []string
	for i, in := range list {
		a, err := in.apply(CorporateAction{ID: journal.NewID[journal.ActionID](), CreatedAt: in.CreatedAt, UpdatedAt: in.CreatedAt}, s.clock())
		same := day{a.Symbol, a.EffectiveOn}
		switch {
		case err != nil:
			out[i].Err = err
		case slices.ContainsFunc(known[same], a.repeats):
		case len(stored)+len(rows) >= limits.CorporateActions.Max:
			out[i].Err = limits.CorporateActions.Reached()
		case !a.fits(bySymbol[a.Symbol]):
			out[i].Err = a.tooMany()
		default:
			bySymbol[a.Symbol] = append(bySymbol[a.Symbol], a)
			known[same] = append(known[same], a)
			rows, symbols = append(rows, actionTable.Values(owner, &a)), append(symbols, a.symbols()...)
			out[i].Changed = true
			actionHistory.Brought(tx, owner, &a)
		}
	}
	if len(rows) == 0 {
		return out, nil
	}
	err = insertRows(ctx, tx, actionTable.Name, actionTable.Columns(), len(rows), func(i int) []any { return rows[i] })
	if err != nil {
		return nil, err
	}
	slices.Sort(symbols)
	traded, err := db.ListIn(ctx, tx, slices.Compact(symbols), db.Single[string],
		`SELECT DISTINCT symbol FROM streams WHERE user_id = $1 AND symbol IN $keys`, owner)
	if err != nil {
		return nil, err
	}
	return out, s.regroupSymbols(ctx, tx, owner, nil, traded...)
}

// deleteActionsOf deletes the actions that act on one account only, with the account.
func deleteActionsOf(ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID) error {
	list, err := db.List(ctx, tx, scanAction, selectActions+` WHERE a.user_id = $1 AND a.account_ids LIKE $2`, owner, `%"`+string(account)+`"%`)
	if err != nil {
		return err
	}
	for _, a := range list {
		if len(a.Accounts) > 1 {
			continue
		}
		if err := history.Keep(ctx, tx, owner, "corporate_actions", `id = $2`, a.ID); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `DELETE FROM corporate_actions WHERE user_id = $1 AND id = $2`, owner, a.ID); err != nil {
			return err
		}
	}
	return nil
}
