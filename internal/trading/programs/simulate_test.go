package programs_test

import (
	"context"
	"maps"
	"slices"
	"testing"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/programs"
)

// splitMix is the documented generator.
type splitMix uint64

func (g *splitMix) below(n int) int {
	*g += 0x9e3779b97f4a7c15
	z := uint64(*g)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return int((z ^ z>>31) >> 32 * uint64(n) >> 32)
}

// dayTrade is a trade of one contract that is opened at a time in Chicago and closed an hour later.
func dayTrade(id, at string, net int64) programs.Trade {
	place, err := time.LoadLocation("America/Chicago")
	if err != nil {
		panic(err)
	}
	opened, err := time.ParseInLocation("2006-01-02T15:04:05", at, place)
	if err != nil {
		panic(err)
	}
	return programs.Trade{ID: journal.TradeID(id), Size: programs.FullContract, Fills: []programs.Fill{
		{At: opened.UnixMicro(), Seq: 1, Quantity: decimal.New(1)},
		{At: opened.Add(time.Hour).UnixMicro(), Seq: 2, Quantity: decimal.New(-1), Net: decimal.New(net)},
	}}
}

func simulatedProgram() *programs.Program {
	return &programs.Program{
		Firm: "Acme", Name: "Test", Phase: programs.PhaseEvaluation, Product: "futures", Currency: "USD", InitialBalance: decimal.New(1000),
		Day: programs.DayBounds{Reset: "17:00", Zone: "America/Chicago"},
		Rules: []programs.Rule{
			{Kind: programs.MaxLoss, Amount: decimal.Of(decimal.New(100))},
			{Kind: programs.ProfitTarget, Amount: decimal.Of(decimal.New(100))},
		},
	}
}

