package matching

import (
	"cmp"

	"fillbook/internal/base/decimal"
)

// Side is a fill's side.
type Side string

// The two sides, spelled as the API spells them.
const (
	Buy  Side = "buy"
	Sell Side = "sell"
)

// Fill is one execution as the broker reported it. It must be valid for Group:
// the side is Buy or Sell and the quantity above zero. Prices may be zero or below
// (options expire worthless, oil has traded at -37), costs may be rebates.
type Fill struct {
	ID string
	// At is the execution instant in microseconds since 1970, UTC.
	At int64
	// Seq is the arrival number; it orders fills with the same instant.
	Seq  int64
	Kind Kind
	Side Side
	// Quantity is always positive; Side is its direction.
	Quantity decimal.Decimal
	Price    decimal.Decimal
	// Multiplier is what one price unit is worth for one quantity unit.
	Multiplier decimal.Decimal
	// Fees and Commission are costs: positive is paid, negative is received.
	Fees       decimal.Decimal
	Commission decimal.Decimal
	// StatedPnL is the broker's own gross result for what this fill closes, for
	// instruments whose result cannot be computed from prices alone. It has no meaning on
	// a fill that only opens, and none on a removal.
	StatedPnL decimal.Null
}

// Position returns the fill's place in its stream.
func (f Fill) Position() Position { return Position{At: f.At, Seq: f.Seq} }

// Position is a place in a stream: an instant, and among fills with that instant the
// arrival number.
type Position struct {
	At, Seq int64
}

// Compare returns -1, 0 or +1 as p comes before, is, or comes after q.
func (p Position) Compare(q Position) int {
	return cmp.Or(cmp.Compare(p.At, q.At), cmp.Compare(p.Seq, q.Seq))
}

// CompareFills compares two fills by position, and by id when that is equal, so
// slices.SortFunc(fills, CompareFills) sorts as Group expects.
func CompareFills(a, b Fill) int {
	return cmp.Or(a.Position().Compare(b.Position()), cmp.Compare(a.ID, b.ID))
}

// Head is where a grouping starts inside its first fill. Its zero value is the usual
// start, with a flat position before the first fill. When the first fill crossed zero,
// Consumed is the quantity that closed the trade before; the fill's rest, with the
// remaining costs, opens the first trade. Each Trade carries the Head to start from it
// again.
type Head struct {
	Consumed decimal.Decimal
}

// piece is a fill's part in one trade; consumed is the fill's quantity in the trade
// before. It is valid until the next fill.
type piece struct {
	fill       *Fill
	quantity   decimal.Decimal
	fees       decimal.Decimal
	commission decimal.Decimal
	consumed   decimal.Decimal
}

func newPiece(f *Fill) piece {
	if f.Kind == KindOpening {
		return piece{fill: f, quantity: f.Quantity}
	}
	return piece{fill: f, quantity: f.Quantity, fees: f.Fees, commission: f.Commission}
}

// cut cuts off the quantity that closes from a whole fill, and returns it. p is then the
// rest, which opens. The closing part gets its rounded cost share and the rest what
// remains, so both add up exactly.
func (p *piece) cut(closing decimal.Decimal) (first piece) {
	whole := p.quantity
	first = *p
	first.quantity, p.quantity = closing, whole.Sub(closing)
	first.fees, p.fees = p.fees.Split(closing, whole, CostScale)
	first.commission, p.commission = p.commission.Split(closing, whole, CostScale)
	p.consumed = closing
	return first
}

// value returns price × quantity, which averages are computed from.
func (p *piece) value() decimal.Decimal { return p.fill.Price.Mul(p.quantity) }

// costs returns the piece's fees and commission.
func (p *piece) costs() decimal.Decimal { return p.fees.Add(p.commission) }
