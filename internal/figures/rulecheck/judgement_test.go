package rulecheck_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/analytics"
	"fillbook/internal/figures/rulecheck"
	"fillbook/internal/figures/rulecheck/oracle"
	"fillbook/internal/trading/rules"
)

// TestJudgementsContinue compares judgements that go on from those of a journal before a few
// writes with judgements of all trades. What is gone on from must stay as it is.
func TestJudgementsContinue(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		trades, facts := drawTrades(t, false)
		rule := drawRule(t)
		for range rapid.IntRange(1, 3).Draw(t, "versions") {
			before, touched := drawEarlier(t, trades)
			earlier := facts
			earlier.Entries = findEntries(before)
			old := build(before)
			j := rulecheck.Judge(&rule, old, &earlier)
			text := judgementText(&rule, old, &j)

			now := build(trades)
			same := now.CountSame(old, analytics.NewTradeIDs(touched))
			for i := range same {
				if slices.Contains(touched, now.Trades[i].ID()) {
					t.Fatalf("%d trades are the same, but number %d was touched", same, i)
				}
			}
			got, want := j.Continue(&rule, now, &facts, same), rulecheck.Judge(&rule, now, &facts)
			if a, b := judgementText(&rule, now, &got), judgementText(&rule, now, &want); a != b {
				t.Fatalf("%s %s goes on from %d of %d trades to\n%s\nnot\n%s", rule.Kind, rule.Params.Encode(), same, len(trades), a, b)
			}
			if after := judgementText(&rule, old, &j); after != text {
				t.Fatalf("%s: the earlier judgement changed from\n%s\nto\n%s", rule.Kind, text, after)
			}
		}
	})
}

// drawEarlier returns a journal before writes that lead to trades, and the trades that these
// touched: some were added, deleted or changed.
func drawEarlier(t *rapid.T, trades []oracle.Trade) (before []oracle.Trade, touched []journal.TradeID) {
	write := rapid.SampledFrom([]string{"", "", "", "", "", "", "added", "changed", "deleted"})
	for i := range trades {
		trade := trades[i]
		switch write.Draw(t, "write") {
		case "added":
			touched = append(touched, trade.ID)
			continue
		case "changed":
			touched = append(touched, trade.ID)
			switch rapid.IntRange(0, 4).Draw(t, "what") {
			case 0:
				trade.Net = decimal.New(int64(rapid.IntRange(-3, 3).Draw(t, "net before")))
			case 1:
				trade.Open, trade.ClosedAt, trade.Removed = true, trade.OpenedAt, false
			case 2:
				trade.Entries = nil
			case 3:
				trade.InitialRisk, trade.Tags, trade.Setups = decimal.Null{}, nil, nil
			default:
				trade.Open, trade.ClosedAt = false, trade.OpenedAt.Add(time.Duration(rapid.IntRange(0, 2).Draw(t, "minutes before"))*time.Minute)
			}
		case "deleted":
			gone := trade
			gone.ID += "-gone"
			touched, before = append(touched, gone.ID), append(before, gone)
		}
		before = append(before, trade)
	}
	return before, touched
}

func findEntries(trades []oracle.Trade) func(journal.TradeID) []rulecheck.EntryStep {
	return func(id journal.TradeID) []rulecheck.EntryStep {
		for i := range trades {
			if trades[i].ID == id {
				return trades[i].Entries
			}
		}
		return nil
	}
}

func judgementText(rule *rules.Rule, trades analytics.Openings, j *rulecheck.Judgement) string {
	var text strings.Builder
	fmt.Fprintln(&text, verdicts(listVerdicts(j)))
	for _, b := range j.ListBreaks() {
		fmt.Fprintln(&text, b.Place, b.OfDay, b.Day(), b.At(), b.Value, b.Limit)
	}
	from := at("2026-03-29 12:00:00")
	for _, s := range []rulecheck.Selection{{}, {Period: journal.Period{From: &from}}} {
		raw, err := json.Marshal(rulecheck.Summarize(rule, trades, j, s, false))
		fmt.Fprintln(&text, string(raw), err)
	}
	return text.String()
}

// TestLatestBreaks lists the latest thousand of many breaks by time.
func TestLatestBreaks(t *testing.T) {
	t.Parallel()
	rule := newRule(rules.MaxSize, rules.Params{Quantity: money("0.5")})
	const days, trades = 60, 50
	var all []oracle.Trade
	entries := map[journal.TradeID][]rulecheck.EntryStep{}
	for n := range days {
		all = append(all, day(at("2026-01-01 00:00:00").AddDate(0, 0, n).Format(time.DateOnly), make([]int64, trades)...)...)
	}
	for i := range all {
		step := rulecheck.EntryStep{At: all[i].OpenedAt.UnixMicro(), Quantity: money("0.5").Decimal}
		late := rulecheck.EntryStep{At: all[i].OpenedAt.Add(time.Duration(i*7919%90000) * time.Second).UnixMicro(), Quantity: decimal.New(1)}
		entries[all[i].ID] = []rulecheck.EntryStep{step, late}
	}
	facts := rulecheck.Facts{Entries: func(id journal.TradeID) []rulecheck.EntryStep { return entries[id] }, Gap: 7}
	openings := build(all)
	j := rulecheck.Judge(&rule, openings, &facts)
	sorted, r := j.ListBreaks(), rulecheck.Summarize(&rule, openings, &j, rulecheck.Selection{}, false)
	const listed = 1000
	if r.BreaksTotal != days*trades || len(r.Breaks) != listed || len(sorted) != days*trades {
		t.Fatalf("%d of %d breaks are listed, of %d", len(r.Breaks), r.BreaksTotal, len(sorted))
	}
	for k, b := range sorted[len(sorted)-listed:] {
		if k > 0 && b.At().Before(sorted[len(sorted)-listed+k-1].At()) {
			t.Fatalf("break %d is not in order", k)
		}
		if !r.Breaks[k].At.Equal(b.At()) || *r.Breaks[k].TradeID != openings.Trades[b.Place].ID() {
			t.Fatalf("break %d is %+v, want %v of %s", k, r.Breaks[k], b.At(), openings.Trades[b.Place].ID())
		}
	}
}

// TestClockBackOverMidnight: on 7 November 2010 the clocks of St. John's went from 00:01 back
// to the day before, which keeps its trades.
func TestClockBackOverMidnight(t *testing.T) {
	t.Parallel()
	rule := newRule(rules.MaxTrades, rules.Params{N: 1})
	rule.Zone = "America/St_Johns"
	trades := day("2026-01-02", 1, 1, 1, 1)
	for i, opened := range []string{"2010-11-07 01:00:00", "2010-11-07 02:30:30", "2010-11-07 02:40:00", "2010-11-07 03:40:00"} {
		trades[i].OpenedAt, trades[i].ClosedAt = at(opened), at(opened)
	}
	if got, _ := judge(rule, rulecheck.Facts{Gap: 1}, trades...); got != "++xx" {
		t.Errorf("the verdicts are %s", got)
	}
}
