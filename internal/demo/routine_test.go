package demo

import (
	"slices"
	"testing"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
)

func TestRoutine(t *testing.T) {
	eachStory(t, func(t *testing.T, s Story) {
		stages, ended, followed := map[string]int{}, 0, 0
		for i, item := range s.Routine {
			stages[item.Stage]++
			ended += flag(item.End != "")
			followed += flag(item.Follows)
			if item.Follows && (i == 0 || s.Routine[i-1].End != item.Start || s.Routine[i-1].Stage != item.Stage) {
				t.Errorf("%q follows nothing", item.Title)
			}
			for _, day := range item.Done {
				if day < item.Start || day > s.Last || item.End != "" && day >= item.End ||
					!slices.Contains(item.Weekdays, day.Weekday()) {
					t.Errorf("%q was done on %s", item.Title, day)
				}
			}
		}
		if stages["pre"] < 3 || stages["during"] < 2 || stages["post"] < 3 || ended < 2 || followed != 1 {
			t.Errorf("stages %v, %d ended, %d follow", stages, ended, followed)
		}
		checkHistory(t, s)
	})
}

// checkHistory looks for streaks and gaps, and for the streak at the end.
func checkHistory(t *testing.T, s Story) {
	t.Helper()
	var whole, some, none, total int
	for day := s.First; day <= s.Last; day = day.AddDays(1) {
		done, due := doneOn(s, day)
		switch {
		case due == 0:
			continue
		case done == due:
			whole++
		case done == 0:
			none++
		default:
			some++
		}
		if total++; day.DaysUntil(s.Last) < streak && done < due {
			t.Errorf("%d of %d are done on %s, at the end of the story", done, due, day)
		}
	}
	if whole < total/4 || some < total/8 || none < total/30 {
		t.Errorf("of %d days %d are done, %d in part and %d not at all", total, whole, some, none)
	}
}

func doneOn(s Story, day journal.Day) (done, due int) {
	for _, item := range s.Routine {
		if day < item.Start || item.End != "" && day >= item.End || !slices.Contains(item.Weekdays, day.Weekday()) {
			continue
		}
		due++
		done += flag(slices.Contains(item.Done, day))
	}
	return done, due
}

func TestMissedTrades(t *testing.T) {
	eachStory(t, func(t *testing.T, s Story) {
		seen := map[string]int{}
		for i, m := range s.Missed {
			seen["reason "+m.Reason]++
			seen["outcome "+m.Outcome]++
			if i > 0 && m.At.Before(s.Missed[i-1].At.AddDate(0, 0, -2)) || m.Notes == "" || m.Symbol == "" {
				t.Errorf("%+v", m)
			}
			if !m.Entry.Valid {
				seen["without a plan"]++
				continue
			}
			if !isCoherent(m) {
				t.Errorf("%s: entry %s, stop %s, target %s", m.Symbol, m.Entry, m.Stop, m.Target)
			}
		}
		for _, what := range []string{
			"reason hesitated", "reason away", "reason rules", "reason other", "reason ",
			"outcome target", "outcome stop", "outcome no_trigger", "outcome unknown", "without a plan",
		} {
			if seen[what] < 2 {
				t.Errorf("%d of %s", seen[what], what)
			}
		}
	})
}

// isCoherent is the ledger's rule: the entry lies between stop and target.
func isCoherent(m Missed) bool {
	low, high := m.Stop, m.Target
	if !m.Long {
		low, high = m.Target, m.Stop
	}
	between := low.Decimal.Cmp(m.Entry.Decimal) < 0 && m.Entry.Decimal.Cmp(high.Decimal) < 0
	return between && low.Decimal.Cmp(decimal.Zero) > 0
}
