package httpapi

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
	"fillbook/internal/transport"
)

// Execution is a fill.
type Execution struct {
	ID             journal.ExecutionID `json:"id"`
	AccountID      journal.AccountID   `json:"account_id"`
	TradeIDs       []journal.TradeID   `json:"trade_ids" doc:"One, or two for a fill that crosses zero. None for a fill that only closes and had nothing to close."`
	ExternalID     *string             `json:"external_id" doc:"The broker's own id of the fill."`
	Symbol         string              `json:"symbol"`
	InstrumentType string              `json:"instrument_type"`
	Kind           string              `json:"kind" enum:"trade,opening,removal,expiry,assignment,exercise,settlement"`
	Side           matching.Side       `json:"side" enum:"buy,sell"`
	Quantity       decimal.Decimal     `json:"quantity"`
	Price          decimal.Decimal     `json:"price" doc:"For a removal, the average entry price of what it removed."`
	Fees           decimal.Decimal     `json:"fees"`
	Commission     decimal.Decimal     `json:"commission"`
	Multiplier     decimal.Decimal     `json:"multiplier"`
	StatedPnL      decimal.Null        `json:"stated_pnl" doc:"The broker's own gross result of what this fill closes."`
	ExecutedAt     time.Time           `json:"executed_at"`
	EventID        *string             `json:"event_id" doc:"Joins the fill of an assigned or exercised option with the one of its underlying."`
	BasisEstimated bool                `json:"basis_estimated" doc:"Whether the price of an opening is not the real cost."`
	Details        map[string]string   `json:"details"`
	ImportBatchID  *journal.BatchID    `json:"import_batch_id"`
	CreatedAt      time.Time           `json:"created_at"`
	AdjustedQty    decimal.Null        `json:"adjusted_quantity" doc:"The quantity after later splits of its trade; null if there were none."`
	AdjustedPrice  decimal.Null        `json:"adjusted_price" doc:"The price in the same units."`
}

func shapeExecution(e ledger.Execution) Execution {
	if e.Details == nil {
		e.Details = map[string]string{}
	}
	return Execution{
		ID: e.ID, AccountID: e.Account, TradeIDs: e.TradeIDs, ExternalID: e.ExternalID, Symbol: e.Instrument.Symbol,
		InstrumentType: e.Instrument.Type, Side: e.Side, Quantity: e.Quantity, Price: e.Price, Fees: e.Fees, Commission: e.Commission,
		Multiplier: e.Multiplier, StatedPnL: e.StatedPnL, ExecutedAt: e.ExecutedAt, Details: e.Details, ImportBatchID: e.Batch,
		CreatedAt: e.CreatedAt, Kind: e.Kind.String(), EventID: nilIfZero(e.EventID), BasisEstimated: e.BasisEstimated,
		AdjustedQty: e.Adjusted.Quantity, AdjustedPrice: e.Adjusted.Price,
	}
}

func executionTag(e ledger.Execution) any { return shapeExecution(e) }

// writtenExecution is the answer to a write: the execution, and its trade.
type writtenExecution struct {
	Execution
	ExecutionID journal.ExecutionID `json:"execution_id"`
	TradeID     *journal.TradeID    `json:"trade_id" doc:"The trade it belongs to; for a fill that crosses zero, the one it opens. Null if it belongs to none."`
	Deduped     bool                `json:"deduped,omitzero" doc:"An equal fill was already stored and is returned."`
	Completed   bool                `json:"completed,omitzero" doc:"The request added values that the stored fill lacked: costs, exact time, id, multiplier, stated result, kind, order or event."`
	Warnings    []string            `json:"warnings,omitempty" doc:"Values to check, for example the multiplier of an unknown future."`
}

// executionAnswer has the record's tag, not the answer's, for If-Match.
type executionAnswer struct {
	Status int
	ETag   string `header:"ETag"`
	Body   writtenExecution
}

