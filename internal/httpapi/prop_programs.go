package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/enrollments"
	"fillbook/internal/trading/programs"
	"fillbook/internal/transport"
)

// ruleCount describes programs.Count: a number or a word.
type ruleCount struct{}

// Schema describes both.
func (ruleCount) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{OneOf: []*huma.Schema{{Type: huma.TypeInteger}, {Type: huma.TypeString, Enum: []any{programs.CountAny, programs.CountOpening}}}}
}

// propProgram is a prop firm program as the API shows it.
type propProgram struct {
	ID             journal.ProgramID  `json:"id"`
	Firm           string             `json:"firm"`
	Name           string             `json:"name"`
	Phase          string             `json:"phase" enum:"evaluation,verification,funded,live"`
	Product        string             `json:"product" enum:"futures,cfd,stocks"`
	Version        int                `json:"version"`
	Currency       string             `json:"currency"`
	InitialBalance decimal.Decimal    `json:"initial_balance"`
	ZeroBased      bool               `json:"zero_based" doc:"The balance begins with 0; initial_balance is the size of the account."`
	Day            programs.DayBounds `json:"day"`
	Rules          []programs.Rule    `json:"rules"`
	Sources        []string           `json:"sources"`
	CheckedOn      *journal.Day       `json:"checked_on" doc:"The day on which the figures were compared with the sources."`
	MayBeOutdated  bool               `json:"may_be_outdated" doc:"The figures were checked more than 180 days ago. Firms change rules without notice."`
	NotEvaluated   []string           `json:"not_evaluated" doc:"Rules of the firm that are not evaluated."`
	BuiltIn        bool               `json:"built_in"`
	CreatedAt      *time.Time         `json:"created_at"`
	UpdatedAt      *time.Time         `json:"updated_at"`
}

func (a programAPI) shapeProgram(p enrollments.Program) propProgram {
	shaped := propProgram{
		ID: p.ID, Firm: p.Firm, Name: p.Name, Phase: p.Phase, Product: p.Product, Version: p.Version, Currency: p.Currency,
		InitialBalance: p.InitialBalance, ZeroBased: p.ZeroBased, Day: p.Day, Rules: emptyIfNil(p.Rules), Sources: emptyIfNil(p.Sources),
		CheckedOn: nilIfZero(p.CheckedOn), MayBeOutdated: p.MayBeOutdated(a.clock.Today()), NotEvaluated: emptyIfNil(p.NotEvaluated), BuiltIn: p.BuiltIn,
	}
	if !p.BuiltIn {
		shaped.CreatedAt, shaped.UpdatedAt = &p.CreatedAt, &p.UpdatedAt
	}
	return shaped
}

// emptyIfNil returns a list that is never nil.
func emptyIfNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// ProgramFields are the fields of a program that a request sets.
type ProgramFields struct {
	Firm           opt[string]             `json:"firm"`
	Name           opt[string]             `json:"name"`
	Phase          opt[string]             `json:"phase" enum:"evaluation,verification,funded,live" doc:"Default: evaluation."`
	Product        opt[string]             `json:"product" enum:"futures,cfd,stocks" doc:"Default: futures."`
	Currency       opt[string]             `json:"currency" doc:"Default: USD."`
	InitialBalance opt[decimal.Decimal]    `json:"initial_balance"`
	ZeroBased      opt[bool]               `json:"zero_based"`
	Day            opt[programs.DayBounds] `json:"day" doc:"Default: 17:00 in America/Chicago."`
	Rules          opt[[]programs.Rule]    `json:"rules"`
	Sources        opt[[]string]           `json:"sources"`
	CheckedOn      opt[journal.Day]        `json:"checked_on"`
	NotEvaluated   opt[[]string]           `json:"not_evaluated"`
}

type newProgram struct {
	ProgramFields
	CopyOf journal.ProgramID `json:"copy_of,omitempty" doc:"The program to begin with. Without it, firm, name and initial_balance are needed."`
}

// TransformSchema describes that no field is always needed.
func (ProgramFields) TransformSchema(_ huma.Registry, schema *huma.Schema) *huma.Schema {
	return requireOnly(schema)
}

