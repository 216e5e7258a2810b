package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/remote"
	"fillbook/internal/prices/barfetch"
	"fillbook/internal/prices/barsource"
	"fillbook/internal/transport"
)

// barProvider is a bar provider to choose.
type barProvider struct {
	Provider  string          `json:"provider" example:"alpaca"`
	Name      string          `json:"name" example:"Alpaca"`
	Covers    string          `json:"covers" doc:"Which instruments it has."`
	Notes     string          `json:"notes"`
	Hosts     []string        `json:"hosts" doc:"The hosts that the server calls."`
	Charges   bool            `json:"charges" doc:"It charges for each query. Ask for the price first and send max_price with a run."`
	Rates     bool            `json:"rates" doc:"It has reference rates of currencies and no prices. The symbols of its source are currencies in addition to those of your accounts."`
	Available bool            `json:"available" doc:"This server may connect to it; false unless SVC_OUTBOUND is set."`
	Fields    []providerField `json:"fields" doc:"The credentials and choices of a source."`
}

// providerField is a provider's credential or choice.
type providerField struct {
	Name      string           `json:"name"`
	Title     string           `json:"title"`
	Help      string           `json:"help"`
	Secret    bool             `json:"secret"`
	Required  bool             `json:"required"`
	Multiline bool             `json:"multiline" doc:"The value may have several lines."`
	Choices   []providerChoice `json:"choices" doc:"The allowed values, the default first; empty for any."`
}

type providerChoice struct {
	Value string `json:"value" example:"sip"`
	Title string `json:"title" example:"All US exchanges (SIP)"`
}

func shapeField(f remote.Field) providerField {
	return providerField{
		Name: f.Name, Title: f.Title, Help: f.Help, Secret: f.IsSecret, Required: len(f.Choices) == 0 && !f.IsOptional, Multiline: f.IsMultiline,
		Choices: shapeAll(f.Choices, func(c remote.Choice) providerChoice { return providerChoice(c) }),
	}
}

// barSourceAPI has the operations on bar sources.
type barSourceAPI struct{ sources *barfetch.Service }

func (a barSourceAPI) shapeProvider(p barsource.Provider) barProvider {
	about := p.Describe()
	_, charges := p.(barsource.Pricer)
	return barProvider{
		Provider: about.Name, Name: about.Title, Covers: about.Covers, Notes: about.Notes, Hosts: about.Hosts, Charges: charges, Rates: about.IsRates,
		Available: a.sources.Enabled(),
		Fields:    shapeAll(about.Fields, shapeField),
	}
}

// barSource is a provider from which the user fetches bars.
type barSource struct {
	ID             journal.BarSourceID `json:"id"`
	Provider       string              `json:"provider"`
	Enabled        bool                `json:"enabled" doc:"It runs every hour; otherwise only when asked."`
	Symbols        []string            `json:"symbols" doc:"Symbols or roots; empty for all that you traded. Of a provider of rates: further currencies."`
	Since          *journal.Day        `json:"since" doc:"The first day to fetch; null for no limit."`
	HasCredentials bool                `json:"has_credentials" doc:"Whether the key is stored. It is never returned."`
	Status         barfetch.Status     `json:"status" enum:"ok,running,waiting,failed,needs_attention" doc:"waiting: not run yet, or will be tried again at next_run_at. needs_attention: nothing happens until you change it."`
	Message        string              `json:"message"`
	LastRunAt      *time.Time          `json:"last_run_at"`
	NextRunAt      *time.Time          `json:"next_run_at"`
	CreatedAt      time.Time           `json:"created_at"`
	UpdatedAt      time.Time           `json:"updated_at"`
}

func shapeBarSource(s barfetch.Source) barSource {
	return barSource{
		ID: s.ID, Provider: s.Provider, Enabled: s.Enabled, Symbols: s.Symbols, Since: nilIfZero(s.Since), HasCredentials: s.HasCredentials,
		Status: s.Status, Message: s.Message, LastRunAt: s.LastRunAt, NextRunAt: s.NextRunAt, CreatedAt: s.CreatedAt, UpdatedAt: s.UpdatedAt,
	}
}

func barSourceTag(s barfetch.Source) any { return shapeBarSource(s) }

