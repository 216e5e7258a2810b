package rulebook

import (
	"context"
	"errors"
	"slices"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/fields"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/limits"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/rules"
)

var goalTable = fields.New("goals",
	fields.List[rules.Goal]{fields.NewID("id", func(g *rules.Goal) *journal.GoalID { return &g.ID })},
	fields.List[rules.Goal]{
		fields.NewText("kind", func(g *rules.Goal) *rules.GoalKind { return &g.Kind }),
		fields.NewText("metric", func(g *rules.Goal) *rules.Metric { return &g.Metric }),
		fields.NewAmount("target", func(g *rules.Goal) *decimal.Decimal { return &g.Target }),
		fields.NewText("period", func(g *rules.Goal) *rules.GoalPeriod { return &g.Period }),
		fields.NewJSON("account_ids", func(g *rules.Goal) *[]journal.AccountID { return &g.Accounts }),
		fields.NewLink("rule_id", func(g *rules.Goal) **journal.TradingRuleID { return &g.Rule }),
		fields.NewText("starts_on", func(g *rules.Goal) *journal.Day { return &g.StartsOn }),
		fields.NewOptionalText("ends_on", func(g *rules.Goal) *journal.Day { return &g.EndsOn }),
		fields.NewText("name", func(g *rules.Goal) *string { return &g.Name }),
		fields.NewTime("created_at", func(g *rules.Goal) *time.Time { return &g.CreatedAt }).Freeze(),
		fields.NewTime("updated_at", func(g *rules.Goal) *time.Time { return &g.UpdatedAt }),
	},
)

var goalHistory = history.NewType("goal", goalTable.Fields, history.Of[rules.Goal]{
	ID: func(g *rules.Goal) string { return string(g.ID) },
	Label: func(g *rules.Goal) string {
		if g.Name != "" {
			return g.Name
		}
		return string(g.Metric) + " per " + string(g.Period)
	},
	SeenIn: func(g *rules.Goal) journal.AccountID { return seenIn(g.Accounts) },
})

var selectGoals = goalTable.Select("g")

func scanGoal(row db.Scanner) (g rules.Goal, err error) {
	err = goalTable.Scan(row, &g)
	return g, err
}

func listGoals(ctx context.Context, tx *db.Tx, owner journal.UserID, lock string) ([]rules.Goal, error) {
	return db.List(ctx, tx, scanGoal, selectGoals+` WHERE g.user_id = $1 ORDER BY g.created_at, g.id`+lock, owner)
}

// ListGoals returns the owner's goals, the oldest first. It is a step.
func ListGoals(ctx context.Context, tx *db.Tx, owner journal.UserID) ([]rules.Goal, error) {
	all, err := listGoals(ctx, tx, owner, "")
	return slices.DeleteFunc(all, func(g rules.Goal) bool { return !allows(ctx, g.Accounts) }), err
}

// ListGoals is [ListGoals] in its own transaction.
func (s *Service) ListGoals(ctx context.Context, owner journal.UserID) ([]rules.Goal, error) {
	return db.Get(ctx, s.db.Peek, func(tx *db.Tx) ([]rules.Goal, error) { return ListGoals(ctx, tx, owner) })
}

func errNoGoal() error { return journal.NotFound("goal") }

// Goal returns one goal.
func (s *Service) Goal(ctx context.Context, owner journal.UserID, id journal.GoalID) (rules.Goal, error) {
	return db.Get(ctx, s.db.Peek, func(tx *db.Tx) (rules.Goal, error) {
		goal, err := scanGoal(tx.QueryRow(ctx, selectGoals+` WHERE g.user_id = $1 AND g.id = $2`, owner, id))
		if errors.Is(err, db.ErrNoRows) || err == nil && !allows(ctx, goal.Accounts) {
			return rules.Goal{}, errNoGoal()
		}
		return goal, err
	})
}

// GoalChange is a change to a goal. A new goal needs kind, metric, target and period.
type GoalChange struct {
	Kind     journal.Opt[rules.GoalKind]
	Metric   journal.Opt[rules.Metric]
	Target   journal.Opt[decimal.Decimal]
	Period   journal.Opt[rules.GoalPeriod]
	Accounts journal.Opt[[]journal.AccountID]
	Rule     journal.Opt[journal.TradingRuleID]
	StartsOn journal.Opt[journal.Day]
	EndsOn   journal.Opt[journal.Day]
	Name     journal.Opt[string]
}

func (c *GoalChange) apply(g rules.Goal) (rules.Goal, error) {
	g.Kind, g.Metric, g.Target, g.Period = c.Kind.Or(g.Kind), c.Metric.Or(g.Metric), c.Target.Or(g.Target), c.Period.Or(g.Period)
	g.Accounts, g.StartsOn, g.EndsOn, g.Name = c.Accounts.Or(g.Accounts), c.StartsOn.Or(g.StartsOn), c.EndsOn.Or(g.EndsOn), c.Name.Or(g.Name)
	g.Rule = c.Rule.OrNil(g.Rule)
	return g.Check()
}

