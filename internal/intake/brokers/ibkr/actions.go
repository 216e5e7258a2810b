package ibkr

import (
	"strings"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/lazyregexp"
	"fillbook/internal/intake/parse"
	"fillbook/internal/intake/statement"
	"fillbook/internal/trading/instruments"
)

var (
	// actionText is the description of a corporate action: the symbol on which it acts, its
	// number in parentheses, and what happens.
	actionText = lazyregexp.New(`(?i)^([^\s(]+) ?(?:\([^)]*\))? ` +
		`((SPLIT|SPINOFF|STOCK DIVIDEND|CUSIP/ISIN CHANGE TO|TENDERED TO|MERGED ?\([^)]*\) WITH|CASH AND STOCK MERGER)\b.*)$`)
	// actionSecurity ends a description: symbol, name and number of the row's security.
	actionSecurity = lazyregexp.New(` \(([^,()\s]+), .*\)$`)
	// mergerForCash is the description of a merger that pays only cash for the shares.
	mergerForCash = lazyregexp.New(`(?i)^([^\s(]+) ?(?:\([^)]*\))? MERGED ?\([^)]*\) FOR ([A-Z]{3}) (\d+(?:\.\d+)?) PER SHARE\b`)
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
func (l *report) readAction(w *statement.Row) bool {
	text, day := strings.Join(strings.Fields(w.Text("description|Description")), " "), w.Text("reportDate|Report Date")
	if sort := strings.ToLower(w.Text("assetCategory|Asset Category")); day == "" || sort != "" && sort != "stk" && sort != "stocks" {
		return false
	}
	if found := mergerForCash().FindStringSubmatch(text); found != nil {
		return l.readMergerForCash(w, found, day)
	}
	found := actionText().FindStringSubmatch(text)
	if found == nil {
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

// readMergerForCash reads a row about shares that a merger replaces by cash: a fill at the price
// that found has after symbol and currency. It reports false if the price is in another currency.
func (l *report) readMergerForCash(w *statement.Row, found []string, day string) bool {
	quantity, currency := w.Decimal("quantity|Quantity"), w.Text("currency|Currency")
	price, err := decimal.ParseExact(found[3])
	if err != nil || quantity.IsZero() || currency != "" && !strings.EqualFold(currency, found[2]) {
		return false
	}
	at := w.At(day)
	f := statement.Fill{
		Side: readSide(w, "", quantity, false), Quantity: quantity.Abs(), Price: price, At: at.At, DateOnly: at.DateOnly,
		Effect: parse.Closing, ID: w.Text("transactionID"), StatedCashFlow: w.Null("proceeds|Proceeds"),
	}
	setInstrument(&f, actionSymbol(found[1]), instruments.TypeStock, decimal.Null{})
	l.noteCurrency(&f, currency)
	l.emitFill(w, f, false)
	return true
}

// actionSymbol returns a symbol without the end that names replaced shares.
func actionSymbol(text string) string { return strings.TrimSuffix(strings.ToUpper(text), ".OLD") }
