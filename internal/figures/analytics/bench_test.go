package analytics

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/uuid"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
)

// generateTrades returns n trades on business days, mostly minutes long, in fifty
// symbols, with costs, some with risk and excursions.
func generateTrades(n int) []Trade {
	dice := rand.New(rand.NewPCG(uint64(n), 7))
	rows := make([]Trade, n)
	at := time.Date(2015, 1, 5, 14, 30, 0, 0, time.UTC)
	tags := []journal.TagID{"late", "chased", "plan"}
	for i := range rows {
		at = at.Add(time.Duration(dice.IntN(300)) * time.Second)
		if at.Hour() >= 21 {
			at = at.Truncate(24 * time.Hour).Add(38*time.Hour + 30*time.Minute)
		}
		gross := decimal.FromScaled(int64(dice.IntN(60000))-28000, 2)
		fees := decimal.FromScaled(int64(dice.IntN(500)), 2)
		entry := decimal.FromScaled(int64(dice.IntN(4_000_000))+100_000, 2)
		row := Trade{
			ID: journal.TradeID(uuid.UUID{1, byte(i >> 24), byte(i >> 16), byte(i >> 8), byte(i), 9}.String()), Symbol: fmt.Sprintf("SYM%d", dice.IntN(50)),
			InstrumentType: "stock", Side: Side(dice.IntN(2)), OpenedAt: at,
			ClosedAt: at.Add(time.Duration(dice.ExpFloat64()*900) * time.Second), Net: gross.Sub(fees), Gross: gross, Fees: fees,
			EntryNotional: entry, Volume: entry.Add(entry).Add(gross), Quality: uint8(dice.IntN(6)), Arrival: int64(i) + 1,
		}
		row.Instrument = row.Symbol
		if i%3 == 0 {
			row.InitialRisk = decimal.Of(decimal.FromScaled(int64(dice.IntN(20000))+1000, 2))
			row.MFE = decimal.Of(decimal.FromScaled(int64(dice.IntN(60000)), 2))
			row.Tags = tags[:dice.IntN(3)]
		}
		rows[i] = row
	}
	return rows
}

var sizes = []int{1_000, 10_000, 100_000, 333_000, 1_000_000}

// benchmarkSizes runs a figure over growing journals and reports the time per trade.
func benchmarkSizes(b *testing.B, run func(s *Selection)) {
	benchmarkColumns(b, func(columns []*Columns) func() {
		s := SelectTrades(columns, Filter{})
		return func() { run(s) }
	})
}

func benchmarkColumns(b *testing.B, prepare func(columns []*Columns) (run func())) {
	for _, n := range sizes {
		var run func()
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			if run == nil {
				run = prepare([]*Columns{BuildColumns("a", generateTrades(n))})
			}
			b.ReportAllocs()
			for b.Loop() {
				run()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/trade")
		})
	}
}

func BenchmarkSelect(b *testing.B) {
	benchmarkColumns(b, func(columns []*Columns) func() { return func() { SelectTrades(columns, Filter{}) } })
}

func BenchmarkSummary(b *testing.B) {
	benchmarkSizes(b, func(s *Selection) { Summarize(s, Capital{Starting: decimal.New(100_000)}) })
}

// BenchmarkMonth summarizes one month near the end, a thirty-sixth of all trades.
func BenchmarkMonth(b *testing.B) {
	benchmarkColumns(b, func(columns []*Columns) func() {
		n := columns[0].Len()
		from, to := columns[0].Trade(n*9/10).ClosedAt, columns[0].Trade(n*9/10+n/36).ClosedAt
		return func() {
			s := SelectTrades(columns, Filter{Period: journal.Period{From: &from, To: &to}})
			Summarize(s, Capital{Starting: decimal.New(100_000)})
		}
	})
}

func BenchmarkDaily(b *testing.B) {
	zone, err := time.LoadLocation("Europe/Athens")
	if err != nil {
		b.Fatal(err)
	}
	benchmarkSizes(b, func(s *Selection) { ListDays(s, zone) })
}

func BenchmarkEquity(b *testing.B) {
	benchmarkColumns(b, func(columns []*Columns) func() {
		return func() { BuildEquityCurve(columns, CurveQuery{Capital: Capital{Starting: decimal.New(100_000)}}) }
	})
}

func BenchmarkAnalyzeBehavior(b *testing.B) {
	benchmarkSizes(b, func(s *Selection) { AnalyzeBehavior(s, BehaviorQuery{Zone: time.UTC}) })
}

