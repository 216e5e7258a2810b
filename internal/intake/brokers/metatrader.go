package brokers

import (
	"strings"

	"fillbook/internal/intake/metatrader"
	"fillbook/internal/intake/statement"
)

// metaTraderWords are the types of rows in tables of MetaTrader accounts.
var metaTraderWords = append([]statement.Word{{Kind: statement.KindNotFilled, Words: "*limit*|*stop*"}}, metatrader.CashWords...)

// nameLots builds an instrument that is traded in lots: forex or a CFD.
func nameLots(symbol, _ string) statement.Instrument {
	symbol = strings.ToUpper(strings.TrimSpace(symbol))
	return statement.Instrument{Symbol: symbol, Type: metatrader.InstrumentType(symbol)}
}

// nameMetaTrader builds an instrument of a platform that trades forex and CFDs, in
// lots or in units.
func nameMetaTrader(symbol, _ string) statement.Instrument {
	return statement.NameAny(symbol, metatrader.InstrumentType(symbol))
}

// noteMetaTraderCash writes a note that is only the kind of the row in lower case,
// and leaves that of a plain change of balance empty.
func noteMetaTraderCash(w *statement.Row, r *statement.Record) {
	if r.Cash == nil || w.Text("Comment|Order comment") != "" {
		return
	}
	if r.Cash.Note = strings.ToLower(r.Cash.Note); r.Cash.Note == "balance" {
		r.Cash.Note = ""
	}
}
