package statement

import (
	"slices"
	"strings"
	"time"

	"fillbook/internal/intake/parse"
)

// Col names a column or builds a value from several. Names are compared by [HeaderKey]; a
// column with exactly this name wins over the signs below.
//
//	A|B       the first column in the file that is filled in this row
//	A#2       the second column named A
//	A*        A, followed only by a currency or a zone: Total (GBP), profit_usd, Time(UTC+8)
//	A…        the first name beginning with A
//	…A…       the first name containing A
//	A>        the unnamed column to the right of A
//	A+B       the sum, for numbers
//	A$        the currency or coin of the amount in A
//	=X        the constant X
//	@x        a value set by Parse or Prepare
//	{A} {B}   text with values in it; {day} is the row's day, {file} the day in the file's name,
//	          {kind} the word for its kind in lower case
type Col = string

// Cols splits a list of names at semicolons.
func Cols(list string) []Col { return strings.Split(list, ";") }

// expression is a Col with its columns looked up in one table.
type expression struct {
	columns []int // if the expression has only columns
	terms   []term
}

// term is an alternative in an expression. The first field set counts.
type term struct {
	parts    []part // for a text
	value    string // name of a value that was set
	constant string
	money    []int // the columns whose currency is wanted
	column   int

	isConstant bool
}

// part is a literal or an expression inside a text.
type part struct {
	literal string
	inner   Col
}

// parse looks up the columns in an expression. It is called for every value, so it keeps
// its results.
func (r *table) parse(col Col) *expression {
	if col == "" {
		return &noExpression
	}
	recent := &r.recent[(len(col)*31+int(col[0])*7+int(col[len(col)-1]))%len(r.recent)]
	if recent.col == col {
		return recent.expression
	}
	e := r.expressions[col]
	if e == nil {
		e = r.newExpression(col)
		r.expressions[col] = e
	}
	recent.col, recent.expression = col, e
	return e
}

// newExpression looks up the columns in an expression.
func (r *table) newExpression(col Col) *expression {
	e := &expression{}
	plain := true
	for _, alternative := range splitAlternatives(col) {
		terms := r.parseTerm(alternative)
		for _, t := range terms {
			plain = plain && t.isColumn()
			e.columns = append(e.columns, t.column)
		}
		e.terms = append(e.terms, terms...)
	}
	if plain {
		e.terms = nil
	} else {
		e.columns = nil
	}
	return e
}

// noExpression is for a column missing from the layout.
var noExpression expression

func (t term) isColumn() bool {
	return t.parts == nil && t.value == "" && !t.isConstant && t.money == nil
}

// splitAlternatives cuts an expression at the bars outside braces.
func splitAlternatives(col Col) []string {
	if !strings.Contains(col, "{") {
		return strings.Split(col, "|")
	}
	var list []string
	depth, start := 0, 0
	for i := range len(col) {
		switch col[i] {
		case '{':
			depth++
		case '}':
			depth--
		case '|':
			if depth == 0 {
				list = append(list, col[start:i])
				start = i + 1
			}
		}
	}
	return append(list, col[start:])
}

func (r *table) parseTerm(name string) []term {
	if i, ok := r.index[HeaderKey(name)]; ok && name != "" {
		return []term{{column: i}}
	}
	switch {
	case strings.Contains(name, "{"):
		return []term{{parts: parseText(name)}}
	case strings.HasPrefix(name, "="):
		return []term{{constant: name[1:], isConstant: true}}
	case strings.HasPrefix(name, "@"):
		return []term{{value: name[1:]}}
	case strings.HasSuffix(name, "$"):
		if columns := r.namedColumns(strings.TrimSuffix(name, "$")); columns != nil {
			return []term{{money: columns}}
		}
		return nil
	}
	var terms []term
	for _, i := range r.namedColumns(name) {
		terms = append(terms, term{column: i})
	}
	return terms
}

// parseText cuts a text into literals and the expressions in braces.
func parseText(text string) []part {
	var parts []part
	for text != "" {
		before, rest, found := strings.Cut(text, "{")
		if before != "" {
			parts = append(parts, part{literal: before})
		}
		if !found {
			break
		}
		inner, after, _ := strings.Cut(rest, "}")
		parts = append(parts, part{inner: inner})
		text = after
	}
	return parts
}

