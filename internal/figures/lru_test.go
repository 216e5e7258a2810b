package figures

import (
	"strconv"
	"testing"
)

func TestLRU(t *testing.T) {
	t.Parallel()
	c := newLRU[string, string](3)
	add := func(key string, size int) { c.put(key, key, size) }
	want := func(total int, keys ...string) {
		t.Helper()
		if c.totalSize() != total || len(c.entries) != len(keys) || c.order.Len() != len(keys) {
			t.Errorf("%d of size %d, want %v of %d", len(c.entries), c.totalSize(), keys, total)
		}
		for _, key := range keys {
			if c.entries[key] == nil {
				t.Errorf("%s was evicted", key)
			}
		}
	}
	for _, key := range []string{"a", "b", "c"} {
		add(key, 1)
	}
	if v, ok := c.get("a"); !ok || v != "a" {
		t.Errorf("got %q, %t", v, ok)
	}
	add("d", 1)
	want(3, "a", "c", "d")
	if got := c.getOrAdd("c", 1, func() string { return "new" }); got != "c" {
		t.Errorf("got %q", got)
	}
	c.resize("c", "c", 2)
	want(3, "c", "d")
	c.resize("c", "of an evicted value", 100)
	c.resize("a", "a", 100)
	want(3, "c", "d")
	add("c", 1)
	want(2, "c", "d")
	add("large", 10) // larger than the limit
	want(0)
	if _, ok := c.get("c"); ok {
		t.Error("an evicted value was found")
	}
}

// TestEmptyAccountsAreEvicted adds more accounts without trades than fit.
func TestEmptyAccountsAreEvicted(t *testing.T) {
	t.Parallel()
	const fit = 100
	c := newLRU[string, *cacheEntry](fit * entryBytes)
	for i := range 20 * fit {
		c.getOrAdd(strconv.Itoa(i), entryBytes, newCacheEntry)
	}
	if len(c.entries) != fit || c.totalSize() != fit*entryBytes {
		t.Errorf("%d accounts of %d bytes are cached, want %d", len(c.entries), c.totalSize(), fit)
	}
}
