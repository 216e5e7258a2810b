package brokers

import (
	"strings"

	"fillbook/internal/intake/parse"
	"fillbook/internal/intake/statement"
)

// coinbaseOldTransactions are reports until 2021, with lines about the owner on top.
// The names of columns begin with the owner's currency. Reports of 2018 have days
// only, and no fees: they follow from the amount.
var coinbaseOldTransactions = statement.Preset{
	Broker: "Coinbase", Export: "transactions until 2021", Evidence: statement.Documented, Format: statement.Executions, Zone: utc,
	Header: statement.Cols("Timestamp;Transaction Type;Asset;Quantity Transacted;" + coinbaseOld("Spot Price at Transaction") + ";Notes"),
	Order:  parse.MonthFirst, Costs: statement.CostsPositive,
	Layout: &statement.Layout{
		Coins: true, Kind: "Transaction Type", Symbol: "Asset", Namer: statement.NameCoin, Time: "Timestamp", Quantity: "Quantity Transacted",
		Price: coinbaseOld("Spot Price at Transaction"), PriceCurrency: "@currency", Unsigned: true,
		Amount: coinbaseOld("Total (inclusive of fees)", "Amount Transacted (Inclusive of Coinbase Fees)"), Fees: coinbaseOld("Fees"),
		Hidden: statement.Hidden{Into: statement.CostFees}, CashAmount: "Quantity Transacted", Currency: "Asset", Note: "Transaction Type",
		Prepare: prepareCoinbaseOld,
		Words: []statement.Word{
			{Kind: statement.KindTransfer, Words: "send|receive"},
			{Kind: statement.KindInterest, Words: "*income*|*reward*|coinbase earn"},
			{Kind: statement.KindMovement, Words: "paid for an order|convert"},
		},
	},
}

// coinbaseOldCurrencies are those of owners.
var coinbaseOldCurrencies = strings.Fields("USD EUR GBP CAD AUD")

// coinbaseOld returns the names that columns have in any currency.
func coinbaseOld(names ...string) string {
	var all []string
	for _, name := range names {
		for _, currency := range coinbaseOldCurrencies {
			all = append(all, currency+" "+name)
		}
	}
	return strings.Join(all, "|")
}

// prepareCoinbaseOld finds the currency in the names of the columns.
func prepareCoinbaseOld(w *statement.Row) {
	for _, currency := range coinbaseOldCurrencies {
		if w.Reader().Has(currency + " Spot Price at Transaction") {
			w.Set("currency", currency)
		}
	}
}
