package brokers

import (
	"strings"

	"fillbook/internal/intake/parse"
	s "fillbook/internal/intake/statement"
)

// tradeRepublicTransactions is the export of the app. Amounts are before fee and
// tax, which are below zero if they were paid. Securities are named by their ISIN.
var tradeRepublicTransactions = s.Preset{
	Broker: "Trade Republic", Export: "transactions", Evidence: s.RealFile, Format: s.Executions, Zone: berlin, Costs: s.CostsNegative,
	Header: s.Cols("datetime;date;account_type;category;type;asset_class;name;symbol;shares;price;amount;fee;tax;currency"),
	Layout: &s.Layout{
		Key: "type", Kind: "@kind|type", Words: []s.Word{{Kind: s.KindMovement, Words: "corporate_action *"}},
		Symbol: "symbol", Namer: s.NamePlain, Name: "name", Time: "datetime", Quantity: "shares", Price: "price", Gross: "amount",
		Commission: "fee", CashFees: s.CashFeesApart, Tax: "tax", Currency: "currency", Currencies: s.CurrencyOfAccount,
		ID: "transaction_id", IDs: s.IDPerSide, Note: "description", Prepare: prepareTradeRepublic,
	},
}

// prepareTradeRepublic sets the kind of a row. A trade whose type names no side,
// such as a savings plan, has the side that its amount shows.
func prepareTradeRepublic(w *s.Row) {
	kind := w.Text("type")
	switch category := strings.ToUpper(w.Text("category")); {
	case category == "CORPORATE_ACTION":
		kind = strings.ToLower(category + " " + kind)
	case category != "TRADING" || w.Decimal("shares").IsZero():
		kind = strings.ReplaceAll(kind, "_", " ")
	default:
		if _, _, ok := parse.SideWord(kind); !ok && w.Decimal("amount").Sign() > 0 {
			kind = "sell"
		} else if !ok {
			kind = "buy"
		}
	}
	w.Set("kind", kind)
	w.NameCharges(w.Text("type"))
}

// tradeRepublicOlder is the table that tools made of the older export, in Dutch,
// German or English. It has no price: that follows from the amount, which is
// after costs. Thousands are never grouped, so a comma and a point are the same.
var tradeRepublicOlder = s.Preset{
	Broker: "Trade Republic", Export: "older transactions", Evidence: s.SampleFile, Format: s.Executions, Zone: berlin, NewestFirst: true,
	Header: s.Cols("Datum|Date;Transactietype|Typ|Type;Waarde (netto)|Wert|Value;Opmerking|Notiz|Note;ISIN;Aantal|Stück|Shares;Kosten|Gebühren|Fees;Belasting|Steuern|Taxes"),
	Layout: &s.Layout{
		Kind: "Transactietype|Typ|Type", Symbol: "ISIN|Opmerking|Notiz|Note", Namer: s.NamePlain, Name: "Opmerking|Notiz|Note",
		Time: "Datum|Date", Quantity: "Aantal|Stück|Shares", Amount: "Waarde (netto)|Wert|Value", Decimals: s.DecimalsUngrouped,
		Commission: "Kosten|Gebühren|Fees", Tax: "Belasting|Steuern|Taxes",
		Currencies: s.CurrencyOfAccount, Note: tradeRepublicNote, Prepare: func(w *s.Row) { w.NameCharges(w.Text(tradeRepublicNote)) },
	},
}

const tradeRepublicNote = "{Transactietype|Typ|Type} {Opmerking|Notiz|Note}"
