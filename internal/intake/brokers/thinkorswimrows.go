package brokers

import (
	"strings"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/lazyregexp"
	"fillbook/internal/intake/parse"
	"fillbook/internal/intake/statement"
	"fillbook/internal/trading/instruments"
	"fillbook/internal/trading/matching"
)

// swim reads the tables of one statement of thinkorswim.
type swim struct {
	zone     string // the label that the file gives its zone, if it does
	fromCash bool   // trades are read from the cash tables
	last     parse.Moment
	orders   []*swimOrder
	charges  []*swimCharge
	endings  map[*statement.Fill]bool // expired options; see [statement.Statement.ResolveEndings]
	// What the cash tables say that costs were in all.
	stated           bool
	fees, commission decimal.Decimal
}

// at reads a time of the file.
func (s *swim) at(w *statement.Row, date, tod string) parse.Moment {
	text := strings.TrimSpace(date + " " + tod)
	if text == "" {
		w.Fail("There is no time.")
		return parse.Moment{}
	}
	if s.zone != "" && strings.Contains(text, ":") {
		text += " " + s.zone
	}
	return w.At(text)
}

// trade reads a leg of an order that was filled. Only the first leg of an order
// has its time and the net price of them all.
func (s *swim) trade(w *statement.Row) {
	if w.Text("Symbol") == "" {
		w.Ignore()
		return
	}
	first := w.Text("Exec Time") != ""
	if first {
		s.last = s.at(w, w.Text("Exec Time"), "")
	}
	f := statement.Fill{Quantity: w.Required("Qty"), At: s.last.At, DateOnly: s.last.DateOnly, Price: swimPrice(w, w.Text("Price"))}
	f.Side, _ = w.Side("Side")
	f.Effect = swimEffect(w.Text("Pos Effect"))
	s.name(w, &f)
	leg := w.Fill(f)
	if first || len(s.orders) == 0 {
		net := w.Text("Net Price")
		if net == "" {
			net = w.Text("Price")
		}
		s.orders = append(s.orders, &swimOrder{at: s.last.At, net: swimNet(net), symbol: swimSymbol(w.Text("Symbol"))})
	}
	order := s.orders[len(s.orders)-1]
	order.legs = append(order.legs, leg)
	if strike := w.Null("Strike"); strike.Valid {
		order.strikes = append(order.strikes, strike.Decimal)
	}
}

func swimEffect(text string) parse.Effect {
	switch strings.ToUpper(text) {
	case "TO OPEN":
		return parse.Opening
	case "TO CLOSE":
		return parse.Closing
	}
	return parse.EffectUnknown
}

// order reads an order of today, of which the price and the time of its fill
// are not known: those that it was placed with are taken.
func (s *swim) order(w *statement.Row) {
	if w.Text("Symbol") == "" {
		w.Ignore() // RE #..., and what an order is tied to
		return
	}
	if !strings.EqualFold(w.Text("Status"), "FILLED") {
		w.Skip(statement.ReasonNotFilled)
		return
	}
	switch strings.ToUpper(w.Text("Spread")) {
	case "", "SINGLE", "STOCK", "ETF", "FUTURE", "FOREX":
	default:
		w.Fail("The list of orders has no prices for the legs of a spread. Export the account statement instead.")
		return
	}
	at := s.at(w, w.Text("Time Placed"), "")
	f := statement.Fill{Quantity: w.Required("Qty"), At: at.At, DateOnly: at.DateOnly, Price: swimPrice(w, w.Text("PRICE"))}
	f.Side, _ = w.Side("Side")
	f.Effect = swimEffect(w.Text("Pos Effect"))
	s.name(w, &f)
	w.Fill(f)
	w.Reader().Out.Warn("A list of orders has the time and price that an order was placed with. The account statement has those of its fills.")
}

// name finds the instrument in the columns of a leg.
func (s *swim) name(w *statement.Row, f *statement.Fill) {
	symbol, kind := w.Text("Symbol"), strings.ToUpper(w.Text("Type"))
	text := symbol
	if kind == "CALL" || kind == "PUT" {
		text = strings.Join([]string{symbol, w.Text("Exp"), w.Text("Strike"), kind}, " ")
	}
	if !swimName(f, text) {
		w.Fail("The option %q cannot be read.", text)
	}
}

// swimPrice reads a price; those of treasury futures are in 32nds.
func swimPrice(w *statement.Row, text string) decimal.Decimal {
	price, ok := swimNumber(text)
	if !ok {
		w.Fail("%q is not a price.", text)
	}
	return price
}

func swimNumber(text string) (decimal.Decimal, bool) {
	if strings.Contains(text, "'") {
		return parse.Treasury32(text)
	}
	n, err := parse.Number(text, parse.Point)
	return n, err == nil
}

func swimNet(text string) string {
	n, ok := swimNumber(text)
	if !ok {
		return ""
	}
	return n.Abs().String()
}

// swimSymbol is the first word of a symbol, without the exchange.
func swimSymbol(text string) string {
	word, _, _ := strings.Cut(strings.ToUpper(text), " ")
	word, _, _ = strings.Cut(word, ":")
	return word
}

var (
	swimTraded  = lazyregexp.New(`\b(BOT|SOLD) ([+-]?[\d,.]+) (.+?) @(\S+)`)
	swimUpon    = lazyregexp.New(`\b(BOT|SOLD) ([+-]?[\d,.]+) (\S+) UPON `)
	swimRemoved = lazyregexp.New(`(?i)^REMOVAL OF OPTION DUE TO (EXPIRATION|ASSIGNMENT|EXERCISE)(?: OF)? ([+-]?[\d,.]+ )?(.+)$`)
)

