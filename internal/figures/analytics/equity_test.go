package analytics

import (
	"cmp"
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
)

func anyCash() *rapid.Generator[[]CashEvent] {
	return rapid.Custom(func(t *rapid.T) []CashEvent {
		list := make([]CashEvent, rapid.IntRange(0, 8).Draw(t, "cash"))
		for i := range list {
			list[i] = CashEvent{
				ID: journal.CashID(rune('a' + i)), At: anyInstant().Draw(t, "at"), Flow: rapid.Bool().Draw(t, "flow"),
				Amount: decimal.FromScaled(rapid.Int64Range(-500, 500).Draw(t, "amount"), 2),
			}
		}
		return list
	})
}

// plainEvent is a curve event, for the plain model below.
type plainEvent struct {
	at     time.Time
	amount decimal.Decimal
	flow   bool
}

// plainCurve implements the definition in docs/metrics.md directly. The percentage is
// negative if it is absent.
func plainCurve(
	rows []Trade, cash []CashEvent, starting decimal.Decimal, p journal.Period,
) (points []Point, start, flow, deepest decimal.Decimal, pct float64) {
	var events []plainEvent
	for _, c := range slices.SortedStableFunc(slices.Values(cash), func(a, b CashEvent) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(map[bool]int{true: 0, false: 1}[a.Flow], map[bool]int{true: 0, false: 1}[b.Flow]), a.Amount.Cmp(b.Amount))
	}) {
		events = append(events, plainEvent{c.At, c.Amount, c.Flow})
	}
	for _, row := range sortRowsByClosing(rows) {
		events = append(events, plainEvent{row.ClosedAt, row.Net, false})
	}
	slices.SortStableFunc(events, func(a, b plainEvent) int { return a.at.Compare(b.at) })
	start = starting
	for len(events) > 0 && p.From != nil && events[0].at.Before(*p.From) {
		start = start.Add(events[0].amount)
		events = events[1:]
	}
	if p.From != nil {
		points = append(points, Point{At: *p.From, Equity: start})
	}
	level, peak, index, top, known, begun := start, start, 1.0, 1.0, plainCapital(rows, cash, starting, p), false
	overdrawn := false // the index is below zero
	for i, e := range events {
		if p.To != nil && e.at.After(*p.To) {
			break
		}
		if i == 0 && p.From == nil {
			points = append(points, Point{At: e.at, Equity: start})
		}
		if !e.flow {
			begun, known = true, known && level.Sign() > 0 && !overdrawn
			index *= 1 + e.amount.Float64()/level.Float64()
			overdrawn = level.Add(e.amount).Sign() < 0
			top = max(top, index)
			pct = max(pct, 100*(1-index/top))
		}
		level = level.Add(e.amount)
		if e.flow {
			peak, flow = peak.Add(e.amount), flow.Add(e.amount)
		}
		peak = decimal.Max(peak, level)
		deepest = decimal.Max(deepest, peak.Sub(level))
		points = append(points, Point{At: e.at, Equity: level, Drawdown: peak.Sub(level)})
	}
	if !known || !begun {
		pct = -1
	}
	return points, start, flow, deepest, pct
}

// plainCapital reports whether capital is known before a window's first trade.
func plainCapital(rows []Trade, cash []CashEvent, starting decimal.Decimal, p journal.Period) bool {
	var first *time.Time
	for i, row := range rows {
		if p.Contains(row.ClosedAt) && (first == nil || row.OpenedAt.Before(*first)) {
			first = &rows[i].OpenedAt
		}
	}
	for _, c := range cash {
		if c.Flow && c.Amount.Sign() > 0 && (first == nil || !c.At.After(*first)) {
			starting = starting.Add(c.Amount)
		}
	}
	return starting.Sign() > 0
}

func TestCurveMatchesItsDefinition(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rows, cash := anyTrades(20).Draw(t, "rows"), anyCash().Draw(t, "cash")
		period := anyFilter().Draw(t, "filter").Period
		if period.Check() != nil {
			period.To = nil
		}
		starting := anyAmount().Draw(t, "starting")
		want, start, flow, deepest, pct := plainCurve(rows, cash, starting, period)
		got := BuildEquityCurve([]*Columns{BuildColumns("a", rows)}, CurveQuery{
			Filter: Filter{Period: period, Basis: ByOpening}, Capital: Capital{Starting: starting, Currency: "EUR", Cash: [][]CashEvent{cash}},
		})
		if len(got.Points) != len(want) || !got.StartingEquity.Equal(start) || !got.NetCashFlow.Equal(flow) || !got.MaxDrawdown.Equal(deepest) {
			t.Fatalf("%d points from %s, flow %s, drawdown %s; want %d, %s, %s, %s",
				len(got.Points), got.StartingEquity, got.NetCashFlow, got.MaxDrawdown, len(want), start, flow, deepest)
		}
		if got.MaxDrawdownPct == nil && pct >= 0 || got.MaxDrawdownPct != nil && (pct < 0 || math.Abs(*got.MaxDrawdownPct-pct) > 1e-9*max(1, pct)) {
			t.Fatalf("the drawdown is %v percent, want %v", got.MaxDrawdownPct, pct)
		}
		end := start
		for i, p := range got.Points {
			if w := want[i]; !p.At.Equal(w.At) || !p.Equity.Equal(w.Equity) || !p.Drawdown.Equal(w.Drawdown) {
				t.Fatalf("point %d is %+v, want %+v", i, p, w)
			}
			end = p.Equity
		}
		if !got.EndingEquity.Equal(end) || got.Currency != "EUR" {
			t.Fatalf("ends at %s %s, want %s", got.EndingEquity, got.Currency, end)
		}
	})
}

