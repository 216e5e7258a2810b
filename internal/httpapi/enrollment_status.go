package httpapi

import (
	"context"
	"net/http"
	"slices"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/enrollments"
	"fillbook/internal/trading/programs"
)

// enrollmentStatus is where an enrollment stands.
type enrollmentStatus struct {
	State             programs.State         `json:"state" enum:"active,passed,failed,closed"`
	At                time.Time              `json:"at" doc:"Everything later is left out."`
	DecidedAt         *time.Time             `json:"decided_at" doc:"When it was passed or failed."`
	Breach            orNull[programBreach]  `json:"breach" doc:"The breach that ended it. Later trades do not count."`
	IsDecided         bool                   `json:"is_decided" doc:"The user said what happened after the breach."`
	Balance           decimal.Decimal        `json:"balance"`
	Floor             decimal.Null           `json:"floor" doc:"The level that the balance must stay above."`
	Distance          decimal.Null           `json:"distance" doc:"From the balance to the floor."`
	Today             programToday           `json:"today"`
	Target            orNull[programTarget]  `json:"target"`
	Rules             []programRule          `json:"rules"`
	Next              []programNext          `json:"next" doc:"Requirements that are not met yet."`
	OpenProfit        string                 `json:"open_profit" enum:"bounded,unknown" doc:"What is known of profit and loss between fills: bars bound it, or nothing is known."`
	TradesAfterBreach int                    `json:"trades_after_breach" doc:"Trades opened after it was passed or failed."`
	NotEvaluated      []string               `json:"not_evaluated" doc:"Rules of the firm that are not evaluated."`
	Costs             decimal.Decimal        `json:"costs" doc:"Paid to the firm."`
	Received          decimal.Decimal        `json:"received" doc:"The trader's share of paid payouts."`
	Earned            decimal.Decimal        `json:"earned" doc:"Received less costs."`
	Snapshot          orNull[snapshotOfFirm] `json:"snapshot" doc:"The last one of the firm's own dashboard."`
}

type programBreach struct {
	Kind    programs.Kind    `json:"kind"`
	At      time.Time        `json:"at"`
	TradeID *journal.TradeID `json:"trade_id"`
}

type programToday struct {
	Day   journal.Day     `json:"day" doc:"In the program's own days."`
	Net   decimal.Decimal `json:"net"`
	Limit decimal.Null    `json:"limit" doc:"The loss that the day may have."`
	Left  decimal.Null    `json:"left"`
}

type programTarget struct {
	Value decimal.Decimal `json:"value" doc:"The profit."`
	Limit decimal.Decimal `json:"limit" doc:"The profit that is needed."`
}

type programRule struct {
	Kind     programs.Kind       `json:"kind"`
	Effect   programs.Effect     `json:"effect"`
	State    programs.LimitState `json:"state" enum:"ok,warning,breached,unknown"`
	Met      *bool               `json:"met" doc:"Of requirements; null for limits."`
	Value    decimal.Null        `json:"value"`
	Limit    decimal.Null        `json:"limit"`
	Distance decimal.Null        `json:"distance"`
	Used     decimal.Null        `json:"used" doc:"The share of a limit that is used up, or of a requirement that is reached, from 0 to 1."`
	At       *time.Time          `json:"at" doc:"Of the breach."`
	TradeID  *journal.TradeID    `json:"trade_id"`
	Evidence programs.Evidence   `json:"evidence" enum:"exact,bounded,snapshot,not_evaluated"`
}

type programNext struct {
	Kind    programs.Kind `json:"kind"`
	Missing decimal.Null  `json:"missing"`
}

// programDay is a program day with an event.
type programDay struct {
	Day       journal.Day                           `json:"day"`
	Balance   decimal.Decimal                       `json:"balance"`
	Floor     decimal.Null                          `json:"floor" doc:"The level tested at the end of the day."`
	FloorNext decimal.Null                          `json:"floor_next" doc:"The level from the next day on."`
	Net       decimal.Decimal                       `json:"net" doc:"Without payouts."`
	Paid      decimal.Decimal                       `json:"paid" doc:"Payouts."`
	Trades    int                                   `json:"trades" doc:"Opened on the day."`
	States    map[programs.Kind]programs.LimitState `json:"states"`
}

// StatusQuery selects an enrollment at an instant.
type StatusQuery struct {
	ByID[journal.EnrollmentID]
	At string `query:"at" format:"date-time" doc:"Everything later is left out. Default: now."`
}

