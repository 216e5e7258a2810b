package ibkr

import (
	"iter"
	"slices"
	"strings"

	"fillbook/internal/intake/statement"
	"fillbook/internal/intake/tabular"
)

// part is a statement section with one header: the first cell in its rows is its name,
// the second says Header, Data, SubTotal, Total or Notes. A section may come in several
// parts, as each asset category has its own columns.
type part struct {
	kind        partKind
	name        string // in English and lower case; as the file writes it if it is not known
	table       tabular.Table
	header, end int
	columns     []string // in English, empty for unknown ones
}

// partKind is what a part's rows are.
type partKind string

const (
	factPart       partKind = "facts"
	tradePart      partKind = "trades"
	cashPart       partKind = "cash"
	instrumentPart partKind = "instruments"
	ratePart       partKind = "rates"
	leftOutPart    partKind = "left out"
	otherPart      partKind = ""
)

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
	for i := range list {
		list[i].recognize()
	}
	return list
}

// recognize finds out what a part is and what its columns are, by their words or else by
// their shape.
func (p *part) recognize() {
	header := p.table.Rows[p.header].Cells
	p.columns = make([]string, len(header))
	if name := sectionWords.find(p.name); name != "" {
		p.name = name
	}
	switch {
	case p.name == positionSectionName:
	case p.name == actionSectionName, p.name == transferSectionName:
		p.kind = leftOutPart
		p.translate(cashColumnWords)
	case p.name == tradeSectionName, p.isTradeShape():
		p.kind = tradePart
		p.translate(tradeColumnWords)
		p.nameCommission()
		p.nameTradeColumns()
	case p.name == instrumentSectionName, p.findConid() > 2:
		p.kind = instrumentPart
		p.nameInstrumentColumns()
	case p.name == rateSectionName, p.isRateShape():
		p.kind = ratePart
		p.columns[2] = "Currency"
		p.setName(3, "Exchange Rate")
	case p.isPairShape():
		p.kind = factPart
		p.columns[2] = "Field Name"
		p.setName(3, "Field Value")
	default:
		p.recognizeCash()
	}
}

// recognizeCash finds out whether a part has cash.
func (p *part) recognizeCash() {
	if p.nameCashColumns() || isCash(p.name) {
		p.kind = cashPart
		p.translate(cashColumnWords)
	}
}

// translate names the columns whose words are known.
func (p *part) translate(words wordTable) {
	for i, cell := range p.table.Rows[p.header].Cells {
		if i >= 2 {
			p.setName(i, words.find(cell))
		}
	}
}

// nameCommission names the commission column.
func (p *part) nameCommission() {
	i := slices.IndexFunc(p.table.Rows[p.header].Cells, func(cell string) bool {
		cell = strings.ToLower(cell)
		return slices.ContainsFunc(commissionStarts, func(start string) bool { return strings.HasPrefix(cell, start) })
	})
	p.setName(i, "Comm/Fee")
}

// open returns a reader for the part, whose columns have their English names too.
func (p *part) open(r *statement.Reader) *statement.Reader {
	section := r.Section(p.table, p.header, p.end)
	section.AddNames(p.columns)
	return section
}

// rowKind returns a row's second cell.
func rowKind(w *statement.Row) string {
	if len(w.Cells) < 2 {
		return ""
	}
	return w.Cells[1]
}

// isStatement recognizes a statement by its first section, whose name and first field are
// not translated.
func isStatement(file tabular.File) bool {
	for _, table := range file.Tables {
		for i := range min(len(table.Rows), 5) {
			cells := table.Rows[i].Cells
			switch {
			case len(cells) < 4:
			case cells[1] == "Header" && (cells[0] == "Statement" || cells[2] == "Field Name" || cells[2] == "DataDiscriminator"):
				return true
			case cells[1] == "Data" && cells[2] == "BrokerName":
				return true
			}
		}
	}
	return false
}

// facts iterates over the rows with facts about the file. They are neither data rows nor
// samples.
func (p *part) facts(r *statement.Reader) iter.Seq[*statement.Row] {
	return func(yield func(*statement.Row) bool) {
		headers, samples := r.Out.Headers, r.Out.Samples
		for w := range p.open(r).Rows() {
			more := yield(w)
			w.Drop()
			if !more {
				break
			}
		}
		r.Out.Headers, r.Out.Samples = headers, samples
	}
}

// readAccount reads what a statement states about its account. Fields with unknown names
// are recognized by their values: an account number, and a currency.
func readAccount(r *statement.Reader, list []part) {
	account := &r.Out.Account
	for i, p := range list {
		if p.kind != factPart {
			continue
		}
		for w := range list[i].facts(r) {
			value := w.Text("Field Value")
			switch field := factWords.find(w.Text("Field Name")); {
			case field == "Account":
				account.Name = value
			case field == "Base Currency":
				account.Currency = value
			case p.name == "statement":
			case account.Name == "" && accountCell().MatchString(value):
				account.Name = value
			case account.Currency == "" && currencyCell().MatchString(value):
				account.Currency = value
			}
		}
	}
}
