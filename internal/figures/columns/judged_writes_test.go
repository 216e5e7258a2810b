package columns_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/columns"
	"fillbook/internal/figures/excursions"
	"fillbook/internal/figures/rulecheck"
	"fillbook/internal/intake/imports"
	"fillbook/internal/people/identity"
	"fillbook/internal/testkit"
	"fillbook/internal/trading/enrollments"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
	"fillbook/internal/trading/programs"
	"fillbook/internal/trading/rulebook"
	"fillbook/internal/trading/rules"
)

// judgedTest compares what is judged by services that go on from what they know with what new
// services compute from everything.
type judgedTest struct {
	*env
	random      *rand.Rand
	enrollments []journal.EnrollmentID
	undoable    []journal.ChangeID
	at          int // minutes, of the latest fill
	imported    int
}

// TestJudgementsFollowRandomWrites appends trades, changes the past, deletes, imports and
// undoes, and compares rules and enrollments after each write.
func TestJudgementsFollowRandomWrites(t *testing.T) {
	t.Parallel()
	for seed := range testkit.Rounds(1, 30) {
		testkit.EachEngine(t, func(t *testing.T, base *db.DB) {
			h := newEnv(t, base, 0)
			h.createUser()
			d := &judgedTest{env: h, random: rand.New(rand.NewPCG(1, uint64(seed))), at: -60 * 24 * 60} //nolint:gosec // a test
			h.Enrollments.SetCheckpointGaps(2, 8)
			h.Figures.SetRuleGap(2)
			d.enroll()
			d.createRules()
			for i := range 60 {
				what := d.write()
				if d.random.IntN(3) > 0 {
					d.compare(fmt.Sprintf("seed %d, write %d: %s", seed, i, what))
				}
			}
		})
	}
}

func (d *judgedTest) enroll() {
	d.t.Helper()
	dec := func(s string) decimal.Null { return decimal.Of(decimal.Must(s)) }
	for _, list := range [][]programs.Rule{
		{{Kind: programs.MaxLoss, Mode: programs.TrailingEOD, Amount: dec("90000")}, {Kind: programs.Consistency, Fraction: dec("0.5")}, {Kind: programs.MinDays, N: 90}},
		{{Kind: programs.MaxLoss, Amount: dec("40")}, {Kind: programs.DailyLoss, Amount: dec("20"), Effect: programs.Pause}},
		{{Kind: programs.FlatBy, Time: "16:00", Effect: programs.Warn}, {Kind: programs.ProfitTarget, Amount: dec("60")}},
	} {
		p, err := d.Enrollments.CreateProgram(d.t.Context(), d.owner, "", func(p *programs.Program) error {
			*p = programs.Program{
				Firm: "Firm", Name: "Test", Phase: programs.PhaseEvaluation, Product: "futures", Currency: "USD", InitialBalance: decimal.Must("100000"),
				Day: programs.DayBounds{Reset: "17:00", Zone: "America/Chicago"}, Rules: list,
			}
			return nil
		})
		must(d.t, err)
		start := minute(d.at + 24*60)
		e, err := d.Enrollments.Enroll(d.t.Context(), d.owner, enrollments.NewEnrollment{AccountID: d.account, ProgramID: p.ID, StartedAt: &start})
		must(d.t, err)
		d.enrollments = append(d.enrollments, e.ID)
	}
}

func (d *judgedTest) createRules() {
	d.t.Helper()
	amount := func(s string) decimal.Null { return decimal.Of(decimal.Must(s)) }
	for kind, params := range map[rules.Kind]rules.Params{
		rules.StopAfterLosses:  {N: 2},
		rules.MaxLosses:        {N: 2},
		rules.MaxDailyLoss:     {Amount: amount("10")},
		rules.StopAtProfit:     {Amount: amount("10")},
		rules.GiveBack:         {Share: amount("0.5")},
		rules.MaxTrades:        {N: 3},
		rules.MaxOpen:          {N: 2},
		rules.MaxOpenRisk:      {Amount: amount("50")},
		rules.CoolDown:         {N: 1, Minutes: amount("600")},
		rules.MaxSize:          {EquityPct: amount("5")},
		rules.NoAddingToLosers: {},
	} {
		_, err := d.Rulebook.CreateRule(d.t.Context(), d.owner, rulebook.RuleChange{
			Kind: journal.Some(kind), Params: journal.Some(params), From: journal.Some(journal.Day("2025-01-01")),
		})
		must(d.t, err)
	}
}

