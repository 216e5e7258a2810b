package parse

import (
	"testing"

	"pgregory.net/rapid"
)

// TestISOMomentsAndGeneralRulesAgree compares the two ways to read a date and
// time: the short one may leave a text to the other, but never reads it
// differently.
func TestISOMomentsAndGeneralRulesAgree(t *testing.T) {
	t.Parallel()
	clock := NewClock(utc(), DateOrderUnknown)
	read := 0
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(
			`(19|20)[0-9]{2}-[01][0-9]-[0-3][0-9][T ][0-2][0-9]:[0-6][0-9]:[0-6][0-9](|[.,][0-9]{1,8})(|Z|z|[+-][01][0-9]:[03]0| EST| AM| PM)`).Draw(t, "text")
		day, at, ok := isoMoment(text)
		if !ok {
			return
		}
		read++
		wantDay, want, err := clock.split(text)
		if err != nil || want == nil {
			t.Fatalf("%q was read as %v %v, want %v", text, day, at, err)
		}
		if day != wantDay || at != *want {
			t.Fatalf("%q was read as %v %v, want %v %v", text, day, at, wantDay, *want)
		}
	})
	if read == 0 {
		t.Error("no text was read")
	}
	for _, text := range []string{"2026-02-30T09:30:00Z", "2026-13-01T09:30:00Z", "2026-01-05T24:00:00Z", "2026-01-05", "2026-01-05T09:30Z", ""} {
		if _, _, ok := isoMoment(text); ok {
			t.Errorf("%q was read", text)
		}
	}
}
