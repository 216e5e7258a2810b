package statement

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"fillbook/internal/intake/parse"
	"fillbook/internal/intake/tabular"
)

// Suggestion maps targets to their likely columns, by names for [Reader].
type Suggestion map[Target]string

// Locate finds the table and header row in a file without a preset: the row with most
// meaningful names. In a file without one it is the first row, so the user can map it.
func Locate(file tabular.File) (found Detection, ok bool) {
	most := 0
	for t, table := range file.Tables {
		for i := range min(len(table.Rows), headerSearch) {
			cells := table.Rows[i].Cells
			if i+1 == len(table.Rows) || countNames(cells) <= most {
				continue
			}
			if n := len(SuggestMapping(cells)); n > most {
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

// countNames counts the cells with a letter, without which no column name means anything.
// SuggestMapping cannot map more.
func countNames(cells []string) (n int) {
	for _, cell := range cells {
		if strings.ContainsFunc(cell, unicode.IsLetter) {
			n++
		}
	}
	return n
}

// Suggest names the columns recognized by SuggestColumns. rows are those below the
// header.
func Suggest(headers []string, rows []tabular.Row) Suggestion {
	names := columnNames(headers)
	suggestion := Suggestion{}
	for target, i := range SuggestColumns(headers, rows) {
		suggestion[target] = names[i]
	}
	return suggestion
}

// columnNames returns the name by which each column can be looked up: the
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

// Generic makes a preset for a file from an unknown broker. A complete mapping is used as
// it is, with side and status added if it leaves them out and a column holds words for
// them; an incomplete one is laid over the suggested columns.
func Generic(headers []string, rows []tabular.Row, chosen map[Target]string) *Preset {
	whole := asPreset(maps.Clone(mapping(chosen)))
	if len(chosen) > 0 && len(mapping(chosen).missing(whole.Format)) == 0 {
		whole.addByContent(headers, rows)
		return whole
	}
	columns := mapping(Suggest(headers, rows))
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

// Preset makes a preset for a file from an unknown broker, read by the suggested columns.
// It is what [Generic] makes without a user's choice.
func (s Suggestion) Preset() *Preset { return asPreset(maps.Clone(mapping(s))) }

// addByContent maps side and status if the mapping leaves them out and an unused column
// holds only words for them.
func (p *Preset) addByContent(headers []string, rows []tabular.Row) {
	names, counts := columnNames(headers), countWords(rows, len(headers))
	used := func(i int) bool {
		for _, name := range p.Columns {
			if HeaderKey(name) == HeaderKey(names[i]) {
				return true
			}
		}
		return false
	}
	suggested := suggestColumns(headers, rows, counts)
	if i, ok := suggested[TargetSide]; ok && p.Columns[TargetSide] == "" && !used(i) && counts[i].isSide(true) {
		p.Columns[TargetSide] = names[i]
	}
	if i, ok := suggested[TargetStatus]; ok && p.Columns[TargetStatus] == "" && !used(i) && counts[i].isStatus(true) {
		p.Columns[TargetStatus] = names[i]
	}
}

// asPreset decides by the mapped targets whether a row is a fill or a trade.
func asPreset(columns mapping) *Preset {
	p := &Preset{Format: Executions, Columns: columns}
	if columns["open_price"] != "" && (columns["close_price"] != "" || columns["pnl"] != "" || columns["net_pnl"] != "") {
		p.Format = JournalTrades
	}
	return p
}

// Mapped returns the preset for a known broker's file with columns chosen by the user;
// zone and other settings stay.
func (p *Preset) Mapped(headers []string, rows []tabular.Row, chosen map[Target]string) *Preset {
	generic := Generic(headers, rows, chosen)
	mapped := *p
	mapped.Columns, mapped.Format = generic.Columns, generic.Format
	mapped.Whole, mapped.Layout = nil, nil
	return &mapped
}

// SuggestFor names a table's columns: by the preset if there is one, by their names
// otherwise.
func SuggestFor(p *Preset, headers []string, rows []tabular.Row) Suggestion {
	var columns map[Target]string
	if p != nil {
		if columns = p.Columns; len(columns) == 0 && p.Layout != nil {
			columns = p.Layout.targets()
		}
	}
	if len(columns) == 0 {
		return Suggest(headers, rows)
	}
	names := columnNames(headers)
	suggestion := Suggestion{}
	for target, col := range columns {
		if i := findColumn(names, col); i >= 0 {
			suggestion[target] = names[i]
		}
	}
	return suggestion
}

// findColumn returns the first column an expression reads directly, -1 if none.
func findColumn(names []string, col Col) int {
	for _, alternative := range splitAlternatives(col) {
		begin, isBegin := strings.CutSuffix(alternative, "…")
		inner, isInner := strings.CutPrefix(begin, "…")
		key := HeaderKey(inner)
		i := slices.IndexFunc(names, func(name string) bool {
			name = HeaderKey(name)
			return key != "" && (name == key || isBegin && strings.HasPrefix(name, key) || isInner && strings.Contains(name, key))
		})
		if i >= 0 {
			return i
		}
	}
	return -1
}

// columns returns the layout fields a user can map a column to.
func (l *Layout) columns() map[Target]*Col {
	return map[Target]*Col{
		TargetSymbol: &l.Symbol, TargetSide: &l.Side, TargetQuantity: &l.Quantity, TargetPrice: &l.Price,
		TargetExecutedAt: &l.Time, TargetDate: &l.Date, TargetTime: &l.Clock, TargetFees: &l.Fees, TargetCommission: &l.Commission, TargetSwap: &l.Swap,
		TargetInstrumentType: &l.Type, TargetOptionRight: &l.Right, TargetStrike: &l.Strike, TargetExpiry: &l.Expiry,
		TargetOpenTime: &l.OpenTime, TargetOpenDate: &l.OpenDate, TargetOpenPrice: &l.OpenPrice,
		TargetCloseTime: &l.CloseTime, TargetCloseDate: &l.CloseDate, TargetClosePrice: &l.ClosePrice, TargetPnL: &l.Result, TargetNetPnL: &l.NetResult,
		TargetTags: &l.Tags, TargetSetup: &l.Setups, TargetNotes: &l.Notes, TargetInitialRisk: &l.Risk, TargetStopPrice: &l.Stop,
		TargetTargetPrice: &l.Target, TargetLastStop: &l.LastStop, TargetMAE: &l.MAE, TargetMFE: &l.MFE, TargetConfidence: &l.Confidence,
		TargetEmotionalState: &l.Emotion, TargetTradeQuality: &l.Quality, TargetReviewedAt: &l.Reviewed,
		TargetMultiplier: &l.Multiplier, TargetExternalID: &l.ID, TargetOrderID: &l.Order, TargetCurrency: &l.Currency, TargetAccount: &l.Account,
	}
}

// targets returns a layout's columns by mapping target.
func (l *Layout) targets() map[Target]string {
	targets := map[Target]string{}
	for target, col := range l.columns() {
		if *col != "" && target != TargetSwap { // presets count it among the fees
			targets[target] = *col
		}
	}
	if l.Side == "" && l.Kind != "" {
		targets[TargetSide] = l.Kind
	}
	return targets
}

// Sample returns a table's column names and its first rows.
func Sample(table tabular.Table, header int) (headers []string, rows [][]string) {
	for i := header + 1; i < min(header+1+samples, len(table.Rows)); i++ {
		rows = append(rows, table.Rows[i].Cells)
	}
	return columnNames(table.Rows[header].Cells), rows
}

// CountRows counts the rows below a header with more than a line of text, for a table
// whose columns must be named before it can be read.
func CountRows(table tabular.Table, header int) int {
	n := 0
	for _, row := range table.Rows[header+1:] {
		filled := 0
		for _, cell := range row.Cells {
			if !parse.Blank(cell) {
				filled++
			}
		}
		if filled > 1 {
			n++
		}
	}
	return n
}

// SuggestFromSamples names the columns in a file with a special reader, by the first
// table read.
func SuggestFromSamples(s *Statement) Suggestion {
	rows := make([]tabular.Row, len(s.Samples))
	for i, cells := range s.Samples {
		rows[i] = tabular.Row{Cells: cells}
	}
	names := slices.Clone(s.Headers)
	for i, name := range s.otherNames {
		if name != "" && i < len(names) {
			names[i] = name
		}
	}
	suggestion := Suggestion{}
	for target, i := range SuggestColumns(names, rows) {
		suggestion[target] = s.Headers[i]
	}
	return suggestion
}
