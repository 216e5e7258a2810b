package journal

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The longest texts, in characters or bytes. The
// page and the CLI use the same limits.
const (
	MaxName      = 200
	MaxSymbol    = 64
	MaxNoteBytes = 256 << 10
)

// CleanName cleans a short text from a user: trimmed, at most MaxName characters, no
// control characters. It may be empty.
func CleanName(field, text string) (string, error) {
	return cleanLine(field, text, MaxName)
}

// CleanRequiredName is CleanName for required texts.
func CleanRequiredName(field, text string) (string, error) {
	name, err := CleanName(field, text)
	if err == nil && IsBlank(name) {
		return "", InvalidField(field, "%s must not be empty.", field)
	}
	return name, err
}

// CleanSymbol cleans a ticker: trimmed, upper-cased, not blank, at most MaxSymbol
// characters.
func CleanSymbol(field, text string) (string, error) {
	symbol, err := cleanLine(field, text, MaxSymbol)
	if err != nil {
		return "", err
	}
	if IsBlank(symbol) {
		return "", InvalidField(field, "%s must not be empty.", field)
	}
	return strings.ToUpper(symbol), nil
}

// CheckText validates a long text, such as a note, and returns it unchanged.
func CheckText(field, text string) (string, error) {
	if len(text) > MaxNoteBytes {
		return "", InvalidField(field, "%s must be at most 256 KiB long.", field)
	}
	if !utf8.ValidString(text) {
		return "", errNotUTF8(field)
	}
	for _, r := range text {
		if unicode.IsControl(r) && r != '\n' && r != '\t' && r != '\r' {
			return "", InvalidField(field, "%s must not contain control characters.", field)
		}
	}
	return text, nil
}

// errNotUTF8 returns the error for invalid UTF-8, which PostgreSQL rejects and SQLite
// would store.
func errNotUTF8(field string) error {
	return InvalidField(field, "%s must be UTF-8 text.", field)
}

func cleanLine(field, text string, limit int) (string, error) {
	if !utf8.ValidString(text) {
		return "", errNotUTF8(field)
	}
	text = strings.TrimSpace(text)
	if utf8.RuneCountInString(text) > limit {
		return "", InvalidField(field, "%s must be at most %d characters long.", field, limit)
	}
	if strings.ContainsFunc(text, unicode.IsControl) {
		return "", InvalidField(field, "%s must not contain control characters.", field)
	}
	return text, nil
}

// IsBlank reports whether a text has only spaces and zero-width characters, which
// TrimSpace does not remove.
func IsBlank(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool {
		return !unicode.IsSpace(r) && !unicode.Is(unicode.Cf, r)
	})
}

// CleanCurrency returns a currency code in capital letters. It accepts three to five
// letters or digits: ISO codes and coins.
func CleanCurrency(field, text string) (string, error) {
	code := strings.ToUpper(strings.TrimSpace(text))
	plain := !strings.ContainsFunc(code, func(r rune) bool {
		return (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	})
	if !plain || len(code) < 3 || len(code) > 5 {
		return "", InvalidField(field, "%s must be a currency code of three to five letters or digits, such as USD.", field)
	}
	return code, nil
}
