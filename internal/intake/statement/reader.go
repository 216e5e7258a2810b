package statement

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/intake/parse"
	"fillbook/internal/intake/tabular"
)

// Hints are what the user states about a file.
type Hints struct {
	Zone string
	// DefaultZone is for times without a zone if Zone is empty and the preset has none;
	// UTC if empty. It is an assumption, so the statement warns about it.
	DefaultZone string
	Order       parse.DateOrder
	Mapping     map[Target]string
	FileName    string
	// Day is for times without one.
	Day journal.Day
	// Currency is the account's.
	Currency string
	// Kinds are the user's meanings for [UnknownKind] words, by their [WordKey]. [Kinds]
	// lists the choices.
	Kinds map[string]Kind
}

// Reader reads one table in a file for a preset.
type Reader struct {
	File   tabular.File
	Hints  Hints
	Preset *Preset
	Out    *Statement

	ctx context.Context // ends the reading when the caller has given up
	table
	amount   int // see findAmountColumn; -1 for none
	clocks   map[clockKey]*parse.Clock
	zone     string
	titles   []string            // see Titles
	day      journal.Day         // for times without one
	lots     map[string]int      // how often a round trip was met
	sides    map[string]sideWord // by cell text
	pool     *fillPool
	unpriced map[string]decimal.Decimal // costs other than money in rows read by names
	// instruments are those named by a layout.
	instruments map[instrumentKey]*Instrument
	// state is what rows read by layouts leave for the end of the file.
	state *layoutState
	// minHalves is minHalves, except in tests.
	minHalves int
}

// table is a table in a file, whose values are looked up by column.
type table struct {
	delimiter rune
	header    []string
	index     map[string]int // column by key; "price#2" is the second price
	// expressions are the names that were looked up in this table, and recent the last
	// ones, which are found faster.
	expressions map[Col]*expression
	recent      [32]struct {
		col        Col
		expression *expression
	}
	rows      []tabular.Row
	layout    *Layout        // by which the table is read, nil for a hook
	constants map[Col]Target // of a mapping
	columns   []*column      // by index; see columnState
	costs     *costColumns
	kinds     []int // see kindColumns; nil before the first call
	filled    []int // see filledColumn; nil before the first call
}

// column is what was decided over all values in a column.
type column struct {
	separator parse.Separator
	numbers   bool
	proof     parse.Separator // what the column proves by itself; see ownSeparator
	proved    bool
	order     parse.DateOrder
	dates     bool
	negative  bool
	signs     bool
	clock     *parse.Clock // for times in the file's zone or the column's
	zone      *headerZone
	cost      Target // see costTarget; empty before the first call
}

// headerZone is the zone in a column name.
type headerZone struct {
	name  string
	found bool
}

// Read reads a file by its detected preset.
func Read(file tabular.File, found Detection, hints Hints) (*Statement, error) {
	return ReadContext(context.Background(), file, found, hints)
}

// ReadContext is Read with a context: it stops with the context's error.
func ReadContext(ctx context.Context, file tabular.File, found Detection, hints Hints) (*Statement, error) {
	return read(ctx, file, found, hints, minHalves)
}

// read is ReadContext with the number of rows from which a table is read in two halves.
func read(ctx context.Context, file tabular.File, found Detection, hints Hints, minHalves int) (*Statement, error) {
	p := found.Preset
	out := &Statement{Broker: p.Broker, Layout: p.Key(), Format: p.Format, Source: p.Source}
	if out.Source == "" {
		out.Source = FromCSV
	}
	r := &Reader{
		ctx: ctx, File: file, Hints: hints, Preset: p, Out: out, lots: map[string]int{}, sides: map[string]sideWord{}, pool: &fillPool{},
		minHalves: minHalves,
	}
	if err := r.settleZone(); err != nil {
		return nil, err
	}
	if p.Refuse != "" {
		return nil, journal.InvalidField("file", "%s", p.Refuse)
	}
	if p.FindOrder != nil && hints.Order == parse.DateOrderUnknown {
		r.Hints.Order = p.FindOrder(file)
	}
	if found.Header >= 0 {
		r.open(file.Tables[found.Table], found.Header, len(file.Tables[found.Table].Rows))
		r.keepSamples()
	}
	if p.Whole != nil {
		if err := p.Whole(r); err != nil {
			return nil, err
		}
		return r.result()
	}
	if p.Layout != nil || len(p.Sections) > 0 {
		if err := r.readLayouts(); err != nil {
			return nil, err
		}
		return r.result()
	}
	if err := r.readMapped(); err != nil {
		return nil, err
	}
	return r.result()
}

