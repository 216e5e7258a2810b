package brokers

import (
	"slices"
	"strings"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
	"fillbook/internal/instruments"
)

// books is what is noted over all rows of a file: what it says that its trades
// made, the accounts that it names, and what unknown contracts are worth.
type books struct {
	gross, net decimal.Null
	accounts   []string
	worths     map[string]decimal.Decimal
	// beforeCosts tells that a column that is usually net is not: some row
	// proved it.
	beforeCosts bool
}

// booksOf returns the books of a reading.
func booksOf(r *statement.Reader) *books {
	b, ok := r.Memory.(*books)
	if !ok {
		b = &books{worths: map[string]decimal.Decimal{}}
		r.Memory = b
	}
	return b
}

// account notes the account that a row is of.
func (b *books) account(name string) {
	if name = strings.TrimSpace(name); name != "" && !slices.Contains(b.accounts, name) {
		b.accounts = append(b.accounts, name)
	}
}

// made notes the result before costs that a file states for contracts that
// moved by some points.
func (b *books) made(symbol string, gross, points, contracts decimal.Decimal) {
	b.gross = plus(b.gross, gross)
	if !isKnown(symbol) {
		if each := statement.RoundWorth(gross, points.Mul(contracts)); each.Valid {
			b.worths[symbol] = each.Decimal
		}
	}
}

// plus adds to a sum that may not have begun.
func plus(sum decimal.Null, n decimal.Decimal) decimal.Null {
	return decimal.Of(sum.Or(decimal.Zero).Add(n))
}

// closeBooks records what the file stated, and sets the multiplier of unknown contracts
// that its results gave away.
func closeBooks(r *statement.Reader) {
	b := booksOf(r)
	for _, f := range r.Out.Fills {
		each, found := b.worths[f.Symbol]
		if found && f.Type == instruments.TypeFuture && !f.Multiplier.Valid {
			f.Multiplier = decimal.Of(each)
		}
	}
	if b.gross.Valid {
		r.Out.State(statement.ItemGrossPnL, b.gross.Decimal)
	}
	if b.net.Valid {
		r.Out.State(statement.ItemNetPnL, b.net.Decimal)
	}
	switch {
	case len(b.accounts) == 1:
		r.Out.Account.Name = b.accounts[0]
	case len(b.accounts) > 1:
		r.Out.Warn("The file holds %d accounts (%s), and all of them go into this one. Export them one by one to keep them apart.",
			len(b.accounts), listed(b.accounts))
	}
}

// listed names the first few of a list.
func listed(names []string) string {
	const enough = 5
	if len(names) > enough {
		return strings.Join(names[:enough], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}
