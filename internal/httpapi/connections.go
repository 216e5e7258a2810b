package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/intake/connections"
	"fillbook/internal/intake/connector"
	"fillbook/internal/trading/matching"
	"fillbook/internal/transport"
)

// connectionProvider is a broker to choose.
type connectionProvider struct {
	Provider    string                `json:"provider" example:"bybit"`
	Name        string                `json:"name" example:"Bybit"`
	Covers      string                `json:"covers" doc:"What is fetched."`
	Notes       string                `json:"notes"`
	Steps       []string              `json:"steps" doc:"The way to the credentials at the broker."`
	Hosts       []string              `json:"hosts" doc:"The hosts that the server calls."`
	Rights      connector.RightsCheck `json:"rights" enum:"harmless,checked,unknown" doc:"harmless: its keys can only read. checked: Fillbook checks what a key allows. unknown: the broker doesn't say, and keys may be able to trade."`
	Zone        string                `json:"zone" doc:"The zone of since and of the daily run." example:"UTC"`
	HistoryDays *int                  `json:"history_days" doc:"How many days back the broker answers; null for no limit."`
	ReplacesKey bool                  `json:"replaces_key" doc:"The broker replaces a key when it is used, so it can't be tested without saving the connection."`
	Available   bool                  `json:"available" doc:"This server may connect to it; false unless SVC_OUTBOUND is set."`
	Fields      []providerField       `json:"fields" doc:"The credentials and choices of a connection."`
}

// connectionAPI has the operations on connections to brokers.
type connectionAPI struct{ connections *connections.Service }

func (a connectionAPI) shapeConnector(c connector.Connector) connectionProvider {
	about := c.Describe()
	zone := about.Zone
	if zone == "" {
		zone = time.UTC.String()
	}
	days := int(about.History / (24 * time.Hour))
	return connectionProvider{
		Provider: about.Name, Name: about.Title, Covers: about.Covers, Notes: about.Notes, Steps: about.Steps, Hosts: about.Hosts,
		Rights: about.Rights, Zone: zone, HistoryDays: nilIfZero(days), ReplacesKey: about.ReplacesKey, Available: a.connections.Enabled(), Fields: shapeAll(about.Fields, shapeField),
	}
}

// connection is a broker from which fills and cash are fetched.
type connection struct {
	ID                journal.ConnectionID       `json:"id"`
	Provider          string                     `json:"provider"`
	AccountID         journal.AccountID          `json:"account_id"`
	Name              string                     `json:"name"`
	Schedule          connections.Schedule       `json:"schedule" enum:"manual,hourly,daily"`
	Since             *journal.Day               `json:"since" doc:"The first day to fetch, in the zone of the provider; null for no limit."`
	AcceptTradingKey  bool                       `json:"accept_trading_key" doc:"Use a key that can trade. One that can withdraw is never used."`
	HasCredentials    bool                       `json:"has_credentials" doc:"Whether the key is stored. It is never returned."`
	Environment       *string                    `json:"environment" doc:"The chosen environment, if the broker has several." example:"Paper"`
	Identity          orNull[ConnectionIdentity] `json:"identity" doc:"What the last check of the key found; null before the first."`
	Status            connections.Status         `json:"status" enum:"ok,running,waiting,failed,needs_attention" doc:"waiting: not run yet, or will be tried again at next_run_at. failed: tried for ten days. needs_attention: nothing happens until you change it."`
	Message           string                     `json:"message"`
	Warnings          []string                   `json:"warnings"`
	CoversFrom        *time.Time                 `json:"covers_from" doc:"Everything from here to covers_to has been fetched."`
	CoversTo          *time.Time                 `json:"covers_to"`
	FirstPassComplete *float64                   `json:"progress" doc:"The part of the first pass that is complete, from 0 to 1; null before and after it."`
	LastRunAt         *time.Time                 `json:"last_run_at"`
	NextRunAt         *time.Time                 `json:"next_run_at"`
	LastRun           orNull[connectionRun]      `json:"last_run" doc:"The newest run; null before the first."`
	CreatedAt         time.Time                  `json:"created_at"`
	UpdatedAt         time.Time                  `json:"updated_at"`
}

