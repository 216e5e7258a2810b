package textindex

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"
)

// MaxWord is the number of indexed characters per word. Longer search words are not
// found.
const MaxWord = 200

// Index has the words in documents. A document has a key, by which it is replaced, and a
// value, which is returned with it. An index never changes: [Index.Replace] returns
// another one, which shares most of its memory. The zero value is empty.
//
// The documents are in segments, each at most half as large as the one before. A change
// adds a small segment, and segments with similar size become one. So a change costs work
// logarithmic in the number of documents, on average over many changes.
type Index[K cmp.Ordered, V any] struct{ parts []part[K, V] }

// part is a segment without its replaced documents.
type part[K cmp.Ordered, V any] struct {
	*segment[K, V]
	dead  bits // nil if there are none
	count int  // documents left
}

// segment is an inverted index: for each word the numbers of the documents containing it.
// Each is stored as its difference from the one before, as a varint.
type segment[K cmp.Ordered, V any] struct {
	keys     []K // sorted; the index is the document number
	values   []V
	words    []string // sorted
	ends     []int32  // where each word's numbers end
	postings []byte
}

// Builder makes an index.
type Builder[K cmp.Ordered, V any] struct {
	keys    []K
	values  []V
	numbers map[string]int32
	words   []builtWord
	folded  []byte
}

// builtWord is a word with its documents so far.
type builtWord struct {
	postings []byte
	next     int32 // the number after the last document
}

// NewBuilder returns an empty builder.
func NewBuilder[K cmp.Ordered, V any]() *Builder[K, V] {
	return &Builder[K, V]{numbers: map[string]int32{}}
}

// Add adds the words in texts to a document. Keys must be sorted; a key added again
// continues its document.
func (b *Builder[K, V]) Add(key K, value V, texts ...string) {
	if n := len(b.keys); n == 0 || b.keys[n-1] != key {
		b.keys, b.values = append(b.keys, key), append(b.values, value)
	}
	for _, text := range texts {
		eachWord(text, func(word string) bool {
			b.addWord(word)
			return true
		})
	}
}

// AddTerm adds a text to a key's document as one word, unchanged. Keys must be sorted as
// in [Builder.Add].
func (b *Builder[K, V]) AddTerm(key K, value V, term string) {
	b.Add(key, value)
	b.folded = append(b.folded[:0], term...)
	b.addFolded()
}

func (b *Builder[K, V]) addWord(word string) {
	b.folded = appendFolded(b.folded[:0], word)
	b.addFolded()
}

// addFolded adds the word in the buffer to the last document.
func (b *Builder[K, V]) addFolded() {
	n, known := b.numbers[string(b.folded)]
	if !known {
		n = int32(len(b.words)) // memory ends before
		b.numbers[string(b.folded)] = n
		b.words = append(b.words, builtWord{})
	}
	w, doc := &b.words[n], int32(len(b.keys)-1) // memory ends before
	if w.next <= doc {
		w.postings = binary.AppendUvarint(w.postings, uint64(doc-w.next)) // it is not negative
		w.next = doc + 1
	}
}

// appendFolded appends a word's first characters, folded.
func appendFolded(folded []byte, word string) []byte {
	length := 0
	for at, r := range word {
		if length++; length > MaxWord {
			break
		}
		if r < utf8.RuneSelf {
			folded = append(folded, foldedASCII[word[at]])
		} else {
			folded = utf8.AppendRune(folded, foldRune(r))
		}
	}
	return folded
}

// Build returns the index. The builder must not be used afterwards.
func (b *Builder[K, V]) Build() *Index[K, V] {
	if len(b.keys) == 0 {
		return &Index[K, V]{}
	}
	s := &segment[K, V]{keys: slices.Clip(b.keys), values: slices.Clip(b.values), words: make([]string, 0, len(b.words)), ends: make([]int32, 0, len(b.words))}
	size := 0
	for word, n := range b.numbers {
		s.words = append(s.words, word)
		size += len(b.words[n].postings)
	}
	slices.Sort(s.words)
	s.postings = make([]byte, 0, size)
	for _, word := range s.words {
		s.postings = append(s.postings, b.words[b.numbers[word]].postings...)
		s.ends = append(s.ends, int32(len(s.postings))) // memory ends before
	}
	return &Index[K, V]{[]part[K, V]{{segment: s, count: len(s.keys)}}}
}

// Join returns the index with another index's documents beside its own. A key may be in
// both.
func (x *Index[K, V]) Join(other *Index[K, V]) *Index[K, V] {
	return &Index[K, V]{slices.Concat(x.parts, other.parts)}
}

// Replace returns the index without the documents for some keys and with another index's
// documents.
func (x *Index[K, V]) Replace(keys []K, by *Index[K, V]) *Index[K, V] {
	parts := make([]part[K, V], 0, len(x.parts)+len(by.parts))
	for _, p := range x.parts {
		if p = p.without(keys); p.count > 0 {
			parts = append(parts, p)
		}
	}
	for _, p := range by.parts {
		parts = append(parts, p)
		for n := len(parts); n > 1 && 2*parts[n-1].count > parts[n-2].count; n = len(parts) {
			parts = append(parts[:n-2], merge(parts[n-2], parts[n-1]))
		}
	}
	return &Index[K, V]{parts}
}