// result returns the finished statement, unless the context ended meanwhile.
func (r *Reader) result() (*Statement, error) {
	if err := r.ctx.Err(); err != nil {
		return nil, err
	}
	return r.finish(), nil
}

// settleZone decides in which zone times without one are read: the user's, then
// the preset's, then the default with a warning.
func (r *Reader) settleZone() error {
	r.zone = cmp.Or(r.Hints.Zone, r.Preset.Zone, r.Hints.DefaultZone, "UTC")
	if _, err := parse.LoadZone(r.zone); err != nil {
		return journal.InvalidField("source_tz", "The time zone %q is not known. Use an IANA name such as America/New_York.", r.zone)
	}
	r.Out.Zone = r.zone
	return nil
}

// noteZone requests the zone, once, if a time has none and neither user nor
// preset names it.
func (r *Reader) noteZone(m parse.Moment, column int) {
	if m.Zone != "" || m.DateOnly || r.Out.zoneAsked || !r.ZoneIsGuessed() {
		return
	}
	if r.hasZoneInHeader(column) {
		return
	}
	r.Out.zoneAsked = true
	r.Out.AddWarning(Warning{
		Code:   ZoneUnknown,
		Text:   fmt.Sprintf("The times in column %q name no time zone and were read as %s.", r.nameOf(column, "time"), r.zone),
		Advice: "Say which it is with source_tz.",
	})
}

// ZoneIsGuessed reports whether neither user nor preset named a zone.
func (r *Reader) ZoneIsGuessed() bool { return r.Hints.Zone == "" && r.Preset.Zone == "" }

// open starts reading a table's rows after its header row.
func (r *Reader) open(from tabular.Table, header, end int) {
	r.table = table{
		delimiter: from.Delimiter, header: from.Rows[header].Cells, rows: from.Rows[header+1 : end], layout: r.layout,
		index: map[string]int{}, expressions: map[Col]*expression{},
	}
	r.clocks = map[clockKey]*parse.Clock{}
	seen := map[string]int{}
	for i, name := range r.header {
		key := HeaderKey(name)
		if key == "" {
			continue
		}
		seen[key]++
		if n := seen[key]; n > 1 {
			key += "#" + strconv.Itoa(n)
		}
		r.index[key] = i
	}
}

// samples is how many rows are shown to the user.
const samples = 20

func (r *Reader) keepSamples() {
	r.Out.Headers = columnNames(r.header)
	r.Out.Samples = nil
	for i := range min(samples, len(r.rows)) {
		r.Out.Samples = append(r.Out.Samples, r.rows[i].Cells)
	}
}

// Section returns a reader for a part of a table with its own header, for files with
// several tables one below the other. header and end are indexes into the table's rows;
// end is the first row after the part. It shares clocks and result with its parent
// reader.
func (r *Reader) Section(table tabular.Table, header, end int) *Reader {
	part := *r
	part.open(table, header, end)
	if len(r.Out.Headers) == 0 {
		part.keepSamples()
	}
	return &part
}

// AddNames makes columns available by other names too, for files in many languages; an
// empty name adds none. Messages keep the names in the file.
func (r *Reader) AddNames(names []string) {
	if slices.Equal(r.Out.Headers, columnNames(r.header)) {
		r.Out.otherNames = names
	}
	for i, name := range names {
		if name != "" {
			r.index[HeaderKey(name)] = i
		}
	}
}

// Titles returns the rows with a single cell above the table, for files naming their
// account or contract there. It is only known for [Preset.Sections].
func (r *Reader) Titles() []string { return r.titles }

// Has reports whether the table has a column with any of the names.
func (r *table) Has(names string) bool { return r.column(names) >= 0 }

// column finds the first column with any of the names, -1 for none.
func (r *table) column(names string) int {
	if list := r.columnsNamed(names); len(list) > 0 {
		return list[0]
	}
	return -1
}

