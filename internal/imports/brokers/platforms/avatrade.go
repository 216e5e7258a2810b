package platforms

import (
	"strings"

	"fillbook/internal/imports/metatrader"
	"fillbook/internal/imports/statement"
	"fillbook/internal/instruments"
)

// avaTrade is the list of orders of AvaTrade in German. An order was filled as
// far as its Erfüllungsmenge says, whatever became of the rest.
func avaTrade() []*statement.Preset {
	return []*statement.Preset{{
		Broker: "AvaTrade", Export: "orders", Evidence: statement.SampleFile, Format: statement.Executions,
		Header: []string{"Symbol", "Seite", "Anz.", "Erfüllungsmenge", "Durchschnittlicher Erfüllungspreis", "Status Zeit", "Order-Nummer"},
		Costs:  statement.CostsPositive, NewestFirst: true,
		Columns: map[statement.Target]string{
			"symbol": "Symbol", "side": "Seite", "quantity": "Erfüllungsmenge", "price": "Durchschnittlicher Erfüllungspreis",
			"executed_at": "Status Zeit|Platzierungszeit", "commission": "Kommission", "external_id": "Order-Nummer",
		},
		Done: nameContracts,
	}}
}

// nameContracts tells futures, written F.US.MESM26, from what is traded as a
// contract for difference.
func nameContracts(r *statement.Reader) {
	for _, f := range r.Out.Fills {
		symbol := strings.TrimPrefix(f.Symbol, "F.US.")
		if _, ok := instruments.ParseFuture(symbol); ok && symbol != f.Symbol {
			f.Symbol, f.Type = symbol, instruments.TypeFuture
			continue
		}
		f.Type = metatrader.InstrumentType(f.Symbol)
	}
}