// cash reads a row of a cash table.
func (s *swim) cash(w *statement.Row) {
	kind, text := strings.ToUpper(w.Text("Type")), strings.Join(strings.Fields(w.Text("Description")), " ")
	if text == "TOTAL" {
		s.total(w)
	}
	if text == "TOTAL" || kind == "BAL" {
		w.Drop()
		return
	}
	if kind == "" {
		w.Ignore()
		return
	}
	if found := swimTraded().FindStringSubmatch(text); found != nil && kind == "TRD" {
		s.traded(w, found)
		return
	}
	at, amount := s.at(w, w.Text("Exec Date|Date"), w.Text("Exec Time|Time")), w.Null("Amount")
	switch removed, upon := swimRemoved().FindStringSubmatch(text), swimUpon().FindStringSubmatch(text); {
	case removed != nil:
		s.removed(w, at, removed)
	case upon != nil:
		readSwimDelivery(w, at, amount, upon)
	case strings.Contains(strings.ToLower(text), "mark to market"), strings.Contains(strings.ToLower(text), "mark to the market"):
		w.Skip("daily settlement of futures, which the fills have already")
	case amount.Decimal.IsZero():
		w.Skip(statement.ReasonNoAmount)
	default:
		cash := statement.CashType(swimMoney(kind, strings.ToUpper(text)), amount.Decimal, text)
		w.Money(statement.Cash{Type: cash, Amount: amount.Decimal, At: at.At, Note: text})
	}
}

// swimMoney returns what a row of cash is by its type and description.
func swimMoney(kind, text string) statement.Kind {
	switch {
	case strings.Contains(text, "DIVIDEND"), strings.Contains(text, "WITHHOLDING"):
		return statement.KindDividend
	case strings.Contains(text, "INTEREST"):
		return statement.KindInterest
	case kind == "DOI":
		return statement.KindDividend
	case strings.Contains(text, " FEE"), strings.Contains(text, "COMMISSION"):
		return statement.KindFee
	case kind == "EFN", kind == "WIN", kind == "WOU", kind == "JRN":
		return statement.KindTransfer
	}
	return statement.KindAdjustment
}

// total notes what a cash table says that costs were.
func (s *swim) total(w *statement.Row) {
	s.stated = true
	s.fees = s.fees.Add(w.Cost("Misc Fees"))
	s.commission = s.commission.Add(w.Cost("Commissions & Fees"))
}

// removed reads the end of an option.
func (s *swim) removed(w *statement.Row, at parse.Moment, found []string) {
	var f statement.Fill
	if !swimName(&f, found[3]) || f.Right == "" {
		w.Fail("The option %q cannot be read.", found[3])
		return
	}
	n, err := parse.Number(found[2], parse.Point)
	if err != nil {
		w.Reader().Out.Warn("%q does not say how many options ended and was left out.", found[0])
		w.Skip("it does not say how many options ended")
		return
	}
	f.Quantity, f.At, f.DateOnly, f.Effect, f.Side = n.Abs(), at.At, at.DateOnly, parse.Closing, matching.Buy
	switch strings.ToUpper(found[1]) {
	case "EXPIRATION":
		s.endings[w.Fill(f)] = n.Sign() < 0
		return
	case "EXERCISE":
		f.Side = matching.Sell
	}
	w.Fill(f)
}

// readSwimDelivery reads shares that came or went for an option. Their price
// follows from the amount.
func readSwimDelivery(w *statement.Row, at parse.Moment, amount decimal.Null, found []string) {
	n, err := parse.Number(found[2], parse.Point)
	if err != nil || n.IsZero() || !amount.Valid {
		w.Fail("There is no quantity or no amount.")
		return
	}
	const priceScale = 8
	f := statement.Fill{
		Symbol: strings.ToUpper(found[3]), Side: matching.Buy, Quantity: n.Abs(), Price: amount.Decimal.Abs().DivRound(n.Abs(), priceScale),
		StatedCashFlow: amount, At: at.At, DateOnly: at.DateOnly,
	}
	if found[1] == "SOLD" {
		f.Side = matching.Sell
	}
	w.Fill(f)
}

// traded reads a trade of a cash table: as a fill, or as the costs of one.
func (s *swim) traded(w *statement.Row, found []string) {
	price, okPrice := swimNumber(found[4])
	quantity, err := parse.Number(found[2], parse.Point)
	if !okPrice || err != nil {
		w.Fail("Description: %q cannot be read.", found[0])
		return
	}
	at := s.at(w, w.Text("Exec Date|Date"), w.Text("Exec Time|Time"))
	f := statement.Fill{
		Side: matching.Buy, Quantity: quantity.Abs(), Price: price, At: at.At, DateOnly: at.DateOnly,
		Fees: w.Cost("Misc Fees"), Commission: w.Cost("Commissions & Fees"),
	}
	if found[1] == "SOLD" {
		f.Side = matching.Sell
	}
	if !s.fromCash {
		if !w.Failed() {
			s.charges = append(s.charges, newSwimCharge(&f, found[3]))
			w.Drop()
		}
		return
	}
	if !swimName(&f, found[3]) && !swimSpread(&f, found[3]) {
		w.Fail("Description: %q cannot be read.", found[3])
		return
	}
	if amount := w.Null("Amount"); amount.Valid && f.Type != instruments.TypeFuture {
		f.StatedCashFlow = decimal.Of(amount.Decimal.Sub(f.Fees).Sub(f.Commission))
	}
	if f.Lot != "" {
		w.Reader().Out.Warn("The file has no prices for the legs of a spread, so each spread is one position. Export the section Account Trade History too to have its legs.")
	}
	w.Fill(f)
}
