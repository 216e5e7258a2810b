package figures

import (
	"cmp"
	"slices"
	"sync"

	"fillbook/internal/analytics"
	"fillbook/internal/journal"
)

// held is what is kept of an account at one revision. It never changes.
type held struct {
	revision int64
	columns  *analytics.Columns
	cash     []analytics.CashEvent
	// realized has the realized parts of trades in place of the trades; it shares
	// the pages without any with columns. It is nil until it is first asked for.
	realized *analytics.Columns
}

// cashBytes is about what one cash event takes.
const cashBytes = 96

func (h *held) bytes() int {
	n := h.columns.Bytes() + cashBytes*len(h.cash)
	if h.realized != nil {
		n += h.realized.UnsharedBytes(h.columns)
	}
	return n
}

// canAnswer reports whether a question about a revision can be answered from it.
func (h *held) canAnswer(revision int64, realized bool) bool {
	return h != nil && h.revision >= revision && (!realized || h.realized != nil)
}

// place is where the columns of one account are kept.
type place struct {
	// loading lets one question read while others that want the same wait.
	loading sync.Mutex

	mu   sync.Mutex
	held *held
	used uint64 // when it was asked for last, in the cache's own count
}

// bring gives the columns at a revision or a later one, with realized parts if
// asked for, and reads what is missing. A question whose snapshot is older than
// what is kept gets the newer columns: nothing is ever older than what was asked
// for. Realized parts cannot be added to columns newer than the snapshot; such a
// question has everything read for itself.
func (p *place) bring(revision int64, realized bool, read func(old *held) (*held, error)) (*held, error) {
	if h := p.get(); h.canAnswer(revision, realized) {
		return h, nil
	}
	p.loading.Lock()
	defer p.loading.Unlock()
	old := p.get()
	if old.canAnswer(revision, realized) {
		return old, nil
	}
	if old != nil && old.revision > revision {
		return read(nil)
	}
	fresh, err := read(old)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	p.held = fresh
	p.mu.Unlock()
	return fresh, nil
}

func (p *place) get() *held {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.held
}

// cache finds the places of accounts and bounds what they hold.
type cache struct {
	limit  int
	mu     sync.Mutex
	places map[placeKey]*place
	clock  uint64
}

type placeKey struct {
	owner   journal.UserID
	account journal.AccountID
}

func newCache(limit int) *cache { return &cache{limit: limit, places: map[placeKey]*place{}} }

// account gives the place of an account and notes that it is wanted.
func (c *cache) account(owner journal.UserID, account journal.AccountID) *place {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := placeKey{owner, account}
	p := c.places[key]
	if p == nil {
		p = &place{}
		c.places[key] = p
	}
	c.clock++
	p.used = c.clock
	return p
}

// shrink forgets what was used least recently until the rest fits.
func (c *cache) shrink() {
	c.mu.Lock()
	defer c.mu.Unlock()
	type entry struct {
		key   placeKey
		used  uint64
		bytes int
	}
	var entries []entry
	total := 0
	for key, p := range c.places {
		if h := p.get(); h != nil {
			entries = append(entries, entry{key, p.used, h.bytes()})
			total += h.bytes()
		}
	}
	if total <= c.limit {
		return
	}
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.used, b.used) })
	for _, e := range entries {
		if total <= c.limit {
			return
		}
		delete(c.places, e.key)
		total -= e.bytes
	}
}
