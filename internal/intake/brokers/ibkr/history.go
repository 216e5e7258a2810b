package ibkr

import (
	"slices"
	"strings"

	"fillbook/internal/base/decimal"
	"fillbook/internal/intake/parse"
	"fillbook/internal/intake/statement"
	"fillbook/internal/intake/tabular"
	"fillbook/internal/trading/instruments"
)

const historySection = "transaction history"

// transactionHistory reads the transaction history: days without times, newest first,
// trades and cash in one table. Amounts are in the account's currency, prices in the
// instrument's.
func transactionHistory() *statement.Preset {
	return &statement.Preset{
		Broker: broker, Export: "transaction history", Evidence: statement.SampleFile,
		Format: statement.Executions,
		Zone:   zone, Costs: statement.CostsNegative, NewestFirst: true,
		Matches: func(file tabular.File) string {
			if isStatement(file) && slices.ContainsFunc(listParts(file), func(p part) bool { return p.name == historySection }) {
				return "the section Transaction History"
			}
			return ""
		},
		Whole: readHistory,
	}
}

func readHistory(r *statement.Reader) error {
	l := newReport(r)
	list := listParts(r.File)
	readAccount(r, list)
	for _, p := range list {
		if p.name == historySection {
			p.open(r).EachRow(l.readTransaction)
		}
	}
	l.finish()
	return nil
}

// readTransaction reads one row.
func (l *report) readTransaction(w *statement.Row) {
	if rowKind(w) != "Data" {
		w.Drop()
		return
	}
	w.NoteAccount("Account")
	word := w.Text("Transaction Type")
	switch {
	case strings.EqualFold(word, "Position MTM"):
		l.r.Out.Warn("The daily settlements of futures (Position MTM) were left out: the trades themselves make the same result.")
		w.Skip("daily settlement of a future")
	case w.Text("Quantity") != "" && !isCash(word):
		l.readDayTrade(w, word)
	default:
		emitCash(w, word, statement.Cash{
			Amount: w.Required("Net Amount"), At: w.Moment("Date").At, Currency: l.r.Out.Account.Currency, Note: w.Text("Description"),
		})
	}
}

// readDayTrade reads a trade with only its day known. Besides buys and sells these are
// option endings, which have no price.
func (l *report) readDayTrade(w *statement.Row, word string) {
	quantity := w.Required("Quantity")
	f := statement.Fill{Quantity: quantity, Price: w.Decimal("Price"), Commission: w.Cost("Commission")}
	setInstrument(&f, w.Text("Symbol"), "", decimal.Null{})
	if _, _, known := parse.SideWord(word); !known {
		word = ""
	}
	f.Side = readSide(w, word, quantity, false)
	at := w.Moment("Date")
	f.At, f.DateOnly = at.At, at.DateOnly
	home, money := l.r.Out.Account.Currency, w.Text("Price Currency")
	if money == "" || money == home {
		if f.Type != instruments.TypeFuture && f.Type != instruments.TypeForex {
			f.StatedCashFlow = w.Null("Net Amount")
		}
	} else {
		l.r.Out.Warn("Prices are in %s and commissions in %s: both were taken as they are.", money, home)
		f.Details = map[string]string{"currency": money}
	}
	l.emitFill(w, f, false)
}
