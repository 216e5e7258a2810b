package analytics

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
)

// generateSteadyTrades returns one trade a day with repeating results.
func generateSteadyTrades(days int, nets ...int64) []Trade {
	rows := make([]Trade, days)
	at := time.Date(2025, 1, 1, 15, 0, 0, 0, time.UTC)
	for i := range rows {
		net := decimal.New(nets[i%len(nets)])
		rows[i] = Trade{
			ID: journal.TradeID(fmt.Sprintf("t%04d", i)), Symbol: "AAA", OpenedAt: at, ClosedAt: at.Add(time.Hour), Net: net, Gross: net,
			EntryNotional: decimal.New(100),
		}
		at = at.AddDate(0, 0, 1)
	}
	return rows
}

func selectAll(rows []Trade) *Selection {
	return SelectTrades([]*Columns{BuildColumns("a", rows)}, Filter{})
}

func TestVerdicts(t *testing.T) {
	t.Parallel()
	strong := AssessEvidence(selectAll(generateSteadyTrades(300, 3, 3, -1)), time.UTC, 1)
	if !strong.Expectancy.Enough || strong.Expectancy.Missing != 0 || !strong.WinRate.Enough || !strong.ProfitFactor.Enough {
		t.Errorf("a clear edge in 300 trades: %+v", strong)
	}
	if low, high := strong.Expectancy.Low.Decimal.Float64(), strong.Expectancy.High.Decimal.Float64(); low > 5.0/3 || high < 5.0/3 || low < 1 || high > 2.2 {
		t.Errorf("the interval of the expectancy 5/3 is %v to %v", low, high)
	}
	weak := AssessEvidence(selectAll(generateSteadyTrades(60, 10, -10, 10, -10, 11, -10)), time.UTC, 1)
	if weak.Expectancy.Enough || weak.Expectancy.Missing < 1000 || weak.ProfitFactor.Verdict != weak.Expectancy.Verdict {
		t.Errorf("hardly an edge in 60 trades: %+v", weak.Expectancy)
	}
	even := AssessEvidence(selectAll(generateSteadyTrades(40, 1, -1)), time.UTC, 1)
	if even.Expectancy.Missing != maxMissing {
		t.Errorf("no edge at all: %+v", even.Expectancy)
	}
	few := AssessEvidence(selectAll(generateSteadyTrades(12, 3, 3, -1)), time.UTC, 1)
	if few.WinRate.Enough || few.WinRate.Missing < 18 || few.Expectancy.Missing != 18 {
		t.Errorf("a clear edge in 12 trades: %+v", few)
	}
	oneDay := generateSteadyTrades(40, 3, 3, -1)
	for i := range oneDay {
		oneDay[i].OpenedAt, oneDay[i].ClosedAt = oneDay[0].OpenedAt, oneDay[0].ClosedAt
	}
	if e := AssessEvidence(selectAll(oneDay), time.UTC, 1); e.Expectancy.Low.Valid || e.Expectancy.Missing != 360 || e.Days != 1 {
		t.Errorf("forty trades on one day: %+v", e)
	}
}

// The same trades and seed give the same interval; another seed gives one nearby.
func TestIntervalsAreDeterministic(t *testing.T) {
	t.Parallel()
	s := selectAll(generateTrades(2000))
	encode := func(seed uint64) string {
		text, err := json.Marshal(AssessEvidence(s, time.UTC, seed))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	once, twice, other := encode(7), encode(7), encode(8)
	if once != twice || once == other {
		t.Errorf("seed 7: %s\nseed 7: %s\nseed 8: %s", once, twice, other)
	}
}

// The mean's interval is about as wide as its standard error implies: the two are
// computed by different methods.
func TestIntervalsFitTheError(t *testing.T) {
	t.Parallel()
	rows, d := generateSteadyTrades(900, 1), splitMix64(2) // more days than blocks
	for i := range rows {
		rows[i].Net = decimal.New(int64(d.intn(101)) - 40)
	}
	s := selectAll(rows)
	days := tallyNetDays[int128](s, time.UTC)
	if len(days) <= evidenceBlocks {
		t.Fatalf("only %d days", len(days))
	}
	average, spread := meanError(days, s.scale)
	e := AssessEvidence(s, time.UTC, 1).Expectancy
	for _, bound := range []float64{average - e.Low.Decimal.Float64(), e.High.Decimal.Float64() - average} {
		if width := bound / spread; width < 1.6 || width > 2.4 {
			t.Errorf("a bound is %v standard errors off, want about 1.96", width)
		}
	}
}

func TestGroupDaysKeepsAllTrades(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		days := make([]dayNet[int128], rapid.IntRange(1, 900).Draw(t, "days"))
		for i := range days {
			days[i].addResult(newInt128(int64(i)-3), outcome(newInt128(int64(i)-3).sign()))
		}
		list := groupDays(days)
		var all tally[int128]
		for _, b := range list {
			if b.trades() == 0 {
				t.Fatal("an empty block")
			}
			all = all.plus(&b)
		}
		n := int64(len(days))
		if want := n*(n-1)/2 - 3*n; len(list) > evidenceBlocks || all.trades() != len(days) || toBig(all.net()).Int64() != want {
			t.Fatalf("%d blocks hold %d trades, %s", len(list), all.trades(), toBig(all.net()))
		}
	})
}

