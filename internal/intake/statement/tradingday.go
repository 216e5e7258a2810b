package statement

import (
	"iter"

	"fillbook/internal/base/journal"
	"fillbook/internal/base/lazyregexp"
	"fillbook/internal/intake/parse"
)

// TradeDate is the name of the hint, and of the form field, for the day in a file whose
// times have none.
const TradeDate = "trade_date"

// RequireDay finds the day for times without one: the user's, or the one in the file
// name. It returns an error asking for the day if neither has it.
func (r *Reader) RequireDay(names string) error {
	i := r.column(names)
	if i < 0 || !mostlyTimesOfDay(r.values(i)) {
		return nil
	}
	r.day = r.Hints.Day
	if r.day == "" {
		r.day, _ = DayInName(r.Hints.FileName, r.Hints.Order)
	}
	if r.day != "" {
		return nil
	}
	return &journal.Error{
		Kind: journal.KindInvalid, Code: mappingRequired,
		Message: "The file has times without a day. Say which day it is of with trade_date, such as 2026-01-31.",
		Details: map[string]any{"missing": []string{TradeDate}},
	}
}

// requireDays is [Reader.RequireDay] for a layout's times without a date column.
func (r *Reader) requireDays(l *Layout) error {
	for _, pair := range [][2]Col{{l.Date, l.Time}, {l.OpenDate, l.OpenTime}, {l.CloseDate, l.CloseTime}} {
		if pair[0] != "" || pair[1] == "" {
			continue
		}
		if err := r.RequireDay(pair[1]); err != nil {
			return err
		}
	}
	return nil
}

// momentOf reads an instant; a time without a date is on the file's day.
func (r *Reader) momentOf(clock *parse.Clock, text string) (parse.Moment, error) {
	if r.day != "" && parse.IsTimeOfDay(text) {
		return clock.DateAndTime(string(r.day), text)
	}
	return clock.Moment(text)
}

// mostlyTimesOfDay reports whether most values in a column are times without a date; some
// may be damaged.
func mostlyTimesOfDay(values iter.Seq[string]) bool { return isMost(values, parse.IsTimeOfDay) }

var (
	yearFirstName = lazyregexp.New(`(?:^|\D)(20\d\d)([-_.]?)(\d\d)([-_.]?)(\d\d)(?:\D|$)`)
	yearLastName  = lazyregexp.New(`(?:^|\D)(\d\d?)[-_.](\d\d?)[-_.](20\d\d|\d\d)(?:\D|$)`)
)

// DayInName finds the day in a file name: 2026-01-05, 20260105 or 01-05-2026, the month
// first unless the user says otherwise.
func DayInName(name string, order parse.DateOrder) (journal.Day, bool) {
	if p := yearFirstName().FindStringSubmatch(name); p != nil && p[2] == p[4] {
		if day, err := journal.ParseDay("day", p[1]+"-"+p[3]+"-"+p[5]); err == nil {
			return day, true
		}
	}
	p := yearLastName().FindStringSubmatch(name)
	if p == nil {
		return "", false
	}
	month, date, year := p[1], p[2], p[3]
	if order == parse.DayFirst {
		month, date = date, month
	}
	if len(year) == 2 {
		year = "20" + year
	}
	day, err := journal.ParseDay("day", year+"-"+twoDigits(month)+"-"+twoDigits(date))
	return day, err == nil
}

func twoDigits(number string) string {
	if len(number) == 1 {
		return "0" + number
	}
	return number
}
