package ledger_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/testkit"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
)

// sourceKind is a source for the same fills with more or fewer values.
type sourceKind int

const (
	richSource   sourceKind = iota // id, exact time, costs, stated multiplier
	pairedSource                   // id and time to the second
	plainSource                    // time to the second
	minuteSource                   // time to the minute
	daySource                      // only the day
	sourceKinds
)

// trueFill returns the n-th fill; fills differ in price.
func trueFill(n int) ledger.NewFill {
	return ledger.NewFill{
		Symbol: []string{"AAPL", "MSFT"}[n%2], Side: []matching.Side{matching.Buy, matching.Sell}[n/2%2],
		Quantity: decimal.New(int64(1 + n%3)), Price: decimal.New(int64(100 + n)), Fees: decimal.New(int64(n % 2)),
		Commission: decimal.New(int64(n + 1)), Multiplier: decimal.Of(decimal.New(2)),
		ExecutedAt: minute(3*n + 1).Add(time.Duration(n+1)*time.Second + time.Duration(n+1)*time.Millisecond),
		ExternalID: fmt.Sprint("F", n), Closes: n/2%2 == 1, Details: map[string]string{"route": "A"},
		Facts: ledger.FactsRecorded | ledger.FeesStated | ledger.CommissionStated | ledger.MultiplierStated | ledger.Uploaded,
	}
}

// as returns a fill as that kind of source lists it.
func (k sourceKind) as(f ledger.NewFill) ledger.NewFill {
	if k == richSource {
		return f
	}
	f.Fees, f.Commission, f.Multiplier = decimal.Zero, decimal.Zero, decimal.Null{}
	f.Facts, f.Details, f.Closes = ledger.FactsRecorded|ledger.Uploaded, nil, false
	f.ExecutedAt = f.ExecutedAt.Truncate(time.Second)
	if k != pairedSource {
		f.ExternalID = ""
	}
	switch k {
	case minuteSource:
		f.ExecutedAt, f.Facts = f.ExecutedAt.Truncate(time.Minute), f.Facts|ledger.MinutePrecision
	case daySource:
		f.ExecutedAt, f.Facts = f.ExecutedAt.Truncate(24*time.Hour), f.Facts|ledger.DayPrecision
	default:
	}
	return f
}

// arrivingBatch is an import with some fills from one kind of source.
type arrivingBatch struct {
	id     journal.BatchID
	sender string // the connection or hook; empty for a file
	kind   sourceKind
	fills  []int
}

// newRecords returns the batch's fills that its sender did not send alike in its last
// batch with the fill. The others leave no trace.
func (b arrivingBatch) newRecords(before []arrivingBatch) []int {
	return slices.DeleteFunc(slices.Clone(b.fills), func(n int) bool {
		for _, earlier := range slices.Backward(before) {
			if b.sender != "" && earlier.sender == b.sender && slices.Contains(earlier.fills, n) {
				return earlier.kind == b.kind
			}
		}
		return false
	})
}

// contentOf returns fill n's expected values after some imports.
func contentOf(n int, batches []arrivingBatch) (string, bool) {
	var kinds []sourceKind
	for _, b := range batches {
		if slices.Contains(b.fills, n) {
			kinds = append(kinds, b.kind)
		}
	}
	if len(kinds) == 0 {
		return "", false
	}
	best := slices.Min(kinds)
	f := best.as(trueFill(n))
	if best != richSource {
		f.Multiplier = decimal.Of(decimal.New(1))
	}
	return fmt.Sprintln(f.ExecutedAt, f.Symbol, f.Side, f.Quantity, f.Price, f.Fees, f.Commission, f.Multiplier, f.ExternalID), true
}

// contents returns the stored values.
func (d *fixture) contents() []string {
	var list []string
	for _, e := range d.executions() {
		id := ""
		if e.ExternalID != nil {
			id = *e.ExternalID
		}
		list = append(list, fmt.Sprintln(e.ExecutedAt, e.Instrument.Symbol, e.Side, e.Quantity, e.Price, e.Fees, e.Commission, e.Multiplier, id))
	}
	slices.Sort(list)
	return list
}