func TestHolm(t *testing.T) {
	t.Parallel()
	at := func(v float64) *float64 { return &v }
	got := correctByHolm([]*float64{at(0.04), nil, at(0.01), at(0.03), at(0.9)})
	// 0.01 × 4, 0.03 × 3, 0.04 × 2 raised to the one before, 0.9 × 1.
	for i, want := range []float64{0.09, math.NaN(), 0.04, 0.09, 0.9} {
		switch {
		case math.IsNaN(want):
			if got[i] != nil {
				t.Errorf("number %d has no p-value and became %v", i, *got[i])
			}
		case math.Abs(*got[i]-want) > 1e-15:
			t.Errorf("number %d is %v, want %v", i, *got[i], want)
		}
	}
	if got := correctByHolm([]*float64{at(0.6), at(0.7)}); *got[0] != 1 || *got[1] != 1 {
		t.Errorf("a probability beyond 1: %v, %v", *got[0], *got[1])
	}
}

func TestMeanError(t *testing.T) {
	t.Parallel()
	// Days with 2 and 1 trades that made 10 and 20: mean 10; off by -10 and 10.
	days := make([]dayNet[int128], 2)
	days[0].addResult(newInt128(4), win)
	days[0].addResult(newInt128(6), win)
	days[1].addResult(newInt128(20), win)
	average, spread := meanError(days, 0)
	if average != 10 || math.Abs(spread-math.Sqrt(2*200)/3) > 1e-15 {
		t.Errorf("mean %v ± %v", average, spread)
	}
	if p := pValue(1.959963984540054, 1); math.Abs(*p-0.05) > 1e-12 {
		t.Errorf("1.96 errors off has probability %v", *p)
	}
	if pValue(3, 0) != nil {
		t.Error("pValue is not nil for a standard error of 0")
	}
}

// Among many rows only the one with an edge is significant.
func TestPValuesAreCorrected(t *testing.T) {
	t.Parallel()
	var rows []Trade
	d := splitMix64(11)
	for symbol := range 20 {
		for i, row := range generateSteadyTrades(120, 1) {
			row.ID = journal.TradeID(fmt.Sprintf("%02d-%03d", symbol, i))
			row.Symbol = fmt.Sprintf("S%02d", symbol)
			row.Net = decimal.New(int64(d.intn(201)) - 100)
			if symbol == 7 {
				row.Net = row.Net.Add(decimal.New(30))
			}
			rows = append(rows, row)
		}
	}
	uncorrected := 0
	for _, row := range BreakDown(selectAll(rows), BreakdownQuery{By: BySymbol, Zone: time.UTC, Evidence: true}) {
		if row.Significant != (row.Key == "S07") {
			t.Errorf("%s: p %v, significant %v", row.Key, *row.PValue, row.Significant)
		}
		if e := row.Evidence; e.N != 120 || e.Days != 120 || !e.Expectancy.Low.Valid {
			t.Errorf("%s: %+v", row.Key, e)
		}
		if row.Evidence.Expectancy.Enough {
			uncorrected++
		}
	}
	if uncorrected < 1 {
		t.Error("the edge is not detected")
	}
}

func TestCompareFindsDifference(t *testing.T) {
	t.Parallel()
	a, b := selectAll(generateSteadyTrades(200, 5, 3, -1)), selectAll(generateSteadyTrades(200, 1, -1, -2))
	c := CompareSelections(a, b, time.UTC, Capital{}, Capital{})
	if !c.Difference.Significant || *c.Difference.PValue > 1e-6 {
		t.Errorf("clearly different: %+v", c.Difference)
	}
	if c := CompareSelections(a, a, time.UTC, Capital{}, Capital{}); c.Difference.Significant || *c.Difference.PValue != 1 {
		t.Errorf("the same: %+v", c.Difference)
	}
	if c := CompareSelections(a, selectAll(generateSteadyTrades(20, -9)), time.UTC, Capital{}, Capital{}); c.Difference.PValue != nil {
		t.Errorf("too few: %+v", c.Difference)
	}
}

func TestFuturesSpread(t *testing.T) {
	t.Parallel()
	s := selectAll(generateSteadyTrades(50, 10, -10))
	f := SimulateFutures(s, Simulation{Paths: 4000, Trades: 100, Capital: Capital{Starting: decimal.New(100)}, Seed: 3})
	last := f.Fan[len(f.Fan)-1]
	// A walk with 100 steps of 10 spreads with a deviation of 100.
	if mid := last.P50.Float64(); math.Abs(mid) > 20 {
		t.Errorf("the median future ends at %v", mid)
	}
	if low, high := last.P5.Float64(), last.P95.Float64(); math.Abs(low+164) > 25 || math.Abs(high-164) > 25 {
		t.Errorf("the futures end between %v and %v, want about ±164", low, high)
	}
	// Losing 50 means reaching -5 steps: twice the probability to end there or below.
	if math.Abs(*f.Ruin-0.62) > 0.05 || f.Trades != 100 || len(f.Fan) != fanSteps || last.Trade != 100 {
		t.Errorf("ruin %v after %d trades in %d steps", *f.Ruin, last.Trade, len(f.Fan))
	}
	again := SimulateFutures(s, Simulation{Paths: 4000, Trades: 100, Capital: Capital{Starting: decimal.New(100)}, Seed: 3})
	if !again.Fan[10].P25.Equal(f.Fan[10].P25) || *again.Ruin != *f.Ruin {
		t.Error("the same seed has a different result")
	}
	if f := SimulateFutures(s, Simulation{Paths: 1 << 30, Trades: 1 << 30, Seed: 1}.withDefaults(50)); f.Paths != MaxPaths || f.Trades != MaxFuture || f.Ruin != nil {
		t.Errorf("%d futures of %d trades, ruin %v", f.Paths, f.Trades, f.Ruin)
	}
}
