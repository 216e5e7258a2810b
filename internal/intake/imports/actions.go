package imports

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/intake/statement"
	"fillbook/internal/trading/instruments"
	"fillbook/internal/trading/ledger"
)

// FileAction is a corporate action that a file states.
type FileAction struct {
	Row      int                    `json:"row"`
	Symbol   string                 `json:"symbol"`
	State    ledger.FileActionState `json:"state" enum:"new,known,contradicts,unclear" doc:"new: a commit records it, unless corporate_actions=ignore. known: it is recorded already. contradicts: another ratio or symbol is recorded for about that day. unclear: what it changes does not follow from the shares held. Only new ones are recorded."`
	Proposal *ActionProposal        `json:"proposal,omitzero" doc:"The body of POST /corporate-actions that records it; absent if it is unclear."`
	ActionID *journal.ActionID      `json:"action_id" doc:"What a commit recorded; null if nothing."`

	kind    ledger.ActionKind
	refusal string // why it could not be recorded
}

// ActionProposal is the body of a request that records a corporate action.
type ActionProposal struct {
	Kind         ledger.ActionKind   `json:"kind" enum:"split,stock_dividend,rename,exchange,spin_off"`
	Symbol       string              `json:"symbol"`
	NewSymbol    string              `json:"new_symbol,omitempty" doc:"Of a rename, an exchange or a spin_off."`
	RatioNew     int64               `json:"ratio_new"`
	RatioOld     int64               `json:"ratio_old"`
	CashPerShare *decimal.Decimal    `json:"cash_per_share,omitempty" doc:"What an exchange pays besides."`
	EffectiveOn  journal.Day         `json:"effective_on"`
	AppliesTo    ledger.ActionScope  `json:"applies_to" enum:"all,shares,options"`
	AccountIDs   []journal.AccountID `json:"account_ids"`
	Source       ledger.ActionSource `json:"source" enum:"file"`
}

// plannedFill is a fill of shares by its place in the plan.
type plannedFill struct {
	ledger.HeldFill
	place int
}

// takeActions plans the statement's corporate actions. What was held decides about some of
// them, so those need the fills of their symbols.
func (p *plan) takeActions(s *statement.Statement) {
	p.actions = s.Actions
	slices.SortStableFunc(p.actions, func(a, b statement.Action) int { return cmp.Compare(a.Day, b.Day) })
	p.held = map[string][]plannedFill{}
	for _, a := range s.Actions {
		if a.New == 0 || !a.Left.IsZero() {
			for _, symbol := range slices.Concat(a.Candidates, []string{a.Symbol}) {
				p.held[symbol] = nil
			}
		}
	}
	if len(p.held) == 0 {
		return
	}
	for i, f := range s.Fills {
		if list, isNeeded := p.held[f.Symbol]; isNeeded && (f.Type == "" || f.Type == instruments.TypeStock) {
			p.held[f.Symbol] = append(list, plannedFill{ledger.HeldFill{At: f.At, Quantity: f.SignedQuantity()}, i})
		}
	}
}

// planActions compares the file's corporate actions with the journal. known says which fills of
// the plan are stored. It is a step.
func (p *plan) planActions(
	ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID, known func(place int) bool,
) (list []FileAction, changes []ledger.ActionChange, err error) {
	list = []FileAction{}
	more := map[string][]ledger.HeldFill{}
	for symbol, fills := range p.held {
		for _, f := range fills {
			if !known(f.place) {
				more[symbol] = append(more[symbol], f.HeldFill)
			}
		}
	}
	var before []ledger.FileAction
	for _, a := range p.actions {
		stated := ledger.FileAction{
			Kind: ledger.ActionKind(a.Kind), Symbol: a.Symbol, NewSymbol: a.NewSymbol, Candidates: a.Candidates, Day: a.Day,
			New: a.New, Old: a.Old, Came: a.Came, Left: a.Left, Cash: a.Cash, SharesOnly: a.SharesOnly, OptionsOnly: a.OptionsOnly, Before: before,
		}
		change, state, err := ledger.PlanFileAction(ctx, tx, owner, account, stated, more)
		if err != nil {
			return nil, nil, err
		}
		stated.Symbol, stated.New, stated.Old, stated.Before = change.Symbol.Value, change.RatioNew.Value, change.RatioOld.Value, nil
		if state == ledger.FileActionContradicts {
			stated.New = 0 // the shares held since are not known
		}
		if state != ledger.FileActionKnown || stated.NewSymbol != "" {
			before = append(before, stated)
		}
		list, changes = append(list, newFileAction(a, change, state)), append(changes, change)
	}
	return list, changes, nil
}

