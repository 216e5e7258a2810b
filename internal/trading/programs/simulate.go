package programs

import (
	"cmp"
	"context"
	"slices"
	"time"

	"fillbook/internal/base/journal"
	"fillbook/internal/base/parallel"
)

// The numbers of a simulation. Sequences have blocks of days with a geometric length whose
// mean is meanBlock. From maxStarts places on, only that many of them are starts.
const (
	Draws     = 1000
	meanBlock = 5
	maxStarts = 20
)

// Outcomes counts attempts at a program by how they ended.
type Outcomes struct {
	Attempts, Passed, Failed, Unfinished int
	// ByRule counts the failed ones by the rule that was breached.
	ByRule map[Kind]int
}

// Simulation is how attempts at a program would have ended.
type Simulation struct {
	// Actual has an attempt for each day with an opening.
	Actual Outcomes
	// Resampled has attempts in sequences of drawn days; nil with fewer than two days.
	Resampled *Outcomes
	// Low and High bound the share that passed in 95% of the sequences.
	Low, High float64
}

// Simulate evaluates attempts at a program: each day on which trades were opened is the
// start of one, and the same in sequences of days that are drawn from them. Trades have
// their fills in time order and are in opening order. below returns a random number from 0
// to n − 1.
func Simulate(ctx context.Context, p *Program, trades []Trade, below func(n int) int) (Simulation, error) {
	clock, err := newDayClock(p.Day)
	if err != nil {
		return Simulation{}, err
	}
	s := &simulator{program: p, clock: clock, trades: trades}
	out := Simulation{Actual: Outcomes{ByRule: map[Kind]int{}}}
	if len(trades) == 0 {
		return out, nil
	}
	s.groupByDay()
	facts, events := s.listFacts(trades)
	for _, day := range s.places {
		s.attempt(facts, events, day, &out.Actual)
	}
	if len(s.days) < 2 {
		return out, ctx.Err()
	}
	sequences := make([][]int, Draws)
	for i := range sequences {
		sequences[i] = s.draw(below)
	}
	err = s.resample(ctx, sequences, &out)
	return out, err
}

// resample runs the sequences and adds their outcomes.
func (s *simulator) resample(ctx context.Context, sequences [][]int, out *Simulation) error {
	results := make([]Outcomes, len(sequences))
	run := func(first int) func() {
		return func() {
			for i := first; i < len(sequences) && ctx.Err() == nil; i += 2 {
				results[i] = s.runSequence(sequences[i])
			}
		}
	}
	if parallel.Run(run(0), run(1)); ctx.Err() != nil {
		return ctx.Err()
	}
	out.Resampled = &Outcomes{ByRule: map[Kind]int{}}
	shares := make([]float64, len(results))
	for i := range results {
		out.Resampled.add(&results[i])
		shares[i] = float64(results[i].Passed) / float64(results[i].Attempts)
	}
	slices.Sort(shares)
	out.Low, out.High = shares[Draws/40], shares[Draws-1-Draws/40]
	return nil
}

func (o *Outcomes) add(other *Outcomes) {
	o.Attempts, o.Passed, o.Failed, o.Unfinished = o.Attempts+other.Attempts, o.Passed+other.Passed, o.Failed+other.Failed, o.Unfinished+other.Unfinished
	for kind, n := range other.ByRule {
		o.ByRule[kind] += n
	}
}

// listFacts returns trades as facts from the beginning of time, and their events.
func (s *simulator) listFacts(trades []Trade) (*Facts, []event) {
	facts := &Facts{Trades: trades, Start: s.program.StartingBalance(), Until: lastFill(trades)}
	e := newEvaluator(s.program, facts, s.clock)
	e.deadlines = s.deadlines
	return facts, e.listEvents()
}

// lastFill returns the instant of the last fill, 0 without one.
func lastFill(trades []Trade) (last int64) {
	for i := range trades {
		for k := range trades[i].Fills {
			last = max(last, trades[i].Fills[k].At)
		}
	}
	return last
}

// simulator has the material of a simulation. It does not change while sequences run.
type simulator struct {
	program *Program
	clock   dayClock
	trades  []Trade
	// days are the days with an opening in order, places their places in the table, and
	// opened the trades of each.
	days   []journal.Day
	places []int
	opened [][]int
	table  *dayTable
	// deadlines are those of the flat_by rules in the table's days.
	deadlines []event
	// walls has what the clocks showed at each fill of each trade.
	walls [][]wallTime
	// offsets are what the clocks are ahead of UTC, by date from firstDate on; without
	// those of dates on which the clocks change.
	offsets   []dateOffset
	firstDate int64
}

// wallTime is what the clocks show at an instant.
type wallTime struct {
	date   int64 // days since 1970
	micros int64 // after midnight
}

// dateOffset is a zone's offset on a date in microseconds.
type dateOffset struct {
	micros int64
	isSure bool
}

const (
	microsMinute = 60_000_000
	microsDay    = 24 * 60 * microsMinute
)

