package statement

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/intake/parse"
	"fillbook/internal/trading/instruments"
	"fillbook/internal/trading/matching"
)

// Split is a split of shares that a file states. It changes the position and is no fill.
type Split struct {
	Row    int
	Symbol string
	Day    journal.Day // in New York
	// New and Old are the ratio. They are 0 if the file states only how many shares came
	// to those held: Added.
	New, Old int64
	Added    decimal.Decimal
	// SharesOnly: the file has what became of the options as fills.
	SharesOnly bool
}

// SplitRow is a row about a split. Several rows can be about the same one.
type SplitRow struct {
	Symbol string
	Day    journal.Day
	// Quantity is what came, negative for what left.
	Quantity decimal.Decimal
	// Side is Closing for shares that were replaced and Opening for those that replace
	// them; unknown if the row does not say which.
	Side parse.Effect
	// Adds reports that Quantity came to the shares that were held; a broker that does not say
	// so may state all shares after the split.
	Adds bool
	// Text may state the ratio, such as "SPLIT 1 FOR 25".
	Text string
}

// statedSplit is a split row until all rows are read.
type statedSplit struct {
	SplitRow
	row int
	// fill is what the row is without the rest of its split, nil for nothing. warn says so.
	fill *Fill
	warn func()
}

// ReasonSplit is the reason for a row about a split.
const ReasonSplit = "a split, which is a corporate action and no trade"

// Split notes that the row is about a split. warn is called if its ratio does not show.
func (w *Row) Split(s SplitRow, warn func()) {
	w.Skip("%s", ReasonSecurities)
	w.r.Out.statedSplits = append(w.r.Out.statedSplits, statedSplit{SplitRow: s, row: w.Number, warn: warn})
}

// splitZone is where the day of a split begins.
var splitZone = func() *time.Location {
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		panic(err) // the program contains the zones
	}
	return zone
}()

// SplitDay returns the day on which a split at a moment acts.
func (r *Reader) SplitDay(at parse.Moment) journal.Day {
	if at.DateOnly {
		return journal.DayOf(at.At.In(r.location()))
	}
	return journal.DayOf(at.At.In(splitZone))
}

// readSplit reads a row whose word says that it is about a split of shares, and reports
// whether it is.
func (lr *layoutReader) readSplit(w *Row, warn func()) bool {
	word := WordKey(w.word)
	if !isSplitWord(word) {
		return false
	}
	i := lr.instrumentOf(w)
	quantity := w.peek(lr.layout.Quantity)
	if i.Symbol == "" || i.Type != "" && i.Type != instruments.TypeStock || quantity.IsZero() || w.at.At.IsZero() {
		return false
	}
	at := w.at
	if posted, _, ok := strings.Cut(w.Text(lr.layout.Time), " as of "); ok {
		at = w.At(posted) // the first is the day of the split, the second that of record
	}
	side := parse.EffectUnknown
	switch {
	case strings.HasSuffix(word, " open"):
		side = parse.Opening
	case strings.HasSuffix(word, " close"):
		side = parse.Closing
	case strings.Contains(word, "reverse") && quantity.Sign() > 0:
		side = parse.Opening // what is left of the shares
	}
	w.Split(SplitRow{
		Symbol: i.Symbol, Day: lr.r.SplitDay(at), Quantity: quantity, Side: side, Adds: lr.layout.SplitsAdd, Text: w.noteText(lr.layout),
	}, warn)
	return true
}

// isSplitWord reports whether a kind word is about a split: also Robinhood's codes.
func isSplitWord(word string) bool {
	return strings.Contains(word, "split") && !strings.Contains(word, "off") || word == "spl" || word == "spr"
}

// resolveSplits turns split rows into splits. The rows of one that does not show its ratio
// are what they are by themselves.
func (s *Statement) resolveSplits() {
	if len(s.statedSplits) == 0 {
		return
	}
	type group struct {
		symbol string
		day    journal.Day
	}
	var order []group
	rows := map[group][]statedSplit{}
	for _, one := range s.statedSplits {
		of := group{one.Symbol, one.Day}
		if rows[of] == nil {
			order = append(order, of)
		}
		rows[of] = append(rows[of], one)
	}
	taken, withOptions := map[*Fill]bool{}, map[string]bool{}
	for _, f := range s.Fills {
		if f.isSplit && f.Right != "" {
			withOptions[f.Symbol] = true
		}
	}
	for _, of := range order {
		split, ok := newSplit(rows[of])
		if ok = ok && len(s.Splits) < maxSplits; ok {
			split.SharesOnly = withOptions[of.symbol]
			s.Splits = append(s.Splits, split)
		}
		for _, one := range rows[of] {
			if !ok {
				one.warn()
				continue
			}
			s.Skip(one.row, ReasonSplit)
			taken[one.fill] = true
		}
	}
	s.Fills = slices.DeleteFunc(s.Fills, func(f *Fill) bool { return taken[f] })
	s.statedSplits = nil
}

