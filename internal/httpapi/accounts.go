package httpapi

import (
	"context"
	"net/http"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/demo"
	"fillbook/internal/prices/bars"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/playbook"
	"fillbook/internal/transport"
)

type account struct {
	ID              journal.AccountID `json:"id"`
	Name            string            `json:"name"`
	Broker          string            `json:"broker"`
	AccountType     string            `json:"account_type" doc:"Free text, for example cash, margin, prop, paper or crypto."`
	BaseCurrency    string            `json:"base_currency"`
	StartingBalance decimal.Decimal   `json:"starting_balance" doc:"The equity before the first event."`
	CreatedAt       time.Time         `json:"created_at"`
	UpdatedAt       time.Time         `json:"updated_at"`
}

func shapeAccount(a ledger.Account) account {
	return account{
		ID: a.ID, Name: a.Name, Broker: a.Broker, AccountType: a.Type, BaseCurrency: a.BaseCurrency,
		StartingBalance: a.StartingBalance, CreatedAt: a.CreatedAt, UpdatedAt: a.UpdatedAt,
	}
}

func accountTag(a ledger.Account) any { return shapeAccount(a) }

// accountFields are the writable fields. All but name have a default.
type accountFields struct {
	Name            opt[string]          `json:"name"`
	Broker          opt[string]          `json:"broker" required:"false"`
	AccountType     opt[string]          `json:"account_type" required:"false"`
	BaseCurrency    opt[string]          `json:"base_currency" required:"false" doc:"Three to five letters or digits. Default USD."`
	StartingBalance opt[decimal.Decimal] `json:"starting_balance" required:"false"`
}

func (f accountFields) create() ledger.NewAccount {
	return ledger.NewAccount{
		Name: f.Name.Value, Broker: f.Broker.Value, Type: f.AccountType.Value,
		BaseCurrency: f.BaseCurrency.Value, StartingBalance: f.StartingBalance.Value,
	}
}

func (f accountFields) change() ledger.AccountChange {
	return ledger.AccountChange{
		Name: f.Name.Opt, Broker: f.Broker.Opt, Type: f.AccountType.Opt,
		BaseCurrency: f.BaseCurrency.Opt, StartingBalance: f.StartingBalance.Opt,
	}
}

// accountRoute returns an account route. The other resources have a function like it.
func accountRoute(needs permission, method, path, id, summary string) route {
	return journalRoute(needs, method, "/accounts"+path, id, "Accounts", summary)
}

// journalRoute returns a journal route with the usual refusals: 404 if it names a record,
// 412 if it writes one.
func journalRoute(needs permission, method, path, id, tag, summary string) route {
	r := route{needs: needs, method: method, path: path, id: id, tag: tag, summary: summary, repeated: repeatable}
	switch method {
	case http.MethodPost:
		r.body, r.status, r.refusals = transport.JSONBody, http.StatusCreated, []int{http.StatusNotFound, http.StatusConflict}
	case http.MethodPut, http.MethodPatch:
		r.body, r.refusals = transport.JSONBody, []int{http.StatusNotFound, http.StatusConflict, http.StatusPreconditionFailed}
	case http.MethodDelete:
		r.refusals = []int{http.StatusNotFound, http.StatusPreconditionFailed}
	default:
		r.refusals = []int{http.StatusNotFound}
	}
	return r
}

// accountAPI has the operations on accounts.
type accountAPI struct {
	db       *db.DB
	clock    journal.Clock
	ledger   *ledger.Service
	playbook *playbook.Service
	bars     *bars.Service
}

func (a accountAPI) register(api *API) {
	registerList(api, accountRoute(readAccounts, http.MethodGet, "", "listAccounts", "List the accounts, oldest first"),
		func(ctx context.Context, in *Paging) (*listing[account], error) {
			accounts, err := a.ledger.Accounts(ctx, caller(ctx).UserID)
			if err != nil {
				return nil, err
			}
			return paginate(in, accounts, shapeAccount, func(a ledger.Account) string { return string(a.ID) })
		})
	register(api, forEveryAccount(accountRoute(writeJournal, http.MethodPost, "", "createAccount", "Create an account")),
		func(ctx context.Context, in *body[accountFields]) (*body[account], error) {
			created, err := a.ledger.CreateAccount(ctx, caller(ctx).UserID, in.Body.create())
			return answer(shapeAccount(created), err)
		})
	demonstration := forEveryAccount(accountRoute(writeJournal, http.MethodPost, "/demo", "createDemoAccount", "Create a demo account with two years of trades"))
	demonstration.about = "It has fills, cash, annotations with setups, tags and pictures, notes, missed trades, rules and goals for this account, and prices. Deleting it removes all of them, " +
		"except setups and tags that you use elsewhere. Your own records are not changed. A user has at most one demo account."
	demonstration.body, demonstration.limitKind, demonstration.refusals = transport.NoBody, importQueue, []int{http.StatusConflict}
	register(api, demonstration, func(ctx context.Context, _ *struct{}) (*body[account], error) {
		created, err := demo.AddAccount(ctx, demo.Services{DB: a.db, Clock: a.clock, Ledger: a.ledger, Playbook: a.playbook, Bars: a.bars}, caller(ctx).UserID)
		return answer(shapeAccount(created), err)
	})
	register(api, accountRoute(readJournal, http.MethodGet, "/{id}", "getAccount", "Read an account"),
		func(ctx context.Context, in *ByID[journal.AccountID]) (*body[account], error) {
			found, err := a.ledger.Account(ctx, caller(ctx).UserID, in.ID)
			return answer(shapeAccount(found), err)
		})
	register(api, accountRoute(writeJournal, http.MethodPut, "/{id}", "updateAccount", "Change an account; absent fields stay as they are"),
		func(ctx context.Context, in *ChangeOf[journal.AccountID, accountFields]) (*body[account], error) {
			changed, err := a.ledger.UpdateAccount(ctx, caller(ctx).UserID, in.ID, in.Body.change(), transport.IfMatch(in.IfMatch, accountTag))
			return answer(shapeAccount(changed), err)
		})
	register(api, accountRoute(writeJournal, http.MethodDelete, "/{id}", "deleteAccount", "Delete an account with its fills, trades and cash"),
		func(ctx context.Context, in *DeleteOf[journal.AccountID]) (*nothing, error) {
			return nil, a.ledger.DeleteAccount(ctx, caller(ctx).UserID, in.ID, transport.IfMatch(in.IfMatch, accountTag))
		})
}
