package analytics

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"sync"

	"fillbook/internal/base/journal"
)

// Explanation derives one summary figure: its formula, its inputs, and the trades behind
// it.
type Explanation struct {
	Figure  string  `json:"figure"`
	Formula string  `json:"formula"`
	Value   any     `json:"value"`
	Inputs  []Input `json:"inputs"`
	// Which names the trades behind the figure. TradeCount is their number, and TradeIDs
	// are the first in closing order.
	Which      TradeSet          `json:"which"`
	TradeCount int               `json:"trade_count"`
	TradeIDs   []journal.TradeID `json:"trade_ids" doc:"The first 100 of the trades behind the figure."`
}

// Input is a named value in a formula.
type Input struct {
	Name  string `json:"name"`
	Value any    `json:"value"`
}

// TradeSet names some selected trades.
type TradeSet string

// The trade sets behind figures.
const (
	AllTrades        TradeSet = "all"
	Winners          TradeSet = "winners"
	Losers           TradeSet = "losers"
	Breakevens       TradeSet = "breakeven"
	WinnersAndLosers TradeSet = "winners_and_losers"
	LargestWinner    TradeSet = "largest_win"
	LargestLoser     TradeSet = "largest_loss"
	WithRisk         TradeSet = "with_r"
	InDrawdown       TradeSet = "max_drawdown"
	LongestWins      TradeSet = "longest_run_of_wins"
	LongestLosses    TradeSet = "longest_run_of_losses"
)

// Figure is a summary figure: an entry in the table made by the tags of [Summary].
type Figure struct {
	Name, Formula string
	// Realized is the formula with realized results, empty if it is the same.
	Realized string
	// Inputs are the figures in the formula, so a reader can follow them down to the
	// trades.
	Inputs []string
	Trades TradeSet
	member int // its index in Summary
}

// Figures returns the figure table, in summary order.
var Figures = sync.OnceValue(func() []Figure {
	var table []Figure
	for member := range reflect.TypeFor[Summary]().Fields() {
		tag := member.Tag
		formula, isFigure := tag.Lookup("formula")
		if !isFigure {
			continue
		}
		table = append(table, Figure{
			Name: tag.Get("json"), Formula: formula, Realized: tag.Get("realized"), Inputs: strings.Fields(tag.Get("inputs")),
			Trades: cmp.Or(TradeSet(tag.Get("trades")), AllTrades), member: member.Index[0],
		})
	}
	return table
})

// maxExplainedIDs is the most trades listed by id in an explanation.
const maxExplainedIDs = 100

// ExplainSummary explains all figures, in summary order. The summary must belong to the
// selection. Each trade set is looked up once, however many figures share it.
func ExplainSummary(s *Selection, capital Capital, summary *Summary) []Explanation {
	table := Figures()
	values := make(map[string]any, len(table))
	members := reflect.ValueOf(summary).Elem()
	for i := range table {
		values[table[i].Name] = members.Field(table[i].member).Interface()
	}
	sets := s.tradeSets(capital)
	list := make([]Explanation, len(table))
	for i := range table {
		f := &table[i]
		e := Explanation{Figure: f.Name, Formula: f.Formula, Value: values[f.Name], Inputs: []Input{}, Which: f.Trades}
		if s.parts && f.Realized != "" {
			e.Formula = f.Realized
		}
		for _, name := range f.Inputs {
			e.Inputs = append(e.Inputs, Input{name, values[name]})
		}
		if f.Name == "max_drawdown_pct" {
			e.Inputs = append(e.Inputs, Input{"starting_balance", capital.Starting})
		}
		set := sets.find(f.Trades)
		e.TradeCount, e.TradeIDs = set.count, set.ids
		list[i] = e
	}
	return list
}

// tradeSets looks up the trades in sets, each set once.
type tradeSets struct {
	s       *Selection
	members func(which TradeSet) tradeList
	found   map[TradeSet]explainedSet
}

// tradeList counts some selected trades, and has the indexes of the first in closing
// order.
type tradeList struct {
	count int
	first []int
}

// explainedSet is a trade set as an explanation shows it.
type explainedSet struct {
	count int
	ids   []journal.TradeID
}

