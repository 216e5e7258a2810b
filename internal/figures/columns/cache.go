package columns

import (
	"cmp"
	"slices"
	"sync"

	"fillbook/internal/base/journal"
	"fillbook/internal/figures/analytics"
	"fillbook/internal/trading/playbook"
)

// accountData is an account's data at one revision. It never changes.
type accountData struct {
	revision int64
	columns  *analytics.Columns // closed trades
	open     *analytics.Columns // open trades, used by lists only
	cash     []analytics.CashEvent
	// realized has realized parts in place of their trades; it shares the pages without
	// parts with columns. It is nil until its first use.
	realized *analytics.Columns
	// texts are the words in texts about the trades. It is nil until its first use.
	texts *playbook.TradeTexts
	// rules are the rule states on the trades. It is nil until its first use.
	rules *playbook.TradeRules
	// begun are the trades whose first fill is a position held before, and entries those of
	// trades with several. They are nil until their first use.
	begun   []journal.TradeID
	entries *tradeEntries
	// unstored counts the updates since the columns were stored.
	unstored int
}

const (
	// cashBytes is a cash event's approximate size.
	cashBytes = 96
	// entryBytes is the approximate size of an account without trades.
	entryBytes = 1 << 10
)

// bytes returns the data's size without anything shared with other, which may be nil.
func (h *accountData) bytes(other *accountData) int {
	n := cashBytes * len(h.cash)
	if other == nil {
		n += h.columns.Bytes() + h.open.Bytes()
	} else {
		n += h.columns.UnsharedBytes(other.columns) + h.open.UnsharedBytes(other.open)
	}
	if h.realized != nil {
		n += h.realized.UnsharedBytes(h.columns)
	}
	if other == nil {
		other = &accountData{}
	}
	if h.texts != nil {
		n += h.texts.UnsharedBytes(other.texts)
	}
	if h.rules != nil {
		n += h.rules.UnsharedBytes(other.rules)
	}
	if h.entries != nil && h.entries != other.entries {
		n += h.entries.unsharedBytes(other.entries)
	}
	return n
}

// cacheKey identifies an account.
type cacheKey struct {
	owner   journal.UserID
	account journal.AccountID
}

// keptVersions is the number of cached revisions per account.
const keptVersions = 4

// cacheEntry is an account's cached data: the revisions used last, which share most
// pages. A query begun before a write finds its snapshot's revision here.
type cacheEntry struct {
	// loading is held while one query reads; others needing the same data wait.
	loading sync.Mutex

	mu       sync.Mutex
	versions []*accountData // the most recently used first
}

func newCacheEntry() *cacheEntry { return &cacheEntry{} }

// extras are the account data not every query needs.
type extras struct{ realized, texts, rules, begun, entries bool }

// in reports whether data has the extras.
func (x extras) in(data *accountData) bool {
	return (!x.realized || data.realized != nil) && (!x.texts || data.texts != nil) && (!x.rules || data.rules != nil) &&
		(!x.begun || data.begun != nil) && (!x.entries || data.entries != nil)
}

// load returns the data at exactly one revision, with the requested extras. If something
// is missing, read is called with the cached data for this and earlier revisions, the
// latest first; it must check whether they belong to the history it reads. size is the
// entry's new size, 0 if unchanged.
func (e *cacheEntry) load(revision int64, more extras, read func(old []*accountData) (*accountData, error)) (data *accountData, size int, err error) {
	if data := e.find(revision, more); data != nil {
		return data, 0, nil
	}
	e.loading.Lock()
	defer e.loading.Unlock()
	if data := e.find(revision, more); data != nil {
		return data, 0, nil
	}
	if data, err = read(e.listUpTo(revision)); err != nil {
		return nil, 0, err
	}
	return data, e.add(data), nil
}

// find returns a revision's data, nil if it is not cached.
func (e *cacheEntry) find(revision int64, more extras) *accountData {
	e.mu.Lock()
	defer e.mu.Unlock()
	for i, data := range e.versions {
		if data.revision == revision && more.in(data) {
			copy(e.versions[1:i+1], e.versions[:i])
			e.versions[0] = data
			return data
		}
	}
	return nil
}

// listUpTo returns the data for revisions up to the given one, the latest first.
func (e *cacheEntry) listUpTo(revision int64) []*accountData {
	e.mu.Lock()
	defer e.mu.Unlock()
	var list []*accountData
	for _, data := range e.versions {
		if data.revision <= revision {
			list = append(list, data)
		}
	}
	slices.SortFunc(list, func(a, b *accountData) int { return cmp.Compare(b.revision, a.revision) })
	return list
}

// add adds a revision's data, drops the least recently used, and returns the total size.
func (e *cacheEntry) add(fresh *accountData) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	versions := []*accountData{fresh}
	for _, data := range e.versions {
		if data.revision != fresh.revision && len(versions) < keptVersions {
			versions = append(versions, data)
		}
	}
	e.versions = versions
	size := entryBytes + fresh.bytes(nil)
	for i, data := range versions[1:] {
		size += data.bytes(versions[i])
	}
	return size
}
