package httpapi

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/fields"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/playbook"
	"fillbook/internal/transport"
)

func setupTag(s playbook.Setup) any { return s }

// SentSetup are a setup's values in a request.
type SentSetup = playbook.SetupMembers[opt[string], opt[playbook.Direction], opt[decimal.Decimal], opt[[]string]]

// SetupFields are a setup's writable values.
type SetupFields struct{ SentSetup }

// setupEdit is a setup change.
type setupEdit struct {
	SetupFields
	RenamedRules opt[[]ruleRename] `json:"renamed_rules" required:"false" doc:"Lines of the checklist that got another text. Their states on trades move to it. A line that is replaced otherwise keeps them as history."`
}

type ruleRename struct {
	From string `json:"from" doc:"The line as it was."`
	To   string `json:"to" doc:"The line as it is in the new checklist."`
}

func (r ruleRename) rename() playbook.RuleRename { return playbook.RuleRename{From: r.From, To: r.To} }

// TransformSchema describes what a request must have.
func (SetupFields) TransformSchema(_ huma.Registry, schema *huma.Schema) *huma.Schema {
	return requireOnly(schema, "name")
}

func (f SetupFields) change() playbook.SetupChange {
	return fields.CopyTo[playbook.SetupChange](&f.SentSetup)
}

func setupRoute(needs permission, method, path, id, summary string) route {
	return journalRoute(needs, method, "/setups"+path, id, "Setups", summary)
}

// setupAPI has the operations on setups.
type setupAPI struct {
	playbook *playbook.Service
}

func (a setupAPI) register(api *API) {
	registerList(api, setupRoute(readNames, http.MethodGet, "", "listSetups", "List the setups by name"),
		func(ctx context.Context, in *Paging) (*listing[playbook.Setup], error) {
			setups, err := a.playbook.Setups(ctx, caller(ctx).UserID)
			if err != nil {
				return nil, err
			}
			return paginate(in, setups, keepShape, func(s playbook.Setup) string { return string(s.ID) })
		})
	register(api, setupRoute(writeJournal, http.MethodPost, "", "createSetup", "Create a setup; names are unique regardless of case"),
		func(ctx context.Context, in *body[SetupFields]) (*body[playbook.Setup], error) {
			created, err := a.playbook.CreateSetup(ctx, caller(ctx).UserID, in.Body.change())
			return answer(created, err)
		})
	register(api, setupRoute(readJournal, http.MethodGet, "/{id}", "getSetup", "Read a setup"),
		func(ctx context.Context, in *ByID[journal.SetupID]) (*body[playbook.Setup], error) {
			found, err := a.playbook.Setup(ctx, caller(ctx).UserID, in.ID)
			return answer(found, err)
		})
	register(api, setupRoute(writeJournal, http.MethodPatch, "/{id}", "changeSetup", "Change a setup"),
		func(ctx context.Context, in *ChangeOf[journal.SetupID, setupEdit]) (*body[playbook.Setup], error) {
			changed, err := a.playbook.ChangeSetup(ctx, caller(ctx).UserID, in.ID, in.Body.change(),
				shapeAll(in.Body.RenamedRules.Value, ruleRename.rename), transport.IfMatch(in.IfMatch, setupTag))
			return answer(changed, err)
		})
	register(api, forEveryAccount(setupRoute(writeJournal, http.MethodDelete, "/{id}", "deleteSetup", "Delete a setup and remove it from every trade")),
		func(ctx context.Context, in *DeleteOf[journal.SetupID]) (*nothing, error) {
			return nil, a.playbook.DeleteSetup(ctx, caller(ctx).UserID, in.ID, transport.IfMatch(in.IfMatch, setupTag))
		})
}
