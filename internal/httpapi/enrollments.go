package httpapi

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/enrollments"
	"fillbook/internal/trading/programs"
	"fillbook/internal/transport"
)

// overrides are other parameters for a program's rules, by kind.
type overrides map[programs.Kind]ruleParameters

// ruleParameters are a rule without its kind.
type ruleParameters struct{ programs.Rule }

// Schema describes any parameters of a rule.
func (ruleParameters) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true, Description: "Parameters of the rule, as in a program."}
}

// MarshalJSON writes the parameters.
func (p ruleParameters) MarshalJSON() ([]byte, error) {
	rule := p.Rule
	rule.Kind = ""
	return transport.Marshal(struct {
		programs.Rule
		Kind programs.Kind `json:"kind,omitzero"`
	}{Rule: rule})
}

// UnmarshalJSON reads the parameters.
func (p *ruleParameters) UnmarshalJSON(text []byte) error { return transport.Unmarshal(text, &p.Rule) }

func toOverrides(list []programs.Rule) overrides {
	out := make(overrides, len(list))
	for _, r := range list {
		out[r.Kind] = ruleParameters{r}
	}
	return out
}

func (o overrides) rules() []programs.Rule {
	list := []programs.Rule{}
	for _, kind := range slices.Sorted(maps.Keys(o)) {
		rule := o[kind].Rule
		rule.Kind = kind
		list = append(list, rule)
	}
	return list
}

// enrollment is an enrollment as the API shows it.
type enrollment struct {
	ID              journal.EnrollmentID  `json:"id"`
	AccountID       journal.AccountID     `json:"account_id"`
	ProgramID       journal.ProgramID     `json:"program_id"`
	ProgramVersion  int                   `json:"program_version"`
	Firm            string                `json:"firm"`
	Name            string                `json:"name" doc:"Of the program."`
	Phase           string                `json:"phase"`
	Currency        string                `json:"currency"`
	StartedAt       time.Time             `json:"started_at"`
	EndedAt         *time.Time            `json:"ended_at"`
	State           programs.State        `json:"state" enum:"active,passed,failed,closed" doc:"While it has not ended, as it follows from the trades."`
	StartingBalance decimal.Decimal       `json:"starting_balance"`
	Overrides       overrides             `json:"overrides" doc:"Other parameters for the rules, by kind."`
	PreviousID      *journal.EnrollmentID `json:"previous_id" doc:"The enrollment that this one resets."`
	CreatedAt       time.Time             `json:"created_at"`
	UpdatedAt       time.Time             `json:"updated_at"`
}

func shapeEnrollment(e enrollments.Evaluated) enrollment {
	p := e.Definition()
	return enrollment{
		ID: e.ID, AccountID: e.AccountID, ProgramID: e.ProgramID, ProgramVersion: e.ProgramVersion, Firm: p.Firm, Name: p.Name, Phase: p.Phase,
		Currency: p.Currency, StartedAt: e.StartedAt, EndedAt: e.EndedAt, State: e.PresentState(), StartingBalance: e.StartingBalance,
		Overrides: toOverrides(e.Overrides), PreviousID: e.PreviousID, CreatedAt: e.CreatedAt, UpdatedAt: e.UpdatedAt,
	}
}

type newEnrollment struct {
	AccountID       journal.AccountID `json:"account_id"`
	ProgramID       journal.ProgramID `json:"program_id"`
	StartedAt       opt[instant]      `json:"started_at" doc:"Trades opened before it do not count. Default: now."`
	StartingBalance decimal.Null      `json:"starting_balance,omitzero" doc:"Default: the program's."`
	Overrides       opt[overrides]    `json:"overrides" doc:"Other parameters for the rules, by kind."`
}

// TransformSchema describes what a request must have.
func (newEnrollment) TransformSchema(_ huma.Registry, schema *huma.Schema) *huma.Schema {
	return requireOnly(schema, "account_id", "program_id")
}

type enrollmentChange struct {
	StartedAt       opt[instant]         `json:"started_at"`
	EndedAt         opt[instant]         `json:"ended_at" doc:"Closes the enrollment; null opens it again."`
	StartingBalance opt[decimal.Decimal] `json:"starting_balance"`
	Overrides       opt[overrides]       `json:"overrides"`
}

// TransformSchema describes that no field is needed.
func (enrollmentChange) TransformSchema(_ huma.Registry, schema *huma.Schema) *huma.Schema {
	return requireOnly(schema)
}

func (c *enrollmentChange) apply(e *enrollments.Enrollment) {
	if c.StartedAt.Set && !c.StartedAt.Null {
		e.StartedAt = c.StartedAt.Value.Time
	}
	if c.EndedAt.Set && c.EndedAt.Null {
		e.EndedAt, e.State = nil, programs.Active
	} else if c.EndedAt.Set {
		e.EndedAt, e.State = &c.EndedAt.Value.Time, programs.Closed
	}
	if c.StartingBalance.Set && !c.StartingBalance.Null {
		e.StartingBalance = c.StartingBalance.Value
	}
	if c.Overrides.Set {
		e.Overrides = c.Overrides.Value.rules()
	}
}

