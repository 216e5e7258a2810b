package httpapi

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json/jsontext"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/tradeview"
	"fillbook/internal/trading/annotations"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
	"fillbook/internal/trading/playbook"
	"fillbook/internal/transport"
)

// TradeDetail is a trade with its fills and all its annotations.
type TradeDetail struct {
	Trade
	Fills         []tradeFill      `json:"fills" doc:"In time order; of a long trade the first 1000."`
	MoreFills     string           `json:"more_fills,omitzero" doc:"The address of the other fills, in pages, of a trade with more than 1000."`
	Setups        []playbook.Setup `json:"setups"`
	Attachments   []attachment     `json:"attachments"`
	DividendTotal decimal.Decimal  `json:"dividend_total" doc:"Dividends that are linked to the trade."`
	TotalPnL      decimal.Null     `json:"total_pnl" doc:"Net result and dividends; null until the trade is closed."`
	Warnings      []string         `json:"warnings,omitempty" doc:"What to check about the annotations, as sentences."`
}

// tradeFill is a fill with its share in this trade: the whole fill, or a part if it
// crosses zero.
type tradeFill struct {
	Execution
	Role            matching.Role   `json:"role" enum:"opening,closing"`
	TradeQuantity   decimal.Decimal `json:"trade_quantity"`
	TradeFees       decimal.Decimal `json:"trade_fees"`
	TradeCommission decimal.Decimal `json:"trade_commission"`
}

func shapeTradeFill(f ledger.TradeFill) tradeFill {
	return tradeFill{
		Execution: shapeExecution(f.Execution), Role: f.Role, TradeQuantity: f.PartQuantity, TradeFees: f.PartFees,
		TradeCommission: f.PartCommission,
	}
}

func shapeTradeDetail(d *tradeview.Detail) TradeDetail {
	return TradeDetail{
		Trade: shapeTrade(&d.View), Fills: shapeAll(d.Fills, shapeTradeFill), Setups: shapeAll(d.Setups, keepShape),
		Attachments: shapeAll(d.Attachments, shapeAttachment), DividendTotal: d.DividendTotal, TotalPnL: d.TotalPnL(),
		Warnings: d.Derived.Warnings(), MoreFills: moreFillsLink(d),
	}
}

// readTradeDetail reads a trade as the API shows it, as one step.
func readTradeDetail(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.TradeID) (TradeDetail, error) {
	detail, err := tradeview.ReadDetail(ctx, tx, owner, id)
	return shapeTradeDetail(&detail), err
}

// complete adds the verdicts of trading rules, and strategies, to written trades, after the
// commit.
func (a tradeAPI) complete(ctx context.Context, owner journal.UserID, trades ...*Trade) error {
	for _, t := range trades {
		v := tradeview.View{Trade: ledger.Trade{ID: t.ID}}
		if err := a.trades.CompleteAfter(ctx, owner, &v); err != nil {
			return err
		}
		t.TradingRules, t.StrategyID = shapeTradeRules(v.TradingRules), nilIfZero(v.Strategy)
	}
	return nil
}

// SentValues are a trade's annotations in a request.
type SentValues = annotations.Members[opt[string], opt[decimal.Decimal], opt[integer], opt[instant]]

// AnnotationFields are a trade's writable annotations.
type AnnotationFields struct {
	SentValues
	SetupID  opt[journal.SetupID]   `json:"setup_id" required:"false" doc:"A single setup, in place of setup_ids."`
	SetupIDs opt[[]journal.SetupID] `json:"setup_ids" required:"false"`
	TagIDs   opt[[]journal.TagID]   `json:"tag_ids" required:"false"`
	Rules    opt[[]sentRule]        `json:"rules" required:"false" doc:"The rules to answer; other rules keep their state. Null removes all states."`
	Reviewed opt[bool]              `json:"reviewed" required:"false"`
	// ReviewedAt hides the member with this name, which cannot be written: a review has
	// the request's time.
	ReviewedAt jsontext.Value `json:"reviewed_at" hidden:"true"`
}

// sentRule is a rule's state in a request.
type sentRule struct {
	SetupID journal.SetupID         `json:"setup_id" doc:"A setup of the trade."`
	Rule    string                  `json:"rule" doc:"The text of a line of the setup's checklist."`
	State   opt[playbook.RuleState] `json:"state" required:"false" enum:"followed,broken,not_applicable" doc:"Null removes the state."`
}

