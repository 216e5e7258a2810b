package brokers

import (
	"strings"

	"fillbook/internal/intake/metatrader"
	"fillbook/internal/intake/statement"
)

// metaTraderWords are the row types in tables from MetaTrader accounts.
var metaTraderWords = append([]statement.Word{{Kind: statement.KindNotFilled, Words: "*limit*|*stop*"}}, metatrader.CashWords...)

// nameLots builds an instrument traded in lots: forex or a CFD.
func nameLots(symbol, _ string) statement.Instrument {
	symbol = strings.ToUpper(strings.TrimSpace(symbol))
	return statement.Instrument{Symbol: symbol, Type: metatrader.InstrumentType(symbol)}
}

// nameMetaTrader builds an instrument on a platform for forex and CFDs, in lots or in
// units.
func nameMetaTrader(symbol, _ string) statement.Instrument {
	return statement.NameAny(symbol, metatrader.InstrumentType(symbol))
}

// noteMetaTraderCash writes a note with only the row's kind in lower case, and leaves it
// empty for a plain balance change.
func noteMetaTraderCash(w *statement.Row, r *statement.Record) {
	if r.Cash == nil || w.Text("Comment|Order comment") != "" {
		return
	}
	if r.Cash.Note = strings.ToLower(r.Cash.Note); r.Cash.Note == "balance" {
		r.Cash.Note = ""
	}
}
