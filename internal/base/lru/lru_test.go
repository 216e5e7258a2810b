package lru

import (
	"strconv"
	"testing"
)

func TestLRU(t *testing.T) {
	t.Parallel()
	c := New[string, string](3)
	add := func(key string, size int) { c.Put(key, key, size) }
	want := func(total int, keys ...string) {
		t.Helper()
		if c.TotalSize() != total || len(c.entries) != len(keys) || c.order.Len() != len(keys) {
			t.Errorf("%d of size %d, want %v of %d", len(c.entries), c.TotalSize(), keys, total)
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
	if v, ok := c.Get("a"); !ok || v != "a" {
		t.Errorf("got %q, %t", v, ok)
	}
	add("d", 1)
	want(3, "a", "c", "d")
	if got := c.GetOrAdd("c", 1, func() string { return "new" }); got != "c" {
		t.Errorf("got %q", got)
	}
	c.Resize("c", "c", 2)
	want(3, "c", "d")
	c.Resize("c", "of an evicted value", 100)
	c.Resize("a", "a", 100)
	want(3, "c", "d")
	add("c", 1)
	want(2, "c", "d")
	add("large", 10) // larger than the limit
	want(0)
	if _, ok := c.Get("c"); ok {
		t.Error("an evicted value was found")
	}
}

// TestSmallValuesAreEvicted adds more values than fit.
func TestSmallValuesAreEvicted(t *testing.T) {
	t.Parallel()
	const fit, size = 100, 1 << 10
	c := New[string, *int](fit * size)
	for i := range 20 * fit {
		c.GetOrAdd(strconv.Itoa(i), size, func() *int { return new(int) })
	}
	if len(c.entries) != fit || c.TotalSize() != fit*size {
		t.Errorf("%d values of %d bytes are cached, want %d", len(c.entries), c.TotalSize(), fit)
	}
}
