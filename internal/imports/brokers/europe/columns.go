package europe

import (
	"strings"

	"fillbook/internal/imports/statement"
)

// called finds the column that has one of the names, by itself or with a
// currency behind it: "Result", "Result (GBP)", "Value EUR". It gives the name
// as the file writes it, or nothing, and the currency.
func called(r *statement.Reader, names string) (column, currency string) {
	for name := range strings.SplitSeq(names, "|") {
		key := statement.HeaderKey(name)
		for _, header := range r.Out.Headers {
			rest, ok := strings.CutPrefix(statement.HeaderKey(header), key)
			if !ok {
				continue
			}
			if rest == "" {
				return header, ""
			}
			if code := strings.Trim(rest, " ()"); rest[0] == ' ' && isCode(strings.ToUpper(code)) {
				return header, strings.ToUpper(code)
			}
		}
	}
	return "", ""
}

// isCode tells the code of a currency from other text.
func isCode(text string) bool {
	return len(text) == 3 && strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// isISIN reports whether a text is the number of a security.
func isISIN(text string) bool {
	const length = 12
	return len(text) == length && strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == "" && strings.Trim(text[:2], "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// symbolOf is what a security is called that has no ticker: its ISIN, or its
// name.
func symbolOf(isin, name string) string {
	isin = strings.ToUpper(strings.TrimSpace(isin))
	if isISIN(isin) {
		return isin
	}
	return strings.ToUpper(strings.Join(strings.Fields(name), " "))
}
