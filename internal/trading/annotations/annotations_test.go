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
