package httpapi

import (
	"context"
	"net/http"
	"time"

	"fillbook/internal/db"
	"fillbook/internal/decimal"
	"fillbook/internal/journal"
	"fillbook/internal/ledger"
	"fillbook/internal/playbook"
	"fillbook/internal/transport"
)

type missedTrade struct {
	ID         journal.MissedID   `json:"id"`
	AccountID  *journal.AccountID `json:"account_id"`
	SetupID    *journal.SetupID   `json:"setup_id"`
	Symbol     string             `json:"symbol"`
	Direction  playbook.Direction `json:"direction" enum:"long,short"`
	ObservedAt time.Time          `json:"observed_at"`
	Entry      decimal.Null       `json:"entry"`
	Stop       decimal.Null       `json:"stop"`
	Target     decimal.Null       `json:"target"`
	Reason     playbook.Reason    `json:"reason" enum:",hesitated,away,rules,other"`
	Outcome    playbook.Outcome   `json:"outcome" enum:"unknown,target,stop,no_trigger"`
	Notes      string             `json:"notes"`
	PlannedR   decimal.Null       `json:"planned_r" doc:"Reward over risk of the plan, two decimals."`
	R          decimal.Null       `json:"r" doc:"The result in R; null while the outcome is unknown."`
	CreatedAt  time.Time          `json:"created_at"`
	UpdatedAt  time.Time          `json:"updated_at"`
}

func shapeMissed(m playbook.Missed) missedTrade {
	return missedTrade{
		ID: m.ID, AccountID: m.Account, SetupID: m.Setup, Symbol: m.Symbol, Direction: m.Direction, ObservedAt: m.ObservedAt,
		Entry: m.Entry, Stop: m.Stop, Target: m.Target, Reason: m.Reason, Outcome: m.Outcome, Notes: m.Notes,
		PlannedR: m.PlannedR(), R: m.R(), CreatedAt: m.CreatedAt, UpdatedAt: m.UpdatedAt,
	}
}

func missedTag(m playbook.Missed) any { return shapeMissed(m) }

type missedFields struct {
	Symbol     opt[string]             `json:"symbol"`
	Direction  opt[playbook.Direction] `json:"direction" enum:"long,short"`
	ObservedAt opt[instant]            `json:"observed_at"`
	AccountID  opt[journal.AccountID]  `json:"account_id" required:"false"`
	SetupID    opt[journal.SetupID]    `json:"setup_id" required:"false"`
	Entry      opt[decimal.Decimal]    `json:"entry" required:"false" doc:"Above zero, unless the symbol is a future or an option."`
	Stop       opt[decimal.Decimal]    `json:"stop" required:"false" doc:"Above zero, unless the symbol is a future or an option."`
	Target     opt[decimal.Decimal]    `json:"target" required:"false" doc:"Above zero, unless the symbol is a future or an option."`
	Reason     opt[playbook.Reason]    `json:"reason" required:"false" enum:",hesitated,away,rules,other"`
	Outcome    opt[playbook.Outcome]   `json:"outcome" required:"false" enum:"unknown,target,stop,no_trigger"`
	Notes      opt[string]             `json:"notes" required:"false"`
}

func (f missedFields) change() playbook.MissedChange {
	at := f.ObservedAt
	return playbook.MissedChange{
		Account: f.AccountID.Opt, Setup: f.SetupID.Opt, Symbol: f.Symbol.Opt, Direction: f.Direction.Opt,
		Entry: f.Entry.Opt, Stop: f.Stop.Opt, Target: f.Target.Opt, Reason: f.Reason.Opt, Outcome: f.Outcome.Opt, Notes: f.Notes.Opt,
		ObservedAt: journal.Opt[time.Time]{Set: at.Set, Null: at.Null, Value: at.Value.Time},
	}
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

func missedRoute(method, path, id, summary string) route {
	return journalRoute(method, "/missed-trades"+path, id, "Missed trades", summary)
}

func (a *API) registerMissedRoutes() {
	registerList(a, allowLongAnswer(missedRoute(http.MethodGet, "", "listMissed", "List missed trades, newest first")), a.listMissed)
	register(a, missedRoute(http.MethodGet, "/summary", "getMissedSummary", "Read the R that missed trades cost and avoided"), a.missedSummary)
	register(a, missedRoute(http.MethodPost, "", "addMissed", "Record a setup that was seen and not taken"),
		func(ctx context.Context, in *body[missedFields]) (*body[missedTrade], error) {
			added, err := a.Playbook.CreateMissed(ctx, caller(ctx).UserID, in.Body.change())
			return answer(shapeMissed(added), err)
		})
	register(a, missedRoute(http.MethodGet, "/{id}", "getMissed", "Read a missed trade"),
		func(ctx context.Context, in *ByID[journal.MissedID]) (*body[missedTrade], error) {
			found, err := a.Playbook.MissedTrade(ctx, caller(ctx).UserID, in.ID)
			return answer(shapeMissed(found), err)
		})
	register(a, missedRoute(http.MethodPut, "/{id}", "changeMissed", "Change a missed trade; absent fields stay as they are"),
		func(ctx context.Context, in *ChangeOf[journal.MissedID, missedFields]) (*body[missedTrade], error) {
			changed, err := a.Playbook.ChangeMissed(ctx, caller(ctx).UserID, in.ID, in.Body.change(), transport.IfMatch(in.IfMatch, missedTag))
			return answer(shapeMissed(changed), err)
		})
	register(a, missedRoute(http.MethodDelete, "/{id}", "deleteMissed", "Delete a missed trade"),
		func(ctx context.Context, in *DeleteOf[journal.MissedID]) (*nothing, error) {
			return nil, a.Playbook.DeleteMissed(ctx, caller(ctx).UserID, in.ID, transport.IfMatch(in.IfMatch, missedTag))
		})
}

// viewAccounts runs fn on one snapshot, if the accounts are the caller's. It is for
// lists that the ledger does not check.
func (a *API) viewAccounts(ctx context.Context, ids []journal.AccountID, fn func(*db.Tx) error) error {
	return a.DB.View(ctx, func(tx *db.Tx) error {
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

func (a *API) listMissed(ctx context.Context, in *missedQuery) (*listing[missedTrade], error) {
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
	err = a.viewAccounts(ctx, scope.Accounts, func(tx *db.Tx) (err error) {
		list, total, err = playbook.ReadMissedPage(ctx, tx, caller(ctx).UserID, scope, at)
		return err
	})
	if err != nil {
		return nil, err
	}
	return newListing(&in.Paging, list, total, shapeMissed, func(m playbook.Missed) []string { return timeKeys(m.ObservedAt, string(m.ID)) }), nil
}

func (a *API) missedSummary(ctx context.Context, in *ScopeInput) (*body[missedSummary], error) {
	scope, err := in.scope()
	if err != nil {
		return nil, err
	}
	var summary playbook.MissedSummary
	err = a.viewAccounts(ctx, scope.Accounts, func(tx *db.Tx) (err error) {
		summary, err = playbook.ReadMissedSummary(ctx, tx, caller(ctx).UserID, scope)
		return err
	})
	return answer(shapeMissedSummary(summary), err)
}
