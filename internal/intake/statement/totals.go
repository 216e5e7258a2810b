package statement

import (
	"cmp"
	"iter"
	"slices"
	"strconv"

	"fillbook/internal/base/decimal"
	"fillbook/internal/trading/instruments"
	"fillbook/internal/trading/matching"
)

// The items a file can state about itself. Results are for closed positions; costs are
// positive.
const (
	ItemNetPnL      = "closed_pnl"
	ItemGrossPnL    = "gross_pnl"
	ItemCommission  = "commission"
	ItemFees        = "fees"
	ItemCosts       = "costs"
	ItemDeposits    = "deposits"
	ItemWithdrawals = "withdrawals"
	ItemNetCash     = "net_cash"
	ItemBalance     = "balance"
	ItemFills       = "fills"
)

// checkTotals computes every stated item from what was read.
func (s *Statement) checkTotals() {
	for i, t := range s.Totals {
		s.Totals[i].Computed = s.Sum(t.Item)
	}
}

// Sum computes an item over everything read.
func (s *Statement) Sum(item string) decimal.Decimal {
	switch item {
	case ItemNetPnL:
		_, net := s.results()
		return net
	case ItemGrossPnL:
		gross, _ := s.results()
		return gross
	case ItemCommission:
		return s.overFills(func(f *Fill) decimal.Decimal { return f.Commission })
	case ItemFees:
		return s.overFills(func(f *Fill) decimal.Decimal { return f.Fees })
	case ItemCosts:
		return s.overFills(func(f *Fill) decimal.Decimal { return f.Fees.Add(f.Commission) })
	case ItemDeposits:
		return s.overCash("deposit")
	case ItemWithdrawals:
		return s.overCash("withdrawal").Neg()
	case ItemNetCash:
		return s.overCash("")
	case ItemBalance:
		_, net := s.results()
		return s.overCash("").Add(net)
	case ItemFills:
		return decimal.New(int64(len(s.Fills)))
	}
	return decimal.Zero
}

func (s *Statement) overFills(of func(*Fill) decimal.Decimal) decimal.Decimal {
	sum := decimal.Zero
	for _, f := range s.Fills {
		sum = sum.Add(of(f))
	}
	return sum
}

func (s *Statement) overCash(kind string) decimal.Decimal {
	sum := decimal.Zero
	for _, c := range s.Cash {
		if kind == "" || c.Type == kind {
			sum = sum.Add(c.Amount)
		}
	}
	return sum
}

// results groups the file's own fills and adds up what was closed: before costs over
// closed trades, after costs also over the closed part of open ones.
func (s *Statement) results() (gross, net decimal.Decimal) {
	for t := range s.Trades() {
		gross, net = gross.Add(t.GrossPnL.Or(decimal.Zero)), net.Add(t.RealizedPnL)
	}
	return gross, net
}

// Trade is a trade made by the file's own fills.
type Trade struct {
	matching.Trade
	Fill *Fill // the opening fill
}

// Trades groups the file's own fills, as if the journal held nothing else.
func (s *Statement) Trades() iter.Seq[Trade] {
	return func(yield func(Trade) bool) {
		for _, stream := range s.streams() {
			for t := range s.groupStream(stream) {
				if !yield(t) {
					return
				}
			}
		}
	}
}

func (s *Statement) groupStream(stream []int) iter.Seq[Trade] {
	return func(yield func(Trade) bool) {
		for t := range (matching.Grouping{Events: s.splitEvents(stream)}).Walk(s.fillsOf(stream)) {
			if !yield(Trade{Trade: t, Fill: s.Fills[t.First.Seq]}) {
				return
			}
		}
	}
}

