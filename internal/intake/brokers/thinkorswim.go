package brokers

import (
	"cmp"
	"slices"
	"strings"

	"fillbook/internal/base/lazyregexp"
	"fillbook/internal/intake/parse"
	"fillbook/internal/intake/statement"
	"fillbook/internal/intake/tabular"
)

// The account statement is many tables one below the other. Which of the tables a
// file has is the user's choice, so it is known by any of them and always read the
// same way. The list of today's orders is read like it.
var (
	thinkorswimStatement = statement.Preset{
		Broker: "thinkorswim", Export: "account statement", Evidence: statement.RealFile, Format: statement.Executions, Zone: newYork,
		Header: statement.Cols("Exec Time;Side;Qty;Pos Effect;Symbol;Price"), Matches: swimTitle,
		Order: parse.MonthFirst, NewestFirst: true, Costs: statement.CostsNegative, Whole: readSwim,
	}
	thinkorswimOrders = statement.Preset{
		Broker: "thinkorswim", Export: "today's trade activity", Evidence: statement.SampleFile, Format: statement.Executions, Zone: newYork,
		Header: statement.Cols("Time Placed;Side;Qty;Pos Effect;Symbol;Exp;Strike;Type;PRICE;Status"),
		Order:  parse.MonthFirst, NewestFirst: true, Costs: statement.CostsNegative, Whole: readSwim,
	}
	thinkorswimCash = statement.Preset{
		Broker: "thinkorswim", Export: "cash balance", Evidence: statement.RealFile, Format: statement.Executions, Zone: newYork,
		Header: statement.Cols("Type;Ref #;Description;Misc Fees;Commissions & Fees;Amount;Balance"),
		Order:  parse.MonthFirst, NewestFirst: true, Costs: statement.CostsNegative, Whole: readSwim,
	}
)

// swimTitle recognizes a statement by the line above its tables.
func swimTitle(file tabular.File) string {
	const title = "Account Statement for "
	for _, table := range file.Tables {
		for _, row := range table.Rows[:min(len(table.Rows), 5)] {
			if text, ok := statement.OnlyCell(row.Cells); ok && strings.HasPrefix(text, title) && len(swimTables(table.Rows)) > 0 {
				return "matched title " + strings.TrimSpace(title)
			}
		}
	}
	return ""
}

// swimKind is what a table of the file is.
type swimKind int

const (
	swimTrades swimKind = iota // Account Trade History, Filled Orders
	swimCash                   // Cash Balance, Futures Statements
	swimOrders                 // Account Order History, today's orders
)

// swimTable is a table of the file: rows from the header to the end.
type swimTable struct {
	kind        swimKind
	header, end int
}

// swimTables finds the tables that are read. Each ends where the next title
// is, a row with a single cell.
func swimTables(rows []tabular.Row) []swimTable {
	var tables []swimTable
	title := ""
	for i, row := range rows {
		if single, ok := statement.OnlyCell(row.Cells); ok {
			title = strings.ToLower(single)
			continue
		}
		kind, ok := swimHeader(row.Cells, title)
		if !ok {
			continue
		}
		end := i + 1
		for end < len(rows) && !swimEnds(rows[end].Cells) {
			end++
		}
		tables = append(tables, swimTable{kind, i, end})
	}
	return tables
}

func swimEnds(cells []string) bool {
	_, title := statement.OnlyCell(cells)
	_, header := swimHeader(cells, "")
	return title || header
}

// swimHeader returns which table a row is the header of.
func swimHeader(cells []string, title string) (swimKind, bool) {
	has := func(names ...string) bool {
		for _, name := range names {
			if !slices.ContainsFunc(cells, func(c string) bool { return statement.HeaderKey(c) == name }) {
				return false
			}
		}
		return true
	}
	switch {
	case has("exec time", "pos effect", "symbol", "price") && !strings.Contains(title, "cancel"):
		return swimTrades, true
	case has("time placed", "pos effect", "symbol", "status"):
		return swimOrders, true
	case has("description", "commissions & fees", "amount") && !strings.Contains(title, "forex"):
		return swimCash, true
	}
	return 0, false
}

// readSwim reads the file. Trades come from their own table, with the costs
// that only the cash tables have. Without it the cash tables tell the trades,
// and without those the orders.
func readSwim(r *statement.Reader) error {
	for _, table := range r.File.Tables {
		found := swimTables(table.Rows)
		has := func(kind swimKind) bool {
			return slices.ContainsFunc(found, func(t swimTable) bool { return t.kind == kind && t.end > t.header+1 })
		}
		s := &swim{zone: swimZone(table.Rows), fromCash: !has(swimTrades), endings: map[*statement.Fill]bool{}}
		if s.zone != "" {
			r.Out.Zone = zoneName(s.zone)
		}
		fromOrders := s.fromCash && !slices.ContainsFunc(table.Rows, isSwimTrade)
		slices.SortStableFunc(found, func(a, b swimTable) int { return cmp.Compare(a.kind, b.kind) })
		for _, t := range found {
			part := r.Section(table, t.header, t.end)
			switch {
			case t.kind == swimCash:
				part.EachRow(s.cash)
			case t.kind == swimTrades:
				part.EachRow(s.trade)
			case fromOrders:
				part.EachRow(s.order)
			}
		}
		s.finish(r)
	}
	return nil
}

// isSwimTrade reports whether a row of a cash table is a trade.
func isSwimTrade(row tabular.Row) bool {
	return slices.Contains(row.Cells, "TRD")
}

var swimStart = lazyregexp.New(`(?i)start of (?:the )?business day \S+ ([A-Z]{2,4}(?:[+-]\d{1,2}(?::?\d{2})?)?)`)

// swimZone finds the zone in which the platform showed its times, if the row
// of the opening balance names it.
func swimZone(rows []tabular.Row) string {
	for _, row := range rows {
		for _, cell := range row.Cells {
			if found := swimStart().FindStringSubmatch(cell); found != nil {
				if _, err := parse.LoadZone(found[1]); err == nil {
					return found[1]
				}
			}
		}
	}
	return ""
}

func zoneName(label string) string {
	zone, err := parse.LoadZone(label)
	if err != nil {
		return label
	}
	return zone.String()
}
