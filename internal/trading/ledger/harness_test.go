package ledger_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/testkit"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
)

// fixture is a ledger with one user and one account, ready to be used.
type fixture struct {
	testing.TB
	db      *db.DB
	clock   *testkit.Clock
	ledger  *ledger.Service
	owner   journal.UserID
	account journal.AccountID
	// changes are those the ledger passed to follow; onChange, if set, receives them
	// instead.
	changes  []ledger.TradeChanges
	onChange func(ledger.TradeChanges)
}

// eachFixture runs fn on both engines with a fresh fixture.
func eachFixture(t *testing.T, fn func(t *testing.T, d *fixture)) {
	t.Helper()
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, database *db.DB) {
		fn(t, newFixture(t, database))
	})
}

// eachCase runs fn for every case, on both engines, each with its own fixture, one after
// the other in one database.
func eachCase[C any](t *testing.T, cases map[string]C, fn func(t *testing.T, d *fixture, c C)) {
	t.Helper()
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, database *db.DB) {
		for name, c := range cases {
			t.Run(name, func(t *testing.T) {
				d := newFixture(t, database)
				fn(t, d, c)
				must(t, database.Update(t.Context(), func(tx *db.Tx) error {
					_, err := tx.Exec(t.Context(), `DELETE FROM users WHERE number = $1`, d.owner)
					return err
				}))
			})
		}
	})
}

func newFixture(t testing.TB, database *db.DB) *fixture {
	t.Helper()
	d := &fixture{TB: t, db: database, clock: testkit.NewClock()}
	d.ledger = ledger.New(database, d.clock.Now, func(_ context.Context, _ *db.Tx, _ journal.UserID, change ledger.TradeChanges) error {
		if d.onChange != nil {
			d.onChange(change)
			return nil
		}
		d.changes = append(d.changes, change)
		return nil
	})
	d.owner = newUser(t, database)
	d.account = d.newAccount(d.owner, "USD")
	return d
}

// remove deletes the account of a random journal, so that a check of the whole ledger for
// the next journals does not read it.
func (d *fixture) remove() {
	d.Helper()
	must(d, d.ledger.DeleteAccount(context.Background(), d.owner, d.account, nil))
}

// newUser puts a person into the database; the ledger needs only the id.
func newUser(t testing.TB, database *db.DB) journal.UserID {
	t.Helper()
	id, _ := testkit.NewUser(t, database)
	return id
}

