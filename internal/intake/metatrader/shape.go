package metatrader

import (
	"slices"
	"strings"

	"fillbook/internal/intake/parse"
	"fillbook/internal/intake/tabular"
)

// part is a row's table in an MT5 report.
type part int

const (
	noPart     part = iota // a title, a header, a total, or not from MT5
	dealPart               // a deal: a fill or money
	closedPart             // a closed position, or a part of it
	openPart               // a position still open
	orderPart              // an order, which is not a fill
)

// isStamp reports whether a text is a time, which is written with points. Workbooks saved
// again have their own kind of dates, which arrive with dashes or as a number of days.
func isStamp(text string) bool { return isWrittenTime(text) || isSerial(text) }

// isWrittenTime reports whether a text is a date with hours and minutes, and perhaps
// seconds and their fraction.
func isWrittenTime(text string) bool {
	text, ok := cutShape(text, "0000.00.00T00:00")
	if !ok || text == "" {
		return ok
	}
	if text, ok = cutShape(text, ":00"); !ok || text == "" {
		return ok
	}
	return text[0] == '.' && isDigits(text[1:])
}

// isSerial reports whether a text is a number of days in this century or the last, with
// a fraction.
func isSerial(text string) bool {
	const whole = 5
	return len(text) > whole && (text[0] == '3' || text[0] == '4') && text[whole] == '.' && isDigits(text[:whole]) && isDigits(text[whole+1:])
}

// cutShape removes a shape from a text's start: 0 is any digit, a point any sign in dates,
// and T a blank or a T.
func cutShape(text, shape string) (rest string, ok bool) {
	if len(text) < len(shape) {
		return text, false
	}
	for i := range len(shape) {
		c := text[i]
		switch shape[i] {
		case '0':
			ok = parse.IsDigit(c)
		case '.':
			ok = c == '.' || c == '-' || c == '/'
		case 'T':
			ok = c == ' ' || c == 'T'
		default:
			ok = c == shape[i]
		}
		if !ok {
			return text, false
		}
	}
	return text[len(shape):], true
}

// isDigits reports whether a text has digits and nothing else.
func isDigits(text string) bool {
	for i := range len(text) {
		if !parse.IsDigit(text[i]) {
			return false
		}
	}
	return text != ""
}

func isID(text string) bool {
	const longest = 20
	return len(text) <= longest && isDigits(text)
}

func isNumber(text string) bool {
	_, err := parse.Number(text, parse.Unsettled)
	return err == nil
}

func isSide(kind string) bool { return kind == "buy" || kind == "sell" }

// isVolume accepts 0.10 and also 0.05 / 0.10, which is closed and opened, or
// filled and ordered.
func isVolume(text string) bool {
	first, second, two := strings.Cut(text, "/")
	return isNumber(first) && (!two || isNumber(second))
}

// directions are a deal's effects on a position. Deals moving only money have none, or
// "in".
var directions = []string{"in", "out", "in/out", "out by"}

// partOf recognizes a row by its shape. The cells must come from [visible].
func partOf(cells []string) part {
	const fewest = 11
	if len(cells) < fewest || !isStamp(cells[0]) || !isID(cells[1]) {
		return noPart
	}
	kind := strings.ToLower(cells[3])
	switch {
	case isDeal(cells, kind):
		return dealPart
	case !isVolume(cells[4]):
		return noPart
	case isSide(kind) && isStamp(cells[8]) && isNumber(cells[9]) && len(cells) > 12:
		return closedPart
	case isSide(kind) && isNumber(cells[8]) && isNumber(cells[10]) && !strings.Contains(cells[4], "/"):
		return openPart
	}
	return orderPart
}

func isDeal(cells []string, kind string) bool {
	direction := strings.ToLower(cells[4])
	if isTrade(kind) {
		return slices.Contains(directions, direction) && cells[2] != "" && isNumber(cells[5])
	}
	moneyOnly := parse.Blank(cells[5]) || isZero(cells[5])
	return isWord(kind) && moneyOnly && (direction == "" || slices.Contains(directions, direction)) && isNumber(cells[10])
}

// isTrade reports whether a deal bought or sold, even if it was canceled later
// ("buy canceled").
func isTrade(kind string) bool {
	return strings.HasPrefix(kind, "buy") || strings.HasPrefix(kind, "sell")
}

func isZero(text string) bool {
	n, err := parse.Number(text, parse.Unsettled)
	return err == nil && n.IsZero()
}

// isWord reports whether a type can be a terminal's: letters, and more than one.
func isWord(kind string) bool {
	return len(kind) > 1 && strings.Trim(kind, "abcdefghijklmnopqrstuvwxyz /_-") == ""
}

// visible returns a row's cells without the one terminals hide after the type, if some
// program made it visible again: the closing time is then one column further right.
func visible(row tabular.Row) []string {
	const hidden, closing = 4, 8
	c := row.Cells
	if len(c) > closing+1 && isStamp(c[0]) && isStamp(c[closing+1]) && !isStamp(c[closing]) {
		return slices.Delete(slices.Clone(c), hidden, hidden+1)
	}
	return c
}
