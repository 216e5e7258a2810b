package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/analytics"
	"fillbook/internal/trading/playbook"
	"fillbook/internal/trading/rulebook"
	"fillbook/internal/trading/views"
	"fillbook/internal/transport"
)

type tag struct {
	ID          journal.TagID    `json:"id"`
	Name        string           `json:"name"`
	Color       string           `json:"color" example:"#3b82f6"`
	Description string           `json:"description"`
	Kind        playbook.TagKind `json:"kind" enum:"custom,mistake"`
	CreatedAt   time.Time        `json:"created_at"`
	Trades      int              `json:"trades" doc:"The number of trades with the tag, open or closed."`
}

func shapeTag(t playbook.CountedTag) tag {
	return tag{
		ID: t.ID, Name: t.Name, Color: t.Color, Description: t.Description, Kind: t.Kind, CreatedAt: t.CreatedAt, Trades: t.Trades,
	}
}

func tagTag(t playbook.CountedTag) any { return shapeTag(t) }

type tagFields struct {
	Name        opt[string]           `json:"name"`
	Color       opt[string]           `json:"color" required:"false"`
	Description opt[string]           `json:"description" required:"false"`
	Kind        opt[playbook.TagKind] `json:"kind" required:"false" enum:"custom,mistake"`
}

func (f tagFields) change() playbook.TagChange {
	return playbook.TagChange{Name: f.Name.Opt, Color: f.Color.Opt, Description: f.Description.Opt, Kind: f.Kind.Opt}
}

func tagRoute(needs permission, method, path, id, summary string) route {
	return journalRoute(needs, method, "/tags"+path, id, "Tags", summary)
}

// tagAPI has the operations on tags.
type tagAPI struct {
	db       *db.DB
	playbook *playbook.Service
}

func (a tagAPI) register(api *API) {
	registerList(api, tagRoute(readNames, http.MethodGet, "", "listTags", "List the tags by name"),
		func(ctx context.Context, in *Paging) (*listing[tag], error) {
			tags, err := a.playbook.Tags(ctx, caller(ctx).UserID)
			if err != nil {
				return nil, err
			}
			return paginate(in, tags, shapeTag, func(t playbook.CountedTag) string { return string(t.ID) })
		})
	register(api, tagRoute(writeJournal, http.MethodPost, "", "createTag", "Create a tag; names are unique regardless of case"),
		func(ctx context.Context, in *body[tagFields]) (*body[tag], error) {
			created, err := a.playbook.CreateTag(ctx, caller(ctx).UserID, in.Body.change())
			return answer(shapeTag(playbook.CountedTag{Tag: created}), err)
		})
	register(api, tagRoute(writeJournal, http.MethodPatch, "/{id}", "changeTag", "Change a tag"),
		func(ctx context.Context, in *ChangeOf[journal.TagID, tagFields]) (*body[tag], error) {
			changed, err := a.playbook.ChangeTag(ctx, caller(ctx).UserID, in.ID, in.Body.change(), transport.IfMatch(in.IfMatch, tagTag))
			return answer(shapeTag(changed), err)
		})
	register(api, forEveryAccount(tagRoute(writeJournal, http.MethodDelete, "/{id}", "deleteTag", "Delete a tag and remove it from every trade")),
		func(ctx context.Context, in *DeleteOf[journal.TagID]) (*nothing, error) {
			return nil, a.playbook.DeleteTag(ctx, caller(ctx).UserID, in.ID, transport.IfMatch(in.IfMatch, tagTag))
		})
	merge := forEveryAccount(tagRoute(writeJournal, http.MethodPost, "/{id}/merge", "mergeTag", "Merge a tag into another"))
	merge.about = "Puts the tag into on every trade that has this one, replaces it in saved views, and deletes it, in one transaction. " +
		"A trade that has both keeps one. The answer is the remaining tag."
	merge.status = http.StatusOK
	merge.refusals = []int{http.StatusNotFound}
	register(api, merge, a.mergeTag)
}

// tagMerge merges the tag in the path.
type tagMerge struct {
	ByID[journal.TagID]
	Body struct {
		Into journal.TagID `json:"into" doc:"The tag that remains."`
	}
}

func (a tagAPI) mergeTag(ctx context.Context, in *tagMerge) (*body[tag], error) {
	owner := caller(ctx).UserID
	var merged playbook.CountedTag
	err := a.db.Update(ctx, func(tx *db.Tx) (err error) {
		if merged, err = a.playbook.MergeTag(ctx, tx, owner, in.ID, in.Body.Into); err != nil {
			return err
		}
		if err := rulebook.ReplaceTag(ctx, tx, owner, in.ID, in.Body.Into); err != nil {
			return err
		}
		return views.ReplaceTag(ctx, tx, owner, in.ID, in.Body.Into)
	})
	return answer(shapeTag(merged), err)
}

// tagEffectsQuery selects the tags.
type tagEffectsQuery struct {
	FigureQuery
	Kind enumParam[playbook.TagKind, tagKinds] `query:"kind" doc:"Only tags of this kind. Default all."`
}

type tagKinds struct{}

func (tagKinds) values() []playbook.TagKind {
	return []playbook.TagKind{playbook.CustomTag, playbook.MistakeTag}
}

// tagEffect is a tag's effect.
type tagEffect struct {
	CountedUnit
	TagID journal.TagID    `json:"tag_id"`
	Name  string           `json:"name"`
	Kind  playbook.TagKind `json:"kind" enum:"custom,mistake"`
	Color string           `json:"color"`
	analytics.Effect
	Rest     orNull[rowRest] `json:"rest" doc:"The same comparison in the form of a breakdown row; null if there are no other trades."`
	Currency string          `json:"currency,omitempty" doc:"The currency of the amounts. Only with currency."`
}

func (a figureAPI) tagEffects(ctx context.Context, in *tagEffectsQuery) (*body[[]tagEffect], error) {
	out := []tagEffect{}
	err := a.withFigures(ctx, in.FigureQuery, func(tx *db.Tx, q *figureRequest) error {
		list, err := playbook.ListTags(ctx, tx, caller(ctx).UserID)
		if err != nil {
			return err
		}
		known := map[string]playbook.Tag{}
		var ids []journal.TagID
		for _, t := range list {
			if in.Kind.Value == "" || t.Kind == in.Kind.Value {
				known[string(t.ID)], ids = t, append(ids, t.ID)
			}
		}
		effects := cachedFigure(q, fmt.Sprint("tag-effects ", ids), func() []analytics.Effect {
			return analytics.MeasureEffects(q.selection(), analytics.BreakdownQuery{By: analytics.ByMistake, Zone: q.zone, Mistakes: ids})
		})
		for _, e := range effects {
			t := known[e.Key]
			out = append(out, tagEffect{CountedUnit: in.countedUnit(), TagID: t.ID, Name: t.Name, Kind: t.Kind, Color: t.Color, Effect: e, Rest: shapeRest(e.Rest), Currency: in.filter.Currency})
		}
		return nil
	})
	return answer(out, err)
}
