package trading212

import (
	"cmp"
	"strings"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/lazyregexp"
	"fillbook/internal/base/remote"
	"fillbook/internal/intake/connector"
	"fillbook/internal/intake/statement"
	"fillbook/internal/trading/instruments"
	"fillbook/internal/trading/matching"
)

// isBefore reports whether all times that can be read are before an end, and there is one.
func isBefore(end time.Time, texts ...string) bool {
	found := false
	for _, text := range texts {
		at, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			continue
		}
		if !at.Before(end) {
			return false
		}
		found = true
	}
	return found
}

type instrument struct {
	Ticker   string `json:"ticker"`
	Name     string `json:"name"`
	Currency string `json:"currency"`
}

// orderItem is an order that has ended, and a fill of it.
type orderItem struct {
	Order struct {
		ID         remote.Number `json:"id"`
		CreatedAt  string        `json:"createdAt"`
		Side       string        `json:"side"`
		Ticker     string        `json:"ticker"`
		Instrument instrument    `json:"instrument"`
	} `json:"order"`
	Fill *struct {
		ID       remote.Number `json:"id"`
		Type     string        `json:"type"`
		Time     string        `json:"filledAt"`
		Price    remote.Number `json:"price"`
		Quantity remote.Number `json:"quantity"`
		Impact   walletImpact  `json:"walletImpact"`
	} `json:"fill"`
}

// walletImpact is what a fill moved, in the account's currency.
type walletImpact struct {
	Currency string        `json:"currency"`
	NetValue remote.Number `json:"netValue"`
	Taxes    []struct {
		Name     string        `json:"name"`
		Quantity remote.Number `json:"quantity"`
		Currency string        `json:"currency"`
	} `json:"taxes"`
}

func (o orderItem) isBefore(end time.Time) bool {
	if o.Fill == nil {
		return isBefore(end, o.Order.CreatedAt)
	}
	return isBefore(end, o.Order.CreatedAt, o.Fill.Time)
}

// add implements item. An order without a fill is no record.
func (o orderItem) add(rows *connector.Rows) {
	f := o.Fill
	if f == nil {
		return
	}
	record, isNew := rows.Start("fill " + string(f.ID))
	if !isNew {
		return
	}
	at, quantity := record.Time(f.Time), record.Decimal("quantity", f.Quantity)
	if !record.Failed() && !rows.Contains(at) {
		return
	}
	if f.ID == "" {
		record.Fail("The broker's record has no id.")
	}
	symbol := nameTicker(cmp.Or(o.Order.Ticker, o.Order.Instrument.Ticker))
	if kind := cmp.Or(f.Type, "TRADE"); kind != "TRADE" {
		rows.AddMessage("Trading 212 reports %s of %s on %s, which is not imported. Enter the change by hand if it changed your position.",
			kind, symbol, at.Format(time.DateOnly))
		record.Skip(at, statement.ReasonSecurities)
		return
	}
	fill := connector.NewFill(statement.NamePlain(symbol, instruments.TypeStock))
	if fill.Symbol == "" {
		record.Fail("The broker's record has no symbol.")
	}
	fill.ID, fill.At, fill.Quantity, fill.Price = string(f.ID), at, quantity.Abs(), record.Decimal("price", f.Price)
	fill.Side = matching.Buy
	if strings.EqualFold(o.Order.Side, "SELL") || o.Order.Side == "" && quantity.Sign() < 0 {
		fill.Side = matching.Sell
	}
	connector.AddDetail(&fill, "name", o.Order.Instrument.Name)
	connector.AddDetail(&fill, "order_id", string(o.Order.ID))
	currency := f.Impact.apply(record, &fill, strings.ToUpper(o.Order.Instrument.Currency))
	record.AddFill(fill, currency)
}

