package brokers

import (
	"strings"

	"fillbook/internal/base/lazyregexp"
	"fillbook/internal/intake/parse"
	"fillbook/internal/intake/statement"
	"fillbook/internal/trading/matching"
)

// bybitClosed has a row for each closed part of a position, with the closing time only
// and the result after fees and funding. Bybit's presets were written from descriptions,
// code and single rows; no whole file was seen.
var bybitClosed = statement.Preset{
	Broker: "Bybit", Export: "closed P&L", Evidence: statement.Documented, Format: statement.JournalTrades, Zone: utc, NewestFirst: true,
	Header: statement.Cols("Contracts|Market|Symbol;Closing Direction|Trade Type;Qty|Quantity|Order Quantity;Entry Price;Exit Price;Closed P&L|Realized P&L"),
	Layout: &statement.Layout{
		Symbol: "Contracts|Market|Symbol", Namer: nameBybitContract, Multiplier: "=1", Quantity: "Qty|Quantity|Order Quantity", ID: "Order No.",
		RoundTrip: statement.RoundTrip{
			OpenPrice: "Entry Price", ClosePrice: "Exit Price", CloseTime: "{@day} {@clock}|Trade Time…|Create Time…",
		},
		Parse: []statement.Pattern{{ // some files write the time before the day
			In: "Trade Time…|Create Time…", Re: lazyregexp.New(`^(?P<clock>\d+:\S+) (?P<day>\d+-\d+-\d+)$`),
		}},
		Fees: "Opening Fee+Closing Fee+Funding Fee", NetResult: "Closed P&L|Realized P&L", Settle: readBybitDirection, Adjust: adjustBybitClosed,
	},
}

// readBybitDirection reads whether a trade was short: from the side of the closing order,
// or else from a result only a short trade explains.
func readBybitDirection(w *statement.Row, t *statement.Trip) {
	switch {
	case w.Text("Closing Direction") != "":
		side, _ := w.Side("Closing Direction")
		t.Short = side == matching.Buy
	case !t.Short:
		t.Short = t.ResultByPrices().Sign()*t.GrossResult().Decimal.Sign() < 0
	}
}

// adjustBybitClosed keeps the stated result for a contract settled in its coin, which
// prices in dollars do not give.
func adjustBybitClosed(_ *statement.Row, record *statement.Record) {
	_, quote := statement.SplitPairBy(record.Trip.Symbol, bybitQuotes)
	record.Trip.TrustPnL = quote == "USD"
}

// bybitQuotes are the quote coins for Bybit's pairs and contracts.
var bybitQuotes = strings.Fields("USDT USDC USD USDE USDR DAI BTC ETH EUR BRL PLN TRY")

// nameBybitContract builds a contract from its name.
func nameBybitContract(symbol, _ string) statement.Instrument {
	base, quote := statement.SplitPairBy(symbol, bybitQuotes)
	return statement.NewCoinContract(symbol, base, quote)
}

// bybitSpot is a list of fills in coins. Older files do not name the fee coin: it is the
// received one. Some files write the time before the day.
var bybitSpot = statement.Preset{
	Broker: "Bybit", Export: "spot trade history", Evidence: statement.SampleFile, Format: statement.Executions, Zone: utc, NewestFirst: true,
	Header: statement.Cols("Spot Pairs;Order Type;Direction;Filled Value;Filled Price;Filled Quantity;Fees;Transaction ID;Order No."),
	Costs:  statement.CostsPositive,
	Layout: &statement.Layout{
		Coins: true, Orders: true, Symbol: "Spot Pairs", Namer: nameBybitPair, Side: "Direction", Quantity: "Filled Quantity", Price: "Filled Price",
		Time: "{@day} {@clock}|Timestamp…", Fees: "ExecFeeV2|Fees", FeesCurrency: "feeCoin|@coin", ID: "Transaction ID",
		Parse:   []statement.Pattern{{In: "Timestamp…", Re: lazyregexp.New(`^(?P<clock>\d+:\S+) (?P<day>\d+-\d+-\d+)$`)}},
		Prepare: prepareBybitSpot, Order: "Order No.",
	},
}

// nameBybitPair builds a coin pair from its name.
func nameBybitPair(symbol, _ string) statement.Instrument {
	i := statement.NamePair(symbol, "")
	i.Base, i.Quote = statement.SplitPairBy(symbol, bybitQuotes)
	return i
}

