package tabular

import (
	"strings"
)

// scanner cuts text into records. It reads RFC 4180 files, and files that only resemble
// them: a quote that does not begin a cell is text, a cell may have blanks around its
// quotes, and an unclosed quote is text too, so it costs one cell and not the rest of the
// file.
type scanner struct {
	text    string
	pos     int
	line    int // where pos is
	delim   byte
	columns int // cells beyond them are only looked at
	longest int // how long a quoted cell may be, in bytes
	// patience is how many bytes may still be searched in vain for the end of a quoted
	// cell. Without it a file full of odd quotes would take quadratic time.
	patience int
	// typical is how many cells most records have, if known.
	typical int
	// mixed reports whether a carriage return inside a line was seen, so splitLine would
	// look for line ends in vain.
	mixed bool

	// The current record. The cells are as written, except for quotes, and are
	// overwritten by the next record.
	cells []string
	start int  // the line where it begins
	width int  // how many cells it has, those beyond columns included
	spill bool // there is text beyond columns
	whole bool // it is a single cell in quotes
}

func newScanner(text string, delim byte, limits Limits) *scanner {
	return &scanner{
		text: text, line: 1, delim: delim,
		columns: limits.Columns, longest: limits.CellBytes,
		patience: 4*len(text) + 1<<20,
	}
}

// record finds the next record. A record quoted as a whole, as in lines saved by a
// spreadsheet, is opened and cut again, unless it would have so few cells that it is
// rather a sentence in the preamble.
func (s *scanner) record() bool {
	if !s.next() {
		return false
	}
	if !s.whole || strings.IndexByte(s.cells[0], s.delim) < 0 || strings.ContainsAny(s.cells[0], "\r\n") {
		return true
	}
	inner := scanner{text: s.cells[0], delim: s.delim, columns: s.columns, longest: s.longest, patience: s.patience}
	if inner.next() && inner.width*2 >= s.typical {
		s.cells = append(s.cells[:0], inner.cells...)
		s.width, s.spill = inner.width, inner.spill
	}
	s.patience = inner.patience
	return true
}

// next finds the next record as it is written.
func (s *scanner) next() bool {
	if s.pos >= len(s.text) {
		return false
	}
	s.cells, s.width, s.spill, s.whole = s.cells[:0], 0, false, false
	s.start = s.line
	if s.splitLine() {
		return true
	}
	for {
		cell, quoted := s.cell()
		s.addCell(cell)
		s.whole = quoted && s.width == 1
		if s.pos >= len(s.text) {
			return true
		}
		end := s.text[s.pos]
		s.pos++
		if end == s.delim {
			continue
		}
		s.line++
		if end == '\r' && s.pos < len(s.text) && s.text[s.pos] == '\n' {
			s.pos++
		}
		return true
	}
}

// splitLine finds the next record if it is a line without any quote, as most are,
// and reports whether it is.
func (s *scanner) splitLine() bool {
	if s.mixed {
		return false
	}
	end := strings.IndexByte(s.text[s.pos:], '\n')
	next := s.pos + end + 1
	if end < 0 {
		end = len(s.text) - s.pos
		next = len(s.text)
	}
	line := s.text[s.pos : s.pos+end]
	if next > s.pos+end {
		line = strings.TrimSuffix(line, "\r")
	}
	if strings.IndexByte(line, '"') >= 0 {
		return false
	}
	if strings.IndexByte(line, '\r') >= 0 {
		s.mixed = true
		return false
	}
	for from := 0; from <= len(line); {
		to := from
		for to < len(line) && line[to] != s.delim {
			to++
		}
		cell := line[from:to]
		for cell != "" && (cell[0] == ' ' || cell[0] == '\t') {
			cell = cell[1:]
		}
		s.addCell(cell)
		from = to + 1
	}
	if next > s.pos+end {
		s.line++
	}
	s.pos = next
	return true
}

func (s *scanner) addCell(cell string) {
	s.width++
	switch {
	case s.width <= s.columns:
		s.cells = append(s.cells, cell)
	case !s.spill:
		s.spill = trim(cell) != ""
	}
}

// cell reads the cell at pos, and leaves pos at the separator or line break ending it.
func (s *scanner) cell() (cell string, quoted bool) {
	at := s.skipBlanks(s.pos)
	open := at
	if strings.HasPrefix(s.text[at:], `="`) {
		open++ // a spreadsheet's mark for text
	}
	if open < len(s.text) && s.text[open] == '"' {
		if end := s.findClosingQuote(open + 1); end >= 0 {
			cell = s.text[open+1 : end]
			s.line += countLineBreaks(cell)
			s.pos = s.skipBlanks(end + 1)
			return strings.ReplaceAll(cell, `""`, `"`), open == at
		}
	}
	end := at
	for end < len(s.text) && s.text[end] != s.delim && s.text[end] != '\n' && s.text[end] != '\r' {
		end++
	}
	cell, s.pos = s.text[at:end], end
	return removeQuotes(cell), false
}

// findClosingQuote finds the quote ending the quoted cell at from, or returns -1. A quote
// in the middle of the cell is text, except one that could only begin another cell: then
// this one was never meant to be quoted.
func (s *scanner) findClosingQuote(from int) int {
	if s.patience <= 0 {
		return -1
	}
	limit := min(len(s.text), from+s.longest+1)
	at := from
	for {
		next := strings.IndexByte(s.text[at:limit], '"')
		if next < 0 {
			s.patience -= limit - from
			return -1
		}
		quote := at + next
		doubled := quote+1 < len(s.text) && s.text[quote+1] == '"'
		switch {
		case doubled:
			at = min(quote+2, limit)
		case s.endsCell(quote + 1):
			return quote
		case quote == from, s.beginsCell(quote, from):
			s.patience -= quote - from + 1
			return -1
		default:
			at = quote + 1
		}
	}
}

// endsCell reports whether only blanks are left in the cell at this place.
func (s *scanner) endsCell(at int) bool {
	at = s.skipBlanks(at)
	return at >= len(s.text) || s.isBreak(s.text[at])
}

// beginsCell reports whether a cell could begin at this place: there is nothing
// but blanks since the last separator or line break after from.
func (s *scanner) beginsCell(at, from int) bool {
	for at--; at >= from; at-- {
		if b := s.text[at]; s.isBreak(b) {
			return true
		} else if b != ' ' && b != '\t' {
			return false
		}
	}
	return false
}

func (s *scanner) isBreak(b byte) bool { return b == s.delim || b == '\n' || b == '\r' }

func (s *scanner) skipBlanks(at int) int {
	for at < len(s.text) && (s.text[at] == ' ' || s.text[at] == '\t') && s.text[at] != s.delim {
		at++
	}
	return at
}

// removeQuotes removes the quotes from a cell continuing after them, as in ""text and
// "te"xt.
func removeQuotes(cell string) string {
	if cell == "" || cell[0] != '"' {
		return cell
	}
	inside, rest, paired := strings.Cut(cell[1:], `"`)
	if !paired {
		return cell
	}
	return inside + rest
}

// countLineBreaks counts them in any notation.
func countLineBreaks(text string) int {
	return strings.Count(text, "\n") + strings.Count(text, "\r") - strings.Count(text, "\r\n")
}
