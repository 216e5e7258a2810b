package statement

import (
	"fillbook/internal/intake/parse"
	"fillbook/internal/intake/tabular"
)

// Section is a table inside a file, with its own header. It ends at the next section
// header, or at a row with one cell, which is a title.
type Section struct {
	// Title is the one-cell row above the header, as a pattern; "" for any.
	Title  string
	Header []Col
	Layout *Layout
}

// readLayouts reads the file by its preset's layout or sections.
func (r *Reader) readLayouts() error {
	r.state = newLayoutState()
	read := r.readSections
	if len(r.Preset.Sections) == 0 {
		read = func() error { return r.readLayout(r.Preset.Layout) }
	}
	if err := read(); err != nil {
		return err
	}
	r.finishLayouts()
	return nil
}

// readSections reads every section by its layout.
func (r *Reader) readSections() error {
	headers := make([]knownHeader, len(r.Preset.Sections))
	for i, s := range r.Preset.Sections {
		headers[i] = knownHeader{with: alternatives(s.Header)}
	}
	for _, table := range r.File.Tables {
		if err := r.readSectionsOf(table, headers); err != nil {
			return err
		}
	}
	return nil
}

// readSectionsOf reads the sections in one table.
func (r *Reader) readSectionsOf(table tabular.Table, headers []knownHeader) error {
	open, start := -1, 0
	title := ""
	r.titles = nil
	read := func(end int) error {
		if open < 0 {
			return nil
		}
		return r.Section(table, start, end).readLayout(r.Preset.Sections[open].Layout)
	}
	for i, row := range table.Rows {
		cell, alone := OnlyCell(row.Cells)
		found := -1
		if !alone {
			found = r.sectionAt(row.Cells, title, headers)
		}
		if found < 0 && !alone {
			continue
		}
		if err := read(i); err != nil {
			return err
		}
		open, start = found, i
		if alone {
			title = cell
			r.titles = append(r.titles, cell)
		}
	}
	return read(len(table.Rows))
}

// sectionAt returns the section whose header a row is, -1 for none. The one with
// most names wins.
func (r *Reader) sectionAt(cells []string, title string, headers []knownHeader) int {
	keys := headerKeys(cells)
	best, most := -1, 0
	for i, h := range headers {
		if s := r.Preset.Sections[i]; s.Title != "" && !matchesAny(s.Title, title) {
			continue
		}
		if n := h.fits(keys); n > most {
			best, most = i, n
		}
	}
	return best
}

// OnlyCell returns a title: the value in a row with only one.
func OnlyCell(cells []string) (text string, alone bool) {
	n := 0
	for _, cell := range cells {
		if !parse.Blank(cell) {
			n++
			text = cell
		}
	}
	return text, n == 1
}
