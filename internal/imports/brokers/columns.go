package brokers

import (
	"strings"

	"fillbook/internal/imports/statement"
)

// called finds the column that has one of the names, by itself or with a
// currency or a zone behind it: "Net AUD", "Closing time (UTC-4)", "profit_usd".
// It gives the name as the file writes it, or nothing.
func called(r *statement.Reader, names string) string {
	for name := range strings.SplitSeq(names, "|") {
		for _, header := range r.Out.Headers {
			if isCalled(statement.HeaderKey(header), statement.HeaderKey(name)) {
				return header
			}
		}
	}
	return ""
}

func isCalled(header, name string) bool {
	rest, ok := strings.CutPrefix(header, name)
	if !ok || rest == "" {
		return ok
	}
	const longest = 6 // of a currency with its blank, such as USDT
	return strings.HasPrefix(strings.TrimSpace(rest), "(") || len(rest) <= longest && strings.ContainsAny(rest[:1], " _")
}

// currencyOf returns the currency after the name of a column, if there is a code.
func currencyOf(r *statement.Reader, name string) string {
	for _, header := range r.Out.Headers {
		key := statement.HeaderKey(header)
		if !isCalled(key, statement.HeaderKey(name)) {
			continue
		}
		code := strings.Trim(strings.ToUpper(key[len(statement.HeaderKey(name)):]), " ()_")
		if len(code) == 3 && strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" {
			return code
		}
	}
	return ""
}
