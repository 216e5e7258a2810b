package excursions

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sort"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/prices/bars"
	"fillbook/internal/prices/market"
	"fillbook/internal/trading/instruments"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
)

// TypedSource is the source for a price typed by the trader.
const TypedSource = "typed"

// Mark is an open position's last known price.
type Mark struct {
	bars.Mark
	// Source is [TypedSource], or the program behind the bar's file.
	Source string
	// IsStale reports whether the price is older than a session.
	IsStale bool
}

// Valuation is what an open position is worth. Amounts are in account currency and before
// costs, and absent if unknown.
type Valuation struct {
	// Quantity is what is held, negative if short.
	Quantity decimal.Decimal
	// Mark is nil if there is no price.
	Mark *Mark
	// Unrealized is the result so far less what was realized at running average cost.
	Unrealized decimal.Null
	// DayChange is how much the result changed since the session before.
	DayChange decimal.Null
}

// RiskAt returns what the position loses from the mark to a stop, at least 0. It is
// absent without a mark or a rate.
func (v *Valuation) RiskAt(stop decimal.Decimal, t *ledger.Trade) decimal.Null {
	if v.Mark == nil {
		return decimal.Null{}
	}
	risk := v.Mark.Price.Sub(stop).Mul(v.Quantity).Mul(t.Multiplier)
	return t.Rate.Convert(decimal.Max(risk, decimal.Zero))
}

// DistanceTo returns how far the mark is from a stop, as a price and in percent of the
// mark. Beyond the stop both are negative.
func (v *Valuation) DistanceTo(stop decimal.Decimal) (distance, percent decimal.Null) {
	if v.Mark == nil {
		return distance, percent
	}
	away := v.Mark.Price.Sub(stop)
	if v.Quantity.Sign() < 0 {
		away = away.Neg()
	}
	if !v.Mark.Price.IsZero() {
		percent = decimal.Of(away.Mul(decimal.New(100)).DivAverage(v.Mark.Price.Abs()))
	}
	return decimal.Of(away), percent
}

// Value returns what the owner's open trades are worth, by the last bar that ended before
// now or by a price typed later.
func (s *Service) Value(ctx context.Context, owner journal.UserID, now time.Time, ids []journal.TradeID) (found map[journal.TradeID]Valuation, err error) {
	err = s.db.View(ctx, func(tx *db.Tx) error {
		found = map[journal.TradeID]Valuation{}
		v := valuer{now: now, found: found}
		if v.meter, err = newMeter(ctx, tx, owner); err != nil {
			return err
		}
		if v.typed, err = bars.Marks(ctx, tx, owner); err != nil {
			return err
		}
		parts, err := ledger.RealizedTradesByID(ctx, tx, owner, ids)
		if err != nil {
			return err
		}
		v.realized = map[journal.TradeID]decimal.Decimal{}
		for _, trade := range parts {
			for _, part := range trade.Parts {
				v.realized[trade.ID] = v.realized[trade.ID].Add(part.Gross)
			}
		}
		trades, err := ledger.TradesByID(ctx, tx, owner, ids)
		if err != nil {
			return err
		}
		v.received = map[journal.TradeID]decimal.Decimal{}
		for _, t := range trades {
			v.received[t.ID] = t.ExitNotional.Sub(t.EntryNotional)
			if t.Direction == matching.Short {
				v.received[t.ID] = v.received[t.ID].Neg()
			}
		}
		return ledger.EachPositionByID(ctx, tx, owner, ids, v.add)
	})
	return found, err
}

