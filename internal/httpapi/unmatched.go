package httpapi

import (
	"context"
	"net/http"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
)

// unmatchedPosition is a position that seems to lack a fill or an event.
type unmatchedPosition struct {
	AccountID journal.AccountID      `json:"account_id"`
	Symbol    string                 `json:"symbol"`
	Quantity  decimal.Decimal        `json:"quantity"`
	Since     time.Time              `json:"since"`
	Fills     []journal.ExecutionID  `json:"fills"`
	Reason    ledger.UnmatchedReason `json:"reason" enum:"sold_without_purchase,expired_unclosed,split_suspected,nothing_to_close"`
	Proposal  repairProposal         `json:"proposal" doc:"The body of the request that would repair it: POST /corporate-actions for split_suspected, else POST /executions."`
}

// repairProposal has the fields of a new execution, or those of a new corporate action.
type repairProposal struct {
	Kind           string              `json:"kind"`
	Symbol         string              `json:"symbol"`
	AccountID      journal.AccountID   `json:"account_id,omitempty"`
	InstrumentType string              `json:"instrument_type,omitempty"`
	Side           matching.Side       `json:"side,omitzero" enum:"buy,sell"`
	Quantity       *decimal.Decimal    `json:"quantity,omitempty"`
	Price          *decimal.Decimal    `json:"price,omitempty"`
	Multiplier     *decimal.Decimal    `json:"multiplier,omitempty"`
	ExecutedAt     time.Time           `json:"executed_at,omitzero"`
	BasisEstimated bool                `json:"basis_estimated,omitzero"`
	Details        map[string]string   `json:"details,omitempty"`
	RatioNew       int64               `json:"ratio_new,omitzero"`
	RatioOld       int64               `json:"ratio_old,omitzero"`
	EffectiveOn    journal.Day         `json:"effective_on,omitempty"`
	AccountIDs     []journal.AccountID `json:"account_ids,omitempty"`
}

func shapeUnmatched(u ledger.Unmatched) unmatchedPosition {
	out := unmatchedPosition{
		AccountID: u.Account, Symbol: u.Symbol, Quantity: u.Quantity, Since: u.Since, Fills: u.Fills, Reason: u.Reason,
	}
	if a := u.Action; a != nil {
		out.Proposal = repairProposal{
			Kind: string(a.Kind), Symbol: a.Symbol, RatioNew: a.RatioNew, RatioOld: a.RatioOld, EffectiveOn: a.EffectiveOn, AccountIDs: a.Accounts,
		}
		return out
	}
	f := u.Fill
	out.Proposal = repairProposal{
		Kind: f.Kind.String(), Symbol: f.Symbol, AccountID: u.Account, InstrumentType: f.InstrumentType, Side: f.Side, Quantity: &f.Quantity,
		Price: &f.Price, Multiplier: &f.Multiplier.Decimal, ExecutedAt: f.ExecutedAt.UTC(), BasisEstimated: f.BasisEstimated, Details: f.Details,
	}
	return out
}

// registerUnmatched registers the list of positions that seem to lack something.
func (a executionAPI) registerUnmatched(api *API) {
	list := positionRoute(readJournal, http.MethodGet, "/unmatched", "listUnmatchedPositions", "List positions that seem to lack a fill or a split, with repairs")
	list.about = "sold_without_purchase is an open short that began with a sale which closes a position by its source; the repair is an opening, whose cost is not known. expired_unclosed is an option that is open after its expiry; nothing_to_close is a fill that only closes and had too little to close, or an open long that began with a purchase which closes a position by its source; split_suspected is a fill of a multiple of the shares held, at a price that fits a split. At most 500 of each, oldest first. Nothing is repaired without a request."
	registerList(api, list, func(ctx context.Context, in *Paging) (*listing[unmatchedPosition], error) {
		found, err := a.ledger.Unmatched(ctx, caller(ctx).UserID)
		if err != nil {
			return nil, err
		}
		return paginate(in, found, shapeUnmatched, func(u ledger.Unmatched) string { return string(u.Reason) + " " + string(u.Fills[0]) })
	})
}
