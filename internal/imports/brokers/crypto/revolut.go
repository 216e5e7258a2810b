package crypto

import (
	"slices"
	"strings"

	"fillbook/internal/imports/statement"
	"fillbook/internal/imports/tabular"
)

// revolut describes the crypto statement of Revolut, in the owner's currency. Its
// column names are so common that they count only all together and in order.
func revolut() []*statement.Preset {
	return []*statement.Preset{{
		Broker: "Revolut", Export: "crypto statement", Evidence: statement.SampleFile, Format: statement.Executions,
		Matches: func(file tabular.File) string {
			if _, header := revolutHeader(file); header < 0 {
				return ""
			}
			return "matched header " + strings.Join(revolutColumns, " + ")
		},
		Costs: statement.CostsPositive, Whole: readRevolut,
	}}
}

var revolutColumns = []string{"Symbol", "Type", "Quantity", "Price", "Value", "Fees", "Date"}

// revolutHeader finds the table and its header row, -1 if there is none.
func revolutHeader(file tabular.File) (table tabular.Table, header int) {
	const preamble = 5
	for _, table := range file.Tables {
		for i, row := range table.Rows[:min(preamble, len(table.Rows))] {
			if slices.Equal(row.Cells, revolutColumns) {
				return table, i
			}
		}
	}
	return tabular.Table{}, -1
}

func readRevolut(r *statement.Reader) error {
	table, header := revolutHeader(r.File)
	part := r.Section(table, header, len(table.Rows))
	part.EachRow(revolutRow)
	tell(part)
	return nil
}

func revolutRow(w *statement.Row) {
	kind := strings.ToLower(w.Text("Type"))
	if kind == "" {
		w.Ignore()
		return
	}
	coin := strings.ToUpper(w.Text("Symbol"))
	side, _, isSide := statement.SideWord(kind)
	if !isSide {
		leaveOut(w, kind, coin)
		return
	}
	d := deal{
		symbol: coin, base: coin, quote: moneyIn(w.Text("Price")), side: side, quantity: w.Required("Quantity"), price: w.Required("Price"),
		at: w.Moment("Date"), costs: []coins{{amount: w.Cost("Fees")}},
	}
	d.emit(w)
}

// moneyIn finds the currency of an amount, by its sign or its code.
func moneyIn(text string) string {
	for sign, code := range map[string]string{"€": "EUR", "£": "GBP", "$": "USD"} {
		if strings.Contains(text, sign) {
			return code
		}
	}
	return strings.ToUpper(strings.Trim(text, "0123456789.,-+ \u00a0"))
}