// ConnectionIdentity is the owner of credentials and their rights.
type ConnectionIdentity struct {
	Account     string     `json:"account" doc:"The broker's id of the account."`
	Name        string     `json:"name"`
	CanTrade    bool       `json:"can_trade"`
	CanWithdraw bool       `json:"can_withdraw"`
	ExpiresAt   *time.Time `json:"expires_at" doc:"When the key ends; null if that is not known."`
	Notes       []string   `json:"notes"`
}

func shapeIdentity(i connections.Identity) ConnectionIdentity {
	notes := i.Notes
	if notes == nil {
		notes = []string{}
	}
	return ConnectionIdentity{
		Account: i.Account, Name: i.Name, CanTrade: i.CanTrade, CanWithdraw: i.CanWithdraw, ExpiresAt: i.ExpiresAt, Notes: notes,
	}
}

// connectionTestResult is the result of testing credentials.
type connectionTestResult struct {
	ConnectionIdentity
	NewestFill orNull[newestFill] `json:"newest_fill" doc:"The newest fill of the last 30 days, so that you can see that it is your account; null if there is none."`
}

type newestFill struct {
	Symbol     string          `json:"symbol"`
	Side       matching.Side   `json:"side" enum:"buy,sell"`
	Quantity   decimal.Decimal `json:"quantity"`
	Price      decimal.Decimal `json:"price"`
	ExecutedAt time.Time       `json:"executed_at"`
}

func shapeTested(t connections.Tested) connectionTestResult {
	out := connectionTestResult{ConnectionIdentity: shapeIdentity(t.Identity)}
	if f := t.Newest; f != nil {
		out.NewestFill.value = &newestFill{Symbol: f.Symbol, Side: f.Side, Quantity: f.Quantity, Price: f.Price, ExecutedAt: f.At}
	}
	return out
}

func shapeConnection(c connections.Connection) connection {
	out := connection{
		ID: c.ID, Provider: c.Provider, AccountID: c.Account, Name: c.Name, Schedule: c.Schedule, Since: nilIfZero(c.Since),
		AcceptTradingKey: c.AcceptsTradingKey, HasCredentials: c.HasCredentials, Environment: nilIfZero(c.Environment), Status: c.Status,
		Message: c.Message, Warnings: c.Warnings, CoversFrom: c.CoversFrom, CoversTo: c.CoversTo, FirstPassComplete: c.Done,
		LastRunAt: c.LastRunAt, NextRunAt: c.NextRunAt, CreatedAt: c.CreatedAt, UpdatedAt: c.UpdatedAt,
	}
	if c.Identity.CheckedAt != nil {
		identity := shapeIdentity(c.Identity)
		out.Identity.value = &identity
	}
	if c.LastRun != nil {
		run := shapeConnectionRun(*c.LastRun)
		out.LastRun.value = &run
	}
	return out
}

func connectionTag(c connections.Connection) any { return shapeConnection(c) }

type connectionFields struct {
	Provider         opt[string]               `json:"provider" doc:"One of GET /connections/providers. It can't be changed."`
	AccountID        opt[journal.AccountID]    `json:"account_id" doc:"The account that gets the fills. It can't be changed."`
	Name             opt[string]               `json:"name" doc:"Default: the name of the provider."`
	Credentials      opt[map[string]string]    `json:"credentials" doc:"The fields of the provider. They replace those that are stored."`
	Since            opt[string]               `json:"since" doc:"The first day to fetch, YYYY-MM-DD, in the zone of the provider. Default: as far back as the broker goes."`
	Schedule         opt[connections.Schedule] `json:"schedule" enum:"manual,hourly,daily" doc:"Default daily."`
	AcceptTradingKey opt[bool]                 `json:"accept_trading_key" doc:"Use a key that can trade. Default false."`
}

// TransformSchema describes what a request must have.
func (connectionFields) TransformSchema(_ huma.Registry, schema *huma.Schema) *huma.Schema {
	return requireOnly(schema, "provider", "account_id")
}

