package europe

import (
	"slices"
	"strings"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
	"fillbook/internal/instruments"
	"fillbook/internal/matching"
)

// etoro describes the two tables of an account statement that hold trades: the
// activity of the account, and the closed positions, known from other people's
// code only. Amounts are in dollars. A workbook has both: trades are then taken
// from the positions, and from the activity what is still open, and money.
//
// A position is one trade, and both tables give its fills the same ids, so that
// one may be imported behind the other.
func etoro() []*statement.Preset {
	return []*statement.Preset{
		{
			Broker: "eToro", Export: "closed positions", Evidence: statement.Documented, Format: statement.JournalTrades,
			Header: []string{"Position ID", "Action", "Amount", "Units|Units / Contracts", "Open Date", "Close Date", "Leverage", "Profit|Profit(USD)|Profit (USD)", "Open Rate", "Close Rate"},
			Zone:   "UTC", Order: statement.DayFirst,
			Whole: etoroPositions,
		},
		{
			Broker: "eToro", Export: "account activity", Evidence: statement.SampleFile, Format: statement.Executions,
			Header: etoroActivity, Zone: "UTC", Order: statement.DayFirst,
			Each: func(w *statement.Row) { etoroRow(w, nil) },
		},
	}
}

var etoroActivity = []string{"Date", "Type", "Details", "Amount", "Units|Units / Contracts", "Realized Equity Change", "Position ID"}

// etoroRow reads a row of the activity. Positions that are known from elsewhere
// are passed.
func etoroRow(w *statement.Row, known map[string]bool) {
	word, id := w.Text("Type"), w.Text("Position ID")
	if word == "" && w.Text("Date") == "" {
		w.Ignore()
		return
	}
	e := event{word: word, symbol: w.Text("Details"), at: w.Moment("Date"), amount: w.Null("Amount"), note: word, currency: "USD"}
	e.symbol = etoroSymbol(e.symbol)
	switch strings.ToLower(word) {
	case "open position", "position closed":
		if known[id] {
			w.Skip(statement.ReasonRepeated)
			return
		}
		etoroFill(w, e, id, strings.EqualFold(word, "position closed"))
	default:
		if strings.EqualFold(e.symbol, "daily") || strings.EqualFold(e.symbol, "weekend") {
			e.note, e.symbol = word+" of position "+id, ""
		}
		s := senseOf(word)
		if etoroUnchanged(w, s) {
			w.Skip("it did not change the account's equity")
			return
		}
		e.emit(w, s)
	}
}

// etoroUnchanged reports whether a row that is neither a trade nor a transfer
// left the equity as it was: a stop that was edited, money that was reserved for
// a position, a fee that another row contains.
func etoroUnchanged(w *statement.Row, s sense) bool {
	change := w.Null("Realized Equity Change")
	return s != transfer && change.Valid && change.Decimal.IsZero()
}

// etoroSymbol takes the currency behind a symbol away, unless both are a pair of
// currencies: NKE/USD is NKE.
func etoroSymbol(text string) string {
	symbol, money, ok := strings.Cut(text, "/")
	if ok && strings.Contains(xtbCurrencies, symbol) && len(symbol) == len(money) {
		return symbol + money
	}
	return symbol
}

// etoroFill reads how a position was opened or closed: for an amount, so that
// the price follows from it. Whether it was long is not told, and most are.
func etoroFill(w *statement.Row, e event, id string, closes bool) {
	units := w.Required("Units|Units / Contracts")
	if units.IsZero() || !e.amount.Valid {
		w.Fail("There are no units or no amount.")
		return
	}
	f := statement.Fill{
		Symbol: strings.ToUpper(e.symbol), Type: etoroType(w.Text("Asset type")), Side: matching.Buy, Effect: statement.Opening,
		Quantity: units, Price: e.amount.Decimal.Abs().DivRound(units.Abs(), 8), At: e.at.At, Lot: id, ID: id + "/open",
		Multiplier: decimal.Of(decimal.New(1)),
	}
	if closes {
		f.Side, f.Effect, f.ID, f.StatedPnL = matching.Sell, statement.Closing, id+"/close", w.Null("Realized Equity Change")
	}
	if f.Type == instruments.TypeCFD {
		w.Reader().Out.Warn("The activity does not say whether a CFD position was long or short, nor its leverage: prices follow from the amounts and results from the file. The closed positions tell more.")
	}
	inMoney(w.Reader(), e.currency)
	w.Fill(f)
}

