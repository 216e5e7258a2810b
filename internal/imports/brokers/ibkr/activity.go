package ibkr

import (
	"slices"
	"strings"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
	"fillbook/internal/imports/tabular"
	"fillbook/internal/instruments"
)

// Sections by name, in English and in German.
var (
	tradeSections      = map[string]bool{"trades": true, "transaktionen": true}
	instrumentSections = map[string]bool{"financial instrument information": true, "informationen zum finanzinstrument": true}
	rateSections       = map[string]bool{"base currency exchange rate": true, "wechselkurs der basiswährung": true}
	leftOutSections    = map[string]string{
		"corporate actions": "splits, mergers and new symbols are not trades",
		"kapitalmaßnahmen":  "splits, mergers and new symbols are not trades",
		"transfers":         "they name no price; enter the position by hand",
	}
)

// activityStatement reads the activity statement as CSV: sections of trades and
// of each sort of cash, in the language of the account. The German names are
// known from other people's code only.
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
		switch {
		case instrumentSections[p.name]:
			l.readMultipliers(p)
		case rateSections[p.name]:
			l.readRates(p)
		}
	}
	for _, p := range list {
		switch {
		case tradeSections[p.name]:
			l.readTrades(p)
		case isCash(p.name):
			l.readCash(p)
		case leftOutSections[p.name] != "":
			r.Out.Warn("The section %q was left out: %s.", p.table.Rows[p.header].Cells[0], leftOutSections[p.name])
			l.skipSection(p, p.name)
		}
	}
	l.finish()
	return nil
}

// skipSection counts the data rows of a section that is left out.
func (l *report) skipSection(p part, reason string) {
	l.r.Section(p.table, p.header, p.end).EachRow(func(w *statement.Row) {
		if rowKind(w) != "Data" || len(w.Cells) > 2 && strings.HasPrefix(strings.ToLower(w.Cells[2]), "total") {
			w.Drop()
			return
		}
		w.NoteAccount("Account|Konto")
		w.Skip("%s", reason)
	})
}

// readMultipliers keeps the multipliers that the statement has by symbol. A contract
// that was renamed has both names, with a comma between.
func (l *report) readMultipliers(p part) {
	for w := range p.facts(l.r) {
		multiplier := w.Null("Multiplier|Multiplikator")
		if w.Failed() || !multiplier.Valid {
			continue
		}
		kind := assetClass(w.Text(statementClass))
		for symbol := range strings.SplitSeq(w.Text("Symbol"), ",") {
			l.multipliers[kind+" "+strings.TrimSpace(symbol)] = multiplier
		}
	}
}

// readRates keeps the rates to the base currency that the statement has.
func (l *report) readRates(p part) {
	for w := range p.facts(l.r) {
		if rate := w.Null("Exchange Rate|Wechselkurs|Kurs"); rate.Valid {
			l.rates[strings.ToUpper(w.Text(statementCurrency))] = rate
		}
	}
}

// readTrades reads a part of the trades. If the rows of orders are followed by
// the trades that they were filled with, those repeat them.
func (l *report) readTrades(p part) {
	wanted := "Order"
	if !slices.ContainsFunc(p.table.Rows[p.header+1:p.end], func(row tabular.Row) bool { return len(row.Cells) > 2 && row.Cells[2] == wanted }) {
		wanted = "Trade"
	}
	commission := commissionColumn(p.table.Rows[p.header].Cells)
	l.r.Section(p.table, p.header, p.end).EachRow(func(w *statement.Row) {
		switch {
		case rowKind(w) == "Total":
			l.addTotals(w, commission)
			w.Drop()
		case rowKind(w) != "Data" || len(w.Cells) < 3 || w.Cells[2] != wanted:
			w.Drop()
		default:
			l.readOrder(w, commission)
		}
	})
}

const (
	statementClass    = "Asset Category|Vermögenswertkategorie|Anlagekategorie"
	statementCurrency = "Currency|Währung"
)

// commissionColumn finds the column of commissions, which for currency trades
// has the account's currency in its name: "Comm in USD".
func commissionColumn(header []string) string {
	for _, name := range header {
		lower := strings.ToLower(name)
		if strings.HasPrefix(lower, "comm") || strings.HasPrefix(lower, "prov") {
			return name
		}
	}
	return "Comm/Fee"
}

// readOrder reads one order.
func (l *report) readOrder(w *statement.Row, commission string) {
	w.NoteAccount("Account|Konto")
	f := statement.Fill{Price: w.Required("T. Price|T.-Kurs"), Commission: w.Cost(commission)}
	marks := splitCodes(w.Text("Code"))
	symbol := w.Text("Symbol")
	if l.skipConversion(w, symbol, marks) {
		return
	}
	kind := assetClass(w.Text(statementClass))
	setInstrument(&f, symbol, kind, l.multipliers[kind+" "+symbol])
	quantity := w.Required("Quantity|Menge")
	canceled := slices.Contains(marks, "Ca")
	f.Quantity, f.Side = quantity, readSide(w, "", quantity, false)
	f.Effect = readEffect(marks)
	at := w.Moment("Date/Time|Datum/Zeit")
	f.At, f.DateOnly = at.At, at.DateOnly
	l.noteCurrency(&f, w.Text(statementCurrency))
	inferMultiplier(w, &f)
	if proceeds := w.Null("Proceeds|Erlös"); proceeds.Valid && f.Type != instruments.TypeForex && f.Type != instruments.TypeFuture {
		f.StatedCashFlow = decimal.Of(proceeds.Decimal.Sub(f.Commission))
	}
	l.emitFill(w, f, canceled)
}

// inferMultiplier finds the multiplier of an unknown future by the value that the
// statement has for the order.
func inferMultiplier(w *statement.Row, f *statement.Fill) {
	value := w.Null("Notional Value|Nominalwert")
	worth := f.Quantity.Mul(f.Price).Abs()
	if _, known := instruments.ParseFuture(f.Symbol); known || f.Multiplier.Valid || !value.Valid || worth.IsZero() {
		return
	}
	if multiplier := value.Decimal.Abs().DivRound(worth, 6); multiplier.Sign() > 0 {
		f.Multiplier = decimal.Of(multiplier)
	}
}

// addTotals adds up what the statement says in total, by currency: of several only
// each for itself could be compared.
func (l *report) addTotals(w *statement.Row, commission string) {
	currency := w.Text(statementCurrency)
	if currency == "" {
		return
	}
	if n := w.Null("Realized P/L|Realisierter G/V|Realisierter G&V"); n.Valid {
		l.realized[currency] = l.realized[currency].Add(n.Decimal)
	}
	if n := w.Null(commission); n.Valid {
		l.commission[currency] = l.commission[currency].Add(n.Decimal)
	}
}

// readCash reads a section of cash. Its sums are data rows too, with a
// word in place of the currency.
func (l *report) readCash(p part) {
	l.r.Section(p.table, p.header, p.end).EachRow(func(w *statement.Row) {
		currency := w.Text(statementCurrency)
		if rowKind(w) != "Data" || len(currency) != 3 {
			w.Drop()
			return
		}
		w.NoteAccount("Account|Konto")
		at := w.Moment("Date|Settle Date|Datum|Abrechnungsdatum|Date/Time|Datum/Zeit")
		if rate := l.rates[strings.ToUpper(currency)]; rate.Valid {
			w.Rate(currency, baseOf(w.Reader()), rate.Decimal, at.At)
		}
		emitCash(w, p.name, statement.Cash{Amount: w.Required("Amount|Betrag"), At: at.At, Currency: currency, Note: w.Text("Description|Beschreibung")})
	})
}
