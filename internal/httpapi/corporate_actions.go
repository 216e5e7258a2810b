package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/transport"
)

// corporateAction is a corporate action as the API shows it.
type corporateAction struct {
	ID          journal.ActionID    `json:"id"`
	Kind        ledger.ActionKind   `json:"kind" enum:"split,stock_dividend,rename,exchange,spin_off"`
	Symbol      string              `json:"symbol"`
	NewSymbol   *string             `json:"new_symbol" doc:"The symbol to which a rename or an exchange moves positions, or in which a spin-off opens them."`
	RatioNew    int64               `json:"ratio_new" doc:"This many units replace ratio_old ones."`
	RatioOld    int64               `json:"ratio_old"`
	CostShare   decimal.Null        `json:"cost_share" doc:"The share of the cost, 0 to 1, that a spin-off takes or that cash_per_share pays for."`
	Cash        decimal.Null        `json:"cash_per_share" doc:"What an exchange pays for one old share besides."`
	EffectiveOn journal.Day         `json:"effective_on" doc:"It acts at the start of this day, before every fill."`
	Zone        string              `json:"tz"`
	AppliesTo   ledger.ActionScope  `json:"applies_to" enum:"all,shares,options"`
	AccountIDs  []journal.AccountID `json:"account_ids" doc:"The accounts on which it acts; empty for all."`
	Source      ledger.ActionSource `json:"source" enum:"user,file"`
	Note        string              `json:"note"`
	CreatedAt   time.Time           `json:"created_at"`
	UpdatedAt   time.Time           `json:"updated_at"`
}

func shapeCorporateAction(a ledger.CorporateAction) corporateAction {
	if a.Accounts == nil {
		a.Accounts = []journal.AccountID{}
	}
	return corporateAction{
		ID: a.ID, Kind: a.Kind, Symbol: a.Symbol, NewSymbol: nilIfZero(a.NewSymbol), CostShare: a.CostShare, Cash: a.Cash, RatioNew: a.RatioNew, RatioOld: a.RatioOld, EffectiveOn: a.EffectiveOn, Zone: a.Zone,
		AppliesTo: a.AppliesTo, AccountIDs: a.Accounts, Source: a.Source, Note: a.Note, CreatedAt: a.CreatedAt, UpdatedAt: a.UpdatedAt,
	}
}

func corporateActionTag(a ledger.CorporateAction) any { return shapeCorporateAction(a) }

type corporateActionFields struct {
	Kind        opt[ledger.ActionKind]   `json:"kind" enum:"split,stock_dividend,rename,exchange,spin_off"`
	Symbol      opt[string]              `json:"symbol"`
	NewSymbol   opt[string]              `json:"new_symbol" doc:"Required for a rename, an exchange and a spin_off."`
	RatioNew    opt[int64]               `json:"ratio_new" doc:"Default: 1."`
	RatioOld    opt[int64]               `json:"ratio_old" doc:"Default: 1."`
	CostShare   opt[decimal.Decimal]     `json:"cost_share" doc:"From 0 to 1. Of a spin_off: the share of the cost that the new position takes; default 0. Of an exchange: the share that cash_per_share pays for; by default as much cost as the cash, at most all."`
	Cash        opt[decimal.Decimal]     `json:"cash_per_share" doc:"For an exchange: cash for one old share besides the new ones."`
	EffectiveOn opt[journal.Day]         `json:"effective_on" doc:"Not in the future."`
	Zone        opt[string]              `json:"tz" doc:"Default: America/New_York."`
	AppliesTo   opt[ledger.ActionScope]  `json:"applies_to" enum:"all,shares,options" doc:"Default: all. A split by a whole number changes quantity and strike of open options too; any other ratio and an exchange are refused with adjusted_contract if options were open. With shares, options stay as they are; with options, a rename or an exchange moves the contracts only."`
	AccountIDs  opt[[]journal.AccountID] `json:"account_ids" doc:"Default: all accounts."`
	Source      opt[ledger.ActionSource] `json:"source" enum:"user,file" doc:"Default: user."`
	Note        opt[string]              `json:"note"`
}

// TransformSchema describes what a request must have.
func (corporateActionFields) TransformSchema(_ huma.Registry, schema *huma.Schema) *huma.Schema {
	return requireOnly(schema, "kind", "symbol", "effective_on")
}

func (f corporateActionFields) change() ledger.ActionChange {
	return ledger.ActionChange{
		Kind: f.Kind.Opt, Symbol: f.Symbol.Opt, NewSymbol: f.NewSymbol.Opt, CostShare: f.CostShare.Opt, Cash: f.Cash.Opt, RatioNew: f.RatioNew.Opt, RatioOld: f.RatioOld.Opt, EffectiveOn: f.EffectiveOn.Opt, Zone: f.Zone.Opt,
		AppliesTo: f.AppliesTo.Opt, Accounts: f.AccountIDs.Opt, Source: f.Source.Opt, Note: f.Note.Opt,
	}
}

// actionPreview is what an action would change.
type actionPreview struct {
	Trades      []changedTrade `json:"trades" doc:"The first 100 trades that would change."`
	TradesTotal int            `json:"trades_total"`
	CashInLieu  []missingCash  `json:"cash_in_lieu" doc:"Fractions that would stay open: brokers usually pay cash for them. Enter a sale of the fraction."`
}

// changedTrade is a trade before and after an action. Before is null for a trade that it
// makes, after for one that becomes part of another.
type changedTrade struct {
	TradeID   *journal.TradeID     `json:"trade_id" doc:"Null for a trade that the action makes."`
	AccountID journal.AccountID    `json:"account_id"`
	Symbol    string               `json:"symbol"`
	Before    orNull[tradeOutline] `json:"before"`
	After     orNull[tradeOutline] `json:"after"`
}