type barSourceFields struct {
	Provider    opt[string]            `json:"provider" doc:"One of GET /bars/providers. It can't be changed."`
	Credentials opt[map[string]string] `json:"credentials" doc:"The fields of the provider. They replace those that are stored."`
	Enabled     opt[bool]              `json:"enabled" doc:"Default true."`
	Symbols     opt[[]string]          `json:"symbols" doc:"Symbols or roots. Default: all that you traded. For a provider of rates: currencies in addition to those of your accounts."`
	Since       opt[string]            `json:"since" doc:"The first day to fetch, YYYY-MM-DD. Default: no limit."`
}

// TransformSchema describes what a request must have.
func (barSourceFields) TransformSchema(_ huma.Registry, schema *huma.Schema) *huma.Schema {
	return requireOnly(schema, "provider")
}

func (f barSourceFields) change() (c barfetch.Change, err error) {
	c = barfetch.Change{Provider: f.Provider.Opt, Credentials: f.Credentials.Opt, Enabled: f.Enabled.Opt, Symbols: f.Symbols.Opt}
	c.Since, err = parseSince(f.Since)
	return c, err
}

// parseSince returns the first day to fetch, which is empty for null.
func parseSince(given opt[string]) (since journal.Opt[journal.Day], err error) {
	since.Set = given.Set
	if !given.Null && given.Value != "" {
		since.Value, err = journal.ParseDay("since", given.Value)
	}
	return since, err
}

// barRun is a source's run.
type barRun struct {
	ID        journal.BarRunID      `json:"id"`
	StartedAt time.Time             `json:"started_at"`
	EndedAt   *time.Time            `json:"ended_at"`
	Outcome   barfetch.Status       `json:"outcome" enum:"running,ok,waiting,failed,needs_attention,interrupted"`
	Requests  int                   `json:"requests" doc:"Requests to the provider."`
	Inserted  int                   `json:"inserted" doc:"Bars that were new."`
	Replaced  int                   `json:"replaced" doc:"Bars that replaced one with other values."`
	Unchanged int                   `json:"unchanged" doc:"Bars that were stored before."`
	ImportIDs []journal.BarImportID `json:"import_ids" doc:"The imports of bars, which can be reversed."`
	Message   string                `json:"message"`
}

func shapeBarRun(r barfetch.Run) barRun {
	return barRun{
		ID: r.ID, StartedAt: r.StartedAt, EndedAt: r.EndedAt, Outcome: r.Outcome, Requests: r.Requests, Inserted: r.Inserted,
		Replaced: r.Replaced, Unchanged: r.Unchanged, ImportIDs: r.Imports, Message: r.Message,
	}
}

// StartOf is the input for starting one source.
type StartOf struct {
	ByID[journal.BarSourceID]
	MaxPrice string `query:"max_price" doc:"The most that the run may cost, in the currency of the price. Required for a provider that charges." example:"1.50"`
}

func (s StartOf) maxPrice() (string, error) {
	if s.MaxPrice == "" {
		return "", nil
	}
	most, err := decimal.Parse(s.MaxPrice)
	if err != nil || most.Sign() < 0 {
		return "", journal.InvalidField("max_price", "max_price must be an amount such as 1.50.")
	}
	return most.String(), nil
}

type barPrice struct {
	Price     decimal.Decimal `json:"price"`
	Currency  string          `json:"currency"`
	Symbols   int             `json:"symbols" doc:"How many instruments the price is for."`
	Days      int             `json:"days" doc:"How many days of instruments the price is for."`
	Remaining int             `json:"remaining" doc:"Days that are not in the price and can be fetched later."`
}

func shapeBarPrice(q barfetch.Quote) barPrice {
	return barPrice{Price: q.Amount, Currency: q.Currency, Symbols: q.Symbols, Days: q.Sessions, Remaining: q.Remaining}
}

