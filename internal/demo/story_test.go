package demo

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"fillbook/internal/decimal"
	"fillbook/internal/journal"
	"fillbook/internal/matching"
)

// lastDays are ends of the story that differ in weekday and season. More of
// them would cost more than they find.
var lastDays = []journal.Day{"2026-03-10", "2025-11-15"}

// told are the stories of lastDays; to compose them is what takes the time.
var told = sync.OnceValue(func() map[journal.Day]Story {
	stories := map[journal.Day]Story{}
	for _, last := range lastDays {
		stories[last] = Compose(last)
	}
	return stories
})

// eachStory runs fn on each of the stories.
func eachStory(t *testing.T, fn func(t *testing.T, s Story)) {
	t.Helper()
	t.Parallel()
	for last, story := range told() {
		t.Run(string(last), func(t *testing.T) {
			t.Parallel()
			fn(t, story)
		})
	}
}

func TestTheSameDayGivesTheSameStory(t *testing.T) {
	t.Parallel()
	last := lastDays[0]
	first, err := json.Marshal(told()[last])
	if err != nil {
		t.Fatal(err)
	}
	second, err := json.Marshal(Compose(last))
	if err != nil || string(first) != string(second) {
		t.Errorf("two stories of %s differ (%d and %d bytes, %v)", last, len(first), len(second), err)
	}
	other, err := json.Marshal(told()[lastDays[1]])
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
		case noteLog:
			logs++
		case noteReview:
			reviews++
		default:
			notes++
		}
	}
	return logs, reviews, notes
}

// tradesIn groups the fills of an account, by the fill that opens each.
func tradesIn(a Account) map[string]matching.Trade {
	type stream struct{ symbol, right, strike, expiry string }
	streams := map[stream][]*Execution{}
	for i, f := range a.Fills {
		key := stream{f.Symbol, f.Contract.Right, f.Contract.Strike.String(), string(f.Contract.Expiry)}
		streams[key] = append(streams[key], &a.Fills[i])
	}
	trades := map[string]matching.Trade{}
	for _, fills := range streams {
		for _, t := range group(fills) {
			trades[t.Parts[0].FillID] = t
		}
	}
	return trades
}

func TestFillsAreSound(t *testing.T) {
	eachStory(t, func(t *testing.T, s Story) {
		for _, a := range s.Accounts {
			ids := map[string]bool{}
			for i, f := range a.Fills {
				if ids[f.ID] || f.ID == "" || i > 0 && f.At.Before(a.Fills[i-1].At) {
					t.Fatalf("%s: fill %s is out of order or named twice", a.Name, f.ID)
				}
				ids[f.ID] = true
				checkFill(t, s, f)
			}
		}
	})
}

func checkFill(t *testing.T, s Story, f Execution) {
	t.Helper()
	if f.Quantity.Sign() <= 0 || f.Fees.Sign() < 0 || f.Commission.Sign() < 0 {
		t.Errorf("%s: quantity %s, fees %s, commission %s", f.ID, f.Quantity, f.Fees, f.Commission)
	}
	if f.Price.Sign() < 0 || f.Price.IsZero() && f.Kind != kindOption {
		t.Errorf("%s: price %s", f.ID, f.Price)
	}
	if f.At.Before(s.First.Time().AddDate(0, 0, -1)) || f.At.After(s.Last.Time().Add(dayEnds*time.Hour)) {
		t.Errorf("%s: %s is not in the story", f.ID, f.At)
	}
	if tick := tickOf(t, f); !isMultiple(f.Price, tick) {
		t.Errorf("%s: %s at %s is not on a tick of %s", f.ID, f.Symbol, f.Price, tick)
	}
	if f.Kind != kindCrypto && f.Quantity.Scale() > 0 || f.Quantity.Scale() > 8 {
		t.Errorf("%s: quantity %s of a %s", f.ID, f.Quantity, f.Kind)
	}
	if isOption := f.Kind == kindOption; isOption != (f.Contract.Expiry != "") {
		t.Errorf("%s: contract %+v of a %s", f.ID, f.Contract, f.Kind)
	} else if isOption && (!isTradingDay(f.Contract.Expiry) || journal.DayOf(f.At) > f.Contract.Expiry) {
		t.Errorf("%s: filled at %s, expires on %s", f.ID, f.At, f.Contract.Expiry)
	}
	checkHours(t, f)
}

