package savers

import (
	"strings"

	"fillbook/internal/imports/statement"
	"fillbook/internal/matching"
)

// directa reads the account's movements, behind nine lines about the account. A
// trade has an amount in euro and no price.
func directa() []*statement.Preset {
	l := &ledger{
		word: "Tipo operazione", date: "Data operazione", symbol: "Ticker", isin: "Isin", name: "Descrizione", quantity: "Quantità",
		amount: "Importo euro", home: "EUR",
		sorts: []sort{
			{"conferimento", transfer},
			{"bonifico", transfer},
			{"prelievo", withdrawal},
			{"prelevamento", withdrawal},
			{"provento", dividend},
			{"dividend", dividend},
			{"coupon", dividend},
			{"cedola", dividend},
			{"ritenuta", adjustment},
			{"interess", interest},
			{"commission", fee},
			{"bollo", fee},
			{"spese", fee},
		},
	}
	return []*statement.Preset{{
		Broker: "Directa", Export: "movements", Evidence: statement.SampleFile, Format: statement.Executions,
		Header: []string{"Data operazione", "Tipo operazione", "Ticker", "Isin", "Protocollo", "Descrizione", "Quantità", "Importo euro"},
		Zone:   rome, Order: statement.DayFirst, NewestFirst: true, Each: l.row,
	}}
}

// fineco reads the list of securities and operations. A (acquisto) buys and V
// (vendita) sells; a redemption sells too, and new shares without a side are no
// trade.
func fineco() []*statement.Preset {
	l := &ledger{
		word: "Segno|Descrizione", date: "Operazione", isin: "Isin", name: "Titolo", quantity: "Quantita|Quantità", price: "Prezzo", amount: "Controvalore",
		costs: []string{
			"Commissioni Fondi Sw/Ingr/Uscita", "Commissioni Fondi Banca Corrispondente", "Spese Fondi Sgr", "Commissioni amministrato",
		},
		priced: "Divisa", home: "EUR", rate: "Cambio",
		sides: map[string]matching.Side{"a": matching.Buy, "v": matching.Sell, "rimborso": matching.Sell},
		sorts: []sort{{"dividendo", dividend}, {"cedole", dividend}, {"aumento", shares}, {"frazion", shares}},
	}
	return []*statement.Preset{{
		Broker: "Fineco", Export: "securities operations", Evidence: statement.SampleFile, Format: statement.Executions,
		Header: []string{"Operazione", "Data valuta", "Descrizione", "Titolo", "Isin", "Segno", "Prezzo", "Controvalore"},
		Zone:   rome, Order: statement.DayFirst, Costs: statement.CostsPositive, Each: l.row,
	}}
}

// flatex reads the depot's movements, whose last column tells of what sort each
// is. An execution that was taken back (Storno) is booked the other way.
func flatex() []*statement.Preset {
	l := &ledger{
		word: "Buchungsinformation", date: "Buchungstag", isin: "ISIN", name: "Bezeichnung", quantity: "Nominal (Stk.)", price: "Kurs",
		amount: "Betrag", hidden: true, home: "EUR", id: "TA.-Nr.",
	}
	return []*statement.Preset{{
		Broker: "flatex", Export: "depot movements", Evidence: statement.SampleFile, Format: statement.Executions,
		Header: []string{"Buchungstag", "Valuta", "Bezeichnung", "ISIN", "Nominal (Stk.)", "Betrag", "Kurs", "Buchungsinformation"},
		Zone:   berlin, Order: statement.DayFirst,
		Each: func(w *statement.Row) {
			what, side := w.Text("Buchungsinformation"), matching.Buy
			if strings.Contains(what, "Verkauf") {
				side = matching.Sell
			}
			switch {
			case w.Text("Buchungstag") == "":
				w.Ignore()
			case !strings.Contains(what, "ORDER"):
				leftOut(w, what)
			case strings.HasPrefix(what, "Storno"):
				l.undo(w, side)
			default:
				l.fill(w, side)
			}
		},
	}}
}