// columnsNamed lists the columns with any of the names, in the order of the names.
func (r *table) columnsNamed(names Col) []int {
	e := r.parse(names)
	if e.terms == nil {
		return e.columns
	}
	var list []int
	for _, t := range e.terms {
		if t.isColumn() {
			list = append(list, t.column)
		}
	}
	return list
}

func isNumber(text string) bool {
	_, err := strconv.Atoi(text)
	return err == nil
}

// nameOf returns a column's name as the file writes it, or for a value outside the
// columns the first name in its expression.
func (r *table) nameOf(column int, names Col) string {
	if column >= 0 {
		return r.header[column]
	}
	return firstName(names)
}

// Header returns the column's name as the file writes it.
func (r *table) Header(names string) string {
	if i := r.column(names); i >= 0 {
		return r.header[i]
	}
	return ""
}

// checkEvery is how many rows are read between context checks.
const checkEvery = 16

// Rows iterates over the table's rows. Each is settled when the next begins: its records
// are kept unless it failed.
func (r *Reader) Rows() iter.Seq[*Row] {
	return func(yield func(*Row) bool) {
		for i, cells := range r.rows {
			if i%checkEvery == 0 && r.ctx.Err() != nil {
				return // ReadContext reports it
			}
			row := &Row{}
			row.reset(r, cells)
			more := yield(row)
			row.writeOutcome()
			if !more {
				return
			}
		}
	}
}

// EachRow hands every row to fn.
func (r *Reader) EachRow(fn func(*Row)) {
	for row := range r.Rows() {
		fn(row)
	}
}

// values iterates over all values in a column.
func (r *table) values(column int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range r.rows {
			if cells := r.rows[i].Cells; column < len(cells) && cells[column] != "" && !yield(cells[column]) {
				return
			}
		}
	}
}

// hasValue reports whether any value in a column meets a condition.
func (r *table) hasValue(column int, meets func(string) bool) bool {
	for v := range r.values(column) {
		if meets(v) {
			return true
		}
	}
	return false
}

func (r *table) columnState(i int) *column {
	if i >= len(r.columns) {
		r.columns = append(r.columns, make([]*column, i+1-len(r.columns))...)
	}
	c := r.columns[i]
	if c == nil {
		c = &column{}
		r.columns[i] = c
	}
	return c
}

// zoneInHeader is [parse.ZoneInHeader] for a column.
func (r *table) zoneInHeader(i int) (name string, found bool) {
	c := r.columnState(i)
	if c.zone == nil {
		c.zone = &headerZone{}
		c.zone.name, c.zone.found = parse.ZoneInHeader(r.header[i])
	}
	return c.zone.name, c.zone.found
}

// hasZoneInHeader reports whether a column's name, -1 for text, has a zone.
func (r *table) hasZoneInHeader(i int) bool {
	if i < 0 {
		return false
	}
	_, found := r.zoneInHeader(i)
	return found
}

// separator decides which sign marks decimals in a column: by its own values, or else by
// those in any other column.
func (r *table) separator(i int) parse.Separator {
	if i < 0 {
		return parse.Unsettled
	}
	c := r.columnState(i)
	if !c.numbers {
		c.numbers = true
		c.separator = parse.SettleSeparator(r.values(i))
		if c.separator == parse.Unsettled && r.hasValue(i, hasSeparator) {
			c.separator = r.separatorElsewhere(i)
		}
	}
	return c.separator
}

// ownSeparator returns the separator a column of numbers proves by itself. It is kept,
// because each column without proof needs it.
func (r *table) ownSeparator(i int) parse.Separator {
	c := r.columnState(i)
	if !c.proved {
		c.proved = true
		if values := r.values(i); looksNumeric(values) {
			c.proof = parse.SettleSeparator(values)
		}
	}
	return c.proof
}

func hasSeparator(value string) bool { return strings.ContainsAny(value, ",.") }

func (r *table) separatorElsewhere(not int) parse.Separator {
	for i := range r.header {
		if i == not {
			continue
		}
		if s := r.ownSeparator(i); s != parse.Unsettled {
			return s
		}
	}
	return parse.Unsettled
}

