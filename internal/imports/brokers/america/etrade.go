package america

import (
	"regexp"
	"strings"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
	"fillbook/internal/instruments"
	"fillbook/internal/matching"
)

// etrade knows the three generations of the transaction history. Nobody has
// seen a file of the first, whose columns are known from programs that read it.
func etrade() []*statement.Preset {
	history := statement.Preset{
		Broker: "E*TRADE", Format: statement.Executions, Zone: newYork, Order: statement.MonthFirst, NewestFirst: true,
		Costs: statement.CostsPositive, Each: etradeRow, Done: settleEndings,
		Columns: map[statement.Target]string{
			statement.TargetExecutedAt: "Activity/Trade Date|Transaction Date|TransactionDate|Date",
			statement.TargetSide:       "Activity Type|Transaction Type|TransactionType", statement.TargetSymbol: "Symbol",
			statement.TargetQuantity: "Quantity #|Quantity", statement.TargetPrice: "Price $|Price", statement.TargetCommission: "Commission",
		},
	}
	first, second, third := history, history, history
	first.Export, first.Evidence = "transactions of the first kind", statement.Documented
	first.Header = []string{"Date", "Transaction type", "Description", "Quantity", "Price", "Commission", "Fees", "Amount"}
	first.Without = []string{"Symbol"}
	second.Export, second.Evidence = "transactions of the second kind", statement.SampleFile
	second.Header = []string{
		"TransactionDate", "TransactionType", "SecurityType", "Symbol", "Quantity", "Amount", "Price", "Commission", "Description",
	}
	third.Export, third.Evidence = "transactions", statement.SampleFile
	third.Header = []string{
		"Activity/Trade Date|Transaction Date", "Activity Type|Transaction Type", "Description", "Symbol",
		"Quantity #", "Price $", "Amount $", "Commission",
	}
	return []*statement.Preset{&third, &second, &first}
}

// etradeTypes are the types of rows that are no trades.
var etradeTypes = map[string]action{
	"option expired": {sense: expired}, "option expiration": {sense: expired}, "expired": {sense: expired}, "expiration": {sense: expired},
	"option assigned": {sense: assigned}, "option assignment": {sense: assigned}, "assigned": {sense: assigned}, "assignment": {sense: assigned},
	"option exercised": {sense: exercised}, "option exercise": {sense: exercised}, "exercised": {sense: exercised}, "exercise": {sense: exercised},

	"transfer": {sense: transfer}, "online transfer": {sense: transfer}, "wire": {sense: transfer}, "wire in": {sense: transfer},
	"wire out": {sense: transfer}, "ach": {sense: transfer}, "deposit": {sense: transfer}, "withdrawal": {sense: transfer},
	"contribution": {sense: transfer}, "distribution": {sense: transfer}, "funds received": {sense: transfer},
	"cash transfer": {sense: transfer}, "direct debit": {sense: transfer}, "check": {sense: transfer}, "bill payment": {sense: transfer},

	"dividend": {sense: dividend}, "qualified dividend": {sense: dividend}, "dividend reinvestment": {sense: dividend},
	"lt cap gain distribution": {sense: dividend}, "st cap gain distribution": {sense: dividend},
	"tax withholding": {sense: dividend}, "foreign tax": {sense: dividend}, "return of capital": {sense: dividend},
	"interest": {sense: interest}, "interest income": {sense: interest}, "margin interest": {sense: interest}, "credit interest": {sense: interest},
	"fee": {sense: fee}, "service fee": {sense: fee}, "adr fee": {sense: fee}, "misc fee": {sense: fee},
	"adjustment": {sense: adjustment}, "cash in lieu": {sense: adjustment}, "miscellaneous": {sense: adjustment}, "misc": {sense: adjustment},
	"reorganization": {sense: corporate}, "stock split": {sense: corporate}, "reverse split": {sense: corporate},
	"journal": {sense: corporate}, "stock dividend": {sense: corporate}, "name change": {sense: corporate},
}

func etradeRow(w *statement.Row) {
	word := w.Text("Activity Type|Transaction Type|TransactionType")
	if word == "" {
		w.Ignore()
		return
	}
	e := &entry{
		word: word, symbol: w.Text("Symbol"), note: strings.Join(strings.Fields(w.Text("Description")), " "),
		at:       w.Moment("Activity/Trade Date|Transaction Date|TransactionDate|Date"),
		quantity: w.Null("Quantity #|Quantity"), price: w.Null("Price $|Price"), amount: w.Null("Amount $|Amount"),
		commission: w.Cost("Commission"), fees: w.Cost("Fees"),
	}
	side, effect, traded := statement.SideWord(word)
	if traded {
		e.action = action{trade, side, effect}
	} else {
		e.action = etradeTypes[strings.ToLower(word)]
	}
	etradeContract(e, strings.HasPrefix(strings.ToUpper(w.Text("SecurityType")), "OPT"))
	etradeReinvested(e)
	e.emit(w)
}

// etradeContract finds the option, which only the description names: the
// symbol is that of the underlying.
func etradeContract(e *entry, option bool) {
	option = option || e.effect != statement.EffectUnknown || e.ends()
	if _, ok := instruments.ParseOption(e.note); ok && (option || e.symbol == "") {
		e.contract = e.note
		return
	}
	e.symbol = strings.ReplaceAll(e.symbol, "--", "") // AAPL--250620C00150000
	if e.symbol == "" && !strings.Contains(e.note, " ") {
		e.symbol = e.note
	}
}

var etradePrice = regexp.MustCompile(`REINVEST PRICE \$ *([\d.,]+)`)

// etradeReinvested reads the row of a dividend that bought shares.
func etradeReinvested(e *entry) {
	if e.sense != dividend || e.quantity.Decimal.Sign() <= 0 || e.amount.Decimal.Sign() >= 0 {
		return
	}
	e.action = action{sense: trade, side: matching.Buy}
	e.price = decimal.Null{}
	if found := etradePrice.FindStringSubmatch(e.note); found != nil {
		if price, err := statement.Number(found[1], statement.Point); err == nil {
			e.price = decimal.Of(price)
		}
	}
}
