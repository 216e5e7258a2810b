package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/views"
	"fillbook/internal/transport"
)

// savedView is a view as the API shows it.
type savedView struct {
	ID        journal.ViewID    `json:"id"`
	Name      string            `json:"name"`
	Filter    map[string]string `json:"filter" doc:"Parameters of the filter of trades, as in a query, and range."`
	Columns   []string          `json:"columns" doc:"Names that the client defines."`
	Sort      *ledger.SortKey   `json:"sort"`
	Order     *string           `json:"order"`
	Pinned    bool              `json:"pinned"`
	Position  int               `json:"position" doc:"The place in the list, from 0."`
	CreatedAt time.Time         `json:"created_at"`
	UpdatedAt time.Time         `json:"updated_at"`
}

func shapeView(v views.View) savedView {
	return savedView{
		ID: v.ID, Name: v.Name, Filter: v.Filter.Values(), Columns: v.Columns, Sort: nilIfZero(v.Sort), Order: nilIfZero(v.Order),
		Pinned: v.Pinned, Position: v.Position, CreatedAt: v.CreatedAt, UpdatedAt: v.UpdatedAt,
	}
}

func viewTag(v views.View) any { return shapeView(v) }

type viewFields struct {
	Name     opt[string]            `json:"name"`
	Filter   opt[map[string]string] `json:"filter" doc:"Parameters of the filter of trades; values are texts as in a query. In addition range, a period that moves with the calendar and that clients turn into from and to: today, yesterday, week, last_week, month, last_month, quarter, last_quarter, ytd, last_year, 30d, 90d or 1y. Default: none."`
	Columns  opt[[]string]          `json:"columns"`
	Sort     opt[ledger.SortKey]    `json:"sort" doc:"As in the list of trades."`
	Order    opt[string]            `json:"order" enum:"asc,desc"`
	Pinned   opt[bool]              `json:"pinned"`
	Position opt[integer]           `json:"position" doc:"The place in the list, from 0; the others move back. Default: last."`
}

// TransformSchema describes what a request must have.
func (viewFields) TransformSchema(_ huma.Registry, schema *huma.Schema) *huma.Schema {
	return requireOnly(schema, "name")
}

func (f viewFields) change() views.Change {
	c := views.Change{
		Name: f.Name.Opt, Filter: f.Filter.Opt, Columns: f.Columns.Opt, Sort: f.Sort.Opt, Order: f.Order.Opt, Pinned: f.Pinned.Opt,
	}
	if f.Position.Set && !f.Position.Null {
		c.Position = journal.Some(int(f.Position.Value))
	}
	return c
}

func viewRoute(needs permission, method, path, id, summary string) route {
	return journalRoute(needs, method, "/views"+path, id, "Views", summary)
}

// viewAPI has the operations on saved views.
type viewAPI struct {
	views *views.Service
}

func (a viewAPI) register(api *API) {
	registerList(api, viewRoute(readJournal, http.MethodGet, "", "listViews", "List the saved views by position"),
		func(ctx context.Context, in *Paging) (*listing[savedView], error) {
			list, err := a.views.List(ctx, caller(ctx).UserID)
			if err != nil {
				return nil, err
			}
			return paginate(in, list, shapeView, func(v views.View) string { return string(v.ID) })
		})
	register(api, viewRoute(writeJournal, http.MethodPost, "", "createView", "Save a view; names are unique regardless of case among views of the same accounts"),
		func(ctx context.Context, in *body[viewFields]) (*body[savedView], error) {
			created, err := a.views.Create(ctx, caller(ctx).UserID, in.Body.change())
			return answer(shapeView(created), err)
		})
	register(api, viewRoute(readJournal, http.MethodGet, "/{id}", "getView", "Read a view"),
		func(ctx context.Context, in *ByID[journal.ViewID]) (*body[savedView], error) {
			found, err := a.views.View(ctx, caller(ctx).UserID, in.ID)
			return answer(shapeView(found), err)
		})
	register(api, viewRoute(writeJournal, http.MethodPatch, "/{id}", "changeView", "Change a view"),
		func(ctx context.Context, in *ChangeOf[journal.ViewID, viewFields]) (*body[savedView], error) {
			changed, err := a.views.Update(ctx, caller(ctx).UserID, in.ID, in.Body.change(), transport.IfMatch(in.IfMatch, viewTag))
			return answer(shapeView(changed), err)
		})
	register(api, viewRoute(writeJournal, http.MethodDelete, "/{id}", "deleteView", "Delete a view"),
		func(ctx context.Context, in *DeleteOf[journal.ViewID]) (*nothing, error) {
			return nil, a.views.Delete(ctx, caller(ctx).UserID, in.ID, transport.IfMatch(in.IfMatch, viewTag))
		})
}
