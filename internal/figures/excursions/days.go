package excursions

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sort"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/analytics"
	"fillbook/internal/prices/bars"
	"fillbook/internal/prices/market"
	"fillbook/internal/trading/ledger"
)

// LastChange returns the number of the last change to the owner's bars, 0 without
// changes.
func (s *Service) LastChange(ctx context.Context, owner journal.UserID) (last int64, err error) {
	err = s.db.Peek(ctx, func(tx *db.Tx) error {
		last, err = bars.LastChange(ctx, tx, owner)
		return err
	})
	return last, err
}

// ValueDays returns the trades' results so far at the end of each UTC day while they were
// open, and now if some are open: the sums over all of them, from the first day to the
// last. A day without open trades at its end has the result 0.
func (s *Service) ValueDays(ctx context.Context, owner journal.UserID, now time.Time, ids []journal.TradeID) (list []analytics.OpenDay, err error) {
	v := dayValuer{now: now.Unix(), sums: map[int64]decimal.Null{}}
	err = s.db.View(ctx, func(tx *db.Tx) (err error) {
		if v.meter, err = newMeter(ctx, tx, owner); err != nil {
			return err
		}
		return ledger.EachPositionByID(ctx, tx, owner, ids, v.add)
	})
	if err != nil || len(v.sums) == 0 {
		return nil, err
	}
	ends := slices.Sorted(maps.Keys(v.sums))
	for end := ends[0]; end < ends[len(ends)-1]; end = nextDay(end) {
		if _, known := v.sums[end]; !known {
			v.sums[end] = decimal.Of(decimal.Zero)
		}
	}
	for _, end := range slices.Sorted(maps.Keys(v.sums)) {
		list = append(list, analytics.OpenDay{At: time.Unix(end, 0).UTC(), Result: v.sums[end]})
	}
	return list, nil
}

// nextDay returns the first day end after a second.
func nextDay(second int64) int64 { return second - second%secondsOfDay + secondsOfDay }

// dayValuer sums open trades' results by day.
type dayValuer struct {
	*meter
	now  int64 // in seconds
	sums map[int64]decimal.Null
}

// add adds an instrument's positions.
func (v *dayValuer) add(list ledger.InstrumentPositions) error {
	g := v.newGroup(list.Instrument)
	closes := map[*seriesReader]dayCloses{}
	within := market.Range{From: list.Positions[0].Fills[0].At/micros - longestBreak, To: 0}
	for _, p := range list.Positions {
		end := p.Fills[len(p.Fills)-1].At / micros
		if p.Open {
			end = v.now
		}
		within.To = max(within.To, end)
	}
	for _, p := range list.Positions {
		t := &trade{Position: p}
		isSame := t.prepare()
		readers, err := g.readersOfDays(t.opened())
		if err != nil {
			return err
		}
		for _, r := range readers {
			if closes[r] == nil {
				if closes[r], err = r.readDayCloses(within, v.now); err != nil {
					return err
				}
			}
		}
		v.addTrade(t, isSame && t.isRateKnown(), func(at int64) decimal.Null {
			for _, r := range readers {
				if price := closes[r].at(at, g.isTradingDay); price.Valid {
					return price
				}
			}
			return decimal.Null{}
		})
	}
	return nil
}

// addTrade adds a trade's result at the end of each day while it was open.
func (v *dayValuer) addTrade(t *trade, isMeasurable bool, priceAt func(int64) decimal.Null) {
	last := min(t.Fills[len(t.Fills)-1].At/micros, v.now)
	if t.Open {
		last = v.now
	}
	value := func(at int64) {
		n := 0
		for n < len(t.fills) && t.fills[n].At < at*micros {
			n++
		}
		var result decimal.Null
		if price := priceAt(at); price.Valid && isMeasurable {
			result = decimal.Of(t.convert(market.ResultAt(t.fills[:n], t.multiplier, price.Decimal)))
		}
		if sum, known := v.sums[at]; known && (!sum.Valid || !result.Valid) {
			result = decimal.Null{}
		} else if known {
			result.Decimal = result.Decimal.Add(sum.Decimal)
		}
		v.sums[at] = result
	}
	end := nextDay(t.opened() / micros)
	for ; end <= last; end += secondsOfDay {
		value(end)
	}
	if t.Open && end-secondsOfDay < last && t.opened() < last*micros {
		value(last)
	}
}

