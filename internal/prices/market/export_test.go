package market

import "fillbook/internal/base/decimal"

// MeasureExcursion measures fills over a block's bars.
func MeasureExcursion(fills []Fill, multiplier decimal.Decimal, b Block) (Excursion, error) {
	var p Position
	p.Reset(fills, multiplier)
	return p.MeasureExcursion(Window{Block: b})
}

// BestExit returns the best exit from fills over a block's bars.
func BestExit(fills []Fill, multiplier decimal.Decimal, b Block, until int64) Bounds {
	var p Position
	p.Reset(fills, multiplier)
	return p.BestExit(Window{Block: b}, until)
}

// ListCalendars returns all calendars in calendars.txt by name.
func ListCalendars() map[string]Calendar { return calendars().calendars }

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
