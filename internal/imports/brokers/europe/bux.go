package europe

import (
	"strings"
	"time"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
)

// bux knows the transactions of BUX. A fee is a row of its own behind its trade,
// and rows were seen that are one column too long.
func bux() []*statement.Preset {
	return []*statement.Preset{{
		Broker: "BUX", Export: "transactions", Evidence: statement.SampleFile, Format: statement.Executions,
		Header: []string{"Transaction Time (CET)", "Transaction Category", "Transaction Type", "Transaction Amount", "Transaction Currency", "Asset Id", "Asset Name", "Asset Quantity", "Asset Price", "Asset Currency"},
		Zone:   amsterdam,
		Each:   buxRow,
	}}
}

func buxRow(w *statement.Row) {
	category := w.Text("Transaction Category")
	if category == "" {
		w.Ignore()
		return
	}
	buxShift(w)
	kind := w.Text("Transaction Type")
	e := event{
		word: kind, symbol: w.Text("Asset Id"), name: w.Text("Asset Name"), at: w.Moment("Transaction Time (CET)"),
		currency: w.Text("Transaction Currency"), amount: w.Null("Transaction Amount"),
		note: strings.TrimSpace(kind + " " + w.Text("Asset Name")),
	}
	side, trades := sideWord(kind)
	switch {
	case category == "trades" && trades:
		d := deal{
			event: e, side: side, quantity: w.Required("Asset Quantity"), price: w.Required("Asset Price"),
			money: w.Text("Asset Currency"), result: w.Null("Profit And Loss Amount"),
		}
		d.amount = signed(d.amount, side)
		if d.money != "" && d.money != d.currency {
			d.worth = worth(d.quantity, d.price, d.amount.Decimal, w.Null("Exchange Rate"))
		}
		d.fill(w)
	case category == "corporate_actions":
		e.leaveOut(w)
	case kind == "Trading Fee" && buxFee(w, e):
	default:
		e.emit(w, senseOf(kind))
	}
}

// buxShift puts a row right that has one empty cell too many in front of its
// amount.
func buxShift(w *statement.Row) {
	header := w.Reader().Out.Headers
	i := indexOf(header, "Transaction Amount")
	if w.Text("Transaction Amount") != "" || i < 0 || i+1 >= len(w.Cells) {
		return
	}
	if _, err := statement.Number(w.Text("Transaction Currency"), statement.Point); err == nil {
		w.Cells = append(append([]string(nil), w.Cells[:i]...), w.Cells[i+1:]...)
	}
}

// buxFee gives a fee to the trade in the same security of a moment ago, if there
// is one.
func buxFee(w *statement.Row, e event) bool {
	fills := w.Reader().Out.Fills
	if len(fills) == 0 || w.Failed() {
		return false
	}
	const moment = 2 * time.Second
	last := fills[len(fills)-1]
	if last.Symbol != e.symbol || e.at.At.Sub(last.At).Abs() > moment {
		return false
	}
	w.Skip("it is the cost of the trade in row %d", last.Row)
	last.Commission = last.Commission.Sub(e.amount.Decimal)
	w.Join(last.Row)
	if last.StatedCashFlow.Valid {
		last.StatedCashFlow = decimal.Of(last.StatedCashFlow.Decimal.Add(e.amount.Decimal))
	}
	return true
}
