package crypto

import (
	"strings"

	"fillbook/internal/imports/statement"
)

// kucoin describes the spot histories of KuCoin in three generations, the fills of
// its futures and its list of closed positions. The old ones run in UTC+8, the
// new ones name their zone.
func kucoin() []*statement.Preset {
	return []*statement.Preset{{
		Broker: "KuCoin", Export: "spot fills", Evidence: statement.Documented, Format: statement.Executions,
		Header: []string{"UID", "Order ID", "Symbol", "Side", "Avg. Filled Price|Filled Price", "Filled Amount", "Filled Volume", "Fee", "Fee Currency"},
		Zone:   utc, NewestFirst: true, Each: kucoinRow, Done: tell, Columns: kucoinColumns(),
	}, {
		Broker: "KuCoin", Export: "spot fills with tradeCreatedAt", Evidence: statement.SampleFile, Format: statement.Executions,
		Header: []string{"tradeCreatedAt", "symbol", "side", "price", "size", "funds", "fee", "feeCurrency"},
		Zone:   kucoinOld, NewestFirst: true, Each: kucoinRow, Done: tell, Columns: kucoinColumns(),
	}, {
		Broker: "KuCoin", Export: "spot fills until 2019", Evidence: statement.SampleFile, Format: statement.Executions,
		Header: []string{"Time", "Pair", "Side", "FilledPrice", "FilledPriceCoin", "Amount", "Volume", "Fee", "FeeCoin"},
		Zone:   kucoinOld, NewestFirst: true, Each: kucoinRow, Done: tell, Columns: kucoinColumns(),
	}, {
		Broker: "KuCoin", Export: "closed futures positions", Evidence: statement.Documented, Format: statement.Executions,
		Header: []string{"UID", "Symbol", "Close Type", "Realized PNL", "Total Funding Fees", "Total Trading Fees"},
		Zone:   utc, NewestFirst: true, Each: kucoinPosition,
	}}
}

func kucoinColumns() map[statement.Target]string {
	return columns("Symbol|Pair", "Side", "tradeCreatedAt|Filled Time(UTC)|Time", "size|Filled Amount|Amount",
		"price|Avg. Filled Price|Filled Price|FilledPrice", "Fee", "")
}

// kucoinOld is the zone of histories that name none.
const kucoinOld = "Asia/Shanghai"

// kucoinRow reads a fill of any generation.
func kucoinRow(w *statement.Row) {
	symbol := w.Text("Symbol|Pair")
	if symbol == "" {
		w.Ignore()
		return
	}
	d := deal{symbol: symbol}
	d.base, d.quote = split(symbol)
	d.quantity = amountOf(w, "size|Filled Amount|Amount", d.base).amount
	if d.quantity.IsZero() {
		w.Skip(statement.ReasonNotFilled)
		return
	}
	d.price = w.Required("price|Avg. Filled Price|Filled Price|FilledPrice")
	d.side, d.effect = w.Side("Side")
	d.at = w.Moment(starting(w.Reader(), "Filled Time|tradeCreatedAt|Time"))
	d.costs = []coins{{w.Cost("Fee"), w.Text("Fee Currency|feeCurrency|FeeCoin")}}
	d.emit(w)
}

// kucoinPosition reads a closed position of which no price is told: its result
// and costs are money that the account made or lost.
func kucoinPosition(w *statement.Row) {
	symbol := strings.ToUpper(w.Text("Symbol"))
	if symbol == "" {
		w.Ignore()
		return
	}
	result := amountOf(w, "Total Realized PNL|Realized PNL")
	at := w.Moment(starting(w.Reader(), "Position Closing Time"))
	w.Reader().Out.Warn("The file has results of positions without prices and quantities: they were taken as adjustments of the balance. " +
		"Import the futures fills instead to have the trades.")
	if result.coin == "" {
		_, result.coin = split(strings.TrimSuffix(symbol, "M"))
	}
	pay(w, "adjustment", result, at, "closed position "+symbol)
}
