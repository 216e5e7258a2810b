package metatrader

import (
	"strings"

	"fillbook/internal/base/decimal"
	"fillbook/internal/intake/parse"
	"fillbook/internal/intake/statement"
	"fillbook/internal/trading/instruments"
)

// readDeals reads the deal table.
func (b *book) readDeals() {
	for w := range b.section(dealPart).Rows() {
		switch kind := strings.ToLower(w.Text("Type")); {
		case isSide(kind):
			b.deal(w)
		case isTrade(kind): // its money, if any, is a separate deal
			b.r.Out.Warn("Deals that the broker cancelled were left out.")
			w.Skip("deal cancelled by the broker")
		default:
			b.money(w)
		}
	}
}

// deal reads a deal that bought or sold.
func (b *book) deal(w *statement.Row) {
	side, _ := w.Side("Type")
	at := w.Moment("Time")
	f := statement.Fill{
		Side: side, Quantity: w.Required("Volume"), Price: w.Required("Price"), At: at.At, DateOnly: at.DateOnly, ID: w.Text("Deal"),
		Commission: w.Cost("Commission"), Fees: w.Cost("Fee", "Swap"), Details: details(w.Text("Comment")),
	}
	symbol := w.Text("Symbol")
	f.Name(symbol, InstrumentType(symbol))
	f.Multiplier = instruments.LotSize(symbol)
	c := dealClosing(w)
	if w.Failed() {
		return
	}
	if strings.EqualFold(w.Text("Direction"), "in") {
		b.open(w, f, symbol)
		return
	}
	if isClosing(w) { // and not in/out, which closes what is there and opens the rest
		f.Effect = parse.Closing
		b.close(w, &f, symbol, c)
	}
	f.StatedPnL = decimal.Of(c.profit)
	w.Fill(f)
}

// isClosing reports whether a deal only closes, also by an opposite position.
func isClosing(w *statement.Row) bool {
	return isSide(strings.ToLower(w.Text("Type"))) && strings.HasPrefix(strings.ToLower(w.Text("Direction")), "out")
}

// open reads a deal opening a position or adding to it. The position has its opening
// order's id.
func (b *book) open(w *statement.Row, f statement.Fill, symbol string) {
	id := w.Text("Order")
	if id == "" {
		id = f.ID
	}
	p := b.positions[id]
	if p == nil {
		p = &position{id: id, symbol: symbol, side: f.Side, price: f.Price, lot: b.lotOf(id)}
		b.positions[id] = p
	}
	b.hold(p, f.Quantity)
	f.Effect, f.Lot = parse.Opening, p.lot
	fill := w.Fill(f)
	if !p.entered {
		p.entered = true
		p.annotate(w, fill)
	}
}

// close assigns a closing deal to its position. If it was opened before the report's
// first day, its own row contains the opening.
func (b *book) close(w *statement.Row, f *statement.Fill, symbol string, c *closing) {
	p := b.closedBy(f.ID, symbol, f.Side, c)
	if p == nil {
		f.Lot = b.lotOf(w.Text("Order"))
		return
	}
	p.dealt = true
	p.held = p.held.Sub(f.Quantity)
	f.Lot = p.lot
	if !b.opened[p.id] {
		p.enter(w)
	}
}

// CashWords are the types of deals moving only money.
var CashWords = []statement.Word{
	{Kind: statement.KindTransfer, Words: "balance|deposit|withdrawal|payout"},
	{Kind: statement.KindFee, Words: "charge|fee|*commission*"},
	{Kind: statement.KindInterest, Words: "interest"},
	{Kind: statement.KindDividend, Words: "dividend|dividend franked"},
	{Kind: statement.KindAdjustment, Words: "credit|bonus|correction|tax|agent|so compensation|so credit compensation"},
}

// money reads a deal moving only money.
func (b *book) money(w *statement.Row) {
	commission, fee, swap := w.Decimal("Commission"), w.Decimal("Fee"), w.Decimal("Swap")
	amount := decimal.Sum(w.Decimal("Profit"), commission, fee, swap)
	at := w.Moment("Time")
	if w.Failed() || amount.IsZero() {
		w.Skip(statement.ReasonNoAmount)
		return
	}
	b.rep.totals.subtract(commission, fee, swap)
	emitCash(w, statement.Cash{Amount: amount, Currency: b.currency, At: at.At})
}

// emitCash emits a row's cash by its type. A row with an unknown type is skipped.
func emitCash(w *statement.Row, c statement.Cash) {
	word := w.Text("Type")
	kind, ok := w.CashKind(CashWords, word, c)
	if !ok {
		return
	}
	c.Type, c.Note = statement.CashType(kind, c.Amount, ""), cashNote(strings.ToLower(word), w.Text("Comment"))
	w.Money(c)
}

// cashNote returns a cash row's note: its type, unless that is obvious, and the comment.
func cashNote(kind, comment string) string {
	const longest = 500
	comment = cut(comment, longest)
	switch {
	case kind == "balance":
		return comment
	case comment == "" || strings.EqualFold(comment, kind):
		return kind
	}
	return kind + ": " + comment
}