// expectContents compares the ledger with the remaining imports' merged values.
func (d *fixture) expectContents(rt *rapid.T, what string, batches []arrivingBatch) {
	var want []string
	for n := range fillsOfSources {
		if text, found := contentOf(n, batches); found {
			want = append(want, text)
		}
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, d.contents()); diff != "" {
		rt.Fatalf("after %s (-want +got):\n%s", what, diff)
	}
	must(d, d.ledger.Check(context.Background(), func(p ledger.Problem) { rt.Errorf("after %s: %+v", what, p) }))
}

const fillsOfSources = 6

// TestSourcesInAnyOrder imports the same fills from files, a connection and a hook that
// know more or less about them, in any order and in overlapping parts, and reverses the
// imports in any order: the ledger always holds what the imports that are left know
// together, and every fill belongs to one. PostgreSQL takes most of the time and tries
// fewer cases; make soak tries many on both engines.
func TestSourcesInAnyOrder(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, database *db.DB) {
		rapid.Check(t, testkit.LimitChecks(checksOf(database, 15), func(rt *rapid.T) {
			d := newFixture(t, database)
			var batches []arrivingBatch
			for n := range rapid.IntRange(1, 6).Draw(rt, "imports") {
				b := arrivingBatch{id: journal.BatchID(fmt.Sprint("batch", n)), kind: sourceKind(rapid.IntRange(0, int(sourceKinds)-1).Draw(rt, "kind"))}
				b.sender = rapid.SampledFrom([]string{"", "C", "H"}).Draw(rt, "sender")
				b.fills = rapid.SliceOfNDistinct(rapid.IntRange(0, fillsOfSources-1), 1, fillsOfSources, rapid.ID).Draw(rt, "fills")
				var file []ledger.NewFill
				for _, i := range b.fills {
					f := b.kind.as(trueFill(i))
					if b.sender != "" {
						f.Facts &^= ledger.Uploaded
					}
					file = append(file, f)
				}
				options := ledger.InsertOptions{Batch: b.id, Sender: b.sender}
				ahead := d.previewInsertAs(options, file)
				result := d.insertAs(options, file...)
				b.fills = b.newRecords(batches)
				if told := countTrue(ahead.Completed); told != result.Completed || countTrue(ahead.Known) != result.Completed+result.Skipped {
					rt.Fatalf("the preview returned %+v, the import %+v", ahead, result)
				}
				batches = append(batches, b)
				d.expectContents(rt, "import "+string(b.id), batches)
				if again := d.previewInsertAs(options, file); countTrue(again.Completed) != 0 || countTrue(again.Known) != len(file) {
					rt.Fatalf("a second import would do %+v", again)
				}
			}
			for _, b := range rapid.Permutation(batches).Draw(rt, "reversed") {
				d.reverse(b.id)
				batches = slices.DeleteFunc(slices.Clone(batches), func(other arrivingBatch) bool { return other.id == b.id })
				d.expectContents(rt, "reversing "+string(b.id), batches)
				d.expectOwners(rt, batches)
			}
			for _, table := range []string{"executions", "trades", "streams", "fill_sources", "import_repeats", "import_spans"} {
				if n := d.countOf(table); n != 0 {
					rt.Fatalf("%d rows are left in %s", n, table)
				}
			}
		}))
	})
}

// checksOf returns how often a property is tried on a database: the given number
// on PostgreSQL, where it takes several times as long, and 100 times on SQLite; a
// quarter if the test is not long.
func checksOf(database *db.DB, onPostgres int) int {
	checks := 100
	if database.Engine() == db.PostgreSQL {
		checks = onPostgres
	}
	return testkit.Rounds(checks/4, checks)
}

