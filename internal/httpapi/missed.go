package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/fields"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/playbook"
	"fillbook/internal/transport"
)

type missedTrade struct {
	ID journal.MissedID `json:"id"`
	playbook.MissedValues
	PlannedR  decimal.Null `json:"planned_r" doc:"Reward over risk of the plan, two decimals."`
	R         decimal.Null `json:"r" doc:"The result in R; null while the outcome is unknown."`
	CreatedAt time.Time    `json:"created_at"`
	UpdatedAt time.Time    `json:"updated_at"`
}

func shapeMissed(m playbook.Missed) missedTrade {
	return missedTrade{
		ID: m.ID, MissedValues: m.MissedValues, PlannedR: m.PlannedR(), R: m.R(), CreatedAt: m.CreatedAt, UpdatedAt: m.UpdatedAt,
	}
}

func missedTag(m playbook.Missed) any { return shapeMissed(m) }

// SentMissed are a missed trade's values in a request.
type SentMissed = playbook.MissedMembers[
	opt[journal.AccountID], opt[journal.SetupID], opt[string], opt[playbook.Direction], opt[instant], opt[decimal.Decimal],
	opt[playbook.Reason], opt[playbook.Outcome],
]

type missedFields struct{ SentMissed }

// TransformSchema describes what a request must have.
func (missedFields) TransformSchema(_ huma.Registry, schema *huma.Schema) *huma.Schema {
	return requireOnly(schema, "symbol", "direction", "observed_at")
}

func (f missedFields) change() playbook.MissedChange {
	return fields.CopyTo[playbook.MissedChange](&f.SentMissed)
}

// MissedFigures are the sums over some missed trades.
type MissedFigures struct {
	Count    int             `json:"count"`
	Scored   int             `json:"scored" doc:"Missed trades whose r is known."`
	RLeft    decimal.Decimal `json:"r_left" doc:"Left on the table: target hits at their planned R."`
	RAvoided decimal.Decimal `json:"r_avoided" doc:"Avoided: stop-outs at 1 R, as a positive number."`
	NetR     decimal.Decimal `json:"net_r"`
}

type missedByReason struct {
	Key string `json:"key"`
	MissedFigures
}

type missedBySetup struct {
	Key  string `json:"key"`
	Name string `json:"name"`
	MissedFigures
}

type missedSummary struct {
	MissedFigures
	Outcomes struct {
		Unknown   int `json:"unknown"`
		Target    int `json:"target"`
		Stop      int `json:"stop"`
		NoTrigger int `json:"no_trigger"`
	} `json:"outcomes"`
	Unpriced int              `json:"unpriced" doc:"Target hits without a full plan."`
	AvgR     decimal.Null     `json:"avg_r"`
	ByReason []missedByReason `json:"by_reason"`
	BySetup  []missedBySetup  `json:"by_setup"`
}

func shapeMissedSummary(s playbook.MissedSummary) missedSummary {
	out := missedSummary{MissedFigures: MissedFigures(s.MissedFigures), Unpriced: s.Unpriced, AvgR: s.AvgR}
	out.Outcomes.Unknown, out.Outcomes.Target = s.Outcomes.Unknown, s.Outcomes.Target
	out.Outcomes.Stop, out.Outcomes.NoTrigger = s.Outcomes.Stop, s.Outcomes.NoTrigger
	out.ByReason = shapeAll(s.ByReason, func(g playbook.MissedGroup) missedByReason {
		return missedByReason{g.Key, MissedFigures(g.MissedFigures)}
	})
	out.BySetup = shapeAll(s.BySetup, func(g playbook.MissedGroup) missedBySetup {
		return missedBySetup{g.Key, g.Name, MissedFigures(g.MissedFigures)}
	})
	return out
}

func missedRoute(needs permission, method, path, id, summary string) route {
	return journalRoute(needs, method, "/missed-trades"+path, id, "Missed trades", summary)
}

