package barimport

import (
	"iter"
	"slices"
	"time"

	"fillbook/internal/base/journal"
	"fillbook/internal/prices/market"
)

// tally counts a group's bars while they are read.
type tally struct {
	bars, inside int
	first, last  int64
	days         dayList
}

// tally returns a group's bars and counts them while they are read.
func (g *group) tally() iter.Seq[market.Block] {
	return func(yield func(market.Block) bool) {
		g.counted = tally{}
		for block := range g.series.Convert(g.reading) {
			g.counted.add(block, g.fills)
			if !yield(block) {
				return
			}
		}
	}
}

func (t *tally) add(block market.Block, fills []market.Fill) {
	first, last := block.Bars[0].Time, block.Bars[len(block.Bars)-1].Time
	if t.bars == 0 {
		t.first = first
	}
	t.last = last
	t.bars += len(block.Bars)
	from, _ := slices.BinarySearchFunc(fills, first*micros, compareTime)
	to, _ := slices.BinarySearchFunc(fills, (last+block.Secs)*micros, compareTime)
	inside, _ := market.CountInside(block, fills[from:max(from, to)])
	t.inside += inside
	t.days.add(block.Bars)
}

func compareTime(f market.Fill, at int64) int {
	switch {
	case f.At < at:
		return -1
	case f.At > at:
		return 1
	}
	return 0
}

// dayList is the UTC days with bars, in order, as days since 1970.
type dayList struct {
	days     []int64
	saturday int // Saturdays among them
}

func (l *dayList) add(list []market.Bar) {
	for _, bar := range list {
		day := bar.Time / secondsOfDay
		if n := len(l.days); n > 0 && l.days[n-1] >= day {
			continue
		}
		if l.days = append(l.days, day); weekday(day) == time.Saturday {
			l.saturday++
		}
	}
}

func weekday(day int64) time.Weekday { return time.Weekday(((day+4)%7 + 7) % 7) } // 1970 began on a Thursday

// maxGaps is how many gaps are listed.
const maxGaps = 50

// gaps returns the first days without bars between others, and their number. Weekends
// count only if the file has bars on most Saturdays.
func (l *dayList) gaps() (list []Gap, days int) {
	if len(l.days) == 0 {
		return nil, 0
	}
	everyDay := int64(l.saturday)*14 > l.days[len(l.days)-1]-l.days[0]
	for i := 1; i < len(l.days); i++ {
		from, to := l.days[i-1]+1, l.days[i]-1
		for !everyDay && from <= to && isWeekend(from) {
			from++
		}
		for !everyDay && from <= to && isWeekend(to) {
			to--
		}
		if from > to {
			continue
		}
		days += countDays(from, to, everyDay)
		if len(list) < maxGaps {
			list = append(list, Gap{From: toDay(from), To: toDay(to)})
		}
	}
	return list, days
}

func isWeekend(day int64) bool { return weekday(day) == time.Saturday || weekday(day) == time.Sunday }

// countDays returns how many days there are from one to another, both inclusive, with or
// without weekends. Its time does not depend on their number.
func countDays(from, to int64, everyDay bool) int {
	n := to - from + 1
	if everyDay {
		return int(n)
	}
	count := n / 7 * 5
	for day := to - n%7 + 1; day <= to; day++ {
		if !isWeekend(day) {
			count++
		}
	}
	return int(count)
}

func toDay(day int64) journal.Day { return journal.DayOf(time.Unix(day*secondsOfDay, 0).UTC()) }
