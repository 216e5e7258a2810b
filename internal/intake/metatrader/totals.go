package metatrader

import (
	"slices"
	"strings"

	"fillbook/internal/base/decimal"
	"fillbook/internal/intake/parse"
	"fillbook/internal/intake/statement"
	"fillbook/internal/intake/tabular"
)

// dealTotals is the row below the deals. Costs have the account's sign.
type dealTotals struct {
	there                 bool
	commission, fee, swap decimal.Decimal
	balance               decimal.Decimal
}

// totalsOf reads the row below the deals: commission, fee, swap, profit and
// balance, without the fee on old terminals.
func totalsOf(n []decimal.Decimal) dealTotals {
	const today, old = 5, 4
	switch len(n) {
	case today:
		return dealTotals{there: true, commission: n[0], fee: n[1], swap: n[2], balance: n[4]}
	case old:
		return dealTotals{there: true, commission: n[0], swap: n[1], balance: n[3]}
	}
	return dealTotals{}
}

// subtract subtracts from the totals what was read as cash and not as a fill's costs.
func (t *dealTotals) subtract(commission, fee, swap decimal.Decimal) {
	t.commission, t.fee, t.swap = t.commission.Sub(commission), t.fee.Sub(fee), t.swap.Sub(swap)
}

// state adds the report totals comparable with the rows.
func (rep *report) state(out *statement.Statement) {
	if t := rep.totals; t.there {
		out.State(statement.ItemCommission, t.commission.Neg())
		out.State(statement.ItemFees, t.fee.Add(t.swap).Neg())
		if rep.startsAtZero() && rep.settled() && !rep.credited() {
			out.State(statement.ItemBalance, t.balance)
		}
	}
	if rep.netProfit.Valid && rep.settled() {
		out.State(statement.ItemNetPnL, rep.netProfit.Decimal)
	}
}

// startsAtZero reports whether the report begins with the account: the balance after its
// first deal is that deal's amount. Only then is the balance the sum of the listed deals.
func (rep *report) startsAtZero() bool {
	const commission, balance = 8, 12
	if len(rep.deals.Rows) < 2 {
		return false
	}
	moved, first := decimal.Zero, rep.deals.Rows[1].Cells
	for _, text := range first[commission:balance] {
		if n, err := parse.Number(text, parse.Unsettled); err == nil {
			moved = moved.Add(n)
		}
	}
	after, err := parse.Number(first[balance], parse.Unsettled)
	return err == nil && after.Equal(moved)
}

// settled reports whether the balance contains nothing from open positions: neither their
// costs nor a closed part's result.
func (rep *report) settled() bool {
	if len(rep.open.Rows) == 1 {
		return true
	}
	partly := map[string]bool{}
	for _, row := range rep.closed.Rows[1:] {
		partly[row.Cells[1]] = true
	}
	for _, row := range rep.open.Rows[1:] {
		if partly[row.Cells[1]] {
			return false
		}
	}
	return rep.totals.commission.IsZero() && rep.totals.fee.IsZero()
}

// credited reports whether the broker lent money. It was read as cash, but is not part of
// the balance.
func (rep *report) credited() bool {
	const kind = 3
	return slices.ContainsFunc(rep.deals.Rows, func(row tabular.Row) bool { return strings.EqualFold(row.Cells[kind], "credit") })
}
