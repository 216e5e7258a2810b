package brokers

import (
	"slices"
	"strings"

	"fillbook/internal/intake/parse"
	"fillbook/internal/intake/statement"
	"fillbook/internal/intake/tabular"
	"fillbook/internal/trading/annotations"
	"fillbook/internal/trading/matching"
)

// fillbookFills is our own table of fills. They have all trade prices. A workbook has
// more column names for fills, so they are read, and only annotations from its trades.
var fillbookFills = statement.Preset{
	Broker: "Fillbook", Export: "fills", Evidence: statement.RealFile, Format: statement.Executions, Zone: utc, Costs: statement.CostsPositive,
	Header: statement.Cols("Account;Executed At;Symbol;Type;Side;Quantity;Price;Fees;Commission;Multiplier;Stated P&L;Currency;Option Right;Strike;Expiry;" +
		"Lot;External Id"),
	Whole: readFillbookFills,
}

// fillbookTrades is our own trade table.
var fillbookTrades = statement.Preset{
	Broker: "Fillbook", Export: "trades", Evidence: statement.RealFile, Format: statement.JournalTrades, Zone: utc, Costs: statement.CostsPositive,
	Header: statement.Cols("Account;Symbol;Type;Side;Status;Quantity;Open Time;Close Time;Entry Price;Exit Price;Multiplier;Gross P&L;Net P&L;" +
		"Emotional State"),
	Whole: func(r *statement.Reader) error {
		r.EachRow(readFillbookTrade)
		return nil
	},
}

// readFillbookFills reads the fill table, and the cash table if there is one.
func readFillbookFills(r *statement.Reader) error {
	r.EachRow(fillbookFill)
	for _, table := range r.File.Tables {
		switch {
		case len(table.Rows) == 0:
		case isCashTable(table.Rows[0]):
			r.Section(table, 0, len(table.Rows)).EachRow(fillbookCash)
		case isTradeTable(table.Rows[0]):
			newOpenings(r.Out.Fills).readAnnotations(r.Section(table, 0, len(table.Rows)))
		}
	}
	return nil
}

// isCashTable reports whether a table has cash: it may have more columns than this
// version writes.
func isCashTable(header tabular.Row) bool {
	return hasColumns(header, "Account", "Occurred At", "Type", "Amount", "Currency", "Note")
}

// isTradeTable reports whether a table has trades.
func isTradeTable(header tabular.Row) bool {
	return hasColumns(header, "Account", "Symbol", "Type", "Side", "Status", "Open Time", "Entry Price", "Emotional State")
}

func hasColumns(header tabular.Row, names ...string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(header.Cells, name) })
}

func fillbookFill(w *statement.Row) {
	w.NoteAccount("Account")
	f := statement.Fill{
		Symbol: strings.ToUpper(w.Text("Symbol")), Type: w.Text("Type"), Quantity: w.Required("Quantity"), Price: w.Required("Price"),
		Fees: w.Cost("Fees"), Commission: w.Cost("Commission"), Multiplier: w.Null("Multiplier"), StatedPnL: w.Null("Stated P&L"),
		At: w.Moment("Executed At").At, ID: w.Text("External Id"), Lot: w.Text("Lot"),
		Right: w.Text("Option Right"), Strike: w.Null("Strike"), Expiry: w.Day("Expiry"),
		Kind: readFillKind(w, "Kind"), EventID: w.Text("Event Id"), BasisEstimated: w.Text("Basis Estimated") != "",
	}
	if f.Side, _ = w.Side("Side"); w.Text("Closes") != "" {
		f.Effect = parse.Closing
	}
	w.Fill(f)
}

// readFillKind reads a fill's kind, which older tables do not have.
func readFillKind(w *statement.Row, column statement.Col) matching.Kind {
	kind, err := matching.ParseKind(w.Text(column))
	if err != nil {
		w.Fail("%q is not a kind of fill.", w.Text(column))
	}
	return kind
}

// readEnding reads the kind of a trade's exit. The row has the average over all exits, so
// the last one's kind is only certain where that average is its price.
func readEnding(w *statement.Row, t *statement.Trip) matching.Kind {
	kind := readFillKind(w, "Ended By")
	switch kind {
	case matching.KindAssignment, matching.KindExercise:
		if !t.ClosePrice.Decimal.IsZero() {
			return matching.KindTrade
		}
	case matching.KindRemoval:
		if !t.ClosePrice.Decimal.Equal(t.OpenPrice) {
			return matching.KindTrade
		}
	case matching.KindTrade, matching.KindOpening, matching.KindExpiry, matching.KindSettlement:
	}
	return kind
}

func fillbookCash(w *statement.Row) {
	w.NoteAccount("Account")
	w.Money(statement.Cash{
		Type: w.Text("Type"), Amount: w.Required("Amount"), Currency: w.Text("Currency"), At: w.Moment("Occurred At").At, Note: w.Text("Note"),
	})
}

// readFillbookTrade reads a trade. A partly closed one cannot be read from a row: it says
// what was opened, and not how much is left.
func readFillbookTrade(w *statement.Row) {
	w.NoteAccount("Account")
	t := statement.Trip{
		Symbol: strings.ToUpper(w.Text("Symbol")), Type: w.Text("Type"), Short: isShort(w), Quantity: w.Required("Quantity"),
		Open: w.Moment("Open Time"), OpenPrice: w.Required("Entry Price"), ClosePrice: w.Null("Exit Price"), Multiplier: w.Null("Multiplier"),
		Fees: w.Cost("Fees"), Commission: w.Cost("Commission"), GrossPnL: w.Null("Gross P&L"), NetPnL: w.Null("Net P&L"),
		Right: w.Text("Option Right"), Strike: w.Null("Strike"), Expiry: w.Day("Expiry"),
	}
	if w.Text("Close Time") != "" {
		t.Close, t.CloseKind = w.Moment("Close Time"), readEnding(w, &t)
	} else if t.ClosePrice.Valid {
		w.Fail("The trade is open and partly closed, and a table of trades does not say how much. Import the table of fills or the JSON backup.")
	}
	if t.GrossPnL.Valid && t.NetPnL.Valid && t.Fees.IsZero() && t.Commission.IsZero() {
		t.Fees = t.GrossPnL.Decimal.Sub(t.NetPnL.Decimal)
	}
	fillbookAnnotations(w, w.Trip(t))
}

// fillbookAnnotations reads the annotations on a fill's trade.
func fillbookAnnotations(w *statement.Row, on *statement.Fill) {
	m := statement.Annotations{Fill: on}
	for _, f := range annotations.Fields {
		if f.Header != "" {
			w.ReadAnnotation(f, f.Header, &m.Values)
		}
	}
	for _, tag := range statement.SplitList(w.Text("Tags")) {
		if tag.Kind == statement.MistakeKind {
			m.Mistakes = append(m.Mistakes, tag.Name)
		} else {
			m.Tags = append(m.Tags, tag.Name)
		}
	}
	for _, setup := range statement.SplitList(w.Text("Setups")) {
		m.Setups = append(m.Setups, setup.Name)
	}
	w.Annotate(m)
}