// write makes a random write and returns its name.
func (d *judgedTest) write() string {
	d.t.Helper()
	ctx, outcome := history.WithOutcome(d.t.Context())
	symbol := fmt.Sprint("S", d.random.IntN(3))
	side := []matching.Side{matching.Buy, matching.Sell}[d.random.IntN(2)]
	quantity := fmt.Sprint(1 + d.random.IntN(3))
	price := fmt.Sprint(10 + d.random.IntN(15))
	name := "an added fill"
	switch n := d.random.IntN(20); {
	case n < 9:
		d.at += 1 + d.random.IntN(24*60)
		d.fill(symbol, side, quantity, price, d.at)
	case n < 11:
		name = "a fill in the past"
		d.fill(symbol, side, quantity, price, d.at-d.random.IntN(20*24*60))
	case n < 14:
		name = "a change or a deletion"
		d.changeTrade(ctx)
	case n < 15:
		name = "cash"
		_, err := d.Ledger.AddCash(ctx, d.owner, d.account, ledger.NewCash{
			Type: ledger.Fee, Amount: decimal.New(int64(1 + d.random.IntN(5))), OccurredAt: minute(d.at - d.random.IntN(30*24*60)),
		})
		must(d.t, err)
	case n < 17:
		name = "an import"
		d.importFills(ctx)
	case len(d.undoable) > 0:
		name = "an undo"
		k := d.random.IntN(len(d.undoable))
		_, err := d.Undo(d.t.Context(), d.owner, d.undoable[k], func(*history.Change) error { return nil })
		if err != nil && !journal.IsKind(err, journal.KindConflict) {
			d.t.Fatalf("an undo: %v", err)
		}
		d.undoable = append(d.undoable[:k], d.undoable[k+1:]...)
	}
	if outcome.Change != "" {
		d.undoable = append(d.undoable, outcome.Change)
	}
	return name
}

// changeTrade changes or deletes a fill, or deletes the trade.
func (d *judgedTest) changeTrade(ctx context.Context) {
	var ids []journal.TradeID
	must(d.t, d.DB.View(ctx, func(tx *db.Tx) error {
		return ledger.EachTrade(ctx, tx, d.owner, ledger.TradeQuery{}, func(t ledger.Trade) error {
			ids = append(ids, t.ID)
			return nil
		})
	}))
	if len(ids) == 0 {
		return
	}
	id := ids[d.random.IntN(len(ids))]
	detail, err := db.Get(ctx, d.DB.View, func(tx *db.Tx) (ledger.TradeDetail, error) { return ledger.ReadTrade(ctx, tx, d.owner, id) })
	must(d.t, err)
	fill := detail.Fills[d.random.IntN(len(detail.Fills))]
	switch d.random.IntN(3) {
	case 0:
		_, err = d.Ledger.UpdateExecution(ctx, d.owner, fill.ID, ledger.ExecutionChange{Price: journal.Some(decimal.New(int64(10 + d.random.IntN(15))))}, nil)
	case 1:
		err = d.Ledger.DeleteExecution(ctx, d.owner, fill.ID, nil)
	default:
		err = d.Ledger.DeleteTrade(ctx, d.owner, id, nil)
	}
	must(d.t, err)
}

func (d *judgedTest) importFills(ctx context.Context) {
	var file bytes.Buffer
	file.WriteString("Symbol,Side,Quantity,Price,Executed At,Commission\n")
	for range 1 + d.random.IntN(6) {
		d.imported++
		at := minute(d.at - d.random.IntN(40*24*60)).Add(time.Duration(d.imported) * time.Second)
		fmt.Fprintf(&file, "S%d,%s,%d,%d,%s,1\n", d.random.IntN(3), []string{"buy", "sell"}[d.random.IntN(2)], 1+d.random.IntN(2), 10+d.random.IntN(15),
			at.Format(time.RFC3339))
	}
	actor := imports.Actor{Principal: identity.Principal{UserID: d.owner}}
	_, err := d.Imports.Commit(ctx, actor, imports.Upload{FileName: fmt.Sprint(d.imported, ".csv"), Data: file.Bytes(), Account: d.account})
	must(d.t, err)
}

// compare compares what the services of the environment know with what new ones compute.
func (d *judgedTest) compare(after string) {
	d.t.Helper()
	ctx := d.t.Context()
	now := minute(d.at + d.random.IntN(3*24*60))
	if d.random.IntN(5) == 0 {
		now = minute(d.at - d.random.IntN(20*24*60))
	}
	for _, id := range d.enrollments {
		got, err := d.Enrollments.Evaluate(ctx, d.owner, id, now)
		must(d.t, err)
		want, err := enrollments.New(d.DB, d.Clock, excursions.LoadOpenProfit).Evaluate(ctx, d.owner, id, now)
		must(d.t, err)
		if a, b := toText(d.t, got.Result), toText(d.t, want.Result); a != b {
			d.t.Fatalf("after %s the enrollment is\n%s\nnot\n%s", after, a, b)
		}
	}
	if a, b := d.judge(d.Figures), d.judge(columns.New(d.DB, 0, "")); a != b {
		d.t.Fatalf("after %s the rules have\n%s\nnot\n%s", after, a, b)
	}
	d.compareLatest(after)
}