func (a barSourceAPI) register(api *API) {
	route := func(method, path, id, summary string) route {
		needs := writeSources
		if method == http.MethodGet {
			needs = readSources
		}
		return barRoute(needs, method, "/sources"+path, id, summary)
	}
	register(api, barRoute(readBars, http.MethodGet, "/providers", "listBarProviders", "List the providers of bars"),
		func(context.Context, *struct{}) (*body[[]barProvider], error) {
			return answer(shapeAll(a.sources.Providers, a.shapeProvider), nil)
		})
	registerList(api, route(http.MethodGet, "", "listBarSources", "List your sources of bars by provider"),
		func(ctx context.Context, in *Paging) (*listing[barSource], error) {
			list, err := a.sources.List(ctx, caller(ctx).UserID)
			if err != nil {
				return nil, err
			}
			return paginate(in, list, shapeBarSource, func(s barfetch.Source) string { return string(s.ID) })
		})
	register(api, route(http.MethodPost, "", "createBarSource", "Get bars from a provider; the first run starts at once"),
		func(ctx context.Context, in *body[barSourceFields]) (*body[barSource], error) {
			change, err := in.Body.change()
			if err != nil {
				return nil, err
			}
			created, err := a.sources.Create(ctx, caller(ctx).UserID, change)
			return answer(shapeBarSource(created), err)
		})
	register(api, route(http.MethodGet, "/{id}", "getBarSource", "Read a source of bars"),
		func(ctx context.Context, in *ByID[journal.BarSourceID]) (*body[barSource], error) {
			found, err := a.sources.Get(ctx, caller(ctx).UserID, in.ID)
			return answer(shapeBarSource(found), err)
		})
	register(api, route(http.MethodPatch, "/{id}", "changeBarSource", "Change a source of bars, or its key"),
		func(ctx context.Context, in *ChangeOf[journal.BarSourceID, barSourceFields]) (*body[barSource], error) {
			change, err := in.Body.change()
			if err != nil {
				return nil, err
			}
			changed, err := a.sources.Update(ctx, caller(ctx).UserID, in.ID, change, transport.IfMatch(in.IfMatch, barSourceTag))
			return answer(shapeBarSource(changed), err)
		})
	register(api, route(http.MethodDelete, "/{id}", "deleteBarSource", "Delete a source of bars and its key; the bars stay"),
		func(ctx context.Context, in *DeleteOf[journal.BarSourceID]) (*nothing, error) {
			return nil, a.sources.Delete(ctx, caller(ctx).UserID, in.ID, transport.IfMatch(in.IfMatch, barSourceTag))
		})
	a.registerBarRunRoutes(api, route)
}

func (a barSourceAPI) registerBarRunRoutes(api *API, route func(method, path, id, summary string) route) {
	start := route(http.MethodPost, "/{id}/run", "runBarSource", "Fetch bars now; at most once a minute")
	start.status, start.body = http.StatusAccepted, transport.NoBody
	start.refusals = append(start.refusals, http.StatusTooManyRequests)
	register(api, start, func(ctx context.Context, in *StartOf) (*body[barSource], error) {
		most, err := in.maxPrice()
		if err != nil {
			return nil, err
		}
		started, err := a.sources.Start(ctx, caller(ctx).UserID, in.ID, most)
		return answer(shapeBarSource(started), err)
	})
	price := route(http.MethodPost, "/{id}/price", "priceBarSource", "Ask the provider what the bars cost; nothing is ordered")
	price.status, price.body = http.StatusOK, transport.NoBody
	price.refusals = append(price.refusals, http.StatusTooManyRequests)
	register(api, price, func(ctx context.Context, in *ByID[journal.BarSourceID]) (*body[barPrice], error) {
		release, err := api.beginProviderCall(ctx)
		if err != nil {
			return nil, err
		}
		defer release()
		quote, err := a.sources.Price(ctx, caller(ctx).UserID, in.ID)
		return answer(shapeBarPrice(quote), err)
	})
	registerList(api, route(http.MethodGet, "/{id}/runs", "listBarRuns", "List the runs of a source, newest first"),
		func(ctx context.Context, in *RunsOf[journal.BarSourceID]) (*listing[barRun], error) {
			list, err := a.sources.RunsOf(ctx, caller(ctx).UserID, in.ID)
			if err != nil {
				return nil, err
			}
			return paginate(&in.Paging, list, shapeBarRun, func(r barfetch.Run) string { return string(r.ID) })
		})
}

// RunsOf selects the runs for one connection or source.
type RunsOf[ID ~string] struct {
	ByID[ID]
	Paging
}
