package alpaca

import (
	"cmp"
	"strings"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/remote"
	"fillbook/internal/intake/connector"
	"fillbook/internal/intake/statement"
	"fillbook/internal/trading/instruments"
	"fillbook/internal/trading/matching"
)

// dollar is the currency in all Alpaca accounts.
const dollar = "USD"

// The activities that are read in their own way.
const (
	typeFill        = "FILL"
	typeOptionTrade = "OPTRD" // shares from an exercise or an assignment
	typeCryptoFee   = "CFEE"
	typeCorrection  = "CORR"
)

// kinds are the other activity kinds. Dividends all begin with DIV.
var kinds = map[string]statement.Kind{
	"CSD": statement.KindTransfer, "CSW": statement.KindTransfer, "CSR": statement.KindTransfer,
	"JNL": statement.KindTransfer, "JNLC": statement.KindTransfer, "ACATC": statement.KindTransfer,
	"INT": statement.KindInterest, "INTNRA": statement.KindInterest, "INTTW": statement.KindInterest,
	"FEE": statement.KindFee, typeCryptoFee: statement.KindFee, "PTC": statement.KindFee, "PTR": statement.KindFee,
	"OPEXP": statement.KindExpiry, "OPASN": statement.KindAssignment, "OPEXC": statement.KindExercise, "OPXRC": statement.KindExercise,
	"ACATS": statement.KindMovement, "JNLS": statement.KindMovement,
	"SPLIT": statement.KindCorporateAction, "SPIN": statement.KindCorporateAction, "MA": statement.KindCorporateAction,
	"NC": statement.KindCorporateAction, "SC": statement.KindCorporateAction, "REORG": statement.KindCorporateAction,
	"SSO": statement.KindCorporateAction, "SSP": statement.KindCorporateAction,
}

// activity is a trade or something else that changed the account. A trade has a time, the
// others a day.
type activity struct {
	ID          string        `json:"id"`
	Type        string        `json:"activity_type"`
	Time        string        `json:"transaction_time"`
	Date        string        `json:"date"`
	CreatedAt   string        `json:"created_at"`
	Status      string        `json:"status"`
	Description string        `json:"description"`
	Symbol      string        `json:"symbol"`
	Side        string        `json:"side"`
	OrderID     string        `json:"order_id"`
	Price       remote.Number `json:"price"`
	Quantity    remote.Number `json:"qty"`
	NetAmount   remote.Number `json:"net_amount"`
}

// add adds the activity to the rows.
func (a activity) add(rows *connector.Rows) {
	record, isNew := rows.Start(a.Type + ":" + a.ID)
	if !isNew {
		return
	}
	if a.Type == typeFill {
		a.addTrade(record)
		return
	}
	if !a.isSelected(rows) {
		return
	}
	record.Select()
	at := a.day(record)
	amount, quantity := record.Optional("net amount", a.NetAmount), record.Optional("quantity", a.Quantity)
	switch kind := a.kind(); {
	case a.Status == "canceled":
		record.Skip(at, "canceled by the broker")
	case a.Type == typeOptionTrade:
		a.addDayFill(record, nameSecurity(a.Symbol), quantity, record.Decimal("price", a.Price))
	case kind == statement.KindExpiry, kind == statement.KindAssignment, kind == statement.KindExercise:
		a.addDayFill(record, nameSecurity(a.Symbol), quantity, decimal.Zero)
	case a.Type == typeCryptoFee && amount.IsZero() && !quantity.IsZero():
		a.addCoinFee(record, quantity)
	case amount.IsZero() && a.changesPosition(kind):
		rows.AddMessage("Alpaca reports %s of %s on %s, which is not imported. Enter the change by hand if it changed your position.",
			a.Type, cmp.Or(a.Symbol, "an account"), a.Date)
		record.Skip(at, statement.ReasonSecurities)
	default:
		note := cmp.Or(a.Description, strings.TrimSpace(a.Type+" "+a.Symbol))
		record.AddCash(statement.Cash{Type: cmp.Or(statement.CashType(kind, amount, ""), "adjustment"), Amount: amount, Currency: dollar, At: at, Note: note})
	}
}