// namedColumns lists the columns matching a name without alternatives.
func (r *table) namedColumns(name string) []int {
	if base, nth, ok := strings.Cut(name, "#"); ok && isNumber(nth) { // "Trade #" is a name
		if i, found := r.index[HeaderKey(base)+"#"+nth]; found {
			return []int{i}
		}
	}
	if i, ok := r.index[HeaderKey(name)]; ok {
		return []int{i}
	}
	switch {
	case strings.HasSuffix(name, "*"):
		return r.columnsWhere(strings.TrimSuffix(name, "*"), isUnitOfHeader)
	case strings.HasPrefix(name, "…") && strings.HasSuffix(name, "…"):
		return r.columnsContaining(strings.Trim(name, "…"))
	case strings.HasSuffix(name, "…"):
		return r.columnsWhere(strings.TrimSuffix(name, "…"), func(string) bool { return true })
	case strings.HasSuffix(name, ">"):
		for _, i := range r.namedColumns(strings.TrimSuffix(name, ">")) {
			if r.isUnnamed(i + 1) {
				return []int{i + 1}
			}
		}
	}
	return nil
}

// columnsWhere lists the columns whose names begin with a text and end as accept allows;
// a column with exactly that name comes first.
func (r *table) columnsWhere(begin string, accept func(rest string) bool) []int {
	key := HeaderKey(begin)
	var list []int
	if i, ok := r.index[key]; ok {
		list = append(list, i)
	}
	for i, header := range r.header {
		rest, ok := strings.CutPrefix(HeaderKey(header), key)
		if ok && rest != "" && accept(header[len(header)-min(len(rest), len(header)):]) {
			list = append(list, i)
		}
	}
	return list
}

// columnsContaining lists the columns whose names contain a text.
func (r *table) columnsContaining(text string) []int {
	var list []int
	for i, header := range r.header {
		if strings.Contains(HeaderKey(header), HeaderKey(text)) {
			list = append(list, i)
		}
	}
	return list
}

// isUnitOfHeader reports whether a header's end is only a currency or a zone, as in
// "Total (GBP)", "Net AUD", "profit_usd" and "Time(UTC+8)".
func isUnitOfHeader(rest string) bool {
	if !strings.ContainsAny(rest[:1], " _([") {
		return false
	}
	inner := strings.Trim(rest, " _()[]:")
	if isCurrency(inner) || isCurrencyCode(inner) {
		return true
	}
	_, zone := parse.FindStatedZone(inner)
	return zone || parse.IsUniversal(inner)
}

