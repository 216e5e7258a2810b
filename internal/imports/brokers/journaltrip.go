package brokers

import (
	"slices"
	"strings"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
	"fillbook/internal/instruments"
	"fillbook/internal/journal"
	"fillbook/internal/matching"
)

// name sets the instrument of a trade: from the type column, or from what the
// symbol itself says.
func name(t *statement.Trip, symbol, kind string) {
	var f statement.Fill
	f.Name(statement.WithoutExchange(symbol), kind)
	t.Symbol, t.Type, t.Multiplier = f.Symbol, f.Type, f.Multiplier
	t.Right, t.Strike, t.Expiry = f.Right, f.Strike, f.Expiry
}

// setOption makes a trade one in an option whose contract stands in columns; a
// right that is none leaves it what it is.
func setOption(t *statement.Trip, right string, strike decimal.Null, expiry journal.Day) {
	switch strings.ToLower(right) {
	case "call", "c":
		t.Right = "call"
	case "put", "p":
		t.Right = "put"
	default:
		return
	}
	t.Type, t.Strike, t.Expiry = instruments.TypeOption, strike, expiry
}

// isShort reads the direction of a trade.
func isShort(w *statement.Row, names string) bool {
	side, _ := w.Side(names)
	return side == matching.Sell
}

// byPrice is what the prices of a trade give.
func byPrice(t *statement.Trip) decimal.Decimal {
	each := t.Multiplier
	if !each.Valid {
		usual, _ := instruments.DefaultMultiplier(t.Symbol, t.Type)
		each = decimal.Of(usual)
	}
	made := t.ClosePrice.Or(t.OpenPrice).Sub(t.OpenPrice).Mul(t.Quantity).Mul(each.Decimal)
	if t.Short {
		return made.Neg()
	}
	return made
}

// emit emits a trade. Where the journal gives what was made before and after
// costs but not the costs, they are the difference. A result that rounded
// averages miss is kept to the last digit.
func emit(w *statement.Row, t statement.Trip) *statement.Fill {
	if t.GrossPnL.Valid && !byPrice(&t).Equal(t.GrossPnL.Decimal) {
		t.TrustPnL = true
	}
	if t.GrossPnL.Valid && t.NetPnL.Valid && t.Fees.IsZero() && t.Commission.IsZero() {
		t.Fees = t.GrossPnL.Decimal.Sub(t.NetPnL.Decimal)
	}
	return w.Trip(t)
}

// tagged sorts a list of tags: some journals put mistakes and the mood among
// them, with a word in front.
func tagged(m *statement.Annotations, tags []string) {
	for _, tag := range tags {
		kind, rest, _ := strings.Cut(tag, ":")
		rest = strings.TrimSpace(rest)
		switch {
		case rest == "":
			m.Tags = append(m.Tags, tag)
		case strings.EqualFold(kind, "mistake"):
			m.Mistakes = append(m.Mistakes, rest)
		case strings.EqualFold(kind, "emotion"):
			m.EmotionalState = rest
		default:
			m.Tags = append(m.Tags, tag)
		}
	}
}

// above is a number where 0 means none.
func above(n decimal.Null) decimal.Null {
	if n.Decimal.Sign() <= 0 {
		return decimal.Null{}
	}
	return n
}

// account notes the account that a row is of.
func account(w *statement.Row, names string) {
	r := w.Reader()
	known, _ := r.Memory.([]string)
	if text := w.Text(names); text != "" && !slices.Contains(known, text) {
		known = append(known, text)
		r.Memory = known
	}
}

// closeAccounts records which account the file belongs to.
func closeAccounts(r *statement.Reader) {
	known, _ := r.Memory.([]string)
	switch {
	case len(known) == 1:
		r.Out.Account.Name = known[0]
	case len(known) > 1:
		r.Out.Warn("The file holds %d accounts, and all of them go into this one. Export them one by one to keep them apart.", len(known))
	}
}