func etoroType(word string) string {
	switch word = strings.ToLower(word); word {
	case "stocks", "etf", "stock":
		return ""
	case "crypto":
		return instruments.TypeCrypto
	case "cfd", "currencies", "commodities", "indices":
		return instruments.TypeCFD
	}
	return ""
}

// etoroPositions reads the closed positions and, in a workbook, the activity.
func etoroPositions(r *statement.Reader) error {
	activity, symbols := etoroSheet(r)
	known := map[string]bool{}
	r.EachRow(func(w *statement.Row) {
		id := w.Text("Position ID")
		if id == "" {
			w.Ignore()
			return
		}
		known[id] = true
		etoroTrip(w, id, symbols[id])
	})
	if activity != nil {
		activity.EachRow(func(w *statement.Row) { etoroRow(w, known) })
	}
	return nil
}

// etoroSheet finds the activity in a workbook, and the symbols of positions,
// which the closed positions give only by name.
func etoroSheet(r *statement.Reader) (*statement.Reader, map[string]string) {
	symbols := map[string]string{}
	for _, table := range r.File.Tables {
		for i, row := range table.Rows {
			if !hasNames(row.Cells, []string{"Date", "Type", "Details", "Amount", "Realized Equity Change", "Position ID"}) {
				continue
			}
			id, details := indexOf(row.Cells, "Position ID"), indexOf(row.Cells, "Details")
			for _, cells := range table.Rows[i+1:] {
				if id < len(cells.Cells) && details < len(cells.Cells) && strings.Contains(cells.Cells[details], "/") {
					symbols[cells.Cells[id]] = etoroSymbol(cells.Cells[details])
				}
			}
			return r.Section(table, i, len(table.Rows)), symbols
		}
	}
	return nil, symbols
}

func indexOf(cells []string, name string) int {
	for i, c := range cells {
		if statement.HeaderKey(c) == statement.HeaderKey(name) {
			return i
		}
	}
	return -1
}

// etoroTrip reads a closed position. The action is the side with the name of
// what was traded: "Buy Apple".
func etoroTrip(w *statement.Row, id, symbol string) {
	word, name, _ := strings.Cut(w.Text("Action"), " ")
	if direction := w.Text("Long / Short"); direction != "" {
		word, name = direction, w.Text("Action")
	}
	side, _, ok := statement.SideWord(word)
	if !ok {
		w.Fail("Action: %q is neither a buy nor a sell.", word)
	}
	t := statement.Trip{
		Symbol: strings.ToUpper(symbol), Type: etoroType(w.Text("Type")), Short: side == matching.Sell, ID: id,
		Quantity: w.Required("Units|Units / Contracts"), Open: w.Moment("Open Date"), OpenPrice: w.Required("Open Rate"),
		Close: w.Moment("Close Date"), ClosePrice: decimal.Of(w.Required("Close Rate")),
		GrossPnL: decimal.Of(w.Required("Profit|Profit(USD)|Profit (USD)")), TrustPnL: true, Multiplier: decimal.Of(decimal.New(1)),
		Details: map[string]string{"name": name},
	}
	if t.Symbol == "" {
		t.Symbol = symbolOf(w.Text("ISIN"), name)
	}
	inMoney(w.Reader(), "USD")
	w.Trip(t)
}

// hasNames reports whether a row is a header with all the names.
func hasNames(cells, names []string) bool {
	have := map[string]bool{}
	for _, c := range cells {
		have[statement.HeaderKey(c)] = true
	}
	return !slices.ContainsFunc(names, func(name string) bool { return !have[statement.HeaderKey(name)] })
}
