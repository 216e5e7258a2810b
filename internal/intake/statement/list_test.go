package statement_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fillbook/internal/intake/statement"
)

func TestSplitList(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]statement.ListItem{
		"":                          nil,
		" ; ":                       nil,
		"A+; news":                  {{Name: "A+"}, {Name: "news"}},
		"gap, up; a|b":              {{Name: "gap, up"}, {Name: "a|b"}},
		"mistake: chased;Mistake:x": {{Kind: "mistake", Name: "chased"}, {Kind: "mistake", Name: "x"}},
		`a\; b; mistake\: no`:       {{Name: "a; b"}, {Name: "mistake: no"}},
		`C:\path`:                   {{Name: `C:\path`}},
		`a\\`:                       {{Name: `a\`}},
		"mistake:":                  {{Kind: "mistake"}},
		"emotion: calm":             {{Name: "emotion: calm"}},
	} {
		if got := statement.SplitList(text); !slices.Equal(got, want) {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// Whatever is written into a cell is read back.
func TestListsComeBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringOf(rapid.SampledFrom([]rune(`a ;\:,|"'é`)))
		item := rapid.Custom(func(t *rapid.T) statement.ListItem {
			begin := rapid.SampledFrom([]string{"x", "mistake:", "Mistake :", `mistake\:`}).Draw(t, "begin")
			return statement.ListItem{
				Kind: rapid.SampledFrom([]string{"", "mistake"}).Draw(t, "kind"), Name: strings.TrimSpace(begin + name.Draw(t, "name")),
			}
		})
		want := rapid.SliceOfN(item, 1, 4).Draw(t, "items")
		if got := statement.SplitList(statement.JoinList(want)); !slices.Equal(got, want) {
			t.Fatalf("%q came back as %q", want, got)
		}
	})
}
