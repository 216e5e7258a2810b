package statement

import (
	"cmp"
	"slices"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/intake/parse"
)

// maxActions limits the corporate actions of one file; the rows of further ones are skipped
// with a warning.
const maxActions = 200

// resolveActions turns rows about corporate actions into actions. The rows of one that is not
// clear are what they are by themselves.
func (s *Statement) resolveActions() {
	if len(s.statedActions) == 0 {
		return
	}
	r := actionResolver{s: s, taken: map[*Fill]bool{}, withOptions: map[string]bool{}}
	var shares, contracts []statedAction
	for _, one := range s.statedActions {
		if one.isOption() {
			contracts, r.withOptions[one.Symbol] = append(contracts, one), true
		} else {
			shares = append(shares, one)
		}
	}
	r.resolveShares(shares)
	r.resolveContracts(contracts)
	s.Actions = joinSplits(s.Actions)
	s.Fills = slices.DeleteFunc(s.Fills, func(f *Fill) bool { return r.taken[f] })
	s.statedActions, s.companies = nil, nil
}

// actionResolver finds out which rows are about one corporate action.
type actionResolver struct {
	s *Statement
	// taken are the fills that actions replace.
	taken map[*Fill]bool
	// withOptions are the symbols with rows about option contracts.
	withOptions map[string]bool
}

// groupRows returns the rows with equal keys, in the order of the first of each.
func groupRows[K comparable](rows []statedAction, key func(*statedAction) K) (groups [][]statedAction) {
	places := map[K]int{}
	for _, one := range rows {
		k := key(&one)
		place, known := places[k]
		if !known {
			place = len(groups)
			places[k], groups = place, append(groups, nil)
		}
		groups[place] = append(groups[place], one)
	}
	return groups
}

// actionKey is equal for the rows of one action. group is empty for a split.
type actionKey struct {
	symbol, group string
	day           journal.Day
}

// resolveShares resolves rows about shares.
func (r *actionResolver) resolveShares(rows []statedAction) {
	var splits, named, spinOffs, others []statedAction
	for _, one := range rows {
		switch {
		case one.Parent != "":
			named = append(named, one)
		case one.Kind == ActionSpinOff:
			spinOffs = append(spinOffs, one)
		case one.Kind.isSplit():
			splits = append(splits, one)
		default:
			others = append(others, one)
		}
	}
	for _, group := range groupRows(splits, func(a *statedAction) actionKey { return actionKey{symbol: a.Symbol, day: a.Day} }) {
		if action, ok := newSplit(group); ok {
			r.take(action, group)
		} else {
			others = append(others, group...)
		}
	}
	for _, group := range groupRows(named, func(a *statedAction) actionKey { return actionKey{a.Parent, a.Group, a.Day} }) {
		r.take(newNamedAction(group), group)
	}
	for _, group := range groupRows(spinOffs, func(a *statedAction) actionKey { return actionKey{symbol: a.Symbol, day: a.Day} }) {
		r.take(r.newSpinOff(group), group)
	}
	for _, group := range groupRows(others, func(a *statedAction) actionKey { return actionKey{group: a.Group, day: a.Day} }) {
		r.take(r.newExchange(group), group)
	}
}

// take adds an action and leaves out its rows. Without a kind, the rows are what they are by
// themselves.
func (r *actionResolver) take(a Action, rows []statedAction) {
	unchanged := a.Kind != "" && a.NewSymbol == "" && a.New > 0 && a.New == a.Old
	if a.Kind == "" || !unchanged && len(r.s.Actions) >= maxActions {
		for _, one := range rows {
			one.warn()
		}
		return
	}
	reason := reasonUnchanged
	if !unchanged {
		reason = actionReasons[a.Kind]
		if !a.OptionsOnly && a.Kind != ActionRename {
			a.SharesOnly = r.withOptions[a.Symbol]
		}
		r.s.Actions = append(r.s.Actions, a)
	}
	for _, one := range rows {
		r.s.Skip(one.row, reason)
		r.taken[one.fill] = true
	}
}

// maxSplitDays is how many days a broker may take to add all shares of one split.
const maxSplitDays = 7

