package analytics

import (
	"time"

	"fillbook/internal/base/journal"
)

// Results that count when they are realized. The columns have a row for each instant at
// which a trade realized a part of its result, so sums, days and curves work on them as
// on trades. When trades are counted, a trade's parts in the same group count as one.

// Status selects trades by whether they are open.
type Status uint8

// The filter statuses.
const (
	AnyStatus Status = iota
	OnlyClosed
	OnlyOpen
)

// rowState is a row's flags.
type rowState uint8

const (
	partState rowState = 1 << iota
	openState
	reviewedState
	noteState
	attachmentState
	removedState
	stopState
)

func (r rowState) isPart() bool { return r&partState != 0 }
func (r rowState) isOpen() bool { return r&openState != 0 }

func (r rowState) has(flag rowState) bool { return r&flag != 0 }

func newRowState(t *Trade) (r rowState) {
	for _, flag := range []struct {
		is    bool
		state rowState
	}{
		{t.Part, partState},
		{t.Open, openState},
		{t.Reviewed, reviewedState},
		{t.HasNote, noteState},
		{t.HasAttachment, attachmentState},
		{t.Removed, removedState},
		{t.HasStop, stopState},
	} {
		if flag.is {
			r |= flag.state
		}
	}
	return r
}

// FindTrades returns the rows for some trades, in no order.
func (c *Columns) FindTrades(ids []journal.TradeID) []Trade {
	set := newIDSet(ids)
	found := make([]Trade, 0, len(ids))
	for _, p := range c.pages {
		for _, row := range p.ids.findRows(set) {
			found = append(found, p.trade(row))
		}
	}
	return found
}

// UnsharedBytes returns the size of the pages not shared with other.
func (c *Columns) UnsharedBytes(other *Columns) int {
	shared := make(map[*page]bool, len(other.pages))
	for _, p := range other.pages {
		shared[p] = true
	}
	n := 0
	for _, p := range c.pages {
		if !shared[p] {
			n += p.bytes()
		}
	}
	return n
}

// partKey identifies a trade inside a group. Ids other than UUIDs have no key across
// pages; they are compared as text.
type partKey struct {
	id    idKey
	text  journal.TradeID
	group int32
}

func (s *Selection) partKey(p pick, group int32) partKey {
	ids := &s.pages[p.source].ids
	if key := ids.keys[p.row]; !key.isOther() {
		return partKey{id: key, group: group}
	}
	return partKey{text: ids.at(p.row), group: group}
}

// mergeParts merges each trade's parts in the same group. net are the selection's
// results, and of has each row's group; nil means one group. It returns a selection with
// one row for each trade and group, the last merged row, in time order, with its result
// and its group. A selection without parts is returned unchanged.
func mergeParts[T number[T]](s *Selection, net []T, of []int32) (*Selection, []T, []int32) {
	if !s.parts {
		return s, net, of
	}
	places, last := s.numberTrades(of)
	merged := *s
	merged.parts = false
	merged.picks = make([]pick, 0, len(last))
	groups := make([]int32, 0, len(last))
	at := make([]int32, len(last)) // each result's index
	for i, place := range places {
		if int(last[place]) != i {
			continue
		}
		at[place] = int32(len(merged.picks))
		merged.picks = append(merged.picks, s.picks[i])
		if of != nil {
			groups = append(groups, of[i])
		}
	}
	sumParts := func(parts []T) []T {
		sums := make([]T, len(last))
		for i, place := range places {
			sums[at[place]] = sums[at[place]].add(parts[i])
		}
		return sums
	}
	if s.isConverted() {
		merged.ownSums = sumParts(readColumn[T](s, ownNetOf))
	}
	return &merged, sumParts(net), groups
}

// numberTrades numbers each group's trades. It returns each row's number, and the last
// row for each number.
func (s *Selection) numberTrades(of []int32) (places, last []int32) {
	places = make([]int32, len(s.picks))
	known := map[partKey]int32{}
	for i, p := range s.picks {
		place := int32(len(last))
		if s.pages[p.source].state[p.row].isPart() {
			group := int32(0)
			if of != nil {
				group = of[i]
			}
			key := s.partKey(p, group)
			if found, merges := known[key]; merges {
				places[i], last[found] = found, int32(i)
				continue
			}
			known[key] = place
		}
		places[i], last = place, append(last, int32(i))
	}
	return places, last
}

