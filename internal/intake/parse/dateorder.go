package parse

import (
	"cmp"
	"iter"
	"slices"
)

// DateOrder states whether the day or the month comes first in dates such as
// 3/4/2026.
type DateOrder string

// The orders. Unknown is for a column without a date in which it matters, Ambiguous for
// one that can be read both ways.
const (
	DateOrderUnknown   DateOrder = ""
	DayFirst           DateOrder = "day_first"
	MonthFirst         DateOrder = "month_first"
	DateOrderAmbiguous DateOrder = "ambiguous"
)

// SettleDateOrder decides over a whole column's values, and never over one row, whether
// the day or the month comes first.
//
// A part above 12 can only be a day; where some values prove one order so and some the
// other, nothing is settled. Without such a proof points between the parts mean day
// first, as no other order is in use. After that the row order decides: files are sorted,
// so when only one reading runs steadily up or down, it is the right one.
func SettleDateOrder(values iter.Seq[string]) DateOrder {
	var dates []numericDate
	for v := range values {
		if d, ok := leadingNumericDate(v); ok && (d.toDay(DayFirst).exists() || d.toDay(MonthFirst).exists()) {
			dates = append(dates, d)
		}
	}
	if order := provenOrder(dates); order != DateOrderUnknown {
		return order
	}
	if !slices.ContainsFunc(dates, numericDate.matters) {
		return DateOrderUnknown
	}
	if !slices.ContainsFunc(dates, func(d numericDate) bool { return d.sign != '.' }) {
		return DayFirst
	}
	days, months := steady(dates, DayFirst), steady(dates, MonthFirst)
	switch {
	case days && !months:
		return DayFirst
	case months && !days:
		return MonthFirst
	}
	return DateOrderAmbiguous
}

// provenOrder looks for parts that can only be days.
func provenOrder(dates []numericDate) DateOrder {
	order := DateOrderUnknown
	for _, d := range dates {
		proof := d.proves()
		if proof == DateOrderUnknown {
			continue
		}
		if order != DateOrderUnknown && order != proof {
			return DateOrderAmbiguous
		}
		order = proof
	}
	return order
}

// numericDate is a date with two small numbers and a year after them.
type numericDate struct {
	first, second, year int
	sign                byte // what separates them
}

// proves returns the order this date alone proves.
func (d numericDate) proves() DateOrder {
	const months = 12
	switch day, month := d.toDay(DayFirst).exists(), d.toDay(MonthFirst).exists(); {
	case day && !month && d.first > months:
		return DayFirst
	case month && !day && d.second > months:
		return MonthFirst
	}
	return DateOrderUnknown
}

// matters reports whether the date is another one in the other order.
func (d numericDate) matters() bool {
	return d.first != d.second && d.toDay(DayFirst).exists() && d.toDay(MonthFirst).exists()
}

func (d numericDate) toDay(order DateOrder) calendarDay {
	if order == MonthFirst {
		return calendarDay{d.year, d.first, d.second}
	}
	return calendarDay{d.year, d.second, d.first}
}

// steady reports whether the dates run in one direction if they are read so.
func steady(dates []numericDate, order DateOrder) bool {
	up, down := false, false
	for i := 1; i < len(dates); i++ {
		switch dates[i-1].toDay(order).compare(dates[i].toDay(order)) {
		case -1:
			up = true
		case 1:
			down = true
		}
	}
	return !up || !down
}

func (d calendarDay) compare(e calendarDay) int {
	return cmp.Or(cmp.Compare(d.year, e.year), cmp.Compare(d.month, e.month), cmp.Compare(d.day, e.day))
}
