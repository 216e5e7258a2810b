package analytics

import (
	"maps"
	"slices"
	"strings"
)

// dictionary is a column for repeating strings: each string is stored once, and each row
// has its code.
type dictionary struct {
	values []string
	codes  []int32
	codeOf map[string]int32
}

func (d *dictionary) at(row int32) string { return d.values[d.codes[row]] }

// push appends a row. Many columns have the same string in most rows, which is found
// without a lookup.
func (d *dictionary) push(word string) {
	if n := len(d.codes); n > 0 && d.values[d.codes[n-1]] == word {
		d.codes = append(d.codes, d.codes[n-1])
		return
	}
	d.codes = append(d.codes, d.code(word))
}

// pushBytes is push for a string that is only needed if the dictionary does not have it yet.
func (d *dictionary) pushBytes(word []byte) {
	if n := len(d.codes); n > 0 && d.values[d.codes[n-1]] == string(word) {
		d.codes = append(d.codes, d.codes[n-1])
		return
	}
	code, known := d.codeOf[string(word)]
	if !known {
		code = d.code(string(word))
	}
	d.codes = append(d.codes, code)
}

// code returns a string's code, adding new strings.
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

// copyValues fills an empty dictionary with another's strings and codes.
func (d *dictionary) copyValues(from *dictionary) {
	d.values, d.codeOf = slices.Clip(from.values), maps.Clone(from.codeOf)
}

// addValues adds another dictionary's strings and returns their codes in d.
func (d *dictionary) addValues(from *dictionary) []int32 {
	numbers := make([]int32, len(from.values))
	for i, word := range from.values {
		numbers[i] = d.code(word)
	}
	return numbers
}

// appendRange appends rows from another dictionary. codes is the result from addValues,
// or nil after copyValues.
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
	// A string's header, twice, and its place in the slice and the map with their unused
	// places; measured with journals with about a hundred symbols.
	const entry = 120
	n := cap(d.codes) * 4
	for _, word := range d.values {
		n += len(word) + entry
	}
	return n
}

// An id set is stored as one string: the sorted ids, joined by a character found in no
// id. Traders use the same few sets again and again.
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