func answerExecution(e ledger.Execution, status int) (*executionAnswer, error) {
	shaped := shapeExecution(e)
	tag, err := transport.ETag(shaped)
	out := &executionAnswer{Status: status, ETag: tag, Body: writtenExecution{Execution: shaped, ExecutionID: e.ID}}
	if n := len(e.TradeIDs); n > 0 {
		out.Body.TradeID = &e.TradeIDs[n-1]
	}
	return out, err
}

// ExecutionFields are a fill's writable fields.
type ExecutionFields struct {
	Symbol         opt[string]            `json:"symbol"`
	Side           opt[matching.Side]     `json:"side" enum:"buy,sell"`
	Quantity       opt[decimal.Decimal]   `json:"quantity" doc:"Above zero."`
	Price          opt[decimal.Decimal]   `json:"price" doc:"Below zero for futures and options only. Ignored for a removal; 0 for an assignment or exercise."`
	ExecutedAt     opt[writtenInstant]    `json:"executed_at"`
	InstrumentType opt[string]            `json:"instrument_type" required:"false" doc:"stock (default), option, future, forex, crypto, cfd or another text."`
	Fees           opt[decimal.Decimal]   `json:"fees" required:"false" doc:"Costs are positive, rebates negative."`
	Commission     opt[decimal.Decimal]   `json:"commission" required:"false"`
	Multiplier     opt[decimal.Decimal]   `json:"multiplier" required:"false" doc:"Default: futures by contract root, options 100, else 1."`
	StatedPnL      opt[decimal.Decimal]   `json:"stated_pnl" required:"false" doc:"The broker's own gross result of what this fill closes, in account currency."`
	ExternalID     opt[string]            `json:"external_id" required:"false"`
	Details        opt[map[string]string] `json:"details" required:"false" doc:"option_right, strike, expiry, lot, order_id, and other values of the source."`
	Kind           opt[string]            `json:"kind" required:"false" enum:"trade,opening,removal,expiry,assignment,exercise,settlement" doc:"How the fill came about. Default: trade. removal, expiry, assignment, exercise and settlement only close; what they exceed the position by belongs to no trade."`
	EventID        opt[string]            `json:"event_id" required:"false" doc:"The same for the fill of an assigned or exercised option and the one of its underlying."`
	BasisEstimated opt[bool]              `json:"basis_estimated" required:"false" doc:"For an opening whose cost is not known."`
}

type newExecution struct {
	NewFill
	AccountID journal.AccountID `json:"account_id"`
}

func (n newExecution) fill() (ledger.NewFill, error) {
	if n.AccountID == "" {
		return ledger.NewFill{}, requiredField("account_id")
	}
	return n.NewFill.fill()
}

// NewFill is a fill to add to an account.
type NewFill struct {
	ExecutionFields
	AllowDuplicate bool `json:"allow_duplicate" required:"false" doc:"Store the fill even if an equal one is stored."`
}

func requiredField(name string) error { return journal.InvalidField(name, "%s is required.", name) }

// fill returns the fill for the ledger, or an error if a required field is missing.
func (n NewFill) fill() (ledger.NewFill, error) {
	for _, field := range []struct {
		name string
		sent bool
	}{
		{"symbol", n.Symbol.Set},
		{"side", n.Side.Set},
		{"quantity", n.Quantity.Set},
		{"price", n.Price.Set},
		{"executed_at", n.ExecutedAt.Set},
	} {
		if !field.sent {
			return ledger.NewFill{}, requiredField(field.name)
		}
	}
	if n.Price.Null {
		return ledger.NewFill{}, journal.InvalidField("price", "price must be a number.")
	}
	kind, err := parseFillKind(n.Kind.Value)
	if err != nil {
		return ledger.NewFill{}, err
	}
	return ledger.NewFill{
		Kind: kind, EventID: n.EventID.Value, BasisEstimated: n.BasisEstimated.Value,
		Symbol: n.Symbol.Value, InstrumentType: n.InstrumentType.Value, Side: n.Side.Value, Quantity: n.Quantity.Value,
		Price: n.Price.Value, Fees: n.Fees.Value, Commission: n.Commission.Value, Multiplier: toNull(n.Multiplier),
		StatedPnL: toNull(n.StatedPnL), ExecutedAt: n.ExecutedAt.Value.Time, ExternalID: n.ExternalID.Value,
		Details: n.Details.Value, AllowDuplicate: n.AllowDuplicate, Facts: n.facts(),
	}, nil
}

