package america

import (
	"slices"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
	"fillbook/internal/journal"
	"fillbook/internal/matching"
)

// memory is what the rows of a file leave for its end.
type memory struct {
	// endings are the fills of options that expired, and whether a sign in the
	// file shows their side.
	endings map[*statement.Fill]bool
	// accounts are those that the file has rows of.
	accounts map[string]bool
	// exchanges are the fills that stand for one security taking the place of
	// another.
	exchanges map[*statement.Fill]bool
}

func remembered(r *statement.Reader) *memory {
	if m, ok := r.Memory.(*memory); ok {
		return m
	}
	m := &memory{
		endings: map[*statement.Fill]bool{}, exchanges: map[*statement.Fill]bool{},
		accounts: map[string]bool{},
	}
	r.Memory = m
	return m
}

// settleLater leaves the side of an option's end open until all rows are read.
// A minus in the file, which says that options left the account, is believed
// where the position does not say otherwise.
func settleLater(w *statement.Row, f *statement.Fill, minus bool) {
	remembered(w.Reader()).endings[f] = minus
}

// contract is what the fills of one option have in common.
type contract struct {
	symbol, right, strike string
	expiry                journal.Day
}

func contractOf(f *statement.Fill) contract {
	return contract{f.Symbol, f.Right, f.Strike.Decimal.String(), f.Expiry}
}

// settleEndings sets the side of the fills of options that ended: who held the
// option sells it for nothing, who owed it buys it back. An end whose beginning
// is not in the file is left out, unless the file has a sign for it.
func settleEndings(r *statement.Reader) {
	m := remembered(r)
	if len(m.endings) == 0 {
		return
	}
	lost := map[*statement.Fill]bool{}
	for _, fills := range withEndings(r.Out.Fills, m.endings) {
		held := decimal.Zero
		for _, f := range fills {
			if minus, ends := m.endings[f]; ends {
				switch {
				case !held.IsZero():
					f.Side = sideOf(held.Neg())
				case minus:
					f.Side = matching.Sell
				default:
					lost[f] = true
					continue
				}
			}
			held = held.Add(signed(f))
		}
	}
	r.Out.Fills = slices.DeleteFunc(r.Out.Fills, func(f *statement.Fill) bool {
		if lost[f] {
			r.Out.Warn("Row %d: an option on %s expired that this file does not open, so its side is not known and it was left out. Import a history that begins earlier.",
				f.Row, f.Symbol)
			r.Out.Skip(f.Row, "expired option that this file does not open")
		}
		return lost[f]
	})
}

// withEndings returns the fills of each option that ended, in time; of one
// instant the ends come last.
func withEndings(all []*statement.Fill, endings map[*statement.Fill]bool) map[contract][]*statement.Fill {
	streams := map[contract][]*statement.Fill{}
	for f := range endings {
		streams[contractOf(f)] = nil
	}
	for _, f := range all {
		if fills, wanted := streams[contractOf(f)]; wanted {
			streams[contractOf(f)] = append(fills, f)
		}
	}
	for _, fills := range streams {
		slices.SortStableFunc(fills, func(a, b *statement.Fill) int {
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
	return streams
}

func signed(f *statement.Fill) decimal.Decimal {
	if f.Side == matching.Sell {
		return f.Quantity.Neg()
	}
	return f.Quantity
}
