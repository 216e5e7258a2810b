package analytics

import (
	"encoding/json"
	"math"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
)

func TestSummaryEdges(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"no trades": `
			set starting=100
			summary.total_trades = 0
			summary.win_rate = 0
			summary.net_pnl = 0
			summary.profit_factor = null
			summary.payoff_ratio = null
			summary.kelly_pct = null
			summary.sqn = null
			summary.std_dev = 0
			summary.sharpe = null
			summary.sortino = null
			summary.max_drawdown = 0
			summary.max_drawdown_pct = null
			summary.avg_r = null
			summary.avg_hold_secs = 0
			summary.trading_days = 0
			daily.len = 0
			drawdowns.len = 0
			by_symbol.len = 0
			by_size.len = 0
			r.avg_r = null
			r.median_r = null
			behavior.trades = 0
			behavior.by_hour.len = 24
			behavior.by_weekday.len = 7
			behavior.by_session.len = 4
			behavior.by_hold_time.len = 8
			behavior.streaks.current_kind =
			behavior.revenge.insufficient_data = true
			evidence.n = 0
			evidence.expectancy.low = null
			evidence.expectancy.missing = 30
			montecarlo.fan.len = 0
			share.equity.len = 0
			share.first_day =
			calendar.days.len = 0`,
		"one win": `
			trade a AAA long 2026-01-05T10:00 2026-01-05T10:00 net=7 risk=2
			set starting=100
			summary.win_rate = 1
			summary.profit_factor = null
			summary.payoff_ratio = null
			summary.std_dev = 0
			summary.sqn = null
			summary.sharpe = null
			summary.median_trade = 7
			summary.median_loss = 0
			summary.largest_loss = 0
			summary.max_drawdown_pct = 0
			summary.avg_hold_secs = 0
			summary.avg_r = 3.5
			r.std_dev_r = 0
			r.sqn_r = null
			evidence.expectancy.missing = 29
			evidence.expectancy.high = null`,
		"one loss": `
			trade a AAA long 2026-01-05T10:00 2026-01-05T10:01 net=-7
			summary.win_rate = 0
			summary.profit_factor = 0
			summary.payoff_ratio = null
			summary.kelly_pct = null
			summary.max_drawdown = 7
			summary.max_drawdown_pct = null
			summary.sortino = null
			summary.basis = money
			drawdowns.0.peak_at = null
			drawdowns.0.depth_pct = null`,
		"all breakeven": `
			trade a AAA long 2026-01-05T10:00 2026-01-05T10:01 net=0 fees=1
			trade b AAA long 2026-01-06T10:00 2026-01-06T10:01 net=0
			summary.breakeven = 2
			summary.win_rate = 0
			summary.profit_factor = null
			summary.gross_pnl = 1
			summary.std_dev = 0
			summary.sharpe = null
			summary.max_drawdown = 0
			summary.max_drawdown_pct = null
			share.equity.1.value = 0
			share.green_days = 0`,
		"equal results have no deviation, exactly": `
			trade a AAA long 2026-01-05T10:00 2026-01-05T10:01 net=0.1
			trade b AAA long 2026-01-06T10:00 2026-01-06T10:01 net=0.1
			trade c AAA long 2026-01-07T10:00 2026-01-07T10:01 net=0.1
			summary.std_dev = 0
			summary.sqn = null
			summary.sharpe = null
			summary.net_pnl = 0.3`,
		"no losses": `
			trade a AAA long 2026-01-05T10:00 2026-01-05T10:01 net=1
			trade b AAA long 2026-01-06T10:00 2026-01-06T10:01 net=2
			summary.profit_factor = null
			summary.avg_loss = 0
			summary.kelly_pct = null
			summary.max_drawdown_pct = null
			summary.median_trade = 1.5
			evidence.profit_factor.low = null`,
		"equal closes go by their opening": `
			trade a AAA long 2026-01-05T10:01 2026-01-05T11:00 net=-5
			trade b AAA long 2026-01-05T10:02 2026-01-05T11:00 net=4
			trade c AAA long 2026-01-05T10:00 2026-01-05T11:00 net=4
			summary.max_consecutive_wins = 1
			summary.max_drawdown = 5`,
		"then by symbol": `
			trade a BBB long 2026-01-05T10:00 2026-01-05T11:00 net=-5
			trade b CCC long 2026-01-05T10:00 2026-01-05T11:00 net=4
			trade c AAA long 2026-01-05T10:00 2026-01-05T11:00 net=4
			summary.max_consecutive_wins = 1
			summary.max_drawdown = 5`,
		"then by the account's name": `
			trade a AAA long 2026-01-05T10:00 2026-01-05T11:00 net=-5 account=b external=1
			trade b AAA long 2026-01-05T10:00 2026-01-05T11:00 net=4 account=c
			trade c AAA long 2026-01-05T10:00 2026-01-05T11:00 net=4 account=a external=9
			summary.max_consecutive_wins = 1
			summary.max_drawdown = 5`,
		"then by the first fill's id, absent first": `
			trade a AAA long 2026-01-05T10:00 2026-01-05T11:00 net=-5 external=1
			trade b AAA long 2026-01-05T10:00 2026-01-05T11:00 net=4 external=10
			trade c AAA long 2026-01-05T10:00 2026-01-05T11:00 net=4
			summary.max_consecutive_wins = 1
			summary.max_drawdown = 5`,
		"at last by arrival": `
			trade c AAA long 2026-01-05T10:00 2026-01-05T11:00 net=4
			trade b AAA long 2026-01-05T10:00 2026-01-05T11:00 net=-5
			trade a AAA long 2026-01-05T10:00 2026-01-05T11:00 net=4
			summary.max_consecutive_wins = 1
			summary.max_drawdown = 5`,
		"medians of even numbers are exact": `
			trade a AAA long 2026-01-05T10:00 2026-01-05T11:00 net=0.000000000000000001
			trade b AAA long 2026-01-05T10:00 2026-01-05T11:00 net=0.000000000000000002
			trade c AAA long 2026-01-05T10:00 2026-01-05T11:00 net=-1
			trade d AAA long 2026-01-05T10:00 2026-01-05T11:00 net=-2
			summary.median_win = 0.0000000000000000015
			summary.median_loss = 1.5
			summary.median_trade = -0.4999999999999999995`,
		"averages that terminate are given in full up to 18 decimals": `
			trade a AAA long 2026-01-05T10:00 2026-01-05T11:00 net=0.000000000001
			trade b AAA long 2026-01-05T10:00 2026-01-05T11:00 net=0
			summary.avg_trade = 0.0000000000005
			summary.avg_win = 0.000000000001`,
		"beyond 18 decimals they are rounded half to even": `
			trade a AAA long 2026-01-05T10:00 2026-01-05T11:00 net=0.000000000000000003
			trade b AAA long 2026-01-05T10:00 2026-01-05T11:00 net=0
			summary.avg_trade = 0.000000000000000002
			summary.expectancy = 0.000000000000000002`,
		"averages that do not terminate are rounded half to even at 12 decimals": `
			trade a AAA long 2026-01-05T10:00 2026-01-05T11:00 net=2
			trade b AAA long 2026-01-05T10:00 2026-01-05T11:00 net=0
			trade c AAA long 2026-01-05T10:00 2026-01-05T11:00 net=0
			summary.avg_trade = 0.666666666667
			summary.avg_win = 2`,
		"numbers beyond 128 bits": `
			trade a AAA long 2026-01-05T10:00 2026-01-05T11:00 net=123456789012345678901234567890.123456789012345678
			trade b AAA long 2026-01-05T12:00 2026-01-05T13:00 net=-123456789012345678901234567890.123456789012345677
			summary.net_pnl = 0.000000000000000001
			summary.max_drawdown = 123456789012345678901234567890.123456789012345677
			daily.0.net_pnl = 0.000000000000000001
			by_size.0.trades = 2`,
		"a zero risk is no risk": `
			trade a AAA long 2026-01-05T10:00 2026-01-05T11:00 net=5 risk=0
			summary.trades_with_r = 0
			summary.avg_r = null
			r.buckets.0.trades = 0`,
		"several accounts": `
			trade a AAA long 2026-01-05T10:00 2026-01-05T11:00 net=10 account=one
			trade b AAA long 2026-01-05T10:30 2026-01-05T10:45 net=-4 account=two
			trade c BBB long 2026-01-05T10:00 2026-01-05T12:00 net=-7.5 account=two
			set starting=0
			summary.net_pnl = -1.5
			summary.max_drawdown = 7.5
			drawdowns.0.depth = 7.5
			drawdowns.1.depth = 4
			by_symbol.0.net_pnl = 6
			by_account.0.net_pnl = 10
			by_account.1.net_pnl = -11.5`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runScenario(t, text)
		})
	}
}