// without returns the part without the documents for some keys.
func (p part[K, V]) without(keys []K) part[K, V] {
	shared := true
	for _, key := range keys {
		n, has := slices.BinarySearch(p.keys, key)
		if !has || p.dead.has(n) {
			continue
		}
		if shared {
			shared = false
			p.dead = slices.Concat(p.dead, make(bits, elementsFor(len(p.keys))-len(p.dead)))
		}
		p.dead.set(n)
		p.count--
	}
	return p
}

// Find goes through the documents containing, for each folded word, a word beginning with
// it. The order is undefined.
func (x *Index[K, V]) Find(words ...string) iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for _, p := range x.parts {
			found := p.find(words)
			for n := range found.all() {
				if !yield(p.keys[n], p.values[n]) {
					return
				}
			}
		}
	}
}

// find returns the documents in the part with all words.
func (p *part[K, V]) find(words []string) bits {
	var found bits
	for i, word := range words {
		with := make(bits, elementsFor(len(p.keys)))
		p.addWith(word, with)
		if i == 0 {
			found = with
		} else {
			found.keep(with)
		}
	}
	for i := range p.dead {
		found[i] &^= p.dead[i]
	}
	return found
}

// addWith adds the documents with a word beginning with the given one.
func (s *segment[K, V]) addWith(word string, found bits) {
	first, _ := slices.BinarySearch(s.words, word)
	for n := first; n < len(s.words) && strings.HasPrefix(s.words[n], word); n++ {
		s.eachDocument(n, func(doc int32) { found.set(int(doc)) })
	}
}

// eachDocument calls fn with a word's documents, in order.
func (s *segment[K, V]) eachDocument(word int, fn func(doc int32)) {
	begin := int32(0)
	if word > 0 {
		begin = s.ends[word-1]
	}
	next := int32(0)
	for list := s.postings[begin:s.ends[word]]; len(list) > 0; {
		step, size := uint64(list[0]), 1
		if step >= utf8.RuneSelf { // longer than one byte
			step, size = binary.Uvarint(list)
		}
		doc := next + int32(step) // a document number
		fn(doc)
		list, next = list[size:], doc+1
	}
}

// Len returns the number of documents, counting those in both parts of an [Index.Join]
// twice.
func (x *Index[K, V]) Len() (n int) {
	for _, p := range x.parts {
		n += p.count
	}
	return n
}

// UnsharedBytes returns the index's approximate memory not shared with another one, which
// may be nil. Keys and values count with a fixed size.
func (x *Index[K, V]) UnsharedBytes(other *Index[K, V]) (n int) {
	const header, perDocument, perWord = 200, 80, 40
	for _, p := range x.parts {
		n += header + 8*len(p.dead)
		if other == nil || !slices.ContainsFunc(other.parts, func(o part[K, V]) bool { return o.segment == p.segment }) {
			n += perDocument*len(p.keys) + perWord*len(p.words) + len(p.postings)
		}
	}
	return n
}

// merge returns the documents in two parts as one. Documents with the same key become
// one.
func merge[K cmp.Ordered, V any](a, b part[K, V]) part[K, V] {
	out := &segment[K, V]{}
	numbersA, numbersB := make([]int32, len(a.keys)), make([]int32, len(b.keys))
	for i, j := 0, 0; i < len(a.keys) || j < len(b.keys); {
		switch {
		case i < len(a.keys) && a.dead.has(i):
			i++
		case j < len(b.keys) && b.dead.has(j):
			j++
		default:
			n := int32(len(out.keys)) // memory ends before
			order := -1
			if i == len(a.keys) {
				order = 1
			} else if j < len(b.keys) {
				order = cmp.Compare(a.keys[i], b.keys[j])
			}
			if order <= 0 {
				out.keys, out.values = append(out.keys, a.keys[i]), append(out.values, a.values[i])
				numbersA[i] = n
				i++
			} else {
				out.keys, out.values = append(out.keys, b.keys[j]), append(out.values, b.values[j])
			}
			if order >= 0 {
				numbersB[j] = n
				j++
			}
		}
	}
	out.mergeWords(a, numbersA, b, numbersB)
	return part[K, V]{segment: out, count: len(out.keys)}
}

// mergeWords adds the words in two parts, whose documents have new numbers.
func (s *segment[K, V]) mergeWords(a part[K, V], numbersA []int32, b part[K, V], numbersB []int32) {
	var docs []int32
	for i, j := 0, 0; i < len(a.words) || j < len(b.words); {
		order := -1
		if i == len(a.words) {
			order = 1
		} else if j < len(b.words) {
			order = strings.Compare(a.words[i], b.words[j])
		}
		docs = docs[:0]
		word := ""
		if order <= 0 {
			word = a.words[i]
			docs = a.appendLive(docs, i, numbersA)
			i++
		}
		if order >= 0 {
			word = b.words[j]
			docs = b.appendLive(docs, j, numbersB)
			j++
		}
		if len(docs) == 0 {
			continue
		}
		slices.Sort(docs)
		next := int32(0)
		for _, doc := range slices.Compact(docs) {
			s.postings = binary.AppendUvarint(s.postings, uint64(doc-next)) // it is not negative
			next = doc + 1
		}
		s.words = append(s.words, word)
		s.ends = append(s.ends, int32(len(s.postings))) // memory ends before
	}
	s.postings = bytes.Clone(s.postings)
}

// appendLive appends the new numbers for the documents with a word.
func (p *part[K, V]) appendLive(docs []int32, word int, numbers []int32) []int32 {
	p.eachDocument(word, func(doc int32) {
		if !p.dead.has(int(doc)) {
			docs = append(docs, numbers[doc])
		}
	})
	return docs
}
