package america

import (
	"fmt"
	"maps"
	"slices"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
	"fillbook/internal/journal"
	"fillbook/internal/matching"
)

// merger is one half of a company's sale for cash, which waits for the other.
type merger struct {
	row    int
	shares decimal.Null
	amount decimal.Null
	entry  *entry
}

// mergeForCash reads the two rows of a merger for cash, of which one has the
// money and the other the shares. Together they are the sale of the shares.
func mergeForCash(w *statement.Row, e *entry) {
	if w.Failed() {
		return
	}
	waiting := remembered(w.Reader()).mergers
	key := string(journal.DayOf(e.at.At)) + " " + e.symbol
	half := waiting[key]
	if half == nil {
		half = &merger{row: w.Number, entry: e}
		waiting[key] = half
	}
	if e.quantity.Valid {
		half.shares = e.quantity
	}
	if e.amount.Valid {
		half.amount = e.amount
	}
	if !half.shares.Valid || !half.amount.Valid {
		if half.row != w.Number {
			w.Skip("%s", mergerHalf(half.row))
		}
		return
	}
	delete(waiting, key)
	w.Reader().Out.Join(half.row, w.Number)
	e.action = action{trade, matching.Sell, statement.Closing}
	e.quantity, e.amount, e.price = half.shares, half.amount, decimal.Null{}
	w.Reader().Out.Warn("The cash merger of %s was taken as a sale of the shares for what was paid.", e.symbol)
	e.emit(w)
}

// mergerHalf is the reason why the other row of a cash merger gives no fill.
func mergerHalf(row int) string { return fmt.Sprintf("half of the cash merger in row %d", row) }

// schwabEnd settles what is still open behind the last row. Money of a merger
// whose shares are not in the file is kept as an adjustment.
func schwabEnd(r *statement.Reader) {
	settleEndings(r)
	halves := slices.Collect(maps.Values(remembered(r).mergers))
	slices.SortFunc(halves, func(a, b *merger) int { return a.row - b.row })
	for _, half := range halves {
		e := half.entry
		if half.amount.Valid {
			r.Out.Cash = append(r.Out.Cash, &statement.Cash{
				Row: half.row, Type: "adjustment", Amount: half.amount.Decimal, At: e.at.At, Note: e.symbol + " " + e.word,
			})
		} else {
			r.Out.Skip(half.row, statement.ReasonSecurities)
		}
		r.Out.Warn("The cash merger of %s has only one of its two rows, so its shares were not sold. Enter the sale by hand.", e.symbol)
	}
}
