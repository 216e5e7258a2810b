package statement

import (
	"slices"
	"strings"

	"fillbook/internal/decimal"
	"fillbook/internal/matching"
)

// readEnding reads the end of an option: it leaves the position at a price of
// zero. A writer is assigned and buys back, a holder exercises and sells. The side
// of an expired option follows from the position, when all rows are read.
func (lr *layoutReader) readEnding(w *Row, kind Kind) {
	l := lr.layout
	i := lr.instrumentOf(w)
	at := lr.momentOf(w)
	if i.Right == "" {
		lr.skipMovement(w)
		return
	}
	quantity := w.Required(l.Quantity)
	t := &tradeRow{instrument: i, money: strings.ToUpper(w.currencyOfAmount(l))}
	t.priced = t.money
	t.Quantity, t.Effect, t.Side, t.At, t.DateOnly = quantity.Abs(), Closing, matching.Buy, at.At, at.DateOnly
	t.Fees, t.Commission = w.costs(l.Fees), w.costs(l.Commission)
	t.SetInstrument(i)
	lr.noteCurrency(t)
	lr.readDetails(w, t)
	f := &t.Fill
	side, _, stated := w.sideWord(w.Text(l.Side))
	switch {
	case stated:
		f.Side = side
	case kind == KindExercise, kind == KindExpiry && quantity.Sign() < 0:
		f.Side = matching.Sell
	}
	record := &Record{Kind: kind, Fill: f}
	if l.Adjust != nil && !w.Failed() {
		l.Adjust(w, record)
	}
	w.emit(record)
	if kind == KindExpiry && !stated && len(w.fills) > 0 {
		lr.endings[w.fills[len(w.fills)-1]] = ending{row: w, leaves: quantity.Sign() < 0}
	}
}

// ending is the fill of an option that expired without a stated side. A minus in
// the file says that options left the account; it counts if the position does not
// say otherwise.
type ending struct {
	row    *Row
	leaves bool
}

// resolveEndings returns the fills of expired options their side: a holder sells
// for nothing, a writer buys back. An end without a beginning in the file is
// skipped, unless the file has a sign for it.
func (r *Reader) resolveEndings() {
	s := r.state
	if len(s.endings) == 0 {
		return
	}
	for _, fills := range s.fillsWithEndings() {
		held := decimal.Zero
		for _, f := range fills {
			if end, ends := s.endings[f]; ends {
				switch {
				case held.Sign() > 0 || held.IsZero() && end.leaves:
					f.Side = matching.Sell
				case held.Sign() < 0:
					f.Side = matching.Buy
				default:
					r.Out.Warn("Row %d: an option on %s expired that this file does not open, so its side is not known and it was left out. Import a history that begins earlier.",
						f.Row, f.Symbol)
					end.row.Skip("%s", ReasonUnopened)
					continue
				}
			}
			held = held.Add(f.signed())
		}
	}
}

// fillsWithEndings lists the fills of each option that expired, in time; of one
// instant the ends come last.
func (s *layoutState) fillsWithEndings() [][]*Fill {
	streams := map[streamKey][]*Fill{}
	var order []streamKey
	for _, w := range s.rows {
		for _, f := range w.fills {
			if _, ends := s.endings[f]; ends && !w.Failed() && streams[f.stream()] == nil {
				streams[f.stream()] = []*Fill{}
				order = append(order, f.stream())
			}
		}
	}
	for _, w := range s.rows {
		for _, f := range w.fills {
			if fills, wanted := streams[f.stream()]; wanted && !w.Failed() {
				streams[f.stream()] = append(fills, f)
			}
		}
	}
	list := make([][]*Fill, 0, len(order))
	for _, key := range order {
		fills := streams[key]
		slices.SortStableFunc(fills, func(a, b *Fill) int {
			_, first := s.endings[a]
			_, second := s.endings[b]
			switch c := a.At.Compare(b.At); {
			case c != 0 || first == second:
				return c
			case first:
				return 1
			}
			return -1
		})
		list = append(list, fills)
	}
	return list
}
