package brokers

import (
	"strconv"
	"strings"

	"fillbook/internal/annotations"
	"fillbook/internal/decimal"
	"fillbook/internal/imports/metatrader"
	"fillbook/internal/imports/statement"
	"fillbook/internal/instruments"
	"fillbook/internal/matching"
)

// lots names the columns of a file with one row for a trade in lots, which may
// also hold money and orders that were never filled.
type lots struct {
	id, side, volume, symbol string
	openTime, openPrice      string
	closeTime, closePrice    string
	commission, swap, taxes  string
	profit                   string
	stop, target, comment    string
	// net says that the profit is what is left after costs.
	net bool
	// parts says that the file has closed trades only, and one row for each part
	// that was closed: the id comes again.
	parts bool
}

// read reads a row by what its side says.
func (c lots) read(w *statement.Row) {
	word := strings.ToLower(strings.TrimSpace(w.Text(c.side)))
	switch {
	case word == "" && w.Text(c.symbol) == "" && w.Text(c.profit) == "":
		w.Ignore()
	case strings.Contains(word, "limit") || strings.Contains(word, "stop"):
		w.Skip(statement.ReasonNotFilled)
	case word != "buy" && word != "sell" && w.Text(c.symbol) == "":
		c.money(w, word)
	default: // another word for a side is read, and what is none fails the row
		c.trade(w)
	}
}

// trade reads a trade, closed or still open. While it is open its costs so far
// are left to the export that has it closed.
func (c lots) trade(w *statement.Row) {
	side, _ := w.Side(c.side)
	symbol := strings.ToUpper(strings.TrimSpace(w.Text(c.symbol)))
	t := statement.Trip{
		Symbol: symbol, Type: metatrader.InstrumentType(symbol), Short: side == matching.Sell, Quantity: w.Required(c.volume).Abs(),
		Open: w.Moment(c.openTime), OpenPrice: w.Required(c.openPrice),
		ID: w.Text(c.id), TrustPnL: true, Details: map[string]string{"unit": "lot"},
	}
	t.Multiplier = decimal.Of(instruments.LotMultiplier(symbol, t.Quantity))
	if comment := w.Text(c.comment); comment != "" {
		t.Details["comment"] = comment
	}
	if c.isClosed(w) {
		c.exit(w, &t)
	} else {
		w.Reader().Out.Warn("Trades that are still open were read without a result: it comes with the file that has them closed.")
	}
	stop := w.Null(c.stop)
	if stop.Decimal.Sign() > 0 {
		t.Details["stop"] = stop.String()
	}
	m := statement.Annotations{Fill: w.Trip(t), Values: annotations.Values{TargetPrice: statement.NonZero(w.Null(c.target))}}
	if stop.Decimal.Sign() > 0 {
		m.LastStop = stop
	}
	w.Annotate(m)
}

// exit reads how a trade was closed.
func (c lots) exit(w *statement.Row, t *statement.Trip) {
	t.Close, t.ClosePrice = w.Moment(c.closeTime), decimal.Of(w.Required(c.closePrice))
	t.Commission, t.Fees = w.Cost(c.commission), w.Cost(c.swap, c.taxes)
	if c.net {
		t.NetPnL = decimal.Of(w.Required(c.profit))
	} else {
		t.GrossPnL = decimal.Of(w.Required(c.profit))
	}
	switch {
	case t.ID == "":
	case c.parts:
		nameParts(w, t)
	default:
		t.ID += again(w, t.ID)
	}
}

// nameParts names the fills of a position that comes again for each part that
// was closed. Each part brings its own share of the opening, so that a later
// file with one more part only adds to it.
func nameParts(w *statement.Row, t *statement.Trip) {
	at := strconv.FormatInt(t.Close.At.Unix(), 10)
	at += again(w, t.ID+"@"+at)
	t.OpenFillID, t.CloseFillID = t.ID+"/open/"+at, t.ID+"/close/"+at
}

// isClosed reports whether a row has a closing time. Some write the beginning of
// computer time for none.
func (c lots) isClosed(w *statement.Row) bool {
	text := w.Text(c.closeTime)
	return text != "" && !strings.HasPrefix(text, "1970")
}

// again returns the suffix that makes a repeated id of the file unique: nothing, then
// #2 and so on.
func again(w *statement.Row, id string) string {
	seen, ok := w.Reader().Memory.(map[string]int)
	if !ok {
		seen = map[string]int{}
		w.Reader().Memory = seen
	}
	seen[id]++
	if n := seen[id]; n > 1 {
		return "#" + strconv.Itoa(n)
	}
	return ""
}

// money reads a row that only moved money.
func (c lots) money(w *statement.Row, kind string) {
	amount, at := w.Required(c.profit), w.Moment(c.openTime)
	if w.Failed() || amount.IsZero() {
		w.Skip(statement.ReasonNoAmount)
		return
	}
	note := w.Text(c.comment)
	if note == "" && kind != "balance" {
		note = kind
	}
	w.Money(statement.Cash{
		Type: metatrader.CashType(kind, amount), Amount: amount, Currency: w.Reader().Out.Account.Currency, At: at.At, Note: note,
	})
}
