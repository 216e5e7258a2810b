package demo

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"fillbook/internal/base/journal"
	"fillbook/internal/trading/enrollments"
	"fillbook/internal/trading/programs"
	"fillbook/internal/trading/rulebook"
	"fillbook/internal/trading/rules"
)

// Enrollment is an account's enrollment in a built-in program.
type Enrollment struct {
	Account   string // by name
	Program   journal.ProgramID
	At        float64 // a fraction of the journal
	StartedAt time.Time
}

// The zone of the trader's rules, and how many days before the last one they and the goals
// begin.
const (
	rulesZone = "America/New_York"
	rulesDays = 120
)

// composeRules returns the rules.
func (s *simulation) composeRules() (list []rules.Rule) {
	for _, r := range s.Rules {
		r.Zone, r.From = rulesZone, s.last.AddDays(-rulesDays)
		list = append(list, r)
	}
	return list
}

// composeGoals returns the goals.
func (s *simulation) composeGoals() (list []rules.Goal) {
	for _, g := range s.Goals {
		g.StartsOn = s.last.AddDays(-rulesDays)
		list = append(list, g)
	}
	return list
}

// composeEnrollments returns the enrollments. Each begins on a trading day.
func (s *simulation) composeEnrollments() (list []Enrollment) {
	for _, e := range s.Enrollments {
		e.StartedAt = onDay(nextTradingDay(s.dayAt(e.At)), 0, 0)
		list = append(list, e)
	}
	return list
}

// writeRules stores the rules and goals, like a restored backup.
func (w *writer) writeRules() error {
	list := make([]rulebook.NewRule, len(w.story.Rules))
	for i, r := range w.story.Rules {
		r.CreatedAt, r.UpdatedAt = r.From.Time(), r.From.Time()
		list[i] = rulebook.NewRule{Rule: r, PredecessorPlace: -1}
	}
	_, _, refusals, err := rulebook.RestoreRules(w.ctx, w.tx, w.owner, list)
	if err := cmp.Or(err, errors.Join(refusals...)); err != nil {
		return err
	}
	goals := make([]rules.Goal, len(w.story.Goals))
	for i, g := range w.story.Goals {
		g.ID, g.CreatedAt, g.UpdatedAt = journal.NewID[journal.GoalID](), g.StartsOn.Time(), g.StartsOn.Time()
		goals[i] = g
	}
	_, refusals, err = rulebook.RestoreGoals(w.ctx, w.tx, w.owner, goals)
	return cmp.Or(err, errors.Join(refusals...))
}

// writeEnrollments stores the enrollments, like a restored backup.
func (w *writer) writeEnrollments() error {
	list, previous := make([]enrollments.Enrollment, len(w.story.Enrollments)), make([]int, len(w.story.Enrollments))
	for i, e := range w.story.Enrollments {
		program, found := programs.FindBuiltIn(string(e.Program))
		if !found {
			return fmt.Errorf("no program %s", e.Program)
		}
		list[i] = enrollments.Enrollment{
			AccountID: w.accounts[e.Account], ProgramID: e.Program, ProgramVersion: program.Version, State: programs.Active,
			StartingBalance: program.StartingBalance(), StartedAt: e.StartedAt, CreatedAt: e.StartedAt, UpdatedAt: e.StartedAt,
		}
		previous[i] = -1
		if err := list[i].SetDefinition(program); err != nil {
			return err
		}
	}
	_, refusals, err := enrollments.Restore(w.ctx, w.tx, w.owner, list, previous)
	return cmp.Or(err, errors.Join(refusals...))
}
