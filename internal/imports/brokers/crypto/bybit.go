package crypto

import (
	"strings"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
	"fillbook/internal/instruments"
	"fillbook/internal/matching"
)

// bybit describes the exports of Bybit, from descriptions, code and single rows; no
// whole file was seen.
func bybit() []*statement.Preset {
	return []*statement.Preset{{
		Broker: "Bybit", Export: "closed P&L", Evidence: statement.Documented, Format: statement.JournalTrades,
		Header: []string{"Contracts|Market|Symbol", "Closing Direction|Trade Type", "Qty|Quantity|Order Quantity", "Entry Price", "Exit Price", "Closed P&L|Realized P&L"},
		Zone:   utc, NewestFirst: true, Each: bybitClosed,
	}, {
		Broker: "Bybit", Export: "trade history", Evidence: statement.Documented, Format: statement.Executions,
		Header: []string{"Contracts", "Order No.", "Direction", "Filled Qty", "Filled Price", "Filled Type", "Trading Fee Rate", "Fees Paid", "Trasaction ID|Transaction ID"},
		Zone:   utc, NewestFirst: true, Costs: statement.CostsPositive, Each: bybitFill, Done: tell,
		Columns: columns("Contracts", "Direction", "Transaction Time(UTC+0)", "Filled Qty", "Filled Price", "Fees Paid", "Trasaction ID|Transaction ID"),
	}, {
		Broker: "Bybit", Export: "unified account ledger", Evidence: statement.Documented, Format: statement.Executions,
		Header: []string{"Currency", "Contract", "Type", "Direction", "Quantity", "Position", "Filled Price", "Funding", "Fee Paid", "Cash Flow", "Change", "Wallet Balance"},
		Zone:   utc, NewestFirst: true, Each: bybitEntry, Done: closeBybitLedger,
	}}
}

// bybitQuotes are what Bybit prices coins and contracts in.
var bybitQuotes = strings.Fields("USDT USDC USD USDE USDR DAI BTC ETH EUR BRL PLN TRY")

// bybitClosed reads a part of a position that was closed. Only the time of
// closing is there, and the result is what is left after fees and funding.
func bybitClosed(w *statement.Row) {
	symbol := strings.ToUpper(w.Text("Contracts|Market|Symbol"))
	if symbol == "" {
		w.Ignore()
		return
	}
	t := statement.Trip{
		Symbol: symbol, Type: instruments.TypeFuture, Multiplier: decimal.Of(decimal.New(1)),
		Quantity: w.Required("Qty|Quantity|Order Quantity").Abs(), OpenPrice: w.Required("Entry Price"),
		ClosePrice: decimal.Of(w.Required("Exit Price")), NetPnL: w.Null("Closed P&L|Realized P&L"),
		Fees: w.Cost("Opening Fee", "Closing Fee", "Funding Fee"), ID: w.Text("Order No."),
	}
	t.Short = bybitWasShort(w, &t)
	t.Close = bybitTime(w)
	_, quote := splitBy(symbol, bybitQuotes)
	t.TrustPnL = quote == "USD"
	w.Reader().Out.Warn("The file does not say when positions were opened; the time of closing was taken.")
	t.Open, t.Open.DateOnly, t.Close.DateOnly = t.Close, true, true
	w.Trip(t)
}

// bybitWasShort returns the direction by the order that closed the position. A
// file without it has the result, which must agree with the way the price went.
func bybitWasShort(w *statement.Row, t *statement.Trip) bool {
	if w.Reader().Has("Closing Direction") {
		side, _ := w.Side("Closing Direction")
		return side == matching.Buy
	}
	moved := t.ClosePrice.Decimal.Sub(t.OpenPrice)
	gross := t.NetPnL.Decimal.Add(t.Fees)
	return moved.Sign()*gross.Sign() < 0
}

// bybitTime reads when it was closed; some files write the time before the day.
func bybitTime(w *statement.Row) statement.Moment {
	column := starting(w.Reader(), "Trade Time|Create Time")
	if tod, day, ok := strings.Cut(w.Text(column), " "); ok && strings.Contains(tod, ":") && strings.Count(day, "-") == 2 {
		return w.At(day + " " + tod)
	}
	return w.Moment(column)
}