// TransformSchema describes that no field is always needed.
func (newProgram) TransformSchema(_ huma.Registry, schema *huma.Schema) *huma.Schema {
	return requireOnly(schema)
}

// apply sets what was sent. A new program has defaults.
func (f *ProgramFields) apply(p *programs.Program) error {
	setDefault(&p.Phase, programs.PhaseEvaluation)
	setDefault(&p.Product, "futures")
	setDefault(&p.Currency, "USD")
	if p.Day.Reset == "" {
		p.Day = programs.DayBounds{Reset: "17:00", Zone: "America/Chicago"}
	}
	set(&p.Firm, f.Firm)
	set(&p.Name, f.Name)
	set(&p.Phase, f.Phase)
	set(&p.Product, f.Product)
	set(&p.Currency, f.Currency)
	set(&p.InitialBalance, f.InitialBalance)
	set(&p.ZeroBased, f.ZeroBased)
	set(&p.Day, f.Day)
	set(&p.Rules, f.Rules)
	set(&p.Sources, f.Sources)
	set(&p.CheckedOn, f.CheckedOn)
	set(&p.NotEvaluated, f.NotEvaluated)
	return nil
}

// set sets a value that was sent; null is the zero value.
func set[T any](value *T, sent opt[T]) {
	if sent.Set {
		*value = sent.Value
	}
}

func setDefault(value *string, word string) {
	if *value == "" {
		*value = word
	}
}

// programAPI has the operations on prop firm programs.
type programAPI struct {
	clock       journal.Clock
	enrollments *enrollments.Service
}

func (a programAPI) register(api *API) {
	route := func(needs permission, method, path, id, summary string) route {
		return journalRoute(needs, method, "/prop-programs"+path, id, "Programs", summary)
	}
	tag := func(p enrollments.Program) any { return a.shapeProgram(p) }
	registerList(api, route(readJournal, http.MethodGet, "", "listPrograms", "List the prop firm programs: your own, then the built-in catalog"),
		func(ctx context.Context, in *Paging) (*listing[propProgram], error) {
			list, err := a.enrollments.ListPrograms(ctx, caller(ctx).UserID)
			if err != nil {
				return nil, err
			}
			return paginate(in, list, a.shapeProgram, func(p enrollments.Program) string { return string(p.ID) })
		})
	register(api, route(writeJournal, http.MethodPost, "", "createProgram", "Make a program, or copy one with copy_of"),
		func(ctx context.Context, in *body[newProgram]) (*body[propProgram], error) {
			created, err := a.enrollments.CreateProgram(ctx, caller(ctx).UserID, in.Body.CopyOf, in.Body.apply)
			return answer(a.shapeProgram(created), err)
		})
	register(api, route(readJournal, http.MethodGet, "/{id}", "getProgram", "Read a program"),
		func(ctx context.Context, in *ByID[journal.ProgramID]) (*body[propProgram], error) {
			found, err := a.enrollments.Program(ctx, caller(ctx).UserID, in.ID)
			return answer(a.shapeProgram(found), err)
		})
	register(api, route(writeJournal, http.MethodPatch, "/{id}", "changeProgram", "Make the next version of a program; enrollments keep theirs"),
		func(ctx context.Context, in *ChangeOf[journal.ProgramID, ProgramFields]) (*body[propProgram], error) {
			changed, err := a.enrollments.UpdateProgram(ctx, caller(ctx).UserID, in.ID, in.Body.apply, transport.IfMatch(in.IfMatch, tag))
			return answer(a.shapeProgram(changed), err)
		})
	remove := route(writeJournal, http.MethodDelete, "/{id}", "deleteProgram", "Delete a program in which no account is enrolled")
	remove.refusals = append(remove.refusals, http.StatusConflict)
	register(api, remove,
		func(ctx context.Context, in *DeleteOf[journal.ProgramID]) (*nothing, error) {
			return nil, a.enrollments.DeleteProgram(ctx, caller(ctx).UserID, in.ID, transport.IfMatch(in.IfMatch, tag))
		})
}
