package tabular

import (
	"encoding/xml"
	"strconv"
	"strings"
)

// look is whether a number is shown as a date, a time, both, or as a number.
type look uint8

const (
	showsDate look = 1 << iota
	showsTime
	showsElapsed // hours beyond 24 are shown as such

	showsNumber look = 0
)

// maxStyles is more than a spreadsheet can have.
const maxStyles = 1 << 16

// readStyles finds out which styles show a date or a time.
func (book *workbook) readStyles() error {
	entry := book.kindPart("styles", "xl/styles.xml")
	if entry == nil {
		return nil
	}
	own := map[string]look{}
	return book.elements(entry, func(w *walker, start xml.StartElement) error {
		switch {
		case start.Name.Local == "numFmt" && len(own) < maxStyles:
			own[attribute(start, "numFmtId")] = parseFormat(attribute(start, "formatCode"))
		case start.Name.Local == "xf" && w.parent() == "cellXfs" && len(book.looks) < maxStyles:
			id := attribute(start, "numFmtId")
			shown, ok := own[id]
			if !ok {
				shown = findBuiltinFormat(id)
			}
			book.looks = append(book.looks, shown)
		}
		return nil
	})
}

// findBuiltinFormat returns the look for formats with a number and no text. Those from 27
// and from 50 on are dates in East Asian workbooks.
func findBuiltinFormat(id string) look {
	n, err := strconv.Atoi(id)
	switch {
	case err != nil:
		return showsNumber
	case n >= 14 && n <= 17, n >= 27 && n <= 31, n == 36, n >= 50 && n <= 58:
		return showsDate
	case n >= 18 && n <= 21, n >= 32 && n <= 35, n == 45, n == 47:
		return showsTime
	case n == 22:
		return showsDate | showsTime
	case n == 46:
		return showsElapsed
	}
	return showsNumber
}

// parseFormat reads a format's text. Only its first section counts, for positive numbers;
// text in quotes, escaped characters, and colors and conditions in brackets do not. An m
// is a month unless hours or seconds are near.
func parseFormat(code string) look {
	var shown look
	m := false
	for i := 0; i < len(code); i++ {
		switch code[i] {
		case '"':
			inside, _, _ := strings.Cut(code[i+1:], `"`)
			i += len(inside) + 1
		case '[':
			inside, _, _ := strings.Cut(code[i+1:], "]")
			shown |= parseElapsed(inside)
			i += len(inside) + 1
		case '\\', '_', '*':
			i++
		case ';':
			return resolveMonth(shown, m)
		case 'y', 'Y', 'd', 'D':
			shown |= showsDate
		case 'h', 'H', 's', 'S':
			shown |= showsTime
		case 'm', 'M':
			m = true
		}
	}
	return resolveMonth(shown, m)
}

// resolveMonth decides what an m was.
func resolveMonth(shown look, m bool) look {
	if m && shown&(showsTime|showsElapsed) == 0 {
		shown |= showsDate
	}
	return shown
}

// parseElapsed reads brackets such as [h] and [mm].
func parseElapsed(inside string) look {
	inside = strings.ToLower(inside)
	for _, unit := range []string{"h", "m", "s"} {
		if inside != "" && strings.Trim(inside, unit) == "" {
			return showsElapsed
		}
	}
	return showsNumber
}
