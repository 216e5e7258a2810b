package statement

import (
	"slices"
	"strings"

	"fillbook/internal/base/decimal"
	"fillbook/internal/intake/parse"
	"fillbook/internal/intake/tabular"
	"fillbook/internal/trading/matching"
)

const (
	// maxContentRows is how many rows are looked at to recognize a column by its
	// values, and longestWord how long a value may be.
	maxContentRows = 1000
	longestWord    = 60
)

// wordCounts counts the side words and order state words in a column.
type wordCounts struct {
	values      int
	buys, sells int
	letters     int // side words with one letter
	states      int // order state words
	strong      int // states only an order can have
}

func (c wordCounts) sides() int { return c.buys + c.sells }

// isSide reports whether every value is a word for a side. Single letters are
// accepted if both sides occur, or if the column is named like a side.
func (c wordCounts) isSide(named bool) bool {
	both := c.buys > 0 && c.sells > 0
	return c.values > 0 && c.sides() == c.values && (named || both || c.letters < c.values)
}

// isMostlySide reports whether most values are side words, and both sides occur: an
// activity column with dividends among them.
func (c wordCounts) isMostlySide() bool {
	return c.buys > 0 && c.sells > 0 && c.sides()*2 > c.values && c.letters == 0
}

// isStatus reports whether the values are order states. A column without a name for them
// must hold nothing else.
func (c wordCounts) isStatus(named bool) bool {
	if named {
		return c.strong > 0
	}
	return c.strong > 0 && c.states == c.values
}

// countWords counts the words in each column below the header.
func countWords(rows []tabular.Row, columns int) []wordCounts {
	counts := make([]wordCounts, columns)
	words := map[string]wordCounts{}
	for _, row := range rows[:min(len(rows), maxContentRows)] {
		for i, cell := range row.Cells[:min(len(row.Cells), columns)] {
			if !parse.Blank(cell) {
				counts[i].add(countWord(words, cell))
			}
		}
	}
	return counts
}

func (c *wordCounts) add(d wordCounts) {
	c.values += d.values
	c.buys += d.buys
	c.sells += d.sells
	c.letters += d.letters
	c.states += d.states
	c.strong += d.strong
}

// countWord returns the counts for a value. It keeps those for the first words, because
// words repeat in their columns; ids do not.
func countWord(known map[string]wordCounts, cell string) wordCounts {
	if parse.IsDigit(cell[0]) {
		return wordCounts{values: 1}
	}
	c, found := known[cell]
	if !found {
		c = newWordCounts(cell)
		const most = 200
		if len(known) < most {
			known[cell] = c
		}
	}
	return c
}

func newWordCounts(cell string) (c wordCounts) {
	c.values = 1
	// 0 and 1 number the sides in one platform's own files only.
	if first := cell[0]; len(cell) > longestWord || parse.IsDigit(first) || first == '-' || first == '+' {
		return c
	}
	if side, _, ok := parse.LeadingSide(cell); ok {
		if side == matching.Buy {
			c.buys++
		} else {
			c.sells++
		}
		if len([]rune(parse.TrimCell(cell))) == 1 {
			c.letters++
		}
	}
	if parse.Status(cell) != parse.StatusUnknown {
		c.states++
		if parse.IsStrongStatus(cell) {
			c.strong++
		}
	}
	return c
}

// weakSides are column names that may hold a side but mostly hold something else. Such a
// column is the side only if it has side words.
var weakSides = parse.WordSet(
	"type", "typ", "tipo", "transaction", "operation", "trade type", "tradetype", "action", "transaction type", "activity type", "activity", "trans",
	"trans code", "way", "position", "opération", "operación", "operacion", "operazione", "operação", "operacao", "vorgang", "transaktion", "transaktionstyp",
	"transaktionsart", "geschäftsart", "buchungsart", "movimiento", "movimento", "mouvement", "transactie", "タイプ", "取引", "取引区分", "typ av transaktion",
	"transactietype", "tipo operazione", "tipo de operación", "tipo operação",
)

// SuggestColumns is [SuggestMapping] with a look at the values: side and order status are
// recognized by their words, whatever the column is called, and a column chosen by its
// name only is dropped if its values say otherwise.
func SuggestColumns(headers []string, rows []tabular.Row) map[Target]int {
	return suggestColumns(headers, rows, countWords(rows, len(headers)))
}

// suggestColumns is SuggestColumns with the counted words in each column.
func suggestColumns(headers []string, rows []tabular.Row, counts []wordCounts) map[Target]int {
	columns := SuggestMapping(headers)
	if i := findSide(headers, counts, columns); i >= 0 {
		release(columns, i)
		columns[TargetSide] = i
	} else if named, ok := columns[TargetSide]; ok && weakSides[HeaderKey(headers[named])] && counts[named].values > 0 {
		delete(columns, TargetSide)
	}
	if _, ok := columns[TargetSymbol]; !ok {
		if i := findPairs(headers, rows); i >= 0 {
			release(columns, i)
			columns[TargetSymbol] = i
		}
	}
	delete(columns, TargetStatus)
	if i := findStatus(headers, counts, columns); i >= 0 {
		release(columns, i)
		columns[TargetStatus] = i
	}
	return columns
}

