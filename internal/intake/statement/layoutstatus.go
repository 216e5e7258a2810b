package statement

import (
	"slices"

	"fillbook/internal/intake/parse"
)

// findStatusColumn finds a column with order states in a preset's file, if the layout has
// no condition for it, -1 for none.
func (r *table) findStatusColumn(l *Layout) int {
	counts := countWords(r.rows, len(r.header))
	for _, i := range columnsMeaning(r.header, TargetStatus) {
		hasCondition := slices.ContainsFunc(l.Only, func(c Condition) bool { return slices.Contains(r.columnsNamed(c.Col), i) })
		if !hasCondition && counts[i].isStatus(true) {
			return i
		}
	}
	return -1
}

// skipUnfilled skips a row with an unfilled order, by the words for files without a
// preset. A whole trade may be open, and a partly filled order counts with its filled
// quantity. It reports whether it skipped the row.
func (lr *layoutReader) skipUnfilled(w *Row) bool {
	if lr.status < 0 || lr.layout.Orders || parse.Blank(w.cell(lr.status)) {
		return false
	}
	status := lr.statusOf(w.cell(lr.status))
	reason := parse.SkipReasons[status]
	isWhole := lr.layout.isRoundTrip() && (status == parse.StatusPending || status == parse.StatusExpired)
	if reason == "" || isWhole || !w.filledQuantity().Decimal.IsZero() {
		return false
	}
	w.Skip("%s", reason)
	return true
}

// statusOf reads an order state and keeps it: a file has few.
func (lr *layoutReader) statusOf(text string) parse.OrderStatus {
	status, known := lr.states[text]
	if !known {
		status = parse.Status(text)
		const most = 1000
		if len(lr.states) < most {
			lr.states[text] = status
		}
	}
	return status
}
