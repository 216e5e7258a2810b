package backup

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/playbook"
)

// Backups from other journals, and handwritten files. They are objects with an account,
// its executions or trades, its cash transactions and its setups, or just a list of
// executions or trades. There is no standard, so fields are looked up under their common
// names (foreignrow.go), and an unreadable row is reported and left out.

// foreignReader reads one such file.
type foreignReader struct {
	doc    *Document
	bundle *Bundle
	lots   map[string]int // how many trades began alike
}

func newForeignReader() *foreignReader {
	doc := &Document{Accounts: []Bundle{{sourceFacts: ledger.FactsRecorded | ledger.Uploaded}}}
	return &foreignReader{doc: doc, bundle: &doc.Accounts[0], lots: map[string]int{}}
}

// decodeForeign reads an object without our format.
func decodeForeign(sections map[string]jsontext.Value) (*Document, error) {
	f := newForeignReader()
	top := plainFields(sections)
	if value, there := top.find(accountNames...); there {
		if account, err := parseRow(value); err == nil {
			f.account(account)
		}
	}
	found := false
	for _, list := range []struct {
		names []string
		read  func(in foreignRow) error
		what  string
	}{
		{[]string{"setups", "strategies", "playbooks"}, f.setup, "Setup"},
		{[]string{"executions", "fills"}, f.execution, "Execution"},
		{[]string{"trades", "positions"}, f.trade, "Trade"},
		{[]string{"cashtransactions", "cash", "transactions"}, f.cash, "Cash transaction"},
	} {
		rows, there, err := top.rows(list.names...)
		if err != nil {
			return nil, err
		}
		found = found || there
		f.readRows(list.what, rows, list.read)
	}
	if !found {
		return nil, journal.Invalid("The JSON holds no executions, trades, cash transactions or setups.")
	}
	return f.doc, nil
}

// decodeList reads a bare list, whose rows are executions or trades.
func decodeList(text []byte) (*Document, error) {
	var rows []jsontext.Value
	if err := json.Unmarshal(text, &rows); err != nil {
		return nil, newSyntaxError(err)
	}
	f := newForeignReader()
	f.readRows("Row", rows, func(in foreignRow) error {
		if in.isTrade() {
			return f.trade(in)
		}
		return f.execution(in)
	})
	return f.doc, nil
}

// readRows reads a list's rows and records the unreadable ones.
func (f *foreignReader) readRows(what string, rows []jsontext.Value, read func(in foreignRow) error) {
	for i, raw := range rows {
		in, err := parseRow(raw)
		if err == nil {
			err = read(in)
		}
		if err != nil {
			f.doc.Problems = append(f.doc.Problems, newProblem(what, i, err))
		}
	}
}

func (f *foreignReader) account(in foreignRow) {
	f.bundle.Account = Account{
		Name: in.text("name", "accountname", "title"), Broker: in.text("broker", "brokername"),
		Type: in.text("accounttype", "type"), BaseCurrency: in.text("basecurrency", "currency"),
	}
	if balance, err := in.number("startingbalance", "initialbalance", "balance"); err == nil {
		f.bundle.Account.StartingBalance = balance.Decimal
	}
}

func (f *foreignReader) setup(in foreignRow) error {
	s := Setup{SetupChange: playbook.SetupChange{Name: journal.Some(in.text("name", "title"))}}
	if journal.IsBlank(s.Name.Value) {
		return journal.Invalid("A setup needs a name.")
	}
	if lines := in.texts("checklist", "rules"); lines != nil {
		s.Checklist = journal.Some(lines)
	}
	s.Description, s.Thesis = toOptional[string](in.text("description")), toOptional[string](in.text("thesis"))
	s.Symbol, s.Direction = toOptional[string](in.text("symbol")), toOptional[playbook.Direction](in.text("direction", "side"))
	target, err := in.number("targetprice", "target")
	if err != nil {
		return err
	}
	stop, err := in.number("stopprice", "stop")
	if err != nil {
		return err
	}
	s.TargetPrice = journal.Opt[decimal.Decimal]{Set: target.Valid, Value: target.Decimal}
	s.StopPrice = journal.Opt[decimal.Decimal]{Set: stop.Valid, Value: stop.Decimal}
	f.doc.Setups = append(f.doc.Setups, s)
	return nil
}

// toOptional returns a text as a change, absent if it is empty.
func toOptional[T ~string](text string) journal.Opt[T] {
	return journal.Opt[T]{Set: text != "", Value: T(text)}
}

