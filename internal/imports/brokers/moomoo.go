package brokers

import (
	"slices"
	"strings"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
	"fillbook/internal/instruments"
)

// moomoo reads the history of orders of moomoo and Futu, in English and in
// Chinese, and the list of trades. Both are known from other people's code only;
// of the Chinese names those of times and sides are the least certain.
func moomoo() []*statement.Preset {
	const broker = "moomoo"
	return []*statement.Preset{
		{
			Broker: broker, Export: "order history", Evidence: statement.Documented, Format: statement.Executions,
			Header: []string{moomooSide, moomooSymbol, moomooFilled, moomooPlaced, "Order Qty|订单数量", "Order Price|订单价格"},
			Zone:   newYork, Costs: statement.CostsPositive, NewestFirst: true,
			Sides: map[string]statement.Direction{
				"卖空": {Effect: statement.Opening}, "沽空": {Effect: statement.Opening},
				"买回": {Buy: true, Effect: statement.Closing}, "buy back": {Buy: true, Effect: statement.Closing},
			},
			Whole: readMoomoo,
		},
	}
}

const (
	moomooSide   = "Side|方向|买卖方向"
	moomooSymbol = "Symbol|代码"
	moomooFilled = "Filled@Avg Price|已成交@均价"
	moomooPlaced = "Order Time|下单时间|订单时间"
	moomooQty    = "Fill Qty|成交数量"
)

// moomooTrades is the list of trades.
var moomooTrades = statement.Preset{
	Broker: "moomoo", Export: "trades", Evidence: statement.Documented, Format: statement.Executions, Zone: newYork, Costs: statement.CostsPositive,
	Header: statement.Cols("Symbol;Name;Side;Qty;Price;Amount;Time;Market;Currency"), Without: statement.Cols("Status"), NewestFirst: true,
	Layout: &statement.Layout{
		Orders: true, Symbol: "Symbol", Namer: nameMoomoo, Side: "Side", Quantity: "Qty", Price: "Price", Time: "Time", Currency: "Currency",
	},
}

// moomooOrder is the order that the rows below it are fills of.
type moomooOrder struct {
	symbol, currency string
	known            bool
	fill             statement.Fill // side, effect and costs, until a fill has taken them
}

// readMoomoo reads orders with their fills: a row without a side is one more
// fill of the order above it. The costs stand on the order's row and go with its
// first fill.
func readMoomoo(r *statement.Reader) error {
	var o moomooOrder
	r.EachRow(func(w *statement.Row) {
		if w.Text(moomooSide) != "" {
			o = openMoomoo(w)
		}
		switch {
		case !o.known:
			w.Ignore()
		case w.Text(moomooQty) != "":
			o.emit(w, w.Required(moomooQty), w.Required("Fill Price|成交价格"), w.Moment("Fill Time|成交时间|"+moomooPlaced))
		case w.Text(moomooFilled) != "":
			o.average(w)
		default:
			w.Skip(statement.ReasonNotFilled)
		}
	})
	return nil
}

func openMoomoo(w *statement.Row) moomooOrder {
	o := moomooOrder{symbol: w.Text(moomooSymbol), currency: w.Text("Currency|币种"), known: true}
	o.fill.Side, o.fill.Effect = w.Side(moomooSide)
	o.fill.Commission = w.Cost("Commission|佣金")
	if total := w.Null("Total|合计费用"); total.Valid {
		o.fill.Fees = total.Decimal.Sub(o.fill.Commission)
		return o
	}
	o.fill.Fees = w.Cost(
		"Platform Fees|平台使用费", "Settlement Fees|交收费", "SEC Fees|证监会规费", "Trading Activity Fees|交易活动费",
		"Options Regulatory Fees|期权监管费", "OCC Fees|期权清算费", "Option Settlement Fees|期权交收费", "Contract Fees",
		"Consolidated Audit Trail Fees|综合审计跟踪监管费", "Stamp Duty|印花税", "Trading Fees|交易费", "Clearing Fees",
		"SFC Levy|证监会征费", "FRC Levy|财汇局征费", "Trading Tariff|交易系统使用费", "Tax/Consumption Tax",
	)
	return o
}

// average takes an order that has no fills of its own: "4@261.6225" is how many
// at which average price.
func (o *moomooOrder) average(w *statement.Row) {
	text := w.Text(moomooFilled)
	many, price, ok := strings.Cut(text, "@")
	quantity, err := statement.Number(many, statement.Point)
	each, err2 := statement.Number(price, statement.Point)
	if !ok || err != nil || err2 != nil {
		w.Fail("%q is not a quantity and a price.", text)
		return
	}
	o.emit(w, quantity, each, w.Moment(moomooPlaced))
}

func (o *moomooOrder) emit(w *statement.Row, quantity, price decimal.Decimal, at statement.Moment) {
	if quantity.IsZero() {
		w.Skip(statement.ReasonNotFilled)
		return
	}
	f := o.fill
	f.Quantity, f.Price, f.At, f.DateOnly = quantity, price, at.At, at.DateOnly
	f.SetInstrument(nameMoomoo(o.symbol, ""))
	noteForeignCurrency(w, &f, o.currency)
	w.Fill(f)
	if !w.Failed() {
		o.fill.Commission, o.fill.Fees = decimal.Zero, decimal.Zero
	}
}

// nameMoomoo builds an instrument. Some exports put the market before the symbol.
func nameMoomoo(symbol, kind string) statement.Instrument {
	if market, rest, ok := strings.Cut(symbol, "."); ok && slices.Contains([]string{"US", "HK", "SG", "JP", "AU", "CA", "SH", "SZ"}, market) {
		symbol = rest
	}
	i := statement.NameAny(symbol, kind)
	if i.Type == "" {
		i.Type = instruments.TypeStock
	}
	return i
}

// noteForeignCurrency records that a fill is in another currency than the account.
func noteForeignCurrency(w *statement.Row, f *statement.Fill, currency string) {
	r := w.Reader()
	currency = strings.ToUpper(currency)
	r.Out.NoteCurrency(currency)
	if home := r.Hints.Currency; currency != "" && home != "" && currency != home {
		r.Out.Warn("Some rows are in %s, the account is in %s: their amounts were taken as they are.", currency, home)
		f.Details = map[string]string{"currency": currency}
	}
}
