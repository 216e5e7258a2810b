package tabular

import (
	"archive/zip"
	"encoding/xml"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// The greatest row and column in a sheet.
const (
	lastRow    = 1_048_576
	lastColumn = 16_384 // XFD
)

// sheet is a sheet on the way.
type sheet struct {
	book *workbook
	rows collector
	row  int // current row number, from 1
	col  int // current cell number, from 1
	// cells are the current row's. They are never more than the limit, whatever number a
	// reference names.
	cells []string
	kind  string // the current cell's: s, str, inlineStr, b, e, d, n or ""
	style string
	item  itemText
}

// readSheet reads a sheet's rows.
func (book *workbook) readSheet(entry *zip.File) ([]Row, error) {
	text, _, err := book.part(entry)
	if err != nil {
		return nil, err
	}
	s := &sheet{book: book, rows: collector{budget: book.budget}}
	inData := false
	err = newWalker(text, book.budget).each("workbook", func(token xml.Token) error {
		switch token := token.(type) {
		case xml.StartElement:
			inData = inData || token.Name.Local == "sheetData"
		case xml.EndElement:
			inData = inData && token.Name.Local != "sheetData"
		}
		if !inData {
			return nil
		}
		return s.token(token)
	})
	return s.rows.rows, err
}

func (s *sheet) token(token xml.Token) error {
	if err := s.item.addToken(token); err != nil {
		return err
	}
	switch token := token.(type) {
	case xml.StartElement:
		switch token.Name.Local {
		case "row":
			return s.startRow(token)
		case "c":
			return s.startCell(token)
		}
	case xml.EndElement:
		switch token.Name.Local {
		case "row":
			_, err := s.rows.add(s.row, s.cells)
			return err
		case "c":
			return s.endCell()
		}
	}
	return nil
}

// startRow moves to the named row, or to the next one.
func (s *sheet) startRow(start xml.StartElement) error {
	s.row++
	s.col, s.cells = 0, s.cells[:0]
	if ref := attribute(start, "r"); ref != "" {
		number, err := strconv.Atoi(ref)
		if err != nil {
			return fmt.Errorf("row reference: %w", err)
		}
		s.row = number
	}
	if s.row < 1 || s.row > lastRow {
		return fmt.Errorf("there is no row %d", s.row)
	}
	return nil
}

// startCell moves to the named cell, or to the next one.
func (s *sheet) startCell(start xml.StartElement) error {
	s.col++
	s.kind, s.style = "", ""
	s.item = itemText{text: s.item.text[:0]}
	for _, attr := range start.Attr {
		switch attr.Name.Local {
		case "r":
			col, ok := columnOf(attr.Value)
			if !ok {
				return errors.New("a reference names no cell")
			}
			s.col = col
		case "t":
			s.kind = attr.Value
		case "s":
			s.style = attr.Value
		}
	}
	if s.col > lastColumn {
		return errors.New("a row has too many cells")
	}
	return s.rows.budget.cell()
}

// columnOf reads the letters in a reference such as AB12.
func columnOf(ref string) (int, bool) {
	col := 0
	for i := range len(ref) {
		letter := ref[i] &^ 0x20
		if letter < 'A' || letter > 'Z' {
			return col, i > 0
		}
		if col = col*26 + int(letter-'A') + 1; col > lastColumn {
			return 0, false
		}
	}
	return col, col > 0
}

func (s *sheet) endCell() error {
	text, err := s.value()
	if err != nil || text == "" {
		return err
	}
	if s.col > s.rows.budget.limits.Columns {
		return s.rows.budget.tooWide(s.row)
	}
	for len(s.cells) < s.col {
		s.cells = append(s.cells, "")
	}
	s.cells[s.col-1] = text
	return nil
}

// value returns the current cell's text.
func (s *sheet) value() (string, error) {
	text := s.item.flush()
	if s.kind == "s" {
		return s.book.sharedString(text)
	}
	if isTooLong(text) {
		return "", cellTooLong()
	}
	switch s.kind {
	case "b":
		if text == "" {
			return "", nil
		}
		return strings.ToUpper(strconv.FormatBool(isTrue(text))), nil
	case "e":
		return "", nil
	case "str", "inlineStr", "d":
		return text, nil
	default:
		return s.book.number(text, s.style), nil
	}
}