// isCurrencyCode reports whether a text looks like a currency code.
func isCurrencyCode(text string) bool {
	const length = 3
	return len(text) == length && strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// isUnnamed reports whether a column has no name and so belongs to its left neighbor.
// Names numbered by the reader count as none.
func (r *table) isUnnamed(i int) bool {
	if i >= len(r.header) {
		return true
	}
	name := HeaderKey(r.header[i])
	return name == "" || name[0] == '#'
}

// resolve returns the column and text for an expression in this row. The column is -1 for
// a value outside the columns.
func (w *cells) resolve(terms []term) (column int, text string) {
	column = -1
	for _, t := range terms {
		switch {
		case t.parts != nil:
			if text := w.buildText(t.parts, false); text != "" {
				return -1, text
			}
		case t.value != "":
			if text := w.values[t.value]; text != "" {
				return -1, text
			}
		case t.isConstant:
			return -1, t.constant
		case t.money != nil:
			if code := w.currencyOfColumns(t.money); code != "" {
				return -1, code
			}
		case t.column < len(w.Cells):
			if column < 0 {
				column = t.column
			}
			if !parse.Blank(w.Cells[t.column]) {
				return t.column, w.Cells[t.column]
			}
		}
	}
	return column, ""
}

// buildText puts a row's values into a text. With whole set, the result is empty if any
// value is.
func (w *cells) buildText(parts []part, whole bool) string {
	var b strings.Builder
	filled := false
	for _, p := range parts {
		text := p.literal
		switch p.inner {
		case "":
		case "day":
			text = w.day()
		case "kind":
			text = WordKey(w.word)
		case "file":
			day, _ := DayInName(w.r.Hints.FileName, w.r.Hints.Order)
			text = string(day)
		default:
			text = w.Text(p.inner)
		}
		if p.inner != "" {
			if whole && text == "" {
				return ""
			}
			filled = filled || text != ""
		}
		b.WriteString(text)
	}
	if !filled {
		return ""
	}
	// A separator beside a missing value is dropped.
	return strings.Trim(strings.Join(strings.Fields(b.String()), " "), " :,/")
}

// day returns the row's day on the file's clock, empty before its time is read.
func (w *cells) day() string {
	if w.at.At.IsZero() {
		return ""
	}
	return w.at.At.In(w.r.location()).Format(time.DateOnly)
}

// location returns the file's zone as a standard library value.
func (r *Reader) location() *time.Location {
	if zone, err := time.LoadLocation(r.zone); err == nil {
		return zone
	}
	return time.UTC
}

// Set stores a value for expressions to use as @name.
func (w *cells) Set(name, value string) {
	if w.values == nil {
		w.values = map[string]string{}
	}
	w.values[name] = value
}

// Clear empties columns in this row.
func (w *cells) Clear(names Col) {
	w.Cells = slices.Clone(w.Cells)
	for _, i := range w.r.columnsNamed(names) {
		if i < len(w.Cells) {
			w.Cells[i] = ""
		}
	}
}

// currencyOfColumns returns the currency for the first amount in some columns.
func (w *cells) currencyOfColumns(columns []int) string {
	for _, i := range columns {
		if code := w.currencyOf(i); code != "" {
			return code
		}
	}
	return ""
}

// currencyOf returns the currency written with the amount in a column: in the column
// name, in the unnamed column beside it, in a column "Currency (name)", or as a sign or
// code at the number itself.
func (w *cells) currencyOf(i int) string {
	if code := currencyInHeader(w.r.header[i]); code != "" {
		return code
	}
	if i >= len(w.Cells) {
		return ""
	}
	if code := strings.TrimSpace(w.cell(i + 1)); isCurrencyCode(code) && w.r.isUnnamed(i+1) {
		return code
	}
	if code := strings.TrimSpace(w.Cells[i]); isCurrencyCode(code) {
		return code
	}
	if code := w.Text("Currency (" + strings.TrimSpace(w.r.header[i]) + ")"); code != "" {
		return code
	}
	_, code := cutUnit(w.Cells[i])
	return code
}

func (w *cells) cell(i int) string {
	if i < 0 || i >= len(w.Cells) {
		return ""
	}
	return w.Cells[i]
}

// currencyInHeader returns the currency at the end of a column name.
func currencyInHeader(header string) string {
	header = strings.TrimSpace(header)
	at := strings.LastIndexAny(header, " _([")
	if at <= 0 {
		return ""
	}
	code := strings.Trim(header[at:], " _()[]:")
	switch {
	case code == "PNL" || code == "QTY":
		return ""
	case isCurrencyCode(code):
		return code
	case len(code) >= len("usd") && slices.Contains(parse.MoneyWords, strings.ToLower(code)):
		return strings.ToUpper(code)
	}
	return ""
}

// signCurrencies maps signs to currencies.
var signCurrencies = map[string]string{"$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR"}

// cutUnit separates a number from the coin, currency code or currency sign written with
// it.
func cutUnit(text string) (number, unit string) {
	text = strings.TrimSpace(parse.TrimCell(text))
	for sign, code := range signCurrencies {
		if strings.Contains(text, sign) {
			return strings.TrimSpace(strings.Replace(text, sign, "", 1)), code
		}
	}
	at := strings.LastIndexAny(text, "0123456789.") + 1
	if unit := strings.TrimSpace(text[at:]); at > 0 && unit != "" && !strings.ContainsAny(unit, "%),") {
		return text[:at], strings.ToUpper(unit)
	}
	if at := strings.IndexAny(text, "-0123456789."); at > 0 {
		if unit := strings.TrimSpace(text[:at]); isCurrencyCode(unit) {
			return strings.TrimSpace(text[at:]), unit
		}
	}
	return text, ""
}

// sumParts returns the columns in a sum, one expression for each.
func sumParts(col Col) []Col {
	if col == "" {
		return nil
	}
	if strings.Contains(col, "{") || !strings.Contains(col, "+") {
		return []Col{col}
	}
	return strings.Split(col, "+")
}