// expectOwners makes sure that every fill names an import that is left and
// brought it.
func (d *fixture) expectOwners(rt *rapid.T, batches []arrivingBatch) {
	for _, e := range d.executions() {
		n := int(e.Price.Float64()) - 100
		if e.Batch == nil || !slices.ContainsFunc(batches, func(b arrivingBatch) bool { return b.id == *e.Batch && slices.Contains(b.fills, n) }) {
			rt.Fatalf("fill %d has import %v", n, e.Batch)
		}
	}
}

func countTrue(flags []bool) (n int) {
	for _, flag := range flags {
		if flag {
			n++
		}
	}
	return n
}

// countOf counts the fixture user's rows.
func (d *fixture) countOf(table string) (n int) {
	must(d, d.db.View(context.Background(), func(tx *db.Tx) error {
		return tx.QueryRow(context.Background(), `SELECT COUNT(*) FROM `+table+` WHERE user_id = $1`, d.owner).Scan(&n)
	}))
	return n
}

// TestCompleteStoredFill tests what a second source changes in a stored fill, value by
// value.
func TestCompleteStoredFill(t *testing.T) {
	type example = struct {
		stored, again ledger.NewFill
		want          string // time, quantity, price, fees, commission, multiplier, stated result, id; empty if nothing
	}
	base := order(t, "buy 2 10 type=future symbol=ESZ25", 0)
	base.Facts = ledger.FactsRecorded | ledger.Uploaded
	with := func(f ledger.NewFill, changes ...func(*ledger.NewFill)) ledger.NewFill {
		for _, change := range changes {
			change(&f)
		}
		return f
	}
	fact := func(x ledger.Facts) func(*ledger.NewFill) { return func(f *ledger.NewFill) { f.Facts |= x } }
	fees := func(text string) func(*ledger.NewFill) {
		return func(f *ledger.NewFill) { f.Fees, f.Facts = decimal.Must(text), f.Facts|ledger.FeesStated }
	}
	commission := func(text string) func(*ledger.NewFill) {
		return func(f *ledger.NewFill) { f.Commission, f.Facts = decimal.Must(text), f.Facts|ledger.CommissionStated }
	}
	id := func(f *ledger.NewFill) { f.ExternalID = "A" }
	price := func(text string) func(*ledger.NewFill) {
		return func(f *ledger.NewFill) { f.Price = decimal.Must(text) }
	}
	quantity := func(n int64) func(*ledger.NewFill) { return func(f *ledger.NewFill) { f.Quantity = decimal.New(n) } }
	later := func(by time.Duration) func(*ledger.NewFill) {
		return func(f *ledger.NewFill) { f.ExecutedAt = f.ExecutedAt.Add(by) }
	}
	byHand := func(f *ledger.NewFill) { f.Facts &^= ledger.Uploaded }
	multiplier := func(f *ledger.NewFill) {
		f.Multiplier, f.Facts = decimal.Of(decimal.New(5)), f.Facts|ledger.MultiplierStated
	}
	stated := func(f *ledger.NewFill) { f.StatedPnL = decimal.Of(decimal.New(7)) }
	eachCase(t, map[string]example{
		"costs":                           {base, with(base, fees("1"), commission("2")), "14:30:00 2 10 1 2 50 null -"},
		"a cost of 0 is known":            {with(base, fees("0"), commission("0")), with(base, fees("1"), commission("2")), ""},
		"costs of another amount":         {with(base, fees("3")), with(base, fees("1")), ""},
		"commission beside known fees":    {with(base, fees("3")), with(base, fees("3"), commission("2")), "14:30:00 2 10 3 2 50 null -"},
		"costs divided otherwise":         {with(base, commission("3")), with(base, fees("1"), commission("2")), ""},
		"the same cost by another name":   {with(base, commission("3")), with(base, fees("3")), ""},
		"a poorer source":                 {with(base, fees("1"), id, multiplier, stated), base, ""},
		"id":                              {base, with(base, id), "14:30:00 2 10 0 0 50 null A"},
		"multiplier and result":           {base, with(base, multiplier, stated), "14:30:00 2 10 0 0 5 7 -"},
		"another multiplier":              {with(base, multiplier), with(base, fact(ledger.MultiplierStated)), ""},
		"fraction of the second":          {base, with(base, later(118*time.Millisecond)), "14:30:00.118 2 10 0 0 50 null -"},
		"time within the minute":          {with(base, fact(ledger.MinutePrecision)), with(base, later(42*time.Second)), "14:30:42 2 10 0 0 50 null -"},
		"time within the day":             {with(base, fact(ledger.DayPrecision)), with(base, later(5*time.Hour)), "19:30:00 2 10 0 0 50 null -"},
		"same id, costs corrected":        {with(base, id, fees("1")), with(base, id, fees("2")), "14:30:00 2 10 2 0 50 null A"},
		"same id, price corrected":        {with(base, id), with(base, id, price("11")), "14:30:00 2 11 0 0 50 null A"},
		"same id, other source":           {with(base, id, byHand), with(base, id, price("11")), ""},
		"same id, corrected by less":      {with(base, id, fees("1")), with(base, id, price("11")), ""},
		"same id, other time":             {with(base, id), with(base, id, price("11"), later(time.Hour)), ""},
		"same id, zone assumed":           {with(base, id, fact(ledger.ZoneAssumed)), with(base, id, later(5*time.Hour)), "19:30:00 2 10 0 0 50 null A"},
		"same id, more parts":             {with(base, id, fact(ledger.PartialQuantity)), with(base, id, fact(ledger.PartialQuantity), quantity(3)), "14:30:00 3 10 0 0 50 null A"},
		"same id, fewer parts":            {with(base, id), with(base, id, fact(ledger.PartialQuantity), quantity(1)), ""},
		"no facts, as stored before them": {with(base, func(f *ledger.NewFill) { f.Facts = 0 }), with(base, commission("2")), "14:30:00 2 10 0 2 50 null -"},
	}, func(t *testing.T, d *fixture, c example) {
		d.insert("first", c.stored)
		before := d.executions()[0]
		ahead := d.previewInsert([]ledger.NewFill{c.again})
		result := d.insert("second", c.again)
		if ahead.Completed[0] != (c.want != "") || result.Completed != countTrue(ahead.Completed) || result.Inserted != 0 {
			t.Errorf("the preview returned %v, the import %+v", ahead.Completed, result)
		}
		want := c.want
		if want == "" {
			want = shown(before)
		}
		got := d.executions()[0]
		if shown(got) != want || got.ID != before.ID || got.TradeIDs[0] != before.TradeIDs[0] || *got.Batch != "first" {
			t.Errorf("got %s of %v, want %s of %v", shown(got), got, want, before)
		}
		d.sound()
		d.reverse("second")
		if got := d.executions()[0]; shown(got) != shown(before) || got.TradeIDs[0] != before.TradeIDs[0] {
			t.Errorf("after the reversal: %s, want %s", shown(got), shown(before))
		}
		d.insert("third", c.again)
		d.reverse("first")
		d.account = d.newAccount(d.owner, "USD")
		d.insert("alone", c.again)
		list := d.executions()
		slices.SortFunc(list, func(a, b ledger.Execution) int { return strings.Compare(string(*a.Batch), string(*b.Batch)) })
		if len(list) != 2 || shown(list[0]) != shown(list[1]) || *list[1].Batch != "third" {
			t.Errorf("after the reversal of the first: %v", list)
		}
		d.sound()
	})
}

