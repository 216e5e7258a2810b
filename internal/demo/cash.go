package demo

import (
	"math"
	"slices"
	"time"

	"fillbook/internal/decimal"
	"fillbook/internal/journal"
	"fillbook/internal/matching"
)

// The types of cash transactions.
const (
	cashDeposit    = "deposit"
	cashWithdrawal = "withdrawal"
	cashFee        = "fee"
	cashDividend   = "dividend"
	cashInterest   = "interest"
)

// cash is the money that moved in an account without a fill, in time order.
func (w *world) cash(d *desk) (list []Cash) {
	switch d.Type {
	case "margin":
		list = slices.Concat(w.transfers(marginTransfers), w.monthly(marginMonth), w.dividends(d))
	case "prop":
		list = slices.Concat(w.transfers(propTransfers), w.monthly(propMonth))
	default:
		list = slices.Concat(w.transfers(cryptoTransfers), w.monthly(cryptoMonth))
	}
	slices.SortStableFunc(list, func(a, b Cash) int { return a.At.Compare(b.At) })
	return list
}

// transfer is money that goes in or out at some share of the story.
type transfer struct {
	share  float64
	kind   string
	amount int64
	note   string
}

var marginTransfers = []transfer{
	{0.16, cashDeposit, 10_000, "Wire from checking"},
	{0.34, cashWithdrawal, -2_500, "Taxes"},
	{0.55, cashDeposit, 5_000, "Wire from checking"},
	{0.88, cashWithdrawal, -4_000, "New desk and monitors"},
}

var propTransfers = []transfer{
	{0.004, cashFee, -149, "Activation of the funded account"},
	{0.20, cashWithdrawal, -2_000, "Payout 1"},
	{0.33, cashWithdrawal, -3_500, "Payout 2"},
	{0.47, cashFee, -99, "Rules webinar and reset of the limits"},
	{0.79, cashWithdrawal, -2_500, "Payout 3"},
	{0.91, cashWithdrawal, -4_000, "Payout 4"},
}

var cryptoTransfers = []transfer{
	{0.12, cashDeposit, 2_500, "Bank transfer"},
	{0.31, cashDeposit, 1_500, "Bank transfer"},
	{0.83, cashWithdrawal, -3_000, "To the hardware wallet"},
	{0.831, cashFee, -12, "Network fee of the transfer"},
}

func (w *world) transfers(list []transfer) (rows []Cash) {
	for _, t := range list {
		day := nextTradingDay(w.dayAt(t.share))
		rows = append(rows, Cash{Type: t.kind, Amount: decimal.New(t.amount), At: onDay(day, 12, 0, newYork), Note: t.note})
	}
	return rows
}

// dayAt is the day on which so much of the story has passed.
func (w *world) dayAt(share float64) journal.Day {
	return w.first.AddDays(int(math.Round(share * float64(w.first.DaysUntil(w.last)))))
}

// monthly writes what comes every month, on its third day.
func (w *world) monthly(row func(d dice, month int) []Cash) (rows []Cash) {
	for month := range 12 * years {
		day := nextTradingDay(journal.DayOf(w.first.Time().AddDate(0, month+1, 3-w.first.Time().Day())))
		for _, c := range row(throw("month", month), month) {
			if c.At = onDay(day, 8, 15, newYork); day < w.last {
				rows = append(rows, c)
			}
		}
	}
	return rows
}

func marginMonth(d dice, month int) []Cash {
	rows := []Cash{
		{Type: cashFee, Amount: decimal.Must("-14.5"), Note: "Market data"},
		{Type: cashInterest, Amount: cents(d.between(38, 74)), Note: "Credit interest"},
	}
	if month%7 == 5 {
		rows = append(rows, Cash{Type: cashInterest, Amount: cents(-d.between(9, 31)), Note: "Debit interest on margin"})
	}
	return rows
}

func propMonth(dice, int) []Cash {
	return []Cash{{Type: cashFee, Amount: decimal.New(-85), Note: "Platform and data"}}
}

func cryptoMonth(d dice, month int) []Cash {
	if month < 4 {
		return nil
	}
	return []Cash{{Type: cashInterest, Amount: cents(d.between(3, 9)), Note: "Staking rewards"}}
}

// payers are stocks with a dividend, and how much it is a share.
var payers = map[string]string{
	"AAPL": "0.26", "MSFT": "0.83", "JPM": "1.4", "XOM": "0.99", "SPY": "1.74", "QQQ": "0.72",
	"IWM": "0.63", "META": "0.53", "GOOGL": "0.21", "MU": "0.12", "DIS": "0.5", "NVDA": "0.01",
}

// dividends are paid on some of the positions that were held long enough.
func (w *world) dividends(d *desk) (rows []Cash) {
	const enough = 4 * 24 * time.Hour
	for i, t := range d.trades {
		rate, pays := payers[t.of.symbol]
		closed, over := t.closedAt()
		if !pays || t.of.kind != kindStock || t.result.Direction != matching.Long ||
			!over || closed.Sub(t.openedAt()) < enough || throw("dividend", i).chance(0.35) {
			continue
		}
		paid := onDay(nextTradingDay(journal.DayOf(t.openedAt()).AddDays(1)), 9, 0, newYork)
		rows = append(rows, Cash{
			Type: cashDividend, Amount: decimal.Must(rate).Mul(t.result.QtyOpened).Round(2), At: paid,
			Note: t.of.symbol + " dividend", Opening: t.fills[0].ID,
		})
	}
	return rows
}