// tallyParts adds up breakdown rows over realized parts. Each selected row has one group.
func tallyParts[T number[T]](s *Selection, q BreakdownQuery, g grouping) []rowTally[T] {
	rows := make([]rowTally[T], len(g.keys))
	of := make([]int32, len(s.picks))
	net, gross, fees, volume := readColumn[T](s, netOf), readColumn[T](s, grossOf), readColumn[T](s, feesOf), readColumn[T](s, volumeOf)
	for i := range of {
		of[i] = g.of(i)[0]
		t := &rows[of[i]]
		t.gross, t.fees, t.volume = t.gross.add(gross[i]), t.fees.add(fees[i]), t.volume.add(volume[i])
	}
	trades, sums, groups := mergeParts(s, net, of)
	results := outcomes(trades, sums)
	for i, k := range groups {
		rows[k].addResult(sums[i], results[i])
	}
	rs, withR := computeMultiples(trades, sums)
	for k, i := range withR {
		if results[i] == uncounted {
			continue
		}
		t := &rows[groups[i]]
		t.rs += rs[k]
		t.withR++
	}
	if q.Evidence {
		addRowDays(s, rows, net, of, newClock(q.Zone))
	}
	return rows
}

// addRowDays adds daily results to breakdown rows.
func addRowDays[T number[T]](s *Selection, rows []rowTally[T], net []T, of []int32, c *clock) {
	days, dayOf := s.findDays(c)
	both, place := indexPairs(of, dayOf)
	trades, sums, groups := mergeParts(s, net, place)
	results := outcomes(trades, sums)
	for i, k := range groups {
		if results[i] != uncounted {
			rows[both[k][0]].addToDay(days[both[k][1]], sums[i], results[i])
		}
	}
}

// indexPairs returns the distinct pairs in two lists, and each pair's index.
func indexPairs(a, b []int32) (pairs [][2]int32, of []int32) {
	of = make([]int32, len(a))
	places := map[[2]int32]int32{}
	for i := range of {
		pair := [2]int32{a[i], b[i]}
		place, seen := places[pair]
		if !seen {
			place = int32(len(pairs))
			places[pair] = place
			pairs = append(pairs, pair)
		}
		of[i] = place
	}
	return pairs, of
}

// listTradesAt returns the trades at some rows, by their indexes among the merged trades.
// The rows must be in order.
func (s *Selection) listTradesAt(trades *Selection, rows []int32) tradeList {
	var list tradeList
	if !s.parts {
		for _, row := range rows {
			list.add(int(row))
		}
		return list
	}
	inside := map[partKey]bool{}
	for _, row := range rows {
		inside[s.partKey(s.picks[row], 0)] = true
	}
	return listWhere(len(trades.picks), func(i int) bool { return inside[s.partKey(trades.picks[i], 0)] })
}

// periodTally is a period's trades by outcome.
type periodTally struct {
	Group
	losses int
}

// countTrades counts the trades with a result in each period; periodOf returns the
// period's name for a day.
func (s *Selection) countTrades(zone *time.Location, periodOf func(journal.Day) string) map[string]periodTally {
	return chooseArithmetic(s, countTrades[int128], countTrades[exact])(s, zone, periodOf)
}

func countTrades[T number[T]](s *Selection, zone *time.Location, periodOf func(journal.Day) string) map[string]periodTally {
	days, of := s.findDays(newClock(zone))
	var names dictionary
	for _, day := range days {
		names.push(periodOf(dayName(day)))
	}
	for i, day := range of {
		of[i] = names.codes[day]
	}
	trades, net, groups := mergeParts(s, readColumn[T](s, netOf), of)
	tallies := tallyGroups(len(names.values), groups, net, outcomes(trades, net))
	out := make(map[string]periodTally, len(tallies))
	for k := range tallies {
		out[names.values[k]] = periodTally{Group: tallies[k].toGroup(s.scale), losses: tallies[k].losses()}
	}
	return out
}

// recountTrades counts trades by week, month and year: a trade with parts on several days
// counts once.
func (y *Year) recountTrades(s *Selection, zone *time.Location, first time.Weekday) {
	weeks := s.countTrades(zone, func(day journal.Day) string { return string(startOfWeek(day, first)) })
	for i := range y.Weeks {
		tally := weeks[string(y.Weeks[i].Start)]
		y.Weeks[i].Group, y.Weeks[i].Losses = tally.Group, tally.losses
	}
	months := s.countTrades(zone, journal.Day.Month)
	for i := range y.Months {
		y.Months[i].Group = months[y.Months[i].Month].Group
	}
	years := s.countTrades(zone, func(day journal.Day) string { return string(day[:len("2006")]) })
	if len(y.Days) > 0 {
		y.Total = years[string(y.Days[0].Date[:len("2006")])].Group
	}
}
