package tabular

import "strings"

// delimiters are the separators in exports. If two fit equally well the first wins:
// commas are also in numbers, dates and sentences.
const delimiters = "\t|;,"

// sampleRecords is how many records are looked at to find out about a file.
const sampleRecords = 200

// detectDelimiter finds a file's separator from its first records.
func detectDelimiter(text string) byte {
	best, most := byte(','), 0
	for _, delim := range []byte(delimiters) {
		if points := rateDelimiter(newScanner(text, delim, Default())); points > most {
			best, most = delim, points
		}
	}
	return best
}

// rateDelimiter returns how well a separator explains a file. It counts columns, and
// rates records highest with as many as the heading above them: the wrong separator may
// be in every number, but then it is not in the heading. So neither sentences before and
// after the table nor several tables with different widths mislead it.
func rateDelimiter(s *scanner) int {
	const asHeading, asNeighbour, alone = 10, 2, 1
	points, heading, before := 0, 0, 0
	for n := 0; n < sampleRecords && s.record(); n++ {
		width := min(s.width, s.columns)
		switch {
		case width < 2:
		case isHeading(s.cells):
			points += alone * (width - 1)
		case width == heading, heading > 2 && (width == heading+1 || width == heading-1):
			points += asHeading * (width - 1)
		case width == before:
			points += asNeighbour * (width - 1)
		default:
			points += alone * (width - 1)
		}
		if isHeading(s.cells) {
			heading = width
		}
		before = width
	}
	return points
}

// isHeading reports whether a record could be one: it has text, and no number.
func isHeading(cells []string) bool {
	text := false
	for _, cell := range cells {
		cell = strings.TrimLeft(cell, " +-$'=\"")
		if cell == "" {
			continue
		}
		if isDigit(cell[0]) {
			return false
		}
		text = true
	}
	return text
}

// typicalWidth returns how many cells most of the first records have, ignoring single
// cells. The scanner is left as it was.
func typicalWidth(s *scanner) int {
	sample := *s
	sample.cells = nil
	counts := map[int]int{}
	typical := 0
	for n := 0; n < sampleRecords && sample.record(); n++ {
		if sample.width < 2 {
			continue
		}
		counts[sample.width]++
		if counts[sample.width] > counts[typical] {
			typical = sample.width
		}
	}
	return typical
}