// shown writes what a source can state about an execution.
func shown(e ledger.Execution) string {
	id := "-"
	if e.ExternalID != nil {
		id = *e.ExternalID
	}
	return strings.Join([]string{
		e.ExecutedAt.Format("15:04:05.999"), e.Quantity.String(), e.Price.String(), e.Fees.String(), e.Commission.String(),
		e.Multiplier.String(), e.StatedPnL.String(), id,
	}, " ")
}

// TestEditsAreNotCompleted: what the user changed stays, whatever sources are
// added and deleted.
func TestEditsAreNotCompleted(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		id := d.insert("poor", pairedSource.as(trueFill(1))).Outcomes[0].ID
		edit := func(change ledger.ExecutionChange) {
			_, err := d.ledger.UpdateExecution(t.Context(), d.owner, id, change, nil)
			must(t, err)
		}
		edit(ledger.ExecutionChange{Fees: journal.Some(decimal.New(9))})
		d.insert("rich", trueFill(1))
		if e := d.executions()[0]; e.Fees.String() != "9" || e.Commission.String() != "2" || e.ExecutedAt.Nanosecond() == 0 {
			t.Errorf("completed to %s", shown(e))
		}
		edit(ledger.ExecutionChange{Price: journal.Some(decimal.New(77)), ExecutedAt: journal.Some(minute(40))})
		d.reverse("rich")
		if e := d.executions()[0]; e.Fees.String() != "9" || e.Price.String() != "77" || !e.ExecutedAt.Equal(minute(40)) || !e.Commission.IsZero() {
			t.Errorf("deleting the completing import left %s", shown(e))
		}
		d.insert("rich again", trueFill(1))
		d.reverse("poor")
		if e := d.executions()[0]; e.ID != id || e.Fees.String() != "9" || e.Price.String() != "77" || e.Commission.String() != "2" || *e.Batch != "rich again" {
			t.Errorf("without the first import: %s", shown(e))
		}
		d.sound()
		must(t, d.ledger.DeleteExecution(t.Context(), d.owner, id, nil))
		if d.countOf("fill_sources") != 0 {
			t.Error("sources of a deleted fill are left")
		}
		d.reverse("rich again")
		d.sound()
	})
}