// maxSplits limits the splits of one file; the rows of further ones are skipped with a
// warning.
const maxSplits = 200

// newSplit returns the split that some rows are about.
func newSplit(rows []statedSplit) (split Split, ok bool) {
	split = Split{Row: rows[0].row, Symbol: rows[0].Symbol, Day: rows[0].Day}
	var came, left decimal.Decimal
	adds := true
	for _, one := range rows {
		if split.New == 0 {
			split.New, split.Old = findRatio(one.Text)
		}
		adds = adds && one.Adds && one.Side == parse.EffectUnknown
		if one.Side == parse.Closing || one.Side == parse.EffectUnknown && one.Quantity.Sign() < 0 {
			left = left.Add(one.Quantity.Abs())
		} else {
			came = came.Add(one.Quantity.Abs())
		}
	}
	switch {
	case split.New > 0:
		return split, split.New != split.Old
	case !came.IsZero() && !left.IsZero():
		split.New, split.Old, ok = SplitRatio(came, left)
		return split, ok
	}
	split.Added = came
	return split, adds && left.IsZero()
}

// ratioText finds a ratio such as "1 FOR 25" or "4-for-1".
var ratioText = regexp.MustCompile(`(?i)\b(\d{1,9})[ -]?for[ -]?(\d{1,9})\b`)

// findRatio returns the ratio in a description, new shares for old ones; 0 for none.
func findRatio(text string) (newShares, oldShares int64) {
	found := ratioText.FindStringSubmatch(text)
	if found == nil {
		return 0, 0
	}
	newShares, _ = strconv.ParseInt(found[1], 10, 64)
	oldShares, _ = strconv.ParseInt(found[2], 10, 64)
	if newShares == 0 || oldShares == 0 {
		return 0, 0
	}
	return newShares, oldShares
}

// maxSplitTerm limits both numbers of a ratio that is computed from quantities.
const maxSplitTerm = 10_000

// SplitRatio returns the simplest ratio that makes one quantity of shares from another. A
// whole number of new shares may be without a fraction that was paid in cash.
func SplitRatio(newShares, oldShares decimal.Decimal) (n, o int64, ok bool) {
	if newShares.Sign() <= 0 || oldShares.Sign() <= 0 {
		return 0, 0, false
	}
	tolerance := decimal.FromScaled(1, 4) // fractions are written with a few decimals
	if newShares.Equal(newShares.Round(0)) {
		tolerance = decimal.New(1)
	}
	fits := func(n, o int64) bool {
		exact, off := oldShares.Mul(decimal.New(n)), newShares.Mul(decimal.New(o))
		return exact.Sub(off).Abs().Cmp(tolerance.Mul(decimal.New(o))) < 0
	}
	// The convergents of the quotient are the simplest fractions near it.
	const digits = 12
	rest := newShares.DivRound(oldShares, digits)
	beforeN, beforeO, n, o := int64(0), int64(1), int64(1), int64(0)
	for {
		whole, fitsInt := rest.Round(0).ToScaled(0)
		if decimal.New(whole).Cmp(rest) > 0 {
			whole--
		}
		if !fitsInt || whole > maxSplitTerm {
			return 0, 0, false
		}
		beforeN, n = n, whole*n+beforeN
		beforeO, o = o, whole*o+beforeO
		if n > maxSplitTerm || o > maxSplitTerm {
			return 0, 0, false
		}
		if n > 0 && n != o && fits(n, o) {
			return n, o, true
		}
		if rest = rest.Sub(decimal.New(whole)); rest.IsZero() {
			return 0, 0, false
		}
		rest = decimal.New(1).DivRound(rest, digits)
	}
}

// isSplitSymbol reports whether the file states a split of a fill's symbol.
func (s *Statement) isSplitSymbol(f *Fill) bool {
	return slices.ContainsFunc(s.Splits, func(split Split) bool { return split.Symbol == f.Symbol })
}

// splitEvents returns the splits of a stream of fills whose ratio the file shows, in order.
func (s *Statement) splitEvents(stream []int) (events []matching.Event) {
	first := s.Fills[stream[0]]
	if first.Type != "" && first.Type != instruments.TypeStock {
		return nil
	}
	for _, split := range s.Splits {
		if split.Symbol != first.Symbol || split.New == 0 {
			continue
		}
		year, month, day := split.Day.Time().Date()
		at := time.Date(year, month, day, 0, 0, 0, 0, splitZone).UnixMicro()
		events = append(events, matching.Event{At: at, New: split.New, Old: split.Old})
	}
	slices.SortStableFunc(events, func(a, b matching.Event) int { return cmp.Compare(a.At, b.At) })
	return events
}