type tradeOutline struct {
	Symbol        string          `json:"symbol"`
	Direction     string          `json:"direction" enum:"long,short"`
	Status        string          `json:"status" enum:"open,closed"`
	QtyOpened     decimal.Decimal `json:"qty_opened"`
	QtyRemaining  decimal.Decimal `json:"qty_remaining"`
	AvgEntryPrice decimal.Decimal `json:"avg_entry_price"`
	NetPnL        decimal.Null    `json:"net_pnl"`
}

type missingCash struct {
	TradeID   *journal.TradeID  `json:"trade_id"`
	AccountID journal.AccountID `json:"account_id"`
	Symbol    string            `json:"symbol"`
	Quantity  decimal.Decimal   `json:"quantity" doc:"The fraction of a unit."`
}

func shapeOutline(o *ledger.TradeOutline) orNull[tradeOutline] {
	if o == nil {
		return orNull[tradeOutline]{}
	}
	status := "closed"
	if o.QtyRemaining.Sign() != 0 {
		status = "open"
	}
	return orNull[tradeOutline]{&tradeOutline{
		Symbol: o.Symbol, Direction: string(o.Direction), Status: status, QtyOpened: o.QtyOpened, QtyRemaining: o.QtyRemaining, AvgEntryPrice: o.AvgEntry, NetPnL: o.NetPnL,
	}}
}

func shapeActionPreview(p ledger.ActionPreview) actionPreview {
	out := actionPreview{Trades: []changedTrade{}, TradesTotal: p.Total, CashInLieu: []missingCash{}}
	for _, t := range p.Trades {
		out.Trades = append(out.Trades, changedTrade{
			TradeID: nilIfZero(t.ID), AccountID: t.Account, Symbol: t.Symbol, Before: shapeOutline(t.Before), After: shapeOutline(t.After),
		})
		if rest := t.Fraction(); !rest.IsZero() {
			out.CashInLieu = append(out.CashInLieu, missingCash{TradeID: nilIfZero(t.ID), AccountID: t.Account, Symbol: t.Symbol, Quantity: rest})
		}
	}
	return out
}

func corporateActionRoute(needs permission, method, path, id, summary string) route {
	return journalRoute(needs, method, "/corporate-actions"+path, id, "Corporate actions", summary)
}

// corporateActionAPI has the operations on corporate actions.
type corporateActionAPI struct {
	ledger *ledger.Service
}

func (a corporateActionAPI) register(api *API) {
	registerList(api, corporateActionRoute(readJournal, http.MethodGet, "", "listCorporateActions", "List corporate actions, the newest day first"),
		func(ctx context.Context, in *Paging) (*listing[corporateAction], error) {
			list, err := a.ledger.Actions(ctx, caller(ctx).UserID)
			if err != nil {
				return nil, err
			}
			return paginate(in, list, shapeCorporateAction, func(a ledger.CorporateAction) string { return string(a.ID) })
		})
	create := corporateActionRoute(writeJournal, http.MethodPost, "", "createCorporateAction", "Record a split, a rename, an exchange or a spin-off")
	create.about = "It acts on the positions open at the start of the day: the quantity is converted and rounded half to even to 8 decimals, the cost stays, and the trade goes on, after a rename or an exchange in the new symbol. A spin-off opens a position in the new symbol. If the new symbol is held already, the position that moves ends at its cost and the held one grows. Fills stay as they are."
	register(api, create, func(ctx context.Context, in *body[corporateActionFields]) (*body[corporateAction], error) {
		created, err := a.ledger.CreateAction(ctx, caller(ctx).UserID, in.Body.change())
		return answer(shapeCorporateAction(created), err)
	})
	show := corporateActionRoute(writeJournal, http.MethodPost, "/preview", "previewCorporateAction", "Show what a corporate action would change")
	show.status = http.StatusOK
	register(api, show, func(ctx context.Context, in *body[corporateActionFields]) (*body[actionPreview], error) {
		preview, err := a.ledger.PreviewAction(ctx, caller(ctx).UserID, in.Body.change())
		return answer(shapeActionPreview(preview), err)
	})
	register(api, corporateActionRoute(readJournal, http.MethodGet, "/{id}", "getCorporateAction", "Read a corporate action"),
		func(ctx context.Context, in *ByID[journal.ActionID]) (*body[corporateAction], error) {
			found, err := a.ledger.Action(ctx, caller(ctx).UserID, in.ID)
			return answer(shapeCorporateAction(found), err)
		})
	register(api, corporateActionRoute(writeJournal, http.MethodPatch, "/{id}", "changeCorporateAction", "Change a corporate action"),
		func(ctx context.Context, in *ChangeOf[journal.ActionID, corporateActionFields]) (*body[corporateAction], error) {
			changed, err := a.ledger.ChangeAction(ctx, caller(ctx).UserID, in.ID, in.Body.change(), transport.IfMatch(in.IfMatch, corporateActionTag))
			return answer(shapeCorporateAction(changed), err)
		})
	register(api, corporateActionRoute(writeJournal, http.MethodDelete, "/{id}", "deleteCorporateAction", "Delete a corporate action; trades are as they were without it"),
		func(ctx context.Context, in *DeleteOf[journal.ActionID]) (*nothing, error) {
			return nil, a.ledger.DeleteAction(ctx, caller(ctx).UserID, in.ID, transport.IfMatch(in.IfMatch, corporateActionTag))
		})
}
