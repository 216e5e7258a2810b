package brokers

import (
	"strings"

	"fillbook/internal/intake/statement"
)

// cryptocomApp has the Crypto.com app's transactions. Coins exchanged there are priced in
// the other coin.
var cryptocomApp = statement.Preset{
	Broker: "Crypto.com", Export: "app transactions", Evidence: statement.SampleFile, Format: statement.Executions, Zone: utc, NewestFirst: true,
	Header: statement.Cols("Timestamp (UTC);Transaction Description;Currency;Amount;To Currency;To Amount;Native Currency;Native Amount;Transaction Kind"),
	Layout: &statement.Layout{
		Coins: true, Key: "Transaction Kind", Kind: "@kind|Transaction Kind", Time: "Timestamp (UTC)", Amount: "@amount|Amount", Currency: "Currency",
		Symbol: "{@base}/{@quote}", Note: "{kind}", Prepare: prepareCryptocom,
		Join: []statement.Join{{By: "{Timestamp (UTC)} {@group}", As: statement.JoinLegs, Pair: "@pair", Fiat: true}},
		Words: []statement.Word{
			{Kind: statement.KindLeg, Words: "leg"},
			{Kind: statement.KindWithdrawal, Words: "card_top_up"},
			{Kind: statement.KindTransfer, Words: "*deposit|*withdrawal"},
			{Kind: statement.KindMovement, Words: "*"},
		},
	},
}

// prepareCryptocom finds the trade rows: with a second coin, half a swap, or a coin
// bought or spent for the user's currency.
func prepareCryptocom(w *statement.Row) {
	kind, coin := strings.ToLower(w.Text("Transaction Kind")), strings.ToUpper(w.Text("Currency"))
	native, paid := w.Text("Native Currency"), w.Decimal("Native Amount").Abs()
	switch {
	case w.Text("To Currency") != "" && !w.Decimal("To Amount").IsZero():
		native, paid = w.Text("To Currency"), w.Decimal("To Amount")
		amount := w.Decimal("Amount").Abs().Neg().String()
		w.Set("amount", amount)
		w.Set("group", coin+" "+native+" "+amount)
	case kind == "crypto_wallet_swap_credited" || kind == "crypto_wallet_swap_debited":
		w.Set("kind", "leg")
		w.Set("group", w.Text("Transaction Description"))
		return
	case kind == "crypto_purchase" || kind == "recurring_buy_order":
		w.Set("pair", coin+"/"+native)
		paid = paid.Neg()
	case kind == "card_top_up" && !statement.IsMoney(coin):
		w.Set("pair", coin+"/"+native)
	default:
		return
	}
	w.Set("kind", "leg")
	w.SetOtherLeg(paid, native)
}