// The summary equals a direct computation in decimals.
func TestSummaryMatchesItsDefinition(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rows := sortRowsByClosing(anyTrades(30).Draw(t, "rows"))
		got := Summarize(SelectTrades([]*Columns{BuildColumns("a", rows)}, Filter{}), Capital{Starting: decimal.New(5)})
		var nets, wins, losses []decimal.Decimal
		level, peak, deepest := decimal.Zero, decimal.Zero, decimal.Zero
		for _, row := range rows {
			nets = append(nets, row.Net)
			switch row.Net.Sign() {
			case 1:
				wins = append(wins, row.Net)
			case -1:
				losses = append(losses, row.Net.Neg())
			}
			level = level.Add(row.Net)
			peak = decimal.Max(peak, level)
			deepest = decimal.Max(deepest, peak.Sub(level))
		}
		for name, c := range map[string][2]decimal.Decimal{
			"net": {got.NetPnL, decimal.Sum(nets...)}, "profit": {got.GrossProfit, decimal.Sum(wins...)}, "loss": {got.GrossLoss, decimal.Sum(losses...)},
			"median": {got.MedianTrade, plainMedian(nets)}, "median win": {got.MedianWin, plainMedian(wins)}, "median loss": {got.MedianLoss, plainMedian(losses)},
			"largest win": {got.LargestWin, greatest(wins)}, "largest loss": {got.LargestLoss, greatest(losses)}, "drawdown": {got.MaxDrawdown, deepest},
			"average": {got.AvgTrade, mean(decimal.Sum(nets...), len(nets))},
		} {
			if !c[0].Equal(c[1]) {
				t.Fatalf("%s is %s, want %s", name, c[0], c[1])
			}
		}
		if list := ListDrawdowns(SelectTrades([]*Columns{BuildColumns("a", rows)}, Filter{}), Capital{}, 1); len(list) > 0 && !list[0].Depth.Equal(deepest) {
			t.Fatalf("the deepest of the list is %s, want %s", list[0].Depth, deepest)
		}
	})
}

