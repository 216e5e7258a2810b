package figures

import (
	"cmp"
	"slices"
	"sync"
)

// lru is a map that evicts the least recently used values above a size limit.
// It is safe for concurrent use.
type lru[K comparable, V any] struct {
	limit int
	size  func(V) int // the size of a value, which may change while it is stored

	mu      sync.Mutex
	entries map[K]*lruEntry[V]
	clock   uint64 // counts uses
}

type lruEntry[V any] struct {
	value V
	used  uint64 // the clock at the last use
}

func newLRU[K comparable, V any](limit int, size func(V) int) *lru[K, V] {
	return &lru[K, V]{limit: limit, size: size, entries: map[K]*lruEntry[V]{}}
}

// get returns the value of a key.
func (c *lru[K, V]) get(key K) (value V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.entries[key]
	if e == nil {
		return value, false
	}
	c.clock++
	e.used = c.clock
	return e.value, true
}

// getOrAdd returns the value of a key, after adding a new one if there is none.
func (c *lru[K, V]) getOrAdd(key K, newValue func() V) V {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.entries[key]
	if e == nil {
		e = &lruEntry[V]{value: newValue()}
		c.entries[key] = e
	}
	c.clock++
	e.used = c.clock
	return e.value
}

// put sets the value of a key and evicts others.
func (c *lru[K, V]) put(key K, value V) {
	c.mu.Lock()
	c.clock++
	c.entries[key] = &lruEntry[V]{value: value, used: c.clock}
	c.mu.Unlock()
	c.evict()
}

// evict removes the least recently used values until the others are within the
// limit. Values without a size, such as those that are still being loaded, stay.
func (c *lru[K, V]) evict() {
	type candidate struct {
		key  K
		used uint64
		size int
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	var candidates []candidate
	total := 0
	for key, e := range c.entries {
		if n := c.size(e.value); n > 0 {
			candidates = append(candidates, candidate{key, e.used, n})
			total += n
		}
	}
	if total <= c.limit {
		return
	}
	slices.SortFunc(candidates, func(a, b candidate) int { return cmp.Compare(a.used, b.used) })
	for _, e := range candidates {
		if total <= c.limit {
			return
		}
		delete(c.entries, e.key)
		total -= e.size
	}
}

// totalSize returns the size of all values.
func (c *lru[K, V]) totalSize() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	total := 0
	for _, e := range c.entries {
		total += c.size(e.value)
	}
	return total
}
