package files

import (
	"slices"
	"strings"
)

// WithMemory returns options holding few rows and few block bytes in memory.
func (o Options) WithMemory(rows int, bytes int64) Options {
	o.maxPending, o.maxHeld = rows, bytes
	return o
}

// LayoutNames returns the names of all text layouts.
func LayoutNames() (list []string) {
	for _, l := range layouts {
		list = append(list, l.name)
	}
	return list
}

// FindLayout returns the number of the layout for a file, or -1.
func FindLayout(name, text string) int {
	first, rest, _ := strings.Cut(text, "\n")
	delimiter := findDelimiter([]byte(first))
	header := parseHeader([]byte(first), delimiter)
	if header != nil {
		first, _, _ = strings.Cut(rest, "\n")
	}
	var r row
	r.split([]byte(first), delimiter)
	return slices.IndexFunc(layouts, func(l layout) bool { return l.fits(name, header, r) })
}

// BinaryKinds returns the names of the binary formats.
func BinaryKinds() (list []string) {
	for _, kind := range binaryKinds {
		list = append(list, kind.name)
	}
	return list
}

// FindBinary returns the name of the format for a file, or "".
func FindBinary(content []byte) string {
	for _, kind := range binaryKinds {
		if kind.is(content[:min(len(content), sniffed)]) {
			return kind.name
		}
	}
	return ""
}