type decisionRequest struct {
	Decision string       `json:"decision" enum:"reset,continue,ended" doc:"reset: the firm began it again; continue: the breach does not count; ended: it is over."`
	At       opt[instant] `json:"at" doc:"reset: when the new one begins. Default: right after the breach."`
}

// TransformSchema describes what a request must have.
func (decisionRequest) TransformSchema(_ huma.Registry, schema *huma.Schema) *huma.Schema {
	return requireOnly(schema, "decision")
}

// DecisionOf is a decision about an enrollment's breach.
type DecisionOf struct {
	ByID[journal.EnrollmentID]
	Body decisionRequest
}

// enrollmentAPI has the operations on enrollments.
type enrollmentAPI struct {
	clock       journal.Clock
	enrollments *enrollments.Service
}

func enrollmentRoute(needs permission, method, path, id, summary string) route {
	r := journalRoute(needs, method, "/enrollments"+path, id, "Programs", summary)
	r.excursions = true
	return r
}

func (a enrollmentAPI) register(api *API) {
	registerList(api, enrollmentRoute(readJournal, http.MethodGet, "", "listEnrollments", "List the enrollments in programs, newest first"),
		func(ctx context.Context, in *Paging) (*listing[enrollment], error) {
			list, err := a.enrollments.EvaluateAll(ctx, caller(ctx).UserID)
			if err != nil {
				return nil, err
			}
			return paginate(in, list, shapeEnrollment, func(e enrollments.Evaluated) string { return string(e.ID) })
		})
	register(api, enrollmentRoute(writeJournal, http.MethodPost, "", "createEnrollment", "Enroll an account in a program"),
		func(ctx context.Context, in *body[newEnrollment]) (*body[enrollment], error) {
			created, err := a.enrollments.Enroll(ctx, caller(ctx).UserID, in.Body.toNew())
			return a.answer(ctx, created, err)
		})
	register(api, enrollmentRoute(readJournal, http.MethodGet, "/{id}", "getEnrollment", "Read an enrollment"),
		func(ctx context.Context, in *ByID[journal.EnrollmentID]) (*body[enrollment], error) {
			found, err := a.enrollments.Evaluate(ctx, caller(ctx).UserID, in.ID, a.clock())
			if err != nil {
				return nil, err
			}
			return answer(shapeEnrollment(found), nil)
		})
	register(api, enrollmentRoute(writeJournal, http.MethodPatch, "/{id}", "changeEnrollment", "Change an enrollment, or close it"), a.change)
	register(api, enrollmentRoute(writeJournal, http.MethodDelete, "/{id}", "deleteEnrollment", "Delete an enrollment with its payouts, costs and snapshots"),
		func(ctx context.Context, in *DeleteOf[journal.EnrollmentID]) (*nothing, error) {
			return nil, a.enrollments.Delete(ctx, caller(ctx).UserID, in.ID, a.ifMatch(in.IfMatch))
		})
	decide := enrollmentRoute(writeJournal, http.MethodPost, "/{id}/decision", "decideBreach", "Decide how to go on after a breach")
	decide.status = http.StatusOK
	register(api, decide, func(ctx context.Context, in *DecisionOf) (*body[enrollment], error) {
		var at *time.Time
		if in.Body.At.Set && !in.Body.At.Null {
			at = &in.Body.At.Value.Time
		}
		next, err := a.enrollments.Decide(ctx, caller(ctx).UserID, in.ID, in.Body.Decision, at)
		return a.answer(ctx, next, err)
	})
	a.registerStatus(api)
	a.registerSimulation(api)
	a.registerItems(api)
}

func (in *newEnrollment) toNew() enrollments.NewEnrollment {
	out := enrollments.NewEnrollment{
		AccountID: in.AccountID, ProgramID: in.ProgramID, StartingBalance: in.StartingBalance, Overrides: in.Overrides.Value.rules(),
	}
	if in.StartedAt.Set && !in.StartedAt.Null {
		out.StartedAt = &in.StartedAt.Value.Time
	}
	return out
}

// answer returns a stored enrollment with its present state.
func (a enrollmentAPI) answer(ctx context.Context, e enrollments.Enrollment, err error) (*body[enrollment], error) {
	if err != nil {
		return nil, err
	}
	evaluated, err := a.enrollments.Evaluate(ctx, caller(ctx).UserID, e.ID, a.clock())
	if err != nil {
		return nil, err
	}
	return answer(shapeEnrollment(evaluated), nil)
}

// ifMatch returns the check of the sent tag.
func (enrollmentAPI) ifMatch(sent string) func(enrollments.Evaluated) error {
	return transport.IfMatch(sent, func(e enrollments.Evaluated) any { return shapeEnrollment(e) })
}

func (a enrollmentAPI) change(ctx context.Context, in *ChangeOf[journal.EnrollmentID, enrollmentChange]) (*body[enrollment], error) {
	changed, err := a.enrollments.Change(ctx, caller(ctx).UserID, in.ID, a.ifMatch(in.IfMatch), func(e *enrollments.Enrollment) error {
		in.Body.apply(e)
		return nil
	})
	return a.answer(ctx, changed, err)
}

// instantOf returns an instant in microseconds as a time, nil for 0.
func instantOf(at int64) *time.Time {
	if at == 0 {
		return nil
	}
	t := db.FromMicros(at)
	return &t
}
