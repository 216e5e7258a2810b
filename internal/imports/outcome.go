package imports

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"fillbook/internal/backup"
	"fillbook/internal/db"
	"fillbook/internal/decimal"
	"fillbook/internal/journal"
	"fillbook/internal/ledger"
)

// Outcome is what a commit would make of the journal's trades.
type Outcome struct {
	// NewTrades and ChangedTrades are together what a commit counts as trades.
	NewTrades     int `json:"new_trades"`
	ChangedTrades int `json:"changed_trades" doc:"Trades that are there and would be other ones."`
	OpenTrades    int `json:"open_trades" doc:"Of the new and changed trades those that would still be open."`
	MergedTrades  int `json:"merged_trades" doc:"Trades that are there and would become parts of others."`
	// NetPnL has an entry for each currency of the accounts touched.
	NetPnL []Amount `json:"net_pnl" doc:"By how much the net result of all closed trades would change."`
}

// Amount is money of one currency.
type Amount struct {
	Currency string          `json:"currency"`
	Amount   decimal.Decimal `json:"amount"`
}

// newOutcome adds up what would happen to accounts; nil where one of them was
// too much to look at.
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

// foresee tells what a commit of the plan would do. It reads and takes no lock.
func (p *Preview) foresee(ctx context.Context, tx *db.Tx, owner journal.UserID, account ledger.Account, planned *plan) error {
	ahead, err := ledger.PreviewInsertChecked(ctx, tx, owner, account.ID, planned.fills)
	if err != nil {
		return err
	}
	p.Duplicates, p.Completed = trues(ahead.Known), trues(ahead.Completed)
	p.NewRows = len(planned.fills) - p.Duplicates
	cash, err := ledger.CashDuplicates(ctx, tx, owner, account.ID, planned.cash)
	if err != nil {
		return err
	}
	p.CashRows, p.CashDuplicates = len(planned.cash), trues(cash)
	p.setRows(planned.report(knownRows{fills: ahead.Known, completed: ahead.Completed, cash: cash}))
	p.result([]ledger.InsertPreview{ahead}, []string{account.BaseCurrency})
	return nil
}

// result puts the outcome into the preview, or says why there is none.
func (p *Preview) result(list []ledger.InsertPreview, currencies []string) {
	if p.Outcome = newOutcome(list, currencies); p.Outcome == nil {
		p.Warnings = append(p.Warnings, "This file changes so many stored trades that what results is told only when it is imported.")
	}
}

func trues(flags []bool) (n int) {
	for _, flag := range flags {
		if flag {
			n++
		}
	}
	return n
}

// outlooks are those of the accounts of a backup, with their currencies.
func outlooks(plan backup.Plan) (list []ledger.InsertPreview, currencies []string) {
	for _, a := range plan.Accounts {
		list, currencies = append(list, a.Ahead), append(currencies, cmp.Or(a.BaseCurrency, "USD"))
	}
	return list, currencies
}
