package brokers

import (
	"slices"
	"strings"

	"fillbook/internal/intake/parse"
	s "fillbook/internal/intake/statement"
	"fillbook/internal/trading/instruments"
)

// etoroPositions are the closed positions, known from other people's code only. A
// workbook has the activity too: closed trades are then read from the positions, and open
// ones and cash from the activity. Both tables name fills alike, so both can be imported.
// Amounts are in dollars.
var etoroPositions = s.Preset{
	Broker: "eToro", Export: "closed positions", Evidence: s.Documented, Format: s.JournalTrades, Zone: utc, Order: parse.DayFirst,
	Header:   s.Cols(etoroPositionColumns),
	Sections: []s.Section{{Header: s.Cols(etoroPositionColumns), Layout: &etoroTrips}, {Header: s.Cols(etoroActivityColumns), Layout: &etoroEvents}},
}

// etoroActivity is the account activity.
var etoroActivity = s.Preset{
	Broker: "eToro", Export: "account activity", Evidence: s.SampleFile, Format: s.Executions, Zone: utc, Order: parse.DayFirst,
	Header: s.Cols(etoroActivityColumns), Layout: &etoroEvents,
}

const (
	etoroUnits           = "Units|Units / Contracts"
	etoroProfit          = "Profit|Profit(USD)|Profit (USD)"
	etoroPositionColumns = "Position ID;Action;Amount;" + etoroUnits + ";Open Date;Close Date;Leverage;" + etoroProfit + ";Open Rate;Close Rate"
	etoroActivityColumns = "Date;Type;Details;Amount;" + etoroUnits + ";Realized Equity Change;Position ID"
)

// etoroEvents reads the activity. A position is opened and closed for an amount,
// from which the price follows. The file does not say whether it was long; most
// are.
var etoroEvents = s.Layout{
	Key: "Type|Date", Kind: "Type", PerTable: func(r *s.Reader, l *s.Layout) {
		closed := etoroColumn(r, "Close Date", "Action")
		l.Prepare = func(w *s.Row) { prepareEToroEvent(w, closed) }
	},
	Words:  []s.Word{{Kind: s.KindBuyOpen, Words: "open position"}, {Kind: s.KindSellClose, Words: "position closed"}},
	Symbol: "@symbol", Namer: s.NamePlain, Type: "@type", Multiplier: "=1", Time: "Date", Quantity: etoroUnits, Gross: "Amount",
	Result: "Realized Equity Change", Results: s.ResultIfClosing, ID: "@id", Lot: "Position ID", Note: "@note|Type",
	Currency: "=USD", Currencies: s.CurrencyOfAccount,
	Adjust: func(w *s.Row, r *s.Record) {
		if r.Fill != nil && r.Fill.Type == instruments.TypeCFD {
			w.Reader().Out.Warn("The activity does not say whether a CFD position was long or short, nor its leverage: prices follow from the amounts and results from the file. The closed positions tell more.")
		}
	},
}

// etoroTrips reads the closed positions.
var etoroTrips = s.Layout{
	Key: "Position ID", PerTable: func(r *s.Reader, l *s.Layout) {
		details := etoroColumn(r, "Details", "Realized Equity Change")
		l.Prepare = func(w *s.Row) { prepareEToroTrip(w, details) }
	},
	Symbol: "@symbol", Namer: s.NamePlain, Type: "@type", Multiplier: "=1", Side: "@side",
	Quantity: etoroUnits, Result: etoroProfit, Results: s.ResultAlways, ID: "Position ID", Details: map[string]s.Col{"name": "@name"},
	RoundTrip: s.RoundTrip{OpenTime: "Open Date", OpenPrice: "Open Rate", CloseTime: "Close Date", ClosePrice: "Close Rate"},
	Currency:  "=USD", Currencies: s.CurrencyOfAccount,
}

// prepareEToroEvent reads an activity row's symbol, type and id, and skips positions
// listed as closed in the workbook, and rows without a change in equity: an edited stop,
// or a fee included in another row.
func prepareEToroEvent(w *s.Row, closed map[string]string) {
	word, id, symbol := w.Text("Type"), w.Text("Position ID"), etoroSymbol(w.Text("Details"))
	w.Set("type", etoroType(w.Text("Asset type")))
	change := w.Null("Realized Equity Change")
	switch kind := strings.ToLower(word); {
	case kind == "open position" || kind == "position closed":
		if _, isClosed := closed[id]; isClosed {
			w.Skip(s.ReasonRepeated)
		}
		w.Set("id", id+map[string]string{"open position": "/open", "position closed": "/close"}[kind])
	case change.Valid && change.Decimal.IsZero() && s.FindCashKind(word) != s.KindTransfer && w.Text("Date") != "":
		w.Skip("it did not change the account's equity")
	case strings.EqualFold(symbol, "daily") || strings.EqualFold(symbol, "weekend"):
		w.Set("note", word+" of position "+id)
		return
	}
	w.Set("symbol", symbol)
}

// prepareEToroTrip reads side and name, which are one text: "Buy Apple". The symbol is
// the activity's if the workbook has it.
func prepareEToroTrip(w *s.Row, details map[string]string) {
	word, name, _ := strings.Cut(w.Text("Action"), " ")
	if direction := w.Text("Long / Short"); direction != "" {
		word, name = direction, w.Text("Action")
	}
	if _, _, ok := parse.SideWord(word); !ok && w.Text("Position ID") != "" {
		w.Fail("Action: %q is neither a buy nor a sell.", word)
	}
	w.Set("side", word)
	w.Set("name", name)
	w.Set("type", etoroType(w.Text("Type")))
	symbol := name
	if isin := strings.ToUpper(w.Text("ISIN")); s.IsISIN(isin) {
		symbol = isin
	}
	if text := details[w.Text("Position ID")]; strings.Contains(text, "/") {
		symbol = etoroSymbol(text)
	}
	w.Set("symbol", symbol)
}

// etoroColumn returns a column's values by position id, from the workbook's table with it
// and another column.
func etoroColumn(r *s.Reader, column, other string) map[string]string {
	values := map[string]string{}
	for _, table := range r.File.Tables {
		id, at := -1, -1
		for _, row := range table.Rows {
			if slices.Contains(row.Cells, "Position ID") && slices.Contains(row.Cells, column) && slices.Contains(row.Cells, other) {
				id, at = slices.Index(row.Cells, "Position ID"), slices.Index(row.Cells, column)
			} else if id >= 0 && max(id, at) < len(row.Cells) && (column != "Details" || strings.Contains(row.Cells[at], "/")) {
				values[row.Cells[id]] = row.Cells[at]
			}
		}
	}
	return values
}

// etoroSymbol removes the currency after a symbol, unless both are a currency pair:
// NKE/USD is NKE.
func etoroSymbol(text string) string {
	symbol, money, ok := strings.Cut(text, "/")
	if ok && strings.Contains(xtbCurrencies, symbol) && len(symbol) == len(money) {
		return symbol + money
	}
	return symbol
}

// etoroType returns the type for an instrument other than a share.
func etoroType(word string) string {
	switch strings.ToLower(word) {
	case "crypto":
		return instruments.TypeCrypto
	case "cfd", "currencies", "commodities", "indices":
		return instruments.TypeCFD
	}
	return ""
}
