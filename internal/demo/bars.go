package demo

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"

	"fillbook/internal/prices/bars"
	marketdata "fillbook/internal/prices/market"
	"fillbook/internal/trading/ledger"
)

// BarSeries are a symbol's price bars.
type BarSeries struct {
	Symbol string
	Type   string // the instrument's
	Secs   int64
	// Blocks are encoded; see [marketdata.Block].
	Blocks [][]byte
}

// tradedSymbol is a traded symbol.
type tradedSymbol struct {
	instrument
	series *series
	// intraday and overnight are the sessions with positions closed in the same session,
	// and with those held longer.
	intraday, overnight map[int]bool
	fills               []*ledger.NewFill
	walked              map[int][]marketdata.Bar // minutes results
}

// overnightSecs is the bar length for positions held for days: minutes would be many, and
// no trader looks at them.
const overnightSecs = 300

// composeBars returns minute bars for the sessions with day trades, five-minute bars for
// those in which a position was held longer, and daily bars around them, so charts,
// excursions and a day's range can be shown. Options have none: their prices are quoted
// by a formula, at the fills only.
func (s *simulation) composeBars() (list []BarSeries) {
	for _, t := range s.tradedSymbols() {
		var days []marketdata.Bar
		for _, n := range t.nearSessions() {
			days = append(days, t.day(n))
		}
		list = append(list, t.encode(secondsOfDay, days))
		for secs, sessions := range map[int64]map[int]bool{60: t.intraday, overnightSecs: t.overnight} {
			var held []marketdata.Bar
			for _, n := range slices.Sorted(maps.Keys(sessions)) {
				held = append(held, marketdata.Aggregate(t.minutes(n), secs)...)
			}
			if len(held) > 0 {
				list = append(list, t.encode(secs, held))
			}
		}
	}
	slices.SortFunc(list, func(a, b BarSeries) int { return cmp.Or(cmp.Compare(a.Symbol, b.Symbol), cmp.Compare(a.Secs, b.Secs)) })
	return list
}

const secondsOfDay = 24 * 60 * 60

// tradedSymbols returns what was traded in all accounts, by symbol.
func (s *simulation) tradedSymbols() (list []*tradedSymbol) {
	bySymbol := map[string]*tradedSymbol{}
	for _, a := range s.accounts {
		for _, t := range a.trades {
			if t.option != nil {
				continue
			}
			of := bySymbol[t.Symbol]
			if of == nil {
				of = &tradedSymbol{instrument: t.instrument, series: t.series, intraday: map[int]bool{}, overnight: map[int]bool{}, walked: map[int][]marketdata.Bar{}}
				bySymbol[t.Symbol] = of
				list = append(list, of)
			}
			last := t.lastAction().at.session
			if t.ending == stillOn {
				last = len(t.series.sessions) - 1
			}
			held := of.overnight
			if last == t.at.session {
				held = of.intraday
			}
			for n := t.at.session; n <= last; n++ {
				held[n] = true
			}
			of.fills = append(of.fills, t.fills...)
		}
	}
	for _, of := range list {
		slices.SortStableFunc(of.fills, func(a, b *ledger.NewFill) int { return a.ExecutedAt.Compare(b.ExecutedAt) })
	}
	slices.SortFunc(list, func(a, b *tradedSymbol) int { return cmp.Compare(a.Symbol, b.Symbol) })
	return list
}

// daysBefore is for how many sessions before a trade there are daily bars.
const daysBefore = 30

