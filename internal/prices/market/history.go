package market

import (
	"slices"
	"sort"

	"fillbook/internal/base/decimal"
)

// Context is what was known about an instrument when a position was opened. It comes from
// bars ending before.
type Context struct {
	// ATR is the average true range over the days before, in price units.
	ATR decimal.Null
	// GapPct is the session's first price against the previous session's last one, in
	// percent.
	GapPct decimal.Null
	// RelativeVolume is the session's volume so far, divided by the mean over the
	// sessions before up to the same time.
	RelativeVolume decimal.Null
	// OpeningRangePlace is the entry's place in the first half hour's range: 0 is its low
	// and 1 its high.
	OpeningRangePlace decimal.Null
}

const (
	// atrDays is the number of true ranges in an average, atrHistory the number of days
	// it is computed from.
	atrDays    = 14
	atrHistory = 60
	// volumeSessions and leastVolumeSessions are how many sessions a volume is compared
	// with.
	volumeSessions      = 20
	leastVolumeSessions = 5
	// openingRange is the opening range length.
	openingRange = 30 * 60
	// LookBack is how many seconds before an entry its context covers.
	LookBack = 100 * day

	contextScale = 6
	atrScale     = MaxPriceScale + 4
)

// Day has one session's prices.
type Day struct {
	Session                Range
	Open, High, Low, Close decimal.Decimal

	// firstEnd is the first bar's end.
	firstEnd int64
	// volumes are the volumes so far at the end of each minute in the session from
	// firstMinute to the last one with a bar.
	volumes     []float64
	firstMinute int64
	// isWhole is whether the bars cover the session, once isChecked.
	isChecked, isWhole bool
	atr, gap           kept // from the days before
	trueRange          kept // with the last whole day before
	opening            openingPrices
}

// kept is a value computed once.
type kept struct {
	isKnown bool
	value   decimal.Null
}

// openingPrices are the highest and the lowest price in the opening range, once they are
// known; width is 0 if there is no range.
type openingPrices struct {
	isKnown    bool
	low, width decimal.Decimal
}

// History collects a series' sessions from its bars, for the context of positions.
type History struct {
	hours *Hours
	days  []Day
	next  int64 // the opening of the first bar not added
	// lastFound is the place of the last day found.
	lastFound int
	ranges    []decimal.Decimal // memory for averageRange
	// daily are daily bars from a file, which win over days made from shorter bars.
	daily []Day
}

// NewHistory returns a History for a series with its hours. daily has daily bars, and may
// be empty.
func NewHistory(hours *Hours, daily Block) *History {
	h := &History{hours: hours}
	for _, bar := range daily.Bars {
		d := newDay(daily, []Bar{bar})
		// A daily bar's time is its date, which names the session.
		d.Session = Range{From: bar.Time, To: bar.Time + day}
		h.daily = append(h.daily, d)
	}
	return h
}

// Add adds bars. Those up to the last bar added before are ignored.
func (h *History) Add(b Block) {
	first := sort.Search(len(b.Bars), func(i int) bool { return b.Bars[i].Time >= h.next })
	list := b.Bars[first:]
	for len(list) > 0 {
		session := h.hours.Of(list[0].Time)
		n := sort.Search(len(list), func(i int) bool { return list[i].Time >= session.To })
		part := list[:n]
		if last := len(h.days) - 1; last >= 0 && h.days[last].Session == session {
			h.days[last].extend(b, part)
		} else {
			d := newDay(b, part)
			d.Session = session
			d.addVolumes(b, part)
			h.days = append(h.days, d)
		}
		list = list[n:]
	}
	if n := len(b.Bars); n > 0 {
		h.next = max(h.next, b.Bars[n-1].Time+1)
	}
}

func newDay(b Block, bars []Bar) Day {
	high, low := extremesOf(bars)
	price := func(n int64) decimal.Decimal { return decimal.FromScaled(n, b.PriceScale) }
	return Day{
		Open: price(bars[0].Open), High: price(high), Low: price(low), Close: price(bars[len(bars)-1].Close),
		firstEnd: bars[0].Time + b.Secs,
	}
}

// extend adds later bars in the same session.
func (d *Day) extend(b Block, bars []Bar) {
	more := newDay(b, bars)
	d.High, d.Low, d.Close = decimal.Max(d.High, more.High), decimal.Min(d.Low, more.Low), more.Close
	d.addVolumes(b, bars)
}

