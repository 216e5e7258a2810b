package crypto

import (
	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
)

// binance lists the trade histories of Binance, whose clock is UTC, and its
// ledgers. Of the trade histories only descriptions and code were seen.
func binance() []*statement.Preset {
	return []*statement.Preset{&binanceSpot, &binanceOldSpot, &binanceFutures, &binanceStatement, {
		Broker: "Binance", Export: "futures transactions", Evidence: statement.Documented, Format: statement.Executions,
		Header: []string{"Date(UTC)|Time(UTC)", "type", "Amount", "Asset", "Symbol", "Transaction ID"},
		Zone:   utc, Each: binanceFutureEntry, Done: tell,
	}, {
		Broker: "Binance", Export: "Auto-Invest", Evidence: statement.SampleFile, Format: statement.Executions,
		Header: []string{"Auto-Invest Date(UTC)", "Holding Coin", "Amount per period", "Trading Fee", "Units", "Status"},
		Zone:   utc, Order: statement.MonthFirst, Each: binanceAutoInvest, Done: tell,
	}}
}

const utc = "UTC"

// binanceSpot has amounts with their coins attached: 0.5BTC. The coin of the
// amount is the one that the pair is priced in.
var binanceSpot = statement.Preset{
	Broker: "Binance", Export: "spot trades", Evidence: statement.Documented, Format: statement.Executions, Zone: utc, NewestFirst: true,
	Header: statement.Cols("Date(UTC)|Time|Date;Pair;Side;Price;Executed;Amount;Fee"),
	Layout: &statement.Layout{
		Coins: true, Symbol: "Pair", Side: "Side", Time: "Date(UTC)|Time|Date", Quantity: "Executed", Price: "Price", PriceCurrency: "Amount$",
		Fees: "Fee",
	},
}

var binanceOldSpot = statement.Preset{
	Broker: "Binance", Export: "spot trades until 2021", Evidence: statement.Documented, Format: statement.Executions, Zone: utc, NewestFirst: true,
	Header: statement.Cols("Date(UTC)|Time|Date;Market|Pair;Type|Side;Price;Amount;Total;Fee;Fee Coin"), Costs: statement.CostsPositive,
	Layout: &statement.Layout{
		Coins: true, Symbol: "Market|Pair", Side: "Type|Side", Time: "Date(UTC)|Time|Date", Quantity: "Amount", Price: "Price",
		Fees: "Fee", FeesCurrency: "Fee Coin",
	},
}

// binanceFutures are contracts. Those that are margined in their coin are settled
// in it: prices are in dollars, and the result is not.
var binanceFutures = statement.Preset{
	Broker: "Binance", Export: "futures trades", Evidence: statement.Documented, Format: statement.Executions, Zone: utc, NewestFirst: true,
	Header: statement.Cols("Date(UTC)|Time(UTC)|Time|Date;Symbol;Side;Price;Quantity;Amount;Fee;Realized Profit"),
	Layout: &statement.Layout{
		Coins: true, Symbol: "Symbol", Namer: statement.NameCoinContract, Side: "Side", Time: "Date(UTC)|Time(UTC)|Time|Date",
		Quantity: "Quantity", Price: "Price", Fees: "Fee", FeesCurrency: "Fee Coin", Result: "Realized Profit",
	},
}

// settledInCoin notes the stated result of a contract that is priced in dollars
// and settled in its coin, which prices cannot give.
func (d *deal) settledInCoin(result decimal.Decimal) {
	if d.quote != "USD" {
		return
	}
	d.quote = d.base
	if !result.IsZero() {
		d.pnl = decimal.Of(result)
	}
}

// binanceAutoInvest reads a purchase by plan: the amount includes the fee.
func binanceAutoInvest(w *statement.Row) {
	if w.Text("Status") != "Success" {
		w.Skip(statement.ReasonNotFilled)
		return
	}
	coin := w.Text("Holding Coin")
	spent, fee, got := amountOf(w, "Amount per period"), amountOf(w, "Trading Fee"), amountOf(w, "Units", coin)
	d := deal{
		symbol: coin + spent.coin, base: coin, quote: spent.coin, side: "buy", quantity: got.amount,
		costs: []coins{fee}, at: w.Moment("Auto-Invest Date(UTC)"),
	}
	if got.amount.Sign() <= 0 {
		w.Fail("There is no value in column Units.")
		return
	}
	worth := spent.amount
	if fee.coin == spent.coin {
		worth = worth.Sub(fee.amount)
	}
	d.price = worth.DivRound(got.amount, decimal.MaxDecimals)
	d.emit(w)
}
