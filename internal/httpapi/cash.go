package httpapi

import (
	"context"
	"net/http"
	"time"

	"fillbook/internal/decimal"
	"fillbook/internal/journal"
	"fillbook/internal/ledger"
	"fillbook/internal/transport"
)

type cash struct {
	ID            journal.CashID    `json:"id"`
	AccountID     journal.AccountID `json:"account_id"`
	Type          ledger.CashType   `json:"type" enum:"deposit,withdrawal,fee,dividend,interest,adjustment"`
	Amount        decimal.Decimal   `json:"amount" doc:"Signed: money in is positive."`
	Currency      string            `json:"currency"`
	OccurredAt    time.Time         `json:"occurred_at"`
	Note          string            `json:"note"`
	TradeID       *journal.TradeID  `json:"trade_id"`
	ImportBatchID *journal.BatchID  `json:"import_batch_id"`
	CreatedAt     time.Time         `json:"created_at"`
}

func shapeCash(c ledger.Cash) cash {
	return cash{
		ID: c.ID, AccountID: c.Account, Type: c.Type, Amount: c.Amount, Currency: c.Currency, OccurredAt: c.OccurredAt, Note: c.Note,
		TradeID: c.Trade, ImportBatchID: c.Batch, CreatedAt: c.CreatedAt,
	}
}

func cashTag(c ledger.Cash) any { return shapeCash(c) }

// CashFields are the writable fields of a cash transaction.
type CashFields struct {
	Type       opt[ledger.CashType] `json:"type" enum:"deposit,withdrawal,fee,dividend,interest,adjustment"`
	Amount     opt[decimal.Decimal] `json:"amount" doc:"Withdrawals and fees are stored as negative, deposits as positive, whatever the sign sent; other types keep the sign."`
	OccurredAt opt[instant]         `json:"occurred_at"`
	Currency   opt[string]          `json:"currency" required:"false" doc:"Must be the currency of the account, which is the default."`
	Note       opt[string]          `json:"note" required:"false"`
	TradeID    opt[journal.TradeID] `json:"trade_id" required:"false"`
}

type newCash struct {
	CashFields
	AccountID journal.AccountID `json:"account_id"`
}

func (n newCash) cash() (ledger.NewCash, error) {
	for _, field := range []struct {
		name string
		sent bool
	}{
		{"account_id", n.AccountID != ""},
		{"type", n.Type.Set},
		{"amount", n.Amount.Set && !n.Amount.Null},
		{"occurred_at", n.OccurredAt.Set && !n.OccurredAt.Null},
	} {
		if !field.sent {
			return ledger.NewCash{}, journal.InvalidField(field.name, "%s is required.", field.name)
		}
	}
	return ledger.NewCash{
		Type: n.Type.Value, Amount: n.Amount.Value, Currency: n.Currency.Value, OccurredAt: n.OccurredAt.Value.Time,
		Note: n.Note.Value, Trade: n.TradeID.OrNil(nil),
	}, nil
}

func (f CashFields) change() ledger.CashChange {
	at := f.OccurredAt
	return ledger.CashChange{
		Type: f.Type.Opt, Amount: f.Amount.Opt, Currency: f.Currency.Opt, Note: f.Note.Opt, Trade: f.TradeID.Opt,
		OccurredAt: journal.Opt[time.Time]{Set: at.Set, Null: at.Null, Value: at.Value.Time},
	}
}

func cashRoute(method, path, id, summary string) route {
	return journalRoute(method, "/cash-transactions"+path, id, "Cash", summary)
}

func (a *API) registerCashRoutes() {
	registerList(a, allowLongAnswer(cashRoute(http.MethodGet, "", "listCash", "List cash transactions by time")), a.listCash)
	register(a, cashRoute(http.MethodPost, "", "addCash", "Record a deposit, withdrawal, dividend, fee, interest or adjustment"),
		func(ctx context.Context, in *body[newCash]) (*body[cash], error) {
			row, err := in.Body.cash()
			if err != nil {
				return nil, err
			}
			added, err := a.Ledger.AddCash(ctx, caller(ctx).UserID, in.Body.AccountID, row)
			return answer(shapeCash(added), err)
		})
	register(a, cashRoute(http.MethodGet, "/{id}", "getCash", "Read a cash transaction"),
		func(ctx context.Context, in *ByID[journal.CashID]) (*body[cash], error) {
			found, err := a.Ledger.CashTransaction(ctx, caller(ctx).UserID, in.ID)
			return answer(shapeCash(found), err)
		})
	register(a, cashRoute(http.MethodPut, "/{id}", "changeCash", "Change a cash transaction; absent fields stay as they are"),
		func(ctx context.Context, in *ChangeOf[journal.CashID, CashFields]) (*body[cash], error) {
			changed, err := a.Ledger.UpdateCash(ctx, caller(ctx).UserID, in.ID, in.Body.change(), transport.IfMatch(in.IfMatch, cashTag))
			return answer(shapeCash(changed), err)
		})
	register(a, cashRoute(http.MethodDelete, "/{id}", "deleteCash", "Delete a cash transaction"),
		func(ctx context.Context, in *DeleteOf[journal.CashID]) (*nothing, error) {
			return nil, a.Ledger.DeleteCash(ctx, caller(ctx).UserID, in.ID, transport.IfMatch(in.IfMatch, cashTag))
		})
}

type cashQuery struct {
	ScopeInput
	Paging
}

func (a *API) listCash(ctx context.Context, in *cashQuery) (*listing[cash], error) {
	scope, err := in.scope()
	if err != nil {
		return nil, err
	}
	size := in.pageSize()
	at, id, given, err := in.decodeTimeCursor()
	if err != nil {
		return nil, err
	}
	owner := caller(ctx).UserID
	if size == 0 && !given {
		return &listing[cash]{each: func(emit func(cash) error) error {
			return a.Ledger.EachCash(ctx, owner, scope, func(c ledger.Cash) error { return emit(shapeCash(c)) })
		}}, nil
	}
	var after *ledger.CashCursor
	if given {
		after = &ledger.CashCursor{At: at.UnixMicro(), ID: journal.CashID(id)}
	}
	if size > 0 {
		size++ // to know whether there is a next page
	}
	rows, total, err := a.Ledger.CashPage(ctx, owner, scope, after, size)
	if err != nil {
		return nil, err
	}
	return newListing(&in.Paging, rows, total, shapeCash, func(c ledger.Cash) []string { return timeKeys(c.OccurredAt, string(c.ID)) }), nil
}