func (f *foreignReader) cash(in foreignRow) (err error) {
	var c Cash
	c.Note, c.Currency = in.text("note", "notes", "description", "comment"), in.text("currency")
	if c.Type, err = parseCashType(in.text("type", "kind", "category")); err != nil {
		return err
	}
	if c.Amount.Decimal, err = in.required("amount", "value"); err != nil {
		return err
	}
	at, err := in.instant("occurredat", "date", "time", "datetime", "timestamp", "createdat")
	if err != nil {
		return err
	}
	c.OccurredAt = at.Time
	f.bundle.Cash = append(f.bundle.Cash, c)
	return nil
}

func (f *foreignReader) execution(in foreignRow) error {
	x, err := in.execution(foreignRow{})
	if err != nil {
		return err
	}
	f.bundle.Executions = append(f.bundle.Executions, x)
	return nil
}

// trade reads a trade with its fills, or a finished trade with only its entry and exit.
// It is accepted whole or not at all.
func (f *foreignReader) trade(in foreignRow) error {
	fills, err := f.readFills(in)
	if err != nil {
		return err
	}
	values, err := in.annotations()
	if err != nil {
		return err
	}
	a := TradeAnnotations{Annotations: values}
	for _, x := range fills {
		a.Fills = append(a.Fills, len(f.bundle.Executions))
		f.bundle.Executions = append(f.bundle.Executions, x)
	}
	if !values.isEmpty() {
		f.bundle.Trades = append(f.bundle.Trades, a)
	}
	return nil
}

func (f *foreignReader) readFills(in foreignRow) ([]Execution, error) {
	rows, there, err := in.rows(fillNames...)
	if err != nil {
		return nil, err
	}
	if !there {
		return f.roundTrip(in)
	}
	if len(rows) == 0 {
		return nil, journal.Invalid("The trade has no fills.")
	}
	fills := make([]Execution, len(rows))
	for i, raw := range rows {
		fill, err := parseRow(raw)
		if err != nil {
			return nil, err
		}
		if fills[i], err = fill.execution(in); err != nil {
			return nil, journal.Invalid("%s: %s", nameRow("Fill", i), sentence(err))
		}
	}
	return fills, nil
}

// roundTrip makes the fills for a trade with only its entry and exit. Such trades may
// overlap, so each without a lot in its details gets one, named by how it began: the same
// in every file with the trade.
func (f *foreignReader) roundTrip(in foreignRow) ([]Execution, error) {
	entry, err := in.execution(foreignRow{})
	if err != nil {
		return nil, err
	}
	if entry.Details[detailLot], err = f.findLot(in, entry); err != nil {
		return nil, err
	}
	if err := in.checkTexts(exitPrices, exitTimes); err != nil {
		return nil, err
	}
	price, err := in.number(exitPrices...)
	if err != nil || !price.Valid {
		return []Execution{entry}, err // it is open
	}
	exit := entry
	exit.Price, exit.Side = price.Decimal, oppositeSide(entry.Side)
	exitAt, precision, err := in.time(exitTimes...)
	if err != nil {
		return nil, err
	}
	var stated ledger.Facts
	if err := in.readCosts(&exit, foreignRow{}, &stated); err != nil {
		return nil, err
	}
	exit.ExecutedAt, exit.Facts = exitAt, (stated | precision).Names()
	if exit.ExternalID != "" {
		entry.ExternalID, exit.ExternalID = exit.ExternalID+" open", exit.ExternalID+" close"
	}
	// The costs of a finished trade are paid at the exit, which also has the result.
	// Costs stated in the row are known to be 0 at the entry.
	entry.Fees, entry.Commission, entry.StatedPnL = decimal.Zero, decimal.Zero, decimal.Null{}
	_, err = exit.checkedFill()
	return []Execution{entry, exit}, err
}

// findLot returns a trade's lot: the one in its details, or the instant it began,
// numbered if it is not the first.
func (f *foreignReader) findLot(in foreignRow, entry Execution) (string, error) {
	stated, err := in.statedDetails()
	if err != nil || stated[detailLot] != "" {
		return stated[detailLot], err
	}
	lot := journal.FormatInstant(entry.ExecutedAt.Time)
	key := entry.Symbol + " " + lot
	if f.lots[key]++; f.lots[key] > 1 {
		lot = fmt.Sprintf("%s #%d", lot, f.lots[key])
	}
	return lot, nil
}

func oppositeSide(side string) string {
	if side == sideBuy {
		return sideSell
	}
	return sideBuy
}
