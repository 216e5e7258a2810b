package brokers

import (
	"strings"

	"fillbook/internal/intake/statement"
)

// poloniexTrades has the fee rate; the fee itself is what the totals without it lack. The
// fee is in the received coin. The exchange calls the quote coin the base.
var poloniexTrades = statement.Preset{
	Broker: "Poloniex", Export: "trades", Evidence: statement.Documented, Format: statement.Executions, Zone: utc, Costs: statement.CostsPositive,
	Header: statement.Cols("Date;Market;Category;Type;Price;Amount;Total;Fee;Order Number;Base Total Less Fee;Quote Total Less Fee"), NewestFirst: true,
	Layout: &statement.Layout{
		Coins: true, Symbol: "Market", Side: "Type", Time: "Date", Quantity: "Amount", Price: "Price", Fees: "@fee", FeesCurrency: "@coin",
		Prepare: preparePoloniex, Only: []statement.Condition{{Col: "Category", Words: "exchange|margin trade", Reason: "not a trade of the exchange"}},
		Order: "Order Number",
	},
}

// preparePoloniex computes a trade's fee.
func preparePoloniex(w *statement.Row) {
	base, quote := statement.SplitPair(w.Text("Market"))
	fee, coin := w.Decimal("Amount").Sub(w.Decimal("Quote Total Less Fee")), base
	if strings.EqualFold(strings.TrimSpace(w.Text("Type")), "sell") {
		fee, coin = w.Decimal("Total").Sub(w.Decimal("Base Total Less Fee")), quote
	}
	w.Set("fee", fee.String())
	w.Set("coin", coin)
}

// poloniexDeposits and poloniexWithdrawals are the other two histories.
var (
	poloniexDeposits = statement.Preset{
		Broker: "Poloniex", Export: "deposits", Evidence: statement.Documented, Format: statement.Executions, Zone: utc, NewestFirst: true,
		Header: statement.Cols("Date;Currency;Amount;Address;Status"), Exact: true, Layout: newPoloniexCash("=deposit"),
	}
	poloniexWithdrawals = statement.Preset{
		Broker: "Poloniex", Export: "withdrawals", Evidence: statement.Documented, Format: statement.Executions, Zone: utc, NewestFirst: true,
		Header: statement.Cols("Date;Currency;Amount;Fee Deducted;Amount - Fee;Address;Status"), Layout: newPoloniexCash("=withdrawal"),
	}
)

// newPoloniexCash returns the layout for deposits or withdrawals.
func newPoloniexCash(kind statement.Col) *statement.Layout {
	return &statement.Layout{
		Coins: true, Key: "Date", Kind: kind, Time: "Date", Amount: "Amount", Currency: "Currency", Unsigned: true,
		Only: []statement.Condition{{Col: "Status", Words: "complete*"}},
		Words: []statement.Word{
			{Kind: statement.KindDeposit, Words: "deposit"},
			{Kind: statement.KindWithdrawal, Words: "withdrawal"},
		},
	}
}