// missedAPI has the operations on missed trades.
type missedAPI struct {
	db       *db.DB
	playbook *playbook.Service
}

func (a missedAPI) register(api *API) {
	registerList(api, allowLongAnswer(missedRoute(readJournal, http.MethodGet, "", "listMissed", "List missed trades, newest first")), a.listMissed)
	register(api, missedRoute(readJournal, http.MethodGet, "/summary", "getMissedSummary", "Read the R that missed trades cost and avoided"), a.missedSummary)
	register(api, missedRoute(writeJournal, http.MethodPost, "", "addMissed", "Record a setup that was seen and not taken"),
		func(ctx context.Context, in *body[missedFields]) (*body[missedTrade], error) {
			added, err := a.playbook.CreateMissed(ctx, caller(ctx).UserID, in.Body.change())
			return answer(shapeMissed(added), err)
		})
	register(api, missedRoute(readJournal, http.MethodGet, "/{id}", "getMissed", "Read a missed trade"),
		func(ctx context.Context, in *ByID[journal.MissedID]) (*body[missedTrade], error) {
			found, err := a.playbook.MissedTrade(ctx, caller(ctx).UserID, in.ID)
			return answer(shapeMissed(found), err)
		})
	register(api, missedRoute(writeJournal, http.MethodPut, "/{id}", "changeMissed", "Change a missed trade; absent fields stay as they are"),
		func(ctx context.Context, in *ChangeOf[journal.MissedID, missedFields]) (*body[missedTrade], error) {
			changed, err := a.playbook.ChangeMissed(ctx, caller(ctx).UserID, in.ID, in.Body.change(), transport.IfMatch(in.IfMatch, missedTag))
			return answer(shapeMissed(changed), err)
		})
	register(api, missedRoute(writeJournal, http.MethodDelete, "/{id}", "deleteMissed", "Delete a missed trade"),
		func(ctx context.Context, in *DeleteOf[journal.MissedID]) (*nothing, error) {
			return nil, a.playbook.DeleteMissed(ctx, caller(ctx).UserID, in.ID, transport.IfMatch(in.IfMatch, missedTag))
		})
}

// viewAccounts runs fn on one snapshot, if the accounts are the caller's. It is for lists
// not checked by the ledger.
func viewAccounts(ctx context.Context, d *db.DB, ids []journal.AccountID, fn func(*db.Tx) error) error {
	return d.View(ctx, func(tx *db.Tx) error {
		if _, err := ledger.ResolveScope(ctx, tx, caller(ctx).UserID, ids, ledger.ToList); err != nil {
			return err
		}
		return fn(tx)
	})
}

type missedQuery struct {
	ScopeInput
	Paging
}

func (a missedAPI) listMissed(ctx context.Context, in *missedQuery) (*listing[missedTrade], error) {
	scope, err := in.scope()
	if err != nil {
		return nil, err
	}
	at, err := in.playbookPage()
	if err != nil {
		return nil, err
	}
	var list []playbook.Missed
	var total int
	err = viewAccounts(ctx, a.db, scope.Accounts, func(tx *db.Tx) (err error) {
		list, total, err = playbook.ReadMissedPage(ctx, tx, caller(ctx).UserID, scope, at)
		return err
	})
	if err != nil {
		return nil, err
	}
	return newListing(&in.Paging, list, total, shapeMissed, func(m playbook.Missed) []string { return timeKeys(m.ObservedAt, string(m.ID)) }), nil
}

func (a missedAPI) missedSummary(ctx context.Context, in *ScopeInput) (*body[missedSummary], error) {
	scope, err := in.scope()
	if err != nil {
		return nil, err
	}
	var summary playbook.MissedSummary
	err = viewAccounts(ctx, a.db, scope.Accounts, func(tx *db.Tx) (err error) {
		summary, err = playbook.ReadMissedSummary(ctx, tx, caller(ctx).UserID, scope)
		return err
	})
	return answer(shapeMissedSummary(summary), err)
}
