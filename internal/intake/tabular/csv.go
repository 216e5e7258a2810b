package tabular

import (
	"strings"
)

// readCSV reads text whose cells are separated by a character named in the first line, or
// detected.
func readCSV(file *File, text string, b *budget) error {
	text = strings.TrimPrefix(text, string(byteOrderMark))
	delim, body := parseSeparatorLine(text)
	if body == 0 {
		delim = detectDelimiter(text)
	}
	s := newScanner(text, delim, b.limits)
	if body > 0 {
		s.pos, s.line = body, 2
	}
	s.typical = typicalWidth(s)
	rows, err := readRecords(s, b)
	if err != nil {
		return err
	}
	file.Tables = []Table{{Rows: rows, Delimiter: rune(delim)}}
	return nil
}

// readRecords reads all records, long text in two halves at the same time.
func readRecords(s *scanner, b *budget) ([]Row, error) {
	if rows, ok := readHalves(s, b); ok {
		return rows, nil
	}
	rows := collector{budget: b, rows: make([]Row, 0, min(1+strings.Count(s.text, "\n"), b.limits.Rows))}
	err := rows.addRecords(s)
	return rows.rows, err
}

// addRecords adds the scanner's records.
func (c *collector) addRecords(s *scanner) error {
	for s.record() {
		if s.spill {
			return c.budget.tooWide(s.start)
		}
		for i, cell := range s.cells {
			s.cells[i] = removeExcelFormula(trim(cell))
		}
		if _, err := c.add(s.start, s.cells); err != nil {
			return err
		}
	}
	return nil
}

// parseSeparatorLine reads a first line such as "sep=;", by which programs declare
// to Excel how the file is written. It returns the separator and where the next
// line begins, or 0 when there is no such line.
func parseSeparatorLine(text string) (delim byte, next int) {
	const longest = 64
	end := strings.IndexAny(text[:min(len(text), longest)], "\r\n")
	if end < 0 {
		return 0, 0
	}
	line := strings.TrimLeft(text[:end], "\"")
	// A spreadsheet saving the file again has added separators and quotes.
	if len(line) < len("sep=x") || !strings.EqualFold(line[:4], "sep=") || strings.Trim(line[5:], " ,;\"") != "" {
		return 0, 0
	}
	delim = line[4]
	if delim >= 0x80 || delim == '"' || isLetterOrDigit(delim) {
		return 0, 0
	}
	if strings.HasPrefix(text[end:], "\r\n") {
		end++
	}
	return delim, end + 1
}

func isLetterOrDigit(b byte) bool {
	return '0' <= b && b <= '9' || 'a' <= b|0x20 && b|0x20 <= 'z'
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

// removeExcelFormula removes what spreadsheets, and exports protecting them, put around a
// value: ="123" is 123, and an apostrophe that keeps a number, a date or a formula from
// being taken for one is no part of it.
func removeExcelFormula(cell string) string {
	if len(cell) < 2 {
		return cell
	}
	switch cell[0] {
	case '=':
		if len(cell) >= 3 && cell[1] == '"' && cell[len(cell)-1] == '"' {
			return trim(strings.ReplaceAll(cell[2:len(cell)-1], `""`, `"`))
		}
	case '\'':
		if isDigit(cell[1]) || strings.IndexByte("=+-@", cell[1]) >= 0 {
			return trim(cell[1:])
		}
	}
	return cell
}
