package demo

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
)

// lastDays are story ends in different weekdays and seasons. More would cost more than
// they find.
var lastDays = []journal.Day{"2026-03-10", "2025-11-15"}

// stories returns the stories for lastDays. They are composed once, because it is slow.
var stories = sync.OnceValue(func() map[journal.Day]Story {
	byDay := map[journal.Day]Story{}
	for _, last := range lastDays {
		byDay[last] = Compose(last)
	}
	return byDay
})

// eachStory runs fn on each story.
func eachStory(t *testing.T, fn func(t *testing.T, s Story)) {
	t.Helper()
	t.Parallel()
	for last, story := range stories() {
		t.Run(string(last), func(t *testing.T) {
			t.Parallel()
			fn(t, story)
		})
	}
}

func TestTheSameDayGivesTheSameStory(t *testing.T) {
	t.Parallel()
	last := lastDays[0]
	first, err := json.Marshal(stories()[last])
	if err != nil {
		t.Fatal(err)
	}
	second, err := json.Marshal(Compose(last))
	if err != nil || string(first) != string(second) {
		t.Errorf("two stories of %s differ (%d and %d bytes, %v)", last, len(first), len(second), err)
	}
	other, err := json.Marshal(stories()[lastDays[1]])
	if err != nil || string(other) == string(first) {
		t.Errorf("another day gives the same story (%v)", err)
	}
}

func TestSizeOfTheStory(t *testing.T) {
	eachStory(t, func(t *testing.T, s Story) {
		fills, annotations, pictures, trades := 0, 0, 0, 0
		for _, a := range s.Accounts {
			fills, annotations, pictures = fills+len(a.Fills), annotations+len(a.Annotations), pictures+len(a.Pictures)
			trades += len(tradesIn(a))
		}
		logs, reviews, notes := countNotes(s)
		for _, c := range []struct {
			what           string
			got, low, high int
		}{
			{"accounts", len(s.Accounts), 3, 3},
			{"fills", fills, 2500, 4000},
			{"trades", trades, 1050, 1300},
			{"annotations", annotations, trades * 9 / 10, trades},
			{"pictures", pictures, 8, 15},
			{"setups", len(s.Setups), 6, 8},
			{"tags", len(s.Tags), 12, 20},
			{"missed trades", len(s.Missed), 38, 48},
			{"daily logs", logs, 250, 450},
			{"weekly reviews", reviews, 60, 104},
			{"notes", notes, 10, 20},
			{"routine items", len(s.Routine), 9, 12},
			{"days", s.First.DaysUntil(s.Last), 729, 730},
		} {
			if c.got < c.low || c.got > c.high {
				t.Errorf("%d %s, want %d to %d", c.got, c.what, c.low, c.high)
			}
		}
	})
}

func countNotes(s Story) (logs, reviews, notes int) {
	for _, n := range s.Notes {
		switch n.Type {
		case "daily_log":
			logs++
		case "weekly_review":
			reviews++
		default:
			notes++
		}
	}
	return logs, reviews, notes
}

// tradesIn groups an account's fills, by each trade's opening fill.
func tradesIn(a Account) map[string]matching.Trade {
	streams := map[string][]*ledger.NewFill{}
	for i, f := range a.Fills {
		key := fmt.Sprint(f.Symbol, f.Details["option_right"], f.Details["strike"], f.Details["expiry"])
		streams[key] = append(streams[key], &a.Fills[i])
	}
	trades := map[string]matching.Trade{}
	for _, fills := range streams {
		for _, t := range groupTrades(fills) {
			trades[t.Parts[0].FillID] = t
		}
	}
	return trades
}

func TestFillsAreValid(t *testing.T) {
	eachStory(t, func(t *testing.T, s Story) {
		for _, a := range s.Accounts {
			ids := map[string]bool{}
			for i, f := range a.Fills {
				if ids[f.ExternalID] || f.ExternalID == "" || i > 0 && f.ExecutedAt.Before(a.Fills[i-1].ExecutedAt) {
					t.Fatalf("%s: fill %s is out of order or named twice", a.Name, f.ExternalID)
				}
				ids[f.ExternalID] = true
				checkFill(t, s, f)
			}
		}
	})
}

func checkFill(t *testing.T, s Story, f ledger.NewFill) {
	t.Helper()
	if f.Quantity.Sign() <= 0 || f.Fees.Sign() < 0 || f.Commission.Sign() < 0 {
		t.Errorf("%s: quantity %s, fees %s, commission %s", f.ExternalID, f.Quantity, f.Fees, f.Commission)
	}
	if f.Price.Sign() < 0 || f.Price.IsZero() && f.InstrumentType != "option" {
		t.Errorf("%s: price %s", f.ExternalID, f.Price)
	}
	if f.ExecutedAt.Before(s.First.Time().AddDate(0, 0, -1)) || f.ExecutedAt.After(s.Last.Time().Add(dayEnds*time.Hour)) {
		t.Errorf("%s: %s is not in the story", f.ExternalID, f.ExecutedAt)
	}
	if tick := tickOf(t, f); !isMultiple(f.Price, tick) {
		t.Errorf("%s: %s at %s is not on a tick of %s", f.ExternalID, f.Symbol, f.Price, tick)
	}
	if f.InstrumentType != "crypto" && f.Quantity.Scale() > 0 || f.Quantity.Scale() > 8 {
		t.Errorf("%s: quantity %s of a %s", f.ExternalID, f.Quantity, f.InstrumentType)
	}
	expiry := journal.Day(f.Details["expiry"])
	if isOption := f.InstrumentType == "option"; isOption != (expiry != "") {
		t.Errorf("%s: details %v of a %s", f.ExternalID, f.Details, f.InstrumentType)
	} else if isOption && (!isTradingDay(expiry) || journal.DayOf(f.ExecutedAt) > expiry) {
		t.Errorf("%s: filled at %s, expires on %s", f.ExternalID, f.ExecutedAt, expiry)
	}
	checkHours(t, f)
}

