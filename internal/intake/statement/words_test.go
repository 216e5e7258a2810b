package statement

import (
	"slices"
	"testing"
)

// A word in two tables would mean whichever is looked at first.
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

// Every abbreviation and the place or offset behind it can be loaded.
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