// findPairs finds a column named like a market that holds only coin pairs, -1 for none.
// Any other market is where a trade happened, not what was traded.
func findPairs(headers []string, rows []tabular.Row) int {
	for i, header := range headers {
		if !marketNames[lettersOf(header)] {
			continue
		}
		pairs, others := 0, 0
		for _, row := range rows[:min(len(rows), maxContentRows)] {
			switch {
			case i >= len(row.Cells) || parse.Blank(row.Cells[i]):
			case isPair(row.Cells[i]):
				pairs++
			default:
				others++
			}
		}
		if pairs > 0 && others == 0 {
			return i
		}
	}
	return -1
}

// isPair reports whether a text is two coins, the second a quote coin.
func isPair(text string) bool {
	base, quote := SplitPair(text)
	const shortest, longest = 2, 10
	return len(base) >= shortest && len(base) <= longest && slices.Contains(quoteCoins, quote)
}

// release frees a column from the target suggested by its name.
func release(columns map[Target]int, column int) {
	for target, i := range columns {
		if i == column {
			delete(columns, target)
		}
	}
}

// findSide finds the side column by its words: a column with a name for it that holds
// nothing else, then any other that holds nothing else, then columns with other words
// too. It returns -1 for none.
func findSide(headers []string, counts []wordCounts, columns map[Target]int) int {
	named := columnsMeaning(headers, TargetSide)
	var others []int
	for i := range headers {
		if !slices.Contains(named, i) && !isTaken(columns, i) {
			others = append(others, i)
		}
	}
	for _, test := range []struct {
		list []int
		fits func(wordCounts) bool
	}{
		{named, func(c wordCounts) bool { return c.isSide(true) }},
		{others, func(c wordCounts) bool { return c.isSide(false) }},
		{named, func(c wordCounts) bool { return c.sides() > 0 }},
		{others, wordCounts.isMostlySide},
	} {
		for _, i := range test.list {
			if test.fits(counts[i]) {
				return i
			}
		}
	}
	return -1
}

// findStatus finds the column with order states, -1 for none.
func findStatus(headers []string, counts []wordCounts, columns map[Target]int) int {
	named := columnsMeaning(headers, TargetStatus)
	for _, i := range named {
		orders := strings.Contains(HeaderKey(headers[i]), "order")
		if counts[i].isStatus(true) || orders && counts[i].states > 0 {
			return i
		}
	}
	for i := range headers {
		if !slices.Contains(named, i) && columns[TargetSide] != i && !isTaken(columns, i) && counts[i].isStatus(false) {
			return i
		}
	}
	return -1
}

// columnsMeaning lists the columns whose names mean a target, best first.
func columnsMeaning(headers []string, target Target) []int {
	return newSuggestion(headers).columns[target]
}

// isTaken reports whether a column's name has a meaning its words cannot change: the
// symbols C, S and V are no sides.
func isTaken(columns map[Target]int, column int) bool {
	for _, target := range []Target{TargetSymbol, TargetOptionRight, TargetCurrency, TargetInstrumentType} {
		if i, ok := columns[target]; ok && i == column {
			return true
		}
	}
	return false
}

// filledNames are column names for an order's filled quantity.
var filledNames = func() map[string]bool {
	set := map[string]bool{}
	for _, name := range []string{
		"filled qty", "filled quantity", "fill qty", "fill quantity", "qty filled", "quantity filled", "qty done", "executed qty", "executed quantity",
		"filled volume", "filled amount", "executed amount", "filled", "executed", "fill size", "filled size", "executed size", "executed volume",
		"cum qty", "cumqty", "cumulative qty", "cumulative quantity", "cum quantity", "exec qty", "qty executed", "quantity executed", "filled shares",
		"executed shares", "shares filled", "traded qty", "traded quantity", "done qty",
		"erfüllungsmenge", "ausgeführte menge", "ausgeführte stück", "ausgeführt", "menge ausgeführt", "quantité exécutée", "qté exécutée", "exécuté",
		"cantidad ejecutada", "ejecutado", "quantità eseguita", "eseguito", "quantidade executada", "uitgevoerd aantal", "uitgevoerd", "utfört antal",
		"約定数量", "成交数量",
	} {
		set[lettersOf(name)] = true
	}
	return set
}()

// filledColumn finds the column with filled quantities, -1 for none. The status column
// may have the same name.
func (r *table) filledColumn() int {
	if r.filled == nil {
		r.filled = []int{}
		for i, header := range r.header {
			if filledNames[lettersOf(header)] && looksNumeric(r.values(i)) {
				r.filled = append(r.filled, i)
			}
		}
	}
	if len(r.filled) == 0 {
		return -1
	}
	return r.filled[0]
}

// filledQuantity returns an order's filled quantity, if a column has it.
func (w *cells) filledQuantity() decimal.Null {
	i := w.r.filledColumn()
	if i < 0 || i >= len(w.Cells) || parse.Blank(w.Cells[i]) {
		return decimal.Null{}
	}
	n, err := parse.Number(w.Cells[i], w.r.separator(i))
	if err != nil {
		return decimal.Null{}
	}
	return decimal.Of(n)
}
