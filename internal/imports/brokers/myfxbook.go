package brokers

import (
	"slices"
	"strings"

	"fillbook/internal/imports/statement"
	"fillbook/internal/imports/tabular"
)

// myfxbook is the statement that Myfxbook keeps of an account. The profit is
// what is left after commission and swap. Open trades come behind the closed
// ones, as a table of their own with fewer columns.
func myfxbook() []*statement.Preset {
	return []*statement.Preset{{
		Broker: "Myfxbook", Export: "statement", Evidence: statement.SampleFile, Format: statement.JournalTrades,
		Header: []string{"Open Date", "Close Date", "Symbol", "Action", "Units/Lots|Lots|Units", "Open Price", "Close Price", "Pips", "Profit", "Gain"},
		Zone:   serverZone, Order: statement.MonthFirst, Costs: statement.CostsNegative,
		Whole: readMyfxbook,
	}}
}

var (
	myfxbookClosed = lots{
		id: "Ticket", side: "Action", volume: "Units/Lots|Lots|Units", symbol: "Symbol", openTime: "Open Date", openPrice: "Open Price",
		closeTime: "Close Date", closePrice: "Close Price", commission: "Commission", swap: "Swap", profit: "Profit", net: true,
		stop: "SL", target: "TP", comment: "Comment",
	}
	myfxbookOpen = lots{
		id: "Ticket", side: "Action", volume: "Lots|Units/Lots|Units", symbol: "Symbol", openTime: "Open Date", openPrice: "Open Price",
		closeTime: "Close Date", closePrice: "Close Price", profit: "Profit", stop: "SL", target: "TP",
	}
)

func readMyfxbook(r *statement.Reader) error {
	r.Out.Account.Currency = currencyOf(r, "Max")
	rows := r.File.Tables[0].Rows
	open := slices.IndexFunc(rows, func(row tabular.Row) bool { return strings.EqualFold(row.Cells[0], "Open Trades") })
	for w := range r.Rows() {
		if open >= 0 && w.Line >= rows[open].Line {
			w.Drop()
			continue
		}
		myfxbookClosed.read(w)
	}
	if open >= 0 && open+1 < len(rows) {
		r.Section(r.File.Tables[0], open+1, len(rows)).EachRow(myfxbookOpen.read)
	}
	return nil
}
