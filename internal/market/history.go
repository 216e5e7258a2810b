package market

import (
	"slices"
	"sort"

	"fillbook/internal/decimal"
)

// Context is what was known about an instrument when a position was opened. It comes
// from bars that ended before.
type Context struct {
	// ATR is the average true range of the days before, in units of price.
	ATR decimal.Null
	// GapPct is the first price of the session against the last one of the session
	// before, in percent.
	GapPct decimal.Null
	// RelativeVolume is the volume of the session so far, divided by the mean of the
	// sessions before up to the same time.
	RelativeVolume decimal.Null
	// OpeningRangePlace is where the entry is in the range of the first half hour: 0
	// is its low and 1 its high.
	OpeningRangePlace decimal.Null
}

const (
	// atrDays is the number of true ranges in an average, atrHistory the number of days
	// that it is computed from.
	atrDays    = 14
	atrHistory = 60
	// volumeSessions and leastVolumeSessions are how many sessions a volume is compared
	// with.
	volumeSessions      = 20
	leastVolumeSessions = 5
	// openingRange is the length of the opening range.
	openingRange = 30 * 60
	// LookBack is how many seconds of bars before an entry its context is made of.
	LookBack = 100 * day

	contextScale = 6
	atrScale     = MaxPriceScale + 4
)

// Day is the prices of one session.
type Day struct {
	Session                Range
	Open, High, Low, Close decimal.Decimal

	// firstEnd is the end of the first bar.
	firstEnd int64
	// volumes are the volumes so far at the end of minutes.
	volumes []volumeMark
	// isWhole is whether the bars cover the session, once isChecked.
	isChecked, isWhole bool
	atr                decimal.Null // that of the days before, once hasATR
	hasATR             bool
}

// volumeMark is the volume of a session up to an instant.
type volumeMark struct {
	until int64 // seconds since the start of the session
	sum   float64
}

// History collects the sessions of a series from its bars, for the context of
// positions.
type History struct {
	sessions *Sessions
	declared []Range
	days     []Day
	next     int64 // the opening of the first bar that is not added
	// daily are bars of whole days from a file, which win over days made of shorter
	// bars.
	daily []Day
}

// NewHistory returns a History of a series with the time that it declares, in order.
// daily has bars of days, and may be empty.
func NewHistory(sessions *Sessions, declared []Range, daily Block) *History {
	h := &History{sessions: sessions, declared: declared}
	for _, bar := range daily.Bars {
		d := newDay(daily, []Bar{bar})
		// The time of a daily bar is its date, which names the session.
		d.Session = Range{From: bar.Time, To: bar.Time + day}
		h.daily = append(h.daily, d)
	}
	return h
}

