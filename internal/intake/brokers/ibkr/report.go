package ibkr

import (
	"slices"
	"strings"

	"fillbook/internal/base/decimal"
	"fillbook/internal/intake/parse"
	"fillbook/internal/intake/statement"
	"fillbook/internal/trading/instruments"
	"fillbook/internal/trading/matching"
)

// report is what is known about a file beyond its single rows.
type report struct {
	r *statement.Reader
	// cancels are fills canceling another.
	cancels []*statement.Fill
	// multipliers are stated by symbol in a section.
	multipliers map[string]decimal.Null
	// rates into the base currency are stated in a section.
	rates map[string]decimal.Null
	// realized and commission are what the file says in its totals.
	realized, commission map[string]decimal.Decimal
}

func newReport(r *statement.Reader) *report {
	return &report{
		r: r, multipliers: map[string]decimal.Null{}, rates: map[string]decimal.Null{},
		realized: map[string]decimal.Decimal{}, commission: map[string]decimal.Decimal{},
	}
}

// readSide reads the side from its word, or else from the quantity's sign. The word on a
// cancellation is the canceled trade's.
func readSide(w *statement.Row, word string, quantity decimal.Decimal, canceled bool) matching.Side {
	word, _, _ = strings.Cut(word, "(")
	bought := quantity.Sign() > 0
	if word = strings.TrimSpace(word); word != "" {
		s, _, ok := parse.SideWord(word)
		if !ok {
			w.Fail("%q is neither a buy nor a sell.", word)
		}
		bought = (s == matching.Buy) != canceled
	}
	if bought {
		return matching.Buy
	}
	return matching.Sell
}

// splitCodes splits a code column such as "O;P" and "C;Ep".
func splitCodes(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ';' || r == ' ' || r == ',' })
}

// readEffect reads whether a trade opened or closed. A trade doing both turned a position
// round.
func readEffect(list []string) parse.Effect {
	opens, closes := slices.Contains(list, "O"), slices.Contains(list, "C")
	switch {
	case opens && !closes:
		return parse.Opening
	case closes && !opens:
		return parse.Closing
	}
	return parse.EffectUnknown
}

// endingCodes are the codes that say how an option ended.
var endingCodes = map[string]matching.Kind{
	"Ep": matching.KindExpiry, "A": matching.KindAssignment, "Ex": matching.KindExercise, "AEx": matching.KindExercise, "MEx": matching.KindExercise,
}

// setEnding sets how an option ended, by the first code that says so.
func setEnding(f *statement.Fill, codes []string) {
	if at := slices.IndexFunc(codes, func(code string) bool { return endingCodes[code] != matching.KindTrade }); at >= 0 {
		f.SetEnding(endingCodes[codes[at]])
	}
}

// noteCurrency notes a fill's currency if it is not the account's.
func (l *report) noteCurrency(f *statement.Fill, currency string) {
	currency = strings.ToUpper(currency)
	l.r.Out.NoteCurrency(currency)
	if home := l.r.Hints.Currency; currency != "" && home != "" && currency != home {
		l.r.Out.WarnCurrency(currency, home)
		f.Details = map[string]string{"currency": currency}
	}
}

// emitFill emits a fill, and keeps a canceling one.
func (l *report) emitFill(w *statement.Row, f statement.Fill, canceled bool) {
	if f.Type == instruments.TypeForex {
		f.Effect = parse.EffectUnknown
	}
	emitted := w.Fill(f)
	if canceled && !w.Failed() {
		emitted.Effect, emitted.StatedCashFlow = parse.EffectUnknown, decimal.Null{}
		l.cancels = append(l.cancels, emitted)
	}
}

// removeCanceled removes canceled trades together with their cancellations. If the trade
// itself is in an earlier file, its cancellation stays, because it restores the position.
func (l *report) removeCanceled() {
	if len(l.cancels) == 0 {
		return
	}
	alike := map[string][]*statement.Fill{}
	takesBack := map[*statement.Fill]bool{}
	for _, c := range l.cancels {
		takesBack[c] = true
	}
	for _, f := range l.r.Out.Fills {
		if key := cancelKey(f, f.Side); !takesBack[f] {
			alike[key] = append(alike[key], f)
		}
	}
	gone := map[*statement.Fill]bool{}
	for _, c := range l.cancels {
		key := cancelKey(c, oppositeSide(c.Side))
		if len(alike[key]) == 0 {
			l.r.Out.Warn("Row %d takes back a trade in %s that is not in this file; it was imported as the opposite trade.", c.Row, c.Symbol)
			continue
		}
		gone[c], gone[alike[key][0]] = true, true
		alike[key] = alike[key][1:]
	}
	for f := range gone {
		l.r.Out.Skip(f.Row, "trade cancelled by the broker")
	}
	l.r.Out.Fills = slices.DeleteFunc(l.r.Out.Fills, func(f *statement.Fill) bool { return gone[f] })
}

// cancelKey is what a trade and its cancellation have in common.
func cancelKey(f *statement.Fill, side matching.Side) string {
	return strings.Join([]string{
		string(side), f.Symbol, f.Type, f.Right, string(f.Expiry), f.Strike.String(), f.Quantity.String(), f.Price.String(), f.At.String(),
	}, "|")
}

func oppositeSide(side matching.Side) matching.Side {
	if side == matching.Buy {
		return matching.Sell
	}
	return matching.Buy
}

// finish settles what needs all rows.
func (l *report) finish() {
	l.removeCanceled()
	if len(l.realized) == 1 {
		for _, sum := range l.realized {
			l.r.Out.State(statement.ItemNetPnL, sum)
		}
	}
	if len(l.commission) == 1 {
		for _, sum := range l.commission {
			l.r.Out.State(statement.ItemCommission, sum.Neg())
		}
	}
}