func (r sentRule) change() playbook.RuleChange {
	return playbook.RuleChange{Setup: r.SetupID, Rule: r.Rule, State: r.State.Value}
}

// TransformSchema describes the annotations as optional, also in a body with them
// embedded.
func (AnnotationFields) TransformSchema(_ huma.Registry, schema *huma.Schema) *huma.Schema {
	schema.Required = slices.DeleteFunc(schema.Required, func(name string) bool {
		return slices.ContainsFunc(annotations.Fields, func(f annotations.Field) bool { return f.Name == name })
	})
	return schema
}

// change returns the requested change.
func (f *AnnotationFields) change() playbook.AnnotationChange {
	change := playbook.AnnotationChange{
		Setup: f.SetupID.Opt, Setups: f.SetupIDs.Opt, Tags: f.TagIDs.Opt, Reviewed: f.Reviewed.Opt,
	}
	if f.Rules.Set {
		change.Rules = journal.Opt[[]playbook.RuleChange]{Set: true, Null: f.Rules.Null, Value: shapeAll(f.Rules.Value, sentRule.change)}
	}
	for _, field := range annotations.Fields {
		switch into := annotations.MemberOf(&change.ValueChange, field).(type) {
		case *journal.Opt[string]:
			*into = annotations.MemberOf(&f.SentValues, field).(*opt[string]).Opt
		case *journal.Opt[decimal.Decimal]:
			*into = annotations.MemberOf(&f.SentValues, field).(*opt[decimal.Decimal]).Opt
		case *journal.Opt[int]:
			sent := annotations.MemberOf(&f.SentValues, field).(*opt[integer])
			*into = journal.Opt[int]{Set: sent.Set, Null: sent.Null, Value: int(sent.Value)}
		case *journal.Opt[time.Time]:
			sent := annotations.MemberOf(&f.SentValues, field).(*opt[instant])
			*into = journal.Opt[time.Time]{Set: sent.Set, Null: sent.Null, Value: sent.Value.Time}
		}
	}
	return change
}

func (a tradeAPI) annotateTrade(ctx context.Context, in *ChangeOf[journal.TradeID, AnnotationFields]) (*body[TradeDetail], error) {
	owner := caller(ctx).UserID
	match := transport.IfMatch(in.IfMatch, func(d TradeDetail) any { return d })
	var trade ledger.TradeDetail // the change to annotations does not change it
	check := func(tx *db.Tx, stored playbook.Annotations, change *playbook.AnnotationChange) error {
		if match != nil {
			if err := a.matchTrade(ctx, tx, owner, in.ID, match); err != nil {
				return err
			}
		}
		var err error
		if trade, err = ledger.ReadTrade(ctx, tx, owner, in.ID); err != nil {
			return err
		}
		dropDerivedRisk(&trade.Trade, stored, change)
		return nil
	}
	var detail tradeview.Detail
	needsCompleting := false
	err := a.db.Update(ctx, func(tx *db.Tx) error {
		tradeview.PrefetchAnnotated(ctx, tx, owner, in.ID)
		changed, err := a.playbook.AnnotateIn(ctx, tx, owner, in.ID, in.Body.change(), check)
		if err != nil {
			return err
		}
		history.SetLabel(tx, history.Key{Type: "trade", ID: string(in.ID)}, trade.Instrument.Symbol)
		if detail, err = tradeview.Annotate(ctx, tx, owner, trade, changed); err != nil {
			return err
		}
		needsCompleting, err = a.trades.NeedsCompleting(ctx, tx, owner)
		return err
	})
	if err == nil && needsCompleting {
		err = a.trades.CompleteAfter(ctx, owner, &detail.View)
	}
	return answer(shapeTradeDetail(&detail), err)
}

// dropDerivedRisk removes an initial risk from a change if it sends back the value
// derived from the stop, so it stays derived. Any other risk is stated and is kept.
func dropDerivedRisk(trade *ledger.Trade, stored playbook.Annotations, change *playbook.AnnotationChange) {
	sent := change.InitialRisk
	if !sent.Set || sent.Null || stored.InitialRisk.Valid || !stored.StopPrice.Valid {
		return
	}
	read := tradeview.Derive(trade, stored)
	if stop := change.StopPrice; stop.Set {
		stored.StopPrice = decimal.Null{Decimal: stop.Value, Valid: !stop.Null}
	}
	follows := tradeview.Derive(trade, stored).InitialRiskDerived
	if follows && read.InitialRiskDerived && read.InitialRisk.Decimal.Equal(sent.Value) {
		change.InitialRisk = journal.Opt[decimal.Decimal]{}
	}
}

