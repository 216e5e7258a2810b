package tabular

import (
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"fillbook/internal/base/journal"
)

const (
	// maxToken bounds one tag or one piece of text between tags.
	maxToken = 2 << 20
	// maxNesting bounds tables within tables, and elements within elements.
	maxNesting = 64
)

// readHTML gathers the rows from all tables in a document. It follows the tags one by one
// and builds no tree, so it does not matter whether cells and rows are closed, which old
// MetaTrader terminals do not always do.
func readHTML(file *File, text string, b *budget) error {
	p := page{file: file, rows: collector{budget: b}, open: []*openTable{{}}}
	z := html.NewTokenizer(strings.NewReader(text))
	z.SetMaxBuf(maxToken)
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			break
		}
		if err := b.step(); err != nil {
			return err
		}
		if err := p.token(z, kind); err != nil {
			return err
		}
	}
	if errors.Is(z.Err(), html.ErrBufferExceeded) {
		return journal.Invalid("The document has a piece of more than %s bytes between two tags.", formatThousands(maxToken))
	}
	if !errors.Is(z.Err(), io.EOF) {
		return newDamagedError("document", z.Err())
	}
	return p.finish()
}

// page is a document on the way.
type page struct {
	file *File
	rows collector
	line int // the last <tr>'s number
	// open are the tables around the current place, innermost last. The first one is the
	// document, in which a cell may be outside any table.
	open []*openTable
	// content is what the next text is, after a tag whose content is not
	// markup: the title, or something hidden.
	content string
}

// openTable is an open table, with its current row and cell.
type openTable struct {
	hidden bool // it is inside a hidden cell
	inRow  bool
	inCell bool
	row    Row
	cell   openCell
}

// openCell is an open cell.
type openCell struct {
	hidden bool
	title  string
	span   int
	text   []byte
	gap    bool // white space came after the text
}

func (p *page) token(z *html.Tokenizer, kind html.TokenType) error {
	switch kind {
	case html.TextToken:
		return p.text(z)
	case html.StartTagToken, html.SelfClosingTagToken:
		name, more := z.TagName()
		p.content = hiddenContent(string(name))
		return p.start(z, string(name), more, kind == html.SelfClosingTagToken)
	case html.EndTagToken:
		name, _ := z.TagName()
		p.content = ""
		return p.end(string(name))
	default:
		return nil
	}
}

// hiddenContent reports which tags have content outside cells.
func hiddenContent(tag string) string {
	switch tag {
	case "title", "script", "style", "noscript", "iframe", "noembed", "noframes", "textarea":
		return tag
	}
	return ""
}

func (p *page) start(z *html.Tokenizer, tag string, attributes, closed bool) error {
	t := p.table()
	switch tag {
	case "table":
		if len(p.open) > maxNesting {
			return journal.Invalid("The document has tables nested more than %d deep.", maxNesting)
		}
		t.cell.gap = true
		p.open = append(p.open, &openTable{hidden: t.hidden || t.inCell && t.cell.hidden})
	case "tr":
		if err := p.endRow(t); err != nil {
			return err
		}
		p.startRow(t)
	case "td", "th":
		if err := p.endCell(t); err != nil {
			return err
		}
		if !t.inRow {
			p.startRow(t)
		}
		t.inCell = true
		t.cell = openCell{text: t.cell.text[:0]}
		if attributes {
			t.cell.read(z)
		}
		if closed {
			return p.endCell(t)
		}
	case "br", "p", "div", "li", "hr":
		t.cell.gap = true
	}
	return nil
}

func (p *page) end(tag string) error {
	t := p.table()
	switch tag {
	case "td", "th":
		return p.endCell(t)
	case "tr":
		return p.endRow(t)
	case "table":
		if err := p.endRow(t); err != nil {
			return err
		}
		if len(p.open) > 1 {
			p.open = p.open[:len(p.open)-1]
		}
	case "p", "div", "li":
		t.cell.gap = true
	}
	return nil
}