// Thinning only removes points: the ends, the extremes and the deepest
// drawdown remain, and no figure changes.
func TestThinningKeepsExtremes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, 40).Draw(t, "limit")
		columns := []*Columns{BuildColumns("a", anyTrades(80).Draw(t, "rows"))}
		cash := anyCash().Draw(t, "cash")
		whole := BuildEquityCurve(columns, CurveQuery{Capital: Capital{Cash: [][]CashEvent{cash}}})
		thin := BuildEquityCurve(columns, CurveQuery{Capital: Capital{Cash: [][]CashEvent{cash}}, MaxPoints: limit})
		if len(thin.Points) > max(limit, MinPoints) {
			t.Fatalf("%d points of at most %d", len(thin.Points), limit)
		}
		if len(whole.Points) <= limit && len(thin.Points) != len(whole.Points) {
			t.Fatalf("%d points of %d, and %d were allowed", len(thin.Points), len(whole.Points), limit)
		}
		at := 0
		for _, p := range thin.Points { // each is from the whole curve, in order
			for at < len(whole.Points) && !samePoint(whole.Points[at], p) {
				at++
			}
			if at == len(whole.Points) {
				t.Fatalf("%+v is not a point of the curve, or out of order", p)
			}
			at++
		}
		if len(whole.Points) == 0 {
			return
		}
		extremes := func(points []Point) [5]string {
			low, high, deep := points[0].Equity, points[0].Equity, decimal.Zero
			for _, p := range points {
				low, high, deep = decimal.Min(low, p.Equity), decimal.Max(high, p.Equity), decimal.Max(deep, p.Drawdown)
			}
			return [5]string{low.String(), high.String(), deep.String(), points[0].Equity.String(), points[len(points)-1].Equity.String()}
		}
		if a, b := extremes(whole.Points), extremes(thin.Points); a != b {
			t.Fatalf("low, high, drawdown, first and last are %v, were %v", b, a)
		}
		if !thin.MaxDrawdown.Equal(whole.MaxDrawdown) || !thin.EndingEquity.Equal(whole.EndingEquity) {
			t.Fatalf("figures changed: %+v, %+v", thin, whole)
		}
	})
}

func TestCurveEdges(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"nothing at all": `
			set starting=100
			equity.points.len = 0
			equity.starting_equity = 100
			equity.ending_equity = 100
			equity.max_drawdown_pct = null`,
		"only a window": `
			set starting=100 from=2026-01-05T00:00
			equity.points.len = 1
			equity.points.0.equity = 100
			equity.max_drawdown_pct = null`,
		"cash comes first on ties": `
			trade a AAA long 2026-01-05T10:00 2026-01-05T11:00 net=-50
			cash 1 2026-01-05T11:00 100 flow
			equity.points.1.equity = 100
			equity.points.2.equity = 50
			equity.max_drawdown = 50
			equity.max_drawdown_pct = null       # the deposit came after the opening`,
		"a withdrawal is no drawdown": `
			cash 1 2026-01-05T11:00 -60 flow
			set starting=100
			equity.max_drawdown = 0
			equity.ending_equity = 40
			equity.net_cash_flow = -60`,
		"a deposit hides no drawdown": `
			trade a AAA long 2026-01-05T10:00 2026-01-05T11:00 net=-50
			cash 1 2026-01-05T12:00 1000 flow
			trade b AAA long 2026-01-05T13:00 2026-01-05T14:00 net=-50
			set starting=100
			equity.max_drawdown = 100
			equity.max_drawdown_pct ~ 52.380952380952381 # 1/2 * 1000/1050
			equity.points.3.drawdown = 100`,
		"a dividend is a gain and a fee a loss": `
			cash 1 2026-01-05T11:00 60
			cash 2 2026-01-05T12:00 -10
			set starting=100
			equity.net_cash_flow = 0
			equity.max_drawdown = 10
			equity.max_drawdown_pct ~ 6.25`,
		"never above zero": `
			trade a AAA long 2026-01-05T10:00 2026-01-05T11:00 net=-50
			equity.max_drawdown = 50
			equity.max_drawdown_pct = null`,
		"trades closing together go by their content": `
			trade a AAA long 2026-01-05T10:00 2026-01-05T11:00 net=-50 external=2
			trade b AAA long 2026-01-05T10:00 2026-01-05T11:00 net=70 external=1
			equity.points.1.equity = 70
			equity.points.2.equity = 20
			equity.points.0.at = 2026-01-05T11:00:00Z`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runScenario(t, text)
		})
	}
}

func samePoint(a, b Point) bool {
	return a.At.Equal(b.At) && a.Equity.Equal(b.Equity) && a.Drawdown.Equal(b.Drawdown)
}