func (f connectionFields) change() (c connections.Change, err error) {
	c = connections.Change{
		Provider: f.Provider.Opt, Account: f.AccountID.Opt, Name: f.Name.Opt, Credentials: f.Credentials.Opt, Schedule: f.Schedule.Opt,
		AcceptsTradingKey: f.AcceptTradingKey.Opt,
	}
	c.Since, err = parseSince(f.Since)
	return c, err
}

// connectionRun is a connection's run.
type connectionRun struct {
	ID           journal.ConnectionRunID `json:"id"`
	ConnectionID journal.ConnectionID    `json:"connection_id"`
	StartedAt    time.Time               `json:"started_at"`
	EndedAt      *time.Time              `json:"ended_at"`
	Outcome      connections.Status      `json:"outcome" enum:"running,ok,waiting,failed,needs_attention,interrupted"`
	Requests     int                     `json:"requests" doc:"Requests to the broker."`
	FetchedFrom  *time.Time              `json:"fetched_from" doc:"The time that was fetched; null if none was."`
	FetchedTo    *time.Time              `json:"fetched_to"`
	Inserted     int                     `json:"inserted" doc:"Fills that were new."`
	Skipped      int                     `json:"skipped" doc:"Fills that were stored before, or deleted by hand."`
	Completed    int                     `json:"completed" doc:"Stored fills that were completed or corrected."`
	Withdrawn    int                     `json:"withdrawn" doc:"Stored fills that the broker has canceled."`
	CashInserted int                     `json:"cash_inserted" doc:"Cash transactions that were new."`
	Missing      int                     `json:"missing" doc:"Stored fills that the broker no longer reports. They stay; message names them."`
	Problems     int                     `json:"problems" doc:"Records that could not be read."`
	BatchID      *journal.BatchID        `json:"batch_id" doc:"The import of the run, which can be reversed; null if nothing was new."`
	Message      string                  `json:"message"`
}

func shapeConnectionRun(r connections.Run) connectionRun {
	return connectionRun{
		ID: r.ID, ConnectionID: r.Connection, StartedAt: r.StartedAt, EndedAt: r.EndedAt, Outcome: r.Outcome, Requests: r.Requests,
		FetchedFrom: r.FetchedFrom, FetchedTo: r.FetchedTo, Inserted: r.Inserted, Skipped: r.Skipped, Completed: r.Completed,
		Withdrawn: r.Withdrawn, CashInserted: r.CashInserted, Missing: r.Missing, Problems: r.Problems, BatchID: nilIfZero(r.Batch), Message: r.Message,
	}
}

// NewConnection is the input for a new connection.
type NewConnection struct {
	Test bool `query:"test" doc:"Sign in first; nothing is stored if the broker refuses the key or if it allows too much."`
	Body connectionFields
}

// connectionTest is the input for testing credentials.
type connectionTest struct {
	Provider         string            `json:"provider"`
	Credentials      map[string]string `json:"credentials"`
	AcceptTradingKey bool              `json:"accept_trading_key,omitempty"`
}

func connectionActor(ctx context.Context) connections.Actor {
	return connections.Actor{Principal: caller(ctx), Client: client(ctx)}
}

func connectionRoute(method, path, id, summary string) route {
	needs := writeConnections
	if method == http.MethodGet {
		needs = readConnections
	}
	return journalRoute(needs, method, "/connections"+path, id, "Connections", summary)
}

