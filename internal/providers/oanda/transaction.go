package oanda

import (
	"cmp"
	"strconv"
	"strings"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/remote"
	"fillbook/internal/intake/connector"
	"fillbook/internal/intake/statement"
	"fillbook/internal/trading/instruments"
	"fillbook/internal/trading/matching"
)

// transaction is a change of an account. Its results and costs are in the account's
// currency.
type transaction struct {
	ID         string        `json:"id"`
	Type       string        `json:"type"`
	Time       string        `json:"time"`
	OrderID    string        `json:"orderID"`
	Instrument string        `json:"instrument"`
	Units      remote.Number `json:"units"`
	Price      remote.Number `json:"price"`
	Reason     string        `json:"reason"`
	Commission remote.Number `json:"commission"`
	// GuaranteeFee is the fee of a guaranteed stop.
	GuaranteeFee  remote.Number `json:"guaranteedExecutionFee"`
	Financing     remote.Number `json:"financing"`
	TradeOpened   *part         `json:"tradeOpened"`
	TradesClosed  []part        `json:"tradesClosed"`
	TradeReduced  *part         `json:"tradeReduced"`
	Amount        remote.Number `json:"amount"`
	FundingReason string        `json:"fundingReason"`
	Comment       string        `json:"comment"`
	Dividend      remote.Number `json:"dividendAdjustment"`
}

// part is the part of a fill that opens, closes or reduces one trade of OANDA.
type part struct {
	TradeID string        `json:"tradeID"`
	Units   remote.Number `json:"units"`
	Price   remote.Number `json:"price"`
	// Result is empty for the part that opens a trade.
	Result remote.Number `json:"realizedPL"`
}

// add adds the transaction to the rows. Orders and settings are no records.
func (t transaction) add(rows *connector.Rows, account summary, id int64) {
	switch t.Type {
	case "ORDER_FILL":
		t.addFills(rows, account, id)
		t.addCash(rows, account, statement.KindInterest, t.Financing, "Financing "+nameInstrument(t.Instrument).Symbol)
	case "TRANSFER_FUNDS":
		t.addCash(rows, account, statement.KindTransfer, t.Amount, cmp.Or(t.Comment, t.FundingReason))
	case "DAILY_FINANCING":
		t.addCash(rows, account, statement.KindInterest, t.Financing, "Daily financing")
	case "DIVIDEND_ADJUSTMENT":
		t.addCash(rows, account, statement.KindDividend, t.Dividend, strings.TrimSpace("Dividend adjustment "+nameInstrument(t.Instrument).Symbol))
	}
}

// addCash adds an amount the transaction moved without a fill, if it has one.
func (t transaction) addCash(rows *connector.Rows, account summary, kind statement.Kind, number remote.Number, note string) {
	record, isNew := rows.Start("cash " + t.ID)
	if !isNew {
		return
	}
	amount := record.Optional("sum of money", number)
	if amount.IsZero() && !record.Failed() {
		return
	}
	record.AddCash(statement.Cash{
		Type: statement.CashType(kind, amount, ""), Amount: amount, Currency: account.Currency, At: record.Time(t.Time), Note: note,
	})
}

// parts returns a fill's parts: those that close come before the one that opens.
func (t transaction) parts() []part {
	list := append([]part(nil), t.TradesClosed...)
	for _, p := range []*part{t.TradeReduced, t.TradeOpened} {
		if p != nil {
			list = append(list, *p)
		}
	}
	if len(list) == 0 {
		list = []part{{Units: t.Units}}
	}
	return list
}

// addFills adds a fill's parts, which share its costs by their units.
func (t transaction) addFills(rows *connector.Rows, account summary, order int64) {
	parts := t.parts()
	var commission, fees share
	for i, p := range parts {
		id := t.ID
		if len(parts) > 1 {
			id += "/" + cmp.Or(p.TradeID, strconv.Itoa(i+1))
		}
		record, isNew := rows.Start(id)
		if !isNew {
			continue
		}
		record.Order = order
		if i == 0 {
			total := sumUnits(parts)
			commission = share{record.Optional("commission", t.Commission), total}
			fees = share{record.Optional("fee", t.GuaranteeFee), total}
		}
		fill := t.newFill(record, p)
		fill.ID = id
		fill.Commission, fill.Fees = commission.splitOff(fill.Quantity), fees.splitOff(fill.Quantity)
		if account.HasHedging {
			fill.Lot = p.TradeID
		}
		// The results are stated in the account's currency, whatever that of the price.
		record.AddFill(fill, "")
	}
}

// newFill returns a part's fill. All parts have the same side.
func (t transaction) newFill(record *connector.Record, p part) statement.Fill {
	fill := statement.Fill{
		At: record.Time(t.Time), Side: matching.Buy, Quantity: record.Decimal("number of units", p.Units).Abs(),
		Price: record.Decimal("price", cmp.Or(p.Price, t.Price)), Multiplier: decimal.Of(decimal.New(1)), FeesKnown: true, CommissionKnown: true,
	}
	if record.Decimal("number of units", cmp.Or(t.Units, p.Units)).Sign() < 0 {
		fill.Side = matching.Sell
	}
	if p.Result != "" {
		fill.StatedPnL = decimal.Of(record.Decimal("result", p.Result))
	}
	fill.SetInstrument(nameInstrument(t.Instrument))
	if fill.Symbol == "" {
		record.Fail("The broker's record has no instrument.")
	}
	connector.AddDetail(&fill, "order_id", t.OrderID)
	connector.AddDetail(&fill, "reason", t.Reason)
	return fill
}

// sumUnits returns the units of all parts. Those that can't be read are reported with
// their part.
func sumUnits(parts []part) decimal.Decimal {
	total := decimal.Zero
	for _, p := range parts {
		if units, err := decimal.Parse(string(p.Units)); err == nil {
			total = total.Add(units.Abs())
		}
	}
	return total
}

// share is a cost that is divided among units, and how many of them have no part of it
// yet.
type share struct{ cost, units decimal.Decimal }

// splitOff removes the part of the cost for some of the units, and returns it.
func (s *share) splitOff(units decimal.Decimal) decimal.Decimal {
	if s.cost.IsZero() || s.units.Sign() <= 0 {
		return decimal.Zero
	}
	const decimals = 8
	var portion decimal.Decimal
	portion, s.cost = s.cost.Split(units, s.units, decimals)
	s.units = s.units.Sub(units)
	return portion
}

// nameInstrument returns the instrument of OANDA's name, such as EUR_USD or SPX500_USD,
// spelled as the exports of trading platforms have it.
func nameInstrument(name string) statement.Instrument {
	i := statement.NamePlain(strings.ReplaceAll(name, "_", ""), instruments.TypeCFD)
	if instruments.IsCurrencyPair(i.Symbol) {
		i.Type = instruments.TypeForex
	}
	return i
}
