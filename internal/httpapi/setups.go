package httpapi

import (
	"context"
	"net/http"
	"time"

	"fillbook/internal/decimal"
	"fillbook/internal/journal"
	"fillbook/internal/playbook"
	"fillbook/internal/transport"
)

type setup struct {
	ID          journal.SetupID    `json:"id"`
	Name        string             `json:"name"`
	Description string             `json:"description"`
	Thesis      string             `json:"thesis"`
	Symbol      string             `json:"symbol" doc:"Empty for any."`
	Direction   playbook.Direction `json:"direction" enum:"long,short,"`
	TargetPrice decimal.Null       `json:"target_price"`
	StopPrice   decimal.Null       `json:"stop_price"`
	Checklist   []string           `json:"checklist"`
	CreatedAt   time.Time          `json:"created_at"`
	UpdatedAt   time.Time          `json:"updated_at"`
}

func shapeSetup(s playbook.Setup) setup { return setup(s) }

func setupTag(s playbook.Setup) any { return shapeSetup(s) }

type setupFields struct {
	Name        opt[string]             `json:"name"`
	Description opt[string]             `json:"description" required:"false"`
	Thesis      opt[string]             `json:"thesis" required:"false"`
	Symbol      opt[string]             `json:"symbol" required:"false"`
	Direction   opt[playbook.Direction] `json:"direction" required:"false" enum:"long,short,"`
	TargetPrice opt[decimal.Decimal]    `json:"target_price" required:"false" doc:"Above zero, unless the symbol is a future or an option."`
	StopPrice   opt[decimal.Decimal]    `json:"stop_price" required:"false" doc:"Above zero, unless the symbol is a future or an option."`
	Checklist   opt[[]string]           `json:"checklist" required:"false"`
}

func (f setupFields) change() playbook.SetupChange {
	return playbook.SetupChange{
		Name: f.Name.Opt, Description: f.Description.Opt, Thesis: f.Thesis.Opt, Symbol: f.Symbol.Opt,
		Direction: f.Direction.Opt, TargetPrice: f.TargetPrice.Opt, StopPrice: f.StopPrice.Opt, Checklist: f.Checklist.Opt,
	}
}

func setupRoute(method, path, id, summary string) route {
	return journalRoute(method, "/setups"+path, id, "Setups", summary)
}

func (a *API) registerSetupsRoutes() {
	registerList(a, setupRoute(http.MethodGet, "", "listSetups", "List the setups by name"),
		func(ctx context.Context, in *Paging) (*listing[setup], error) {
			setups, err := a.Playbook.Setups(ctx, caller(ctx).UserID)
			if err != nil {
				return nil, err
			}
			return paginate(in, setups, shapeSetup, func(s playbook.Setup) string { return string(s.ID) })
		})
	register(a, setupRoute(http.MethodPost, "", "createSetup", "Create a setup; names are unique regardless of case"),
		func(ctx context.Context, in *body[setupFields]) (*body[setup], error) {
			created, err := a.Playbook.CreateSetup(ctx, caller(ctx).UserID, in.Body.change())
			return answer(shapeSetup(created), err)
		})
	register(a, setupRoute(http.MethodGet, "/{id}", "getSetup", "Read a setup"),
		func(ctx context.Context, in *ByID[journal.SetupID]) (*body[setup], error) {
			found, err := a.Playbook.Setup(ctx, caller(ctx).UserID, in.ID)
			return answer(shapeSetup(found), err)
		})
	register(a, setupRoute(http.MethodPatch, "/{id}", "changeSetup", "Change a setup"),
		func(ctx context.Context, in *ChangeOf[journal.SetupID, setupFields]) (*body[setup], error) {
			changed, err := a.Playbook.ChangeSetup(ctx, caller(ctx).UserID, in.ID, in.Body.change(), transport.IfMatch(in.IfMatch, setupTag))
			return answer(shapeSetup(changed), err)
		})
	register(a, setupRoute(http.MethodDelete, "/{id}", "deleteSetup", "Delete a setup and remove it from every trade"),
		func(ctx context.Context, in *DeleteOf[journal.SetupID]) (*nothing, error) {
			return nil, a.Playbook.DeleteSetup(ctx, caller(ctx).UserID, in.ID, transport.IfMatch(in.IfMatch, setupTag))
		})
}