// looksNumeric reports whether most values in a column have a digit and no letters, so
// text cannot decide how numbers are read.
func looksNumeric(values iter.Seq[string]) bool {
	return isMost(values, func(v string) bool {
		_, err := parse.Number(v, parse.Unsettled)
		return err == nil
	})
}

// isMost reports whether most values meet a condition.
func isMost(values iter.Seq[string], meets func(string) bool) bool {
	n, all := 0, 0
	for v := range values {
		all++
		if meets(v) {
			n++
		}
	}
	return n*2 > all
}

// dateOrder decides the order of day and month in a column. Proof in the column wins over
// the preset, and the user's choice over both.
func (r *Reader) dateOrder(i int) parse.DateOrder {
	c := r.columnState(i)
	if c.dates {
		return c.order
	}
	c.dates = true
	settled := parse.SettleDateOrder(r.values(i))
	switch {
	case settled == parse.DateOrderUnknown:
		return c.order
	case r.Hints.Order != parse.DateOrderUnknown:
		c.order = r.Hints.Order
	case settled != parse.DateOrderAmbiguous:
		c.order = settled
	case r.Preset.Order != parse.DateOrderUnknown:
		c.order = r.Preset.Order
	case r.delimiter == ';':
		c.order = r.askOrder(i, parse.DayFirst)
	default:
		c.order = r.askOrder(i, parse.MonthFirst)
	}
	if r.Out.DateOrder != parse.DateOrderAmbiguous {
		r.Out.DateOrder = c.order
	}
	return c.order
}

// askOrder uses a likely order and asks the user to confirm it.
func (r *Reader) askOrder(i int, likely parse.DateOrder) parse.DateOrder {
	r.Out.DateOrder = parse.DateOrderAmbiguous
	words := "the month first"
	if likely == parse.DayFirst {
		words = "the day first"
	}
	r.Out.AddWarning(Warning{
		Code:   DateOrderUnknown,
		Text:   fmt.Sprintf("The dates in column %q can be read with the day or the month first; %s was taken.", r.header[i], words),
		Advice: "Say which is right with date_order.",
	})
	return likely
}

// clock returns a column's clock. It remembers the row before, which shows which hour is
// meant when clocks are put back. Without a zone it is the one in the column's name, or
// the file's.
func (r *Reader) clock(zone string, column int) (c *parse.Clock, err error) {
	if zone == "" && column >= 0 {
		own := r.columnState(column)
		if own.clock == nil {
			own.clock, err = r.newClock(zone, column)
		}
		return own.clock, err
	}
	key := clockKey{zone, column}
	if c := r.clocks[key]; c != nil {
		return c, nil
	}
	c, err = r.newClock(zone, column)
	if err == nil {
		r.clocks[key] = c
	}
	return c, err
}

func (r *Reader) newClock(zone string, column int) (*parse.Clock, error) {
	name, order := zone, r.Preset.Order
	if column >= 0 {
		order = r.dateOrder(column)
	}
	if name == "" {
		name = r.zoneOf(column)
	}
	z, err := parse.LoadZone(name)
	if err != nil {
		return nil, fmt.Errorf("the time zone %q is not known", name)
	}
	return parse.NewClock(z, order), nil
}

// clockKey is the column for a clock: -1 for text.
type clockKey struct {
	zone   string
	column int
}

// zoneOf returns a column's zone: one in its name beats the file's.
func (r *Reader) zoneOf(column int) string {
	if column >= 0 {
		if inHeader, ok := r.zoneInHeader(column); ok {
			r.Out.columnZone = inHeader
			return inHeader
		}
	}
	return r.zone
}

// costsBelowZero reports whether a column writes costs below zero.
func (r *Reader) costsBelowZero(i int) bool {
	switch r.Preset.Costs {
	case CostsPositive:
		return false
	case CostsNegative:
		return true
	case CostsByColumn:
	}
	c := r.columnState(i)
	if !c.signs {
		c.signs = true
		below, above := 0, 0
		for v := range r.values(i) {
			if n, err := parse.Number(v, r.separator(i)); err == nil {
				switch n.Sign() {
				case -1:
					below++
				case 1:
					above++
				}
			}
		}
		c.negative = below > above
	}
	return c.negative
}