// addVolumes adds bar volumes, by the minute in which each ends.
func (d *Day) addVolumes(b Block, bars []Bar) {
	if !b.HasVolume {
		return
	}
	minuteOf := func(bar *Bar) int64 { return -floorDiv(d.Session.From-bar.Time-b.Secs, 60) } // rounded up
	sum := 0.0
	if n := len(d.volumes); n > 0 {
		sum = d.volumes[n-1]
	} else {
		d.firstMinute = minuteOf(&bars[0])
		d.volumes = make([]float64, 0, minuteOf(&bars[len(bars)-1])-d.firstMinute+1)
	}
	unit, volumes := float64(power(b.VolumeScale)), d.volumes
	for i := range bars {
		minute := minuteOf(&bars[i]) - d.firstMinute
		for int64(len(volumes)) <= minute {
			volumes = append(volumes, sum)
		}
		sum += float64(bars[i].Volume) / unit
		volumes[minute] = sum
	}
	d.volumes = volumes
}

// volumeUntil returns the volume up to some seconds after the session's start.
func (d *Day) volumeUntil(seconds int64) float64 {
	minute := floorDiv(seconds, 60) - d.firstMinute
	if minute < 0 || len(d.volumes) == 0 {
		return 0
	}
	return d.volumes[min(minute, int64(len(d.volumes))-1)]
}

// Context returns the context for an entry at a price and an instant in microseconds. The
// bars from LookBack before it must have been added; b has those in its session.
func (h *History) Context(at int64, price decimal.Decimal, b Block) Context {
	second := floorDiv(at, micros)
	found := h.hours.sessions.find(second)
	session, open := found.Range, h.hours.span(found)
	n := h.findDay(session.From)
	c := Context{ATR: h.averageRange(n, session)}
	var today *Day
	if n < len(h.days) && h.days[n].Session == session {
		today = &h.days[n]
		if today.firstEnd <= second {
			c.GapPct = h.gap(n)
		}
		c.RelativeVolume = h.relativeVolume(n, second-session.From)
	}
	if (today == nil || b.Secs >= day) && open.From <= second && second < open.To {
		c.GapPct = h.dailyGap(session)
	}
	if open.From < open.To && open.From+openingRange <= second && b.Secs <= openingRange {
		c.OpeningRangePlace = today.openingRangePlace(open.From, price, b)
	}
	return c
}

// findDay returns the place of the first day from a time on. The last day is searched
// first, because positions are in opening order.
func (h *History) findDay(from int64) int {
	if i := h.lastFound; i < len(h.days) && h.days[i].Session.From == from {
		return i
	}
	h.lastFound = sort.Search(len(h.days), func(i int) bool { return h.days[i].Session.From >= from })
	return h.lastFound
}

// Forget drops the data needed only for entries before a session.
func (h *History) Forget(session int64) {
	first := sort.Search(len(h.days), func(i int) bool { return h.days[i].Session.From >= session-LookBack })
	h.days, h.lastFound = slices.Delete(h.days, 0, first), 0
	count := 0
	for i := sort.Search(len(h.days), func(i int) bool { return h.days[i].Session.From >= session }) - 1; i >= 0; i-- {
		d := &h.days[i]
		if count >= volumeSessions {
			d.volumes = nil
		} else if h.isWhole(d) && len(d.volumes) > 0 {
			count++
		}
	}
}

// gap returns a day's first price against the last one on the day before, in percent.
func (h *History) gap(n int) decimal.Null {
	today := &h.days[n]
	if today.gap.isKnown {
		return today.gap.value
	}
	today.gap.isKnown = true
	if n > 0 && h.days[n-1].Session.From >= today.Session.From-LookBack {
		today.gap.value = gapBetween(&h.days[n-1], today)
	}
	return today.gap.value
}

// gapBetween returns a day's first price against the last one on another, in percent.
func gapBetween(before, today *Day) decimal.Null {
	last := before.Close
	if last.Sign() <= 0 {
		return decimal.Null{}
	}
	return decimal.Of(today.Open.Sub(last).Mul(decimal.New(100)).DivRound(last, contextScale))
}

// dailyGap returns a session's gap from daily bars. The day's open is known as soon as
// the session has begun.
func (h *History) dailyGap(session Range) decimal.Null {
	date := h.dateOf(session)
	n := h.findDaily(date)
	if n == 0 || n == len(h.daily) || h.daily[n].Session.From != date || h.daily[n-1].Session.From < date-LookBack {
		return decimal.Null{}
	}
	return gapBetween(&h.daily[n-1], &h.daily[n])
}

// relativeVolume compares a day's volume up to a time with the days before.
func (h *History) relativeVolume(n int, seconds int64) decimal.Null {
	sum, count := 0.0, 0
	for i := n - 1; i >= 0 && count < volumeSessions && h.days[i].Session.From >= h.days[n].Session.From-LookBack; i-- {
		if h.isWhole(&h.days[i]) && len(h.days[i].volumes) > 0 {
			sum, count = sum+h.days[i].volumeUntil(seconds), count+1
		}
	}
	if count < leastVolumeSessions || sum == 0 {
		return decimal.Null{}
	}
	return fromFloat(h.days[n].volumeUntil(seconds) * float64(count) / sum)
}