// joinSplits joins actions that only state added shares and are about one split: shares that
// were bought before the split and settle after it come on another day. The later day counts, as
// no shares were bought at the new price before it.
func joinSplits(list []Action) []Action {
	joined := make([]Action, 0, len(list))
	for _, a := range list {
		addsOnly := a.Kind.isSplit() && a.New == 0
		first := slices.IndexFunc(joined, func(b Action) bool {
			days := b.Day.DaysUntil(a.Day)
			return addsOnly && b.New == 0 && b.Kind == a.Kind && b.Symbol == a.Symbol && max(days, -days) <= maxSplitDays
		})
		if first < 0 {
			joined = append(joined, a)
			continue
		}
		joined[first].Came, joined[first].Day = joined[first].Came.Add(a.Came), max(joined[first].Day, a.Day)
	}
	return joined
}

// newSplit returns the split that some rows are about.
func newSplit(rows []statedAction) (a Action, ok bool) {
	a = Action{Row: rows[0].row, Kind: rows[0].Kind, Symbol: rows[0].Symbol, Day: rows[0].Day}
	var came, left decimal.Decimal
	adds := true
	for _, one := range rows {
		if a.New == 0 {
			a.New, a.Old = findRatio(one.Text)
		}
		adds = adds && one.Adds && one.Side == parse.EffectUnknown
		if one.left() {
			left = left.Add(one.Quantity.Abs())
		} else {
			came = came.Add(one.Quantity.Abs())
		}
	}
	switch {
	case isNameless(a.Symbol):
		return a, false
	case a.New > 0:
		return a, a.New != a.Old
	case !came.IsZero() && !left.IsZero():
		a.New, a.Old, ok = SplitRatio(came, left)
		return a, ok
	}
	a.Came = came
	return a, adds && left.IsZero()
}

// newNamedAction returns the action that rows are about which state the symbol on which it
// acts, without a kind if it is not clear. The rows of a split need not state the shares
// that left.
func newNamedAction(rows []statedAction) Action {
	first := &rows[0]
	a := Action{Row: first.row, Kind: first.Kind, Symbol: first.Parent, Day: first.Day, Cash: first.Cash}
	var came, left, replaced decimal.Decimal
	for _, one := range rows {
		if a.New == 0 {
			a.New, a.Old = findRatio(one.Text)
		}
		if one.Quantity.Sign() > 0 {
			came = came.Add(one.Quantity)
		} else {
			left = left.Sub(one.Quantity)
		}
		switch {
		case one.Symbol == a.Symbol:
			replaced = replaced.Sub(one.Quantity)
			continue
		case a.NewSymbol != "" && a.NewSymbol != one.Symbol:
			return Action{}
		}
		a.NewSymbol, a.Came = one.Symbol, a.Came.Add(one.Quantity)
	}
	if first.Optional {
		a.Left = replaced
	}
	switch {
	case a.Kind == ActionSpinOff:
		if a.NewSymbol == "" {
			return Action{}
		}
		return a
	case a.Kind == ActionStockDividend:
		if a.New == 0 {
			return Action{}
		}
		if a.NewSymbol != "" {
			a.Kind = ActionSpinOff
		} else {
			a.New += a.Old
		}
		return a
	case a.Kind == ActionExchange && (came.IsZero() || left.IsZero()):
		return Action{}
	}
	return a.exchanged(came, left)
}

// exchanged returns the action with the kind that follows from its symbols and ratio. came
// and left decide the ratio if the file does not state it.
func (a Action) exchanged(came, left decimal.Decimal) Action {
	if a.New == 0 {
		var ok bool
		if a.New, a.Old, ok = exchangeRatio(came, left); !ok {
			return Action{}
		}
	}
	switch {
	case a.NewSymbol == "" && a.Cash.Valid:
		return Action{}
	case a.NewSymbol == "":
		a.Kind, a.Came = ActionSplit, decimal.Zero
	case a.New == a.Old && !a.Cash.Valid:
		a.Kind = ActionRename
	default:
		a.Kind = ActionExchange
	}
	return a
}