func (a enrollmentAPI) registerStatus(api *API) {
	register(api, enrollmentRoute(readJournal, http.MethodGet, "/{id}/status", "getEnrollmentStatus", "Where an enrollment stands: balance, floor, today, every rule"),
		func(ctx context.Context, in *StatusQuery) (*body[enrollmentStatus], error) {
			at, evaluated, err := a.evaluate(ctx, in)
			if err != nil {
				return nil, err
			}
			return answer(shapeStatus(at, evaluated), nil)
		})
	register(api, enrollmentRoute(readJournal, http.MethodGet, "/{id}/days", "listEnrollmentDays", "Every program day with an event: balance, floor, result, states"),
		func(ctx context.Context, in *StatusQuery) (*body[[]programDay], error) {
			_, evaluated, err := a.evaluate(ctx, in)
			if err != nil {
				return nil, err
			}
			list := make([]programDay, len(evaluated.Result.Days))
			for i, d := range evaluated.Result.Days {
				list[i] = programDay(d)
			}
			return answer(list, nil)
		})
}

func (a enrollmentAPI) evaluate(ctx context.Context, in *StatusQuery) (time.Time, enrollments.Evaluated, error) {
	at := a.clock()
	if in.At != "" {
		var err error
		if at, err = journal.ParseInstant("at", in.At); err != nil {
			return at, enrollments.Evaluated{}, err
		}
	}
	evaluated, err := a.enrollments.Evaluate(ctx, caller(ctx).UserID, in.ID, at)
	return at, evaluated, err
}

func shapeStatus(at time.Time, e enrollments.Evaluated) enrollmentStatus {
	r := e.Result
	out := enrollmentStatus{
		State: e.PresentState(), At: at, DecidedAt: instantOf(r.DecidedAt), IsDecided: e.Enrollment.State != programs.Active, Balance: r.Balance, Floor: r.Floor,
		Today: programToday(r.Today), Rules: make([]programRule, len(r.Rules)), Next: []programNext{}, OpenProfit: "unknown",
		TradesAfterBreach: r.TradesAfter, NotEvaluated: emptyIfNil(e.Definition().NotEvaluated),
	}
	if r.Floor.Valid {
		out.Distance = decimal.Of(r.Balance.Sub(r.Floor.Decimal))
	}
	if r.OpenBounded {
		out.OpenProfit = "bounded"
	}
	if r.Breach != nil {
		out.Breach = orNull[programBreach]{&programBreach{Kind: r.Breach.Kind, At: *instantOf(r.Breach.At), TradeID: nilIfZero(r.Breach.Trade)}}
	}
	for i, rule := range r.Rules {
		out.Rules[i] = programRule{
			Kind: rule.Rule.Kind, Effect: rule.Rule.EffectOrDefault(), State: rule.State, Met: rule.Met, Value: rule.Value, Limit: rule.Limit,
			Distance: rule.Distance, Used: rule.Used, At: instantOf(rule.At), TradeID: nilIfZero(rule.Trade), Evidence: rule.Evidence,
		}
		if rule.Rule.Kind == programs.ProfitTarget {
			out.Target = orNull[programTarget]{&programTarget{Value: rule.Value.Decimal, Limit: rule.Limit.Decimal}}
		}
		if rule.Met != nil && !*rule.Met {
			out.Next = append(out.Next, programNext{Kind: rule.Rule.Kind, Missing: rule.Distance})
		}
	}
	out.addMoney(&e.Enrollment)
	return out
}

// addMoney adds what the trader paid and received, and the last snapshot.
func (s *enrollmentStatus) addMoney(e *enrollments.Enrollment) {
	for _, c := range e.Costs {
		s.Costs = s.Costs.Add(c.Amount)
	}
	for _, p := range e.Payouts {
		if p.PaidAt != nil {
			s.Received = s.Received.Add(p.TraderShare.Or(p.Gross))
		}
	}
	s.Earned = s.Received.Sub(s.Costs)
	if len(e.Snapshots) > 0 {
		last := slices.MaxFunc(e.Snapshots, func(a, b enrollments.Snapshot) int { return a.At.Compare(b.At) })
		shaped := snapshotOfFirm(last)
		s.Snapshot = orNull[snapshotOfFirm]{&shaped}
	}
}
