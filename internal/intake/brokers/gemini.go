package brokers

import (
	"strings"

	"fillbook/internal/intake/statement"
)

// geminiHistory has three columns for each coin: amount, fee and balance.
var geminiHistory = statement.Preset{
	Broker: "Gemini", Export: "account history", Evidence: statement.Documented, Format: statement.Executions, Zone: utc, Costs: statement.CostsPositive,
	Header: statement.Cols("Date;Time (UTC);Type;Symbol;Specification;Liquidity Indicator;Trading Fee Rate (bps)"),
	Layout: &statement.Layout{
		Coins: true, Kind: "Type", Symbol: "Symbol", Date: "Date", Clock: "Time (UTC)", Quantity: "@quantity", Gross: "@gross", Unsigned: true,
		Fees: "@fee", FeesCurrency: "@quote", CashAmount: "@quantity", Currency: "Symbol", CashFees: statement.CashFeesSubtracted,
		Note: "Specification", ID: "Trade ID", Prepare: prepareGemini,
		Words: []statement.Word{
			{Kind: statement.KindDeposit, Words: "credit"},
			{Kind: statement.KindWithdrawal, Words: "debit"},
			{Kind: statement.KindInterest, Words: "interest credit|administrative credit"},
			{Kind: statement.KindFee, Words: "administrative debit"},
		},
	},
}

// prepareGemini finds the row's coin columns. A symbol is a pair in trades and a coin
// otherwise. Fees are in parentheses, as they are below zero.
func prepareGemini(w *statement.Row) {
	base, quote := statement.SplitPair(w.Text("Symbol"))
	w.Set("quantity", w.Text(base+" Amount "+base))
	w.Set("quote", base)
	if quote != "" {
		w.Set("gross", w.Text(quote+" Amount "+quote))
		w.Set("quote", quote)
	}
	coin := w.Text("@quote")
	w.Set("fee", strings.Trim(w.Text("Fee ("+coin+") "+coin+"|Trading Fee ("+coin+") "+coin), "()"))
}
