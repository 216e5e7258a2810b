package market

import "time"

// holiday is how a day differs from other weekdays on American exchanges.
type holiday int

const (
	noHoliday holiday = iota
	// earlyClose is a day on which stocks are traded until 13:00 in New York.
	earlyClose
	// stocksClosed is a day without trading in stocks. Futures are traded until about
	// 13:00, some not at all.
	stocksClosed
	// allClosed is a day on which futures are closed as well.
	allClosed
)

// specialClosures are days on which stocks were not traded, by the year, month and day.
var specialClosures = map[[3]int]bool{
	{2001, 9, 11}: true, {2001, 9, 12}: true, {2001, 9, 13}: true, {2001, 9, 14}: true,
	{2004, 6, 11}: true, {2007, 1, 2}: true, {2012, 10, 29}: true, {2012, 10, 30}: true, {2018, 12, 5}: true, {2025, 1, 9}: true,
}

// holidayOf returns what a weekday is by the rules of the New York Stock Exchange since
// 1998.
func holidayOf(date time.Time) holiday {
	y, m, d := date.Date()
	weekday := date.Weekday()
	isNth := func(n int, of time.Weekday) bool { return weekday == of && (d-1)/7 == n-1 }
	switch m {
	case time.January:
		switch {
		// After a Saturday the day is not made up for.
		case d == 1, d == 2 && weekday == time.Monday:
			return allClosed
		case isNth(3, time.Monday):
			return stocksClosed
		}
	case time.February:
		if isNth(3, time.Monday) {
			return stocksClosed
		}
	case time.March, time.April:
		if weekday == time.Friday && isGoodFriday(y, m, d) {
			return allClosed
		}
	case time.May:
		if weekday == time.Monday && d > 31-7 {
			return stocksClosed
		}
	case time.June:
		if y >= 2022 && isObserved(d, 19, weekday) {
			return stocksClosed
		}
	case time.July:
		switch {
		case isObserved(d, 4, weekday):
			return stocksClosed
		case d == 3 && weekday < time.Friday:
			return earlyClose
		}
	case time.September:
		if isNth(1, time.Monday) {
			return stocksClosed
		}
	case time.November:
		switch {
		case isNth(4, time.Thursday):
			return stocksClosed
		case weekday == time.Friday && d >= 23 && d <= 29: // the day after
			return earlyClose
		}
	case time.December:
		switch {
		case isObserved(d, 25, weekday):
			return allClosed
		case d == 24:
			return earlyClose
		}
	case time.August, time.October:
	}
	if specialClosures[[3]int{y, int(m), d}] {
		return stocksClosed
	}
	return noHoliday
}

// isObserved reports whether a holiday is observed on a weekday of its month: on Friday if
// it is a Saturday, and on Monday if it is a Sunday.
func isObserved(d, holiday int, weekday time.Weekday) bool {
	return d == holiday || d == holiday-1 && weekday == time.Friday || d == holiday+1 && weekday == time.Monday
}

// isGoodFriday reports whether a date is two days before Easter, which is computed by the
// rule for the Gregorian calendar.
func isGoodFriday(y int, m time.Month, d int) bool {
	golden, century := y%19, y/100
	epact := (century - century/4 - (8*century+13)/25 + 19*golden + 15) % 30
	epact -= epact / 28 * (1 - epact/28*(29/(epact+1))*((21-golden)/11))
	weekday := (y + y/4 + epact + 2 - century + century/4) % 7
	easter := epact - weekday // days after 28 March, which may be negative
	return time.Date(y, time.March, 28+easter-2, 12, 0, 0, 0, time.UTC).Equal(time.Date(y, m, d, 12, 0, 0, 0, time.UTC))
}
