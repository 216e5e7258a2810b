package metatrader

import (
	"slices"
	"strings"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
	"fillbook/internal/imports/tabular"
)

// dealTotals is the row below the deals. Costs have the sign of the account.
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

// without takes out of the totals what was read as money and not as the costs
// of a fill.
func (t *dealTotals) without(commission, fee, swap decimal.Decimal) {
	t.commission, t.fee, t.swap = t.commission.Sub(commission), t.fee.Sub(fee), t.swap.Sub(swap)
}

// state tells the totals of the report, as far as they can be held against what
// was read.
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

// startsAtZero tells that the report goes back to the beginning of the account:
// the balance behind its first deal is what that deal moved. Only then is the
// balance the sum of what the report lists.
func (rep *report) startsAtZero() bool {
	const commission, balance = 8, 12
	if len(rep.deals.Rows) < 2 {
		return false
	}
	moved, first := decimal.Zero, rep.deals.Rows[1].Cells
	for _, text := range first[commission:balance] {
		if n, err := statement.Number(text, statement.Unsettled); err == nil {
			moved = moved.Add(n)
		}
	}
	after, err := statement.Number(first[balance], statement.Unsettled)
	return err == nil && after.Equal(moved)
}

// settled tells that nothing of the balance belongs to positions that are still
// open: neither costs of opening them nor the result of a part.
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

// credited tells that the broker lent money. It was read as cash, but is no part
// of the balance.
func (rep *report) credited() bool {
	const kind = 3
	return slices.ContainsFunc(rep.deals.Rows, func(row tabular.Row) bool { return strings.EqualFold(row.Cells[kind], "credit") })
}
