package brokers

import "fillbook/internal/intake/statement"

// taxTool is a file of a tax tool. Its rows are what was sent and what was received,
// with values of the tool's own instead of prices, so that they are not fills.
type taxTool struct {
	name   string
	header string // as in [statement.Cols]
	use    string // what to import instead, if it is not what an exchange exports
}

var taxToolFiles = []taxTool{
	{name: "Koinly", header: "Date;Type;Sent Amount;Sent Currency;Received Amount;Received Currency;Fee Amount;Fee Currency"},
	{name: "Koinly", header: "Date;Sent Amount;Sent Currency;Received Amount;Received Currency;Net Worth Amount;Net Worth Currency;TxHash"},
	{name: "Koinly", header: "Date (UTC);Type;Tag;From Amount;From Currency;To Amount;To Currency;Net Worth Amount"},
	{name: "CoinTracker", header: "Date;Received Quantity;Received Currency;Sent Quantity;Sent Currency;Fee Amount;Fee Currency"},
	{
		name: "CoinTracking", header: "Type;Buy;Cur.;Value in BTC;Sell;Spread;Exchange;Group;Date",
		use: "In CoinTracking, export the Trade List as CSV; or import what your exchange exports.",
	},
	{
		name:   "Crypto Tax Calculator",
		header: "Timestamp (UTC);Type;Base Currency;Base Amount;Quote Currency (Optional)|Quote Currency;Quote Amount (Optional)|Quote Amount",
	},
	{name: "Accointing", header: "timeExecuted;type;boughtQuantity;boughtCurrency;soldQuantity;soldCurrency;feeQuantity;feeCurrency;classification"},
	{name: "Blockpit", header: "Label|Transaction Type;Outgoing Asset;Outgoing Amount;Incoming Asset;Incoming Amount"},
	{name: "ZenLedger", header: "Timestamp;Type;IN Amount;IN Currency;Out Amount;Out Currency;Fee Amount;Fee Currency"},
	{name: "CoinLedger", header: "Date (UTC);Asset Sent;Amount Sent;Asset Received;Amount Received;Type"},
}

// taxTools are presets that refuse the files of tax tools.
var taxTools = newTaxTools()

func newTaxTools() []*statement.Preset {
	list := make([]*statement.Preset, len(taxToolFiles))
	for i, f := range taxToolFiles {
		use := f.use
		if use == "" {
			use = "Import the trade history or the ledger that your exchange exports."
		}
		list[i] = &statement.Preset{
			Broker: f.name, Export: "tax tool", Evidence: statement.Documented, Format: statement.Executions, Header: statement.Cols(f.header),
			Refuse: "This is a file of " + f.name + ", a tax tool. Its rows are sums that were sent and received, not fills, so it is not supported. " + use,
		}
	}
	return list
}
