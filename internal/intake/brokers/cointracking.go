package brokers

import (
	"strings"

	"fillbook/internal/intake/statement"
)

// cointrackingTrades is the transaction list from the tax tool CoinTracking, covering all
// the user's exchanges.
var cointrackingTrades = statement.Preset{
	Broker: "CoinTracking", Export: "trade list", Evidence: statement.Documented, Format: statement.Executions, Zone: utc, Costs: statement.CostsPositive,
	Header: statement.Cols("Type;Buy;Cur.;Sell;Fee;Exchange;Group|Trade Group;Comment;Date"),
	Layout: &statement.Layout{
		Coins: true, Kind: "Type", Time: "Date", Amount: "@in|@out", Currency: "@coin", Fees: "@fee", FeesCurrency: "Cur.#3",
		Symbol: "{@base}/{@quote}", ID: "Tx-ID|Trade ID", Note: "Type", Prepare: prepareCointracking,
		Join: []statement.Join{{By: "{Date} {Buy} {Sell} {Exchange} {Tx-ID|Trade ID}", As: statement.JoinLegs, Fiat: true}},
		Words: []statement.Word{
			{Kind: statement.KindLeg, Words: "trade"},
			{Kind: statement.KindTransfer, Words: "deposit|withdrawal|spend|gift*|donation|gift/tip|expense*"},
			{Kind: statement.KindInterest, Words: "staking|*income|interest*|lending*|reward*|airdrop*|mining*|masternode|minting|dividends income"},
			{Kind: statement.KindFee, Words: "other fee|borrowing fee|settlement fee|margin fee"},
			{Kind: statement.KindAdjustment, Words: "lost|stolen|margin profit|margin loss|derivatives / futures profit|derivatives / futures loss"},
		},
	},
}

// prepareCointracking separates a trade's fee from the amounts, which include it if it is
// in the same coin. A fee in a third coin has a separate row.
func prepareCointracking(w *statement.Row) {
	in, out, fee := w.Decimal("Buy"), w.Decimal("Sell").Abs().Neg(), w.Decimal("Fee")
	w.Set("coin", w.Text("Cur."))
	if in.IsZero() {
		w.Set("coin", w.Text("Cur.#2"))
		w.Set("out", out.String())
		return
	}
	if out.IsZero() || !strings.EqualFold(w.Text("Type"), "trade") {
		w.Set("in", in.String())
		return
	}
	switch coin := w.Text("Cur.#3"); coin {
	case w.Text("Cur."):
		in = in.Add(fee)
		w.Set("fee", fee.String())
	case w.Text("Cur.#2"):
		out = out.Add(fee)
		w.Set("fee", fee.String())
	}
	w.Set("in", in.String())
	w.SetOtherLeg(out, w.Text("Cur.#2"))
}
