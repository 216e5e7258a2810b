package metatrader

import (
	"fillbook/internal/base/decimal"
	"fillbook/internal/intake/parse"
	"fillbook/internal/intake/statement"
	"fillbook/internal/trading/annotations"
	"fillbook/internal/trading/instruments"
	"fillbook/internal/trading/matching"
)

// position is one position, merged from all its rows.
type position struct {
	id           string
	lot          string // by which its fills belong together
	symbol       string
	side         matching.Side
	openedAt     string // as the file writes it
	price        decimal.Decimal
	stop, target decimal.Null
	comment      string

	// stated is the opened volume if the file states it, closed the sum of its closings,
	// and left the volume still open.
	stated, closed, left decimal.Decimal
	closings             []*closing

	fillID  string // the opening fill's, if the file has one
	entered bool   // the opening fill is there
	dealt   bool   // deals are about it, so its own row adds nothing
	held    decimal.Decimal
}

// closing is one row in the position table: what was closed at once.
type closing struct {
	at                    string
	price, volume, profit decimal.Decimal
	used                  decimal.Decimal // volume used by deals
}

// left returns the volume without a matching deal.
func (c *closing) left() decimal.Decimal { return c.volume.Sub(c.used) }

// costs are what a closing has paid, below zero where it was paid to the trader.
type costs struct {
	commission, fees decimal.Decimal
}

// volume returns the opened volume: at least the sum of closed and left.
func (p *position) volume() decimal.Decimal { return decimal.Max(p.stated, p.closed.Add(p.left)) }

// enter emits the position's opening fill, once. Its costs come with the closing ones,
// because the file does not separate them. A failing row leaves the opening to the
// position's next row.
func (p *position) enter(w *statement.Row) {
	if p.entered {
		return
	}
	at := w.At(p.openedAt)
	if w.Failed() {
		return
	}
	p.entered = true
	f := w.Fill(p.fill(p.side, at))
	f.Effect, f.Quantity, f.Price, f.ID = parse.Opening, p.volume(), p.price, p.fillID
	p.annotate(w, f)
}

// enterOrSkip emits the opening fill, or skips a row with only the rest of a position
// opened by another row.
func (p *position) enterOrSkip(w *statement.Row) {
	if p.entered {
		w.Skip("it is the open rest of a position that another row opens")
		return
	}
	p.enter(w)
}

// leave emits a closing fill for the position, after the opening one.
func (p *position) leave(w *statement.Row, c *closing, costs costs, id string) {
	f := p.fill(opposite(p.side), w.At(c.at))
	f.Effect, f.Quantity, f.Price, f.ID = parse.Closing, c.volume, c.price, id
	f.Commission, f.Fees = costs.commission, costs.fees
	f.StatedPnL = decimal.Of(c.profit)
	p.enter(w)
	w.Fill(f)
}

func (p *position) fill(side matching.Side, at parse.Moment) statement.Fill {
	f := statement.Fill{
		Side: side, At: at.At, DateOnly: at.DateOnly, Lot: p.lot, Details: details(p.comment), Multiplier: instruments.LotSize(p.symbol),
	}
	f.Name(p.symbol, InstrumentType(p.symbol))
	return f
}

// details returns a fill's details.
func details(comment string) map[string]string {
	list := map[string]string{"unit": "lot"}
	if comment != "" {
		const longest = 500
		list["comment"] = cut(comment, longest)
	}
	return list
}

func cut(text string, longest int) string {
	if runes := []rune(text); len(runes) > longest {
		return string(runes[:longest])
	}
	return text
}

func opposite(side matching.Side) matching.Side {
	if side == matching.Buy {
		return matching.Sell
	}
	return matching.Buy
}

// annotate notes the target and the stop. The statement shows the last stop, which
// may have been trailed: it says nothing about the risk at the start.
func (p *position) annotate(w *statement.Row, on *statement.Fill) {
	if p.stop.Valid {
		on.Details["stop"] = p.stop.String()
	}
	w.Annotate(statement.Annotations{Fill: on, Values: annotations.Values{TargetPrice: p.target, LastStop: p.stop}})
}

// level is a price at which something was to happen; 0 means none.
func level(n decimal.Null) decimal.Null {
	if n.Decimal.Sign() <= 0 {
		return decimal.Null{}
	}
	return n
}