// compareLatest compares the events of the latest trades with the latest of all.
func (d *judgedTest) compareLatest(after string) {
	d.t.Helper()
	since := minute(d.at - d.random.IntN(10*24*60))
	must(d.t, d.DB.View(d.t.Context(), func(tx *db.Tx) error {
		list, err := rulebook.ListRules(d.t.Context(), tx, d.owner)
		if err != nil {
			return err
		}
		all, err := d.Figures.FindEvents(d.t.Context(), tx, d.owner, list, time.Time{})
		if err != nil {
			return err
		}
		// The events of the first day may be incomplete.
		latest, err := d.Figures.FindEvents(d.t.Context(), tx, d.owner, list, since.Add(-48*time.Hour))
		for i := range latest {
			if a, b := listEventsSince(latest[i], since), listEventsSince(all[i], since); a != b {
				d.t.Fatalf("after %s the latest events of %s are\n%s\nnot\n%s", after, list[i].Kind, a, b)
			}
		}
		if err != nil {
			return err
		}
		return d.compareLimits(after, tx, all)
	}))
}

// compareLimits compares where rules stand by the latest trades with where they stand by all.
func (d *judgedTest) compareLimits(after string, tx *db.Tx, all []columns.RuleEvents) error {
	d.t.Helper()
	for range 5 {
		now := minute(d.at + 600 - d.random.IntN(10*24*60))
		s := columns.New(d.DB, 0, "")
		s.SetClock(func() time.Time { return now })
		want := map[journal.TradingRuleID]string{}
		list := make([]rules.Rule, len(all))
		for i := range all {
			list[i] = all[i].Rule
			if limit, judges := rulecheck.FindLimit(&all[i].Rule, all[i].Trades, &rulecheck.Facts{Now: now}); judges {
				want[all[i].Rule.ID] = toText(d.t, limit)
			}
		}
		limits, err := s.FindLimits(d.t.Context(), tx, d.owner, list)
		if err != nil {
			return err
		}
		if len(limits) != len(want) {
			d.t.Fatalf("after %s %d rules have limits, want %d", after, len(limits), len(want))
		}
		for _, l := range limits {
			if got := toText(d.t, l.Limit); got != want[l.Rule.ID] {
				d.t.Fatalf("after %s at %s the limit of %s is\n%s\nnot\n%s", after, now, l.Rule.Kind, got, want[l.Rule.ID])
			}
		}
	}
	return nil
}

func listEventsSince(e columns.RuleEvents, since time.Time) string {
	var lines []string
	for _, event := range e.Events {
		if !event.At.Before(since) {
			lines = append(lines, fmt.Sprintln(e.Trades.Trades[event.Place].ID(), event.Kind, event.Day, event.Level, event.At))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

func toText(t testing.TB, value any) string {
	t.Helper()
	var out bytes.Buffer
	write(t, &out, value)
	return out.String()
}

// judge returns the verdicts, events and limits of the rules, as text.
func (d *judgedTest) judge(s *columns.Service) string {
	d.t.Helper()
	ctx := d.t.Context()
	s.SetClock(d.Clock)
	var out bytes.Buffer
	must(d.t, d.DB.View(ctx, func(tx *db.Tx) error {
		judged, err := s.JudgeAll(ctx, tx, d.owner)
		if err != nil {
			return err
		}
		var list []rules.Rule
		for _, j := range judged {
			list = append(list, j.Rule)
			fmt.Fprint(&out, j.Rule.Kind, " ")
			for i := range j.Trades.Trades {
				trade := j.Trades.Trades[i]
				fmt.Fprint(&out, trade.ID(), trade.Net(), j.Verdict(i), " ")
			}
			write(d.t, &out, j.Summarize(rulecheck.Selection{}))
		}
		for _, since := range []time.Time{{}, minute(d.at - 5*24*60)} {
			events, err := s.FindEvents(ctx, tx, d.owner, list, since)
			if err != nil {
				return err
			}
			for _, e := range events {
				for _, event := range e.Events {
					fmt.Fprintln(&out, e.Rule.Kind, e.Trades.Trades[event.Place].ID(), event.Kind, event.Day, event.Level, event.At)
				}
			}
		}
		limits, err := s.FindLimits(ctx, tx, d.owner, list)
		for _, l := range limits {
			write(d.t, &out, l)
		}
		return err
	}))
	return out.String()
}