// SetMark stores a typed price for one of the owner's open trades, or deletes it if the
// price is absent.
func (s *Service) SetMark(ctx context.Context, owner journal.UserID, now time.Time, id journal.TradeID, price decimal.Null) error {
	return s.db.Update(ctx, func(tx *db.Tx) error {
		account, err := ledger.LockTrade(ctx, tx, owner, id)
		if err != nil {
			return err
		}
		trades, err := ledger.TradesByID(ctx, tx, owner, []journal.TradeID{id})
		if err != nil {
			return err
		}
		if len(trades) == 0 || !trades[0].Open() {
			return journal.Conflict("The trade is closed. Only an open position has a mark.")
		}
		if price.Valid && price.Decimal.Sign() < 0 && !instruments.AllowsNegativePrice(trades[0].Instrument.Type) {
			return journal.InvalidField("price", "price must be zero or more.")
		}
		if err := recordMark(ctx, tx, owner, account, trades[0], price, now); err != nil {
			return err
		}
		if !price.Valid {
			return bars.SetMark(ctx, tx, owner, id, nil)
		}
		return bars.SetMark(ctx, tx, owner, id, &bars.Mark{Price: price.Decimal, At: now})
	})
}

// valuer values positions in one transaction.
type valuer struct {
	*meter
	now      time.Time
	typed    map[journal.TradeID]bars.Mark
	realized map[journal.TradeID]decimal.Decimal
	// received is what trades have brought without what is held, negative for a cost. It has
	// what corporate actions paid and took.
	received map[journal.TradeID]decimal.Decimal
	found    map[journal.TradeID]Valuation
}

// add values the open positions in an instrument.
func (v *valuer) add(list ledger.InstrumentPositions) error {
	i := list.Instrument
	g := v.newGroup(i)
	var found [2]*lastBars // for long and short positions
	for _, p := range list.Positions {
		if !p.Open {
			continue
		}
		t := &trade{Position: p}
		isSame := t.prepare()
		var value Valuation
		for _, f := range t.Fills {
			value.Quantity = value.Quantity.Add(f.Quantity)
		}
		side, isShort := 0, value.Quantity.Sign() < 0
		if isShort {
			side = 1
		}
		if found[side] == nil {
			bars, err := g.findLastBars(v.now, isShort)
			if err != nil {
				return err
			}
			found[side] = &bars
		}
		last := found[side].Block
		value.Mark = v.markOf(t, i, last, found[side].source)
		if value.Mark != nil && isSame && t.isRateKnown() {
			result := value.Quantity.Mul(value.Mark.Price).Mul(t.multiplier).Add(v.received[p.Trade])
			value.Unrealized = decimal.Of(t.convert(result).Sub(v.realized[p.Trade]))
			value.DayChange = t.convertNull(g.dayChange(t, value.Mark.At, market.ResultAt(t.fills, t.multiplier, value.Mark.Price), last))
		}
		v.found[p.Trade] = value
	}
	return nil
}

// lookBackForMark is how many seconds before its last bar a series is read: the previous
// session's close may be a long weekend away.
const lookBackForMark = 10 * secondsOfDay

// longestBreak is the most seconds between two sessions: a long weekend.
const longestBreak = 5 * secondsOfDay

// lastBars are a series' newest ended bars, and their source.
type lastBars struct {
	market.Block
	source string
}

// end returns when the last bar ended, in seconds.
func (b *lastBars) end() int64 {
	if n := len(b.Bars); n > 0 {
		return b.Bars[n-1].Time + b.Secs
	}
	return math.MinInt64
}

// findLastBars returns the instrument's bars whose last one ended latest before now.
// Among several series those with the best price kind count, then the shortest bars.
func (g *group) findLastBars(now time.Time, isShort bool) (best lastBars, err error) {
	own, _, err := g.readersAt(now.UnixMicro())
	if err != nil {
		return best, err
	}
	// latest is the latest possible end for a series' last bar.
	latest := func(r *seriesReader) int64 { return min(r.series.Last+r.series.Secs, now.Unix()) }
	list := slices.Clone(own)
	slices.SortStableFunc(list, func(a, b *seriesReader) int {
		return cmp.Or(cmp.Compare(latest(b), latest(a)), cmp.Compare(markRank(a.series.PriceKind, isShort), markRank(b.series.PriceKind, isShort)),
			cmp.Compare(a.series.Secs, b.series.Secs))
	})
	for _, r := range list {
		if latest(r) <= best.end() {
			break
		}
		found, err := r.readLastBars(now)
		if err != nil {
			return best, err
		}
		if found.end() > best.end() {
			best = found
		}
	}
	return best, nil
}

