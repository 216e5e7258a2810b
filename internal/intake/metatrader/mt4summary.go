package metatrader

import (
	"strings"

	"fillbook/internal/base/decimal"
	"fillbook/internal/intake/parse"
	"fillbook/internal/intake/statement"
	"fillbook/internal/intake/tabular"
)

// summary contains an MT4 statement's account and totals.
type summary struct {
	account                    account
	closed, deposited, balance decimal.Null
}

// readTotals reads the totals in a row. A label is before its value, and a row may have
// several.
func (s *summary) readTotals(row tabular.Row) {
	label := ""
	for i, cell := range row.Cells {
		n, err := parse.Number(cell, parse.Unsettled)
		if err != nil {
			label = strings.ToLower(strings.TrimRight(cell, ":： "))
			continue
		}
		switch {
		case label == "closed p/l", label == "closed trade p/l", label == "" && strings.HasPrefix(row.Titles[i], "Commission + "):
			keep(&s.closed, n)
		case label == "deposit/withdrawal":
			keep(&s.deposited, n)
		case label == "balance":
			keep(&s.balance, n)
		}
	}
}

// keep sets the first value.
func keep(into *decimal.Null, n decimal.Decimal) {
	if !into.Valid {
		*into = decimal.Of(n)
	}
}

// state adds the totals comparable with the rows. Sums for archived trades were read as
// cash.
func (s *summary) state(out *statement.Statement, archived decimal.Decimal) {
	if s.closed.Valid {
		out.State(statement.ItemNetPnL, s.closed.Decimal.Sub(archived))
	}
	adjusted := len(out.UnknownKinds) > 0
	for _, c := range out.Cash {
		adjusted = adjusted || c.Type == "adjustment"
	}
	if !s.deposited.Valid || adjusted {
		return
	}
	out.State(statement.ItemNetCash, s.deposited.Decimal)
	// A statement over some months has a balance begun before them.
	if s.closed.Valid && s.balance.Valid && s.closed.Decimal.Add(s.deposited.Decimal).Equal(s.balance.Decimal) {
		out.State(statement.ItemBalance, s.balance.Decimal)
	}
}