func plainMedian(list []decimal.Decimal) decimal.Decimal {
	if len(list) == 0 {
		return decimal.Zero
	}
	sorted := slices.SortedFunc(slices.Values(list), decimal.Decimal.Cmp)
	return sorted[(len(sorted)-1)/2].Add(sorted[len(sorted)/2]).Mul(decimal.Must("0.5"))
}

func greatest(list []decimal.Decimal) decimal.Decimal {
	most := decimal.Zero
	for _, d := range list {
		most = decimal.Max(most, d)
	}
	return most
}

// TestEveryFigureIsExplained requires a figure's inputs to be figures used in its
// formula, and its explained value to be the summary's.
func TestEveryFigureIsExplained(t *testing.T) {
	t.Parallel()
	s := SelectTrades([]*Columns{BuildColumns("a", generateTrades(200))}, Filter{})
	capital := Capital{Starting: decimal.New(1000), Currency: "USD"}
	whole := Summarize(s, capital)
	summary := toJSON(t, whole).(map[string]any)
	for _, explained := range ExplainSummary(s, capital, &whole) {
		name := explained.Figure
		if got, want := toJSON(t, explained.Value), summary[name]; got != want {
			t.Errorf("%s is explained as %v and is %v", name, got, want)
		}
		for _, input := range explained.Inputs {
			if _, known := summary[input.Name]; !known && input.Name != "starting_balance" {
				t.Errorf("%s has the input %s, which is not a figure", name, input.Name)
			}
			if input.Name != "starting_balance" && !strings.Contains(explained.Formula, input.Name) &&
				!slices.Contains([]string{"trading_days", "trades_with_r", "wins", "losses", "total_trades"}, input.Name) {
				t.Errorf("the formula of %s does not use %s", name, input.Name)
			}
		}
	}
}

