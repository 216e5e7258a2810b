package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// table contains one engine's results: its operations in run order, each with a record
// for every size.
type table struct {
	engine string
	sizes  []int
	rows   []row
}

type row struct {
	operation string
	at        map[int]Record // by size
}

// tables sorts the records in files by engine, operation and size. If two records have
// the same operation and size, the later one counts.
func tables(files ...File) (list []*table) {
	for _, f := range files {
		for _, r := range f.Records {
			i := slices.IndexFunc(list, func(t *table) bool { return t.engine == r.Engine })
			if i < 0 {
				list = append(list, &table{engine: r.Engine})
				i = len(list) - 1
			}
			list[i].add(r)
		}
	}
	return list
}

func (t *table) add(r Record) {
	if !slices.Contains(t.sizes, r.Size) {
		t.sizes = append(t.sizes, r.Size)
		slices.Sort(t.sizes)
	}
	i := slices.IndexFunc(t.rows, func(w row) bool { return w.operation == r.Operation })
	if i < 0 {
		t.rows = append(t.rows, row{r.Operation, map[int]Record{}})
		i = len(t.rows) - 1
	}
	t.rows[i].at[r.Size] = r
}

// last returns the record for the largest size.
func (w row) last() Record {
	var found Record
	for _, r := range w.at {
		if r.Size >= found.Size {
			found = r
		}
	}
	return found
}

// exponent returns the time's growth with size: 0 is constant, 1 linear, 2 quadratic.
func (w row) exponent() (e float64, known bool) {
	var smallest, largest Record
	for _, r := range w.at {
		if r.P50 == 0 {
			continue
		}
		if smallest.Size == 0 || r.Size < smallest.Size {
			smallest = r
		}
		if r.Size > largest.Size {
			largest = r
		}
	}
	if smallest.Size == largest.Size {
		return 0, false
	}
	return math.Log(float64(largest.P50)/float64(smallest.P50)) / math.Log(float64(largest.Size)/float64(smallest.Size)), true
}

// checkTarget reports whether the row meets a target; known is false if the size
// was not measured.
func (w row) checkTarget(t target) (met, known bool) {
	r := w.last()
	if t.size > 0 {
		r = w.at[t.size]
	}
	return t.isMetBy(r), r.Size > 0
}

// formatCount formats a number of fills.
func formatCount(n int) string {
	switch {
	case n >= 1_000_000 && n%1_000_000 == 0:
		return fmt.Sprintf("%dM", n/1_000_000)
	case n >= 1000 && n%1000 == 0:
		return fmt.Sprintf("%dk", n/1000)
	default:
		return strconv.Itoa(n)
	}
}

// formatRatio formats a ratio.
func formatRatio(x float64) string {
	if x == 0 {
		return ""
	}
	return strings.TrimSuffix(strings.TrimRight(formatNumber(x), "0"), ".") + "×"
}

// engineName returns an engine's display name.
func engineName(engine string) string {
	return cmp.Or(map[string]string{"sqlite": "SQLite", "postgres": "PostgreSQL"}[engine], engine)
}
