package tabular

import (
	"archive/zip"
	"encoding/xml"
	"errors"
	"path"
	"strconv"
	"strings"

	"fillbook/internal/base/journal"
)

// workbook contains the workbook parts used by its sheets.
type workbook struct {
	*archive
	encoding  string
	epoch1904 bool
	sheets    []sheetEntry
	targets   map[string]target // by relationship id
	shared    []string
	looks     []look // by cell style
}

// sheetEntry is a sheet as the workbook lists it.
type sheetEntry struct {
	name, relation string
}

// target is a part the workbook refers to.
type target struct {
	kind, part string
}

// readWorkbook reads all sheets in a workbook, hidden ones too, in its order.
func readWorkbook(a *archive) (File, error) {
	book := &workbook{archive: a, targets: map[string]target{}}
	for _, step := range []func() error{book.readSheetList, book.readRelations, book.readStrings, book.readStyles} {
		if err := step(); err != nil {
			return File{}, err
		}
	}
	file := File{Kind: XLSX, Encoding: book.encoding}
	done := map[*zip.File]bool{}
	for i, sheet := range book.sheets {
		entry := book.sheetPart(i, sheet)
		if entry == nil || done[entry] {
			continue
		}
		done[entry] = true
		rows, err := book.readSheet(entry)
		if err != nil {
			return File{}, err
		}
		if len(rows) > 0 {
			file.Tables = append(file.Tables, Table{Name: sheet.name, Rows: rows})
		}
	}
	if len(done) == 0 {
		return File{}, newDamagedError("workbook", errors.New("none of its sheets is there"))
	}
	return file, nil
}

// elements reads a part and calls visit for every start element.
func (book *workbook) elements(entry *zip.File, visit func(*walker, xml.StartElement) error) error {
	text, encoding, err := book.part(entry)
	if err != nil {
		return err
	}
	if book.encoding == "" {
		book.encoding = encoding
	}
	w := newWalker(text, book.budget)
	return w.each("workbook", func(token xml.Token) error {
		if start, ok := token.(xml.StartElement); ok {
			return visit(w, start)
		}
		return nil
	})
}

// attribute returns an attribute's value, whatever prefix its name has.
func attribute(start xml.StartElement, name string) string {
	for _, attr := range start.Attr {
		if attr.Name.Local == name {
			return attr.Value
		}
	}
	return ""
}

// isTrue reads an XML boolean.
func isTrue(value string) bool { return value == "1" || value == "true" }

// readSheetList reads the sheet names, and from when dates count.
func (book *workbook) readSheetList() error {
	entry := book.find("xl/workbook.xml")
	for _, other := range book.files {
		name := partName(other.Name)
		if entry == nil && strings.HasPrefix(name, "xl/workbook") && strings.HasSuffix(name, ".xml") {
			entry = other
		}
	}
	if entry == nil {
		if book.find("xl/workbook.bin") != nil {
			return journal.Invalid("This is a binary workbook (.xlsb); open it and save it as XLSX or CSV.")
		}
		return journal.Invalid("The file is an office document but not a workbook; export your trades as CSV, XLSX or HTML.")
	}
	return book.elements(entry, func(_ *walker, start xml.StartElement) error {
		switch start.Name.Local {
		case "workbookPr":
			book.epoch1904 = isTrue(attribute(start, "date1904"))
		case "sheet":
			if len(book.sheets) == maxEntries {
				return journal.Invalid("The workbook has more than %d sheets.", maxEntries)
			}
			book.sheets = append(book.sheets, sheetEntry{trim(attribute(start, "name")), attribute(start, "id")})
		}
		return nil
	})
}

// readRelations reads which part is which. A workbook without this list is read
// by the usual names.
func (book *workbook) readRelations() error {
	entry := book.find("xl/_rels/workbook.xml.rels")
	if entry == nil {
		return nil
	}
	return book.elements(entry, func(_ *walker, start xml.StartElement) error {
		if start.Name.Local != "Relationship" || len(book.targets) > maxEntries {
			return nil
		}
		part := strings.ReplaceAll(attribute(start, "Target"), `\`, "/")
		if !strings.HasPrefix(part, "/") {
			part = path.Join("xl", part)
		}
		book.targets[attribute(start, "Id")] = target{kind: path.Base(attribute(start, "Type")), part: part}
		return nil
	})
}

// sheetPart finds a sheet's part.
func (book *workbook) sheetPart(index int, sheet sheetEntry) *zip.File {
	if target, ok := book.targets[sheet.relation]; ok {
		return book.find(target.part)
	}
	return book.find("xl/worksheets/sheet" + strconv.Itoa(index+1) + ".xml")
}

// kindPart finds the only part with a kind.
func (book *workbook) kindPart(kind, usual string) *zip.File {
	for _, target := range book.targets {
		if target.kind == kind {
			if entry := book.find(target.part); entry != nil {
				return entry
			}
		}
	}
	return book.find(usual)
}
