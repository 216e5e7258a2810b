package statement

import (
	"maps"
	"slices"
	"strings"

	"fillbook/internal/base/journal"
	"fillbook/internal/intake/parse"
)

// mapping assigns columns and constants to targets.
type mapping map[Target]string

// mappedReader reads a table by a mapping: the preset's columns, replaced by the user's
// choice. It builds the table's layout and reads its rows.
type mappedReader struct {
	*Reader
	mapping          mapping
	status           Col
	results          []Col         // what a fill made, by the file
	fees, commission []Col         // the columns whose sum is the cost
	feeCurrency      int           // the column for the fee coin; -1 for none
	priceCurrency    string        // in the price column's name; empty if a preset decides
	repeated         []int         // cost columns repeated in others
	plain            *plainColumns // nil if rows may have other values
}

// readMapped reads the file by a mapping.
func (r *Reader) readMapped() error {
	m, err := r.newMappedReader()
	if err != nil {
		return err
	}
	return m.readHalves(m.newLayout())
}

// newMappedReader returns the table's reader for a mapping.
func (r *Reader) newMappedReader() (*mappedReader, error) {
	m := &mappedReader{Reader: r, mapping: mapping{}, feeCurrency: -1}
	maps.Copy(m.mapping, r.Preset.Columns)
	maps.Copy(m.mapping, r.Hints.Mapping)
	if err := m.check(); err != nil {
		return nil, err
	}
	m.noteAccounts()
	r.amount = -1
	if r.Out.ByNames = r.isReadByNames(); r.Out.ByNames {
		m.checkColumns()
	}
	return m, nil
}

// check returns an error if the table cannot be read by the mapping.
func (r *mappedReader) check() error {
	if err := r.checkMapping(); err != nil {
		return err
	}
	if m := r.mapping; m[TargetExecutedAt] == "" && m[TargetDate] == "" && m[TargetTime] != "" { // a time of day is the whole instant
		m[TargetExecutedAt] = m[TargetTime]
		delete(m, TargetTime)
	}
	if err := r.requireDays(r.mapping.layout()); err != nil {
		return err
	}
	missing := r.mapping.missing(r.Preset.Format)
	if len(r.Hints.Mapping) == 0 && r.holdsNoFills(missing) {
		return journal.InvalidField("file", "The file has no columns with a quantity and a price, so it holds no fills. Export the list of trades, fills or orders instead.")
	}
	if r.needsSide() {
		missing = append(missing, string(TargetSide))
	}
	if len(missing) > 0 {
		return MappingRequired(missing)
	}
	return nil
}

// newLayout returns the layout for the mapping.
func (r *mappedReader) newLayout() *Layout {
	l := r.mapping.layout()
	r.constants = map[Col]Target{}
	for _, target := range slices.Sorted(maps.Keys(r.mapping)) {
		if col := r.mapping[target]; isConstant(col) {
			r.constants[col] = target
		}
	}
	for _, col := range []Col{l.Result, l.NetResult} {
		if col != "" && !isConstant(col) {
			r.results = append(r.results, col)
		}
	}
	r.status = r.mapping[TargetStatus]
	if i := r.column(l.Price); i >= 0 && r.Out.ByNames && !isConstant(l.Price) {
		r.priceCurrency = knownCurrencyIn(r.header[i])
	}
	r.fees, r.commission = r.costNames(l.Fees), r.costNames(l.Commission)
	r.plain = r.findPlainColumns(l)
	l.readRow = r.rowReader()
	return l
}

// rowReader returns the method that reads a row.
func (r *mappedReader) rowReader() func(*Row) {
	if r.Preset.Format == JournalTrades {
		return r.readRoundTrip
	}
	return r.readExecution
}

// layout returns a layout with the mapped columns.
func (m mapping) layout() *Layout {
	l := &Layout{}
	columns := l.columns()
	for target, col := range m {
		if into := columns[target]; into != nil {
			*into = col
		}
	}
	return l
}

