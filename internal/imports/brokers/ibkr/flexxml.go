package ibkr

import (
	"maps"
	"slices"
	"strings"

	"fillbook/internal/imports/statement"
	"fillbook/internal/imports/tabular"
)

// flexXML reads a Flex query as XML, be it of activity or of trade
// confirmations.
func flexXML() *statement.Preset {
	return &statement.Preset{
		Broker: broker, Export: "Flex query (XML)", Evidence: statement.RealFile,
		Format: statement.Executions, Source: statement.FromStatement,
		Zone: zone, Costs: statement.CostsNegative,
		Matches: func(file tabular.File) string {
			if slices.ContainsFunc(file.Elements, func(e tabular.Element) bool { return e.Name == "FlexStatement" }) {
				return "a FlexStatement element"
			}
			return ""
		},
		Whole: readFlexXML,
	}
}

func readFlexXML(r *statement.Reader) error {
	l := newReport(r)
	for _, e := range r.File.Elements {
		if e.Name == "AccountInformation" {
			r.Out.Account = statement.Account{Name: e.Attr["accountId"], Currency: e.Attr["currency"]}
		}
	}
	trades := elementsNamed(r.File.Elements, "Trade", "TradeConfirm")
	if len(trades) == 0 {
		trades = elementsNamed(r.File.Elements, "Order")
	}
	l.readElements(trades, l.readFlexTrade)
	l.readElements(elementsNamed(r.File.Elements, "CashTransaction"), readFlexCash)
	l.skipElements("CorporateAction", "Corporate actions", "splits, mergers and new symbols are not trades")
	l.skipElements("Transfer", "Transfers", "they name no price; enter the position by hand")
	l.finish()
	return nil
}

func elementsNamed(elements []tabular.Element, names ...string) []tabular.Element {
	var list []tabular.Element
	for _, e := range elements {
		if slices.Contains(names, e.Name) {
			list = append(list, e)
		}
	}
	return list
}

// readElements reads elements of the finest level as rows of a table that has a
// column for every attribute.
func (l *report) readElements(elements []tabular.Element, read func(*statement.Row)) {
	if len(elements) == 0 {
		return
	}
	columns := map[string]bool{}
	var levels []string
	for _, e := range elements {
		for attribute := range e.Attr {
			columns[attribute] = true
		}
		levels = append(levels, e.Attr["levelOfDetail"])
	}
	level := finestLevel(levels)
	header := slices.Sorted(maps.Keys(columns))
	table := tabular.Table{Rows: []tabular.Row{{Cells: header}}}
	for _, e := range elements {
		if !strings.EqualFold(e.Attr["levelOfDetail"], level) {
			continue
		}
		row := tabular.Row{Line: e.Line, Cells: make([]string, len(header))}
		for i, attribute := range header {
			row.Cells[i] = e.Attr[attribute]
		}
		table.Rows = append(table.Rows, row)
	}
	l.r.Section(table, 0, len(table.Rows)).EachRow(read)
}

// skipElements counts the elements of a name that no journal of fills can hold,
// and warns that they are left out.
func (l *report) skipElements(name, what, why string) {
	list := elementsNamed(l.r.File.Elements, name)
	warnLeftOut(l.r, list, what, why)
	l.readElements(list, func(w *statement.Row) { w.Skip("%s", strings.ToLower(what)) })
}

// warnLeftOut warns about elements that were left out, with the first few symbols.
func warnLeftOut(r *statement.Reader, elements []tabular.Element, what, why string) {
	const enough = 5
	var symbols []string
	for _, e := range elements {
		switch s := e.Attr["symbol"]; {
		case s == "" || slices.Contains(symbols, s):
		case len(symbols) == enough:
			symbols = append(symbols, "…")
		case len(symbols) < enough:
			symbols = append(symbols, s)
		}
	}
	if len(elements) > 0 {
		r.Out.Warn("%s were left out (%s): %s.", what, strings.Join(symbols, ", "), why)
	}
}