func (a tradeAPI) matchTrade(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.TradeID, match func(TradeDetail) error) error {
	detail, err := tradeview.ReadDetail(ctx, tx, owner, id)
	if err == nil {
		err = a.trades.Complete(ctx, tx, owner, &detail.View)
	}
	if err != nil {
		return err
	}
	return match(shapeTradeDetail(&detail))
}

func (a tradeAPI) deleteTrade(ctx context.Context, in *DeleteOf[journal.TradeID]) (*nothing, error) {
	owner := caller(ctx).UserID
	match := transport.IfMatch(in.IfMatch, func(d TradeDetail) any { return d })
	if match == nil {
		return nil, a.ledger.DeleteTrade(ctx, owner, in.ID, nil)
	}
	return nil, a.ledger.DeleteTrade(ctx, owner, in.ID, func(ctx context.Context, tx *db.Tx, found ledger.TradeDetail) error {
		detail, err := tradeview.Describe(ctx, tx, owner, found)
		if err == nil {
			err = a.trades.Complete(ctx, tx, owner, &detail.View)
		}
		if err != nil {
			return err
		}
		return match(shapeTradeDetail(&detail))
	})
}

// orphan has the annotations from a trade without fills.
type orphan struct {
	TradeID    journal.TradeID     `json:"trade_id"`
	AccountID  journal.AccountID   `json:"account_id"`
	Symbol     string              `json:"symbol"`
	OpenedAt   *time.Time          `json:"opened_at"`
	OrphanedAt time.Time           `json:"orphaned_at"`
	TagIDs     []journal.TagID     `json:"tag_ids"`
	SetupIDs   []journal.SetupID   `json:"setup_ids"`
	Rules      []playbook.RuleTick `json:"rules"`
	playbook.AnnotationValues
	Attachments []attachment `json:"attachments"`
}

func shapeOrphan(o playbook.Orphan) orphan {
	return orphan{
		TradeID: o.Trade, AccountID: o.Account, Symbol: o.Symbol, OpenedAt: o.OpenedAt, OrphanedAt: o.OrphanedAt,
		TagIDs: o.Tags, SetupIDs: o.Setups, Rules: o.CurrentRules(), AnnotationValues: o.AnnotationValues, Attachments: shapeAll(o.Attachments, shapeAttachment),
	}
}

func (a tradeAPI) registerOrphanRoutes(api *API) {
	list := tradeRoute(readJournal, http.MethodGet, "/orphans", "listOrphans", "List annotations of trades that have no fills left")
	list.about = "They return to their trade when one of its fills is imported again."
	registerList(api, list, func(ctx context.Context, in *Paging) (*listing[orphan], error) {
		orphans, err := a.playbook.Orphans(ctx, caller(ctx).UserID)
		if err != nil {
			return nil, err
		}
		return paginate(in, orphans, shapeOrphan, func(o playbook.Orphan) string { return string(o.Trade) })
	})
	adopt := tradeRoute(writeJournal, http.MethodPost, "/orphans/{id}/adopt", "adoptOrphan", "Move orphaned annotations to another trade")
	adopt.status = http.StatusOK
	register(api, adopt, func(ctx context.Context, in *struct {
		ByID[journal.TradeID]
		Body struct {
			TradeID journal.TradeID `json:"trade_id"`
		}
	},
	) (*body[TradeDetail], error) {
		owner := caller(ctx).UserID
		var detail TradeDetail
		err := a.db.Update(ctx, func(tx *db.Tx) (err error) {
			if _, err := a.playbook.AdoptOrphanIn(ctx, tx, owner, in.ID, in.Body.TradeID); err != nil {
				return err
			}
			detail, err = readTradeDetail(ctx, tx, owner, in.Body.TradeID)
			return err
		})
		if err == nil {
			err = a.complete(ctx, owner, &detail.Trade)
		}
		return answer(detail, err)
	})
	register(api, tradeRoute(writeJournal, http.MethodDelete, "/orphans/{id}", "deleteOrphan", "Delete orphaned annotations"),
		func(ctx context.Context, in *ByID[journal.TradeID]) (*nothing, error) {
			return nil, a.playbook.DeleteOrphan(ctx, caller(ctx).UserID, in.ID)
		})
}
