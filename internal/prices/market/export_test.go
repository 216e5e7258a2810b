package market

// IsBroker reports whether the calendar's hours differ between brokers.
func (c Calendar) IsBroker() bool { return c.schedule != nil && c.schedule.isBroker }

// IsUsual reports whether bars at a second are usual.
func (c Calendar) IsUsual(at int64) bool {
	s := c.findSession(at)
	return lengthOf(s.wide, Range{From: at, To: at + 1}) > 0
}

// IsHoliday reports whether the market is closed at a second because of a holiday.
func (c Calendar) IsHoliday(at int64) bool {
	s := c.findSession(at)
	return s.holiday.From <= at && at < s.holiday.To
}

// CheckCalendars parses a text in calendars.txt notation.
func CheckCalendars(text string) error {
	_, err := readCalendars(text)
	return err
}

// IsUsed reports whether an instrument in calendars.txt has the calendar.
func IsUsed(c Calendar) bool {
	for _, list := range calendars().instruments {
		for _, found := range list {
			if found == c {
				return true
			}
		}
	}
	return false
}
