package bars

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/prices/market"
	"fillbook/internal/trading/instruments"
)

// MaxPoints is how many bars a window has at most.
const MaxPoints = 2000

// WindowQuery selects bars for a chart.
type WindowQuery struct {
	Of instruments.Priced
	// Secs is the bar length, or 0 for the shortest stored bars.
	Secs int64
	// PriceKind is the price kind, or empty for the best stored one.
	PriceKind market.PriceKind
	// From and To are the first and last bar's opening times, in seconds. nil means the
	// whole series.
	From, To *int64
	// Held are instants that should have bars, in seconds: the ends of a trade. Of several
	// series, the one with bars at most of them is chosen, because the shortest bars in the
	// window may be those of other days.
	Held []int64
	// MaxPoints is how many bars are returned at most. If there are more, the bars are
	// longer.
	MaxPoints int
}

// Window is a run of bars for a chart.
type Window struct {
	// Series is the series the bars were made from; its ID is empty if none.
	Series Series
	// Similar reports whether the bars are another contract's.
	Similar bool
	market.Block
}

// kindOrder is the order of preference for price kinds.
var kindOrder = []market.PriceKind{market.TradePrice, market.MidPrice, market.BidPrice, market.AskPrice}

// Window returns an instrument's bars. Without a series it has no bars. Another
// contract's bars are returned only if the fills in the window lie inside them.
func (s *Service) Window(ctx context.Context, owner journal.UserID, q WindowQuery) (w Window, err error) {
	err = s.db.View(ctx, func(tx *db.Tx) error {
		w = Window{}
		lookup, err := LoadLookup(ctx, tx, owner)
		if err != nil {
			return err
		}
		matches := lookup.Find(q.Of, q.tradedAt(s.clock))
		ofKind := slices.DeleteFunc(slices.Clone(matches), func(m Match) bool { return q.PriceKind != "" && m.PriceKind != q.PriceKind })
		chosen := q.order(ofKind)
		if len(chosen) == 0 && len(ofKind) > 0 {
			return journal.InvalidField("bar_secs", "Bars of %d seconds can't be made from the stored ones. Choose a multiple of %d.", q.Secs, ofKind[0].Secs)
		}
		if err := s.preferHeld(ctx, tx, owner, chosen, q); err != nil {
			return err
		}
		for _, m := range chosen {
			window, err := s.readWindow(ctx, tx, owner, m, q)
			if err != nil {
				return err
			}
			if len(window.Bars) > 0 {
				w = window
				return nil
			}
		}
		return nil
	})
	return w, err
}

// preferHeld moves the series with bars at most of the query's instants before others of
// the same kind. Longer bars than intraday ones count only if they are requested.
func (s *Service) preferHeld(ctx context.Context, tx *db.Tx, owner journal.UserID, list []Match, q WindowQuery) error {
	if len(q.Held) == 0 || len(list) < 2 {
		return nil
	}
	held := map[journal.SeriesID]int{}
	for _, m := range list {
		if m.Secs >= secondsOfDay && q.Secs < secondsOfDay {
			continue
		}
		for _, at := range q.Held {
			block, err := Read(ctx, tx, owner, m.Series, market.Range{From: at - m.Secs + 1, To: at + 1})
			if err != nil {
				return err
			}
			if len(block.Bars) > 0 {
				held[m.ID]++
			}
		}
	}
	slices.SortStableFunc(list, func(a, b Match) int {
		return cmp.Or(compareSimilar(a, b), compareKinds(a, b), -cmp.Compare(held[a.ID], held[b.ID]))
	})
	return nil
}

const secondsOfDay = 24 * 60 * 60

// tradedAt returns the time for which a symbol is meant: a single-digit year is the next
// one.
func (q WindowQuery) tradedAt(clock journal.Clock) time.Time {
	switch {
	case q.To != nil:
		return time.Unix(*q.To, 0).UTC()
	case q.From != nil:
		return time.Unix(*q.From, 0).UTC()
	}
	return clock().UTC()
}

// order returns the matches suitable for bars with the requested length, the best first:
// the instrument's own prices, the preferred kind, the requested length, then the longest
// dividing it. Without a requested length the shortest bars come first.
func (q WindowQuery) order(matches []Match) []Match {
	usable := slices.DeleteFunc(slices.Clone(matches), func(m Match) bool { return q.Secs > 0 && q.Secs%m.Secs != 0 })
	slices.SortStableFunc(usable, func(a, b Match) int {
		bySecs := cmp.Compare(a.Secs, b.Secs)
		if q.Secs > 0 {
			bySecs = -bySecs
		}
		return cmp.Or(compareSimilar(a, b), compareKinds(a, b), bySecs)
	})
	return usable
}

func compareKinds(a, b Match) int {
	return cmp.Compare(slices.Index(kindOrder, a.PriceKind), slices.Index(kindOrder, b.PriceKind))
}