func (d *fixture) newAccount(owner journal.UserID, currency string) journal.AccountID {
	d.Helper()
	a, err := d.ledger.CreateAccount(context.Background(), owner, ledger.NewAccount{Name: "Main", BaseCurrency: currency})
	must(d, err)
	return a.ID
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// begin is when test fills begin: minute 0.
var begin = time.Date(2026, 1, 5, 14, 30, 0, 0, time.UTC)

func minute(n int) time.Time { return begin.Add(time.Duration(n) * time.Minute) }

// order reads "buy 100 10 fees=1 at=5 symbol=MSFT"; the minute is at, or the
// given one. The symbol is AAPL.
func order(t testing.TB, text string, n int) ledger.NewFill {
	t.Helper()
	words := strings.Fields(text)
	f := ledger.NewFill{
		Symbol: "AAPL", Side: matching.Side(words[0]), Quantity: decimal.Must(words[1]), Price: decimal.Must(words[2]),
		ExecutedAt: minute(n),
	}
	for _, word := range words[3:] {
		key, value, _ := strings.Cut(word, "=")
		switch key {
		case "at":
			var m int
			_, err := fmt.Sscan(value, &m)
			must(t, err)
			f.ExecutedAt = minute(m)
		case "symbol":
			f.Symbol = value
		case "type":
			f.InstrumentType = value
		case "fees":
			f.Fees = decimal.Must(value)
		case "commission":
			f.Commission = decimal.Must(value)
		case "multiplier":
			f.Multiplier = decimal.Of(decimal.Must(value))
		case "stated":
			f.StatedPnL = decimal.Of(decimal.Must(value))
		case "id":
			f.ExternalID = value
		default:
			if f.Details == nil {
				f.Details = map[string]string{}
			}
			f.Details[key] = value
		}
	}
	return f
}

// add stores the text's fills, separated by semicolons, a minute apart.
func (d *fixture) add(text string) (ids []journal.ExecutionID) {
	d.Helper()
	for n, line := range strings.Split(text, ";") {
		added, err := d.ledger.AddExecution(context.Background(), d.owner, d.account, order(d, line, n))
		if err != nil {
			d.Fatalf("%s: %v", line, err)
		}
		ids = append(ids, added.ID)
	}
	return ids
}

// orders reads several fills.
func orders(t testing.TB, text string) (fills []ledger.NewFill) {
	t.Helper()
	for n, line := range strings.Split(text, ";") {
		fills = append(fills, order(t, line, n))
	}
	return fills
}

// insert stores fills as an import does.
func (d *fixture) insert(batch journal.BatchID, fills ...ledger.NewFill) (result ledger.InsertResult) {
	d.Helper()
	must(d, d.db.Update(context.Background(), func(tx *db.Tx) (err error) {
		result, err = d.ledger.InsertFills(context.Background(), tx, d.owner, d.account, batch, fills)
		return err
	}))
	return result
}

func (d *fixture) reverse(batch journal.BatchID) (rows ledger.BatchRows) {
	d.Helper()
	must(d, d.db.Update(context.Background(), func(tx *db.Tx) (err error) {
		rows, err = d.ledger.DeleteBatch(context.Background(), tx, d.owner, batch)
		return err
	}))
	return rows
}

// trades lists the fixture's trades, oldest first.
func (d *fixture) trades() (list []ledger.Trade) {
	d.Helper()
	must(d, d.ledger.EachTrade(context.Background(), d.owner, ledger.TradeQuery{}, func(t ledger.Trade) error {
		list = append(list, t)
		return nil
	}))
	slices.Reverse(list)
	return list
}

func (d *fixture) executions() (list []ledger.Execution) {
	d.Helper()
	must(d, d.ledger.EachExecution(context.Background(), d.owner, ledger.ExecutionQuery{}, func(e ledger.Execution) error {
		list = append(list, e)
		return nil
	}))
	return list
}

// summary writes trades as "long 100 net 200; short 50 open 20".
func summary(trades []ledger.Trade) string {
	var out []string
	for _, t := range trades {
		text := fmt.Sprintf("%s %s", t.Direction, t.QtyOpened)
		if t.Open() {
			text += fmt.Sprintf(" open %s realized %s", t.QtyRemaining, t.RealizedPnL)
		} else {
			text += fmt.Sprintf(" net %s", t.NetPnL)
		}
		out = append(out, text)
	}
	return strings.Join(out, "; ")
}

// expectTrades compares the fixture's trades, by their listing instant, with a
// summary and makes sure that the ledger is sound.
func (d *fixture) expectTrades(want string) {
	d.Helper()
	if got := summary(d.trades()); got != want {
		d.Errorf("trades:\n got %s\nwant %s", got, want)
	}
	d.sound()
}

// sound checks the whole ledger.
func (d *fixture) sound() {
	d.Helper()
	for _, p := range d.problems() {
		d.Errorf("check: account %s record %s: %s", p.Account, p.Record, p.What)
	}
}

// problems returns what a check of the whole ledger finds.
func (d *fixture) problems() (list []ledger.Problem) {
	d.Helper()
	must(d, d.ledger.Check(context.Background(), func(p ledger.Problem) { list = append(list, p) }))
	return list
}

// refused makes sure that err is a refusal with that kind and, if not empty, that field.
func refused(t testing.TB, err error, kind journal.Kind, field string) {
	t.Helper()
	var e *journal.Error
	if !journal.IsKind(err, kind) {
		t.Errorf("got %v, want a refusal of kind %d", err, kind)
	} else if field != "" {
		if e = asError(err); e.Details["field"] != field {
			t.Errorf("refusal %q names field %v, want %s", e.Message, e.Details["field"], field)
		}
	}
}

// tradesOf lists one account's trades, oldest first.
func (d *fixture) tradesOf(account journal.AccountID) (list []ledger.Trade) {
	d.Helper()
	q := ledger.TradeQuery{Scope: journal.Scope{Accounts: []journal.AccountID{account}}}
	must(d, d.ledger.EachTrade(context.Background(), d.owner, q, func(t ledger.Trade) error {
		list = append(list, t)
		return nil
	}))
	slices.Reverse(list)
	return list
}
