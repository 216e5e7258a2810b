package imports

import (
	"context"
	"maps"
	"slices"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
)

// Outcome is a commit's effect on the journal's trades.
type Outcome struct {
	// NewTrades and ChangedTrades are together what a commit counts as trades.
	NewTrades     int `json:"new_trades"`
	ChangedTrades int `json:"changed_trades" doc:"Trades that are there and would be other ones."`
	OpenTrades    int `json:"open_trades" doc:"Of the new and changed trades those that would still be open."`
	MergedTrades  int `json:"merged_trades" doc:"Trades that are there and would become parts of others."`
	// NetPnL has an entry for each currency in the touched accounts.
	NetPnL []Amount `json:"net_pnl" doc:"By how much the net result of all closed trades would change."`
}

// Amount is money in one currency.
type Amount struct {
	Currency string          `json:"currency"`
	Amount   decimal.Decimal `json:"amount"`
}

// newOutcome adds up account previews. It returns nil if any is incomplete.
func newOutcome(list []ledger.InsertPreview, currencies []string) *Outcome {
	sums := map[string]decimal.Decimal{}
	out := &Outcome{NetPnL: []Amount{}}
	for i, o := range list {
		if o.Incomplete {
			return nil
		}
		out.NewTrades += o.Created
		out.ChangedTrades += o.Changed
		out.OpenTrades += o.Open
		out.MergedTrades += o.Merged
		sums[currencies[i]] = sums[currencies[i]].Add(o.NetPnL)
	}
	for _, currency := range slices.Sorted(maps.Keys(sums)) {
		out.NetPnL = append(out.NetPnL, Amount{currency, sums[currency]})
	}
	return out
}

// previewPlan sets the results of committing the plan. It only reads and takes no lock.
func (s *Service) previewPlan(ctx context.Context, tx *db.Tx, owner journal.UserID, account ledger.Account, planned *plan, up Upload, p *Preview) error {
	origin := up.Origin
	ahead, err := ledger.PreviewInsertChecked(ctx, tx, owner, account.ID, planned.fills,
		ledger.InsertOptions{SkipDeleted: origin.isAutomatic(), SkipWithdrawn: true})
	if err != nil {
		return err
	}
	if s.covered != nil {
		covered, err := s.covered(ctx, tx, owner, account.ID)
		if err != nil {
			return err
		}
		p.warnCovered(covered, planned, ahead.Known)
	}
	p.Duplicates, p.Completed = countTrue(ahead.Known), countTrue(ahead.Completed)
	p.NewRows = len(planned.fills) - p.Duplicates - countTrue(ahead.Deleted) - countTrue(ahead.Withdrawn)
	cash, err := ledger.PreviewCash(ctx, tx, owner, account.ID, planned.cash, ledger.CashOptions{SkipDeleted: origin.isAutomatic()})
	if err != nil {
		return err
	}
	p.CashRows, p.CashDuplicates = len(planned.cash), cash.Skipped
	p.setRows(planned.report(knownRows{
		fills: ahead.Known, completed: ahead.Completed, deleted: ahead.Deleted, withdrawn: ahead.Withdrawn, cash: cash.Known, cashDeleted: cash.Deleted,
	}))
	if p.Actions, _, err = planned.planActions(ctx, tx, owner, account.ID, func(place int) bool {
		return ahead.Known[place] || ahead.Deleted[place] || ahead.Withdrawn[place] // stored, or left out
	}); err != nil {
		return err
	}
	p.warnActions(p.Actions, !origin.isAutomatic() && !up.IgnoreActions)
	unbought := withoutActions(ahead.Unbought, p.Actions)
	p.UnmatchedClosings = newUnmatchedClosings(unbought, planned.fillRows, account.ID)
	p.warnUnmatched(unbought)
	p.setOutcome([]ledger.InsertPreview{ahead}, []string{account.BaseCurrency})
	return nil
}

// setOutcome sets the outcome, or a warning if none.
func (p *Preview) setOutcome(list []ledger.InsertPreview, currencies []string) {
	if p.Outcome = newOutcome(list, currencies); p.Outcome == nil {
		p.addWarningTexts([]string{"The resulting trades cannot be previewed, because this file changes too many stored trades."})
	}
}

func countTrue(flags []bool) (n int) {
	for _, flag := range flags {
		if flag {
			n++
		}
	}
	return n
}