func compareSimilar(a, b Match) int {
	switch {
	case a.Similar == b.Similar:
		return 0
	case a.Similar:
		return 1
	}
	return -1
}

func (s *Service) readWindow(ctx context.Context, tx *db.Tx, owner journal.UserID, m Match, q WindowQuery) (Window, error) {
	from, to := m.First, m.Last
	// A longer bar may open before the first stored one. Only an asked start leaves it out.
	earliest := int64(math.MinInt64)
	if q.From != nil {
		from, earliest = *q.From, *q.From
	}
	if q.To != nil {
		to = *q.To
	}
	if m.Similar {
		fits, err := s.fillsFit(ctx, tx, owner, m.Series, q.Of, market.Range{From: from, To: to + 1})
		if err != nil || !fits {
			return Window{}, err
		}
	}
	c := coarsener{stored: m.Secs, secs: max(q.Secs, m.Secs), most: q.MaxPoints, from: earliest, block: market.Block{Secs: m.Secs}}
	read := func(within market.Range) error {
		return eachMerged(ctx, tx, owner, m.Series, within, func(block market.Block) error {
			c.add(block, within)
			return nil
		})
	}
	if err := read(market.Range{From: from, To: to + 1}); err != nil {
		return Window{}, err
	}
	// The last bar opens at to or before it and may be longer than what was read.
	if end := to - floorMod(to, c.secs) + c.secs; c.secs > m.Secs && end > to+1 {
		if err := read(market.Range{From: to + 1, To: end}); err != nil {
			return Window{}, err
		}
	}
	return Window{Series: m.Series, Similar: m.Similar, Block: c.finish()}, nil
}

func floorMod(a, b int64) int64 { return ((a % b) + b) % b }

// fillsFit reports whether an instrument's fills lie inside a series' bars.
func (s *Service) fillsFit(ctx context.Context, tx *db.Tx, owner journal.UserID, series Series, of instruments.Priced, within market.Range) (bool, error) {
	if s.fills == nil {
		return false, nil
	}
	fills, err := s.fills(ctx, tx, owner, of, within)
	if err != nil || len(fills) == 0 {
		return false, err
	}
	const microsecond = 1_000_000
	first, last := fills[0].At/microsecond, fills[len(fills)-1].At/microsecond
	block, err := Read(ctx, tx, owner, series, market.Range{From: first - series.Secs, To: last + 1})
	return FillsFit(block, fills), err
}

// coarsener makes longer bars while bars are read, so a window spanning years of second
// bars needs little memory.
type coarsener struct {
	stored int64 // the stored bar length
	secs   int64 // the bar length so far
	most   int
	from   int64
	block  market.Block
}

// barLengths are the bar lengths on charts. Each divides the next, so bars can be made
// longer again.
var barLengths = []int64{1, 5, 15, 30, 60, 300, 900, 1800, 3600, 7200, 14400, 43200, 86400, 604800, 4 * 604800, 52 * 604800}

// nextLength returns the next longer multiple of secs.
func nextLength(secs int64) int64 {
	for _, length := range barLengths {
		if length > secs && length%secs == 0 {
			return length
		}
	}
	return 2 * secs
}

// add adds a block's bars opening within the range.
func (c *coarsener) add(block market.Block, within market.Range) {
	from, _ := slices.BinarySearchFunc(block.Bars, within.From, compareOpening)
	to, _ := slices.BinarySearchFunc(block.Bars, within.To, compareOpening)
	if block.Bars = block.Bars[from:to]; len(block.Bars) == 0 {
		return
	}
	block.Bars = c.aggregate(block.Bars)
	hasVolume := c.block.HasVolume || block.HasVolume
	if len(c.block.Bars) == 0 {
		c.block = block
	} else {
		market.EqualizeScales(&c.block, &block)
		c.block.Bars = c.aggregate(append(c.block.Bars, block.Bars...))
	}
	c.block.HasVolume = hasVolume
	// One more bar may open before the window, and is left out in the end.
	for len(c.block.Bars) > c.most+1 || len(c.block.Bars) == c.most+1 && c.block.Bars[0].Time >= c.from {
		c.secs = nextLength(c.secs)
		c.block.Bars = c.aggregate(c.block.Bars)
	}
}

// aggregate makes bars with the current length. Stored bars keep their openings, which
// need not be multiples of their length: hour bars for American shares open at 9:30.
func (c *coarsener) aggregate(list []market.Bar) []market.Bar {
	if c.secs == c.stored {
		return list
	}
	return market.Aggregate(list, c.secs)
}

func compareOpening(b market.Bar, at int64) int { return cmp.Compare(b.Time, at) }

// finish returns the bars opening in the window.
func (c *coarsener) finish() market.Block {
	c.block.Secs = c.secs
	if len(c.block.Bars) > 0 && c.block.Bars[0].Time < c.from {
		c.block.Bars = c.block.Bars[1:]
	}
	return c.block
}
