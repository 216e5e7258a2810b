package columns

import (
	"cmp"
	"slices"
	"sync"

	"fillbook/internal/base/journal"
	"fillbook/internal/figures/analytics"
	"fillbook/internal/trading/playbook"
)

// accountData is the data of an account at one revision. It never changes.
type accountData struct {
	revision int64
	columns  *analytics.Columns // of the closed trades
	open     *analytics.Columns // of the open trades, which only lists use
	cash     []analytics.CashEvent
	// realized has the realized parts of trades in place of the trades; it shares
	// the pages without parts with columns. It is nil until its first use.
	realized *analytics.Columns
	// texts are the words of the texts about the trades. It is nil until its first
	// use.
	texts *playbook.TradeTexts
	// rules are the states of rules on the trades. It is nil until its first use.
	rules *playbook.TradeRules
	// unstored counts the updates since the columns were stored.
	unstored int
}

const (
	// cashBytes is the approximate size of one cash event.
	cashBytes = 96
	// entryBytes is the approximate size of an account without trades.
	entryBytes = 1 << 10
)

// bytes returns the size of the data without what it shares with other, which
// may be nil.
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
	return n
}

// cacheKey identifies an account.
type cacheKey struct {
	owner   journal.UserID
	account journal.AccountID
}

// keptVersions is the number of revisions of an account that are cached.
const keptVersions = 4

// cacheEntry is the cached data of one account: the revisions that were used
// last, which share most of their pages. A query that began before a write finds
// the revision of its snapshot here.
type cacheEntry struct {
	// loading is held while one query reads; others that need the same data wait.
	loading sync.Mutex

	mu       sync.Mutex
	versions []*accountData // the most recently used first
}

func newCacheEntry() *cacheEntry { return &cacheEntry{} }

// extras are the parts of the data of an account that not every query needs.
type extras struct{ realized, texts, rules bool }

// in reports whether data has the extras.
func (x extras) in(data *accountData) bool {
	return (!x.realized || data.realized != nil) && (!x.texts || data.texts != nil) && (!x.rules || data.rules != nil)
}

// load returns the data of exactly a revision, with the extras that are requested.
// read is called with the cached data of this and of earlier revisions, the
// latest first, if something is missing; it must check that they are of the
// history that it reads. size is the new size of the entry, 0 if it is unchanged.
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

// find returns the data of a revision, nil if it is not cached.
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

// listUpTo returns the data of revisions up to the given one, the latest first.
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

// add adds the data of a revision, drops the least recently used, and returns
// the size of all.
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
