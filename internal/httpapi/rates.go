package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/prices/rates"
	"fillbook/internal/transport"
)

// typedRate is a typed exchange rate as the API shows it.
type typedRate struct {
	ID        journal.RateID  `json:"id"`
	Base      string          `json:"base"`
	Quote     string          `json:"quote"`
	On        journal.Day     `json:"on"`
	Rate      decimal.Decimal `json:"rate" doc:"How many units of quote one unit of base is worth."`
	CreatedAt time.Time       `json:"created_at"`
	UpdatedAt time.Time       `json:"updated_at"`
}

func shapeRate(s rates.Stored) typedRate {
	return typedRate{ID: s.ID, Base: s.Base, Quote: s.Quote, On: s.On, Rate: s.Rate, CreatedAt: s.CreatedAt, UpdatedAt: s.UpdatedAt}
}

func rateTag(s rates.Stored) any { return shapeRate(s) }

type rateFields struct {
	Base  opt[string]          `json:"base" doc:"A currency code." example:"USD"`
	Quote opt[string]          `json:"quote" doc:"Another currency code." example:"EUR"`
	On    opt[string]          `json:"on" format:"date" doc:"The day of the rate. It replaces the published rate of that day. Without a published rate of both currencies it holds until the next one."`
	Rate  opt[decimal.Decimal] `json:"rate" doc:"How many units of quote one unit of base is worth; above 0."`
}

// TransformSchema describes what a request must have.
func (rateFields) TransformSchema(_ huma.Registry, schema *huma.Schema) *huma.Schema {
	return requireOnly(schema, "base", "quote", "on", "rate")
}

func (f rateFields) change() rates.Change {
	return rates.Change{Base: f.Base.Opt, Quote: f.Quote.Opt, On: f.On.Opt, Rate: f.Rate.Opt}
}

func rateRoute(needs permission, method, path, id, summary string) route {
	return journalRoute(needs, method, "/rates"+path, id, "Rates", summary)
}

// rateAPI has the operations on typed exchange rates.
type rateAPI struct {
	rates *rates.Service
}

func (a rateAPI) register(api *API) {
	registerList(api, rateRoute(readJournal, http.MethodGet, "", "listRates", "List the exchange rates that you typed, newest day first"),
		func(ctx context.Context, in *Paging) (*listing[typedRate], error) {
			list, err := a.rates.List(ctx, caller(ctx).UserID)
			if err != nil {
				return nil, err
			}
			return paginate(in, list, shapeRate, func(s rates.Stored) string { return string(s.ID) })
		})
	register(api, rateRoute(writeJournal, http.MethodPost, "", "createRate", "Type an exchange rate; a pair of currencies has one for a day, in either direction"),
		func(ctx context.Context, in *body[rateFields]) (*body[typedRate], error) {
			created, err := a.rates.Create(ctx, caller(ctx).UserID, in.Body.change())
			return answer(shapeRate(created), err)
		})
	register(api, rateRoute(readJournal, http.MethodGet, "/{id}", "getRate", "Read a typed exchange rate"),
		func(ctx context.Context, in *ByID[journal.RateID]) (*body[typedRate], error) {
			found, err := a.rates.Get(ctx, caller(ctx).UserID, in.ID)
			return answer(shapeRate(found), err)
		})
	register(api, rateRoute(writeJournal, http.MethodPatch, "/{id}", "changeRate", "Change a typed exchange rate"),
		func(ctx context.Context, in *ChangeOf[journal.RateID, rateFields]) (*body[typedRate], error) {
			changed, err := a.rates.Update(ctx, caller(ctx).UserID, in.ID, in.Body.change(), transport.IfMatch(in.IfMatch, rateTag))
			return answer(shapeRate(changed), err)
		})
	register(api, rateRoute(writeJournal, http.MethodDelete, "/{id}", "deleteRate", "Delete a typed exchange rate"),
		func(ctx context.Context, in *DeleteOf[journal.RateID]) (*nothing, error) {
			return nil, a.rates.Delete(ctx, caller(ctx).UserID, in.ID, transport.IfMatch(in.IfMatch, rateTag))
		})
}
