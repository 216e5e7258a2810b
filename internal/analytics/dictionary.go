package analytics

import (
	"maps"
	"slices"
	"strings"
)

// dictionary is a column of words that repeat: each word is kept once, and each
// row names it by number.
type dictionary struct {
	words   []string
	rows    []int32
	numbers map[string]int32
}

func (d *dictionary) at(row int32) string { return d.words[d.rows[row]] }

func (d *dictionary) push(word string) { d.rows = append(d.rows, d.number(word)) }

// number gives the number of a word, a new one if need be.
func (d *dictionary) number(word string) int32 {
	if n, known := d.numbers[word]; known {
		return n
	}
	if d.numbers == nil {
		d.numbers = map[string]int32{}
	}
	n := int32(len(d.words))
	d.words = append(d.words, word)
	d.numbers[word] = n
	return n
}

// inherit starts an empty dictionary with the words of another, numbered alike.
func (d *dictionary) inherit(from *dictionary) {
	d.words, d.numbers = slices.Clip(from.words), maps.Clone(from.numbers)
}

// learn adds the words of another and tells the numbers that they have here.
func (d *dictionary) learn(from *dictionary) []int32 {
	numbers := make([]int32, len(from.words))
	for i, word := range from.words {
		numbers[i] = d.number(word)
	}
	return numbers
}

// appendRange appends rows of another; numbers are what learn gave, or nil after
// inherit.
func (d *dictionary) appendRange(from *dictionary, numbers []int32, first, end int32) {
	if numbers == nil {
		d.rows = append(d.rows, from.rows[first:end]...)
		return
	}
	for _, n := range from.rows[first:end] {
		d.rows = append(d.rows, numbers[n])
	}
}

func (d *dictionary) bytes() int {
	const entry = 48 // a word's header, twice, and its place in the map
	n := cap(d.rows) * 4
	for _, word := range d.words {
		n += len(word) + entry
	}
	return n
}

// Sets of ids are words too: the ids in order, joined by a character that no id
// contains. Traders use the same few sets over and over.
const separator = "\x00"

func join[T ~string](ids []T) string {
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

func split[T ~string](word string) []T {
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
