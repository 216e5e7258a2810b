package ledger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/testkit"
	"fillbook/internal/trading/matching"
)

// longStream is a journal of one symbol with so many fills: round trips ending flat, or a
// position that turns over with every fill and is never flat.
func longStream(fills int, flips bool) []NewFill {
	list := make([]NewFill, fills)
	for i := range list {
		list[i] = NewFill{
			Symbol: "AAPL", Side: []matching.Side{matching.Buy, matching.Sell}[i%2], Quantity: decimal.New(10),
			Price: decimal.New(int64(100 + i%7)), ExecutedAt: hour(i),
		}
		if flips && i > 0 {
			list[i].Quantity = decimal.New(20)
		}
	}
	return list
}

func hour(n int) time.Time {
	return time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(n) * time.Hour)
}

// TestTheWorkDoesNotGrowWithTheHistory makes the same writes in the middle of
// a short stream and of one that is thirty times as long: the rows read and
// the trades written are the same.
func TestTheWorkDoesNotGrowWithTheHistory(t *testing.T) {
	t.Parallel()
	writes := map[string]func(ctx context.Context, b *book, middle int) error{
		"a fill at the end": func(ctx context.Context, b *book, _ int) error {
			return insertOne(ctx, b, NewFill{Side: matching.Buy, Quantity: decimal.New(1), ExecutedAt: hour(1 << 20)})
		},
		"a round trip in the middle": func(ctx context.Context, b *book, middle int) error {
			at := hour(middle).Add(time.Minute)
			return insertOne(ctx, b,
				NewFill{Side: matching.Buy, Quantity: decimal.New(1), ExecutedAt: at},
				NewFill{Side: matching.Sell, Quantity: decimal.New(1), ExecutedAt: at.Add(time.Minute)})
		},
		"an edit in the middle": func(ctx context.Context, b *book, middle int) error {
			return editOne(ctx, b, hour(middle), func(f *fill) { f.fees = decimal.New(3) })
		},
		"a deletion and its counterpart": func(ctx context.Context, b *book, middle int) error {
			first, err := fillAt(ctx, b, hour(middle))
			if err != nil {
				return err
			}
			second, err := fillAt(ctx, b, hour(middle+1))
			if err != nil {
				return err
			}
			if err := b.deleteFills(ctx, first, second); err != nil {
				return err
			}
			return b.regroupWithout(ctx, []*fill{first, second})
		},
	}
	testkit.EachEngine(t, func(t *testing.T, database *db.DB) {
		for _, flips := range []bool{false, true} {
			short, long := newStream(t, database, 100, flips), newStream(t, database, 3000, flips)
			for name, write := range writes {
				few, many := short.try(t, write), long.try(t, write)
				if few != many || many.read > 80 || many.trades > 3 {
					t.Errorf("%s, flips %t: %+v in a short stream, %+v in a long one", name, flips, few, many)
				}
			}
		}
	})
}

// TestPreviewStopsAtRowLimit: a fill before all others of a stream that is
// never flat changes everything after it, which a preview need not wait for.
func TestPreviewStopsAtRowLimit(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, database *db.DB) {
		s := newStream(t, database, 500, true)
		file := []NewFill{{Symbol: "AAPL", Side: matching.Buy, Quantity: decimal.New(5), ExecutedAt: hour(-1)}}
		ask := func(rows int) (o InsertPreview) {
			checked, err := checkFills(file)
			if err != nil {
				t.Fatal(err)
			}
			err = database.View(t.Context(), func(tx *db.Tx) (err error) {
				o, err = previewInsert(t.Context(), tx, s.owner, s.account, checked, InsertOptions{}, rows)
				return err
			})
			if err != nil || len(o.Known) != 1 || o.Known[0] {
				t.Fatalf("%+v %v", o, err)
			}
			return o
		}
		if o := ask(100); !o.Incomplete || o.Changed != 0 {
			t.Errorf("a long look is not cut short: %+v", o)
		}
		if o := ask(5000); o.Incomplete || o.Created+o.Changed < 400 {
			t.Errorf("a look within the bound is cut short: %+v", o)
		}
	})
}

// work is what a write did.
type work struct {
	read   int // rows the regrouping read
	trades int // trades it wrote or removed
}

// trial is an account with one stream in it.
type trial struct {
	*Service
	owner   journal.UserID
	account journal.AccountID
	middle  int // the number of a fill that opens a round trip
}

