package crypto

import (
	"strings"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
)

// deribit describes the transaction log of Deribit, from code; no file was seen.
// Everything but the contracts on USDC is settled in its coin.
func deribit() []*statement.Preset {
	return []*statement.Preset{{
		Broker: "Deribit", Export: "transaction log", Evidence: statement.Documented, Format: statement.Executions,
		Header: []string{"ID", "UserSeq", "Date", "Instrument", "Type", "Side", "Position", "Price", "Cash Flow", "Funding", "Fee Charged", "Change", "Balance", "Trade ID"},
		Zone:   utc, NewestFirst: true, Costs: statement.CostsPositive, Each: deribitRow, Done: tell,
	}}
}

func deribitRow(w *statement.Row) {
	kind := strings.ToLower(w.Text("Type"))
	if kind == "" {
		w.Ignore()
		return
	}
	at, symbol, change := w.Moment("Date"), strings.ToUpper(w.Text("Instrument")), w.Decimal("Change")
	coin := deribitCoin(symbol)
	if coin == "" {
		coin = strings.ToUpper(w.Text("Currency|Note"))
	}
	switch kind {
	case "trade", "delivery", "liquidation":
		deribitTrade(w, symbol, coin, at)
	case "deposit", "withdrawal", "transfer":
		pay(w, inOrOut(change), coins{change, coin}, at, kind)
	case "settlement":
		pay(w, "interest", coins{w.Decimal("Funding"), coin}, at, strings.TrimSpace(kind+" "+symbol))
	default:
		pay(w, "adjustment", coins{change, coin}, at, strings.TrimSpace(kind+" "+symbol))
	}
}

// deribitCoin is what an instrument is settled in: BTC-PERPETUAL in bitcoin,
// SOL_USDC-PERPETUAL in USDC.
func deribitCoin(symbol string) string {
	first, _, _ := strings.Cut(symbol, "-")
	if _, quote, ok := strings.Cut(first, "_"); ok {
		return quote
	}
	return first
}

// deribitTrade reads a fill. An option is priced in its coin, so that prices
// give the result; a future in dollars, so that the flow of cash is the result.
func deribitTrade(w *statement.Row, symbol, coin string, at statement.Moment) {
	d := deal{
		symbol: symbol, base: coin, quote: coin, contract: true, quantity: w.Required("Amount|Base Amount").Abs(), price: w.Required("Price"),
		costs: []coins{{amount: w.Cost("Fee Charged")}}, at: at, id: w.Text("Trade ID"),
	}
	d.side, d.effect = w.Side("Side")
	option := optionText.MatchString(symbol)
	if flow := w.Decimal("Cash Flow"); !option && !strings.Contains(symbol, "_USDC") && !flow.IsZero() {
		d.pnl = decimal.Of(flow)
	}
	d.emit(w)
}