// Latest returns the n trades opened last, the latest first. Instruments whose last fill
// is before all of them are skipped.
func (s *Statement) Latest(n int) []Trade {
	streams := s.streams()
	end := func(stream []int) int64 { return s.Fills[stream[len(stream)-1]].At.UnixMicro() }
	slices.SortStableFunc(streams, func(a, b []int) int { return cmp.Compare(end(b), end(a)) })
	var latest []Trade
	later := func(a, b Trade) int { return cmp.Compare(b.First.At, a.First.At) }
	for _, stream := range streams {
		if len(latest) == n && end(stream) < latest[n-1].First.At {
			break
		}
		for t := range s.groupStream(s.lastFills(stream, n)) {
			if len(latest) == n && later(latest[n-1], t) <= 0 {
				continue
			}
			at, _ := slices.BinarySearchFunc(latest, t, func(a, b Trade) int { return cmp.Or(later(a, b), -1) })
			latest = slices.Insert(latest, at, t)
			latest = latest[:min(len(latest), n)]
		}
	}
	return latest
}

// streams returns the fill indexes for each instrument, in order of first appearance.
func (s *Statement) streams() [][]int {
	numbers := streamNumbers{}
	streamOf := make([]int, len(s.Fills))
	var sizes []int
	for i, f := range s.Fills {
		n := numbers.find(f)
		if n == len(sizes) {
			sizes = append(sizes, 0)
		}
		streamOf[i] = n
		sizes[n]++
	}
	streams, places := make([][]int, len(sizes)), make([]int, len(s.Fills))
	for n, size := range sizes {
		streams[n], places = places[:0:size], places[size:]
	}
	for i, n := range streamOf {
		streams[n] = append(streams[n], i)
	}
	return streams
}

// streamNumbers numbers instruments in the order in which it meets them.
type streamNumbers struct {
	plain  map[[2]string]int // by symbol and type
	others map[streamKey]int
}

func (s *streamNumbers) find(f *Fill) int {
	if s.plain == nil {
		s.plain, s.others = map[[2]string]int{}, map[streamKey]int{}
	}
	next := len(s.plain) + len(s.others)
	if f.Right == "" && !f.Strike.Valid && f.Expiry == "" && f.Lot == "" {
		return findOrAdd(s.plain, [2]string{f.Symbol, f.Type}, next)
	}
	return findOrAdd(s.others, f.stream(), next)
}

func findOrAdd[K comparable](numbers map[K]int, key K, next int) int {
	n, known := numbers[key]
	if !known {
		n = next
		numbers[key] = n
	}
	return n
}

// lastFills returns the end of a stream with at least its last n trades, if there are as
// many. It begins at a flat position, and all trades before it were opened at an earlier
// instant.
func (s *Statement) lastFills(stream []int, n int) []int {
	if len(s.splitEvents(stream)) > 0 {
		return stream
	}
	var starts []int // after flat points, without those inside an instant
	var flat []int   // how many flat points there are up to each start
	position, count := decimal.Zero, 0
	for i, f := range stream[:len(stream)-1] {
		if position = position.Add(s.Fills[f].signed()); !position.IsZero() {
			continue
		}
		count++
		if s.Fills[f].At.Before(s.Fills[stream[i+1]].At) {
			starts, flat = append(starts, i+1), append(flat, count)
		}
	}
	for i, start := range slices.Backward(starts) {
		if count-flat[i] >= n {
			return stream[start:]
		}
	}
	return stream
}

func (s *Statement) fillsOf(stream []int) iter.Seq[matching.Fill] {
	return func(yield func(matching.Fill) bool) {
		for _, i := range stream {
			f := s.Fills[i]
			fill := matching.Fill{
				ID: strconv.Itoa(i), At: f.At.UnixMicro(), Seq: int64(i), Side: f.Side, Quantity: f.Quantity, Price: f.Price,
				Multiplier: f.effectiveMultiplier(), Fees: f.Fees, Commission: f.Commission, StatedPnL: f.StatedPnL,
			}
			if !yield(fill) {
				return
			}
		}
	}
}

// effectiveMultiplier returns the fill's multiplier, or the usual one.
func (f *Fill) effectiveMultiplier() decimal.Decimal {
	if f.Multiplier.Valid {
		return f.Multiplier.Decimal
	}
	usual, _ := instruments.DefaultMultiplier(f.Symbol, f.Type)
	return usual
}
