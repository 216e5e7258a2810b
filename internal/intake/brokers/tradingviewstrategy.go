package brokers

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/lazyregexp"
	"fillbook/internal/intake/parse"
	"fillbook/internal/intake/statement"
)

// tradingViewStrategy is the list of trades of a strategy. It has no [statement.Layout]:
// a trade is two rows with the same columns, and its symbol is in the file's name.
var tradingViewStrategy = statement.Preset{
	Broker: "TradingView", Export: "list of trades of a strategy", Evidence: statement.Documented, Format: statement.JournalTrades,
	Header: statement.Cols("Trade #|Trade number;Type;Signal;Date/Time|Date and time;Contracts|Quantity|Size (qty)|Position size (qty)"),
	Whole:  readStrategy,
}

// leg is one of the two rows of a trade in the list of a strategy.
type leg struct {
	row       int
	entry     bool
	short     bool
	open      bool // the trade is not closed yet
	at        parse.Moment
	price     decimal.Decimal
	size, net decimal.Null
	signal    string
}

// exportDay is what TradingView writes behind the symbol in the file's name.
var exportDay = lazyregexp.New(`[_ ]\d{4}-\d{2}-\d{2}.*$`)

// readStrategy reads the list of trades of a strategy: two rows for each, the
// exit mostly first. What it traded stands in the name of the file alone.
func readStrategy(r *statement.Reader) error {
	symbol, ok := symbolOf(r.Hints.FileName)
	if !ok {
		return journal.Invalid("This list of trades does not say what was traded. Put the symbol last into the name of the file, such as Strategy_NASDAQ_AAPL.csv.")
	}
	r.Out.Warn("The trades of a strategy's list are simulated.")
	waiting := map[string]*leg{}
	for w := range r.Rows() {
		number := w.Text("Trade #|Trade number")
		if number == "" {
			w.Ignore()
			continue
		}
		now := readLegOf(w)
		if now == nil {
			continue
		}
		before := waiting[number]
		if before == nil || before.entry == now.entry {
			if before != nil {
				r.Out.Skip(before.row, fmt.Sprintf("row %d says the same of its trade", w.Number))
			}
			waiting[number] = now
			continue
		}
		delete(waiting, number)
		r.Out.Join(before.row, now.row)
		tradeOf(w, symbol, before, now)
	}
	for _, number := range slices.Sorted(maps.Keys(waiting)) {
		r.Out.Problems = append(r.Out.Problems, statement.Problem{
			Row: waiting[number].row, Message: "Trade " + number + " has an entry or an exit only.",
		})
	}
	return nil
}

// readLegOf reads a row, nil if it cannot be read.
func readLegOf(w *statement.Row) *leg {
	kind := strings.ToLower(w.Text("Type"))
	l := &leg{
		row: w.Number, entry: strings.HasPrefix(kind, "entry"), short: strings.HasSuffix(kind, "short"), signal: w.Text("Signal"),
		size: w.Null("Contracts|Quantity|Size (qty)|Position size (qty)"), net: w.Null("Net PnL*|Net P&L*|Profit*|P&L*"),
	}
	if !l.entry && !strings.HasPrefix(kind, "exit") {
		w.Fail("Type: %q is neither an entry nor an exit.", kind)
	}
	if l.open = strings.EqualFold(l.signal, "Open"); l.open {
		return l
	}
	l.at, l.price = w.Moment("Date/Time|Date and time"), w.Required("Price*")
	if w.Failed() {
		return nil
	}
	return l
}

// tradeOf emits the trade that two rows are.
func tradeOf(w *statement.Row, symbol string, a, b *leg) {
	entry, exit := a, b
	if b.entry {
		entry, exit = b, a
	}
	i := nameChart(symbol, "")
	t := statement.Trip{
		Symbol: i.Symbol, Type: i.Type, Short: entry.short, Quantity: entry.size.Or(exit.size.Decimal), Open: entry.at, OpenPrice: entry.price,
		Details: map[string]string{"simulated": "yes"},
	}
	if entry.signal != "" {
		t.Details["signal"] = entry.signal
	}
	if !exit.open {
		t.Close, t.ClosePrice, t.NetPnL = exit.at, decimal.Of(exit.price), exit.net
	}
	w.Trip(t)
}

// symbolOf finds the symbol in the name of a file, such as
// Supertrend_NASDAQ_AAPL_2026-01-05.csv.
func symbolOf(file string) (string, bool) {
	name := strings.TrimSuffix(path.Base(file), path.Ext(file))
	words := strings.Split(exportDay().ReplaceAllString(name, ""), "_")
	symbol := strings.ToUpper(words[len(words)-1])
	if len(words) < 2 || symbol == "" || strings.Trim(symbol, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.!") != "" {
		return "", false
	}
	exchange := strings.ToUpper(words[len(words)-2])
	if len(words) > 2 && (exchange == "MINI" || exchange == "IDC") {
		exchange = strings.ToUpper(words[len(words)-3]) + "_" + exchange
	}
	return exchange + ":" + symbol, true
}
