package europe

import (
	"regexp"
	"strings"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
	"fillbook/internal/instruments"
	"fillbook/internal/matching"
)

// warsaw is where the clock of XTB stands.
const warsaw = "Europe/Warsaw"

// xtb describes the cash operations, which have trades in shares in a comment, and
// the closed positions, known from other people's code only. A workbook has
// both: trades are then taken from the positions and money from the operations.
func xtb() []*statement.Preset {
	return []*statement.Preset{
		{
			Broker: "XTB", Export: "closed positions", Evidence: statement.Documented, Format: statement.JournalTrades,
			Header: []string{"Position", "Symbol", "Type", "Volume", "Open time", "Open price", "Close time", "Close price", "Commission", "Swap", "Rollover", "Gross P/L"},
			Zone:   warsaw, Order: statement.DayFirst, Costs: statement.CostsNegative,
			Whole: xtbPositions,
		},
		{
			Broker: "XTB", Export: "cash operations", Evidence: statement.SampleFile, Format: statement.Executions,
			Header: xtbOperations, Zone: warsaw, Order: statement.DayFirst, NewestFirst: true,
			Each: func(w *statement.Row) { xtbOperation(w, true) },
		},
	}
}

var xtbOperations = []string{"ID", "Type", "Time", "Symbol", "Comment", "Amount"}

// xtbTrade is how a trade is told: what was done with a position, and a part of
// the order before the slash.
var xtbTrade = regexp.MustCompile(`^(OPEN|CLOSE) (BUY|SELL) ([\d.]+)(?:/[\d.]+)? @ ([\d.]+)$`)

// xtbOperation reads a row of money, which may be a trade.
func xtbOperation(w *statement.Row, trades bool) {
	if w.Text("ID") == "" && w.Text("Type") == "" {
		w.Ignore() // a title or a total
		return
	}
	comment := strings.ToUpper(w.Text("Comment"))
	trade := xtbTrade.FindStringSubmatch(comment)
	switch {
	case trade != nil && trades:
		xtbFill(w, trade)
		return
	case trade != nil, strings.Contains(comment, " OF POSITION #") && !trades:
		w.Skip("the closed positions have it")
		return
	case strings.Contains(comment, " OF POSITION #"):
		w.Reader().Out.Warn("Results and swaps of FX and CFD positions were left out, as the operations hold no prices. Import the closed positions for them.")
		w.Skip("results of FX and CFD positions have no prices here")
		return
	}
	e := event{
		word: w.Text("Type"), symbol: w.Text("Symbol"), at: w.Moment("Time"), amount: w.Null("Amount"), note: w.Text("Comment"),
	}
	s := senseOf(e.word)
	if s == corporate { // what is paid out in money for it
		s = adjustment
	}
	e.emit(w, s)
}

// xtbFill reads a trade in shares. The price is in the money of the exchange
// and the amount in that of the account.
func xtbFill(w *statement.Row, trade []string) {
	side, _, _ := statement.SideWord(trade[2])
	effect := statement.Opening
	if trade[1] == "CLOSE" {
		side, effect = flip(side), statement.Closing
	}
	d := deal{
		event: event{symbol: w.Text("Symbol"), at: w.Moment("Time"), amount: w.Null("Amount")}, side: side, effect: effect,
		quantity: inText(w, trade[3], statement.Point), price: inText(w, trade[4], statement.Point), id: w.Text("ID"),
	}
	d.worth = worth(d.quantity, d.price, d.amount.Decimal, decimal.Null{})
	d.fill(w)
}

// xtbPositions reads the closed positions and, in a workbook, the other sheets.
func xtbPositions(r *statement.Reader) error {
	r.EachRow(xtbTrip)
	for _, table := range r.File.Tables {
		for i, row := range table.Rows {
			if hasNames(row.Cells, xtbOperations) {
				r.Section(table, i, len(table.Rows)).EachRow(func(w *statement.Row) { xtbOperation(w, false) })
				break
			}
		}
	}
	return nil
}

func xtbTrip(w *statement.Row) {
	id := w.Text("Position")
	if strings.Trim(id, "0123456789") != "" || w.Text("Symbol") == "" {
		w.Ignore() // a total
		return
	}
	side, _ := w.Side("Type")
	t := statement.Trip{
		Symbol: strings.ToUpper(w.Text("Symbol")), Short: side == matching.Sell, Quantity: w.Required("Volume"), ID: id,
		Open: w.Moment("Open time"), OpenPrice: w.Required("Open price"),
		Close: w.Moment("Close time"), ClosePrice: decimal.Of(w.Required("Close price")),
		Commission: w.Cost("Commission"), Fees: w.Cost("Swap", "Rollover"), GrossPnL: decimal.Of(w.Required("Gross P/L")),
		TrustPnL: true, Multiplier: decimal.Of(decimal.New(1)),
	}
	t.Type, t.Details = xtbType(t.Symbol), map[string]string{}
	if t.Type != instruments.TypeStock {
		t.Multiplier = decimal.Of(instruments.LotMultiplier(t.Symbol, t.Quantity))
		t.Details["unit"] = "lot"
	}
	if stop := w.Null("SL"); stop.Decimal.Sign() > 0 {
		t.Details["stop"] = stop.String() // where it was at the end, which is not what was risked
	}
	w.Annotate(statement.Annotations{Fill: w.Trip(t), Notes: w.Text("Comment"), TargetPrice: statement.NonZero(w.Null("TP"))})
}

// xtbType distinguishes shares, written with their country, from currencies and from
// contracts for difference.
func xtbType(symbol string) string {
	name, suffix, dotted := strings.Cut(symbol, ".")
	const country, pair = 2, 6
	switch {
	case dotted && len(suffix) == country:
		return instruments.TypeStock
	case len(name) == pair && strings.Contains(xtbCurrencies, name[:3]) && strings.Contains(xtbCurrencies, name[3:]):
		return instruments.TypeForex
	}
	return instruments.TypeCFD
}

const xtbCurrencies = "EUR USD GBP CHF JPY CAD AUD NZD PLN CZK HUF RON NOK SEK DKK TRY ZAR MXN BRL CLP ILS CNH SGD HKD"

// hasNames reports whether a row is a header with all the names.
func hasNames(cells, names []string) bool {
	have := map[string]bool{}
	for _, c := range cells {
		have[statement.HeaderKey(c)] = true
	}
	for _, name := range names {
		if !have[statement.HeaderKey(name)] {
			return false
		}
	}
	return true
}