func newStream(t *testing.T, database *db.DB, fills int, flips bool) *trial {
	t.Helper()
	s := &trial{Service: New(database, testkit.NewClock().Now, nil), middle: fills / 2 / 2 * 2}
	s.owner, s.account = personWithAccount(t, s.Service)
	err := database.Update(t.Context(), func(tx *db.Tx) error {
		_, err := s.InsertFills(t.Context(), tx, s.owner, s.account, "", longStream(fills, flips))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// try makes a write, looks at the work it was, and takes it back.
func (s *trial) try(t *testing.T, write func(context.Context, *book, int) error) (done work) {
	t.Helper()
	back := errors.New("rolled back")
	err := s.db.Update(t.Context(), func(tx *db.Tx) error {
		err := s.withBook(t.Context(), tx, s.owner, s.account, func(b *book) error {
			err := write(t.Context(), b, s.middle)
			done = work{read: b.read, trades: len(b.change.Created) + len(b.change.Changed) + len(b.change.Removed)}
			return err
		})
		return cmp.Or(err, back)
	})
	if !errors.Is(err, back) {
		t.Fatal(err)
	}
	return done
}

func personWithAccount(t testing.TB, s *Service) (journal.UserID, journal.AccountID) {
	t.Helper()
	id, _ := testkit.NewUser(t, s.db)
	var a Account
	err := s.db.Update(context.Background(), func(tx *db.Tx) (err error) {
		a, err = CreateAccount(context.Background(), tx, id, s.clock(), NewAccount{Name: "Main"})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return id, a.ID
}

func insertOne(ctx context.Context, b *book, fills ...NewFill) error {
	for i := range fills {
		fills[i].Symbol, fills[i].Price = "AAPL", decimal.New(100)
	}
	checked, err := checkFills(fills)
	if err != nil {
		return err
	}
	arrivals, _, err := b.newArrivals(ctx, checked)
	if err != nil {
		return err
	}
	if err := b.assignNumbers(ctx, arrivals, importSource{}); err != nil {
		return err
	}
	return b.regroupArrivals(ctx, arrivals, &knownFills{})
}

func fillAt(ctx context.Context, b *book, at time.Time) (*fill, error) {
	return b.scanFill(b.tx.QueryRow(ctx, fillSelect+`WHERE user_id = $1 AND account = $2 AND executed_at = $3`,
		b.owner, b.account.number, db.Micros(at)))
}

func editOne(ctx context.Context, b *book, at time.Time, change func(*fill)) error {
	before, err := fillAt(ctx, b, at)
	if err != nil {
		return err
	}
	after := *before
	after.state, after.was = edited, before.at
	change(&after)
	s, err := b.streamNumbered(ctx, before.stream)
	if err != nil {
		return err
	}
	return b.replace(ctx, before, &after, s.key.toInstrument())
}

// TestPlans checks that SQLite uses the expected indexes. It plans without
// statistics, so the plan is the same in every installation.
func TestPlans(t *testing.T) {
	t.Parallel()
	database := testkit.Open(t, db.SQLite)
	two := []Account{{number: 1}, {number: 2}}
	list := func(table, head, order string, where func(*filter)) (text string) {
		err := database.View(t.Context(), func(tx *db.Tx) error {
			text = selection{table, 1, two, head, where}.orderedQuery(tx, &filter{}, order, 5)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	period := journal.Period{From: new(time.Time), To: new(time.Time)}
	scope := journal.Scope{Period: period}
	allExecutions, _ := ExecutionQuery{Scope: scope}.allRows(1, []Account{{number: 1}, {number: 2}})
	for statement, want := range map[string][]string{
		fillsAfter:    {"executions_stream (user_id=? AND stream=? AND (executed_at,seq)>(?,?))"},
		comparedAfter: {"executions_stream (user_id=? AND stream=? AND (executed_at,seq)>(?,?))"},
		comparedFills + "INDEXED BY executions_stated" + movedFills: {"executions_stated (user_id=? AND stated=?)"},
		tradesAfter:     {"trades_stream (user_id=? AND stream=? AND (opened_at,first_seq)>(?,?))"},
		lastTrade:       {"trades_stream (user_id=? AND stream=?)"},
		lastTradeBefore: {"trades_stream (user_id=? AND stream=? AND (opened_at,first_seq)<(?,?))"},
		strings.Replace(fillSelect+"INDEXED BY executions_external"+externalFills, "$keys", "('a')", 1): {"executions_external (user_id=? AND account=? AND external_id=?)"},
		fillSelect + editedFillsWhere: {"executions_origin (user_id=? AND account=?"},
		linkedSelect + `WHERE user_id = $1 AND account = $2 AND executed_at = $3 AND seq = $4`: {
			"trades_stream (user_id=? AND stream=? AND (opened_at,first_seq)<(?,?))",
			"trades_stream (user_id=? AND stream=? AND opened_at=? AND first_seq=?)",
		},
		positionScanSelect: {
			"PRIMARY KEY (user_id=? AND account=? AND (executed_at,seq)>(?,?))", "trades_opened (user_id=? AND account=? AND opened_at>?)", "MERGE (UNION ALL)",
		},
		allExecutions: {
			"PRIMARY KEY (user_id=? AND account=? AND executed_at>? AND executed_at<?)",
			"trades_opened (user_id=? AND account=? AND opened_at>? AND opened_at<?)", "MERGE (UNION ALL)",
		},
		list("executions", executionSelect, executionOrder, ExecutionQuery{Scope: scope}.addConditions): {
			"PRIMARY KEY (user_id=? AND account=? AND executed_at>? AND executed_at<?)", "MERGE (UNION ALL)",
		},
		list("trades", tradesSelect, ByClosing.newestFirst(), TradeQuery{Scope: scope}.addConditions): {
			"trades_listed (user_id=? AND account=? AND list_at>? AND list_at<?)", "MERGE (UNION ALL)",
		},
		list("trades", tradesSelect, ByOpening.newestFirst(), TradeQuery{Scope: scope, Basis: ByOpening}.addConditions): {
			"trades_opened (user_id=? AND account=? AND opened_at>? AND opened_at<?)", "MERGE (UNION ALL)",
		},
	} {
		plan := planOf(t, database, statement)
		for _, part := range want {
			if !strings.Contains(plan, part) {
				t.Errorf("%s\nplan: %s\nwant: %s", statement, plan, part)
			}
		}
		if strings.Contains(plan, "TEMP B-TREE FOR ORDER BY") && !strings.Contains(statement, "external_id IN") {
			t.Errorf("%s\nis sorted: %s", statement, plan)
		}
	}
}

// TestPagesOfSeveralAccountsOnPostgreSQL: it has statistics, and must still not
// take to sorting the whole of two accounts for one page.
func TestPagesOfSeveralAccountsOnPostgreSQL(t *testing.T) {
	t.Parallel()
	testkit.RequirePostgres(t)
	database := testkit.Open(t, db.PostgreSQL)
	s := newStream(t, database, 10_000, false)
	database.Analyze(t.Context(), 1<<30, "streams", "executions", "trades")
	two := []Account{{number: 1}, {number: 2}}
	for index, list := range map[string]struct {
		selection
		order string
	}{
		"trades_listed":   {selection{table: "trades", owner: s.owner, accounts: two, head: tradesSelect, where: TradeQuery{}.addConditions}, ByClosing.newestFirst()},
		"executions_pkey": {selection{table: "executions", owner: s.owner, accounts: two, head: executionSelect, where: ExecutionQuery{}.addConditions}, executionOrder},
	} {
		var plan strings.Builder
		err := database.View(t.Context(), func(tx *db.Tx) error {
			var f filter
			text := list.orderedQuery(tx, &f, list.order, 50)
			return db.Each(t.Context(), tx, func(row db.Scanner) error {
				var line string
				err := row.Scan(&line)
				plan.WriteString(line + "\n")
				return err
			}, "EXPLAIN "+text, f.args...)
		})
		if err != nil {
			t.Fatal(err)
		}
		if strings.Count(plan.String(), "using "+index) != len(two) || strings.Contains(plan.String(), "Seq Scan on "+list.table) {
			t.Errorf("the index %s is not used:\n%s", index, &plan)
		}
	}
}

func planOf(t *testing.T, database *db.DB, statement string) string {
	t.Helper()
	args := make([]any, strings.Count(statement, "$"))
	for i := range args {
		args[i] = i
	}
	for n := len(args); n > 0 && !strings.Contains(statement, fmt.Sprint("$", n)); n-- {
		args = args[:n-1]
	}
	var plan []string
	err := database.View(t.Context(), func(tx *db.Tx) error {
		return db.Each(t.Context(), tx, func(row db.Scanner) error {
			var id, parent, unused int
			var detail string
			err := row.Scan(&id, &parent, &unused, &detail)
			plan = append(plan, detail)
			return err
		}, "EXPLAIN QUERY PLAN "+statement, args...)
	})
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	return strings.Join(plan, "; ")
}