func (s *simulator) groupByDay() {
	days := make([]journal.Day, len(s.trades))
	s.walls = make([][]wallTime, len(s.trades))
	longest := int64(0)
	for i := range s.trades {
		fills := s.trades[i].Fills
		days[i] = s.clock.dayAt(fills[0].At)
		for k := range fills {
			s.walls[i] = append(s.walls[i], newWallTime(fills[k].At, s.clock.zone))
		}
		longest = max(longest, s.walls[i][len(fills)-1].date-s.walls[i][0].date)
	}
	s.days = slices.Compact(slices.Sorted(slices.Values(days)))
	s.opened = make([][]int, len(s.days))
	for i := range days {
		place, _ := slices.BinarySearch(s.days, days[i])
		s.opened[place] = append(s.opened[place], i)
	}
	s.table = newDayTable(s.clock, s.days[0])
	for _, day := range s.days {
		s.places = append(s.places, s.days[0].DaysUntil(day))
	}
	span := int64(s.places[len(s.places)-1]) + longest + 4
	s.table.extend(int(span))
	s.deadlines = newEvaluator(s.program, &Facts{}, s.clock).listDeadlines(s.table.begins[0], s.table.begins[span-1])
	s.firstDate = newWallTime(s.table.begins[0], s.clock.zone).date
	for date := s.firstDate; date < s.firstDate+span; date++ {
		s.offsets = append(s.offsets, newOffset(date, s.clock.zone))
	}
}

func newWallTime(at int64, zone *time.Location) wallTime {
	_, offset := time.UnixMicro(at).In(zone).Zone()
	local := at + int64(offset)*1e6
	date := local / microsDay
	if local%microsDay < 0 {
		date--
	}
	return wallTime{date: date, micros: local - date*microsDay}
}

// newOffset returns a zone's offset on a date. It is not sure near a change of the clocks.
func newOffset(date int64, zone *time.Location) dateOffset {
	_, before := time.UnixMicro(date*microsDay - microsDay).In(zone).Zone()
	_, after := time.UnixMicro(date*microsDay + 2*microsDay).In(zone).Zone()
	return dateOffset{micros: int64(after) * 1e6, isSure: before == after}
}

// draw returns the days of a sequence: a place in days for each place.
func (s *simulator) draw(below func(n int) int) []int {
	n := len(s.days)
	drawn := make([]int, n)
	drawn[0] = below(n)
	for i := 1; i < n; i++ {
		if below(meanBlock) == 0 {
			drawn[i] = below(n)
		} else {
			drawn[i] = (drawn[i-1] + 1) % n
		}
	}
	return drawn
}

// runSequence evaluates the attempts of a drawn sequence.
func (s *simulator) runSequence(drawn []int) Outcomes {
	out := Outcomes{ByRule: map[Kind]int{}}
	facts, events := s.listFacts(s.moveTrades(drawn))
	n := len(s.days)
	starts := min(n, maxStarts)
	for k := range starts {
		s.attempt(facts, events, s.places[k*n/starts], &out)
	}
	return out
}

// moveTrades returns the trades of drawn days at their places: each fill is as many calendar
// days earlier or later, at the same time on the wall clock.
func (s *simulator) moveTrades(drawn []int) []Trade {
	var list []Trade
	for place, from := range drawn {
		shift := int64(s.places[place] - s.places[from])
		for _, i := range s.opened[from] {
			t := s.trades[i]
			t.Fills = slices.Clone(t.Fills)
			for k := range t.Fills {
				if shift != 0 {
					t.Fills[k].At = s.instantOf(s.walls[i][k], shift)
				}
			}
			list = append(list, t)
		}
	}
	return list
}

// instantOf returns the instant at which the clocks show a time on another date.
func (s *simulator) instantOf(wall wallTime, shift int64) int64 {
	wall.date += shift
	local := wall.date*microsDay + wall.micros
	if i := wall.date - s.firstDate; i >= 0 && i < int64(len(s.offsets)) && s.offsets[i].isSure {
		return local - s.offsets[i].micros
	}
	day := journal.DayOf(time.UnixMicro(wall.date * microsDay).UTC())
	at := wallInstant(day, int(wall.micros/microsMinute), s.clock.zone)
	if shown := newWallTime(at, s.clock.zone); shown.date != wall.date || shown.micros/microsMinute != wall.micros/microsMinute {
		return at // the clocks skip the time
	}
	return at + wall.micros%microsMinute
}

// attempt evaluates an attempt that begins with a day of the table.
func (s *simulator) attempt(facts *Facts, events []event, day int, out *Outcomes) {
	start := s.table.begins[day]
	own := *facts
	own.StartedAt = start
	e := newEvaluator(s.program, &own, s.clock)
	e.brief = true
	first, _ := slices.BinarySearchFunc(events, start, func(ev event, at int64) int { return cmp.Compare(ev.at, at) })
	e.run(events[first:], s.table, day)
	out.Attempts++
	switch e.state {
	case Passed:
		out.Passed++
	case Failed:
		out.Failed++
		out.ByRule[e.breach.Kind]++
	default:
		out.Unfinished++
	}
}