// Add adds bars. Those up to the last bar that was added before are ignored.
func (h *History) Add(b Block) {
	first := sort.Search(len(b.Bars), func(i int) bool { return b.Bars[i].Time >= h.next })
	list := b.Bars[first:]
	for len(list) > 0 {
		session := h.sessions.Of(list[0].Time)
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
	high, low := bars[0].High, bars[0].Low
	for _, bar := range bars[1:] {
		high, low = max(high, bar.High), min(low, bar.Low)
	}
	price := func(n int64) decimal.Decimal { return decimal.FromScaled(n, b.PriceScale) }
	return Day{
		Open: price(bars[0].Open), High: price(high), Low: price(low), Close: price(bars[len(bars)-1].Close),
		firstEnd: bars[0].Time + b.Secs,
	}
}

// extend adds later bars of the same session.
func (d *Day) extend(b Block, bars []Bar) {
	more := newDay(b, bars)
	d.High, d.Low, d.Close = decimal.Max(d.High, more.High), decimal.Min(d.Low, more.Low), more.Close
	d.addVolumes(b, bars)
}

// addVolumes adds the volumes of bars, one mark a minute.
func (d *Day) addVolumes(b Block, bars []Bar) {
	if !b.HasVolume {
		return
	}
	sum := 0.0
	if n := len(d.volumes); n > 0 {
		sum = d.volumes[n-1].sum
	}
	unit := float64(power(b.VolumeScale))
	for _, bar := range bars {
		sum += float64(bar.Volume) / unit
		until := -floorDiv(d.Session.From-bar.Time-b.Secs, 60) * 60 // rounded up to the minute
		if n := len(d.volumes); n > 0 && d.volumes[n-1].until == until {
			d.volumes[n-1].sum = sum
			continue
		}
		d.volumes = append(d.volumes, volumeMark{until: until, sum: sum})
	}
}

// volumeUntil returns the volume up to some seconds after the start of the session.
func (d *Day) volumeUntil(seconds int64) float64 {
	n := sort.Search(len(d.volumes), func(i int) bool { return d.volumes[i].until > seconds })
	if n == 0 {
		return 0
	}
	return d.volumes[n-1].sum
}

// Context returns the context of an entry at a price and an instant in microseconds.
// The bars from LookBack before it must have been added; b has those of its session.
func (h *History) Context(at int64, price decimal.Decimal, b Block) Context {
	second := floorDiv(at, micros)
	session := h.sessions.Of(second)
	n := sort.Search(len(h.days), func(i int) bool { return h.days[i].Session.From >= session.From })
	c := Context{ATR: h.averageRange(n, session), OpeningRangePlace: h.openingRangePlace(session, second, price, b)}
	if n == len(h.days) || h.days[n].Session != session {
		return c
	}
	today := &h.days[n]
	if n > 0 && today.firstEnd <= second && h.days[n-1].Session.From >= session.From-LookBack {
		last := h.days[n-1].Close
		if last.Sign() > 0 {
			c.GapPct = decimal.Of(today.Open.Sub(last).Mul(decimal.New(100)).DivRound(last, contextScale))
		}
	}
	c.RelativeVolume = h.relativeVolume(n, second-session.From)
	return c
}

// relativeVolume compares the volume of a day up to a time with that of the days
// before.
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

// isWhole reports whether nine tenths of the open time of a session are declared.
func (h *History) isWhole(d *Day) bool {
	if !d.isChecked {
		d.isChecked = true
		open, covered := h.sessions.find(d.Session.From).open, int64(0)
		from := sort.Search(len(h.declared), func(i int) bool { return h.declared[i].To > open.From })
		for _, part := range h.declared[from:] {
			if part.From >= open.To {
				break
			}
			covered += min(part.To, open.To) - max(part.From, open.From)
		}
		d.isWhole = open.To > open.From && 10*covered >= 9*(open.To-open.From)
	}
	return d.isWhole
}

// averageRange returns the average true range of the days before a session, of which
// there are n in h.days.
func (h *History) averageRange(n int, session Range) decimal.Null {
	if list := h.dailyBefore(session); len(list) > atrDays {
		return AverageTrueRange(list)
	}
	if n < len(h.days) && h.days[n].hasATR {
		return h.days[n].atr
	}
	var list []Day
	for i := n - 1; i >= 0 && len(list) < atrHistory && h.days[i].Session.From >= session.From-LookBack; i-- {
		if h.isWhole(&h.days[i]) {
			list = append(list, h.days[i])
		}
	}
	slices.Reverse(list)
	atr := AverageTrueRange(list)
	if n < len(h.days) {
		h.days[n].atr, h.days[n].hasATR = atr, true
	}
	return atr
}

// dailyBefore returns the last daily bars before a session. A session is named after
// the day on which it ends.
func (h *History) dailyBefore(session Range) []Day {
	date := floorDiv(session.To-1, day) * day
	if h.sessions.calendar != AroundTheClock {
		y, m, d := dayOf(session.To - 1).Date()
		date = utcDate(y, m, d)
	}
	n := sort.Search(len(h.daily), func(i int) bool { return h.daily[i].Session.From >= date })
	first := sort.Search(n, func(i int) bool { return h.daily[i].Session.From >= session.From-LookBack })
	return h.daily[max(first, n-atrHistory):n]
}

// openingRangePlace returns where a price is in the first half hour of the session's
// open time. It is absent before the end of that half hour.
func (h *History) openingRangePlace(session Range, at int64, price decimal.Decimal, b Block) decimal.Null {
	open := h.sessions.find(session.From).open
	if open.From == open.To || open.From+openingRange > at || b.Secs > openingRange {
		return decimal.Null{}
	}
	bars := b.barsDuring(open.From*micros, (open.From+openingRange)*micros)
	if len(bars) == 0 || bars[0].Time < open.From {
		return decimal.Null{}
	}
	first := newDay(b, bars)
	width := first.High.Sub(first.Low)
	if width.IsZero() {
		return decimal.Null{}
	}
	return decimal.Of(price.Sub(first.Low).DivRound(width, contextScale))
}

// AverageTrueRange returns Wilder's average of the true ranges of days in order, which
// starts with the plain mean of the first fourteen. It is absent with fewer than
// fifteen days.
func AverageTrueRange(days []Day) decimal.Null {
	if len(days) <= atrDays {
		return decimal.Null{}
	}
	fourteen := decimal.New(atrDays)
	var sum decimal.Decimal
	for i := 1; i <= atrDays; i++ {
		sum = sum.Add(trueRange(days[i-1], days[i]))
	}
	average := sum.DivRound(fourteen, atrScale)
	for i := atrDays + 1; i < len(days); i++ {
		average = average.Mul(decimal.New(atrDays-1)).Add(trueRange(days[i-1], days[i])).DivRound(fourteen, atrScale)
	}
	return decimal.Of(average.Round(MaxPriceScale))
}

// trueRange returns the largest of the day's range and the distances of its extremes
// from the close before.
func trueRange(before, d Day) decimal.Decimal {
	return decimal.Max(d.High, before.Close).Sub(decimal.Min(d.Low, before.Close))
}
