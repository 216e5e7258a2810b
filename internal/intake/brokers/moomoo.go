package brokers

import (
	"slices"
	"strings"

	"fillbook/internal/intake/parse"
	s "fillbook/internal/intake/statement"
	"fillbook/internal/trading/instruments"
)

// moomooOrders is the order history from moomoo and Futu, in English and in Chinese,
// known from other people's code only; the Chinese names for times and sides are the
// least certain. A row without a side is one more fill for the order above it. Costs are
// in the order's row and go with the fill there.
var moomooOrders = s.Preset{
	Broker: "moomoo", Export: "order history", Evidence: s.Documented, Format: s.Executions, Zone: newYork, Costs: s.CostsPositive, NewestFirst: true,
	Header: s.Cols(moomooSide + ";Symbol|代码;" + moomooFilled + ";" + moomooPlaced + ";Order Qty|订单数量;Order Price|订单价格"),
	Sides: map[string]s.Direction{
		"卖空": {Effect: parse.Opening}, "沽空": {Effect: parse.Opening},
		"买回": {Buy: true, Effect: parse.Closing}, "buy back": {Buy: true, Effect: parse.Closing},
	},
	Layout: &s.Layout{
		Key: moomooSide, PerTable: func(_ *s.Reader, l *s.Layout) { l.Prepare = newMoomooPrepare() }, Orders: true,
		Symbol: "Symbol|代码", Namer: nameMoomoo, Side: moomooSide, Quantity: moomooQuantity + "|@quantity", Price: "Fill Price|成交价格|@price",
		Time: "Fill Time|成交时间|" + moomooPlaced, Currency: "Currency|币种", Commission: "Commission|佣金",
		Fees: "Platform Fees|平台使用费+Settlement Fees|交收费+SEC Fees|证监会规费+Trading Activity Fees|交易活动费+Options Regulatory Fees|期权监管费+" +
			"OCC Fees|期权清算费+Option Settlement Fees|期权交收费+Contract Fees+Consolidated Audit Trail Fees|综合审计跟踪监管费+Stamp Duty|印花税+" +
			"Trading Fees|交易费+Clearing Fees+SFC Levy|证监会征费+FRC Levy|财汇局征费+Trading Tariff|交易系统使用费+Tax/Consumption Tax",
		Adjust: func(w *s.Row, r *s.Record) {
			if total := w.Null("Total|合计费用"); total.Valid {
				r.Fill.Fees = total.Decimal.Sub(r.Fill.Commission)
			}
		},
	},
}

const (
	moomooSide     = "Side|方向|买卖方向"
	moomooFilled   = "Filled@Avg Price|已成交@均价"
	moomooPlaced   = "Order Time|下单时间|订单时间"
	moomooQuantity = "Fill Qty|成交数量"
)

// moomooTrades is the trade list, known from other people's code only.
var moomooTrades = s.Preset{
	Broker: "moomoo", Export: "trades", Evidence: s.Documented, Format: s.Executions, Zone: newYork, Costs: s.CostsPositive, NewestFirst: true,
	Header: s.Cols("Symbol;Name;Side;Qty;Price;Amount;Time;Market;Currency"), Without: s.Cols("Status"),
	Layout: &s.Layout{
		Orders: true, Symbol: "Symbol", Namer: nameMoomoo, Side: "Side", Quantity: "Qty", Price: "Price", Time: "Time", Currency: "Currency",
	},
}

// newMoomooPrepare completes a row with one more fill for the order above it.
func newMoomooPrepare() func(*s.Row) {
	var above *s.Row
	return func(w *s.Row) {
		readMoomooAverage(w)
		switch {
		case w.Failed():
		case w.Text(moomooSide) != "":
			above = w
		case above != nil:
			w.FillBlanks(above, moomooSide, "Symbol|代码", "Currency|币种")
		}
	}
}

// readMoomooAverage reads an order without separate fills: "4@261.6225" is how many at
// which average price.
func readMoomooAverage(w *s.Row) {
	text := w.Text(moomooFilled)
	quantity, price, ok := strings.Cut(text, "@")
	if !ok && text != "" && w.Text(moomooQuantity) == "" {
		w.Fail("%q is not a quantity and a price.", text)
	}
	w.Set("quantity", quantity)
	w.Set("price", price)
}

// nameMoomoo builds an instrument. Some exports put the market before the symbol.
func nameMoomoo(symbol, kind string) s.Instrument {
	if market, rest, ok := strings.Cut(symbol, "."); ok && slices.Contains([]string{"US", "HK", "SG", "JP", "AU", "CA", "SH", "SZ"}, market) {
		symbol = rest
	}
	i := s.NameAny(symbol, kind)
	if i.Type == "" {
		i.Type = instruments.TypeStock
	}
	return i
}