func newFileAction(a statement.Action, change ledger.ActionChange, state ledger.FileActionState) FileAction {
	out := FileAction{Row: a.Row, Symbol: cmp.Or(change.Symbol.Value, a.NewSymbol), State: state, kind: change.Kind.Value}
	if change.RatioNew.Value == 0 || change.Symbol.Value == "" || state == ledger.FileActionUnclear {
		return out
	}
	out.Proposal = &ActionProposal{
		Kind: change.Kind.Value, Symbol: change.Symbol.Value, NewSymbol: change.NewSymbol.Value, RatioNew: change.RatioNew.Value,
		RatioOld: change.RatioOld.Value, EffectiveOn: change.EffectiveOn.Value, AppliesTo: change.AppliesTo.Value,
		AccountIDs: change.Accounts.Value, Source: change.Source.Value,
	}
	if change.Cash.Set {
		out.Proposal.CashPerShare = &change.Cash.Value
	}
	return out
}

// actionNames are the kinds in sentences.
var actionNames = map[ledger.ActionKind]string{
	ledger.ActionSplit: "split", ledger.ActionStockDividend: "stock dividend", ledger.ActionRename: "new symbol",
	ledger.ActionExchange: "exchange", ledger.ActionSpinOff: "spin-off",
}

// describe names the action for its user.
func (a FileAction) describe() string {
	p := a.Proposal
	if p == nil {
		return fmt.Sprintf("The %s of %s", actionNames[a.kind], a.Symbol)
	}
	switch p.Kind { //nolint:exhaustive // the others have no new symbol
	case ledger.ActionRename:
		what := ""
		if p.AppliesTo == ledger.ScopeOptions {
			what = " of the options"
		}
		return fmt.Sprintf("%s: new symbol%s %s on %s", p.Symbol, what, p.NewSymbol, p.EffectiveOn)
	case ledger.ActionExchange:
		cash := ""
		if p.CashPerShare != nil {
			cash = fmt.Sprintf(" and %s a share", p.CashPerShare)
		}
		return fmt.Sprintf("%s: exchange for %d %s per %d%s on %s", p.Symbol, p.RatioNew, p.NewSymbol, p.RatioOld, cash, p.EffectiveOn)
	case ledger.ActionSpinOff:
		return fmt.Sprintf("%s: spin-off of %d %s per %d on %s, without a share of the cost", p.Symbol, p.RatioNew, p.NewSymbol, p.RatioOld, p.EffectiveOn)
	}
	return fmt.Sprintf("%s: %s %d for %d on %s", p.Symbol, actionNames[p.Kind], p.RatioNew, p.RatioOld, p.EffectiveOn)
}

// warnActions adds a warning for each of a file's actions: what became of it, or would.
func (w *Warnings) warnActions(list []FileAction, records bool) {
	for _, a := range list {
		text := ""
		switch {
		case a.State == ledger.FileActionContradicts:
			text = "%s is in the file, but another one is recorded. Check it under Corporate actions."
		case a.State == ledger.FileActionUnclear:
			text = "%s was left out: what it changes does not follow from the shares held. Record it under Corporate actions."
		case a.State == ledger.FileActionKnown:
			continue
		case a.refusal != "":
			text = "%s was not recorded. " + strings.ReplaceAll(a.refusal, "%", "%%")
		case a.ActionID != nil:
			text = "%s was recorded. Delete it under Corporate actions if it is wrong."
		case records:
			text = "%s will be recorded."
		default:
			text = "%s was not recorded. Record it under Corporate actions if it is right."
		}
		w.addWarningTexts([]string{fmt.Sprintf(text, a.describe())})
	}
}

// recordsActions reports whether a commit records what a file says of corporate actions. Of a
// delivery it does not, because it has no preview.
func (b *Batch) recordsActions() bool { return !b.Origin.isAutomatic() && !b.ignoresActions }

// recordActions records the file's new corporate actions.
func (s *Service) recordActions(ctx context.Context, tx *db.Tx, b *Batch, p *plan, result *Result) error {
	if len(p.actions) == 0 {
		return nil
	}
	list, changes, err := p.planActions(ctx, tx, b.UserID, b.Account, func(int) bool { return true })
	if err != nil {
		return err
	}
	for i := range list {
		if list[i].State != ledger.FileActionNew || !b.recordsActions() {
			continue
		}
		id, refusal, err := s.ledger.RecordFileAction(ctx, tx, b.UserID, changes[i])
		switch {
		case err != nil:
			return err
		case refusal != nil:
			list[i].refusal = refusal.Message
		default:
			list[i].ActionID = &id
		}
	}
	result.CorporateActions = list
	result.warnActions(list, false)
	return nil
}

// actionIDs returns the corporate actions that the commit recorded.
func (r *Result) actionIDs() (ids []journal.ActionID) {
	if r == nil {
		return nil
	}
	for _, a := range r.CorporateActions {
		if a.ActionID != nil {
			ids = append(ids, *a.ActionID)
		}
	}
	return ids
}