// checkHours checks that each market is open.
func checkHours(t *testing.T, f Execution) {
	t.Helper()
	local := f.At.In(newYork)
	clock := local.Hour()*60 + local.Minute()
	switch f.Kind {
	case kindStock, kindOption:
		day := journal.DayOf(local)
		if open := 9*60 + 30; !isTradingDay(day) || clock < open || clock >= open+minutesOpen(day) {
			t.Errorf("%s: the exchange is closed at %s", f.ID, local)
		}
	case kindFuture:
		weekend := local.Weekday() == time.Saturday || local.Weekday() == time.Sunday && clock < 18*60
		if weekend || clock >= 17*60 && clock < 18*60 {
			t.Errorf("%s: the exchange is closed at %s", f.ID, local)
		}
	}
}

func tickOf(t *testing.T, f Execution) decimal.Decimal {
	t.Helper()
	switch {
	case f.Kind == kindStock, f.Kind == kindOption && f.Price.Cmp(decimal.New(3)) < 0, strings.HasPrefix(f.Symbol, "CL"):
		return decimal.Must("0.01")
	case f.Kind == kindOption:
		return decimal.Must("0.05")
	case f.Kind == kindFuture:
		return decimal.Must("0.25")
	case f.Symbol == "BTC-USD":
		return decimal.Must("0.1")
	case f.Symbol == "ETH-USD":
		return decimal.Must("0.01")
	}
	t.Fatalf("%s is a %s of unknown tick", f.Symbol, f.Kind)
	return decimal.Zero
}

func isMultiple(d, step decimal.Decimal) bool { return d.DivRound(step, 0).Mul(step).Equal(d) }

// Everything that a journal must be able to show is in the story.
func TestTheStoryHasEverything(t *testing.T) {
	eachStory(t, func(t *testing.T, s Story) {
		kinds, open, seen := map[string]bool{}, 0, map[string]bool{}
		for _, a := range s.Accounts {
			for _, f := range a.Fills {
				kinds[f.Kind] = true
				seen["fraction"] = seen["fraction"] || f.Quantity.Scale() > 5
				seen["expired worthless"] = seen["expired worthless"] || f.Price.IsZero()
			}
			for _, trade := range tradesIn(a) {
				if !trade.IsClosed() {
					open++
				}
				note(seen, trade)
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

// note keeps what can be said of a trade.
func note(seen map[string]bool, trade matching.Trade) {
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
		types, linked := map[string]int{}, 0
		for _, a := range s.Accounts {
			trades := tradesIn(a)
			for i, c := range a.Cash {
				types[c.Type]++
				out := c.Type == cashWithdrawal || c.Type == cashFee
				if c.Amount.IsZero() || out && c.Amount.Sign() > 0 || c.Amount.Scale() > 2 ||
					i > 0 && c.At.Before(a.Cash[i-1].At) || c.At.After(s.Last.Time().Add(dayEnds*time.Hour)) {
					t.Errorf("%s: %+v", a.Name, c)
				}
				if c.Opening == "" {
					continue
				}
				linked++
				if trade, ok := trades[c.Opening]; !ok || c.At.UnixMicro() < trade.OpenedAt() {
					t.Errorf("%s on %s belongs to no trade of then", c.Note, c.At)
				}
			}
		}
		for _, kind := range []string{cashDeposit, cashWithdrawal, cashFee, cashDividend, cashInterest} {
			if types[kind] < 3 {
				t.Errorf("%d rows of %s", types[kind], kind)
			}
		}
		if linked != types[cashDividend] {
			t.Errorf("%d of %d dividends belong to a trade", linked, types[cashDividend])
		}
	})
}
