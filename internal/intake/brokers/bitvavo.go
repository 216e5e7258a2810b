package brokers

import "fillbook/internal/intake/statement"

// bitvavoTransactions names its zone in every row.
var bitvavoTransactions = statement.Preset{
	Broker: "Bitvavo", Export: "transactions", Evidence: statement.SampleFile, Format: statement.Executions, NewestFirst: true,
	Header: statement.Cols("Timezone;Date;Time;Type;Currency;Amount;Quote Currency|Price Currency;Quote Price|Price;Fee currency;Fee amount;Transaction ID"),
	Zone:   amsterdam, Costs: statement.CostsPositive,
	Layout: &statement.Layout{
		Coins: true, Kind: "Type", Symbol: "{Currency}-{Quote Currency|Price Currency}", Date: "Date", Clock: "Time",
		Quantity: "Amount", Price: "Quote Price|Price", CashAmount: "Amount", Currency: "Currency", ID: "Transaction ID",
		Fees: "Fee amount", FeesCurrency: "Fee currency", CashFees: statement.CashFeesApart,
		Prepare: func(w *statement.Row) { w.SetZone(w.Text("Timezone")) },
		Words: []statement.Word{
			{Kind: statement.KindTransfer, Words: "deposit|withdrawal"},
			{Kind: statement.KindInterest, Words: "*staking*|*lending*|*reward*|*incentive*|rebate|affiliate|distribution"},
		},
	},
}