func TestSimulateStartsAtEveryDay(t *testing.T) {
	t.Parallel()
	trades := []programs.Trade{
		dayTrade("a", "2026-03-02T09:00:00", 60),
		dayTrade("b", "2026-03-03T09:00:00", -120),
		dayTrade("c", "2026-03-03T18:00:00", 150), // the evening belongs to the 4th
	}
	g := splitMix(1)
	s, err := programs.Simulate(t.Context(), simulatedProgram(), trades, g.below)
	if err != nil {
		t.Fatal(err)
	}
	if a := s.Actual; a.Attempts != 3 || a.Passed != 1 || a.Failed != 1 || a.Unfinished != 1 || a.ByRule[programs.MaxLoss] != 1 {
		t.Errorf("%+v", a)
	}
	if s.Resampled.Attempts != 3*programs.Draws {
		t.Errorf("%d attempts in drawn sequences", s.Resampled.Attempts)
	}
	one, err := programs.Simulate(t.Context(), simulatedProgram(), trades[:1], g.below)
	if err != nil || one.Actual.Attempts != 1 || one.Resampled != nil {
		t.Errorf("one day gives %+v, %v", one, err)
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := programs.Simulate(canceled, simulatedProgram(), trades, g.below); err == nil {
		t.Error("a canceled simulation goes on")
	}
}

// TestSimulateAgreesWithEvaluate repeats a simulation by its description: whole evaluations
// of trades that are moved one by one.
func TestSimulateAgreesWithEvaluate(t *testing.T) {
	t.Parallel()
	const zone = "America/Chicago"
	var trades []programs.Trade
	results := splitMix(7)
	day := time.Date(2026, 2, 23, 0, 0, 0, 0, time.UTC) // over the change of the clocks on March 8
	var days []time.Time
	for i := range 24 {
		days = append(days, day)
		for k := range 1 + i%2 {
			at := day.Add(time.Duration(8+3*k)*time.Hour + 90*time.Second).Format("2006-01-02T15:04:05")
			trades = append(trades, dayTrade(day.Format("0102")+string(rune('a'+k)), at, int64(results.below(140))-68))
		}
		day = day.AddDate(0, 0, 1+2*(i%5/4))
	}
	p := simulatedProgram()
	p.Rules[0].Mode = programs.TrailingEOD
	p.Rules = append(p.Rules, programs.Rule{Kind: programs.FlatBy, Time: "11:30"}, programs.Rule{Kind: programs.MinDays, N: 2})
	g, again := splitMix(1), splitMix(1)
	got, err := programs.Simulate(t.Context(), p, trades, g.below)
	if err != nil {
		t.Fatal(err)
	}
	want := programs.Outcomes{ByRule: map[programs.Kind]int{}}
	var shares []float64
	for range programs.Draws {
		passed := want.Passed
		simulateSequence(p, drawSequence(&again, days, trades, zone), days, zone, &want)
		shares = append(shares, float64(want.Passed-passed)/20)
	}
	slices.Sort(shares)
	is := got.Resampled
	if is.Attempts != 20*programs.Draws || is.Passed != want.Passed || is.Failed != want.Failed || is.Unfinished != want.Unfinished || !maps.Equal(is.ByRule, want.ByRule) {
		t.Errorf("got %+v, want %+v", *is, want)
	}
	if got.Low != shares[25] || got.High != shares[974] {
		t.Errorf("interval %v to %v, want %v to %v", got.Low, got.High, shares[25], shares[974])
	}
	if is.Passed == 0 || is.Failed == 0 || is.ByRule[programs.FlatBy] == 0 {
		t.Errorf("the example does not show every end: %+v", *is)
	}
}

// drawSequence returns the trades of a drawn sequence.
func drawSequence(g *splitMix, days []time.Time, trades []programs.Trade, zone string) (list []programs.Trade) {
	place, _ := time.LoadLocation(zone)
	drawn := g.below(len(days))
	for i := range days {
		if i > 0 {
			drawn = (drawn + 1) % len(days)
			if g.below(5) == 0 {
				drawn = g.below(len(days))
			}
		}
		shift := int(days[i].Sub(days[drawn]).Hours() / 24)
		for _, t := range trades {
			local := time.UnixMicro(t.Fills[0].At).In(place)
			if local.Format(time.DateOnly) != days[drawn].Format(time.DateOnly) {
				continue
			}
			t.Fills = slices.Clone(t.Fills)
			for k := range t.Fills {
				t.Fills[k].At = time.UnixMicro(t.Fills[k].At).In(place).AddDate(0, 0, shift).UnixMicro()
			}
			list = append(list, t)
		}
	}
	return list
}

// simulateSequence evaluates the twenty attempts of a sequence.
func simulateSequence(p *programs.Program, trades []programs.Trade, days []time.Time, zone string, out *programs.Outcomes) {
	place, _ := time.LoadLocation(zone)
	var last int64
	for _, t := range trades {
		last = max(last, t.Fills[len(t.Fills)-1].At)
	}
	for k := range 20 {
		d := days[k*len(days)/20]
		start := time.Date(d.Year(), d.Month(), d.Day()-1, 17, 0, 0, 0, place).UnixMicro()
		r := programs.Evaluate(p, &programs.Facts{StartedAt: start, Until: last, Start: p.InitialBalance, Trades: trades})
		switch r.State {
		case programs.Passed:
			out.Passed++
		case programs.Failed:
			out.Failed++
			out.ByRule[r.Breach.Kind]++
		default:
			out.Unfinished++
		}
	}
}

func BenchmarkSimulate(b *testing.B) {
	var trades []programs.Trade
	results := splitMix(7)
	for i := range 500 {
		day := time.Date(2024, 1, 1, 9, 0, 0, 0, time.UTC).AddDate(0, 0, i)
		for k := range 3 {
			trades = append(trades, dayTrade("x", day.Add(time.Duration(k)*2*time.Hour).Format("2006-01-02T15:04:05"), int64(results.below(20))-9))
		}
	}
	for b.Loop() {
		g := splitMix(1)
		if _, err := programs.Simulate(b.Context(), simulatedProgram(), trades, g.below); err != nil {
			b.Fatal(err)
		}
	}
}
