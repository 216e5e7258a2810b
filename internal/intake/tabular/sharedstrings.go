package tabular

import (
	"encoding/xml"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"fillbook/internal/base/journal"
)

const (
	maxSharedStrings = 500_000
	// maxCellText is how many characters a spreadsheet allows in a cell.
	maxCellText = 32_767
)

// readStrings reads the shared texts.
func (book *workbook) readStrings() error {
	entry := book.kindPart("sharedStrings", "xl/sharedStrings.xml")
	if entry == nil {
		return nil
	}
	text, _, err := book.part(entry)
	if err != nil {
		return err
	}
	var item itemText
	return newWalker(text, book.budget).each("workbook", func(token xml.Token) error {
		if err := item.addToken(token); err != nil {
			return err
		}
		if end, ok := token.(xml.EndElement); !ok || end.Name.Local != "si" {
			return nil
		}
		if len(book.shared) == maxSharedStrings {
			return journal.Invalid("The workbook has more than %s different texts.", formatThousands(maxSharedStrings))
		}
		text := item.flush()
		if isTooLong(text) {
			return cellTooLong()
		}
		book.shared = append(book.shared, text)
		return nil
	})
}

// sharedString returns the text a cell refers to.
func (book *workbook) sharedString(number string) (string, error) {
	if number == "" {
		return "", nil
	}
	index, err := strconv.Atoi(number)
	if err != nil || index < 0 || index >= len(book.shared) {
		return "", errors.New("a cell refers to a text that is not there")
	}
	return book.shared[index], nil
}

// itemText assembles an item's text: its runs in different fonts, but not the
// pronunciation hints in Japanese workbooks.
type itemText struct {
	text     []byte
	reading  bool // inside an element whose text counts
	phonetic bool
}

// addToken processes a token.
func (item *itemText) addToken(token xml.Token) error {
	switch token := token.(type) {
	case xml.StartElement:
		switch token.Name.Local {
		case "t", "v":
			item.reading = !item.phonetic
		case "rPh":
			item.phonetic = true
		}
	case xml.EndElement:
		switch token.Name.Local {
		case "t", "v":
			item.reading = false
		case "rPh":
			item.phonetic = false
		}
	case xml.CharData:
		if item.reading {
			item.text = append(item.text, token...)
		}
		if len(item.text) > maxCellText*4 {
			return cellTooLong()
		}
	}
	return nil
}

// isTooLong reports whether a cell's text has more characters than a spreadsheet allows.
// It reads the whole text, so a shared text is checked once, when it is read, and not in
// each cell using it.
func isTooLong(text string) bool {
	return len(text) > maxCellText && utf8.RuneCountInString(text) > maxCellText
}

func cellTooLong() error {
	return journal.Invalid("The workbook has a cell with more than %s characters.", formatThousands(maxCellText))
}

// flush returns the text as a cell shows it, and begins a new item.
func (item *itemText) flush() string {
	text := trim(unescape(string(item.text)))
	item.text = item.text[:0]
	return text
}

// unescape resolves a workbook's escapes for characters XML does not allow or would
// change, such as _x000D_ for a carriage return.
func unescape(text string) string {
	if !strings.Contains(text, "_x") {
		return text
	}
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(text, "_x")
		out.WriteString(before)
		if !found {
			return out.String()
		}
		if r, ok := hexRune(rest); ok {
			if r != 0 {
				out.WriteRune(r)
			}
			text = rest[5:]
			continue
		}
		out.WriteString("_x")
		text = rest
	}
}

// hexRune reads four hexadecimal digits and an underscore.
func hexRune(text string) (rune, bool) {
	if len(text) < 5 || text[4] != '_' {
		return 0, false
	}
	var r rune
	for i := range 4 {
		digit := strings.IndexByte("0123456789abcdef", text[i]|0x20)
		if digit < 0 || text[i] < '0' {
			return 0, false
		}
		r = r<<4 | rune(digit)
	}
	return r, true
}