// isSelected reports whether an activity other than a trade belongs to the query. Alpaca
// selects these by booking time, which may be days after their day.
func (a activity) isSelected(rows *connector.Rows) bool {
	created, err := time.Parse(time.RFC3339Nano, a.CreatedAt)
	return err != nil || rows.Contains(created)
}

// kind returns the kind for an activity other than a trade. An unknown one is an
// adjustment if it moved money.
func (a activity) kind() statement.Kind {
	if strings.HasPrefix(a.Type, "DIV") {
		return statement.KindDividend
	}
	if kind, ok := kinds[a.Type]; ok {
		return kind
	}
	return statement.KindAdjustment
}

// changesPosition reports whether an activity without money may change a position.
func (a activity) changesPosition(kind statement.Kind) bool {
	return a.Type == typeCorrection || kind == statement.KindMovement || kind == statement.KindCorporateAction
}

// day returns when the activity's day begins.
func (a activity) day(record *connector.Record) time.Time {
	at, err := time.ParseInLocation(time.DateOnly, a.Date, newYork)
	if err != nil {
		record.Fail("The broker's record has no day that can be read.")
		return time.Time{}
	}
	return at.UTC()
}

// newYork is the zone for Alpaca's days.
var newYork = func() *time.Location {
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		panic(err) // the zones are part of the program
	}
	return zone
}()

// addTrade adds a fill. Alpaca states no costs with it.
func (a activity) addTrade(record *connector.Record) {
	fill := statement.Fill{
		ID: a.ID, At: record.Time(a.Time), Quantity: record.Decimal("quantity", a.Quantity), Price: record.Decimal("price", a.Price),
	}
	switch a.Side {
	case "buy":
		fill.Side = matching.Buy
	case "sell", "sell_short":
		fill.Side = matching.Sell
	default:
		record.Fail("The broker's record has a side that is not known.")
	}
	connector.AddDetail(&fill, "order_id", a.OrderID)
	addFill(record, fill, nameSecurity(a.Symbol))
}

func addFill(record *connector.Record, fill statement.Fill, i statement.Instrument) {
	if i.Symbol == "" {
		record.Fail("The broker's record has no symbol.")
	}
	fill.SetInstrument(i)
	record.AddFill(fill, cmp.Or(i.Quote, dollar))
}

// nameSecurity returns a symbol's instrument: a coin pair, an option in the notation of
// OCC, or a share.
func nameSecurity(symbol string) statement.Instrument {
	if strings.Contains(symbol, "/") {
		return statement.NamePair(symbol, "")
	}
	if option, ok := instruments.ParseOption(symbol); ok {
		return statement.NewOption(option)
	}
	return statement.NamePlain(symbol, instruments.TypeStock)
}

// newDayFill returns a fill known only by day. It is at the day's end, after the day's
// trades. The quantity's sign is the side.
func (a activity) newDayFill(record *connector.Record, quantity, price decimal.Decimal) statement.Fill {
	fill := statement.Fill{
		ID: a.Type + ":" + a.ID, At: a.day(record).In(newYork).AddDate(0, 0, 1).Add(-time.Second).UTC(), NoTime: true,
		Side: matching.Buy, Quantity: quantity.Abs(), Price: price,
	}
	if quantity.Sign() < 0 {
		fill.Side = matching.Sell
	}
	return fill
}

// addDayFill adds a fill known only by day.
func (a activity) addDayFill(record *connector.Record, i statement.Instrument, quantity, price decimal.Decimal) {
	addFill(record, a.newDayFill(record, quantity, price), i)
}

// addCoinFee adds the fee for buying a coin, which Alpaca takes from the day's coins:
// they leave the position at their price, and the proceeds are the fee.
func (a activity) addCoinFee(record *connector.Record, quantity decimal.Decimal) {
	base, quote := statement.SplitPairBy(strings.ReplaceAll(a.Symbol, "/", ""), []string{"USD", "USDT", "USDC", "BTC"})
	if quote == "" {
		record.Fail("The broker's record has a fee in a coin that is not known.")
	}
	price := record.Decimal("price", a.Price)
	fill := a.newDayFill(record, quantity, price)
	fill.Fees, fill.FeesKnown = fill.Quantity.Mul(price).Round(decimal.MaxDecimals), true
	connector.AddDetail(&fill, "fee", fill.Quantity.String()+" "+base)
	addFill(record, fill, statement.NamePair(base+"/"+quote, ""))
}
