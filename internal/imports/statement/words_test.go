package statement

import (
	"slices"
	"strings"
	"testing"
)

// A word that stood in two tables would mean whichever is looked at first.
func TestSideWordsMeanOneThing(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	for i, set := range []map[string]bool{buying, selling, buyingToOpen, sellingToOpen, sellingToClose, buyingToClose} {
		for word := range set {
			if before, ok := seen[word]; ok {
				t.Errorf("%q stands in tables %d and %d", word, before, i)
			}
			seen[word] = i
			if sideKey(word) != word {
				t.Errorf("%q is never found, as it is looked up as %q", word, sideKey(word))
			}
		}
	}
}

func TestHeaderWordsMeanOneThing(t *testing.T) {
	t.Parallel()
	seen := map[string]Target{}
	for target, words := range targetWords {
		if !slices.Contains(Targets(), target) {
			t.Errorf("%s is not among the targets", target)
		}
		for _, word := range words {
			key := lettersOf(word)
			if before, ok := seen[key]; ok && before != target {
				t.Errorf("%q is %s and %s", word, before, target)
			} else if ok {
				t.Errorf("%s has %q twice", target, word)
			}
			seen[key] = target
		}
	}
}

func TestEveryTargetHasItsOwnName(t *testing.T) {
	t.Parallel()
	for i, target := range Targets() {
		if slices.Index(Targets(), target) != i {
			t.Errorf("%s is listed twice", target)
		}
		if got, ok := SuggestTarget(string(target)); !ok || got != target {
			t.Errorf("a column %q is %q, %v", target, got, ok)
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

// Every abbreviation and the place or offset behind it can be loaded.
func TestLabelsLoad(t *testing.T) {
	t.Parallel()
	for label, name := range labels {
		zone, err := LoadZone(label)
		if err != nil || zone.String() != name {
			t.Errorf("%s is %s, %v, want %s", label, zone, err, name)
		}
	}
}

func TestTargetsHaveLabels(t *testing.T) {
	t.Parallel()
	seen := map[string]Target{}
	for _, target := range Targets() {
		label := target.Label()
		if other, known := seen[label]; label == "" || known {
			t.Errorf("the label of %s is %q, as that of %q", target, label, other)
		}
		seen[label] = target
	}
	if len(targetLabels) != len(Targets()) {
		t.Errorf("%d labels of %d targets", len(targetLabels), len(Targets()))
	}
}
