package brokers

import (
	"fillbook/internal/base/lazyregexp"
	"fillbook/internal/intake/parse"
	s "fillbook/internal/intake/statement"
	"fillbook/internal/trading/matching"
)

// tradeZellaTrades is TradeZella's export of trades. Its columns are in
// alphabetical order, with those of the user among them, and the column
// Instrument has the contract of an option: 2026-03-20 540 CALL.
var tradeZellaTrades = s.Preset{
	Broker: "TradeZella", Export: "trades", Evidence: s.RealFile, Format: s.JournalTrades, Zone: newYork,
	Header: s.Cols("Account Name;Avg Buy Price;Avg Sell Price;Close Date;Close Time;Entry Price;Exit Price;Gross P&L;Net P&L;Open Date;Open Time;Quantity;Side;Symbol"),
	Layout: &s.Layout{
		Account: "Account Name", Symbol: "Symbol", Namer: s.NameWithoutExchange, Right: "@right", Strike: "@strike", Expiry: "@expiry",
		Parse: []s.Pattern{{In: "Instrument", Re: lazyregexp.New(`^(?P<expiry>\d{4}-\d{2}-\d{2}) (?P<strike>\d+(?:\.\d+)?) (?P<right>CALL|PUT)$`)}},
		Side:  "Side", Quantity: "Quantity", Commission: "Commission", Fees: "Fee", Swap: "Swap",
		Result: "Gross P&L", NetResult: "Net P&L", Prepare: prepareTradeZella, Adjust: addMistakes,
		RoundTrip: s.RoundTrip{
			OpenDate: "Open Date", OpenTime: "Open Time", OpenPrice: "@entry|Entry Price",
			CloseDate: "Close Date", CloseTime: "Close Time", ClosePrice: "@exit|Exit Price",
		},
		AnnotationColumns: s.AnnotationColumns{
			Notes: "Notes", Tags: "Custom Tags", Setups: "{Setups};{Playbook}", Quality: "Rating", Risk: "Trade Risk",
			MAE: "Position MAE", MFE: "Position MFE",
		},
	},
}

// prepareTradeZella sets the average prices of entry and exit, if the file has
// them. The columns for entry and exit have the first and the last price.
func prepareTradeZella(w *s.Row) {
	entry, exit := "Avg Buy Price", "Avg Sell Price"
	if side, _, _ := parse.SideWord(w.Text("Side")); side == matching.Sell {
		entry, exit = exit, entry
	}
	for name, column := range map[string]string{"entry": entry, "exit": exit} {
		if price := w.Decimal(column); price.Sign() > 0 {
			w.Set(name, price.String())
		}
	}
}

// addMistakes reads the mistakes of a journal that has a column for them.
func addMistakes(w *s.Row, r *s.Record) {
	r.Annotations.Mistakes = append(s.List(w.Text("Mistakes")), r.Annotations.Mistakes...)
}

// tradeZellaFills is the file of fills that TradeZella imports.
var tradeZellaFills = s.Preset{
	Broker: "TradeZella", Export: "generic import", Evidence: s.SampleFile, Format: s.Executions, Zone: newYork, Order: parse.MonthFirst,
	Header: s.Cols("Date;Time;Symbol;Buy/Sell;Quantity;Price;Spread;Expiration;Strike;Call/Put"), Costs: s.CostsPositive,
	Columns: map[s.Target]string{
		s.TargetDate: "Date", s.TargetTime: "Time", s.TargetSymbol: "Symbol", s.TargetSide: "Buy/Sell", s.TargetQuantity: "Quantity",
		s.TargetPrice: "Price", s.TargetOptionRight: "Call/Put", s.TargetStrike: "Strike", s.TargetExpiry: "Expiration",
		s.TargetCommission: "Commission", s.TargetFees: "Fees",
	},
}
