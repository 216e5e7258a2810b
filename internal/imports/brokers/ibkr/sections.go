package ibkr

import (
	"iter"
	"slices"
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

// facts goes through the rows of a part with facts about the file. They are not
// data rows, and not samples of the file.
func (p part) facts(r *statement.Reader) iter.Seq[*statement.Row] {
	return func(yield func(*statement.Row) bool) {
		headers, samples := r.Out.Headers, r.Out.Samples
		for w := range r.Section(p.table, p.header, p.end).Rows() {
			more := yield(w)
			w.Drop()
			if !more {
				break
			}
		}
		r.Out.Headers, r.Out.Samples = headers, samples
	}
}

// readAccount reads what a statement states about its account.
func readAccount(r *statement.Reader, list []part) {
	for _, p := range list {
		if !slices.ContainsFunc(p.table.Rows[p.header].Cells, func(cell string) bool { return cell == "Field Name" || cell == "Feldname" }) {
			continue
		}
		for w := range p.facts(r) {
			value := w.Text("Field Value|Feldwert")
			switch w.Text("Field Name|Feldname") {
			case "Account", "Konto", "AccountId":
				r.Out.Account.Name = value
			case "Base Currency", "Basiswährung":
				r.Out.Account.Currency = value
			}
		}
	}
}