func BenchmarkBreakdown(b *testing.B) {
	benchmarkSizes(b, func(s *Selection) { BreakDown(s, BreakdownQuery{By: BySymbol, Zone: time.UTC}) })
}

func BenchmarkBreakdownWithEvidence(b *testing.B) {
	benchmarkSizes(b, func(s *Selection) { BreakDown(s, BreakdownQuery{By: ByHour, Zone: time.UTC, Evidence: true}) })
}

func BenchmarkRMultiples(b *testing.B) {
	benchmarkSizes(b, func(s *Selection) { ComputeRStats(s) })
}

func BenchmarkDrawdowns(b *testing.B) {
	benchmarkSizes(b, func(s *Selection) { ListDrawdowns(s, Capital{}, 20) })
}

func BenchmarkAssessEvidence(b *testing.B) {
	benchmarkSizes(b, func(s *Selection) { AssessEvidence(s, time.UTC, 1) })
}

func BenchmarkMonteCarlo(b *testing.B) {
	benchmarkSizes(b, func(s *Selection) { SimulateFutures(s, Simulation{Trades: 250}) })
}

func BenchmarkShare(b *testing.B) {
	benchmarkSizes(b, func(s *Selection) { BuildShareView(s, ShareQuery{Zone: time.UTC}) })
}

func BenchmarkBuild(b *testing.B) {
	rows := generateTrades(100_000)
	for b.Loop() {
		c := BuildColumns("a", rows)
		b.ReportMetric(float64(c.Bytes())/float64(c.Len()), "B/trade")
	}
}

// BenchmarkWithChanges changes one trade among 100,000.
func BenchmarkWithChanges(b *testing.B) {
	rows := generateTrades(100_000)
	c := BuildColumns("a", rows)
	changed := rows[50_000:50_001]
	changed[0].Net = decimal.New(1)
	for b.Loop() {
		c.WithChanges(changed, nil)
	}
}

// BenchmarkExplain computes the summary and explains it; compare BenchmarkSummary.
func BenchmarkExplain(b *testing.B) {
	capital := Capital{Starting: decimal.New(100_000)}
	benchmarkSizes(b, func(s *Selection) {
		summary := Summarize(s, capital)
		ExplainSummary(s, capital, &summary)
	})
}

// splitEveryThird replaces every third trade by three realized parts on three days.
func splitEveryThird(c *Columns, rows []Trade) *Columns {
	var parts []Trade
	third := decimal.New(3)
	for i := 0; i < len(rows); i += 3 {
		for k := range 3 {
			part := rows[i]
			part.Part, part.ClosedAt = true, part.ClosedAt.AddDate(0, 0, k)
			part.Net = part.Net.DivRound(third, 2)
			parts = append(parts, part)
		}
	}
	return c.WithChanges(parts, nil)
}

// BenchmarkRealized computes figures for 100,000 trades, a third closed in three steps;
// compare the benchmarks with the same names.
func BenchmarkRealized(b *testing.B) {
	rows := generateTrades(100_000)
	closed := BuildColumns("a", rows)
	columns := []*Columns{splitEveryThird(closed, rows)}
	s := SelectTrades(columns, Filter{Realized: true})
	capital := Capital{Starting: decimal.New(100_000)}
	for name, run := range map[string]func(){
		"Select":  func() { SelectTrades(columns, Filter{Realized: true}) },
		"Summary": func() { Summarize(s, capital) },
		"Daily":   func() { ListDays(s, time.UTC) },
		"Calendar": func() {
			BuildCalendar(columns, CalendarQuery{Filter: Filter{Realized: true}, Zone: time.UTC, Year: 2016})
		},
		"Breakdown": func() { BreakDown(s, BreakdownQuery{By: ByMonth, Zone: time.UTC}) },
		"Equity":    func() { BuildEquityCurve(columns, CurveQuery{Filter: Filter{Realized: true}, Capital: capital}) },
		"With":      func() { columns[0].WithChanges(rows[50_000:50_001], nil) },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				run()
			}
			b.ReportMetric(float64(columns[0].UnsharedBytes(closed))/float64(len(rows)), "B/trade")
		})
	}
}

func BenchmarkInsights(b *testing.B) {
	benchmarkColumns(b, func(columns []*Columns) func() {
		return func() { FindInsights(columns, Filter{}, InsightQuery{Zone: time.UTC, Limit: 10, Seed: Seed}) }
	})
}
