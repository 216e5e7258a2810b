package figures

import (
	"container/list"
	"sync"
)

// lru is a map that evicts the least recently used values above a size limit.
// The cost of a call does not depend on the number of values. It is safe for
// concurrent use.
type lru[K comparable, V comparable] struct {
	limit int

	mu      sync.Mutex
	entries map[K]*list.Element // of lruEntry
	order   *list.List          // the most recently used first
	total   int                 // the sum of the sizes
}

type lruEntry[K comparable, V comparable] struct {
	key   K
	value V
	size  int
}

func newLRU[K comparable, V comparable](limit int) *lru[K, V] {
	return &lru[K, V]{limit: limit, entries: map[K]*list.Element{}, order: list.New()}
}

// get returns the value of a key.
func (c *lru[K, V]) get(key K) (value V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.entries[key]
	if e == nil {
		return value, false
	}
	c.order.MoveToFront(e)
	return c.entry(e).value, true
}

// getOrAdd returns the value of a key, after adding a new one of the given size
// if there is none.
func (c *lru[K, V]) getOrAdd(key K, size int, newValue func() V) V {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.entries[key]; e != nil {
		c.order.MoveToFront(e)
		return c.entry(e).value
	}
	value := newValue()
	c.add(key, value, size)
	return value
}

// put sets the value of a key.
func (c *lru[K, V]) put(key K, value V, size int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.entries[key]; e != nil {
		c.remove(e)
	}
	c.add(key, value, size)
}

// resize sets the size of a value, unless it was evicted.
func (c *lru[K, V]) resize(key K, value V, size int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.entries[key]
	if e == nil || c.entry(e).value != value {
		return
	}
	c.total += size - c.entry(e).size
	c.entry(e).size = size
	c.evict()
}

// totalSize returns the size of all values.
func (c *lru[K, V]) totalSize() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.total
}

func (c *lru[K, V]) entry(e *list.Element) *lruEntry[K, V] {
	return e.Value.(*lruEntry[K, V]) //nolint:forcetypeassert // the list has nothing else
}

func (c *lru[K, V]) add(key K, value V, size int) {
	c.entries[key] = c.order.PushFront(&lruEntry[K, V]{key, value, size})
	c.total += size
	c.evict()
}

func (c *lru[K, V]) remove(e *list.Element) {
	entry := c.entry(e)
	delete(c.entries, entry.key)
	c.order.Remove(e)
	c.total -= entry.size
}

// evict removes the least recently used values until the others are within the
// limit.
func (c *lru[K, V]) evict() {
	for c.total > c.limit && c.order.Len() > 0 {
		c.remove(c.order.Back())
	}
}
