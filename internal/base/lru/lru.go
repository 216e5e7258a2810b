// Package lru has a cache bounded by the size of its values.
package lru

import (
	"container/list"
	"sync"
)

// Cache is a map that evicts the least recently used values above a size limit. A call's
// cost does not depend on the number of values. It is safe for concurrent use.
type Cache[K comparable, V comparable] struct {
	limit int

	mu      sync.Mutex
	entries map[K]*list.Element // entryOf elements
	order   *list.List          // the most recently used first
	total   int                 // sum over all sizes
}

type entryOf[K comparable, V comparable] struct {
	key   K
	value V
	size  int
}

// New returns a cache whose values have at most the total size limit.
func New[K comparable, V comparable](limit int) *Cache[K, V] {
	return &Cache[K, V]{limit: limit, entries: map[K]*list.Element{}, order: list.New()}
}

// Get returns a key's value.
func (c *Cache[K, V]) Get(key K) (value V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.entries[key]
	if e == nil {
		return value, false
	}
	c.order.MoveToFront(e)
	return c.entry(e).value, true
}

// GetOrAdd returns a key's value. A key without a value gets a new one with the given
// size.
func (c *Cache[K, V]) GetOrAdd(key K, size int, newValue func() V) V {
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

// Put sets a key's value.
func (c *Cache[K, V]) Put(key K, value V, size int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.entries[key]; e != nil {
		c.remove(e)
	}
	c.add(key, value, size)
}

// Resize sets a value's size, unless it was evicted.
func (c *Cache[K, V]) Resize(key K, value V, size int) {
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

// TotalSize returns the total size.
func (c *Cache[K, V]) TotalSize() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.total
}

func (c *Cache[K, V]) entry(e *list.Element) *entryOf[K, V] {
	return e.Value.(*entryOf[K, V]) // the list has nothing else
}

func (c *Cache[K, V]) add(key K, value V, size int) {
	c.entries[key] = c.order.PushFront(&entryOf[K, V]{key, value, size})
	c.total += size
	c.evict()
}

func (c *Cache[K, V]) remove(e *list.Element) {
	entry := c.entry(e)
	delete(c.entries, entry.key)
	c.order.Remove(e)
	c.total -= entry.size
}

// evict removes the least recently used values until the others are within the
// limit.
func (c *Cache[K, V]) evict() {
	for c.total > c.limit && c.order.Len() > 0 {
		c.remove(c.order.Back())
	}
}
