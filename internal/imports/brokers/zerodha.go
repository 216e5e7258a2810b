package brokers

import (
	"strings"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
	"fillbook/internal/imports/tabular"
	"fillbook/internal/journal"
)

// zerodhaTradebook is the list of fills.
var zerodhaTradebook = statement.Preset{
	Broker: "Zerodha", Export: "tradebook", Evidence: statement.RealFile, Format: statement.Executions, Zone: kolkata, Units: true,
	Header: statement.Cols("symbol;trade_date|Trade Date;exchange;segment;trade_type|Trade Type;quantity;price;trade_id|Trade ID"),
	Layout: &statement.Layout{
		Key: "symbol|quantity", Symbol: "{symbol} {expiry_date|Expiry Date}", Namer: nameNSE, Side: "trade_type|Trade Type",
		Quantity: "quantity", Price: "price", Time: "order_execution_time|Order Execution Time|trade_date|Trade Date",
		Currency: "=INR", Currencies: statement.CurrencyOfFile,
		Adjust: func(w *statement.Row, r *statement.Record) {
			adjustNSE(w, r.Fill, w.Text("exchange"), w.Text("trade_id|Trade ID"), w.Text("segment"))
		},
	},
}

// zerodha reads the tradebook, the exits of the tax report, and refuses the sums
// that have no days.
func zerodha() []*statement.Preset {
	const broker = "Zerodha"
	return []*statement.Preset{
		&zerodhaTradebook,
		{
			// Known from other people's code only.
			Broker: broker, Export: "tax report, exits", Evidence: statement.Documented, Format: statement.JournalTrades,
			Header: exitsHeader,
			Zone:   kolkata, Units: true, Costs: statement.CostsPositive, Whole: readExits,
		},
		{
			Broker: broker, Export: "profit and loss", Evidence: statement.RealFile, Format: statement.JournalTrades,
			Header:  []string{"Symbol", "Buy Value", "Sell Value", "Realized P&L"},
			Without: []string{"Entry Date", "Trade Date", "Buy Date"},
			Zone:    kolkata, Whole: func(*statement.Reader) error {
				return journal.InvalidField("file", "This report has no days, only sums by symbol. Import the tradebook, or the sheet Tradewise Exits of the tax report.")
			},
		},
	}
}

var exitsHeader = []string{"Symbol", "Entry Date", "Exit Date", "Quantity", "Buy Value", "Sell Value", "Profit"}

// readExits reads the sections of the tax report, each with a title and a header
// of its own.
func readExits(r *statement.Reader) error {
	for _, table := range r.File.Tables {
		start := -1
		for i := range len(table.Rows) + 1 {
			if i < len(table.Rows) && !isExits(table.Rows[i]) {
				continue
			}
			if start >= 0 {
				r.Section(table, start, i).EachRow(exit)
			}
			start = i
		}
	}
	in(r, "INR")
	return nil
}

func isExits(row tabular.Row) bool {
	found := 0
	for _, cell := range row.Cells {
		for _, name := range exitsHeader {
			if strings.EqualFold(cell, name) {
				found++
			}
		}
	}
	return found >= len(exitsHeader)
}

// exit reads a finished trade. The report gives values and not prices, and does
// not say which came first: it is read as bought and then sold.
func exit(w *statement.Row) {
	if w.Text("Entry Date") == "" && w.Text("Exit Date") == "" {
		w.Ignore() // the title of the next section
		return
	}
	quantity := w.Required("Quantity").Abs()
	if quantity.IsZero() {
		w.Fail("There is no quantity.")
		return
	}
	f := nameNSE(w.Text("Symbol"), "")
	bought, sold := w.Required("Buy Value"), w.Required("Sell Value")
	open, exit := priceOfValue(bought, quantity), priceOfValue(sold, quantity)
	w.Trip(statement.Trip{
		Symbol: f.Symbol, Type: f.Type, Right: f.Right, Strike: f.Strike, Expiry: f.Expiry,
		Quantity: quantity, Multiplier: decimal.Of(decimal.New(1)),
		Open: w.Moment("Entry Date"), Close: w.Moment("Exit Date"), OpenPrice: open, ClosePrice: decimal.Of(exit),
		Commission: w.Cost("Brokerage"),
		Fees:       w.Cost("Exchange Transaction Charges", "IPFT", "SEBI Charges", "CGST", "SGST", "IGST", "Stamp Duty", "STT"),
		GrossPnL:   w.Null("Profit"),
		// A price that does not terminate cannot give the result to the paisa.
		TrustPnL: !open.Mul(quantity).Equal(bought) || !exit.Mul(quantity).Equal(sold),
	})
}

// priceOfValue is a value by the piece, to as many places as prices are kept.
func priceOfValue(value, quantity decimal.Decimal) decimal.Decimal {
	const places = 10
	return value.DivRound(quantity, places)
}
