package statement

import (
	"cmp"
	"maps"
	"reflect"
	"slices"

	"fillbook/internal/base/parallel"
	"fillbook/internal/intake/parse"
	"fillbook/internal/intake/tabular"
)

const (
	// minHalves is the number of rows from which a table is read in two halves.
	minHalves = 2000
	// settledRows is how many rows are read before: they decide most questions about
	// columns, which then have one answer in both halves.
	settledRows = 16
	// checkedRows is how many rows a fork reads between two checks.
	checkedRows = 4096
)

// readHalves reads the table's rows by a mapping, many fills in two halves at the same
// time. The second half is read by a fork without the rows before it. If these could
// change its result, it is read again in order.
func (r *mappedReader) readHalves(l *Layout) error {
	lr, err := r.newLayoutReader(l)
	if err != nil {
		return err
	}
	if len(r.rows) < max(r.minHalves, settledRows) || r.Preset.Format != Executions {
		return lr.readRows(r.rows)
	}
	if err := lr.readRows(r.rows[:settledRows]); err != nil {
		return err
	}
	half := max(len(r.rows)/2, settledRows)
	fork, err := r.newFork()
	if err != nil {
		return err
	}
	isWhole := false
	parallel.Run(
		func() { err = lr.readRows(r.rows[settledRows:half]) },
		func() { isWhole = fork.readAll(r.rows[half:]) },
	)
	if err != nil {
		return err
	}
	if isWhole {
		r.Out.join(fork.r.Out)
		return nil
	}
	return lr.readRows(r.rows[half:])
}

// fork reads some rows without those before them.
type fork struct {
	*layoutReader
	// before is the statement when the fork began.
	before Statement
}

// newFork returns a fork with the reader's decisions so far. It shares nothing with the
// reader that either of them changes.
func (r *mappedReader) newFork() (*fork, error) {
	out := *r.Out
	out.Rows, out.Fills, out.Problems, out.reasons, out.warningList.kinds = 0, nil, nil, nil, nil
	out.Warnings, out.currencies = slices.Clone(out.Warnings), slices.Clone(out.currencies)
	f := &fork{before: out}
	own := *r.Reader
	own.Out, own.state, own.pool, own.unpriced = &out, nil, &fillPool{}, nil
	own.lots, own.sides, own.instruments = maps.Clone(r.lots), maps.Clone(r.sides), maps.Clone(r.instruments)
	own.expressions, own.clocks = maps.Clone(r.expressions), maps.Clone(r.clocks)
	for key, clock := range own.clocks {
		own.clocks[key] = clock.Fork()
	}
	own.columns = slices.Clone(r.columns)
	for i, c := range own.columns {
		if c == nil {
			continue
		}
		copied := *c
		if c.clock != nil {
			copied.clock = c.clock.Fork()
		}
		own.columns[i] = &copied
	}
	m := *r
	m.Reader = &own
	l := *r.layout
	l.readRow = m.rowReader()
	var err error
	f.layoutReader, err = own.newLayoutReader(&l)
	return f, err
}

// readAll reads rows, and reports whether they are all read and independent of earlier
// rows.
func (f *fork) readAll(rows []tabular.Row) bool {
	for part := range slices.Chunk(rows, checkedRows) {
		if f.readRows(part) != nil || !f.isIndependent() {
			return false
		}
	}
	return true
}

// isIndependent reports whether the fork found only fills, problems and skipped rows. What
// depends on earlier rows or is counted with them is not: other records, a warning, a
// decision, or a time that the clocks showed twice.
func (f *fork) isIndependent() bool {
	rest, before := *f.r.Out, f.before
	rest.Rows, rest.Fills, rest.Problems, rest.reasons, rest.currencies = 0, nil, nil, nil, before.currencies
	rest.unzonedTimes, rest.unzonedDays = before.unzonedTimes, before.unzonedDays
	rest.valueZone, rest.severalZones = before.valueZone, before.severalZones
	return f.r.unpriced == nil && !f.r.usedMemory() && reflect.DeepEqual(rest, before) && reflect.DeepEqual(f.r.state, newLayoutState())
}

// join adds what a fork read from later rows.
func (s *Statement) join(later *Statement) {
	for _, fill := range later.Fills {
		fill.Row += s.Rows
	}
	for _, p := range later.Problems {
		s.Problems = append(s.Problems, Problem{Row: s.Rows + p.Row, Message: p.Message})
	}
	for row, reason := range later.reasons {
		s.Skip(s.Rows+row, reason)
	}
	for _, currency := range later.currencies {
		s.NoteCurrency(currency)
	}
	s.Rows += later.Rows
	s.Fills = append(s.Fills, later.Fills...)
	s.zoneFacts.join(later.zoneFacts)
}

// join adds the facts from later rows.
func (s *zoneFacts) join(later zoneFacts) {
	s.unzonedTimes, s.unzonedDays = s.unzonedTimes || later.unzonedTimes, s.unzonedDays || later.unzonedDays
	s.severalZones = s.severalZones || later.severalZones || s.valueZone != "" && later.valueZone != "" && s.valueZone != later.valueZone
	s.valueZone = cmp.Or(later.valueZone, s.valueZone)
}

// usedMemory reports whether any clock read a time by the ones before it.
func (r *Reader) usedMemory() bool {
	for _, c := range r.columns {
		if c != nil && c.clock != nil && c.clock.UsedMemory() {
			return true
		}
	}
	return slices.ContainsFunc(slices.Collect(maps.Values(r.clocks)), (*parse.Clock).UsedMemory)
}
