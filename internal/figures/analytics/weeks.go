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

// ListWeeks returns the weeks with trades and a day in the year, in order. first is the
// first weekday.
func ListWeeks(s *Selection, zone *time.Location, year int, first time.Weekday) []Week {
	list := []Week{}
	for _, day := range ListDays(s, zone) {
		start := startOfWeek(day.Date, first)
		end := start.AddDays(6)
		if start.Year() != year && end.Year() != year {
			continue
		}
		if n := len(list); n == 0 || list[n-1].Start != start {
			list = append(list, Week{Start: start, End: end, Group: Group{NetPnL: decimal.Zero}})
		}
		w := &list[len(list)-1]
		w.Group.addDay(day)
		w.Losses += day.Losses
		w.DaysTraded++
	}
	if s.parts {
		recountWeeks(list, s, zone, first)
	}
	return list
}