// readersOfDays returns an instrument's series in the order their closes are used: long
// bars first, because there are fewer, and daily bars last, because their end time is not
// known.
func (g *group) readersOfDays(at int64) ([]*seriesReader, error) {
	own, _, err := g.readersAt(at)
	list := slices.Clone(own)
	slices.SortStableFunc(list, func(a, b *seriesReader) int {
		isDaily := func(r *seriesReader) int { return int(r.series.Secs / secondsOfDay) }
		return cmp.Or(cmp.Compare(min(isDaily(a), 1), min(isDaily(b), 1)), cmp.Compare(kindRank(a.series.PriceKind), kindRank(b.series.PriceKind)),
			cmp.Compare(b.series.Secs, a.series.Secs))
	})
	return list, err
}

// dayCloses are last closes by the end of their day.
type dayCloses map[int64]decimal.Decimal

// at returns the last close at or before an instant, on the same day or on the previous
// trading day. It is absent if that day has no bars.
func (c dayCloses) at(second int64, isTradingDay func(market.Range) bool) decimal.Null {
	for end := nextDay(second - 1); end > second-longestBreak; end -= secondsOfDay {
		if price, found := c[end]; found {
			return decimal.Of(price)
		}
		if isTradingDay(market.Range{From: end - secondsOfDay, To: min(end, second)}) {
			break
		}
	}
	return decimal.Null{}
}

// leastOpen is how many seconds per UTC day an instrument must be traded for the day to
// have bars. It is more than a Sunday evening.
const leastOpen = 4 * 60 * 60

// isTradingDay reports whether the instrument is traded on a UTC day, at least partly.
// Instruments without a calendar rest on weekends.
func (g *group) isTradingDay(day market.Range) bool {
	if known, found := g.tradingDays[day]; found {
		return known
	}
	isOpen := false
	weekday := time.Unix(day.From, 0).UTC().Weekday()
	isWeekend := weekday == time.Saturday || weekday == time.Sunday
	if !isWeekend || g.calendar != market.NoCalendar {
		open := int64(0)
		for _, part := range g.calendar.OpenRanges(day) {
			open += part.To - part.From
		}
		isOpen = open >= leastOpen
	}
	g.tradingDays[day] = isOpen
	return isOpen
}

// add adds a block's daily closes, from bars ended until now.
func (c dayCloses) add(block market.Block, now int64) {
	dayOf := func(i int) int64 { return nextDay(block.Bars[i].Time + block.Secs - 1) }
	ended := sort.Search(len(block.Bars), func(i int) bool { return block.Bars[i].Time+block.Secs > now })
	for i := range ended {
		if i+1 == ended || dayOf(i+1) != dayOf(i) {
			c[dayOf(i)] = decimal.FromScaled(block.Bars[i].Close, block.PriceScale)
		}
	}
}

// readDayCloses reads the daily closes in a range, from bars ended until now.
func (r *seriesReader) readDayCloses(within market.Range, now int64) (dayCloses, error) {
	closes := dayCloses{}
	step := heldSpans * market.BlockSpan(r.series.Secs)
	last := min(within.To, r.series.Last+r.series.Secs, now)
	for from := market.BlockStart(max(within.From, r.series.First), r.series.Secs); from < last; from += step {
		block, err := bars.ReadInto(r.group.ctx, r.group.tx, r.group.owner, r.series, market.Range{From: from, To: min(from+step, last)}, r.block.Bars)
		if err != nil {
			return nil, err
		}
		r.block = block
		closes.add(block, now)
	}
	return closes, nil
}