// isConstant reports whether an expression is a constant.
func isConstant(col Col) bool { return strings.HasPrefix(col, "=") }

// checkColumns looks for what the mapping leaves out in a file without a preset: costs,
// the amount proving the figures, and other money. It runs for the user's mapping too.
func (r *mappedReader) checkColumns() {
	r.addCostColumns()
	r.feeCurrency = slices.IndexFunc(r.header, func(header string) bool { return feeCurrencyNames[lettersOf(header)] })
	if r.Preset.Format == Executions {
		r.amount = r.findAmountColumn()
	}
	r.listUnusedMoney()
}

// isReadByNames reports whether no preset decides what the columns are: the file has
// none, or the user chose other columns.
func (r *Reader) isReadByNames() bool { return r.Preset.Broker == "" || len(r.Hints.Mapping) > 0 }

// needsSide reports whether nothing says which rows bought and which sold: no
// column or constant for the side, and no quantity below zero. A known broker's
// own columns are trusted.
func (r *mappedReader) needsSide() bool {
	m := r.mapping
	if m[TargetSide] != "" || m[TargetQuantity] == "" || !r.isReadByNames() {
		return false
	}
	i := r.column(m[TargetQuantity])
	return i < 0 || !r.hasValue(i, func(v string) bool {
		n, err := parse.Number(v, r.separator(i))
		return err == nil && n.Sign() < 0
	})
}

// noteAccounts notes every row's account.
func (r *mappedReader) noteAccounts() {
	i := r.column(r.mapping[TargetAccount])
	if i < 0 {
		return
	}
	for v := range r.values(i) {
		if !parse.Blank(v) {
			r.Out.NoteAccount(v)
		}
	}
}

// checkMapping checks the existence of mapped columns.
func (r *mappedReader) checkMapping() error {
	for target, name := range r.Hints.Mapping {
		if !slices.Contains(Targets(), target) {
			return journal.InvalidField("column_mapping", "%q is not something that a column can be.", string(target))
		}
		if name == "" {
			delete(r.mapping, target)
			continue
		}
		if !strings.HasPrefix(name, "=") && !r.Has(name) {
			return journal.InvalidField("column_mapping", "The file has no column %q.", name)
		}
	}
	return nil
}

// holdsNoFills reports whether a file cannot have fills: neither quantity nor price
// was found, and it has not two columns with numbers.
func (r *mappedReader) holdsNoFills(missing []string) bool {
	if !slices.Contains(missing, "quantity") || !slices.Contains(missing, "price") && !slices.Contains(missing, "open_price") {
		return false
	}
	numbers := 0
	for i := range r.header {
		if looksNumeric(r.filledValues(i)) {
			numbers++
		}
	}
	const fewest = 2
	return numbers < fewest
}

// mappingRequired is the error code for a file in need of a mapping.
const mappingRequired = "mapping_required"

// MappingRequired returns the error for a file whose columns are not known.
func MappingRequired(missing []string) error {
	return &journal.Error{
		Kind: journal.KindInvalid, Code: mappingRequired,
		Message: "Choose the columns for: " + strings.Join(missing, ", ") + ".",
		Details: map[string]any{"missing": missing},
	}
}

// missing lists required targets without a column.
func (m mapping) missing(format Format) []string {
	var list []string
	need := func(name string, oneOf ...Target) {
		for _, t := range oneOf {
			if m[t] != "" {
				return
			}
		}
		list = append(list, name)
	}
	need("symbol", "symbol")
	need("quantity", "quantity")
	if format == JournalTrades {
		need("open_time", "open_time", "open_date", "close_time", "close_date", "executed_at", "date")
		need("open_price", "open_price")
		need("close_price", "close_price", "pnl", "net_pnl")
		return list
	}
	need("price", "price")
	need("executed_at", "executed_at", "date")
	return list
}