// markRank orders price kinds for a mark: trade prices are best, then the middle, then
// the price at which the position can be closed.
func markRank(kind market.PriceKind, isShort bool) int {
	if isShort && kind == market.AskPrice || !isShort && kind == market.BidPrice {
		return 2*kindRank(kind) - 1
	}
	return 2 * kindRank(kind)
}

// readLastBars returns a series' bars from the last days that ended before now.
func (r *seriesReader) readLastBars(now time.Time) (last lastBars, err error) {
	to := min(r.series.Last, now.Unix()-r.series.Secs) + 1
	from := to - max(lookBackForMark, 10*r.series.Secs)
	last.Block, err = bars.Read(r.group.ctx, r.group.tx, r.group.owner, r.series, market.Range{From: from, To: to})
	if n := len(last.Bars); n > 0 {
		last.source, _ = r.coverage.Source(market.Range{From: last.Bars[n-1].Time, To: last.Bars[n-1].Time + last.Secs})
	}
	return last, err
}

// markOf returns the later of the typed price and the last close, or nil. A bar that
// ended before the opening is not used.
func (v *valuer) markOf(t *trade, i ledger.Instrument, block market.Block, source string) (mark *Mark) {
	if n := len(block.Bars); n > 0 {
		bar := block.Bars[n-1]
		if end := bar.Time + block.Secs; end*micros >= t.opened() {
			price := decimal.FromScaled(bar.Close, block.PriceScale)
			mark = &Mark{Mark: bars.Mark{Price: price, At: time.Unix(end, 0).UTC()}, Source: source}
		}
	}
	if typed, found := v.typed[t.Trade]; found && (mark == nil || typed.At.After(mark.At)) {
		mark = &Mark{Mark: typed, Source: TypedSource}
	}
	if mark != nil {
		mark.IsStale = isStale(mark.At, v.now, i.Type)
	}
	return mark
}

// isStale reports whether a price is too old to be shown without a remark: older than a
// day for crypto, and for forex on weekdays; else older than the end of the last weekday
// before today, in UTC.
func isStale(at, now time.Time, instrumentType string) bool {
	isWeekday := now.Weekday() != time.Saturday && now.Weekday() != time.Sunday
	if instrumentType == instruments.TypeCrypto || instrumentType == instruments.TypeForex && isWeekday {
		return now.Sub(at) > 24*time.Hour
	}
	end := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC)
	for before := end.AddDate(0, 0, -1); before.Weekday() == time.Saturday || before.Weekday() == time.Sunday; before = end.AddDate(0, 0, -1) {
		end = before
	}
	return at.Before(end)
}

// dayChange returns how much the result changed since the last price in the session
// before the mark's. A position opened in this session changed by its whole result.
func (g *group) dayChange(t *trade, at time.Time, result decimal.Decimal, block market.Block) decimal.Null {
	start := g.sessions.Of(at.Unix() - 1).From
	if t.opened() >= start*micros {
		return decimal.Of(result)
	}
	before := sort.Search(len(block.Bars), func(i int) bool { return block.Bars[i].Time+block.Secs > start }) - 1
	if before < 0 || block.Bars[before].Time < start-longestBreak {
		return decimal.Null{}
	}
	price := decimal.FromScaled(block.Bars[before].Close, block.PriceScale)
	n := 0
	for n < len(t.fills) && t.fills[n].At < start*micros {
		n++
	}
	return decimal.Of(result.Sub(market.ResultAt(t.fills[:n], t.multiplier, price)))
}

// recordMark records a typed price. Typing the same price again is a change, because its
// instant is stored.
func recordMark(
	ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID, trade ledger.Trade, price decimal.Null, now time.Time,
) error {
	marks, err := bars.Marks(ctx, tx, owner)
	if err != nil {
		return err
	}
	var before, after *bars.Mark
	if mark, known := marks[trade.ID]; known {
		before = &mark
	}
	if price.Valid {
		after = &bars.Mark{Price: price.Decimal, At: now}
	}
	bars.RecordMark(tx, owner, account, trade.ID, trade.Instrument.Symbol, before, after)
	return nil
}
