package ledger_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/testkit"
	"fillbook/internal/trading/ledger"
)

// record stores a fill as one source sends it, such as "C: buy 2 10 id=A": the source is
// hand, file, or a connection or hook name. It reports whether the fill was completed or
// corrected.
func (d *fixture) record(batch journal.BatchID, text string) bool {
	d.Helper()
	name, line, _ := strings.Cut(text, ":")
	f := order(d, strings.TrimSpace(line), 0)
	f.Facts = ledger.FactsRecorded
	switch name {
	case "hand":
		added, err := d.ledger.AddExecution(d.Context(), d.owner, d.account, f)
		must(d, err)
		return added.Completed
	case "file":
		f.Facts |= ledger.Uploaded
		return d.insert(batch, f).Completed == 1
	}
	return d.insertAs(ledger.InsertOptions{Batch: batch, Sender: name, SkipDeleted: true, SkipWithdrawn: true}, f).Completed == 1
}

// shownFills returns an account's fills as texts.
func (d *fixture) shownFills(account journal.AccountID) (list []string) {
	d.Helper()
	q := ledger.ExecutionQuery{Scope: journal.Scope{Accounts: []journal.AccountID{account}}}
	must(d, d.ledger.EachExecution(d.Context(), d.owner, q, func(e ledger.Execution) error {
		list = append(list, shown(e))
		return nil
	}))
	return list
}

// TestSameSourceCorrects: a later record with the same id from the same connection or
// hook replaces price, quantity and costs. One from another source only completes.
func TestSameSourceCorrects(t *testing.T) {
	type example = struct {
		records []string
		want    string // the only fill's
		last    bool   // the last record completes or corrects
	}
	eachCase(t, map[string]example{
		"price":                           {[]string{"C: buy 2 10 id=A", "C: buy 2 11 id=A"}, "14:30:00 2 11 0 0 1 null A", true},
		"quantity":                        {[]string{"C: buy 2 10 id=A", "C: buy 3 10 id=A"}, "14:30:00 3 10 0 0 1 null A", true},
		"costs":                           {[]string{"C: buy 2 10 id=A fees=1", "C: buy 2 10 id=A fees=2 commission=3"}, "14:30:00 2 10 2 3 1 null A", true},
		"without an id":                   {[]string{"C: buy 2 10 fees=1", "C: buy 2 10 fees=2"}, "14:30:00 2 10 1 0 1 null -", false},
		"the same again":                  {[]string{"C: buy 2 10 id=A", "C: buy 2 10 id=A"}, "14:30:00 2 10 0 0 1 null A", false},
		"back to the first value":         {[]string{"C: buy 2 10 id=A", "C: buy 2 11 id=A", "C: buy 2 10 id=A"}, "14:30:00 2 10 0 0 1 null A", true},
		"fewer values":                    {[]string{"C: buy 2 10 id=A fees=1", "C: buy 2 11 id=A"}, "14:30:00 2 10 1 0 1 null A", false},
		"another connection":              {[]string{"C: buy 2 10 id=A fees=1", "D: buy 2 11 id=A fees=2"}, "14:30:00 2 10 1 0 1 null A", false},
		"another connection completes":    {[]string{"C: buy 2 10 id=A", "D: buy 2 10 id=A fees=2"}, "14:30:00 2 10 2 0 1 null A", true},
		"a file after a connection":       {[]string{"C: buy 2 10 id=A fees=1", "file: buy 2 11 id=A fees=2"}, "14:30:00 2 10 1 0 1 null A", false},
		"a connection after a file":       {[]string{"file: buy 2 10 id=A fees=1", "C: buy 2 11 id=A fees=2"}, "14:30:00 2 10 1 0 1 null A", false},
		"after an equal file":             {[]string{"file: buy 2 10 id=A", "C: buy 2 10 id=A", "C: buy 2 11 id=A"}, "14:30:00 2 11 0 0 1 null A", true},
		"before the file of the old time": {[]string{"C: buy 2 10 id=A", "C: buy 2 11 id=A", "file: buy 2 10 id=A"}, "14:30:00 2 11 0 0 1 null A", false},
		"a file that differs stays":       {[]string{"file: buy 2 9 id=A", "C: buy 2 10 id=A", "C: buy 2 11 id=A"}, "14:30:00 2 9 0 0 1 null A", false},
		"costs completed by itself":       {[]string{"hand: buy 2 10 id=A", "C: buy 2 10 id=A fees=1", "C: buy 2 10 id=A fees=2"}, "14:30:00 2 10 2 0 1 null A", true},
		"costs entered by hand":           {[]string{"hand: buy 2 10 id=A fees=5", "C: buy 2 10 id=A fees=1", "C: buy 2 10 id=A fees=2"}, "14:30:00 2 10 5 0 1 null A", false},
		"the same cost by another name":   {[]string{"hand: buy 2 10 id=A commission=3", "C: buy 2 10 id=A", "C: buy 2 10 id=A fees=3"}, "14:30:00 2 10 0 3 1 null A", false},
		"files correct each other":        {[]string{"file: buy 2 10 id=A", "C: buy 2 10 id=A", "file: buy 2 11 id=A"}, "14:30:00 2 11 0 0 1 null A", true},
	}, func(t *testing.T, d *fixture, c example) {
		var last bool
		for i, text := range c.records {
			last = d.record(journal.BatchID(fmt.Sprint("batch", i)), text)
		}
		if got := d.shownFills(d.account); len(got) != 1 || got[0] != c.want || last != c.last {
			t.Errorf("got %q, completed %t; want %q, %t", got, last, c.want, c.last)
		}
		d.sound()
	})
}

