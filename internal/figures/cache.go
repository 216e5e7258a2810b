package figures

import (
	"sync"

	"fillbook/internal/analytics"
	"fillbook/internal/journal"
)

// accountData is the data of an account at one revision. It never changes.
type accountData struct {
	revision int64
	columns  *analytics.Columns
	cash     []analytics.CashEvent
	// realized has the realized parts of trades in place of the trades; it shares
	// the pages without parts with columns. It is nil until its first use.
	realized *analytics.Columns
}

// cashBytes is the approximate size of one cash event.
const cashBytes = 96

// bytes returns the size of the data, and 0 for nil.
func (h *accountData) bytes() int {
	if h == nil {
		return 0
	}
	n := h.columns.Bytes() + cashBytes*len(h.cash)
	if h.realized != nil {
		n += h.realized.UnsharedBytes(h.columns)
	}
	return n
}

// canAnswer reports whether a query for a revision can be answered from the data.
func (h *accountData) canAnswer(revision int64, realized bool) bool {
	return h != nil && h.revision >= revision && (!realized || h.realized != nil)
}

// cacheKey identifies an account.
type cacheKey struct {
	owner   journal.UserID
	account journal.AccountID
}

// cacheEntry is the cached data of one account.
type cacheEntry struct {
	// loading is held while one query reads; others that need the same data wait.
	loading sync.Mutex

	mu   sync.Mutex
	data *accountData
}

func newCacheEntry() *cacheEntry { return &cacheEntry{} }

// load returns the data at a revision or a later one, with realized parts if
// requested, and reads what is missing. A query whose snapshot is older than the
// cached data gets the newer data: the result is never older than the requested
// revision. Realized parts cannot be added to data that is newer than the
// snapshot; such a query reads everything itself and does not cache it.
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

// get returns the cached data, nil before the first load.
func (p *cacheEntry) get() *accountData {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.data
}
