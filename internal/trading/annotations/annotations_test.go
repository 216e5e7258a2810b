package annotations

import "testing"

func TestMergeNotes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ notes, other, want string }{
		{"", "", ""},
		{"a", "", "a"},
		{"", "b", "b"},
		{" \n", "b", "b"},
		{"a", "a", "a"},
		{"a", "b", "a" + rule + "b"},
		{"a" + rule + "b", "b", "a" + rule + "b"},
		{"a" + rule + "b", "a", "a" + rule + "b"},
		{"ab", "b", "ab" + rule + "b"}, // a part of a word is not the same note
	} {
		if got := MergeNotes(test.notes, test.other); got != test.want {
			t.Errorf("%q and %q give %q, want %q", test.notes, test.other, got, test.want)
		}
	}
}

func TestPartNotes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ before, other, edited, want string }{
		{"a", "b", "a" + rule + "b", "a"},
		{"", "b", "b", ""},
		{"a", "a", "a", "a"},
		{"a", "b" + rule + "c", "a" + rule + "b" + rule + "c" + rule + "d", "a" + rule + "d"},
		{"a", "b", "edited" + rule + "b", "edited"},
		{"a", "b", "a" + rule + "b, edited", "a" + rule + "b, edited"},
	} {
		if got := PartNotes(test.edited, test.before, MergeNotes(test.before, test.other)); got != test.want {
			t.Errorf("%q with %q, then %q: %q, want %q", test.before, test.other, test.edited, got, test.want)
		}
	}
}
