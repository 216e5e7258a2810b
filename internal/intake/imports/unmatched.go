package imports

import (
	"fmt"
	"slices"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
)

// UnmatchedClosing is a sale that closes a position by the file, and found none.
type UnmatchedClosing struct {
	Row      int             `json:"row"`
	Symbol   string          `json:"symbol"`
	Quantity decimal.Decimal `json:"quantity" doc:"What was sold beyond the position."`
	Proposal OpeningProposal `json:"proposal" doc:"The body of POST /executions that adds the position before the sale."`
}

// OpeningProposal is the body of a request that adds a position.
type OpeningProposal struct {
	Kind           string            `json:"kind" enum:"opening"`
	Symbol         string            `json:"symbol"`
	AccountID      journal.AccountID `json:"account_id,omitempty" doc:"Absent in the preview for an account that the commit creates."`
	InstrumentType string            `json:"instrument_type"`
	Side           matching.Side     `json:"side" enum:"buy"`
	Quantity       decimal.Decimal   `json:"quantity"`
	Price          decimal.Decimal   `json:"price"`
	Multiplier     decimal.Decimal   `json:"multiplier"`
	ExecutedAt     time.Time         `json:"executed_at"`
	BasisEstimated bool              `json:"basis_estimated"`
	Details        map[string]string `json:"details,omitempty"`
}

// maxUnmatchedClosings is how many of them a result lists; its warning counts all.
const maxUnmatchedClosings = 200

// newUnmatchedClosings converts the sales that found no position. rows are the fills' rows.
func newUnmatchedClosings(sales []ledger.UnboughtSale, rows []int, account journal.AccountID) []UnmatchedClosing {
	list := []UnmatchedClosing{}
	for _, s := range sales[:min(len(sales), maxUnmatchedClosings)] {
		o := s.Opening
		list = append(list, UnmatchedClosing{
			Row: rows[s.Place], Symbol: s.Symbol, Quantity: s.Quantity,
			Proposal: OpeningProposal{
				Kind: o.Kind.String(), Symbol: o.Symbol, AccountID: account, InstrumentType: o.InstrumentType, Side: o.Side,
				Quantity: o.Quantity, Price: o.Price, Multiplier: o.Multiplier.Decimal, ExecutedAt: o.ExecutedAt.UTC(),
				BasisEstimated: o.BasisEstimated, Details: o.Details,
			},
		})
	}
	return list
}

// withoutActions returns the sales without those of symbols for which the file states a
// corporate action that was not recorded before it: the shares may have come by that.
func withoutActions(sales []ledger.UnboughtSale, actions []FileAction) []ledger.UnboughtSale {
	return slices.DeleteFunc(sales, func(s ledger.UnboughtSale) bool {
		return slices.ContainsFunc(actions, func(a FileAction) bool {
			isNew := a.Proposal != nil && a.Proposal.NewSymbol == s.Symbol
			return (a.Symbol == s.Symbol || isNew) && a.State != ledger.FileActionKnown
		})
	})
}

// warnUnmatched adds a warning about sales that found no position.
func (w *Warnings) warnUnmatched(sales []ledger.UnboughtSale) {
	switch n := len(sales); n {
	case 0:
	case 1:
		w.addWarningTexts([]string{fmt.Sprintf(
			"A sale of %s closes a position by this file, but nothing is held then. Add the position before it, or the sale counts as short.", sales[0].Symbol)})
	default:
		w.addWarningTexts([]string{fmt.Sprintf(
			"%d sales close positions by this file, but nothing is held then. Add the positions before them, or the sales count as short.", n)})
	}
}
