package statement

import (
	"slices"
	"strings"
	"time"

	"fillbook/internal/intake/parse"
)

// Col names a column of a file or builds a value from several. Names are
// compared by [HeaderKey]; a name that the file has as it is written here wins
// over the signs below.
//
//	A|B       the first that the file has and that is filled in this row
//	A#2       the second column of that name
//	A*        A, followed only by a currency or a zone: Total (GBP), profit_usd, Time(UTC+8)
//	A…        the first name that begins with A
//	…A…       the first name that contains A
//	A>        the unnamed column to the right of A
//	A+B       the sum, for numbers
//	A$        the currency or coin of the amount in A
//	=X        the constant X
//	@x        a value that Parse or Prepare has set
//	{A} {B}   text with values in it; {day} is the day of the row, {file} the day in the file's name,
//	          {kind} the word for its kind in lower case
type Col = string

// Cols splits a list of names at its semicolons.
func Cols(list string) []Col { return strings.Split(list, ";") }

// expression is a Col with its columns looked up in one table.
type expression struct {
	columns []int // of an expression that is nothing but columns
	terms   []term
}

// term is one alternative of an expression. The first field that is set counts.
type term struct {
	parts    []part // of a text
	value    string // the name of a value that was set
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

// parse looks the columns of an expression up. It is called for every value, so
// it keeps its results.
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

// noExpression is that of a column that a layout does not have.
var noExpression expression

func (t term) isColumn() bool {
	return t.parts == nil && t.value == "" && !t.isConstant && t.money == nil
}

// splitAlternatives cuts an expression at the bars outside of braces.
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

// namedColumns lists the columns that one name without alternatives matches.
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

// columnsWhere lists the columns whose names begin with a text and end in a way
// that a function accepts; a column of exactly that name comes first.
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

// isUnitOfHeader reports whether the end of a header is only a currency or a
// zone, as in "Total (GBP)", "Net AUD", "profit_usd" and "Time(UTC+8)".
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

// isCurrencyCode reports whether a text has the form of a currency's code.
func isCurrencyCode(text string) bool {
	const length = 3
	return len(text) == length && strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// isUnnamed reports whether a column has no name and so belongs to the one on
// its left. Names that the reader has numbered count as none.
func (r *table) isUnnamed(i int) bool {
	if i >= len(r.header) {
		return true
	}
	name := HeaderKey(r.header[i])
	return name == "" || name[0] == '#'
}

// resolve returns the column and the text of an expression in this row. The
// column is -1 for a value that is not in one.
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

// buildText puts the values of a row into a text. With whole set, the result is
// empty if one of the values is.
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
	// What separates a value that is not there is not kept.
	return strings.Trim(strings.Join(strings.Fields(b.String()), " "), " :,/")
}

// day returns the day of the row on the file's clock, empty before its time was
// read.
func (w *cells) day() string {
	if w.at.At.IsZero() {
		return ""
	}
	return w.at.At.In(w.r.location()).Format(time.DateOnly)
}

// location returns the zone of the file as the standard library has it.
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

// Clear empties columns of the row.
func (w *cells) Clear(names Col) {
	w.Cells = slices.Clone(w.Cells)
	for _, i := range w.r.columnsNamed(names) {
		if i < len(w.Cells) {
			w.Cells[i] = ""
		}
	}
}

// currencyOfColumns returns the currency of the first amount in some columns.
func (w *cells) currencyOfColumns(columns []int) string {
	for _, i := range columns {
		if code := w.currencyOf(i); code != "" {
			return code
		}
	}
	return ""
}

// currencyOf returns the currency that is written with the amount in a column:
// in the name of the column, in the unnamed column beside it, in a column
// "Currency (name)", or as a sign or code at the number itself.
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

// currencyInHeader returns the currency that the name of a column ends with.
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

// cutUnit separates a number from the coin, code or sign of a currency that is
// written with it.
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

// sumParts returns the columns of a sum, one expression for each.
func sumParts(col Col) []Col {
	if col == "" {
		return nil
	}
	if strings.Contains(col, "{") || !strings.Contains(col, "+") {
		return []Col{col}
	}
	return strings.Split(col, "+")
}