// bybitFill reads a fill in a contract; funding has a row of its own.
func bybitFill(w *statement.Row) {
	symbol := w.Text("Contracts")
	if symbol == "" {
		w.Ignore()
		return
	}
	d := deal{symbol: symbol, contract: true, id: w.Text("Trasaction ID|Transaction ID"), at: w.Moment(starting(w.Reader(), "Transaction Time|Trade Time"))}
	d.base, d.quote = splitBy(symbol, bybitQuotes)
	d.settledInCoin(decimal.Zero)
	fee := w.Cost("Fees Paid")
	if strings.Contains(strings.ToLower(w.Text("Filled Type")), "funding") {
		pay(w, "interest", coins{fee.Neg(), d.quote}, d.at, "funding "+strings.ToUpper(symbol))
		return
	}
	d.quantity, d.price = w.Required("Filled Qty"), w.Required("Filled Price")
	d.side, d.effect = w.Side("Direction")
	d.costs = []coins{{amount: fee}}
	if d.quote == d.base {
		w.Reader().Out.Warn("%s is settled in %s, and the file does not state results: import the closed P&L instead.", strings.ToUpper(symbol), d.base)
	}
	d.emit(w)
}

// bybitEntry reads a change of the wallet: a fill in a contract, one of the two
// rows of a fill in a coin, or money.
func bybitEntry(w *statement.Row) {
	kind := strings.ToUpper(w.Text("Type"))
	if kind == "" {
		w.Ignore()
		return
	}
	at := w.Moment(starting(w.Reader(), "Time"))
	coin, contract := strings.ToUpper(w.Text("Currency")), strings.ToUpper(w.Text("Contract"))
	change := w.Required("Change")
	if w.Failed() {
		return
	}
	note := strings.TrimSpace(strings.ToLower(kind) + " " + contract)
	switch kind {
	case "TRADE", "LIQUIDATION", "DELIVERY", "ADL":
		bybitTrade(w, contract, coin, at)
	case "SETTLEMENT", "INTEREST":
		pay(w, "interest", coins{change, coin}, at, note)
	case "TRANSFER_IN", "TRANSFER_OUT", "DEPOSIT", "WITHDRAW":
		pay(w, inOrOut(change), coins{change, coin}, at, note)
	default:
		pay(w, "adjustment", coins{change, coin}, at, note)
	}
}

// bybitTrade reads a row of a trade. One in the coin that the contract names
// first, or in one that is not settled by position, is half of a spot fill.
func bybitTrade(w *statement.Row, contract, coin string, at statement.Moment) {
	base, quote := splitBy(contract, bybitQuotes)
	if option := optionText.FindStringSubmatch(contract); option != nil {
		base, quote = option[1], coin
	}
	fee := bybitFee(w)
	action := strings.ToUpper(w.Text("Action"))
	if w.Reader().Has("Action") && action == "" || coin == base && quote != "USD" {
		key := strings.Join([]string{contract, at.At.String(), w.Text("TradeId|Trade ID|Direction")}, "|")
		g := remembered(w.Reader()).ledger.of(w, key, w.Text("TradeId|Trade ID"), at)
		g.base, g.quote = base, quote
		g.legs = append(g.legs, coins{w.Required("Cash Flow"), coin})
		g.costs = append(g.costs, coins{fee, coin})
		return
	}
	d := deal{
		symbol: contract, base: base, quote: quote, contract: true, quantity: w.Required("Quantity").Abs(),
		price: w.Required("Filled Price"), costs: []coins{{fee, coin}}, at: at, id: w.Text("TradeId|Trade ID"),
	}
	d.side, _ = w.Side("Direction")
	switch action {
	case "OPEN":
		d.effect = statement.Opening
	case "CLOSE":
		d.effect = statement.Closing
	}
	d.settledInCoin(w.Decimal("Cash Flow"))
	d.emit(w)
}

// bybitFee is what was paid. Whether that is above or below zero in this file
// shows in the change: it is what flowed, the funding and the fee.
func bybitFee(w *statement.Row) decimal.Decimal {
	fee, flow := w.Decimal("Fee Paid"), w.Decimal("Cash Flow").Add(w.Decimal("Funding"))
	if flow.Sub(fee).Equal(w.Decimal("Change")) {
		return fee
	}
	return fee.Neg()
}

func closeBybitLedger(r *statement.Reader) {
	remembered(r).ledger.settle(r, quotes, func(base, quote string) string { return base + quote })
	tell(r)
}
