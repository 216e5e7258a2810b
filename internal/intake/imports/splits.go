package imports

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/intake/statement"
	"fillbook/internal/trading/instruments"
	"fillbook/internal/trading/ledger"
)

// FileAction is a corporate action that a file states.
type FileAction struct {
	Row      int               `json:"row"`
	Symbol   string            `json:"symbol"`
	State    ledger.SplitState `json:"state" enum:"new,known,contradicts,unclear" doc:"new: a commit records it, unless corporate_actions=ignore. known: it is recorded already. contradicts: another ratio is recorded for about that day. unclear: the ratio does not follow from the shares held. Only new ones are recorded."`
	Proposal *ActionProposal   `json:"proposal,omitzero" doc:"The body of POST /corporate-actions that records it; absent if it is unclear."`
	ActionID *journal.ActionID `json:"action_id" doc:"What a commit recorded; null if nothing."`

	refusal string // why it could not be recorded
}

// ActionProposal is the body of a request that records a corporate action.
type ActionProposal struct {
	Kind        ledger.ActionKind   `json:"kind" enum:"split"`
	Symbol      string              `json:"symbol"`
	RatioNew    int64               `json:"ratio_new"`
	RatioOld    int64               `json:"ratio_old"`
	EffectiveOn journal.Day         `json:"effective_on"`
	AppliesTo   ledger.ActionScope  `json:"applies_to" enum:"all,shares"`
	AccountIDs  []journal.AccountID `json:"account_ids"`
	Source      ledger.ActionSource `json:"source" enum:"file"`
}

// plannedSplit is a split in a file with the file's fills that decide its ratio.
type plannedSplit struct {
	statement.Split
	fills []plannedFill
}

// plannedFill is a fill by its place in the plan.
type plannedFill struct {
	ledger.HeldFill
	place int
}

// takeSplits plans the statement's splits. One that states only the shares that came needs
// the fills of its symbol.
func (p *plan) takeSplits(s *statement.Statement) {
	bySymbol := map[string][]plannedFill{}
	for _, split := range s.Splits {
		if split.New == 0 {
			bySymbol[split.Symbol] = nil
		}
	}
	if len(bySymbol) > 0 {
		for i, f := range s.Fills {
			if list, isNeeded := bySymbol[f.Symbol]; isNeeded && (f.Type == "" || f.Type == instruments.TypeStock) {
				bySymbol[f.Symbol] = append(list, plannedFill{ledger.HeldFill{At: f.At, Quantity: f.SignedQuantity()}, i})
			}
		}
	}
	for _, split := range s.Splits {
		p.splits = append(p.splits, plannedSplit{Split: split, fills: bySymbol[split.Symbol]})
	}
}

// planSplits compares the file's splits with the journal. known says which fills of the plan
// are stored. It is a step.
func (p *plan) planSplits(
	ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID, known func(place int) bool,
) (list []FileAction, changes []ledger.ActionChange, err error) {
	list = []FileAction{}
	slices.SortStableFunc(p.splits, func(a, b plannedSplit) int { return cmp.Compare(a.Day, b.Day) })
	before := map[string][]ledger.FileSplit{} // by symbol, those that are not recorded
	for _, split := range p.splits {
		var more []ledger.HeldFill
		for _, f := range split.fills {
			if !known(f.place) {
				more = append(more, f.HeldFill)
			}
		}
		stated := ledger.FileSplit{
			Symbol: split.Symbol, Day: split.Day, New: split.New, Old: split.Old, Added: split.Added, SharesOnly: split.SharesOnly,
			Before: before[split.Symbol],
		}
		change, state, err := ledger.PlanSplit(ctx, tx, owner, account, stated, more)
		if err != nil {
			return nil, nil, err
		}
		if state != ledger.SplitKnown {
			stated.New, stated.Old = change.RatioNew.Value, change.RatioOld.Value
			if state == ledger.SplitContradicts {
				stated.New = 0 // the shares held since are not known
			}
			before[split.Symbol] = append(before[split.Symbol], stated)
		}
		list, changes = append(list, newFileAction(split.Split, change, state)), append(changes, change)
	}
	return list, changes, nil
}

func newFileAction(split statement.Split, change ledger.ActionChange, state ledger.SplitState) FileAction {
	out := FileAction{Row: split.Row, Symbol: split.Symbol, State: state}
	if change.RatioNew.Value > 0 {
		out.Proposal = &ActionProposal{
			Kind: change.Kind.Value, Symbol: change.Symbol.Value, RatioNew: change.RatioNew.Value, RatioOld: change.RatioOld.Value,
			EffectiveOn: change.EffectiveOn.Value, AppliesTo: change.AppliesTo.Value, AccountIDs: change.Accounts.Value, Source: change.Source.Value,
		}
	}
	return out
}

// describe names the action for its user.
func (a FileAction) describe() string {
	if a.Proposal == nil {
		return "The split of " + a.Symbol
	}
	return fmt.Sprintf("%s: split %d for %d on %s", a.Symbol, a.Proposal.RatioNew, a.Proposal.RatioOld, a.Proposal.EffectiveOn)
}

// warnActions adds a warning for each of a file's actions: what became of it, or would.
func (w *Warnings) warnActions(list []FileAction, records bool) {
	for _, a := range list {
		text := ""
		switch {
		case a.State == ledger.SplitContradicts:
			text = "%s is in the file, but another ratio is recorded. Check it under Corporate actions."
		case a.State == ledger.SplitUnclear:
			text = "%s was left out: its ratio does not follow from the shares held. Record it under Corporate actions."
		case a.State == ledger.SplitKnown:
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
	if len(p.splits) == 0 {
		return nil
	}
	list, changes, err := p.planSplits(ctx, tx, b.UserID, b.Account, func(int) bool { return true })
	if err != nil {
		return err
	}
	for i := range list {
		if list[i].State != ledger.SplitNew || !b.recordsActions() {
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