// parseFillKind parses a kind; empty means a trade.
func parseFillKind(text string) (matching.Kind, error) {
	kind, err := matching.ParseKind(text)
	if err != nil {
		return kind, journal.InvalidField("kind", "kind must be trade, opening, removal, expiry, assignment, exercise or settlement.")
	}
	return kind, nil
}

// facts reports which values were sent: a missing cost is unknown. The time has the
// precision of its text.
func (f ExecutionFields) facts() ledger.Facts {
	facts := ledger.FactsRecorded
	if f.Fees.Set && !f.Fees.Null {
		facts |= ledger.FeesStated
	}
	if f.Commission.Set && !f.Commission.Null {
		facts |= ledger.CommissionStated
	}
	if f.Multiplier.Set && !f.Multiplier.Null {
		facts |= ledger.MultiplierStated
	}
	if f.ExecutedAt.Value.hasFraction {
		facts |= ledger.ZeroFraction // the ledger drops it if the fraction is not 0
	}
	return facts
}

func toNull(o opt[decimal.Decimal]) decimal.Null {
	if !o.Set || o.Null {
		return decimal.Null{}
	}
	return decimal.Of(o.Value)
}

func (f ExecutionFields) change() (ledger.ExecutionChange, error) {
	at := f.ExecutedAt
	kind, err := parseFillKind(f.Kind.Value)
	return ledger.ExecutionChange{
		Kind: journal.Opt[matching.Kind]{Set: f.Kind.Set, Value: kind}, EventID: f.EventID.Opt, BasisEstimated: f.BasisEstimated.Opt,
		Symbol: f.Symbol.Opt, InstrumentType: f.InstrumentType.Opt, Side: f.Side.Opt, Quantity: f.Quantity.Opt, Price: f.Price.Opt,
		Fees: f.Fees.Opt, Commission: f.Commission.Opt, Multiplier: f.Multiplier.Opt, StatedPnL: f.StatedPnL.Opt,
		ExternalID: f.ExternalID.Opt, Details: f.Details.Opt,
		ExecutedAt: journal.Opt[time.Time]{Set: at.Set, Null: at.Null, Value: at.Value.Time}, HasFraction: at.Value.hasFraction,
	}, err
}

func executionRoute(needs permission, method, path, id, summary string) route {
	return journalRoute(needs, method, "/executions"+path, id, "Executions", summary)
}

// executionAPI has the operations on fills.
type executionAPI struct {
	db     *db.DB
	ledger *ledger.Service
}

