package figures

import (
	"cmp"
	"slices"
	"sync"

	"fillbook/internal/analytics"
	"fillbook/internal/journal"
)

// accountData is what is kept of an account at one revision. It never changes.
type accountData struct {
	revision int64
	columns  *analytics.Columns
	cash     []analytics.CashEvent
	// realized has the realized parts of trades in place of the trades; it shares
	// the pages without any with columns. It is nil until it is first asked for.
	realized *analytics.Columns
}

// cashBytes is about what one cash event takes.
const cashBytes = 96

func (h *accountData) bytes() int {
	n := h.columns.Bytes() + cashBytes*len(h.cash)
	if h.realized != nil {
		n += h.realized.UnsharedBytes(h.columns)
	}
	return n
}

// canAnswer reports whether a question about a revision can be answered from it.
func (h *accountData) canAnswer(revision int64, realized bool) bool {
	return h != nil && h.revision >= revision && (!realized || h.realized != nil)
}

// cacheEntry is where the columns of one account are kept.
type cacheEntry struct {
	// loading lets one question read while others that want the same wait.
	loading sync.Mutex

	mu   sync.Mutex
	data *accountData
	used uint64 // when it was asked for last, in the cache's own count
}

// load gives the columns at a revision or a later one, with realized parts if
// asked for, and reads what is missing. A question whose snapshot is older than
// what is kept gets the newer columns: nothing is ever older than what was asked
// for. Realized parts cannot be added to columns newer than the snapshot; such a
// question has everything read for itself.
func (p *cacheEntry) load(revision int64, realized bool, read func(old *accountData) (*accountData, error)) (*accountData, error) {
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
	p.data = fresh
	p.mu.Unlock()
	return fresh, nil
}

func (p *cacheEntry) get() *accountData {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.data
}

// cache finds the places of accounts and bounds what they hold.
type cache struct {
	limit   int
	mu      sync.Mutex
	entries map[cacheKey]*cacheEntry
	clock   uint64
}

type cacheKey struct {
	owner   journal.UserID
	account journal.AccountID
}

func newCache(limit int) *cache { return &cache{limit: limit, entries: map[cacheKey]*cacheEntry{}} }

// entryFor gives the place of an entryFor and notes that it is wanted.
func (c *cache) entryFor(owner journal.UserID, account journal.AccountID) *cacheEntry {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := cacheKey{owner, account}
	p := c.entries[key]
	if p == nil {
		p = &cacheEntry{}
		c.entries[key] = p
	}
	c.clock++
	p.used = c.clock
	return p
}

// evict forgets what was used least recently until the rest fits.
func (c *cache) evict() {
	c.mu.Lock()
	defer c.mu.Unlock()
	type entry struct {
		key   cacheKey
		used  uint64
		bytes int
	}
	var entries []entry
	total := 0
	for key, p := range c.entries {
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
		delete(c.entries, e.key)
		total -= e.bytes
	}
}
