package ibkr

import (
	"maps"
	"slices"
	"strings"

	"fillbook/internal/intake/statement"
	"fillbook/internal/intake/tabular"
)

// flexXML reads a Flex query as XML, be it for activity or trade confirmations.
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
		switch e.Name {
		case "FlexStatement":
			r.Out.NoteAccount(e.Attr["accountId"])
		case "AccountInformation":
			r.Out.Account = statement.Account{Name: e.Attr["accountId"], Currency: e.Attr["currency"]}
		}
	}
	trades := elementTable(r.File.Elements, "Trade", "TradeConfirm")
	if len(trades.Rows) == 1 {
		trades = elementTable(r.File.Elements, "Order")
	}
	cash := elementTable(r.File.Elements, "CashTransaction")
	l.readSection(trades, tradeSection, 0, len(trades.Rows))
	l.readSection(cash, cashSection, 0, len(cash.Rows))
	l.skipElements("CorporateAction", "Corporate actions", leftOutReasons[actionSectionName])
	l.skipElements("Transfer", "Transfers", "they name no price; enter the position by hand")
	l.finish()
	return nil
}

// elementTable returns the elements with some names as a table with a column for every
// attribute.
func elementTable(elements []tabular.Element, names ...string) tabular.Table {
	list := slices.DeleteFunc(slices.Clone(elements), func(e tabular.Element) bool { return !slices.Contains(names, e.Name) })
	columns := map[string]bool{}
	for _, e := range list {
		for attribute := range e.Attr {
			columns[attribute] = true
		}
	}
	header := slices.Sorted(maps.Keys(columns))
	table := tabular.Table{Rows: []tabular.Row{{Cells: header}}}
	for _, e := range list {
		row := tabular.Row{Line: e.Line, Cells: make([]string, len(header))}
		for i, attribute := range header {
			row.Cells[i] = e.Attr[attribute]
		}
		table.Rows = append(table.Rows, row)
	}
	return table
}

// skipElements skips the elements with a name, which are not fills, and warns with their
// first few symbols. Corporate actions are noted.
func (l *report) skipElements(name, what, why string) {
	const most = 5
	table := elementTable(l.r.File.Elements, name)
	var symbols []string
	left := false
	l.r.Section(table, 0, len(table.Rows)).EachRow(func(w *statement.Row) {
		if l.readAction(w) {
			return
		}
		left = true
		switch s := w.Text("symbol"); {
		case s == "" || slices.Contains(symbols, s):
		case len(symbols) == most:
			symbols = append(symbols, "…")
		case len(symbols) < most:
			symbols = append(symbols, s)
		}
		w.Skip("%s", strings.ToLower(what))
	})
	if left {
		l.r.Out.Warn("%s were left out (%s): %s.", what, strings.Join(symbols, ", "), why)
	}
}