func (p *page) table() *openTable { return p.open[len(p.open)-1] }

func (p *page) startRow(t *openTable) {
	p.line++
	t.inRow = true
	t.row = Row{Line: p.line, Cells: t.row.Cells[:0]}
}

func (p *page) endRow(t *openTable) error {
	if err := p.endCell(t); err != nil || !t.inRow {
		return err
	}
	t.inRow = false
	if t.hidden {
		return nil
	}
	row, err := p.rows.add(t.row.Line, t.row.Cells)
	if row != nil {
		row.Titles, row.Spans = t.row.Titles, t.row.Spans
	}
	return err
}

// endCell adds the cell to its row, unless it is hidden: hidden cells are in some rows
// and not in others, so they would shift columns.
func (p *page) endCell(t *openTable) error {
	if !t.inCell {
		return nil
	}
	t.inCell = false
	if t.cell.hidden {
		return nil
	}
	text := trim(string(t.cell.text))
	index := len(t.row.Cells)
	if index >= p.rows.budget.limits.Columns {
		if text != "" {
			return p.rows.budget.tooWide(t.row.Line)
		}
		return nil
	}
	t.row.Cells = append(t.row.Cells, text)
	if t.cell.title != "" {
		if t.row.Titles == nil {
			t.row.Titles = map[int]string{}
		}
		t.row.Titles[index] = t.cell.title
	}
	if t.cell.span > 1 {
		if t.row.Spans == nil {
			t.row.Spans = map[int]int{}
		}
		t.row.Spans[index] = t.cell.span
	}
	return nil
}

// text adds a piece of text to the current cell.
func (p *page) text(z *html.Tokenizer) error {
	if p.content != "" {
		return p.readTitle(z)
	}
	t := p.table()
	if !t.inCell || t.cell.hidden {
		return nil
	}
	t.cell.write(z.Text())
	return p.rows.budget.checkCell(len(t.cell.text), t.row.Line)
}

// readTitle reads the document title, and nothing else, from text outside cells.
func (p *page) readTitle(z *html.Tokenizer) error {
	if p.content != "title" || p.file.Title != "" {
		return nil
	}
	var title openCell
	title.write(z.Text())
	p.file.Title = trim(string(title.text))
	return p.rows.budget.checkCell(len(title.text), 1)
}

// finish closes what is still open. Rows in a table inside a cell came before the row
// around them, which began earlier.
func (p *page) finish() error {
	for _, t := range slices.Backward(p.open) {
		if err := p.endRow(t); err != nil {
			return err
		}
	}
	rows := p.rows.rows
	slices.SortStableFunc(rows, func(a, b Row) int { return a.Line - b.Line })
	p.file.Tables = []Table{{Rows: rows}}
	return nil
}

// write adds text as a browser would show it: white space of any length is one blank, and
// none at the ends. A no-break space is text.
func (c *openCell) write(text []byte) {
	for _, b := range text {
		switch b {
		case ' ', '\t', '\n', '\r', '\f':
			c.gap = true
			continue
		}
		if c.gap && len(c.text) > 0 {
			c.text = append(c.text, ' ')
		}
		c.gap = false
		c.text = append(c.text, b)
	}
}

// read reads the cell attributes that determine how it is shown.
func (c *openCell) read(z *html.Tokenizer) {
	for {
		key, value, more := z.TagAttr()
		switch string(key) {
		case "class":
			c.hidden = c.hidden || strings.Contains(strings.ToLower(string(value)), "hidden")
		case "style":
			style := strings.Join(strings.Fields(strings.ToLower(string(value))), "")
			c.hidden = c.hidden || strings.Contains(style, "display:none")
		case "title":
			c.title = trim(string(value))
		case "colspan":
			const widest = 1000 // as browsers have it
			if span, err := strconv.Atoi(trim(string(value))); err == nil {
				c.span = min(span, widest)
			}
		}
		if !more {
			return
		}
	}
}