// prepareBybitSpot names the received coin.
func prepareBybitSpot(w *statement.Row) {
	base, quote := statement.SplitPairBy(w.Text("Spot Pairs"), bybitQuotes)
	if side, _, ok := parse.SideWord(w.Text("Direction")); ok && side == matching.Sell {
		base = quote
	}
	w.Set("coin", base)
}

// bybitTrades is a list of fills in contracts, with funding rows among them.
var bybitTrades = statement.Preset{
	Broker: "Bybit", Export: "trade history", Evidence: statement.Documented, Format: statement.Executions, Zone: utc, NewestFirst: true,
	Header: statement.Cols("Contracts;Order No.;Direction;Filled Qty;Filled Price;Filled Type;Trading Fee Rate;Fees Paid;Trasaction ID|Transaction ID"),
	Costs:  statement.CostsPositive,
	Layout: &statement.Layout{
		Coins: true, Key: "Contracts", Kind: "Filled Type", Symbol: "Contracts", Namer: nameBybitContract, Side: "Direction",
		Time: "Transaction Time…|Trade Time…", Quantity: "Filled Qty", Price: "Filled Price", Fees: "Fees Paid", ID: "Trasaction ID|Transaction ID", Order: "Order No.",
		CashAmount: "=0", CashFees: statement.CashFeesSubtracted, Currency: "@coin", Note: "funding {Contracts}",
		Parse: []statement.Pattern{
			{In: "Contracts", Re: lazyregexp.New(`(?i)^(?P<coin>\w+)USD$`)},
			{In: "Contracts", Re: lazyregexp.New(`(?i)(?P<coin>USD[TCER]|DAI|BTC|ETH|EUR|BRL|PLN|TRY)$`)},
		},
		Words: []statement.Word{{Kind: statement.KindInterest, Words: "*funding*"}, {Kind: statement.KindTrade, Words: "*"}},
	},
}

// bybitLedger has a row for each wallet change: a fill in a contract, half a fill in a
// coin, or money.
var bybitLedger = statement.Preset{
	Broker: "Bybit", Export: "unified account ledger", Evidence: statement.Documented, Format: statement.Executions, Zone: utc, NewestFirst: true,
	Header: statement.Cols("Currency;Contract;Type;Direction;Quantity;Position;Filled Price;Funding;Fee Paid;Cash Flow;Change;Wallet Balance"),
	Layout: &statement.Layout{
		Coins: true, Key: "Type", Kind: "@kind|Type", Symbol: "{@base}{@quote}|Contract", Namer: nameBybitContract, Side: "Direction", Effect: "Action",
		Time: "Time…", Quantity: "Quantity", Price: "Filled Price", Fees: "@fee", FeesCurrency: "Currency", Result: "Cash Flow",
		CashAmount: "@flow|Change", Currency: "Currency", Note: "{kind} {Contract}", ID: "TradeId|Trade ID", Prepare: prepareBybitLedger,
		Join: []statement.Join{{By: "{Contract} {Time…} {TradeId|Trade ID|Direction}", As: statement.JoinLegs, Pair: "Contract"}},
		Words: []statement.Word{
			{Kind: statement.KindLeg, Words: "leg"},
			{Kind: statement.KindTrade, Words: "trade|liquidation|delivery|adl"},
			{Kind: statement.KindInterest, Words: "settlement|interest"},
			{Kind: statement.KindTransfer, Words: "transfer_in|transfer_out|deposit|withdraw"},
			{Kind: statement.KindAdjustment, Words: "bonus|bonus_*|fee_refund|airdrop|airdrop_*|currency_buy|currency_sell|auto_deduction"},
		},
	},
}

// prepareBybitLedger finds the fee's sign, and which rows are one coin in a spot fill:
// those without an action, or in the traded coin.
func prepareBybitLedger(w *statement.Row) {
	fee, flow := w.Decimal("Fee Paid"), w.Decimal("Cash Flow").Add(w.Decimal("Funding"))
	if !flow.Sub(fee).Equal(w.Decimal("Change")) {
		fee = fee.Neg() // the change is what flowed, the funding and the fee
	}
	w.Set("fee", fee.String())
	contract := nameBybitContract(w.Text("Contract"), "")
	isSpot := w.Reader().Has("Action") && w.Text("Action") == "" ||
		strings.EqualFold(w.Text("Currency"), contract.Base) && contract.Quote != "USD"
	switch strings.ToUpper(w.Text("Type")) {
	case "TRADE", "LIQUIDATION", "DELIVERY", "ADL":
		if isSpot {
			w.Set("kind", "leg")
			w.Set("flow", w.Text("Cash Flow"))
		}
	}
}
