package brokers

import (
	"fmt"
	"strings"
	"time"

	"fillbook/internal/base/journal"
	"fillbook/internal/intake/statement"
	"fillbook/internal/trading/matching"
)

// openings finds the fill that opened a trade in a workbook: the first one with its
// instrument and side at its opening time.
type openings struct {
	fills map[string]*statement.Fill
	// trades counts the annotated trades with a key.
	trades map[string]int
}

func newOpenings(fills []*statement.Fill) *openings {
	o := &openings{fills: map[string]*statement.Fill{}, trades: map[string]int{}}
	for _, f := range fills {
		key := openingKey(f, f.Side, f.At)
		if o.fills[key] == nil {
			o.fills[key] = f
		}
	}
	return o
}

func openingKey(f *statement.Fill, side matching.Side, at time.Time) string {
	return fmt.Sprintf("%q %q %q %s %q %s %d", f.Symbol, f.Type, f.Right, f.Strike, f.Expiry, side, at.UnixMicro())
}

// readAnnotations reads the annotations in a trade table.
func (o *openings) readAnnotations(r *statement.Reader) {
	r.EachRow(func(w *statement.Row) {
		if !isAnnotated(w) {
			w.Skip(statement.ReasonRepeated)
			return
		}
		f := statement.Fill{
			Symbol: strings.ToUpper(w.Text("Symbol")), Type: w.Text("Type"), Right: w.Text("Option Right"), Strike: w.Null("Strike"), Expiry: w.Day("Expiry"),
		}
		side := matching.Buy
		if isShort(w) {
			side = matching.Sell
		}
		opened := w.Moment("Open Time").At
		key := openingKey(&f, side, opened)
		fill := o.fills[key]
		if o.trades[key]++; fill == nil || o.trades[key] > 1 {
			w.Fail("What is written on the trade of %s that opened at %s cannot be told from that of another trade. Import the JSON backup.",
				f.Symbol, journal.FormatInstant(opened))
			return
		}
		fillbookAnnotations(w, fill)
	})
}

// isAnnotated reports whether a trade row has annotations.
func isAnnotated(w *statement.Row) bool {
	for _, column := range []string{
		"Notes", "Initial Risk", "Stop", "Target", "MAE", "MFE", "Emotional State", "Confidence", "Quality", "Reviewed At", "Tags", "Setups",
	} {
		if w.Text(column) != "" {
			return true
		}
	}
	return false
}

// isShort reports whether a row's trade is short.
func isShort(w *statement.Row) bool {
	side, _ := w.Side("Side")
	return side == matching.Sell
}