// checkHours checks that each market is open.
func checkHours(t *testing.T, f ledger.NewFill) {
	t.Helper()
	local := f.ExecutedAt.In(newYork)
	clock := local.Hour()*60 + local.Minute()
	switch f.InstrumentType {
	case "stock", "option":
		day := journal.DayOf(local)
		if open := 9*60 + 30; !isTradingDay(day) || clock < open || clock >= open+390 {
			t.Errorf("%s: the exchange is closed at %s", f.ExternalID, local)
		}
	case "future":
		weekend := local.Weekday() == time.Saturday || local.Weekday() == time.Sunday && clock < 18*60
		if weekend || clock >= 17*60 && clock < 18*60 {
			t.Errorf("%s: the exchange is closed at %s", f.ExternalID, local)
		}
	}
}

func tickOf(t *testing.T, f ledger.NewFill) decimal.Decimal {
	t.Helper()
	switch {
	case f.InstrumentType == "stock", f.InstrumentType == "option", strings.HasPrefix(f.Symbol, "CL"):
		return decimal.Must("0.01")
	case f.InstrumentType == "future":
		return decimal.Must("0.25")
	case f.Symbol == "BTC-USD":
		return decimal.Must("0.1")
	case f.Symbol == "ETH-USD":
		return decimal.Must("0.01")
	}
	t.Fatalf("%s is a %s of unknown tick", f.Symbol, f.InstrumentType)
	return decimal.Zero
}

func isMultiple(d, step decimal.Decimal) bool { return d.DivRound(step, 0).Mul(step).Equal(d) }

// Everything a journal must be able to show is in the story.
func TestTheStoryHasEverything(t *testing.T) {
	eachStory(t, func(t *testing.T, s Story) {
		kinds, open, seen := map[string]bool{}, 0, map[string]bool{}
		for _, a := range s.Accounts {
			for _, f := range a.Fills {
				kinds[f.InstrumentType] = true
				seen["fraction"] = seen["fraction"] || f.Quantity.Scale() > 5
				seen["expired worthless"] = seen["expired worthless"] || f.Price.IsZero()
			}
			for _, trade := range tradesIn(a) {
				if !trade.IsClosed() {
					open++
				}
				recordProperties(seen, trade)
			}
		}
		if len(kinds) != 4 || open < 4 || open > 12 {
			t.Errorf("kinds %v, %d open positions", slices.Sorted(maps.Keys(kinds)), open)
		}
		for _, what := range []string{
			"long", "short", "flip", "scaled in", "scaled out", "held for days", "over in minutes", "fraction",
		} {
			if !seen[what] {
				t.Errorf("there is nothing that was %s", what)
			}
		}
	})
}

// recordProperties records a trade's properties.
func recordProperties(seen map[string]bool, trade matching.Trade) {
	seen[string(trade.Direction)] = true
	seen["flip"] = seen["flip"] || trade.Head.Consumed.Sign() > 0
	roles := map[matching.Role]int{}
	for _, p := range trade.Parts {
		roles[p.Role]++
	}
	seen["scaled in"] = seen["scaled in"] || roles[matching.Opening] > 2
	seen["scaled out"] = seen["scaled out"] || roles[matching.Closing] > 2
	if at, closed := trade.ClosedAt(); closed {
		held := time.Duration(at-trade.OpenedAt()) * time.Microsecond
		seen["held for days"] = seen["held for days"] || held > 72*time.Hour
		seen["over in minutes"] = seen["over in minutes"] || held < 10*time.Minute
	}
}

func TestCash(t *testing.T) {
	eachStory(t, func(t *testing.T, s Story) {
		types, linked := map[ledger.CashType]int{}, 0
		for _, a := range s.Accounts {
			trades := tradesIn(a)
			for i, c := range a.Cash {
				types[c.Type]++
				out := c.Type == ledger.Withdrawal || c.Type == ledger.Fee
				if c.Amount.IsZero() || out && c.Amount.Sign() > 0 || c.Amount.Scale() > 2 ||
					i > 0 && c.OccurredAt.Before(a.Cash[i-1].OccurredAt) || c.OccurredAt.After(s.Last.Time().Add(dayEnds*time.Hour)) {
					t.Errorf("%s: %+v", a.Name, c)
				}
				if c.Opening == "" {
					continue
				}
				linked++
				if trade, ok := trades[c.Opening]; !ok || c.OccurredAt.UnixMicro() < trade.OpenedAt() {
					t.Errorf("%s on %s belongs to no trade of then", c.Note, c.OccurredAt)
				}
			}
		}
		for _, kind := range []ledger.CashType{ledger.Deposit, ledger.Withdrawal, ledger.Fee, ledger.Dividend, ledger.Interest} {
			if types[kind] < 3 {
				t.Errorf("%d rows of %s", types[kind], kind)
			}
		}
		if linked != types[ledger.Dividend] {
			t.Errorf("%d of %d dividends belong to a trade", linked, types[ledger.Dividend])
		}
	})
}
