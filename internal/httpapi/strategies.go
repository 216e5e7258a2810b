package httpapi

import (
	"context"
	"net/http"
	"slices"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/columns"
	"fillbook/internal/trading/instruments"
	"fillbook/internal/trading/playbook"
	"fillbook/internal/trading/settings"
	"fillbook/internal/trading/strategies"
	"fillbook/internal/trading/strategybook"
	"fillbook/internal/transport"
)

// Strategy is a set of trades that were one decision, as the API shows it.
type Strategy struct {
	ID           journal.StrategyID        `json:"id"`
	AccountID    journal.AccountID         `json:"account_id"`
	Currency     string                    `json:"currency"`
	Underlying   string                    `json:"underlying"`
	Kind         strategies.Kind           `json:"kind" doc:"The shape of the opening, or the kind that you chose."`
	KindBy       string                    `json:"kind_by" enum:"detected,user"`
	Direction    *strategies.Direction     `json:"direction" enum:"long,short,bull,bear" doc:"Null if the shape has none."`
	Name         *string                   `json:"name"`
	State        strategies.State          `json:"state" enum:"proposed,accepted,manual"`
	Evidence     strategies.Evidence       `json:"evidence" enum:"order,instant,window,day,cover,user"`
	Legs         []strategyLeg             `json:"legs" doc:"Empty if all fills were deleted; the strategy comes back with them."`
	OpenedAt     *time.Time                `json:"opened_at"`
	ClosedAt     *time.Time                `json:"closed_at" doc:"When the last member closed; null while one is open."`
	NetPnL       decimal.Null              `json:"net_pnl" doc:"The sum over the members; null while one is open. A cover is not included."`
	GrossPnL     decimal.Null              `json:"gross_pnl"`
	Fees         decimal.Decimal           `json:"fees"`
	RealizedOpen decimal.Decimal           `json:"realized_open" doc:"The net result of the closed members of an open strategy, else 0."`
	Credit       decimal.Decimal           `json:"credit" doc:"The money of the opening before costs; negative for a debit."`
	MaxProfit    decimal.Null              `json:"max_profit" doc:"At expiry, costs of the opening included. Null if it is unlimited, or if the options have several expiries."`
	MaxLoss      decimal.Null              `json:"max_loss" doc:"Positive. Null if it is unlimited or unknown."`
	MaxLossAbout bool                      `json:"max_loss_about" doc:"Whether max_loss is a bound for options with several expiries, which early exercise can exceed."`
	Breakevens   orNull[[]decimal.Decimal] `json:"breakevens" doc:"Ascending; null if the options have several expiries."`
	Unlimited    orNull[unlimitedResult]   `json:"unlimited" doc:"Null if the options have several expiries."`
	Risk         decimal.Null              `json:"risk" doc:"What a result is compared with: initial_risk, or max_loss unless it lies at a price of 0."`
	RMultiple    decimal.Null              `json:"r_multiple"`
	DTE          *int                      `json:"dte_at_open" doc:"Days from the opening to the nearest expiry; null without one."`
	ChainID      *string                   `json:"chain_id" doc:"The chain of rolls that the strategy is in."`
	TagIDs       []journal.TagID           `json:"tag_ids"`
	SetupIDs     []journal.SetupID         `json:"setup_ids"`
	playbook.AnnotationValues
}

type strategyLeg struct {
	TradeID  journal.TradeID    `json:"trade_id"`
	Role     strategies.Role    `json:"role" enum:"leg,stock,cover" doc:"A cover counts in shape and payoff, not in the result."`
	Quantity decimal.Decimal    `json:"quantity" doc:"What was opened, negative if short; of a cover the shares needed."`
	Right    *instruments.Right `json:"right" enum:"call,put"`
	Strike   decimal.Null       `json:"strike"`
	Expiry   *journal.Day       `json:"expiry"`
	Open     bool               `json:"open"`
	NetPnL   decimal.Null       `json:"net_pnl" doc:"Null while the trade is open."`
}

type unlimitedResult struct {
	Profit bool `json:"profit"`
	Loss   bool `json:"loss"`
}

