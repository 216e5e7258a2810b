package analytics

import (
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
)

// Week is a whole week with trades, even if it is partly in another year.
type Week struct {
	Start journal.Day `json:"start"`
	End   journal.Day `json:"end"`
	Group
	Losses int `json:"losses"`
	// DaysTraded counts the days with trades.
	DaysTraded int `json:"days_traded"`
}

// startOfWeek returns the first day in a day's week.
func startOfWeek(day journal.Day, first time.Weekday) journal.Day {
	return day.AddDays(-((day.Weekday() - int(first) + 7) % 7))
}

// addToWeek adds a day to its week if the week has a day in the year.
func (y *Year) addToWeek(day Cell, first time.Weekday) {
	start := startOfWeek(day.Date, first)
	end := start.AddDays(6)
	if start.Year() != y.Year && end.Year() != y.Year {
		return
	}
	if n := len(y.Weeks); n == 0 || y.Weeks[n-1].Start != start {
		y.Weeks = append(y.Weeks, Week{Start: start, End: end, Group: Group{NetPnL: decimal.Zero}})
	}
	w := &y.Weeks[len(y.Weeks)-1]
	w.Group.addDay(day.Trades, day.Wins, day.NetPnL)
	w.Losses += day.Losses
	if day.Trades > 0 {
		w.DaysTraded++
	}
}