// scalable reads the transactions of Scalable Capital. Only executed ones count.
func scalable() []*statement.Preset {
	l := &ledger{
		word: "type", date: "date", tod: "time", isin: "isin", name: "description", quantity: "shares", price: "price", amount: "amount",
		costs: []string{"fee"}, money: "currency", id: "reference",
		sides: map[string]matching.Side{"savings plan": matching.Buy},
		sorts: []sort{
			{"distribution", dividend},
			{"dividend", dividend},
			{"deposit", deposit},
			{"withdrawal", withdrawal},
			{"interest", interest},
			{"tax", adjustment},
			{"fee", fee},
			{"transfer", shares},
			{"corporate", shares},
		},
		status: "status",
	}
	return []*statement.Preset{{
		Broker: "Scalable Capital", Export: "transactions", Evidence: statement.SampleFile, Format: statement.Executions,
		Header: []string{"date", "time", "status", "reference", "description", "assetType", "type", "isin", "shares"},
		Zone:   berlin, NewestFirst: true, Costs: statement.CostsPositive, Each: l.row,
	}}
}

// investEngine reads the trading statement, in which the ISIN follows the name.
func investEngine() []*statement.Preset {
	l := &ledger{
		word: "Transaction Type", at: "Trade Date/Time", name: "Security / ISIN", quantity: "Quantity", price: "Share Price", amount: "Total Trade Value",
		hidden: true, home: "GBP",
	}
	return []*statement.Preset{{
		Broker: "InvestEngine", Export: "trading statement", Evidence: statement.SampleFile, Format: statement.Executions,
		Header: []string{"Security / ISIN", "Transaction Type", "Quantity", "Share Price", "Total Trade Value", "Trade Date/Time"},
		Zone:   london, Order: statement.DayFirst, Each: l.row,
		Done: func(r *statement.Reader) {
			for _, f := range r.Out.Fills {
				if name, isin, ok := strings.Cut(f.Symbol, " / ISIN "); ok {
					f.Symbol = isin
					note(f, "name", name)
				}
			}
		},
	}}
}

// finpension reads the transactions of a Swiss pension account; prices are in
// francs whatever the fund is in.
func finpension() []*statement.Preset {
	l := &ledger{
		word: "Category", date: "Date", isin: "ISIN", name: "Asset Name", quantity: "Number of Shares", price: "Asset Price in CHF", amount: "Cash Flow",
		hidden: true, home: "CHF",
		sorts: []sort{
			{"fee", fee}, {"dividend", dividend}, {"deposit", deposit}, {"transfer", transfer}, {"withdrawal", withdrawal}, {"interest", interest},
		},
	}
	return []*statement.Preset{{
		Broker: "finpension", Export: "transactions", Evidence: statement.SampleFile, Format: statement.Executions,
		Header: []string{"Date", "Category", "Asset Name", "ISIN", "Number of Shares", "Asset Price in CHF", "Cash Flow"},
		Zone:   zurich, NewestFirst: true, Each: l.row,
	}}
}

// parqet reads the activities that the portfolio tracker exports. Taxes on a
// sale are no cost of it and stay out; of a dividend what arrived counts.
func parqet() []*statement.Preset {
	l := &ledger{
		word: "type", at: "datetime", isin: "identifier", name: "holdingname", quantity: "shares", price: "price", amount: "amount",
		costs: []string{"fee"}, money: "currency", unsigned: true,
		sorts: []sort{
			{"dividend", dividend},
			{"interest", interest},
			{"transferin", shares},
			{"transferout", shares},
			{"deposit", deposit},
			{"withdrawal", withdrawal},
			{"cost", fee},
		},
	}
	return []*statement.Preset{{
		Broker: "Parqet", Export: "activities", Evidence: statement.SampleFile, Format: statement.Executions,
		Header: []string{"datetime", "price", "shares", "amount", "tax", "fee", "type", "identifier", "holdingname"},
		Zone:   berlin, NewestFirst: true, Costs: statement.CostsPositive, Each: l.row,
	}}
}