// nearSessions returns the sessions with daily bars: those in which a position was held,
// and some before and after.
func (t *tradedSymbol) nearSessions() []int {
	near := map[int]bool{}
	for _, held := range []map[int]bool{t.intraday, t.overnight} {
		for n := range held {
			for day := max(n-daysBefore, 0); day <= min(n+1, len(t.series.sessions)-1); day++ {
				near[day] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(near))
}

// toPrice converts ticks to an integer price.
func (t *tradedSymbol) toPrice(ticks int) int64 { return int64(ticks) * t.Tick }

// day returns a session's daily bar. A session without a position has its own range,
// because a walk through every session takes long.
func (t *tradedSymbol) day(n int) marketdata.Bar {
	rng, walk := newRandom("day", t.Symbol, n), t.series.days[n]
	toPrice := func(price float64) int64 { return t.toPrice(max(int(math.Round(price/t.tickSize())), 1)) }
	day := marketdata.Bar{
		Time: t.series.sessions[n].day.Time().Unix(), Open: toPrice(walk.open), Close: toPrice(walk.close),
		High:   toPrice(max(walk.open, walk.close) * (1 + 0.5*walk.sigma*rng.Float64())),
		Low:    toPrice(min(walk.open, walk.close) * (1 - 0.5*walk.sigma*rng.Float64())),
		Volume: int64(rng.whole(200_000, 900_000)),
	}
	if t.intraday[n] || t.overnight[n] {
		whole := marketdata.Aggregate(t.minutes(n), secondsOfDay)
		for _, part := range whole {
			day.High, day.Low = max(day.High, part.High), min(day.Low, part.Low)
		}
	}
	return day
}

// anchor is a price on a session's path.
type anchor struct {
	second int64 // in the session
	price  int64
}

// anchors returns the prices on a session's path: each bar's open, high and low, the
// fills, and the last close.
func (t *tradedSymbol) anchors(n int) (list []anchor) {
	at, session := t.series.sessions[n], t.series.session(n)
	rng, width := newRandom("minutes", t.Symbol, n), int64(at.width()/time.Second)
	for i, b := range session {
		start := int64(i) * width
		list = append(list, anchor{start, t.toPrice(b.open)},
			anchor{start + 1 + rng.Int64N(width-1), t.toPrice(b.high)}, anchor{start + 1 + rng.Int64N(width-1), t.toPrice(b.low)})
	}
	end := int64(len(session)) * width
	list = append(list, anchor{end, t.toPrice(session[len(session)-1].close)})
	for _, f := range t.fills {
		second := int64(f.ExecutedAt.Sub(at.start) / time.Second)
		if f.ExecutedAt.Before(at.start) || second >= end+60 {
			continue
		}
		list = append(list, anchor{second, int64(math.Round(f.Price.Float64() * math.Pow10(int(t.Scale))))})
	}
	slices.SortStableFunc(list, func(a, b anchor) int { return cmp.Compare(a.second, b.second) })
	return list
}

// minutes returns a session's minute bars.
func (t *tradedSymbol) minutes(n int) []marketdata.Bar {
	if t.walked[n] == nil {
		t.walked[n] = t.walkMinutes(n)
	}
	return t.walked[n]
}

// walkMinutes makes minute bars from the path through the anchors. A fill in the last
// second may need a minute more than the session has.
func (t *tradedSymbol) walkMinutes(n int) (list []marketdata.Bar) {
	anchors, start := t.anchors(n), t.series.sessions[n].start.Unix()
	rng := newRandom("volumes", t.Symbol, n)
	open := anchors[0].price
	for i := 0; i < len(anchors); {
		second := anchors[i].second / 60 * 60
		if len(list) > 0 {
			second = list[len(list)-1].Time - start + 60
		}
		bar := marketdata.Bar{Time: start + second, Open: open, High: open, Low: open, Volume: int64(rng.whole(20, 400))}
		last := anchor{second, open}
		for ; i < len(anchors) && anchors[i].second < second+60; i++ {
			last = anchors[i]
			bar.High, bar.Low = max(bar.High, last.price), min(bar.Low, last.price)
		}
		bar.Close = last.price
		if i < len(anchors) {
			bar.Close = t.between(last, anchors[i], second+60)
		}
		bar.High, bar.Low = max(bar.High, bar.Close), min(bar.Low, bar.Close)
		if i < len(anchors) || anchors[i-1].second > second || len(list) == 0 {
			list = append(list, bar)
		}
		open = bar.Close
	}
	return list
}

// between returns the price on the way from one anchor to the next at a second, in
// whole ticks.
func (t *tradedSymbol) between(from, to anchor, second int64) int64 {
	share := float64(second-from.second) / float64(max(to.second-from.second, 1))
	ticks := math.Round((float64(from.price) + share*float64(to.price-from.price)) / float64(t.Tick))
	return int64(ticks) * t.Tick
}

func (t *tradedSymbol) encode(secs int64, list []marketdata.Bar) BarSeries {
	encoded := BarSeries{Symbol: t.Symbol, Type: t.market.Kind, Secs: secs}
	for block := range marketdata.SplitBlocks(marketdata.Block{Secs: secs, PriceScale: t.Scale, HasVolume: true, Bars: list}) {
		encoded.Blocks = append(encoded.Blocks, block.AppendTo(nil))
	}
	return encoded
}

// The file name of the import with the demo's bars, and its layout in the demo user's
// journal.
const (
	barsFile   = "Demo journal"
	barsLayout = "Made up by Fillbook"
)

// toImport returns a story's bars as an import with a layout.
func (s Story) toImport(layout string) bars.NewImport {
	file := bars.NewImport{FileName: barsFile, Layout: layout}
	for _, b := range s.Bars {
		file.Series = append(file.Series, bars.NewSeries{
			Key:        bars.Key{Symbol: b.Symbol, Secs: b.Secs, PriceKind: marketdata.TradePrice},
			VolumeKind: marketdata.RealVolume, Calendar: bars.CalendarOf(b.Type, b.Symbol),
			Blocks: func(yield func(marketdata.Block) bool) {
				for _, data := range b.Blocks {
					block, err := marketdata.DecodeBlock(data, nil)
					if err != nil {
						panic("demo: " + err.Error())
					}
					if !yield(block) {
						return
					}
				}
			},
		})
	}
	return file
}
