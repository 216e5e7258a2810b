package excursions

import (
	"context"
	"errors"
	"slices"
	"sync"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/parallel"
	"fillbook/internal/trading/ledger"
)

const (
	// sliceFills is how many fills are read while those before are measured.
	sliceFills = 50_000
	// maxKept is how many instrument histories each worker keeps. With more, all
	// histories are made again for each slice, and the slices are longer.
	maxKept = 64
	// positionsAtOnce is how many positions in one instrument are measured together.
	positionsAtOnce = 10_000
)

// computeAll computes all results in short transactions: two workers measure positions
// while the next are read. [refresh.save] computes again what changes in between. Results
// not worth keeping are left out.
func (s *Service) computeAll(ctx context.Context, r *refresh) error {
	c := &computation{service: s, ctx: ctx, refresh: r, workers: map[int]int{}}
	c.changed.L = &c.mu
	var readErr error
	var errs [2]error
	var results [2][]encodedResult
	work := func(n int) func() { return func() { results[n], errs[n] = c.work(n) } }
	parallel.Run(func() { readErr = c.read() }, func() { parallel.Run(work(0), work(1)) })
	if err := errors.Join(readErr, errs[0], errs[1]); err != nil {
		return err
	}
	r.all = slices.Concat(results[:]...)
	return nil
}

// computation is the positions read but not yet measured.
type computation struct {
	service *Service
	ctx     context.Context
	refresh *refresh

	mu sync.Mutex
	// changed is signaled when parts are added or taken, and at the end.
	changed sync.Cond
	parts   []ledger.InstrumentPositions
	// workers are those that measured an instrument last, by its number: they have its
	// history.
	workers map[int]int
	isEnded bool
}

// read reads the account's positions.
func (c *computation) read() error {
	defer c.end()
	r := c.refresh
	scan := ledger.NewPositionScan(r.owner, r.account, r.hasSeries)
	fills := c.service.sliceFills
	for more := true; more; {
		var batch []ledger.InstrumentPositions
		err := c.service.db.View(c.ctx, func(tx *db.Tx) (err error) {
			batch, more, err = scan.Read(c.ctx, tx, fills)
			return err
		})
		if err != nil {
			return err
		}
		if len(batch) > maxKept {
			fills = fillsAtOnce
		}
		if !c.put(batch) {
			return nil
		}
	}
	return nil
}

// put adds positions, in parts of limited length, after most earlier positions were
// taken. It returns false if a worker failed.
func (c *computation) put(batch []ledger.InstrumentPositions) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.parts) > len(batch)/2 && !c.isEnded {
		c.changed.Wait()
	}
	if c.isEnded {
		return false
	}
	for _, list := range batch {
		for part := range slices.Chunk(list.Positions, positionsAtOnce) {
			c.parts = append(c.parts, ledger.InstrumentPositions{Instrument: list.Instrument, Number: list.Number, Positions: part})
		}
	}
	c.changed.Broadcast()
	return true
}

// end stops reading; positions already read are still measured.
func (c *computation) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.isEnded = true
	c.changed.Broadcast()
}

// take returns a part to measure: for an instrument the worker measured before, or no
// worker did, or else any. With wait it waits for one. It returns false if none.
func (c *computation) take(worker int, wait bool) (part ledger.InstrumentPositions, found bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.parts) == 0 {
		if c.isEnded || !wait {
			return part, false
		}
		c.changed.Wait()
	}
	i := slices.IndexFunc(c.parts, func(p ledger.InstrumentPositions) bool {
		last, known := c.workers[p.Number]
		return !known || last == worker
	})
	i = max(i, 0)
	part = c.parts[i]
	c.parts = slices.Delete(c.parts, i, i+1)
	c.workers[part.Number] = worker
	c.changed.Broadcast()
	return part, true
}

// work measures positions until there are no more.
func (c *computation) work(worker int) (results []encodedResult, err error) {
	defer c.end() // so reading ends if this fails
	groups := map[int]*group{}
	var m *meter
	var memory resultMemory
	measure := func(tx *db.Tx, part ledger.InstrumentPositions) error {
		if m == nil {
			if m, err = newMeter(c.ctx, tx, c.refresh.owner); err != nil {
				return err
			}
		}
		m.tx = tx
		g := groups[part.Number]
		if g == nil {
			if len(groups) == maxKept {
				clear(groups)
			}
			g = m.newGroup(part.Instrument)
			groups[part.Number] = g
		}
		return g.measureAll(part, func(id journal.TradeID, result *Result) {
			if result.isKept() {
				results = append(results, newEncodedResult(id, memory.add(result)))
			}
		})
	}
	for part, found := c.take(worker, true); found; part, found = c.take(worker, true) {
		err := c.service.db.View(c.ctx, func(tx *db.Tx) error {
			measured := 0
			for more := true; more; part, more = c.take(worker, false) {
				if err := measure(tx, part); err != nil {
					return err
				}
				if measured += len(part.Positions); measured > fillsAtOnce {
					break
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return results, nil
}

// resultMemory holds encoded results, many in one allocation.
type resultMemory struct{ last []byte }

// add encodes a result.
func (m *resultMemory) add(r *Result) []byte {
	const atOnce, usual = 64 << 10, 256
	if cap(m.last)-len(m.last) < usual {
		m.last = make([]byte, 0, atOnce)
	}
	first := len(m.last)
	m.last = r.appendTo(m.last)
	return m.last[first:len(m.last):len(m.last)]
}
