package analytics

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/parallel"
)

// chanceJournal returns a journal whose results depend on nothing: every group differs
// from the rest by chance only. Journals differ in how results vary.
func chanceJournal(number, trades int) []Trade {
	dice := rand.New(rand.NewPCG(uint64(number), 32))
	day := time.Date(2025, 1, 6, 0, 0, 0, 0, time.UTC)
	perDay, mood := 2+dice.IntN(6), 0.0
	rows := make([]Trade, trades)
	for i := range rows {
		if i%perDay == 0 {
			if day = day.AddDate(0, 0, 1); day.Weekday() == time.Saturday {
				day = day.AddDate(0, 0, 2)
			}
			mood = dice.NormFloat64() * float64(number%2) // a day's trades share a mood in every other journal
		}
		at := day.Add(time.Duration(13*60+30+i%perDay*55+dice.IntN(50)) * time.Minute)
		row := Trade{
			ID: journal.TradeID(fmt.Sprint("t", i)), Symbol: fmt.Sprint("S", dice.IntN(4)), InstrumentType: "stock", Side: Side(dice.IntN(2)), OpenedAt: at,
			ClosedAt: at.Add(time.Duration(dice.ExpFloat64()*1200) * time.Second), Net: decimal.FromScaled(int64(100*chanceResult(dice, number, mood)), 2),
			EntryNotional: decimal.New(int64(1000 + dice.IntN(9000))), Arrival: int64(i) + 1, InitialRisk: decimal.Of(decimal.New(100)),
		}
		row.Root, row.Instrument, row.Gross = row.Symbol, row.Symbol, row.Net
		row.Setups = [][]journal.SetupID{nil, {"breakout"}, {"pullback"}, {"gap", "pullback"}}[dice.IntN(4)]
		row.Tags = [][]journal.TagID{nil, {"calm"}, {"news"}, {"chased"}, {"chased", "calm"}}[dice.IntN(5)]
		rows[i] = row
	}
	return rows
}

// chanceResult draws a result: evenly distributed, few large wins and many small losses,
// and very large ones now and then.
func chanceResult(dice *rand.Rand, number int, mood float64) float64 {
	switch number % 3 {
	case 0:
		return 100*dice.NormFloat64() + 30*mood
	case 1:
		if dice.Float64()*10+mood > 7 {
			return 300
		}
		return -100
	}
	return 20*dice.NormFloat64()/math.Sqrt(dice.ExpFloat64()+0.01) + 10*mood
}

func findAll(rows []Trade) []Insight {
	return FindInsights([]*Columns{BuildColumns("a", rows)}, Filter{}, insightQuery(rows))
}

func insightQuery(rows []Trade) InsightQuery {
	q := InsightQuery{Zone: time.UTC, Mistakes: []journal.TagID{"chased"}, Limit: 10, Seed: Seed}
	var broken, late []journal.TradeID
	for i := range rows {
		if i%3 == 0 {
			broken = append(broken, rows[i].ID)
		}
		if i%7 < 2 {
			late = append(late, rows[i].ID)
		}
	}
	q.Rules = []BrokenRule{{"Wait", NewTradeIDs(broken)}, {"Small", NewTradeIDs(late)}}
	q.AnyRule = NewTradeIDs(append(broken, late...))
	return q
}

// TestChanceClaimsNothing searches 500 journals without any effect. At most one in twenty
// may claim something.
func TestChanceClaimsNothing(t *testing.T) {
	t.Parallel()
	const journals = 500
	var claims [2]int
	search := func(half int) {
		for number := half; number < journals; number += 2 {
			if found := findAll(chanceJournal(number, 200+number%5*100)); len(found) > 0 {
				claims[half]++
			}
		}
	}
	parallel.Run(func() { search(0) }, func() { search(1) })
	if all := claims[0] + claims[1]; all > journals/20 {
		t.Errorf("%d of %d journals claim something", all, journals)
	} else {
		t.Logf("%d of %d journals claim something", all, journals)
	}
}

// TestPlantedEffectsAreFound changes the results of one group in journals of chance.
func TestPlantedEffectsAreFound(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind InsightKind
		key  string
		has  func(row *Trade) bool
	}{
		{"weekday", "5", func(row *Trade) bool { return row.OpenedAt.Weekday() == time.Friday }},
		{"setup", "breakout", func(row *Trade) bool { return len(row.Setups) > 0 && row.Setups[0] == "breakout" }},
		{"mistake", "chased", func(row *Trade) bool { return len(row.Tags) > 0 && row.Tags[0] == "chased" }},
		{"root", "S1", func(row *Trade) bool { return row.Root == "S1" }},
	} {
		rows := chanceJournal(6, 600)
		n, sum := 0, decimal.Zero
		for i := range rows {
			if c.has(&rows[i]) {
				n++
				rows[i].Net = rows[i].Net.Sub(decimal.New(80))
			}
			sum = sum.Add(rows[i].Net)
		}
		found := findAll(rows)
		if len(found) == 0 || found[0].Kind != c.kind || found[0].Key != c.key {
			t.Errorf("%s %s is not the first of %+v", c.kind, c.key, found)
			continue
		}
		if first := found[0]; first.Effect.Sign() > 0 || first.Interval.High.Decimal.Sign() >= 0 || first.PValue >= 0.05 || first.EffectR == nil {
			t.Errorf("%s %s has %+v", c.kind, c.key, first)
		}
	}
}

// TestResultsAreNoGroups: a tag on winners only is no candidate, however clear.
func TestResultsAreNoGroups(t *testing.T) {
	t.Parallel()
	rows := chanceJournal(6, 600)
	for i := range rows {
		rows[i].Tags = nil
		if rows[i].Net.Sign() > 0 && i%2 == 0 {
			rows[i].Tags = []journal.TagID{"chased"}
		}
	}
	if found := findAll(rows); len(found) > 0 {
		t.Errorf("found %+v", found)
	}
}

// TestStudentTail compares with values from tables.
func TestStudentTail(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ t, freedom, want float64 }{
		{12.706, 1, 0.05},
		{2.262, 9, 0.05},
		{-2.262, 9, 0.05},
		{4.781, 9, 0.001},
		{2.750, 30, 0.01},
		{3.390, 100, 0.001},
		{0, 5, 1},
		{1.962, 1000, 0.05},
		{1.960, 9999, 0.05},
		{1.960, 20_000, 0.05},
	} {
		if got := studentTail(c.t, c.freedom); math.Abs(got-c.want) > 0.005*c.want+1e-6 {
			t.Errorf("the tail of %v with %v degrees is %v, want %v", c.t, c.freedom, got, c.want)
		}
	}
}
