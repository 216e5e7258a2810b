package httpapi

import (
	"context"
	"math"
	"net/http"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/analytics"
	"fillbook/internal/trading/enrollments"
	"fillbook/internal/trading/programs"
)

// SimulationInput selects a program and the trades to simulate it with.
type SimulationInput struct {
	ProgramID journal.ProgramID `query:"program_id" required:"true"`
	AccountID []string          `query:"account_id,explode" doc:"One account, a comma-separated list, or the parameter repeated. Default: all in the program's currency."`
	From      string            `query:"from" doc:"The first instant, or the first program day such as 2026-03-02. Default: the first trade."`
	To        string            `query:"to" doc:"The last instant, or the last program day. Default: now."`
}

// simulation is how attempts at a program would have ended.
type simulation struct {
	AttemptCounts
	Resampled orNull[resampledCounts] `json:"resampled" doc:"The same in sequences of drawn days: blocks with a mean length of 5 days. Null with fewer than two days."`
}

// AttemptCounts counts attempts by how they ended.
type AttemptCounts struct {
	Attempts   int          `json:"attempts" doc:"Each program day on which a trade was opened begins one."`
	Passed     AttemptShare `json:"passed"`
	Failed     failedShare  `json:"failed"`
	Unfinished AttemptShare `json:"unfinished"`
}

// AttemptShare is a number of attempts and its share.
type AttemptShare struct {
	Count int          `json:"count"`
	Share decimal.Null `json:"share" doc:"Of the attempts; null without one."`
}

type failedShare struct {
	AttemptShare
	ByRule map[programs.Kind]int `json:"by_rule" doc:"How many failed by each rule."`
}

type resampledCounts struct {
	Draws int `json:"draws" doc:"Sequences, each as long as the journal."`
	AttemptCounts
	Interval shareInterval `json:"interval" doc:"Bounds of the share that passed, in 95% of the sequences."`
}

type shareInterval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// simulationSeed starts the generator, so the same journal has the same answer.
const simulationSeed = 1

func (a enrollmentAPI) registerSimulation(api *API) {
	register(api, enrollmentRoute(readJournal, http.MethodGet, "/simulate", "simulateProgram", "Would I have passed: every start day in the journal as an attempt"),
		func(ctx context.Context, in *SimulationInput) (*body[simulation], error) {
			accounts, err := splitList[journal.AccountID]("account_id", in.AccountID)
			if err != nil {
				return nil, err
			}
			result, err := a.enrollments.Simulate(ctx, caller(ctx).UserID, enrollments.SimulationQuery{
				ProgramID: in.ProgramID, Accounts: accounts, Below: analytics.NewGenerator(simulationSeed).Below,
				Range: func(p *programs.Program) (from, to int64, err error) { return in.findRange(p, db.Micros(a.clock())) },
			})
			if err != nil {
				return nil, err
			}
			return answer(shapeSimulation(&result), nil)
		})
}

// findRange returns the instants of a range. A day is a program day.
func (in *SimulationInput) findRange(p *programs.Program, now int64) (from, to int64, err error) {
	from, to = math.MinInt64, now
	for _, bound := range []struct {
		name, text string
		at         *int64
	}{{"from", in.From, &from}, {"to", in.To, &to}} {
		if bound.text == "" {
			continue
		}
		if day, err := journal.ParseDay(bound.name, bound.text); err == nil {
			begin, end := p.DayRange(day)
			if *bound.at = begin; bound.name == "to" {
				*bound.at = end - 1
			}
			continue
		}
		at, err := journal.ParseInstant(bound.name, bound.text)
		if err != nil {
			return 0, 0, err
		}
		*bound.at = db.Micros(at)
	}
	if from > to {
		return 0, 0, journal.InvalidField("from", "from must not be after to.")
	}
	return from, to, nil
}

func shapeSimulation(s *programs.Simulation) simulation {
	out := simulation{AttemptCounts: countAttempts(&s.Actual)}
	if s.Resampled != nil {
		out.Resampled = orNull[resampledCounts]{&resampledCounts{
			Draws: programs.Draws, AttemptCounts: countAttempts(s.Resampled), Interval: shareInterval{s.Low, s.High},
		}}
	}
	return out
}

func countAttempts(o *programs.Outcomes) AttemptCounts {
	share := func(n int) AttemptShare {
		if o.Attempts == 0 {
			return AttemptShare{}
		}
		return AttemptShare{Count: n, Share: decimal.Of(decimal.New(int64(n)).DivRound(decimal.New(int64(o.Attempts)), 8))}
	}
	return AttemptCounts{
		Attempts: o.Attempts, Passed: share(o.Passed), Failed: failedShare{share(o.Failed), o.ByRule}, Unfinished: share(o.Unfinished),
	}
}
