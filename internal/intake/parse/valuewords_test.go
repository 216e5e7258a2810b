package parse

import (
	"strings"
	"testing"
)

func TestSideWordsMeanOneThing(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	for i, list := range allSideWords {
		for _, word := range list.words {
			if before, ok := seen[word]; ok {
				t.Errorf("%q is in the tables %d and %d", word, before, i)
			}
			seen[word] = i
			if sideKey(word) != word {
				t.Errorf("%q is never found, as it is looked up as %q", word, sideKey(word))
			}
		}
	}
}

func TestStatusWordsMeanOneThing(t *testing.T) {
	t.Parallel()
	for status, words := range statusWords {
		for _, word := range words {
			if statuses[word] != status {
				t.Errorf("%q is in the tables %d and %d", word, status, statuses[word])
			}
			if sideKey(word) != word {
				t.Errorf("%q is never found, as it is looked up as %q", word, sideKey(word))
			}
		}
	}
}

func TestDateWords(t *testing.T) {
	t.Parallel()
	for word, month := range months {
		if weekdays[word] {
			t.Errorf("%q is a month and a day of the week", word)
		}
		if month < 1 || month > 12 || word != strings.ToLower(word) {
			t.Errorf("%q is month %d", word, month)
		}
	}
	for word := range weekdays {
		if word != strings.ToLower(word) {
			t.Errorf("%q is never found", word)
		}
	}
}

func TestLabelsLoad(t *testing.T) {
	t.Parallel()
	for label, name := range labels {
		zone, err := LoadZone(label)
		if err != nil || zone.String() != name {
			t.Errorf("%s is %s, %v, want %s", label, zone, err, name)
		}
	}
}
