package statement

import (
	"slices"
	"strings"

	"fillbook/internal/base/decimal"
	"fillbook/internal/intake/parse"
	"fillbook/internal/trading/matching"
)

// readEnding reads how an option ended: it leaves the position at a price of zero. A
// writer is assigned and buys back, a holder exercises and sells. An expired option's
// side follows from the position, when all rows are read.
func (lr *layoutReader) readEnding(w *Row, kind Kind) {
	l := lr.layout
	i := lr.instrumentOf(w)
	at := lr.momentOf(w)
	if i.Right == "" {
		lr.skipMovement(w)
		return
	}
	quantity := w.Required(l.Quantity)
	t := &tradeRow{lr: lr, w: w, instrument: i, money: strings.ToUpper(w.currencyOfAmount(l))}
	t.priced = t.money
	t.Quantity, t.Effect, t.Side, t.At, t.DateOnly = quantity.Abs(), parse.Closing, matching.Buy, at.At, at.DateOnly
	t.Fees, t.Commission = w.costs(l.Fees), w.costs(l.Commission)
	t.SetInstrument(i)
	t.noteCurrency()
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
	f.SetEnding(endings[kind])
	w.emit(record)
	if kind == KindExpiry && !stated && len(w.fills) > 0 {
		lr.endings[w.fills[len(w.fills)-1]] = quantity.Sign() < 0
	}
}

// resolveEndings sets the sides for expired options and skips the rows of those never
// opened in the file.
func (r *Reader) resolveEndings() {
	if len(r.state.endings) == 0 {
		return
	}
	var fills []*Fill
	rows := map[*Fill]*Row{}
	for _, w := range r.state.rows {
		if w.Failed() {
			continue
		}
		for _, f := range w.fills {
			fills, rows[f] = append(fills, f), w
		}
	}
	for _, f := range setEndingSides(fills, r.state.endings) {
		r.Out.warnUnopened(f)
		rows[f].Skip("%s", ReasonUnopened)
	}
}

// ResolveEndings sets the sides for expired options and removes those never opened in the
// file. An ending's value reports whether the file states that options left the account.
// It is for files read without a [Layout].
func (s *Statement) ResolveEndings(endings map[*Fill]bool) {
	removed := map[*Fill]bool{}
	for _, f := range setEndingSides(s.Fills, endings) {
		removed[f] = true
		s.warnUnopened(f)
		s.Skip(f.Row, ReasonUnopened)
	}
	s.Fills = slices.DeleteFunc(s.Fills, func(f *Fill) bool { return removed[f] })
}

func (s *Statement) warnUnopened(f *Fill) {
	s.WarnRow(f.Row, "An option on %s expired that this file does not open, so its side is not known and it was left out. Import a history that begins earlier.",
		f.Symbol)
}

// setEndingSides sets the sides for expired options by their position: a holder sells for
// nothing, a writer buys back. Without a position, options that left the account were
// held. It returns the endings with an unknown side.
func setEndingSides(fills []*Fill, endings map[*Fill]bool) (unopened []*Fill) {
	for _, stream := range fillsWithEndings(fills, endings) {
		held := decimal.Zero
		for _, f := range stream {
			if leaves, ends := endings[f]; ends {
				switch {
				case held.Sign() > 0 || held.IsZero() && leaves:
					f.Side = matching.Sell
				case held.Sign() < 0:
					f.Side = matching.Buy
				default:
					unopened = append(unopened, f)
					continue
				}
			}
			held = held.Add(f.signed())
		}
	}
	return unopened
}

// fillsWithEndings lists the fills of each expired option by time; within an instant,
// endings come last.
func fillsWithEndings(fills []*Fill, endings map[*Fill]bool) [][]*Fill {
	index := map[streamKey]int{}
	var list [][]*Fill
	for _, f := range fills {
		if _, ends := endings[f]; !ends {
			continue
		}
		if _, known := index[f.stream()]; !known {
			index[f.stream()] = len(list)
			list = append(list, nil)
		}
	}
	for _, f := range fills {
		if i, wanted := index[f.stream()]; wanted {
			list[i] = append(list[i], f)
		}
	}
	for _, stream := range list {
		slices.SortStableFunc(stream, func(a, b *Fill) int {
			_, first := endings[a]
			_, second := endings[b]
			switch c := a.At.Compare(b.At); {
			case c != 0 || first == second:
				return c
			case first:
				return 1
			}
			return -1
		})
	}
	return list
}
