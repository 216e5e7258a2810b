package assistants

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"fillbook/internal/base/lazyregexp"
	"fillbook/internal/trading/instruments"
)

// A model cannot tell instructions from data. So what a user or a file wrote is only in
// untrusted objects and, in text content, between markers that such a text cannot contain.

// Longest texts, in characters.
const (
	maxText    = 2000
	maxSnippet = 300
	maxName    = 200
)

// untrusted is a text that a user or a file wrote.
type untrusted struct {
	Text      string `json:"untrusted_text"`
	Source    string `json:"source"`
	Truncated bool   `json:"truncated"`
}

// newUntrusted returns a text cleaned and cut to a length.
func newUntrusted(source, text string, longest int) untrusted {
	cleaned := cleanText(text)
	short := cutText(cleaned, longest)
	return untrusted{Text: short, Source: source, Truncated: len(short) < len(cleaned)}
}

// shortenTexts cuts the texts of users in a JSON value to a length.
func shortenTexts(value jsontext.Value, longest int) jsontext.Value {
	switch value.Kind() {
	case '{':
		fields, err := decode[object](value)
		if err != nil {
			return value
		}
		if text := fields.text("untrusted_text"); text != "" {
			if short := cutText(text, longest); len(short) < len(text) {
				fields.set("untrusted_text", short)
				fields.set("truncated", true)
			}
			return encode(fields)
		}
		for name, inner := range fields {
			fields[name] = shortenTexts(inner, longest)
		}
		return encode(fields)
	case '[':
		list, err := decode[[]jsontext.Value](value)
		if err != nil {
			return value
		}
		for i, inner := range list {
			list[i] = shortenTexts(inner, longest)
		}
		return encode(list)
	}
	return value
}

// textOrNull returns a text, or nil if it is empty.
func textOrNull(source, text string) *untrusted {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	t := newUntrusted(source, text, maxText)
	return &t
}

func cutText(text string, longest int) string {
	if utf8.RuneCountInString(text) <= longest {
		return text
	}
	return string([]rune(text)[:longest])
}

// cleanText removes invisible characters, which could hide instructions from the user, and
// breaks Markdown images and HTML, which clients might load.
func cleanText(text string) string {
	text = strings.Map(func(r rune) rune {
		if isHidden(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	return tagStart().ReplaceAllString(strings.ReplaceAll(text, "![", "! ["), "< $1")
}

var tagStart = lazyregexp.New(`<([A-Za-z/!?])`)

// isHidden reports whether a character is invisible: controls except tab and line feed, soft
// hyphen, zero-width characters, bidirectional controls, variation selectors and tags.
func isHidden(r rune) bool {
	if r == '\t' || r == '\n' {
		return false
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Variation_Selector, r) || unicode.Is(hidden, r)
}

var hidden = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x00ad, Hi: 0x00ad, Stride: 1},
		{Lo: 0x061c, Hi: 0x061c, Stride: 1},
		{Lo: 0x180e, Hi: 0x180e, Stride: 1},
		{Lo: 0x200b, Hi: 0x200f, Stride: 1},
		{Lo: 0x202a, Hi: 0x202e, Stride: 1},
		{Lo: 0x2060, Hi: 0x206f, Stride: 1},
		{Lo: 0xfeff, Hi: 0xfeff, Stride: 1},
	},
	R32: []unicode.Range32{{Lo: 0xe0000, Hi: 0xe007f, Stride: 1}},
}

// plainSymbol matches the symbols that cannot be sentences.
var plainSymbol = lazyregexp.New(`^[A-Z0-9][A-Z0-9.:/_^=+-]{0,31}$`)

// instrumentTypes are the known instrument types. Files may have others, in any words.
var instrumentTypes = []string{
	instruments.TypeStock, instruments.TypeOption, instruments.TypeFuture, instruments.TypeForex, instruments.TypeCrypto, instruments.TypeCFD,
}

// setInstrumentType replaces an unknown type, in a field, by other.
func setInstrumentType(row object, field string) {
	if !slices.Contains(instrumentTypes, row.text(field)) {
		row.set(field, "other")
	}
}

// setSymbol replaces a row's symbol, in a field, by null and a text next to it, unless it is
// plain.
func setSymbol(row object, field string) {
	text := row.text(field)
	if text == "" || plainSymbol().MatchString(text) {
		return
	}
	row[field] = jsontext.Value("null")
	row.set("symbol_text", newUntrusted("symbol", text, maxName))
}
