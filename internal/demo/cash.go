package demo

import (
	"slices"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
)

// transfer is a single cash transaction. At is a fraction of the journal.
type transfer struct {
	At     float64
	Type   ledger.CashType
	Amount int64
	Note   string
}

// monthlyCash is a cash transaction repeated every few months.
type monthlyCash struct {
	Every     int // months
	Type      ledger.CashType
	Low, High float64
	Note      string
}

// composeCash returns an account's cash transactions, in time order.
func (s *simulation) composeCash(a *tradingAccount) (list []Cash) {
	add := func(kind ledger.CashType, amount decimal.Decimal, at time.Time, note, opening string) {
		cash := ledger.NewCash{Type: kind, Amount: amount, OccurredAt: at, Note: note}
		list = append(list, Cash{NewCash: cash, Opening: opening})
	}
	for _, t := range a.Transfers {
		add(t.Type, decimal.New(t.Amount), onDay(nextTradingDay(s.dayAt(t.At)), 12, 0), t.Note, "")
	}
	for month := 1; month < 12*years; month++ {
		day := nextTradingDay(journal.DayOf(s.first.Time().AddDate(0, month, 3-s.first.Time().Day())))
		for _, m := range a.Monthly {
			if month%m.Every == 0 && day < s.last {
				amount := newRandom(m.Note, month).between([2]float64{m.Low, m.High})
				add(m.Type, toCents(amount), onDay(day, 8, 15), m.Note, "")
			}
		}
	}
	for _, t := range a.trades {
		closed, isClosed := t.closedAt()
		paid := onDay(nextTradingDay(t.day.AddDays(1)), 9, 0)
		if t.Dividend > 0 && t.matched.Direction == matching.Long && isClosed && closed.Sub(paid) > 48*time.Hour {
			amount := toCents(t.Dividend * t.matched.QtyOpened.Float64())
			add("dividend", amount, paid, t.Symbol+" dividend", t.opening())
		}
	}
	slices.SortStableFunc(list, func(a, b Cash) int { return a.OccurredAt.Compare(b.OccurredAt) })
	return list
}
