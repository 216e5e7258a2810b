package ibkr

import (
	"slices"
	"strings"

	"fillbook/internal/base/lazyregexp"
	"fillbook/internal/intake/statement"
	"fillbook/internal/intake/tabular"
)

// flexTrades reads a Flex query as CSV. Its owner ticks the columns, so any subset may
// come; a file may hold several sections, each with a header, with or without the codes
// HEADER and DATA before its rows. No such file was seen.
func flexTrades() *statement.Preset {
	return &statement.Preset{
		Broker: broker, Export: "Flex query", Evidence: statement.SampleFile, Format: statement.Executions,
		Header: []string{
			"Symbol|ISIN", "Quantity", flexPrice, "DateTime|Date/Time|TradeDate",
			"ClientAccountID|CurrencyPrimary|IBCommission|IBExecID|IBOrderID|Conid|LevelOfDetail",
		},
		Matches: looksFlex,
		Zone:    zone, Costs: statement.CostsNegative, Whole: readFlexCSV,
	}
}

// flexCash reads a query with cash transactions alone.
func flexCash() *statement.Preset {
	return &statement.Preset{
		Broker: broker, Export: "Flex query, cash", Evidence: statement.SampleFile, Format: statement.Executions,
		Header: []string{
			"Type", "Amount", "Description", "CurrencyPrimary|ClientAccountID|ISIN", "SettleDate|DateTime|Date/Time|ReportDate",
		},
		Without: []string{"Quantity", "Price"},
		Zone:    zone, Costs: statement.CostsNegative, Whole: readFlexCSV,
	}
}

var (
	flexStamp   = lazyregexp.New(`^\d{8};\d{6}`)
	flexAccount = lazyregexp.New(`^(U|DU|DF|F)\d{5,9}$`)
)

// looksFlex recognizes a query with few columns by its values: no other broker writes
// 20260105;093000, and account numbers have their own form.
func looksFlex(file tabular.File) string {
	for _, table := range file.Tables {
		for i := range min(len(table.Rows)-1, 20) {
			header := headerKeys(table.Rows[i].Cells)
			if sectionOf(header) != tradeSection {
				continue
			}
			for _, cell := range table.Rows[i+1].Cells {
				switch {
				case flexStamp().MatchString(cell):
					return "a time such as " + flexStamp().FindString(cell)
				case flexAccount().MatchString(cell) && slices.Contains(header, "account"):
					return "an account number of this broker"
				}
			}
		}
	}
	return ""
}

func headerKeys(cells []string) []string {
	keys := make([]string, len(cells))
	for i, c := range cells {
		keys[i] = statement.HeaderKey(c)
	}
	return keys
}

// mayBeHeader reports quickly whether a row can be a header, as most cannot.
func mayBeHeader(cells []string) bool {
	return slices.ContainsFunc(cells, func(c string) bool {
		switch len(c) {
		case len("Amount"):
			return strings.EqualFold(c, "Amount")
		case len("Quantity"):
			return strings.EqualFold(c, "Quantity")
		case len("ClientAccountID"): // and CurrencyPrimary
			return strings.EqualFold(c, "ClientAccountID") || strings.EqualFold(c, "CurrencyPrimary")
		}
		return false
	})
}

// The sorts of sections.
const (
	tradeSection = "trades"
	cashSection  = "cash"
	otherSection = "other"
)

// sectionOf returns a header row's section, empty for a row other than a header.
func sectionOf(keys []string) string {
	has := func(names string) bool {
		return slices.ContainsFunc(strings.Split(names, "|"), func(n string) bool { return slices.Contains(keys, n) })
	}
	switch {
	case has("quantity") && has("tradeprice|price") && has("symbol|isin") && has("datetime|date/time|tradedate"):
		return tradeSection
	case has("type") && has("amount") && has("settledate|datetime|date/time|reportdate"):
		return cashSection
	case has("clientaccountid|currencyprimary") && has("symbol|description|reportdate|accountalias|model"):
		return otherSection
	}
	return ""
}

// readFlexCSV reads a query's sections one after the other.
func readFlexCSV(r *statement.Reader) error {
	l := newReport(r)
	for _, table := range r.File.Tables {
		start, sort := -1, ""
		for i := range len(table.Rows) + 1 {
			next := ""
			if i < len(table.Rows) {
				if cells := table.Rows[i].Cells; mayBeHeader(cells) {
					next = sectionOf(headerKeys(cells))
				}
				if next == "" {
					continue
				}
			}
			if start >= 0 {
				l.readSection(table, sort, start, i)
			}
			start, sort = i, next
		}
	}
	l.finish()
	return nil
}

// readSection reads the rows between two headers.
func (l *report) readSection(table tabular.Table, sort string, header, end int) {
	if sort == otherSection {
		return
	}
	read := l.readFlexTrade
	if sort == cashSection {
		read = readFlexCash
	}
	level := finestLevel(listLevels(table, header, end))
	l.r.Section(table, header, end).EachRow(func(w *statement.Row) {
		if isControl(w.Cells) || level != "" && !isLevel(w, level) {
			w.Drop()
			return
		}
		read(w)
	})
}

// listLevels lists a section's detail levels.
func listLevels(table tabular.Table, header, end int) []string {
	column := slices.Index(headerKeys(table.Rows[header].Cells), "levelofdetail")
	if column < 0 {
		return nil
	}
	var list []string
	for _, row := range table.Rows[header+1 : end] {
		if column < len(row.Cells) {
			list = append(list, row.Cells[column])
		}
	}
	return list
}

// isControl reports whether a line begins and end a file, an account or a section.
func isControl(cells []string) bool {
	return len(cells) > 0 && slices.Contains([]string{"BOF", "BOA", "BOS", "EOS", "EOA", "EOF", "MSG"}, cells[0])
}
