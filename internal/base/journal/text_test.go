package journal

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestNames(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Main":                          "Main",
		"  Main account\t":              "Main account",
		"":                              "",
		"   ":                           "",
		"\u00a0Main\u2003":              "Main",
		"Zürich 日本 🎉":                   "Zürich 日本 🎉",
		"a  b":                          "a  b",
		"<script>alert('x')</script>":   "<script>alert('x')</script>",
		strings.Repeat("ä", MaxName):    strings.Repeat("ä", MaxName),
		" " + strings.Repeat("x", 200):  strings.Repeat("x", 200),
		"'; DROP TABLE users; -- $1 ? ": "'; DROP TABLE users; -- $1 ?",
	} {
		if got, err := CleanName("name", text); err != nil || got != want {
			t.Errorf("CleanName(%q) = %q, %v, want %q", text, got, err, want)
		}
	}
	for _, text := range []string{strings.Repeat("ä", MaxName+1), "a\nb", "a\x00b", "a\x1bb", "a\u0085b", "a\x7fb", "a\xffb", "\xc3"} {
		_, err := CleanName("name", text)
		expectField(t, err, "name", text)
	}
}

func TestRequiredNames(t *testing.T) {
	t.Parallel()
	if got, err := CleanRequiredName("title", " Plan the day "); err != nil || got != "Plan the day" {
		t.Errorf("got %q, %v", got, err)
	}
	for _, text := range []string{"", " ", "\t\n", "\u00a0", "\u200b", "\u200b \ufeff", "\u2060\u00ad", strings.Repeat("x", 201), "a\x00"} {
		got, err := CleanRequiredName("title", text)
		expectField(t, err, "title", text)
		if got != "" {
			t.Errorf("%q: returned %q with the error", text, got)
		}
	}
}

func TestSymbols(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"aapl": "AAPL", " es ": "ES", "BRK.B": "BRK.B", "eur/usd": "EUR/USD", "^vix": "^VIX", "6E": "6E",
		"straße": strings.ToUpper("straße"), strings.Repeat("a", MaxSymbol): strings.Repeat("A", MaxSymbol),
	} {
		if got, err := CleanSymbol("symbol", text); err != nil || got != want {
			t.Errorf("CleanSymbol(%q) = %q, %v, want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"", "  ", "\u200b", strings.Repeat("a", MaxSymbol+1), "ES\n6", "ES\x00", "\xff"} {
		_, err := CleanSymbol("symbol", text)
		expectField(t, err, "symbol", text)
	}
}

func TestCheckText(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "  as typed \n\n", "- [x] done\r\n\ttab", "日本\u200b", strings.Repeat("x", MaxNoteBytes)} {
		if got, err := CheckText("body", text); err != nil || got != text {
			t.Errorf("CheckText(%.20q) = %.20q, %v, want it unchanged", text, got, err)
		}
	}
	for _, text := range []string{strings.Repeat("x", MaxNoteBytes+1), strings.Repeat("ä", MaxNoteBytes/2+1), "a\x00b", "\x1b[31m", "\xff"} {
		_, err := CheckText("body", text)
		expectField(t, err, "body", text)
	}
}

// Cleaning is idempotent, and both engines can
// store the result.
func TestCleaningIsDoneOnce(t *testing.T) {
	t.Parallel()
	rules := map[string]func(field, text string) (string, error){"Name": CleanName, "RequiredName": CleanRequiredName, "Symbol": CleanSymbol, "Prose": CheckText}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "text")
		for name, rule := range rules {
			once, err := rule("field", text)
			if err != nil {
				continue
			}
			if twice, err := rule("field", once); err != nil || twice != once {
				t.Fatalf("%s(%q) = %q, then %q, %v", name, text, once, twice, err)
			}
			if strings.ContainsRune(once, 0) || strings.ToValidUTF8(once, "") != once {
				t.Fatalf("%s(%q) accepted %q", name, text, once)
			}
		}
	})
}
