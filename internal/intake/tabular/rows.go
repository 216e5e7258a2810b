package tabular

import (
	"strings"
	"unicode"
)

// collector gathers the rows in one table. Cells are cut from larger slices, since a
// separate slice for every row would be most of the work.
type collector struct {
	budget *budget
	rows   []Row
	spare  []string
}

// add keeps a copy of the cells as a row, unless all are empty. It returns the added row,
// which is valid until the next call.
func (c *collector) add(line int, cells []string) (*Row, error) {
	if isBlank(cells) {
		return nil, nil
	}
	if err := c.budget.row(len(cells)); err != nil {
		return nil, err
	}
	for _, cell := range cells {
		if err := c.budget.countText(len(cell), line); err != nil {
			return nil, err
		}
	}
	c.rows = append(c.rows, Row{Line: line, Cells: c.copyCells(cells)})
	return &c.rows[len(c.rows)-1], nil
}

func (c *collector) copyCells(cells []string) []string {
	const fewest, most = 64, 8192
	if len(c.spare) < len(cells) {
		c.spare = make([]string, max(len(cells), min(fewest+len(c.rows), most)))
	}
	n := copy(c.spare, cells)
	own := c.spare[:n:n]
	c.spare = c.spare[n:]
	return own
}

func isBlank(cells []string) bool {
	for _, cell := range cells {
		if cell != "" {
			return false
		}
	}
	return true
}

// trim removes surrounding white space, and byte order marks, which concatenated files
// have in the middle.
func trim(text string) string {
	if text == "" || isVisibleASCII(text[0]) && isVisibleASCII(text[len(text)-1]) {
		return text
	}
	return strings.TrimFunc(text, isTrimmed)
}

// isVisibleASCII reports whether a byte is visible ASCII, as most cells begin and end with.
func isVisibleASCII(b byte) bool { return ' ' < b && b < 0x7f }

func isTrimmed(r rune) bool { return unicode.IsSpace(r) || r == byteOrderMark }