// TestExplanationsAddUp evaluates formulas with two inputs, and adds up the trades behind
// sums.
func TestExplanationsAddUp(t *testing.T) {
	t.Parallel()
	rows := generateTrades(maxExplainedIDs)
	s := SelectTrades([]*Columns{BuildColumns("a", rows)}, Filter{})
	byID := map[journal.TradeID]Trade{}
	for _, row := range rows {
		byID[row.ID] = row
	}
	float := func(value any) float64 {
		number, _ := toJSON(t, value).(json.Number)
		f, err := number.Float64()
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	simple := regexp.MustCompile(`^(\w+) ([-/]) (\w+)$`)
	net, gross, fees := func(r Trade) decimal.Decimal { return r.Net }, func(r Trade) decimal.Decimal { return r.Gross }, func(r Trade) decimal.Decimal { return r.Fees }
	sums := map[string]func(Trade) decimal.Decimal{
		"net_pnl": net, "gross_pnl": gross, "total_fees": fees, "gross_profit": net, "gross_loss": net, "largest_win": net, "largest_loss": net, "max_drawdown": net,
	}
	for name, e := range explainByFigure(s) {
		if parts := simple.FindStringSubmatch(e.Formula); parts != nil {
			want := float(e.Inputs[0].Value) - float(e.Inputs[1].Value)
			if parts[2] == "/" {
				want = float(e.Inputs[0].Value) / float(e.Inputs[1].Value)
			}
			if e.Inputs[0].Name != parts[1] || e.Inputs[1].Name != parts[3] || math.Abs(want-float(e.Value)) > 1e-9 {
				t.Errorf("%s = %s is %v, the inputs %v make %v", name, e.Formula, e.Value, e.Inputs, want)
			}
		}
		if amountOf := sums[name]; amountOf != nil {
			sum := decimal.Zero
			for _, id := range e.TradeIDs {
				sum = sum.Add(amountOf(byID[id]))
			}
			if value := e.Value.(decimal.Decimal); !sum.Abs().Equal(value.Abs()) {
				t.Errorf("the trades of %s add up to %s, want %s", name, sum, value)
			}
		}
	}
}

// explainByFigure returns a selection's explanations by figure name.
func explainByFigure(s *Selection) map[string]Explanation {
	summary := Summarize(s, Capital{})
	found := map[string]Explanation{}
	for _, e := range ExplainSummary(s, Capital{}, &summary) {
		found[e.Figure] = e
	}
	return found
}

// TestExplainingCostsAboutASummary: the figures are computed once for all explanations,
// and so are the trade sets. Memory is measured because it does not depend on the
// machine: each further summary would allocate its columns.
func TestExplainingCostsAboutASummary(t *testing.T) {
	s := SelectTrades([]*Columns{BuildColumns("a", generateTrades(20_000))}, Filter{})
	var summary Summary
	plain := measureAllocated(func() { summary = Summarize(s, Capital{}) })
	explained := measureAllocated(func() { ExplainSummary(s, Capital{}, &summary) })
	if explained > 2*plain {
		t.Errorf("explaining allocates %d bytes, the summary %d", explained, plain)
	}
}

// measureAllocated returns how many bytes fn allocates.
func measureAllocated(fn func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	fn()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// A figure's trades are those it is computed from.
func TestTradesOfFigures(t *testing.T) {
	t.Parallel()
	parsed := parseScenario(t, `
		trade a AAA long 2026-01-05T10:00 2026-01-05T11:00 net=10 risk=5
		trade b AAA long 2026-01-06T10:00 2026-01-06T11:00 net=-4
		trade c AAA long 2026-01-07T10:00 2026-01-07T11:00 net=-4
		trade d AAA long 2026-01-08T10:00 2026-01-08T11:00 net=0
		trade e AAA long 2026-01-09T10:00 2026-01-09T11:00 net=10 risk=0
		trade f AAA long 2026-01-12T10:00 2026-01-12T11:00 net=3 risk=1
		trade g AAA long 2026-01-13T10:00 2026-01-13T11:00 net=-9`)
	explained := explainByFigure(SelectTrades(parsed.columns(), Filter{}))
	for figure, want := range map[string]string{
		"total_trades": "abcdefg", "wins": "aef", "losses": "bcg", "breakeven": "d", "profit_factor": "abcefg", "largest_win": "a",
		"largest_loss": "g", "avg_r": "af", "max_drawdown": "g", "max_consecutive_wins": "ef", "max_consecutive_losses": "bc",
	} {
		got := ""
		for _, id := range explained[figure].TradeIDs {
			got += string(id)
		}
		if got != want || explained[figure].TradeCount != len(want) {
			t.Errorf("%s is computed from %s, want %s", figure, got, want)
		}
	}
}

// Without trades every figure is explained, with no trades.
func TestExplainNothing(t *testing.T) {
	t.Parallel()
	s := SelectTrades(nil, Filter{})
	explained := explainByFigure(s)
	for _, f := range Figures() {
		if e := explained[f.Name]; e.Formula == "" || e.TradeCount != 0 || len(e.TradeIDs) != 0 {
			t.Errorf("%s: %+v", f.Name, e)
		}
	}
}

func TestDeviation(t *testing.T) {
	t.Parallel()
	if got := standardDeviation([]float64{2, 4, 4, 4, 5, 5, 7, 9}, 5); math.Abs(got-math.Sqrt(32.0/7)) > 1e-15 {
		t.Errorf("the deviation is %v", got)
	}
}

// A period compares exact instants, although columns store microseconds.
func TestPeriodFinerThanColumns(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 5, 10, 0, 0, 5000, time.UTC)
	c := BuildColumns("a", []Trade{{ID: "a", OpenedAt: at, ClosedAt: at}})
	for _, basis := range []Basis{ByClosing, ByOpening} {
		for off, want := range map[time.Duration][2]int{-1: {1, 0}, 0: {1, 1}, 1: {0, 1}} {
			edge := at.Add(off)
			from := SelectTrades([]*Columns{c}, Filter{Basis: basis, Period: journal.Period{From: &edge}}).Len()
			to := SelectTrades([]*Columns{c}, Filter{Basis: basis, Period: journal.Period{To: &edge}}).Len()
			if from != want[0] || to != want[1] {
				t.Errorf("basis %d, %d ns off: from selects %d, to %d", basis, off, from, to)
			}
		}
	}
}
