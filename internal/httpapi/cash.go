package httpapi

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/fields"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/transport"
)

func cashTag(c ledger.Cash) any { return c }

// SentCash are a cash transaction's values in a request.
type SentCash = ledger.CashMembers[opt[ledger.CashType], opt[decimal.Decimal], opt[string], opt[instant], opt[journal.TradeID]]

// CashFields are a cash transaction's writable fields.
type CashFields struct{ SentCash }

// TransformSchema describes what a request must have.
func (CashFields) TransformSchema(_ huma.Registry, schema *huma.Schema) *huma.Schema {
	return requireOnly(schema, "type", "amount", "occurred_at")
}

type newCash struct {
	CashFields
	AccountID journal.AccountID `json:"account_id"`
}

// TransformSchema describes what a request must have.
func (newCash) TransformSchema(_ huma.Registry, schema *huma.Schema) *huma.Schema {
	return requireOnly(schema, "type", "amount", "occurred_at", "account_id")
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
	return fields.CopyTo[ledger.NewCash](&n.SentCash), nil
}

func (f CashFields) change() ledger.CashChange { return fields.CopyTo[ledger.CashChange](&f.SentCash) }

func cashRoute(needs permission, method, path, id, summary string) route {
	return journalRoute(needs, method, "/cash-transactions"+path, id, "Cash", summary)
}

// cashAPI has the operations on cash transactions.
type cashAPI struct {
	ledger *ledger.Service
}

func (a cashAPI) register(api *API) {
	registerList(api, allowLongAnswer(cashRoute(readJournal, http.MethodGet, "", "listCash", "List cash transactions by time")), a.listCash)
	register(api, cashRoute(writeJournal, http.MethodPost, "", "addCash", "Record a deposit, withdrawal, dividend, fee, interest or adjustment"),
		func(ctx context.Context, in *body[newCash]) (*body[ledger.Cash], error) {
			row, err := in.Body.cash()
			if err != nil {
				return nil, err
			}
			added, err := a.ledger.AddCash(ctx, caller(ctx).UserID, in.Body.AccountID, row)
			return answer(added, err)
		})
	register(api, cashRoute(readJournal, http.MethodGet, "/{id}", "getCash", "Read a cash transaction"),
		func(ctx context.Context, in *ByID[journal.CashID]) (*body[ledger.Cash], error) {
			found, err := a.ledger.CashTransaction(ctx, caller(ctx).UserID, in.ID)
			return answer(found, err)
		})
	register(api, cashRoute(writeJournal, http.MethodPut, "/{id}", "changeCash", "Change a cash transaction; absent fields stay as they are"),
		func(ctx context.Context, in *ChangeOf[journal.CashID, CashFields]) (*body[ledger.Cash], error) {
			changed, err := a.ledger.UpdateCash(ctx, caller(ctx).UserID, in.ID, in.Body.change(), transport.IfMatch(in.IfMatch, cashTag))
			return answer(changed, err)
		})
	register(api, cashRoute(writeJournal, http.MethodDelete, "/{id}", "deleteCash", "Delete a cash transaction"),
		func(ctx context.Context, in *DeleteOf[journal.CashID]) (*nothing, error) {
			return nil, a.ledger.DeleteCash(ctx, caller(ctx).UserID, in.ID, transport.IfMatch(in.IfMatch, cashTag))
		})
}

type cashQuery struct {
	ScopeInput
	Paging
}

func (a cashAPI) listCash(ctx context.Context, in *cashQuery) (*listing[ledger.Cash], error) {
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
		return &listing[ledger.Cash]{each: func(emit func(ledger.Cash) error) error {
			return a.ledger.EachCash(ctx, owner, scope, emit)
		}}, nil
	}
	var after *ledger.CashCursor
	if given {
		after = &ledger.CashCursor{At: at.UnixMicro(), ID: journal.CashID(id)}
	}
	if size > 0 {
		size++ // to know whether there is a next page
	}
	rows, total, err := a.ledger.CashPage(ctx, owner, scope, after, size)
	if err != nil {
		return nil, err
	}
	return newListing(&in.Paging, rows, total, keepShape, func(c ledger.Cash) []string { return timeKeys(c.OccurredAt, string(c.ID)) }), nil
}