// checkGoalScope returns an error if an account or the rule that a goal names now is not the
// owner's, or if amounts over several currencies would be added. What was named before may be
// deleted.
func checkGoalScope(ctx context.Context, tx *db.Tx, owner journal.UserID, old, goal *rules.Goal) error {
	if goal.Rule != nil && (old.Rule == nil || *old.Rule != *goal.Rule) {
		_, err := ReadRule(ctx, tx, owner, *goal.Rule)
		if journal.IsKind(err, journal.KindNotFound) {
			return journal.InvalidField("rule_id", "rule_id is not one of your trading rules.")
		}
		if err != nil {
			return err
		}
	}
	purpose := ledger.ToCount
	if goal.Metric == rules.NetPnL || goal.Metric == rules.ProfitFactor {
		purpose = ledger.ToSum
	}
	all, err := ledger.Accounts(ctx, tx, owner)
	if err != nil {
		return err
	}
	ids := goal.Accounts
	if slices.Equal(old.Accounts, ids) {
		ids = keepStored(ids, all)
	}
	_, err = ledger.SelectAccounts(all, ids, purpose)
	return err
}

// CreateGoal creates a goal.
func (s *Service) CreateGoal(ctx context.Context, owner journal.UserID, change GoalChange) (rules.Goal, error) {
	return db.Get(ctx, s.db.Update, func(tx *db.Tx) (rules.Goal, error) {
		now := s.clock()
		goal, err := change.apply(rules.Goal{ID: journal.NewID[journal.GoalID](), StartsOn: journal.DayOf(now), CreatedAt: now, UpdatedAt: now})
		if err != nil {
			return goal, err
		}
		if err := checkGoalScope(ctx, tx, owner, &rules.Goal{}, &goal); err != nil {
			return goal, err
		}
		all, err := listGoals(ctx, tx, owner, tx.Lock())
		if err != nil {
			return goal, err
		}
		if len(all) >= limits.Goals.Max {
			return goal, limits.Goals.Reached()
		}
		if _, err := tx.Exec(ctx, goalTable.Insert(), goalTable.Values(owner, &goal)...); err != nil {
			return goal, err
		}
		goalHistory.Created(tx, owner, &goal)
		return goal, nil
	})
}

// findGoal locks the owner's goals and returns the one to change.
func findGoal(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.GoalID, check func(rules.Goal) error) (rules.Goal, error) {
	all, err := listGoals(ctx, tx, owner, tx.Lock())
	if err != nil {
		return rules.Goal{}, err
	}
	i := slices.IndexFunc(all, func(g rules.Goal) bool { return g.ID == id })
	if i < 0 || !allows(ctx, all[i].Accounts) {
		return rules.Goal{}, errNoGoal()
	}
	if check != nil {
		err = check(all[i])
	}
	return all[i], err
}

// UpdateGoal changes what is sent. check may refuse the change to the stored goal.
func (s *Service) UpdateGoal(
	ctx context.Context, owner journal.UserID, id journal.GoalID, change GoalChange, check func(rules.Goal) error,
) (goal rules.Goal, err error) {
	err = s.db.Update(ctx, func(tx *db.Tx) error {
		old, err := findGoal(ctx, tx, owner, id, check)
		if err != nil {
			return err
		}
		if goal, err = change.apply(old); err != nil {
			return err
		}
		if len(goalTable.Fields.Compare(&old, &goal)) == 0 {
			return nil
		}
		if change.Accounts.Set || change.Rule.Set || change.Metric.Set {
			if err := checkGoalScope(ctx, tx, owner, &old, &goal); err != nil {
				return nameAccounts(err)
			}
		}
		goal.UpdatedAt = s.clock()
		goalHistory.Updated(tx, owner, &old, &goal)
		_, err = tx.Exec(ctx, goalTable.Update(), goalTable.UpdateValues(owner, &goal)...)
		return err
	})
	return goal, err
}

// DeleteGoal deletes a goal.
func (s *Service) DeleteGoal(ctx context.Context, owner journal.UserID, id journal.GoalID, check func(rules.Goal) error) error {
	return s.db.Update(ctx, func(tx *db.Tx) error {
		goal, err := findGoal(ctx, tx, owner, id, check)
		if err != nil {
			return err
		}
		goalHistory.Deleted(tx, owner, &goal)
		return removeRecord(ctx, tx, owner, "goal", id)
	})
}

// RestoreGoals stores a backup's goals, except those that are stored already. Their ids
// must be new. The refusals are those of single goals. It is a step.
func RestoreGoals(ctx context.Context, tx *db.Tx, owner journal.UserID, list []rules.Goal) (added int, refusals []error, err error) {
	if len(list) == 0 {
		return 0, nil, nil
	}
	all, err := listGoals(ctx, tx, owner, tx.Lock())
	if err != nil {
		return 0, nil, err
	}
	known := map[string]bool{}
	for i := range all {
		known[goalKey(all[i])] = true
	}
	refusals = make([]error, len(list))
	for i := range list {
		goal, err := list[i].Check()
		switch {
		case err != nil:
			refusals[i] = err
		case !allows(ctx, goal.Accounts):
			return 0, nil, journal.NotFound("account")
		case known[goalKey(goal)]:
		case len(all)+added >= limits.Goals.Max:
			refusals[i] = limits.Goals.Reached()
		default:
			known[goalKey(goal)] = true
			added++
			if _, err := tx.Exec(ctx, goalTable.Insert(), goalTable.Values(owner, &goal)...); err != nil {
				return 0, nil, err
			}
			goalHistory.Brought(tx, owner, &goal)
		}
	}
	return added, refusals, nil
}

// goalKey identifies a goal by its content.
func goalKey(g rules.Goal) string {
	g.ID, g.UpdatedAt, g.Rule = "", time.Time{}, nil
	return showKey(goalTable.Fields, &g)
}