// apply adds the costs to a fill, and how much one unit of its price is in the account's
// currency, as Trading 212 files are read. It returns the currency the fill's amounts are
// in.
func (w walletImpact) apply(record *connector.Record, fill *statement.Fill, priced string) string {
	home := strings.ToUpper(w.Currency)
	abroad := decimal.Zero // costs in the price's currency
	for _, tax := range w.Taxes {
		cost, currency := record.Decimal("cost", tax.Quantity).Abs(), cmp.Or(strings.ToUpper(tax.Currency), home)
		if currency == priced && priced != home {
			abroad = abroad.Add(cost)
		} else {
			record.ChargeCoins(fill, statement.Instrument{Quote: cmp.Or(home, priced)}, cost, currency)
		}
	}
	fill.FeesKnown = home != ""
	net := record.Optional("net value", w.NetValue).Abs()
	value := fill.Price.Mul(fill.Quantity)
	if priced == home || priced == "" || home == "" || net.IsZero() {
		fill.Fees = fill.Fees.Add(abroad)
		return priced
	}
	// What was paid has the costs in it; what was received is without them.
	if fill.Side == matching.Sell {
		net, value = net.Add(fill.Fees), value.Sub(abroad)
	} else {
		net, value = net.Sub(fill.Fees), value.Add(abroad)
	}
	if net.Sign() <= 0 || value.Sign() <= 0 {
		record.Fail("The broker's record has costs that are larger than its value.")
		return home
	}
	const rateDecimals, costDecimals = 10, 8
	fill.Multiplier = decimal.Of(net.DivRound(value, rateDecimals))
	fill.Fees = fill.Fees.Add(abroad.Mul(fill.Multiplier.Decimal).Round(costDecimals))
	connector.AddDetail(fill, "currency", priced)
	return home
}

// tickerEnd is what Trading 212 adds to a ticker: a small letter for the exchange, a
// country and the kind of instrument.
var tickerEnd = lazyregexp.New(`[a-z]?(?:_[A-Z]{2})?_EQ$`)

// nameTicker returns the ticker of an instrument such as AAPL_US_EQ or VODl_EQ as Trading
// 212 files have it.
func nameTicker(ticker string) string {
	return strings.ReplaceAll(tickerEnd().ReplaceAllString(ticker, ""), "_", ".")
}

// dividend is a dividend in the account's currency.
type dividend struct {
	Reference string        `json:"reference"`
	Ticker    string        `json:"ticker"`
	PaidOn    string        `json:"paidOn"`
	Amount    remote.Number `json:"amount"`
	Currency  string        `json:"currency"`
}

func (d dividend) isBefore(end time.Time) bool { return isBefore(end, d.PaidOn) }

// add implements item.
func (d dividend) add(rows *connector.Rows) {
	addCash(rows, "dividend", d.Reference, d.PaidOn, d.Amount, statement.Cash{
		Type: "dividend", Currency: d.Currency, Note: strings.TrimSpace("Dividend " + nameTicker(d.Ticker)),
	})
}

// transaction is money that moved into or out of the account.
type transaction struct {
	Reference string        `json:"reference"`
	Type      string        `json:"type"`
	Time      string        `json:"dateTime"`
	Amount    remote.Number `json:"amount"`
	Currency  string        `json:"currency"`
}

func (t transaction) isBefore(end time.Time) bool { return isBefore(end, t.Time) }

// transactionKinds are the kinds of transactions.
var transactionKinds = map[string]statement.Kind{
	"DEPOSIT": statement.KindDeposit, "WITHDRAW": statement.KindWithdrawal, "TRANSFER": statement.KindTransfer, "FEE": statement.KindFee,
}

// add implements item.
func (t transaction) add(rows *connector.Rows) {
	kind, known := transactionKinds[strings.ToUpper(t.Type)]
	if !known {
		kind = cmp.Or(statement.FindCashKind(t.Type), statement.KindAdjustment)
	}
	amount := t.Amount
	if isCost := kind == statement.KindWithdrawal || kind == statement.KindFee; isCost && amount != "" && !strings.HasPrefix(string(amount), "-") {
		amount = "-" + amount
	}
	parsed, _ := decimal.Parse(string(amount)) // the sign decides the type; addCash reports what is not a number
	addCash(rows, "transaction", t.Reference, t.Time, amount, statement.Cash{
		Type: cmp.Or(statement.CashType(kind, parsed, ""), "adjustment"), Currency: t.Currency, Note: strings.ToUpper(t.Type),
	})
}

// addCash adds money with a reference.
func addCash(rows *connector.Rows, list, reference, at string, amount remote.Number, cash statement.Cash) {
	key := ""
	if reference != "" {
		key = list + " " + reference
	}
	record, isNew := rows.Start(key)
	if !isNew {
		return
	}
	cash.At, cash.Amount = record.Time(at), record.Decimal("sum of money", amount)
	record.AddCash(cash)
}