func shapeStrategy(s strategybook.Strategy) Strategy {
	net, gross, fees, realized := s.Result()
	out := Strategy{
		ID: journal.StrategyID(s.ID), AccountID: s.Account.ID, Currency: s.Account.BaseCurrency, Underlying: s.Underlying, Kind: s.Kind, KindBy: s.KindBy,
		Direction: nilIfZero(s.Direction), Name: nilIfZero(s.Record.Name), State: s.State, Evidence: s.Evidence, Legs: shapeAll(s.Members, shapeLeg),
		NetPnL: net, GrossPnL: gross, Fees: fees, RealizedOpen: realized, Credit: s.Credit(), MaxProfit: s.Payoff.MaxProfit, MaxLoss: s.Payoff.MaxLoss,
		MaxLossAbout: s.Payoff.About, Breakevens: nullIfNil(s.Payoff.Breakevens), Risk: s.EffectiveRisk(), RMultiple: s.RMultiple(), DTE: s.DaysToExpiry(), ChainID: nilIfZero(s.ChainID),
		TagIDs: orEmpty(s.Record.Tags), SetupIDs: orEmpty(s.Record.Setups), AnnotationValues: s.Record.Values,
	}
	if len(s.Members) > 0 {
		at := s.OpenedAt()
		out.OpenedAt, out.ClosedAt = &at, s.ClosedAt()
	} else {
		out.NetPnL, out.GrossPnL = decimal.Null{}, decimal.Null{}
	}
	if s.Payoff.Known {
		out.Unlimited = orNull[unlimitedResult]{&unlimitedResult{s.Payoff.UnlimitedProfit, s.Payoff.UnlimitedLoss}}
	}
	return out
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

func shapeLeg(m strategies.Member) strategyLeg {
	leg := strategyLeg{TradeID: m.Trade, Role: m.Role, Quantity: m.Quantity, Open: m.ClosedAt == nil, NetPnL: m.Net}
	if !m.Stock {
		leg.Right, leg.Strike, leg.Expiry = &m.Right, decimal.Of(m.Strike), nilIfZero(m.Expiry)
	}
	return leg
}

func strategyTag(s strategybook.Strategy) any { return shapeStrategy(s) }

type strategyQuery struct {
	TradeFilter
	Paging
	State enumParam[strategies.State, strategyStates] `query:"state" doc:"proposed, accepted or manual. Default: all."`
	Kind  enumParam[strategies.Kind, strategyKinds]   `query:"kind" doc:"A kind of strategies."`
}

type (
	strategyStates struct{}
	strategyKinds  struct{}
)

func (strategyStates) values() []strategies.State {
	return []strategies.State{strategies.Proposed, strategies.Accepted, strategies.Manual}
}
func (strategyKinds) values() []strategies.Kind { return strategies.Kinds() }

type newStrategy struct {
	TradeIDs []journal.TradeID    `json:"trade_ids" doc:"1 to 100 trades of one account and underlying."`
	Kind     opt[strategies.Kind] `json:"kind" required:"false" doc:"Default: the shape of the trades."`
	Name     opt[string]          `json:"name" required:"false"`
}

type strategyChange struct {
	Name  opt[string]           `json:"name" required:"false"`
	Kind  opt[strategies.Kind]  `json:"kind" required:"false" doc:"Null for the detected kind."`
	State opt[strategies.State] `json:"state" required:"false" enum:"accepted"`
	AnnotationFields
}

func (f *strategyChange) change() strategybook.Change {
	return strategybook.Change{Name: f.Name.Opt, Kind: f.Kind.Opt, State: f.State.Opt, AnnotationChange: f.AnnotationFields.change()}
}

type strategyMember struct {
	ByID[journal.StrategyID]
	TradeID journal.TradeID `path:"trade_id"`
}

type detectionResult struct {
	Proposed int `json:"proposed"`
	Accepted int `json:"accepted"`
	Manual   int `json:"manual"`
	Trades   int `json:"trades" doc:"Trades in these strategies, covers left out."`
}

type strategySettings struct {
	Detect strategies.Mode `json:"detect" enum:"off,propose,accept_strong" doc:"accept_strong accepts proposals with one order id or one instant; others stay proposals."`
}

type strategyPayoff struct {
	Opening []strategies.PayoffPoint `json:"opening" doc:"The result of the opening at expiry by the price of the underlying; empty if the options have several expiries."`
	Open    []strategies.PayoffPoint `json:"open" doc:"The same for what is open, at its entry; empty if nothing is open or its options have several expiries."`
}

// Chain is a sequence of strategies that continue each other.
type Chain struct {
	ID         string                    `json:"id"`
	AccountID  journal.AccountID         `json:"account_id"`
	Underlying string                    `json:"underlying"`
	Steps      []chainStep               `json:"steps" doc:"By opening."`
	Realized   decimal.Decimal           `json:"realized" doc:"The net result of everything that was closed."`
	Open       []strategyLeg             `json:"open" doc:"With the quantity that is still open."`
	Breakevens orNull[[]decimal.Decimal] `json:"breakevens" doc:"Of what is open, with what was realized; null if nothing is open or the options have several expiries."`
}

type chainStep struct {
	StrategyID journal.StrategyID `json:"strategy_id"`
	Kind       strategies.Kind    `json:"kind"`
	OpenedAt   time.Time          `json:"opened_at"`
	ClosedAt   *time.Time         `json:"closed_at"`
	Credit     decimal.Decimal    `json:"credit"`
	Realized   decimal.Decimal    `json:"realized"`
}

// strategyAPI has the operations on strategies.
type strategyAPI struct {
	db         *db.DB
	strategies *strategybook.Service
	settings   *settings.Service
	figures    *columns.Service
}

func strategyRoute(needs permission, method, path, id, summary string) route {
	return journalRoute(needs, method, path, id, "Strategies", summary)
}

func (a strategyAPI) register(api *API) {
	list := strategyRoute(readJournal, http.MethodGet, "/strategies", "listStrategies", "List strategies with one of the filtered trades, newest first")
	list.about = "A trade passes with the setups, tags and grade of its accepted or manual strategy, too. The period, the status and conditions on the sequence of a day test the strategy itself."
	list.repeated = repeatable
	registerList(api, list, a.list)
	register(api, strategyRoute(writeJournal, http.MethodPost, "/strategies", "createStrategy", "Make a strategy of trades"),
		func(ctx context.Context, in *body[newStrategy]) (*body[Strategy], error) {
			created, err := a.strategies.Create(ctx, caller(ctx).UserID, in.Body.TradeIDs, strategybook.Change{Name: in.Body.Name.Opt, Kind: in.Body.Kind.Opt})
			return answer(shapeStrategy(created), err)
		})
	detect := strategyRoute(writeJournal, http.MethodPost, "/strategies/detect", "detectStrategies", "Count the strategies of the present trades; nothing is changed")
	detect.status, detect.body = http.StatusOK, transport.NoBody
	register(api, detect, a.detect)
	register(api, strategyRoute(readJournal, http.MethodGet, "/strategies/{id}", "getStrategy", "Read a strategy"),
		func(ctx context.Context, in *ByID[journal.StrategyID]) (*body[Strategy], error) {
			found, err := a.read(ctx, in.ID)
			return answer(shapeStrategy(found), err)
		})
	register(api, strategyRoute(writeJournal, http.MethodPatch, "/strategies/{id}", "changeStrategy", "Change a strategy, annotate it, or accept a proposal"),
		func(ctx context.Context, in *ChangeOf[journal.StrategyID, strategyChange]) (*body[Strategy], error) {
			changed, err := a.strategies.Update(ctx, caller(ctx).UserID, in.ID, in.Body.change(), transport.IfMatch(in.IfMatch, strategyTag))
			return answer(shapeStrategy(changed), err)
		})
	register(api, strategyRoute(writeJournal, http.MethodDelete, "/strategies/{id}", "deleteStrategy", "Dissolve a strategy; its trades stay alone and are not proposed again"),
		func(ctx context.Context, in *DeleteOf[journal.StrategyID]) (*nothing, error) {
			return nil, a.strategies.Delete(ctx, caller(ctx).UserID, in.ID, transport.IfMatch(in.IfMatch, strategyTag))
		})
	add := strategyRoute(writeJournal, http.MethodPost, "/strategies/{id}/trades/{trade_id}", "addStrategyTrade", "Add a trade to a strategy")
	add.status, add.body = http.StatusOK, transport.NoBody
	register(api, add, func(ctx context.Context, in *strategyMember) (*body[Strategy], error) {
		changed, err := a.strategies.AddTrade(ctx, caller(ctx).UserID, in.ID, in.TradeID)
		return answer(shapeStrategy(changed), err)
	})
	remove := strategyRoute(writeJournal, http.MethodDelete, "/strategies/{id}/trades/{trade_id}", "removeStrategyTrade", "Remove a trade from a strategy")
	remove.refusals = append(remove.refusals, http.StatusConflict)
	register(api, remove, func(ctx context.Context, in *strategyMember) (*nothing, error) {
		return nil, a.strategies.RemoveTrade(ctx, caller(ctx).UserID, in.ID, in.TradeID)
	})
	register(api, strategyRoute(readJournal, http.MethodGet, "/strategies/{id}/payoff", "getStrategyPayoff", "Read the result at expiry by price"), a.payoff)
	register(api, strategyRoute(readJournal, http.MethodGet, "/chains/{id}", "getChain", "Read a chain of rolls"), a.chain)
	a.registerSettings(api)
}

func (a strategyAPI) registerSettings(api *API) {
	register(api, settingRoute(readJournal, http.MethodGet, "strategies", "getStrategySettings", "Read what the detection of strategies does"),
		func(ctx context.Context, _ *nothing) (*body[strategySettings], error) {
			stored, err := a.settings.Read(ctx, caller(ctx).UserID)
			return answer(shapeStrategySettings(stored), err)
		})
	register(api, settingRoute(writeJournal, http.MethodPut, "strategies", "setStrategySettings", "Change what the detection of strategies does"),
		func(ctx context.Context, in *replacement[strategySettings]) (*body[strategySettings], error) {
			check := transport.IfMatch(in.IfMatch, func(j settings.Journal) any { return shapeStrategySettings(j) })
			changed, err := a.settings.Update(ctx, caller(ctx).UserID, settings.Change{Detection: journal.Some(in.Body.Detect)}, check)
			return answer(shapeStrategySettings(changed), err)
		})
}

func shapeStrategySettings(j settings.Journal) strategySettings {
	if j.Detection == "" {
		return strategySettings{strategies.Propose}
	}
	return strategySettings{j.Detection}
}

func (a strategyAPI) read(ctx context.Context, id journal.StrategyID) (found strategybook.Strategy, err error) {
	err = a.db.View(ctx, func(tx *db.Tx) error {
		found, _, err = a.strategies.Read(ctx, tx, caller(ctx).UserID, id)
		return err
	})
	return found, err
}

func (a strategyAPI) list(ctx context.Context, in *strategyQuery) (*listing[Strategy], error) {
	owner := caller(ctx).UserID
	var found []strategybook.Strategy
	err := a.db.View(ctx, func(tx *db.Tx) error {
		q := strategybook.Query{Filter: in.filter, State: in.State.Value, Kind: in.Kind.Value}
		var err error
		if q.Trades, err = a.figures.SelectWithUnits(ctx, tx, owner, in.filter); err != nil {
			return err
		}
		found, err = a.strategies.List(ctx, tx, owner, q)
		return err
	})
	if err != nil {
		return nil, err
	}
	return paginate(&in.Paging, found, shapeStrategy, func(s strategybook.Strategy) string { return s.ID })
}

func (a strategyAPI) detect(ctx context.Context, _ *nothing) (*body[detectionResult], error) {
	var out detectionResult
	err := a.db.View(ctx, func(tx *db.Tx) error {
		list, err := a.strategies.List(ctx, tx, caller(ctx).UserID, strategybook.Query{})
		for i := range list {
			switch list[i].State {
			case strategies.Accepted:
				out.Accepted++
			case strategies.Manual:
				out.Manual++
			case strategies.Proposed, strategies.Alone:
				out.Proposed++
			}
			out.Trades += len(list[i].Legs())
		}
		return err
	})
	return answer(out, err)
}

type payoffQuery struct {
	ByID[journal.StrategyID]
	Points intParam[payoffRange] `query:"points" doc:"The number of prices besides strikes and breakevens, 2 to 500. Default 50."`
}

type payoffRange struct{}

func (payoffRange) bounds() (least, most int) { return 2, 500 }

const usualPayoffPoints = 50

func (a strategyAPI) payoff(ctx context.Context, in *payoffQuery) (*body[strategyPayoff], error) {
	found, err := a.read(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	var out strategyPayoff
	out.Opening, out.Open = strategies.Lines(&found.Strategy, in.Points.Or(usualPayoffPoints))
	return answer(out, nil)
}

func (a strategyAPI) chain(ctx context.Context, in *ByID[string]) (*body[Chain], error) {
	var list []strategybook.Strategy
	err := a.db.View(ctx, func(tx *db.Tx) (err error) {
		if in.ID != "" {
			list, err = a.strategies.List(ctx, tx, caller(ctx).UserID, strategybook.Query{Chain: in.ID})
		}
		if err == nil && len(list) == 0 {
			err = journal.NotFound("chain")
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(list, func(x, y strategybook.Strategy) int { return x.OpenedAt().Compare(y.OpenedAt()) })
	return answer(shapeChain(in.ID, list), nil)
}

func shapeChain(id string, list []strategybook.Strategy) Chain {
	out := Chain{ID: id, AccountID: list[0].Account.ID, Underlying: list[0].Underlying, Steps: make([]chainStep, len(list)), Open: []strategyLeg{}}
	isOpen := func(s strategybook.Strategy) bool { return s.ClosedAt() == nil }
	// The same shares cover one step after the other: those of open steps count, or else
	// the newest step's.
	covers := func(i int) bool {
		return isOpen(list[i]) || i == len(list)-1 && !slices.ContainsFunc(list, isOpen)
	}
	var open []strategies.Member
	for i := range list {
		s := &list[i]
		realized := s.RealizedSoFar()
		out.Realized = out.Realized.Add(realized)
		out.Steps[i] = chainStep{
			StrategyID: journal.StrategyID(s.ID), Kind: s.Kind, OpenedAt: s.OpenedAt(), ClosedAt: s.ClosedAt(), Credit: s.Credit(), Realized: realized,
		}
		for _, m := range strategies.OpenMembers(s.Members) {
			if m.Role != strategies.RoleCover || covers(i) {
				open, out.Open = append(open, m), append(out.Open, shapeLeg(m))
			}
		}
	}
	if len(open) > 0 {
		out.Breakevens = nullIfNil(strategies.Breakevens(open, out.Realized))
	}
	return out
}
