package httpapi

import (
	"context"
	"net/http"
	"time"

	"fillbook/internal/journal"
	"fillbook/internal/playbook"
	"fillbook/internal/transport"
)

type tag struct {
	ID          journal.TagID    `json:"id"`
	Name        string           `json:"name"`
	Color       string           `json:"color" example:"#3b82f6"`
	Description string           `json:"description"`
	Kind        playbook.TagKind `json:"kind" enum:"custom,mistake"`
	CreatedAt   time.Time        `json:"created_at"`
}

func shapeTag(t playbook.Tag) tag { return tag(t) }

func tagTag(t playbook.Tag) any { return shapeTag(t) }

type tagFields struct {
	Name        opt[string]           `json:"name"`
	Color       opt[string]           `json:"color" required:"false"`
	Description opt[string]           `json:"description" required:"false"`
	Kind        opt[playbook.TagKind] `json:"kind" required:"false" enum:"custom,mistake"`
}

func (f tagFields) change() playbook.TagChange {
	return playbook.TagChange{Name: f.Name.Opt, Color: f.Color.Opt, Description: f.Description.Opt, Kind: f.Kind.Opt}
}

func tagRoute(method, path, id, summary string) route {
	return journalRoute(method, "/tags"+path, id, "Tags", summary)
}

func (a *API) registerTagRoutes() {
	registerList(a, tagRoute(http.MethodGet, "", "listTags", "List the tags by name"),
		func(ctx context.Context, in *Paging) (*listing[tag], error) {
			tags, err := a.Playbook.Tags(ctx, caller(ctx).UserID)
			if err != nil {
				return nil, err
			}
			return paginate(in, tags, shapeTag, func(t playbook.Tag) string { return string(t.ID) })
		})
	register(a, tagRoute(http.MethodPost, "", "createTag", "Create a tag; names are unique regardless of case"),
		func(ctx context.Context, in *body[tagFields]) (*body[tag], error) {
			created, err := a.Playbook.CreateTag(ctx, caller(ctx).UserID, in.Body.change())
			return answer(shapeTag(created), err)
		})
	register(a, tagRoute(http.MethodPatch, "/{id}", "changeTag", "Change a tag"),
		func(ctx context.Context, in *ChangeOf[journal.TagID, tagFields]) (*body[tag], error) {
			changed, err := a.Playbook.ChangeTag(ctx, caller(ctx).UserID, in.ID, in.Body.change(), transport.IfMatch(in.IfMatch, tagTag))
			return answer(shapeTag(changed), err)
		})
	register(a, tagRoute(http.MethodDelete, "/{id}", "deleteTag", "Delete a tag and remove it from every trade"),
		func(ctx context.Context, in *DeleteOf[journal.TagID]) (*nothing, error) {
			return nil, a.Playbook.DeleteTag(ctx, caller(ctx).UserID, in.ID, transport.IfMatch(in.IfMatch, tagTag))
		})
}
