package ibkr

import (
	"slices"
	"strings"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
	"fillbook/internal/instruments"
)

// Flex queries name a column in one of three ways: as an attribute of XML, as a
// column of the query's CSV, and as one of a trade confirmation.
const (
	flexPrice      = "TradePrice|Price"
	flexTime       = "DateTime|Date/Time"
	flexCommission = "IBCommission|Commission"
	flexExecution  = "IBExecID|ExecID|TradeID|TransactionID"
)

// trade reads a row of a Flex query as a fill.
func (l *ledger) trade(w *statement.Row) {
	f := statement.Fill{Price: w.Required(flexPrice), ID: w.Text(flexExecution)}
	symbol := w.Text("Symbol|ISIN")
	marks := codes(w.Text("Notes/Codes|notes|Code|Codes"))
	if l.conversion(w, symbol, marks) {
		return
	}
	l.account(w.Text("ClientAccountID|accountId|Account"))
	name(&f, symbol, assetClass(w.Text("AssetClass|assetCategory")), w.Null("Multiplier"))
	contract(w, &f)
	quantity := w.Required("Quantity")
	cancelled := slices.Contains(marks, "Ca") || strings.EqualFold(w.Text("TransactionType"), "TradeCancel")
	f.Quantity, f.Side = quantity, side(w, w.Text("Buy/Sell|buySell"), quantity, cancelled)
	f.Effect = effect(append(marks, codes(w.Text("Open/CloseIndicator|openCloseIndicator"))...))
	f.Commission, f.Fees = w.Cost(flexCommission), w.Cost("Taxes|Tax", "Fees")
	at := flexMoment(w)
	f.At, f.DateOnly = at.At, at.DateOnly
	switch {
	case cancelled: // its trade id is that of the trade it takes back
		f.ID = w.Text("TransactionID")
	case f.ID == "" && isLevel(w, order): // a row is a whole order here
		f.ID = w.Text("IBOrderID|OrderID")
	}
	currency := w.Text("CurrencyPrimary|currency")
	l.foreign(&f, currency)
	if l.sameMoney(w, currency) {
		f.StatedCashFlow = cashFlow(w, f.Type)
	}
	l.take(w, f, cancelled)
}

// conversion passes over exchanges of currency that are no trades: those that
// the broker made on its own, and rows that name no instrument at all.
func (l *ledger) conversion(w *statement.Row, symbol string, marks []string) bool {
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
func flexMoment(w *statement.Row) statement.Moment {
	switch {
	case w.Text(flexTime) != "":
		return w.Moment(flexTime)
	case w.Text("TradeTime") != "":
		return w.DateAndTime("TradeDate", "TradeTime")
	}
	return w.Moment("TradeDate|ReportDate")
}

// sameMoney reports whether the costs are in the currency of the trade, and warns if
// they are not.
func (l *ledger) sameMoney(w *statement.Row, currency string) bool {
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

// Levels of detail. A query may repeat the same trades as executions, as orders,
// as lots that they closed and as sums.
const (
	execution = "EXECUTION"
	order     = "ORDER"
	detail    = "DETAIL"
	summary   = "SUMMARY"
)

// finest returns the level that holds the rows to be read: the finest of those
// that are there.
func finest(levels []string) string {
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
