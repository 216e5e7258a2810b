package textindex

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// pieces are the parts of random texts: words that begin alike, letters beyond ASCII,
// scripts without spaces, marks, numbers, invalid UTF-8, and separators.
var pieces = []string{
	"gap", "Gap", "gap-up", "GAPPED", "g", "über", "ÜBERKAUFT", "Straße", "STRASSE", "ſtop", "stop", "K", "k", "Kelvin", "é", "e\u0301", "é\u0301",
	"等待", "待つ", "NQ等待", "ストップ", "ราคาขึ้น", "\u0301", "ιστορία", "ΙΣΤΟΡΙΑ", "1.5", "15", "ESZ26", "BTC/USD", "don't", "don’t", "#news", "\xff", "\xc3",
	"\n", "\t", "—", ",", "_", "½", "١٢", "😀", strings.Repeat("long", 70), "\u00adsoft",
}

func randomText(random *rand.Rand) string {
	var text strings.Builder
	for range random.IntN(12) {
		text.WriteString(pieces[random.IntN(len(pieces))])
		if random.IntN(3) > 0 {
			text.WriteByte(' ')
		}
	}
	return text.String()
}

// TestIndexFindsWhatHasWordFinds replaces random documents and compares each search with
// a test on every text.
func TestIndexFindsWhatHasWordFinds(t *testing.T) {
	t.Parallel()
	for seed := range uint64(40) {
		random := rand.New(rand.NewPCG(seed, 1)) // repeatable
		docs := map[string][]string{}
		index := &Index[string, int]{}
		for step := range 60 {
			touched := map[string]bool{}
			for range 1 + random.IntN(1+random.IntN(40)) {
				touched[fmt.Sprint(random.IntN(200))] = true
			}
			b := NewBuilder[string, int]()
			keys := slices.Sorted(maps.Keys(touched))
			for _, key := range keys {
				delete(docs, key)
				if random.IntN(4) > 0 {
					docs[key] = []string{randomText(random), randomText(random)}
					b.Add(key, len(key), docs[key][0])
					b.Add(key, len(key), docs[key][1])
				}
			}
			index = index.Replace(keys, b.Build())
			if index.Len() != len(docs) {
				t.Fatalf("seed %d, step %d: %d documents, want %d", seed, step, index.Len(), len(docs))
			}
			compareSearch(t, index, docs, randomSearch(random))
		}
		if n := len(index.parts); n > 9 {
			t.Errorf("seed %d: %d segments", seed, n)
		}
	}
}

// randomSearch returns one to three word beginnings.
func randomSearch(random *rand.Rand) (words []string) {
	for len(words) == 0 || random.IntN(3) == 0 {
		for _, word := range SplitWords(pieces[random.IntN(len(pieces))]) {
			runes := []rune(word)
			words = append(words, string(runes[:1+random.IntN(min(len(runes), MaxWord))]))
		}
	}
	return words
}

func compareSearch(t *testing.T, index *Index[string, int], docs map[string][]string, words []string) {
	t.Helper()
	var found, want []string
	for key, value := range index.Find(words...) {
		if value != len(key) {
			t.Errorf("%s has the value %d", key, value)
		}
		found = append(found, key)
	}
	for key, texts := range docs {
		if !slices.ContainsFunc(words, func(word string) bool {
			return !slices.ContainsFunc(texts, func(text string) bool { return HasWord(text, word) })
		}) {
			want = append(want, key)
		}
	}
	slices.Sort(found)
	slices.Sort(want)
	if !slices.Equal(found, want) {
		t.Fatalf("%q finds %v, want %v", words, found, want)
	}
}

// TestReplaceLeavesTheOldIndex checks that an index does not change while another is made
// from it.
func TestReplaceLeavesTheOldIndex(t *testing.T) {
	t.Parallel()
	b := NewBuilder[string, int]()
	b.Add("a", 1, "gap")
	b.Add("b", 1, "gap")
	old := b.Build()
	next := NewBuilder[string, int]()
	next.Add("b", 1, "range")
	changed := old.Replace([]string{"a", "b"}, next.Build())
	compareSearch(t, old, map[string][]string{"a": {"gap"}, "b": {"gap"}}, []string{"GAP"})
	compareSearch(t, changed, map[string][]string{"b": {"range"}}, []string{"GAP"})
	compareSearch(t, changed, map[string][]string{"b": {"range"}}, []string{"RAN"})
}

// TestJoinedDocumentsAreReplacedTogether checks a key in two segments.
func TestJoinedDocumentsAreReplacedTogether(t *testing.T) {
	t.Parallel()
	build := func(key, text string) *Index[string, int] {
		b := NewBuilder[string, int]()
		b.Add(key, 1, text)
		return b.Build()
	}
	joined := build("a", "gap").Join(build("a", "range"))
	merged := joined.Replace(nil, build("b", "open"))
	merged = merged.Replace(nil, build("c", "open").Join(build("d", "open")))
	for _, word := range []string{"GAP", "RANGE"} {
		compareSearch(t, joined, map[string][]string{"a": {"gap", "range"}}, []string{word})
		compareSearch(t, merged, map[string][]string{"a": {"gap", "range"}}, []string{word})
	}
	if replaced := joined.Replace([]string{"a"}, &Index[string, int]{}); replaced.Len() != 0 {
		t.Errorf("%d documents are left", replaced.Len())
	}
}

func TestHasWord(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, word string
		want       bool
	}{
		{"Chased the open", "chas", true},
		{"Chased the open", "HASED", false},
		{"the-open", "Open", true},
		{"ESZ26", "esz", true},
		{"BTC/USD", "usd", true},
		{"don't", "t", true},
		{"Überkauft", "über", true},
		{"Überkauft", "uber", false},
		{"éé", "é", true},
		{"ſtop", "STOP", true},
		{"", "a", false},
		{"a", "ab", false},
		{"\xff\xfea", "a", true},
		{"突破后等待回调", "等", true},
		{"NQ突破", "nq", true},
		{"突破NQ", "nq", true},
		{"ストップ高", "高", true},
	} {
		if got := HasWord(c.text, Fold(c.word)); got != c.want {
			t.Errorf("%q has %q: %t", c.text, c.word, got)
		}
	}
	if got := SplitWords("NQ等待 Gap-up"); !slices.Equal(got, []string{"NQ", "等", "待", "GAP", "UP"}) {
		t.Errorf("split into %q", got)
	}
}

// BenchmarkIndex measures 100,000 documents with sixty words.
func BenchmarkIndex(b *testing.B) {
	const documents = 100_000
	text := func(i int) string {
		return fmt.Sprintf("Waited for the retest of the opening range, %d. %s", i, strings.Repeat("Took the entry with size and held it. ", 8))
	}
	build := func() *Index[string, struct{}] {
		builder := NewBuilder[string, struct{}]()
		for i := range documents {
			builder.Add(fmt.Sprintf("%032d", i), struct{}{}, text(i))
		}
		return builder.Build()
	}
	index := build()
	b.Run("build", func(b *testing.B) {
		for b.Loop() {
			build()
		}
	})
	for _, word := range []string{"RETEST", "T", "9", "99999", "ABSENT"} {
		b.Run("find/"+word, func(b *testing.B) {
			for b.Loop() {
				for range index.Find(word) {
				}
			}
		})
	}
	b.Run("replace", func(b *testing.B) {
		changed := index
		for i := 0; b.Loop(); i++ {
			builder := NewBuilder[string, struct{}]()
			key := fmt.Sprintf("%032d", i%documents)
			builder.Add(key, struct{}{}, text(i))
			changed = changed.Replace([]string{key}, builder.Build())
		}
	})
}
