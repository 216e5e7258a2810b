package ibkr

import (
	"slices"
	"strings"

	"fillbook/internal/base/decimal"
	"fillbook/internal/intake/parse"
	"fillbook/internal/intake/statement"
	"fillbook/internal/trading/instruments"
)

// Flex queries name a column in three ways: as an XML attribute, as a column in the
// query's CSV, and as one in a trade confirmation.
const (
	flexAccountColumn = "ClientAccountID|accountId|Account"
	flexPrice         = "TradePrice|Price"
	flexTime          = "DateTime|Date/Time"
	flexCommission    = "IBCommission|Commission"
	flexOrder         = "BrokerageOrderID|IBOrderID|OrderID" // the first is common to a combination's legs
	flexExecution     = "IBExecID|ExecID|TradeID|TransactionID"
)

// readFlexTrade reads a Flex query row as a fill.
func (l *report) readFlexTrade(w *statement.Row) {
	w.NoteAccount(flexAccountColumn)
	f := statement.Fill{Price: w.Required(flexPrice), ID: w.Text(flexExecution)}
	symbol := w.Text("Symbol|ISIN")
	marks := splitCodes(w.Text("Notes/Codes|notes|Code|Codes"))
	if l.skipConversion(w, symbol, marks) {
		return
	}
	setInstrument(&f, symbol, assetClass(w.Text("AssetClass|assetCategory")), w.Null("Multiplier"))
	readContract(w, &f)
	quantity := w.Required("Quantity")
	canceled := slices.Contains(marks, "Ca") || strings.EqualFold(w.Text("TransactionType"), "TradeCancel")
	f.Quantity, f.Side = quantity, readSide(w, w.Text("Buy/Sell|buySell"), quantity, canceled)
	f.Effect = readEffect(append(marks, splitCodes(w.Text("Open/CloseIndicator|openCloseIndicator"))...))
	setEnding(&f, marks)
	f.Commission, f.Fees = w.Cost(flexCommission), w.Cost("Taxes|Tax", "Fees")
	at := flexMoment(w)
	f.At, f.DateOnly = at.At, at.DateOnly
	switch {
	case canceled: // its trade id names the canceled trade
		f.ID = w.Text("TransactionID")
	case f.ID == "" && isLevel(w, order): // a row is a whole order here
		f.ID = w.Text("IBOrderID|OrderID")
	}
	currency := w.Text("CurrencyPrimary|currency")
	l.noteCurrency(&f, currency)
	f.SetOrder(w.Text(flexOrder))
	if l.hasSameCurrency(w, currency) {
		f.StatedCashFlow = cashFlow(w, f.Type)
	}
	l.emitFill(w, f, canceled)
}

// skipConversion skips currency exchanges other than trades: those made by the broker
// itself, and rows without an instrument.
func (l *report) skipConversion(w *statement.Row, symbol string, marks []string) bool {
	switch {
	case slices.Contains(marks, "AFx"):
		l.r.Out.Warn("Row %d is a currency conversion that the broker made by itself; it was left out.", w.Number)
		w.Skip(currencyConversion)
		return true
	case symbol == "" && w.Reader().Has("ISIN") && w.Text("Conid") == "":
		l.r.Out.Warn("Row %d names no security; it was taken for a currency conversion and left out.", w.Number)
		w.Skip(currencyConversion)
		return true
	}
	return false
}

const currencyConversion = "currency conversion"

// flexMoment reads when a trade was made: one column, or a day with a time.
func flexMoment(w *statement.Row) parse.Moment {
	switch {
	case w.Text(flexTime) != "":
		return w.Moment(flexTime)
	case w.Text("TradeTime") != "":
		return w.DateAndTime("TradeDate", "TradeTime")
	}
	return w.Moment("TradeDate|ReportDate")
}

// hasSameCurrency reports whether the costs are in the trade's currency, and warns if
// they are not.
func (l *report) hasSameCurrency(w *statement.Row, currency string) bool {
	costs := w.Text("IBCommissionCurrency|CommissionCurrency")
	if costs == "" || currency == "" || strings.EqualFold(costs, currency) {
		return true
	}
	if !w.Cost(flexCommission).IsZero() {
		l.r.Out.Warn("Some commissions are in %s while the trade is in %s: they were taken as they are.", costs, currency)
	}
	return false
}

// cashFlow is what the trade moved in cash. Futures and CFDs move only their
// costs, and currency trades move two currencies at once.
func cashFlow(w *statement.Row, kind string) decimal.Null {
	switch kind {
	case instruments.TypeStock, instruments.TypeOption, warrant, bond:
		return w.Null("NetCash")
	}
	return decimal.Null{}
}

// Detail levels. A query may repeat the same trades as executions, as orders, as closed
// lots and as sums.
const (
	execution = "EXECUTION"
	order     = "ORDER"
	detail    = "DETAIL"
	summary   = "SUMMARY"
)

// finestLevel returns the finest level present.
func finestLevel(levels []string) string {
	for _, level := range []string{execution, detail, order, summary} {
		if slices.ContainsFunc(levels, func(have string) bool { return strings.EqualFold(have, level) }) {
			return level
		}
	}
	return ""
}

func isLevel(w *statement.Row, level string) bool {
	return strings.EqualFold(w.Text("LevelOfDetail"), level)
}
