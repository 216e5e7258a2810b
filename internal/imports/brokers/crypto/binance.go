package crypto

import (
	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
)

// binance knows the trade histories of Binance, whose clock is UTC, and its
// ledgers. Of the trade histories only descriptions and code were seen.
func binance() []*statement.Preset {
	return []*statement.Preset{{
		Broker: "Binance", Export: "spot trades", Evidence: statement.Documented, Format: statement.Executions,
		Header: []string{"Date(UTC)|Time|Date", "Pair", "Side", "Price", "Executed", "Amount", "Fee"},
		Zone:   utc, NewestFirst: true, Each: binanceSpot, Done: tell,
		Columns: columns("Pair", "Side", "Date(UTC)|Time|Date", "Executed", "Price", "Fee", ""),
	}, {
		Broker: "Binance", Export: "spot trades until 2021", Evidence: statement.Documented, Format: statement.Executions,
		Header: []string{"Date(UTC)|Time|Date", "Market|Pair", "Type|Side", "Price", "Amount", "Total", "Fee", "Fee Coin"},
		Zone:   utc, NewestFirst: true, Costs: statement.CostsPositive, Each: binanceOldSpot, Done: tell,
		Columns: columns("Market|Pair", "Type|Side", "Date(UTC)|Time|Date", "Amount", "Price", "Fee", ""),
	}, {
		Broker: "Binance", Export: "futures trades", Evidence: statement.Documented, Format: statement.Executions,
		Header: []string{"Date(UTC)|Time(UTC)|Time|Date", "Symbol", "Side", "Price", "Quantity", "Amount", "Fee", "Realized Profit"},
		Zone:   utc, NewestFirst: true, Each: binanceFuture, Done: tell,
		Columns: columns("Symbol", "Side", "Date(UTC)|Time(UTC)|Time|Date", "Quantity", "Price", "Fee", ""),
	}, {
		Broker: "Binance", Export: "account statement", Evidence: statement.SampleFile, Format: statement.Executions,
		Header: []string{"UTC_Time|Time|Time(UTC)", "Account", "Operation", "Coin", "Change", "Remark"},
		Zone:   utc, Each: binanceEntry, Done: closeBinanceLedger,
	}, {
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

// binanceSpot reads a fill whose amounts carry their coins: 0.5BTC.
func binanceSpot(w *statement.Row) {
	pair := w.Text("Pair")
	if pair == "" {
		w.Ignore()
		return
	}
	base, quote := split(pair)
	d := deal{symbol: pair, base: base, quote: quote, price: w.Required("Price"), at: w.Moment("Date(UTC)|Time|Date")}
	if amount := amountOf(w, "Amount", quote); amount.coin != "" && amount.coin != quote {
		d.base, d.quote = pair[:max(0, len(pair)-len(amount.coin))], amount.coin
	}
	d.side, d.effect = w.Side("Side")
	d.quantity = amountOf(w, "Executed", d.base).amount
	d.costs = []coins{amountOf(w, "Fee", d.quote, d.base, "BNB")}
	d.emit(w)
}

func binanceOldSpot(w *statement.Row) {
	pair := w.Text("Market|Pair")
	if pair == "" {
		w.Ignore()
		return
	}
	d := deal{
		symbol: pair, quantity: w.Required("Amount"), price: w.Required("Price"), at: w.Moment("Date(UTC)|Time|Date"),
		costs: []coins{{w.Cost("Fee"), w.Text("Fee Coin")}},
	}
	d.base, d.quote = split(pair)
	d.side, d.effect = w.Side("Type|Side")
	d.emit(w)
}

// binanceFuture reads a fill in a contract. Contracts that are margined in their
// coin are settled in it: the prices are in dollars, the result is not.
func binanceFuture(w *statement.Row) {
	symbol := w.Text("Symbol")
	if symbol == "" {
		w.Ignore()
		return
	}
	d := deal{
		symbol: symbol, contract: true, quantity: w.Required("Quantity"), price: w.Required("Price"),
		at: w.Moment("Date(UTC)|Time(UTC)|Time|Date"),
	}
	d.base, d.quote = split(symbol)
	d.side, d.effect = w.Side("Side")
	fee := amountOf(w, "Fee", d.quote, d.base, "BNB")
	if coin := w.Text("Fee Coin"); coin != "" {
		fee.coin = coin
	}
	d.costs = []coins{{w.Cost("Fee"), fee.coin}}
	d.settledInCoin(amountOf(w, "Realized Profit", d.quote, d.base).amount)
	d.emit(w)
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
