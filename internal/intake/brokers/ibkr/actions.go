package ibkr

import (
	"regexp"
	"strings"

	"fillbook/internal/intake/parse"
	"fillbook/internal/intake/statement"
)

// splitText is the description of a split: the symbol, its ISIN in parentheses, and the ratio.
var splitText = regexp.MustCompile(`(?i)^([^\s(]+) ?(?:\([^)]*\))? SPLIT \d+ FOR \d+\b`)

// readSplit reads a row about a split of shares, and reports whether it is one. Both the new
// shares and the old ones can have a row, with the same description.
func readSplit(w *statement.Row) bool {
	text, day := strings.Join(strings.Fields(w.Text("description|Description")), " "), w.Text("reportDate|Report Date")
	found := splitText.FindStringSubmatch(text)
	if found == nil || day == "" {
		return false
	}
	if sort := strings.ToLower(w.Text("assetCategory|Asset Category")); sort != "" && sort != "stk" && sort != "stocks" {
		return false
	}
	at := w.At(day)
	if w.Failed() {
		return false
	}
	out := w.Reader().Out
	w.Split(statement.SplitRow{
		Symbol: strings.ToUpper(found[1]), Day: w.Reader().SplitDay(at), Quantity: w.Decimal("quantity|Quantity"), Side: parse.EffectUnknown, Text: text,
	}, func() { out.WarnRow(w.Number, "The ratio of this split cannot be read.") })
	return true
}
