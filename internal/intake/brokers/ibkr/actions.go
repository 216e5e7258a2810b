package ibkr

import (
	"strings"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/lazyregexp"
	"fillbook/internal/intake/parse"
	"fillbook/internal/intake/statement"
)

var (
	// actionText is the description of a corporate action: the symbol on which it acts, its
	// number in parentheses, and what happens.
	actionText = lazyregexp.New(`(?i)^([^\s(]+) ?(?:\([^)]*\))? ` +
		`((SPLIT|SPINOFF|STOCK DIVIDEND|CUSIP/ISIN CHANGE TO|TENDERED TO|MERGED ?\([^)]*\) WITH|CASH AND STOCK MERGER)\b.*)$`)
	// actionSecurity ends a description: symbol, name and number of the row's security.
	actionSecurity = lazyregexp.New(` \(([^,()\s]+), .*\)$`)
	// actionCash is what an exchange pays for a share.
	actionCash = lazyregexp.New(`(?i) AND ([A-Z]{3}) (\d+(?:\.\d+)?)$`)
)

// actionKinds are the first words of descriptions.
var actionKinds = map[string]statement.ActionKind{
	"split": statement.ActionSplit, "spinoff": statement.ActionSpinOff, "stock dividend": statement.ActionStockDividend,
}

// readAction reads a row about a corporate action of shares, and reports whether it is one
// that can be recorded. Both the new shares and the old ones can have a row, with the same
// text before their security.
func readAction(w *statement.Row) bool {
	text, day := strings.Join(strings.Fields(w.Text("description|Description")), " "), w.Text("reportDate|Report Date")
	found := actionText().FindStringSubmatch(text)
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
	word := strings.ToLower(found[3])
	a := statement.ActionRow{
		Kind: actionKinds[word], Parent: actionSymbol(found[1]), Symbol: actionSymbol(found[1]), Day: w.Reader().ActionDay(at),
		Quantity: w.Decimal("quantity|Quantity"), Side: parse.EffectUnknown, Text: found[2], Optional: word == "tendered to",
	}
	if security := actionSecurity().FindStringSubmatchIndex(found[2]); security != nil {
		a.Symbol, a.Text = actionSymbol(found[2][security[2]:security[3]]), found[2][:security[0]]
	}
	if a.Kind == "" {
		a.Kind = statement.ActionExchange
	}
	a.Group = a.Text
	if cash := actionCash().FindStringSubmatch(a.Text); cash != nil {
		if currency := w.Text("currency|Currency"); currency != "" && !strings.EqualFold(currency, cash[1]) {
			return false // what it pays cannot be compared with the price
		}
		n, err := decimal.ParseExact(cash[2])
		if err != nil {
			return false
		}
		a.Cash = decimal.Of(n)
	}
	out, number := w.Reader().Out, w.Number
	w.Action(a, func() { out.WarnRow(number, "What this corporate action changes cannot be read.") })
	return true
}

// actionSymbol returns a symbol without the end that names replaced shares.
func actionSymbol(text string) string { return strings.TrimSuffix(strings.ToUpper(text), ".OLD") }
