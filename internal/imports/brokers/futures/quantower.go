package futures

import (
	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
	"fillbook/internal/instruments"
)

// quantower knows Quantower's list of trades, which are fills. Its list of
// orders repeats an order for each of its states and is of no use here.
func quantower() []*statement.Preset {
	return []*statement.Preset{{
		Broker: "Quantower", Export: "trades", Evidence: statement.RealFile, Format: statement.Executions,
		Header:      []string{"Account", "Date/Time", "Symbol", "Symbol type", "Side", "Quantity", "Price", "Gross P/L", "Fee", "Trade ID"},
		NewestFirst: true,
		Each:        quantowerTrade, Done: closeBooks,
	}}
}

// quantowerTrade reads a fill. What the file says that it made stands with the
// fill that closes, and counts where prices cannot tell.
func quantowerTrade(w *statement.Row) {
	if w.Text("Symbol") == "" {
		w.Ignore()
		return
	}
	kind := statement.InstrumentType(w.Text("Symbol type"))
	var f statement.Fill
	f.Name(contractName(w.Text("Symbol")), kind)
	f.Side, _ = w.Side("Side")
	f.Quantity, f.Price = w.Required("Quantity"), price(w, "Price", f.Symbol)
	f.Fees, f.ID = w.Cost("Fee"), w.Text("Trade ID")
	f.At = w.Moment("Date/Time").At
	made := w.Null("Gross P/L")
	if (f.Type == instruments.TypeForex || f.Type == instruments.TypeCFD) && made.Decimal.Sign() != 0 {
		f.StatedPnL = made
	}
	statedValue(w, &f)
	w.Fill(f)
	b := booksOf(w.Reader())
	b.account(w.Text("Account"))
	if made.Valid && !w.Failed() {
		b.gross = plus(b.gross, made.Decimal)
	}
}

// statedValue looks at what the contracts were worth, which is signed like the
// quantity. It tells the worth of a contract that is not known, and checks that
// of one that is.
func statedValue(w *statement.Row, f *statement.Fill) {
	value := w.Null("Trade value")
	if !value.Valid || f.Type != instruments.TypeFuture {
		return
	}
	if !isKnown(f.Symbol) {
		f.Multiplier = statement.RoundWorth(value.Decimal.Abs(), f.Price.Abs().Mul(f.Quantity.Abs()))
	}
	f.StatedCashFlow = decimal.Of(value.Decimal.Neg().Sub(f.Fees))
}
