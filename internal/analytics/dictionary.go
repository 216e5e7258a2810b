package analytics

import (
	"maps"
	"slices"
	"strings"
)

// dictionary is a column of words that repeat: each word is kept once, and each
// row names it by number.
type dictionary struct {
	values []string
	codes  []int32
	codeOf map[string]int32
}

func (d *dictionary) at(row int32) string { return d.values[d.codes[row]] }

func (d *dictionary) push(word string) { d.codes = append(d.codes, d.code(word)) }

// code gives the code of a word, a new one if need be.
func (d *dictionary) code(word string) int32 {
	if n, known := d.codeOf[word]; known {
		return n
	}
	if d.codeOf == nil {
		d.codeOf = map[string]int32{}
	}
	n := int32(len(d.values))
	d.values = append(d.values, word)
	d.codeOf[word] = n
	return n
}

// copyValues starts an empty dictionary with the words of another, numbered alike.
func (d *dictionary) copyValues(from *dictionary) {
	d.values, d.codeOf = slices.Clip(from.values), maps.Clone(from.codeOf)
}

// addValues adds the words of another and tells the numbers that they have here.
func (d *dictionary) addValues(from *dictionary) []int32 {
	numbers := make([]int32, len(from.values))
	for i, word := range from.values {
		numbers[i] = d.code(word)
	}
	return numbers
}

// appendRange appends rows of another; numbers are what learn gave, or nil after
// inherit.
func (d *dictionary) appendRange(from *dictionary, numbers []int32, first, end int32) {
	if numbers == nil {
		d.codes = append(d.codes, from.codes[first:end]...)
		return
	}
	for _, n := range from.codes[first:end] {
		d.codes = append(d.codes, numbers[n])
	}
}

func (d *dictionary) bytes() int {
	const entry = 48 // a word's header, twice, and its place in the map
	n := cap(d.codes) * 4
	for _, word := range d.values {
		n += len(word) + entry
	}
	return n
}

// Sets of ids are words too: the ids in order, joined by a character that no id
// contains. Traders use the same few sets over and over.
const separator = "\x00"

func joinIDs[T ~string](ids []T) string {
	if len(ids) == 0 {
		return ""
	}
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = string(id)
	}
	slices.Sort(texts)
	return strings.Join(slices.Compact(texts), separator)
}

func splitIDs[T ~string](word string) []T {
	if word == "" {
		return nil
	}
	parts := strings.Split(word, separator)
	ids := make([]T, len(parts))
	for i, part := range parts {
		ids[i] = T(part)
	}
	return ids
}
