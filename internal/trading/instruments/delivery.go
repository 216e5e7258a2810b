package instruments

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"fillbook/internal/base/journal"
)

// parseDelivery parses a month of delivery without its root:
// Z24, 12-24, DEC 24, 202412, 20241220.
func parseDelivery(text string) (Delivery, bool) {
	for _, parse := range []func(string) (Delivery, bool){parseCodeDelivery, parseNamedDelivery, parseNumberedDelivery, parseDatedDelivery} {
		if d, ok := parse(text); ok {
			return d, true
		}
	}
	return Delivery{}, false
}

// parseCodeDelivery parses Z4, Z24 and Z2024.
func parseCodeDelivery(text string) (Delivery, bool) {
	if text == "" {
		return Delivery{}, false
	}
	month := strings.IndexByte(monthCodes, text[0]) + 1
	if month == 0 {
		return Delivery{}, false
	}
	if year := text[1:]; len(year) == 1 && isDigits(year) {
		return Delivery{Month: time.Month(month), Year: int(year[0] - '0'), OneDigit: true}, true
	}
	return newDeliveryInYear(month, text[1:])
}

// parseNamedDelivery parses DEC24, DEC 24, DEC-24 and DEC 2024.
func parseNamedDelivery(text string) (Delivery, bool) {
	if len(text) < 5 {
		return Delivery{}, false
	}
	month := slices.Index(monthNames, text[:3]) + 1
	if month == 0 {
		return Delivery{}, false
	}
	year := text[3:]
	if strings.ContainsRune(" -'", rune(year[0])) {
		year = year[1:]
	}
	return newDeliveryInYear(month, year)
}

// parseNumberedDelivery parses 12-24, 12.24, 12/24 and 12-2024.
func parseNumberedDelivery(text string) (Delivery, bool) {
	if len(text) < 4 || !strings.ContainsRune("-./", rune(text[2])) {
		return Delivery{}, false
	}
	return newDelivery(text[:2], text[3:])
}

// parseDatedDelivery parses 202412 and the last trading day 20241220.
func parseDatedDelivery(text string) (Delivery, bool) {
	if !isDigits(text) || len(text) != 6 && len(text) != 8 {
		return Delivery{}, false
	}
	if len(text) == 8 {
		if _, ok := newDay(text[:4], text[4:6], text[6:]); !ok {
			return Delivery{}, false
		}
	}
	return newDelivery(text[4:6], text[:4])
}

func newDelivery(month, year string) (Delivery, bool) {
	n, err := strconv.Atoi(month)
	if err != nil || !isDigits(month) || n < 1 || n > 12 {
		return Delivery{}, false
	}
	return newDeliveryInYear(n, year)
}

func newDeliveryInYear(month int, year string) (Delivery, bool) {
	n, ok := parseYear(year)
	return Delivery{Month: time.Month(month), Year: n}, ok
}

// windowStart is the first year that two digits can mean, which is the journal's first
// year.
const windowStart = 1970

// parseYear parses a year of two or four digits within the journal's years.
func parseYear(text string) (int, bool) {
	if !isDigits(text) {
		return 0, false
	}
	n, _ := strconv.Atoi(text)
	switch {
	case len(text) == 2 && n >= windowStart%100:
		return 1900 + n, true
	case len(text) == 2:
		return 2000 + n, true
	}
	return n, len(text) == 4 && n >= windowStart && n <= 2199
}

// newDay returns the calendar day of its parts, if it exists. A year of two digits is
// one of this century, because the notations with two digits were introduced in it.
func newDay(year, month, date string) (journal.Day, bool) {
	if len(year) == 2 {
		year = "20" + year
	}
	for _, part := range []*string{&month, &date} {
		if len(*part) == 1 {
			*part = "0" + *part
		}
	}
	found, err := journal.ParseDay("day", year+"-"+month+"-"+date)
	return found, err == nil
}