func (a connectionAPI) register(api *API) {
	register(api, connectionRoute(http.MethodGet, "/providers", "listConnectionProviders", "List the brokers that Fillbook can fetch from"),
		func(context.Context, *struct{}) (*body[[]connectionProvider], error) {
			return answer(shapeAll(a.connections.Providers, a.shapeConnector), nil)
		})
	registerList(api, connectionRoute(http.MethodGet, "", "listConnections", "List your connections, oldest first"),
		func(ctx context.Context, in *Paging) (*listing[connection], error) {
			list, err := a.connections.List(ctx, caller(ctx).UserID)
			if err != nil {
				return nil, err
			}
			return paginate(in, list, shapeConnection, func(c connections.Connection) string { return string(c.ID) })
		})
	create := connectionRoute(http.MethodPost, "", "createConnection", "Connect an account to a broker; the first run starts at once unless the schedule is manual")
	create.refusals = append(create.refusals, http.StatusTooManyRequests)
	register(api, create, func(ctx context.Context, in *NewConnection) (*body[connection], error) {
		change, err := in.Body.change()
		if err != nil {
			return nil, err
		}
		if in.Test {
			release, err := api.beginProviderCall(ctx)
			if err != nil {
				return nil, err
			}
			defer release()
		}
		created, err := a.connections.Create(ctx, connectionActor(ctx), change, in.Test)
		return answer(shapeConnection(created), err)
	})
	register(api, connectionRoute(http.MethodGet, "/{id}", "getConnection", "Read a connection"),
		func(ctx context.Context, in *ByID[journal.ConnectionID]) (*body[connection], error) {
			found, err := a.connections.Get(ctx, caller(ctx).UserID, in.ID)
			return answer(shapeConnection(found), err)
		})
	register(api, connectionRoute(http.MethodPatch, "/{id}", "changeConnection", "Change a connection, or its key"),
		func(ctx context.Context, in *ChangeOf[journal.ConnectionID, connectionFields]) (*body[connection], error) {
			change, err := in.Body.change()
			if err != nil {
				return nil, err
			}
			changed, err := a.connections.Update(ctx, connectionActor(ctx), in.ID, change, transport.IfMatch(in.IfMatch, connectionTag))
			return answer(shapeConnection(changed), err)
		})
	register(api, connectionRoute(http.MethodDelete, "/{id}", "deleteConnection", "Delete a connection and its key; the fills stay"),
		func(ctx context.Context, in *DeleteOf[journal.ConnectionID]) (*nothing, error) {
			return nil, a.connections.Delete(ctx, connectionActor(ctx), in.ID, transport.IfMatch(in.IfMatch, connectionTag))
		})
	a.registerConnectionRunRoutes(api)
}

func (a connectionAPI) registerConnectionRunRoutes(api *API) {
	test := connectionRoute(http.MethodPost, "/test", "testConnection", "Sign in at a broker and show whose the key is, what it allows and the newest fill; nothing is stored")
	test.status, test.secret = http.StatusOK, true
	test.refusals = append(test.refusals, http.StatusTooManyRequests)
	register(api, test, func(ctx context.Context, in *body[connectionTest]) (*body[connectionTestResult], error) {
		release, err := api.beginProviderCall(ctx)
		if err != nil {
			return nil, err
		}
		defer release()
		found, err := a.connections.Test(ctx, caller(ctx).UserID, in.Body.Provider, in.Body.Credentials, in.Body.AcceptTradingKey)
		return answer(shapeTested(found), err)
	})
	start := connectionRoute(http.MethodPost, "/{id}/run", "runConnection", "Fetch now; at most once a minute")
	start.status, start.body = http.StatusAccepted, transport.NoBody
	start.refusals = append(start.refusals, http.StatusTooManyRequests)
	register(api, start, func(ctx context.Context, in *ByID[journal.ConnectionID]) (*body[connectionRun], error) {
		run, err := a.connections.Start(ctx, caller(ctx).UserID, in.ID)
		return answer(shapeConnectionRun(run), err)
	})
	registerList(api, connectionRoute(http.MethodGet, "/{id}/runs", "listConnectionRuns", "List the runs of a connection in the last 90 days, newest first"),
		func(ctx context.Context, in *RunsOf[journal.ConnectionID]) (*listing[connectionRun], error) {
			list, err := a.connections.RunsOf(ctx, caller(ctx).UserID, in.ID)
			if err != nil {
				return nil, err
			}
			return paginate(&in.Paging, list, shapeConnectionRun, func(r connections.Run) string { return string(r.ID) })
		})
}