// newSpinOff returns the spin-off that rows are about which do not state from which symbol,
// without a kind if the file has none of the company's name.
func (r *actionResolver) newSpinOff(rows []statedAction) Action {
	a := Action{Row: rows[0].row, Kind: ActionSpinOff, NewSymbol: rows[0].Symbol, Day: rows[0].Day}
	for _, one := range rows {
		a.Came = a.Came.Add(one.Quantity)
	}
	a.Candidates = r.s.candidates(rows[0].Company, a.NewSymbol)
	if len(a.Candidates) == 0 || isNameless(a.NewSymbol) || a.Came.Sign() <= 0 {
		return Action{}
	}
	return a
}

// newExchange returns the action that rows are about of which one symbol left and one came,
// without a kind if that is not so.
func (r *actionResolver) newExchange(rows []statedAction) Action {
	a := Action{Row: rows[0].row, Day: rows[0].Day}
	var came, left exchangeSide
	for _, one := range rows {
		of := &came
		if one.left() {
			of = &left
		}
		if !of.add(&one) {
			return Action{}
		}
	}
	isSplit := rows[0].Kind.isSplit()
	switch {
	case came.rows == 0 || left.rows == 0 || isNameless(came.symbol) || !sameValue(came.value, left.value):
		return Action{}
	case came.symbol == left.symbol:
		a.Symbol = came.symbol
	case isNameless(left.symbol) && isSplit && sameCompany(companyWords(came.company), companyWords(left.company)):
		a.Symbol = came.symbol // the shares before the split have a number only
	case isSplit && left.value.IsZero():
		return Action{}
	case isNameless(left.symbol):
		a.NewSymbol, a.Left = came.symbol, left.quantity
		if a.Candidates = r.s.candidates(left.company, came.symbol); len(a.Candidates) == 0 {
			return Action{}
		}
	default:
		a.Symbol, a.NewSymbol = left.symbol, came.symbol
	}
	if a.NewSymbol != "" {
		a.Came = came.quantity
	}
	return a.exchanged(came.quantity, left.quantity)
}

// exchangeSide adds up the rows of what came or left.
type exchangeSide struct {
	rows            int
	symbol, company string
	quantity, value decimal.Decimal
}

// add adds a row, and returns false if it is of another symbol.
func (s *exchangeSide) add(one *statedAction) bool {
	if s.rows > 0 && s.symbol != one.Symbol {
		return false
	}
	s.rows++
	s.symbol, s.company = one.Symbol, cmp.Or(s.company, one.Company)
	s.quantity = s.quantity.Add(one.Quantity.Abs())
	if one.fill != nil {
		s.value = s.value.Add(one.fill.Price.Mul(one.Quantity))
	}
	return true
}

// sameValue reports whether two values are equal but for the rounding of prices.
func sameValue(a, b decimal.Decimal) bool {
	return a.Sub(b).Abs().Cmp(decimal.FromScaled(1, 2)) < 0
}

// contractKey is equal for the rows about one option contract.
type contractKey struct {
	group, right, strike string
	expiry               journal.Day
}

// resolveContracts resolves rows about option contracts that are replaced by others with the
// same terms: as many with the same name go on, and another name is a rename.
func (r *actionResolver) resolveContracts(rows []statedAction) {
	type renameKey struct {
		from, to string
		day      journal.Day
	}
	renames := map[renameKey]int{} // the place among the actions
	for i, a := range r.s.Actions {
		if a.Kind == ActionRename {
			renames[renameKey{a.Symbol, a.NewSymbol, a.Day}] = i
		}
	}
	for _, group := range groupRows(rows, func(a *statedAction) contractKey {
		return contractKey{group: a.Group, right: a.fill.Right, strike: a.fill.Strike.Decimal.String(), expiry: a.fill.Expiry}
	}) {
		a := r.newExchange(group)
		if a.New != a.Old || a.Symbol == "" {
			a = Action{}
		}
		a.OptionsOnly = true
		key := renameKey{a.Symbol, a.NewSymbol, a.Day}
		if _, known := renames[key]; known && a.Kind == ActionRename {
			for _, one := range group {
				r.s.Skip(one.row, actionReasons[ActionRename])
				r.taken[one.fill] = true
			}
			continue
		}
		r.take(a, group)
		if a.Kind == ActionRename {
			renames[key] = len(r.s.Actions) - 1
		}
	}
}
