package ibkr

import (
	"strings"

	"fillbook/internal/imports/statement"
	"fillbook/internal/imports/tabular"
)

// part is a section of a statement with one header: the first cell of its rows
// is its name, the second says Header, Data, SubTotal, Total or Notes. A section
// may come in several parts, as each asset category has columns of its own.
type part struct {
	name        string // in lower case
	table       tabular.Table
	header, end int
}

// listParts cuts a statement into its parts.
func listParts(file tabular.File) []part {
	var list []part
	for _, table := range file.Tables {
		open := -1 // index into list, -1 where no part is open
		for i, row := range table.Rows {
			if len(row.Cells) < 2 {
				continue
			}
			name := strings.ToLower(row.Cells[0])
			if open >= 0 && (row.Cells[1] == "Header" || list[open].name != name) {
				list[open].end, open = i, -1
			}
			if row.Cells[1] == "Header" {
				list = append(list, part{name: name, table: table, header: i, end: len(table.Rows)})
				open = len(list) - 1
			}
		}
	}
	return list
}

// rowKind is what the second cell of a row says.
func rowKind(w *statement.Row) string {
	if len(w.Cells) < 2 {
		return ""
	}
	return w.Cells[1]
}

// isStatement recognizes a statement by its first section.
func isStatement(file tabular.File) bool {
	for _, table := range file.Tables {
		for i := range min(len(table.Rows), 5) {
			cells := table.Rows[i].Cells
			if len(cells) >= 4 && cells[1] == "Header" && (cells[2] == "Field Name" || cells[2] == "Feldname" || cells[2] == "DataDiscriminator") {
				return true
			}
		}
	}
	return false
}

// hasSection reports whether a statement has a section of one of the names.
func hasSection(file tabular.File, names map[string]bool) bool {
	for _, p := range listParts(file) {
		if names[p.name] {
			return true
		}
	}
	return false
}

// rows visits the cells of the data rows by column name, for parts that hold
// facts about the file rather than something to import.
func (p part) rows(visit func(cell func(names string) string)) {
	keys := headerKeys(p.table.Rows[p.header].Cells)
	for _, row := range p.table.Rows[p.header+1 : p.end] {
		visit(func(names string) string {
			for name := range strings.SplitSeq(names, "|") {
				for i, key := range keys {
					if key == name && i < len(row.Cells) {
						return row.Cells[i]
					}
				}
			}
			return ""
		})
	}
}

// readAccount reads what a statement states about its account.
func readAccount(r *statement.Reader, list []part) {
	for _, p := range list {
		p.rows(func(cell func(string) string) {
			value := cell("field value|feldwert")
			switch cell("field name|feldname") {
			case "Account", "Konto", "AccountId":
				r.Out.Account.Name = value
			case "Base Currency", "Basiswährung":
				r.Out.Account.Currency = value
			}
		})
	}
}
