package files

import (
	"bufio"
	"cmp"
	"context"
	"io"
	"slices"
)

// budget counts how much a file, or all files in an archive, have used of their limits.
// It also holds the last rows, for all series together.
type budget struct {
	ctx    context.Context // ends the work when the caller has given up
	limits Limits
	used   usage
	steps  int

	// pending are the rows not yet in a run, in file order.
	pending    []pendingBar
	maxPending int
	// collectors is how many collectors have had rows.
	collectors int
	builder    runBuilder
	store      blockStore
	// buffers are for a file and its unpacked content.
	buffers [2]*bufio.Reader
	lines   []byte
}

// usage is what was read so far.
type usage struct {
	bytes                int64
	rows, series, errors int
}

// pendingBar is a row not yet in a run.
type pendingBar struct {
	scaledBar
	of       *collector
	sequence int
}

const (
	// maxPending is how many rows, in all series, are held before they are encoded.
	maxPending = 1 << 17
	// maxSeries is the maximum number of series in a file or an archive. A day with all
	// American stocks has about 11,000.
	maxSeries = 20_000
	// maxMembers is the maximum number of bar files in an archive: one per day in 27
	// years.
	maxMembers = 10_000
	// maxErrors is how many errors are listed.
	maxErrors = 200
)

func newBudget(ctx context.Context, options Options) *budget {
	b := &budget{ctx: ctx, limits: options.Limits, maxPending: cmp.Or(options.maxPending, maxPending)}
	b.store = blockStore{open: options.Scratch, maxHeld: cmp.Or(options.maxHeld, maxHeld)}
	b.builder.store = &b.store
	return b
}

// step counts a small piece of work and checks from time to time whether the caller has
// given up.
func (b *budget) step() error {
	const often = 1024
	if b.steps++; b.steps%often != 0 {
		return nil
	}
	return b.ctx.Err()
}

// countRow counts a row before it is parsed, whether it can be read or not.
func (b *budget) countRow() error {
	if b.used.rows++; b.used.rows > b.limits.Bars {
		return LimitError{What: "bars", Limit: int64(b.limits.Bars)}
	}
	return b.step()
}

// countSeries counts a new series.
func (b *budget) countSeries() error {
	if b.used.series++; b.used.series > maxSeries {
		return LimitError{What: "series", Limit: maxSeries}
	}
	return nil
}

// buffer returns a buffered reader with the memory from the file before.
func (b *budget) buffer(i int, in io.Reader) *bufio.Reader {
	if b.buffers[i] == nil {
		b.buffers[i] = bufio.NewReaderSize(in, 64<<10)
	}
	b.buffers[i].Reset(in)
	return b.buffers[i]
}

// add holds a row until it is encoded with others.
func (b *budget) add(c *collector, bar scaledBar) {
	if c.number == 0 {
		b.collectors++
		c.number = b.collectors
	}
	if len(b.pending) == b.maxPending {
		b.flush()
	}
	b.pending = append(b.pending, pendingBar{scaledBar: bar, of: c, sequence: len(b.pending)})
}

// lastOf returns the last row if it belongs to the collector, or nil.
func (b *budget) lastOf(c *collector) *scaledBar {
	if n := len(b.pending); n > 0 && b.pending[n-1].of == c {
		return &b.pending[n-1].scaledBar
	}
	return nil
}

// flush makes a run from each collector's pending rows.
func (b *budget) flush() {
	if !slices.IsSortedFunc(b.pending, comparePending) {
		slices.SortFunc(b.pending, comparePending)
	}
	for rest := b.pending; len(rest) > 0; {
		c, n := rest[0].of, 0
		for ; n < len(rest) && rest[n].of == c; n++ {
			b.builder.add(c, rest[n].scaledBar)
		}
		c.addRun(b.builder.finish())
		rest = rest[n:]
	}
	b.discard()
}

// discard removes the rows from a file not read to its end.
func (b *budget) discard() {
	clear(b.pending)
	b.pending = b.pending[:0]
}

// release frees the memory needed only for reading.
func (b *budget) release() { b.pending, b.buffers, b.lines = nil, [2]*bufio.Reader{}, nil }

// comparePending orders rows by collector, time and place in the file.
func comparePending(a, b pendingBar) int {
	return cmp.Or(cmp.Compare(a.of.number, b.of.number), cmp.Compare(a.Time, b.Time), cmp.Compare(a.sequence, b.sequence))
}