// fromFloat rounds a ratio to three decimals.
func fromFloat(f float64) decimal.Null {
	const most = 1e9
	if f > most {
		return decimal.Null{}
	}
	return decimal.Of(decimal.FromScaled(int64(f*1000+0.5), 3))
}

// isWhole reports whether nine tenths of a session's open time are declared.
func (h *History) isWhole(d *Day) bool {
	if !d.isChecked {
		d.isChecked = true
		d.isWhole = h.hours.isWhole(d.Session.From)
	}
	return d.isWhole
}

// averageRange returns the average true range over the n days in h.days before a session.
func (h *History) averageRange(n int, session Range) decimal.Null {
	if list := h.dailyBefore(session); len(list) > atrDays {
		return AverageTrueRange(list)
	}
	if n < len(h.days) && h.days[n].atr.isKnown {
		return h.days[n].atr.value
	}
	first, count := n, 0
	for i := n - 1; i >= 0 && count < atrHistory && h.days[i].Session.From >= session.From-LookBack; i-- {
		if h.isWhole(&h.days[i]) {
			first, count = i, count+1
		}
	}
	h.ranges = h.ranges[:0]
	for i, last := first+1, first; i < n; i++ {
		if h.days[i].isWhole {
			d := &h.days[i]
			if !d.trueRange.isKnown {
				d.trueRange = kept{isKnown: true, value: decimal.Of(trueRange(&h.days[last], d))}
			}
			h.ranges = append(h.ranges, d.trueRange.value.Decimal)
			last = i
		}
	}
	atr := averageOfRanges(h.ranges)
	if n < len(h.days) {
		h.days[n].atr = kept{isKnown: true, value: atr}
	}
	return atr
}

// dateOf returns a session's date, which is the day on which it ends, as its start in
// UTC.
func (h *History) dateOf(session Range) int64 {
	calendar := h.hours.sessions.calendar
	if calendar.hasDays() {
		return floorDiv(session.To-1, day) * day
	}
	y, m, d := calendar.schedule.dayOf(session.To - 1).Date()
	return utcDate(y, m, d)
}

// findDaily returns the place of the first daily bar from a date on.
func (h *History) findDaily(date int64) int {
	return sort.Search(len(h.daily), func(i int) bool { return h.daily[i].Session.From >= date })
}

// dailyBefore returns the last daily bars before a session.
func (h *History) dailyBefore(session Range) []Day {
	if len(h.daily) == 0 {
		return nil
	}
	n := h.findDaily(h.dateOf(session))
	first := sort.Search(n, func(i int) bool { return h.daily[i].Session.From >= session.From-LookBack })
	return h.daily[max(first, n-atrHistory):n]
}

// openingRangePlace returns where a price is in the first half hour of the open time,
// which begins at a second. The day may be nil; then nothing is kept.
func (d *Day) openingRangePlace(open int64, price decimal.Decimal, b Block) decimal.Null {
	if d == nil {
		d = &Day{}
	}
	if !d.opening.isKnown {
		d.opening.isKnown = true
		bars := b.barsDuring(open*micros, (open+openingRange)*micros)
		if len(bars) > 0 && bars[0].Time >= open {
			first := newDay(b, bars)
			d.opening.low, d.opening.width = first.Low, first.High.Sub(first.Low)
		}
	}
	if d.opening.width.IsZero() {
		return decimal.Null{}
	}
	return decimal.Of(price.Sub(d.opening.low).DivRound(d.opening.width, contextScale))
}

// AverageTrueRange returns Wilder's average over the true ranges of days in order, which
// starts with the plain mean over the first fourteen. It is absent with fewer than
// fifteen days.
func AverageTrueRange(days []Day) decimal.Null {
	var ranges []decimal.Decimal
	for i := 1; i < len(days); i++ {
		ranges = append(ranges, trueRange(&days[i-1], &days[i]))
	}
	return averageOfRanges(ranges)
}

func averageOfRanges(ranges []decimal.Decimal) decimal.Null {
	if len(ranges) < atrDays {
		return decimal.Null{}
	}
	fourteen, thirteen := decimal.New(atrDays), decimal.New(atrDays-1)
	average := decimal.Sum(ranges[:atrDays]...).DivRound(fourteen, atrScale)
	for _, r := range ranges[atrDays:] {
		average = average.Mul(thirteen).Add(r).DivRound(fourteen, atrScale)
	}
	return decimal.Of(average.Round(MaxPriceScale))
}

// trueRange returns the largest of the day's range and its extremes' distances from the
// close before.
func trueRange(before, d *Day) decimal.Decimal {
	return decimal.Max(d.High, before.Close).Sub(decimal.Min(d.Low, before.Close))
}
