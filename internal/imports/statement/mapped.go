package statement

import (
	"slices"
	"strconv"
	"strings"

	"fillbook/internal/imports/tabular"
)

// Suggestion says for some targets which column is likely to hold them, by the
// names that [Reader] takes.
type Suggestion map[Target]string

// Locate finds the table and header row of a file that no preset fits: the row
// with most names that mean something. A file without one has no header that
// anybody could read; its first row is taken, so that the user can map it.
func Locate(file tabular.File) (found Detection, ok bool) {
	most := 0
	for t, table := range file.Tables {
		for i := range min(len(table.Rows), headerSearch) {
			n := len(SuggestMapping(table.Rows[i].Cells))
			if n > most && i+1 < len(table.Rows) {
				most, ok = n, true
				found = Detection{Table: t, Header: i}
			}
		}
	}
	if !ok {
		for t, table := range file.Tables {
			if len(table.Rows) > 1 {
				return Detection{Table: t}, true
			}
		}
	}
	return found, ok
}

// Suggest names the columns of a table that SuggestMapping recognises.
func Suggest(headers []string) Suggestion {
	names := columnNames(headers)
	suggestion := Suggestion{}
	for target, i := range SuggestMapping(headers) {
		suggestion[target] = names[i]
	}
	return suggestion
}

// columnNames gives each column the name by which it can be asked for: the
// second "Price" is "Price#2".
func columnNames(headers []string) []string {
	seen := map[string]int{}
	names := make([]string, len(headers))
	for i, h := range headers {
		names[i] = h
		key := HeaderKey(h)
		seen[key]++
		if n := seen[key]; n > 1 {
			names[i] = h + "#" + strconv.Itoa(n)
		}
	}
	return names
}

// Generic makes a preset for a file that no broker is known by. A mapping that
// says everything that is needed is taken as it is; one that says only some of
// it is laid over what the column names suggest.
func Generic(headers []string, chosen map[Target]string) *Preset {
	if p := asPreset(mapping(chosen)); len(chosen) > 0 && len(mapping(chosen).missing(p.Format)) == 0 {
		return p
	}
	columns := mapping(Suggest(headers))
	for target, name := range chosen {
		for other, column := range columns {
			if HeaderKey(column) == HeaderKey(name) {
				delete(columns, other)
			}
		}
		columns[target] = name
	}
	return asPreset(columns)
}

// asPreset tells from what is mapped whether a row is a fill or a trade.
func asPreset(columns mapping) *Preset {
	p := &Preset{Format: Executions, Columns: columns}
	if columns["open_price"] != "" && (columns["close_price"] != "" || columns["pnl"] != "" || columns["net_pnl"] != "") {
		p.Format = JournalTrades
	}
	return p
}

// Mapped gives the preset of a broker whose file the user reads differently:
// its columns are what the user says, its zone and habits stay.
func (p *Preset) Mapped(headers []string, chosen map[Target]string) *Preset {
	generic := Generic(headers, chosen)
	mapped := *p
	mapped.Columns, mapped.Format = generic.Columns, generic.Format
	mapped.Each, mapped.Done, mapped.Whole, mapped.Keep = nil, nil, nil, nil
	return &mapped
}

// SuggestFor names the columns of a table: by the preset where there is one,
// by their names otherwise.
func SuggestFor(p *Preset, headers []string) Suggestion {
	if p == nil || len(p.Columns) == 0 {
		return Suggest(headers)
	}
	names := columnNames(headers)
	suggestion := Suggestion{}
	for target, alternatives := range p.Columns {
		for alternative := range strings.SplitSeq(alternatives, "|") {
			i := slices.IndexFunc(names, func(n string) bool { return HeaderKey(n) == HeaderKey(alternative) })
			if i >= 0 {
				suggestion[target] = names[i]
				break
			}
		}
	}
	return suggestion
}

// Sample gives the column names of a table and its first rows.
func Sample(table tabular.Table, header int) (headers []string, rows [][]string) {
	for i := header + 1; i < min(header+1+samples, len(table.Rows)); i++ {
		rows = append(rows, table.Rows[i].Cells)
	}
	return columnNames(table.Rows[header].Cells), rows
}
