package brokers

import (
	"html"
	"strings"

	"fillbook/internal/base/lazyregexp"
	"fillbook/internal/intake/statement"
)

// tradesvizExecutions are the fills of TradesViz. Those of one trade share a number,
// and tags and notes of the trade are beside each of them.
var tradesvizExecutions = statement.Preset{
	Broker: "TradesViz", Export: "executions", Evidence: statement.Documented, Format: statement.Executions, Zone: utc, Costs: statement.CostsPositive,
	Header: statement.Cols("date;symbol;side;currency;underlying;asset_type;price;quantity;commission;fees;stop_loss;profit_target;tags;notes;spread_id"),
	Layout: &statement.Layout{
		Symbol: "symbol", Type: "asset_type", Side: "side", Time: "date", Quantity: "quantity", Price: "price", Commission: "commission", Fees: "fees",
		Currency: "currency", Lot: "spread_id", Prepare: prepareTradesviz,
		AnnotationColumns: statement.AnnotationColumns{Notes: "@notes", Tags: "tags", Stop: "@stop", Target: "@target"},
	},
}

var tradesvizMarkup = lazyregexp.New(`<[^>]*>`)

// prepareTradesviz removes the markup of notes, and stops that are not known.
func prepareTradesviz(w *statement.Row) {
	w.Set("notes", strings.Join(strings.Fields(html.UnescapeString(tradesvizMarkup().ReplaceAllString(w.Text("notes"), " "))), " "))
	for name, column := range map[string]string{"stop": "stop_loss", "target": "profit_target"} {
		if text := w.Text(column); !strings.EqualFold(text, "n/a") {
			w.Set(name, text)
		}
	}
}
