package metatrader

import (
	"regexp"
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

// A time is written with points. Workbooks saved again have their own kind of dates,
// which arrive with dashes or as a number of days.
var (
	stampText  = regexp.MustCompile(`^\d{4}[.\-/]\d{2}[.\-/]\d{2}[ T]\d{2}:\d{2}(:\d{2}(\.\d+)?)?$`)
	serialText = regexp.MustCompile(`^[34]\d{4}\.\d+$`)
	idText     = regexp.MustCompile(`^\d{1,20}$`)
)

func isStamp(text string) bool { return stampText.MatchString(text) || serialText.MatchString(text) }

func isID(text string) bool { return idText.MatchString(text) }

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
