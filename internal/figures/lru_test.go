package figures

import (
	"strconv"
	"testing"
)

// TestLRU checks the order of eviction, that values without a size stay, and that
// sizes are read at the time of eviction.
func TestLRU(t *testing.T) {
	t.Parallel()
	sizes := map[string]int{"a": 1, "b": 1, "c": 1, "empty": 0}
	c := newLRU[string](2, func(name string) int { return sizes[name] })
	has := func(name string) bool { return c.entries[name] != nil }
	for _, name := range []string{"empty", "a", "b"} {
		c.put(name, name)
	}
	if _, ok := c.get("a"); !ok {
		t.Fatal("a was evicted within the limit")
	}
	c.put("c", "c")
	if !has("a") || has("b") || !has("c") || !has("empty") {
		t.Errorf("after c: a %v, b %v, c %v, empty %v; want b evicted", has("a"), has("b"), has("c"), has("empty"))
	}
	sizes["c"] = 2
	c.evict()
	if has("a") || !has("c") || c.totalSize() != 2 {
		t.Errorf("after c grew: a %v, c %v, size %d; want only c", has("a"), has("c"), c.totalSize())
	}
	added := 0
	for range 2 {
		c.getOrAdd("d", func() string { added++; return "d" })
	}
	if added != 1 {
		t.Errorf("d was added %d times", added)
	}
	for i := range 10 {
		sizes[strconv.Itoa(i)] = 1
		c.put(strconv.Itoa(i), strconv.Itoa(i))
	}
	if !has("8") || !has("9") || c.totalSize() != 2 {
		t.Errorf("the size is %d, want the last two values", c.totalSize())
	}
}