// TestCorrectionsLeaveEdits: a connection corrects what the user did not edit, and
// later records still find the fill.
func TestCorrectionsLeaveEdits(t *testing.T) {
	price, fees := ledger.ExecutionChange{Price: journal.Some(decimal.New(77))}, ledger.ExecutionChange{Fees: journal.Some(decimal.New(9))}
	moved := ledger.ExecutionChange{ExecutedAt: journal.Some(minute(40))}
	type example = struct {
		change ledger.ExecutionChange
		want   string
	}
	eachCase(t, map[string]example{
		"price": {price, "14:30:00 2 77 2 4 1 null A"},
		"fees":  {fees, "14:30:00 2 11 9 4 1 null A"},
		"time":  {moved, "15:10:00 2 11 2 4 1 null A"},
	}, func(t *testing.T, d *fixture, c example) {
		d.record("first", "C: buy 2 10 id=A fees=1 commission=3")
		_, err := d.ledger.UpdateExecution(t.Context(), d.owner, d.executions()[0].ID, c.change, nil)
		must(t, err)
		if !d.record("second", "C: buy 2 11 id=A fees=2 commission=4") {
			t.Error("nothing was corrected")
		}
		if got := d.shownFills(d.account); len(got) != 1 || got[0] != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
		d.sound()
		if d.record("third", "C: buy 2 11 id=A fees=2 commission=4") {
			t.Error("the same record again completed the fill")
		}
		d.sound()
	})
}

// TestReadingAgainRecordsNothing: a connection reading the same time again leaves no row
// and does not touch the account, also if a file brought the fill first.
func TestReadingAgainRecordsNothing(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		d.record("file", "file: buy 2 10 id=A")
		d.record("first", "C: buy 2 10 id=A")
		d.record("first", "C: buy 1 12 id=B")
		before, err := d.ledger.Account(t.Context(), d.owner, d.account)
		must(t, err)
		fills := []ledger.NewFill{order(t, "buy 2 10 id=A", 0), order(t, "buy 1 12 id=B", 0)}
		for i := range fills {
			fills[i].Facts = ledger.FactsRecorded
		}
		result := d.insertAs(ledger.InsertOptions{Batch: "again", Sender: "C", SkipDeleted: true}, fills...)
		after, err := d.ledger.Account(t.Context(), d.owner, d.account)
		must(t, err)
		if result.Recorded || result.Skipped != 2 || after.Revision != before.Revision {
			t.Errorf("got %+v, revision %d after %d", result, after.Revision, before.Revision)
		}
		d.reverse("file")
		if got := d.shownFills(d.account); len(got) != 2 {
			t.Errorf("without the file: %q", got)
		}
		d.reverse("first")
		if got := d.shownFills(d.account); len(got) != 0 {
			t.Errorf("without the first delivery: %q", got)
		}
		d.sound()
	})
}

// TestCorrectionsInAnyOrder sends one fill by a file and by a connection correcting it,
// in any order: the fill has the connection's latest values if its first ones come from
// the file. Reversing imports in any order leaves what the other ones alone give.
func TestCorrectionsInAnyOrder(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, database *db.DB) {
		checks := map[bool]int{true: 4, false: 20}[database.Engine() == db.PostgreSQL]
		rapid.Check(t, testkit.LimitChecks(checks, func(rt *rapid.T) {
			d := newFixture(t, database)
			defer d.remove()
			type sent struct {
				batch journal.BatchID
				text  string
			}
			var all []sent
			version := 10
			for i, name := range rapid.Permutation([]string{"file", "C", "C", "C"}).Draw(rt, "sources") {
				text := name + ": buy 2 10 id=A"
				if name == "C" {
					text = fmt.Sprintf("C: buy 2 %d id=A commission=%d", version, version)
					version++
				}
				all = append(all, sent{journal.BatchID(fmt.Sprint("batch", i)), text})
			}
			for _, s := range all {
				d.record(s.batch, s.text)
			}
			want := "14:30:00 2 10 0 0 1 null A"
			if version > 10 {
				want = fmt.Sprintf("14:30:00 2 %d 0 %d 1 null A", version-1, version-1)
			}
			if got := d.shownFills(d.account); len(got) != 1 || got[0] != want {
				rt.Fatalf("%v: got %q, want %s", all, got, want)
			}
			first := d.account
			for _, gone := range rapid.Permutation(all).Draw(rt, "reversed") {
				d.reverse(gone.batch)
				all = slices.DeleteFunc(slices.Clone(all), func(s sent) bool { return s.batch == gone.batch })
				d.account = d.newAccount(d.owner, "USD")
				for _, s := range all {
					d.record("alone "+s.batch, s.text)
				}
				if diff := cmp.Diff(d.shownFills(d.account), d.shownFills(first)); diff != "" {
					rt.Fatalf("without %v, %v (-want +got):\n%s", gone, all, diff)
				}
			}
			d.sound()
		}))
	})
}
