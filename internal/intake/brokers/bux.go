package brokers

import (
	"slices"
	"strings"
	"time"

	"fillbook/internal/intake/parse"
	s "fillbook/internal/intake/statement"
)

// buxTransactions are BUX's transactions. A fee is a separate row after its trade, and
// rows were seen with a column too many.
var buxTransactions = s.Preset{
	Broker: "BUX", Export: "transactions", Evidence: s.SampleFile, Format: s.Executions, Zone: amsterdam,
	Header: s.Cols("Transaction Time (CET);Transaction Category;Transaction Type;Transaction Amount;Transaction Currency;Asset Id;Asset Name;Asset Quantity;Asset Price;Asset Currency"),
	Layout: &s.Layout{
		Key: "Transaction Category", Kind: "@kind|{Transaction Category} {Transaction Type}",
		Words: []s.Word{
			{Kind: s.KindBuy, Words: "trades buy *"}, {Kind: s.KindSell, Words: "trades sell *"}, {Kind: s.KindMovement, Words: "corporate_actions *|corporate action open|corporate action close"},
		},
		Symbol: "Asset Id", Namer: s.NamePlain, Name: "Asset Name", Time: "Transaction Time (CET)", Quantity: "Asset Quantity", Price: "Asset Price",
		Amount: "Transaction Amount", Unsigned: true, Currency: "Transaction Currency", PriceCurrency: "Asset Currency", Rate: "Exchange Rate",
		Result: "Profit And Loss Amount", Currencies: s.CurrencyOfAccount, Note: "{Transaction Type} {Asset Name}",
		Join:    []s.Join{{Kinds: []s.Kind{s.KindFee}, By: "Asset Id", As: s.JoinCosts, Within: 2 * time.Second}},
		Prepare: prepareBUX,
	},
}

// prepareBUX removes the empty cell before the amount in some rows, and finds out which row
// of a corporate action has the old shares and which the new ones.
func prepareBUX(w *s.Row) {
	if w.Text("Transaction Category") == "corporate_actions" {
		switch strings.ToUpper(w.Text("Transfer Type")) {
		case "ASSET_REDEEM":
			w.Set("kind", "Corporate action close")
		case "ASSET_DEPOSIT":
			w.Set("kind", "Corporate action open")
		}
	}
	i := slices.Index(w.Reader().Out.Headers, "Transaction Amount")
	if w.Text("Transaction Amount") != "" || i < 0 || i+1 >= len(w.Cells) {
		return
	}
	if _, err := parse.Number(w.Text("Transaction Currency"), parse.Point); err == nil {
		w.Cells = slices.Delete(slices.Clone(w.Cells), i, i+1)
	}
}