func (s *Selection) tradeSets(capital Capital) *tradeSets {
	s, cash := s.withCash(capital)
	sets := &tradeSets{found: map[TradeSet]explainedSet{}}
	sets.s, sets.members = chooseArithmetic(s, newMemberLister[int128], newMemberLister[exact])(s, cash)
	return sets
}

// find returns a set's trades.
func (t *tradeSets) find(which TradeSet) explainedSet {
	if set, known := t.found[which]; known {
		return set
	}
	list := t.members(which)
	set := explainedSet{count: list.count, ids: make([]journal.TradeID, len(list.first))}
	for k, i := range list.first {
		set.ids[k] = t.s.ID(i)
	}
	t.found[which] = set
	return set
}

// newMemberLister returns a function listing a set's trades, and the selection with one
// row per trade. Results are read once for all sets.
func newMemberLister[T number[T]](s *Selection, cash *cashColumn) (trades *Selection, list func(which TradeSet) tradeList) {
	trades, net, _ := mergeParts(s, readColumn[T](s, netOf), nil)
	results := outcomes(trades, net)
	return trades, func(which TradeSet) tradeList {
		if which == InDrawdown {
			return s.listTradesAt(trades, findDeepestFall(collectResults[T](s, cash)))
		}
		return listMembers(trades, net, results, which)
	}
}

// listMembers lists the trades in a set other than InDrawdown, which also depends on
// cash.
func listMembers[T number[T]](s *Selection, net []T, results []outcome, which TradeSet) tradeList {
	switch which {
	case Winners:
		return listWhere(len(net), func(i int) bool { return results[i] == win })
	case Losers:
		return listWhere(len(net), func(i int) bool { return results[i] == loss })
	case Breakevens:
		return listWhere(len(net), func(i int) bool { return results[i] == breakeven })
	case WinnersAndLosers:
		return listWhere(len(net), func(i int) bool { return results[i] == win || results[i] == loss })
	case LargestWinner:
		return findExtreme(net, results, win)
	case LargestLoser:
		return findExtreme(net, results, loss)
	case WithRisk:
		_, known := computeMultiples(s, net)
		list := tradeList{}
		for _, i := range known {
			if results[i] != uncounted {
				list.add(int(i))
			}
		}
		return list
	case LongestWins:
		return findLongestRun(results, win)
	case LongestLosses:
		return findLongestRun(results, loss)
	case AllTrades, InDrawdown:
	}
	return listWhere(len(net), func(i int) bool { return results[i] != uncounted })
}

// add adds a trade by its index in the selection.
func (l *tradeList) add(place int) {
	if l.count < maxExplainedIDs {
		l.first = append(l.first, place)
	}
	l.count++
}

func listWhere(n int, are func(i int) bool) tradeList {
	var list tradeList
	for i := range n {
		if are(i) {
			list.add(i)
		}
	}
	return list
}

// findExtreme returns the first trade with the greatest result for an outcome.
func findExtreme[T number[T]](net []T, results []outcome, of outcome) tradeList {
	best := nowhere
	var most T
	for i, v := range net {
		if signed := v.times(int64(of)); results[i] == of && signed.cmp(most) > 0 {
			most, best = signed, i
		}
	}
	if best == nowhere {
		return tradeList{}
	}
	return tradeList{count: 1, first: []int{best}}
}

// findDeepestFall returns the selected rows after the peak, up to the deepest drawdown's
// trough.
func findDeepestFall[T number[T]](all results[T]) []int32 {
	found := findFalls(all.amount)
	if len(found) == 0 {
		return nil
	}
	deepest := slices.MaxFunc(found, func(a, b fall[T]) int { return a.depth.cmp(b.depth) })
	var rows []int32
	for _, row := range all.trade[deepest.began : deepest.trough+1] {
		if row != nowhere {
			rows = append(rows, row)
		}
	}
	return rows
}

// findLongestRun returns the first among the longest runs with an outcome. Trades that do
// not count neither belong to a run nor end it.
func findLongestRun(results []outcome, of outcome) tradeList {
	first, run, longest, from, to := 0, 0, 0, 0, 0
	for i, result := range results {
		switch result {
		case uncounted:
		case of:
			if run == 0 {
				first = i
			}
			if run++; run > longest {
				longest, from, to = run, first, i+1
			}
		default:
			run = 0
		}
	}
	return listWhere(to, func(i int) bool { return i >= from && results[i] == of })
}
