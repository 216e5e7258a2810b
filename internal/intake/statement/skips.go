package statement

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"fillbook/internal/intake/parse"
)

// Skip is a data row with nothing to import, and the reason.
type Skip struct {
	Row    int
	Reason string
}

// The reasons shared by presets.
const (
	ReasonNotFilled  = "order not filled"
	ReasonNoAmount   = "no money moved"
	ReasonSecurities = "securities moved without a trade"
	ReasonRepeated   = "said by other rows of the file"
	ReasonInternal   = "it moves coins between the owner's own wallets"
	ReasonOwnMoney   = "it moves money between the owner's own accounts"
	ReasonCoins      = "it moves coins without a trade"
	ReasonResult     = "results and fees of contracts come with their fills"
	ReasonIgnored    = "rows of this kind are ignored"
	ReasonUnopened   = "expired option that this file does not open"
)

// NothingInRow is the reason for a row without one.
const NothingInRow = "no fill and no cash in this row"

// Skip records why a data row holds nothing to import. The reason counts only while no
// fill, cash, annotation or problem from that row remains; a later reason replaces an
// earlier one.
func (s *Statement) Skip(row int, reason string) {
	if row < 1 {
		return
	}
	if s.reasons == nil {
		s.reasons = map[int]string{}
	}
	s.reasons[row] = reason
}

// Join records that a data row only adds to another row: the second leg in a trade, or
// its costs. It is counted like that row.
func (s *Statement) Join(row, into int) {
	if row < 1 || into < 1 || row == into {
		return
	}
	if s.Joined == nil {
		s.Joined = map[int]int{}
	}
	s.Joined[row] = into
}

// countRows fills in Skipped, so every data row ends in exactly one place: rows without a
// fill, cash, annotation or problem are skipped.
func (s *Statement) countRows() {
	claimed := make([]bool, s.Rows+1)
	claim := func(row int) {
		if row > 0 && row <= s.Rows {
			claimed[row] = true
		}
	}
	for _, f := range s.Fills {
		claim(f.Row)
	}
	for _, c := range s.Cash {
		claim(c.Row)
	}
	for _, m := range s.Annotations {
		claim(m.Row)
	}
	for _, p := range s.Problems {
		claim(p.Row)
	}
	for row, into := range s.Joined {
		if claimed[row] || into > s.Rows || !claimed[into] {
			delete(s.Joined, row)
		}
	}
	for row := 1; row <= s.Rows; row++ {
		if _, joined := s.Joined[row]; !joined && !claimed[row] {
			s.Skipped = append(s.Skipped, Skip{Row: row, Reason: cmp.Or(s.reasons[row], NothingInRow)})
		}
	}
	s.reasons = nil
}

// Skip leaves the row out because it holds nothing to import. The reason is a short
// phrase; rows with the same reason are counted together. The row's records are dropped.
func (w *outcome) Skip(format string, args ...any) {
	w.fills, w.cash, w.annotations = nil, nil, nil
	w.skipped = fmt.Sprintf(format, args...)
}

// Join counts the row as part of another; see [Statement.Join].
func (w *Row) Join(into int) { w.r.Out.Join(w.Number, into) }

// skipReason returns why a row without fills, cash and annotations was left out: the
// reason given, or else the row's own kind.
func (w *Row) skipReason() string {
	if w.skipped != "" {
		return w.skipped
	}
	reason := NothingInRow
	for _, i := range w.r.kindColumns() {
		switch {
		case i >= len(w.Cells) || parse.Blank(w.Cells[i]):
		case !w.isTradeWord(w.Cells[i]):
			return fmt.Sprintf("%s: %s", strings.TrimSpace(w.r.header[i]), parse.Shorten(strings.TrimSpace(w.Cells[i])))
		default:
			reason = ReasonNotFilled
		}
	}
	return reason
}

// isTradeWord reports whether a value says bought, sold or filled, which explains nothing
// about a row left out.
func (w *Row) isTradeWord(value string) bool {
	return w.findSideWord(value).whole || parse.Status(value) == parse.StatusFilled
}

// kindNames are the endings of column names for a row's kind, next to those for side and
// order status.
var kindNames = []string{
	"type", "kind", "category", "event", "operation", "operazione", "action", "subcode", "description", "omschrijving", "descripción", "descrizione",
	"beschreibung", "descrição", "beskrivning", "buchungsinformation", "libellé", "summary",
}

// kindColumns lists the columns for a row's kind, the likeliest first.
func (r *table) kindColumns() []int {
	if r.kinds != nil {
		return r.kinds
	}
	list := []int{}
	add := func(i int) {
		if !slices.Contains(list, i) {
			list = append(list, i)
		}
	}
	for _, target := range []Target{TargetStatus, TargetSide} {
		for i, header := range r.header {
			if m, ok := meaningOf(header); ok && m.target == target && r.hasWords(i) {
				add(i)
			}
		}
	}
	for _, name := range kindNames {
		for i, header := range r.header {
			if strings.HasSuffix(HeaderKey(header), name) && r.hasWords(i) {
				add(i)
			}
		}
	}
	r.kinds = list
	return list
}

// hasWords reports whether a column has text.
func (r *table) hasWords(i int) bool {
	return r.hasValue(i, func(v string) bool {
		_, err := parse.Number(v, parse.Unsettled)
		return err != nil && !parse.Blank(v)
	})
}
