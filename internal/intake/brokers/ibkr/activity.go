package ibkr

import (
	"slices"
	"strings"

	"fillbook/internal/base/decimal"
	"fillbook/internal/intake/statement"
	"fillbook/internal/intake/tabular"
	"fillbook/internal/trading/instruments"
)

// leftOutReasons are why sections are left out.
var leftOutReasons = map[string]string{
	actionSectionName:   "they are not trades; record them under Corporate actions if they changed a position",
	transferSectionName: "they name no price; enter the position by hand",
}

// activityStatement reads the activity statement as CSV: sections for trades and each
// sort of cash, in the account's language; see words.go and shape.go.
func activityStatement() *statement.Preset {
	return &statement.Preset{
		Broker: broker, Export: "activity statement", Evidence: statement.SampleFile,
		Format: statement.Executions,
		Zone:   zone, Costs: statement.CostsNegative,
		Matches: func(file tabular.File) string {
			if isStatement(file) {
				return "the sections of an activity statement"
			}
			return ""
		},
		Whole: readActivity,
	}
}

func readActivity(r *statement.Reader) error {
	l := newReport(r)
	list := listParts(r.File)
	readAccount(r, list)
	for _, p := range list {
		switch p.kind { //nolint:exhaustive // the others are read below
		case instrumentPart:
			l.readMultipliers(p)
		case ratePart:
			l.readRates(p)
		}
	}
	for _, p := range list {
		switch p.kind { //nolint:exhaustive // the others are facts
		case tradePart:
			l.readTrades(p)
		case cashPart:
			l.readCash(p)
		case leftOutPart:
			if l.skipSection(p, p.name) {
				r.Out.Warn("The section %q was left out: %s.", p.table.Rows[p.header].Cells[0], leftOutReasons[p.name])
			}
		}
	}
	l.finish()
	return nil
}

// skipSection counts the data rows in a section left out, and reports whether there are any
// besides corporate actions, which are noted.
func (l *report) skipSection(p part, reason string) (left bool) {
	p.open(l.r).EachRow(func(w *statement.Row) {
		if rowKind(w) != "Data" || findCell(w.Cells, currencyCell()) < 0 { // sums have no currency
			w.Drop()
			return
		}
		w.NoteAccount("Account")
		if l.readAction(w) {
			return
		}
		w.Skip("%s", reason)
		left = true
	})
	return left
}

// readMultipliers keeps the statement's multipliers by symbol. A renamed contract has
// both names, with a comma between.
func (l *report) readMultipliers(p part) {
	for w := range p.facts(l.r) {
		multiplier := w.Null("Multiplier")
		if w.Failed() || !multiplier.Valid {
			continue
		}
		for symbol := range strings.SplitSeq(w.Text("Symbol"), ",") {
			symbol = strings.TrimSpace(symbol)
			l.multipliers[classOf(w.Text("Asset Category"), symbol)+" "+symbol] = multiplier
		}
	}
}

// readRates keeps the statement's rates to the base currency.
func (l *report) readRates(p part) {
	for w := range p.facts(l.r) {
		if rate := w.Null("Exchange Rate"); rate.Valid {
			l.rates[strings.ToUpper(w.Text("Currency"))] = rate
		}
	}
}

// readTrades reads a part with trades. If order rows are followed by the trades filling
// them, those repeat them.
func (l *report) readTrades(p part) {
	wanted := p.orderLevel()
	p.open(l.r).EachRow(func(w *statement.Row) {
		switch {
		case rowKind(w) == "Total":
			l.addTotals(w)
			w.Drop()
		case rowKind(w) != "Data" || len(w.Cells) < 3 || w.Cells[2] != wanted:
			w.Drop()
		default:
			l.readOrder(w)
		}
	})
}

// orderLevel returns the word for the rows to read: orders, or else executions. In a
// language with unknown words it is the one in the first timed row, because orders come
// first.
func (p *part) orderLevel() string {
	rows := p.cellsOf()
	for _, words := range []wordTable{orderWords, executionWords} {
		if i := slices.IndexFunc(rows, func(cells []string) bool { return words.find(cells[2]) != "" }); i >= 0 {
			return rows[i][2]
		}
	}
	if i := slices.IndexFunc(rows, func(cells []string) bool { return findCell(cells, timedCell()) >= 0 }); i >= 0 {
		return rows[i][2]
	}
	return "Order"
}

// readOrder reads one order.
func (l *report) readOrder(w *statement.Row) {
	w.NoteAccount("Account")
	f := statement.Fill{Price: w.Required("T. Price"), Commission: w.Cost("Comm/Fee")}
	marks := splitCodes(w.Text("Code"))
	symbol := w.Text("Symbol")
	if l.skipConversion(w, symbol, marks) {
		return
	}
	kind := classOf(w.Text("Asset Category"), symbol)
	setInstrument(&f, symbol, kind, l.multipliers[kind+" "+symbol])
	quantity := w.Required("Quantity")
	canceled := slices.Contains(marks, "Ca")
	f.Quantity, f.Side = quantity, readSide(w, "", quantity, false)
	f.Effect = readEffect(marks)
	setEnding(&f, marks)
	at := w.Moment("Date/Time")
	f.At, f.DateOnly = at.At, at.DateOnly
	l.noteCurrency(&f, w.Text("Currency"))
	inferMultiplier(w, &f)
	if proceeds := w.Null("Proceeds"); proceeds.Valid && f.Type != instruments.TypeForex && f.Type != instruments.TypeFuture {
		f.StatedCashFlow = decimal.Of(proceeds.Decimal.Sub(f.Commission))
	}
	l.emitFill(w, f, canceled)
}

// inferMultiplier finds an unknown future's multiplier by the order's stated value.
func inferMultiplier(w *statement.Row, f *statement.Fill) {
	column := "Notional Value"
	if f.Type == instruments.TypeFuture {
		column += "|Proceeds"
	}
	value := w.Null(column)
	worth := f.Quantity.Mul(f.Price).Abs()
	if _, known := instruments.ParseFuture(f.Symbol); known || f.Multiplier.Valid || !value.Valid || worth.IsZero() {
		return
	}
	if multiplier := value.Decimal.Abs().DivRound(worth, 6); multiplier.Sign() > 0 {
		f.Multiplier = decimal.Of(multiplier)
	}
}

// addTotals adds up the stated totals, by currency: several could only be compared each
// for itself.
func (l *report) addTotals(w *statement.Row) {
	currency := w.Text("Currency")
	if currency == "" {
		return
	}
	if n := w.Null("Realized P/L"); n.Valid {
		l.realized[currency] = l.realized[currency].Add(n.Decimal)
	}
	if n := w.Null("Comm/Fee"); n.Valid {
		l.commission[currency] = l.commission[currency].Add(n.Decimal)
	}
}

// readCash reads a cash section. Its sums are data rows too, with a word in place of the
// currency.
func (l *report) readCash(p part) {
	p.open(l.r).EachRow(func(w *statement.Row) {
		currency := strings.TrimSpace(w.Text("Currency"))
		if rowKind(w) != "Data" || !currencyCell().MatchString(currency) {
			w.Drop()
			return
		}
		w.NoteAccount("Account")
		at := w.Moment("Date|Date/Time")
		if rate := l.rates[strings.ToUpper(currency)]; rate.Valid {
			w.Rate(currency, baseOf(w.Reader()), rate.Decimal, at.At)
		}
		emitSectionCash(w, p.name, statement.Cash{Amount: w.Required("Amount"), At: at.At, Currency: currency, Note: w.Text("Description")})
	})
}