func (a executionAPI) register(api *API) {
	a.registerUnmatched(api)
	registerList(api, allowLongAnswer(executionRoute(readJournal, http.MethodGet, "", "listExecutions", "List fills by time")), a.listExecutions)
	add := executionRoute(writeJournal, http.MethodPost, "", "addExecution", "Add a fill and regroup its trades")
	add.about = "A fill equal in account, symbol, contract, side, quantity, price and instant to a stored one answers 200 with the stored one and deduped, and adds values that the stored one lacks. It is the same fill if both have the same external_id, or if at most one of them has one; times are compared at the precision of the coarser one. An external_id of a different fill is 409."
	register(api, add, a.addExecution)
	if api.document != nil {
		answers := api.document.Paths[prefix+add.path].Post.Responses
		answers["200"] = answers["201"]
	}
	register(api, executionRoute(readJournal, http.MethodGet, "/{id}", "getExecution", "Read a fill"),
		func(ctx context.Context, in *ByID[journal.ExecutionID]) (*body[Execution], error) {
			found, err := a.ledger.Execution(ctx, caller(ctx).UserID, in.ID)
			return answer(shapeExecution(found), err)
		})
	register(api, executionRoute(writeJournal, http.MethodPatch, "/{id}", "changeExecution", "Change a fill and regroup its trades"),
		func(ctx context.Context, in *ChangeOf[journal.ExecutionID, ExecutionFields]) (*executionAnswer, error) {
			change, err := in.Body.change()
			if err != nil {
				return nil, err
			}
			changed, err := a.ledger.UpdateExecution(ctx, caller(ctx).UserID, in.ID, change, transport.IfMatch(in.IfMatch, executionTag))
			if err != nil {
				return nil, err
			}
			return answerExecution(changed, http.StatusOK)
		})
	register(api, executionRoute(writeJournal, http.MethodDelete, "/{id}", "deleteExecution", "Delete a fill and regroup its trades"),
		func(ctx context.Context, in *DeleteOf[journal.ExecutionID]) (*nothing, error) {
			return nil, a.ledger.DeleteExecution(ctx, caller(ctx).UserID, in.ID, transport.IfMatch(in.IfMatch, executionTag))
		})
}

func (a executionAPI) addExecution(ctx context.Context, in *body[newExecution]) (*executionAnswer, error) {
	fill, err := in.Body.fill()
	if err != nil {
		return nil, err
	}
	added, err := a.ledger.AddExecution(ctx, caller(ctx).UserID, in.Body.AccountID, fill)
	if err != nil {
		return nil, err
	}
	status := http.StatusCreated
	if added.Deduped {
		status = http.StatusOK
	}
	out, err := answerExecution(added.Execution, status)
	if err != nil {
		return nil, err
	}
	out.Body.Deduped, out.Body.Completed, out.Body.Warnings = added.Deduped, added.Completed, added.Warnings
	return out, nil
}

type executionQuery struct {
	ScopeInput
	Paging
}

func (a executionAPI) listExecutions(ctx context.Context, in *executionQuery) (*listing[Execution], error) {
	scope, err := in.scope()
	if err != nil {
		return nil, err
	}
	query := ledger.ExecutionQuery{Scope: scope}
	if query.After, err = decodeExecutionCursor(&in.Paging); err != nil {
		return nil, err
	}
	size := in.pageSize()
	owner := caller(ctx).UserID
	if size == 0 {
		return &listing[Execution]{each: func(emit func(Execution) error) error {
			return a.ledger.EachExecution(ctx, owner, query, func(e ledger.Execution) error { return emit(shapeExecution(e)) })
		}}, nil
	}
	query.Limit = size + 1
	var rows []ledger.Execution
	var total int
	err = a.db.View(ctx, func(tx *db.Tx) (err error) {
		err = ledger.EachExecution(ctx, tx, owner, query, func(e ledger.Execution) error {
			rows = append(rows, e)
			return nil
		})
		if err != nil {
			return err
		}
		total, err = a.ledger.CountExecutionsIn(ctx, tx, owner, query)
		return err
	})
	if err != nil {
		return nil, err
	}
	return newListing(&in.Paging, rows, total, shapeExecution, executionKeys), nil
}

func executionKeys(e ledger.Execution) []string {
	return []string{strconv.FormatInt(e.Cursor.At, 10), strconv.FormatInt(e.Cursor.Arrival, 10), strconv.FormatInt(e.Cursor.Account, 10)}
}

func decodeExecutionCursor(p *Paging) (*ledger.ExecutionCursor, error) {
	keys, err := p.decodeCursor(3)
	if err != nil || keys == nil {
		return nil, err
	}
	var numbers [3]int64
	for i, key := range keys {
		if numbers[i], err = strconv.ParseInt(key, 10, 64); err != nil {
			return nil, invalidCursor()
		}
	}
	return &ledger.ExecutionCursor{At: numbers[0], Arrival: numbers[1], Account: numbers[2]}, nil
}