// TestEntryByHandIsSource: a fill entered by hand too outlives the import that brought
// it.
func TestEntryByHandIsSource(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		d.insert("file", trueFill(1))
		hand := plainSource.as(trueFill(1))
		hand.Facts = ledger.FactsRecorded
		for range 2 {
			added, err := d.ledger.AddExecution(t.Context(), d.owner, d.account, hand)
			must(t, err)
			if !added.Deduped || added.Completed {
				t.Errorf("by hand: %+v", added)
			}
		}
		d.reverse("file")
		if list := d.executions(); len(list) != 1 || list[0].Batch != nil || list[0].ExternalID != nil || !list[0].Commission.IsZero() {
			t.Errorf("left: %+v", list)
		}
		d.sound()
	})
}

// TestIDsOfLaterSources: a fill without an id adopts the first id coming with its
// content; the second id is another fill.
func TestIDsOfLaterSources(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		for i, want := range []struct {
			text    string
			deduped bool
			fills   int
		}{
			{"buy 1 10", false, 1},
			{"buy 1 10 id=late1", true, 1},
			{"buy 1 10 id=late2", false, 2},
			{"buy 1 10 id=late1", true, 2},
			{"buy 1 10", true, 2},
		} {
			added, err := d.ledger.AddExecution(t.Context(), d.owner, d.account, order(t, want.text, 0))
			must(t, err)
			if added.Deduped != want.deduped || d.count("executions") != want.fills {
				t.Errorf("call %d: deduped %t, %d fills", i+1, added.Deduped, d.count("executions"))
			}
		}
		_, err := d.ledger.AddExecution(t.Context(), d.owner, d.account, order(t, "buy 1 11 id=late1", 0))
		refused(t, err, journal.KindConflict, "")
		exact := order(t, "buy 1 10 id=late1 commission=2", 0)
		exact.ExecutedAt = exact.ExecutedAt.Add(250 * time.Millisecond)
		added, err := d.ledger.AddExecution(t.Context(), d.owner, d.account, exact)
		must(t, err)
		if !added.Deduped || !added.Completed || added.Commission.String() != "2" || !added.ExecutedAt.Equal(exact.ExecutedAt) {
			t.Errorf("completed to %+v", added)
		}
		d.sound()
	})
}
