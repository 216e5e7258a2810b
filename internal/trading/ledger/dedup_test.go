package ledger_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
)

// TestRepeatedEntriesByHand is when a second fill entered by hand is the first one.
func TestRepeatedEntriesByHand(t *testing.T) {
	const stored = "buy 100 10 id=A option_right=call"
	type example = struct {
		again string
		allow bool
		want  string // deduped, completed, added or refused
	}
	eachCase(t, map[string]example{
		"the same":                {stored, false, "deduped"},
		"without id":              {"buy 100 10 option_right=call", false, "deduped"},
		"other costs and details": {"buy 100 10 fees=5 commission=1 multiplier=3 option_right=call note=x", false, "completed"},
		"other spelling":          {"buy 100.0 10.00 symbol=aapl option_right=CALL", false, "deduped"},
		"other id":                {"buy 100 10 id=B option_right=call", false, "added"},
		"allowed":                 {stored, true, "added"},
		"other side":              {"sell 100 10 option_right=call", false, "added"},
		"other quantity":          {"buy 101 10 option_right=call", false, "added"},
		"other price":             {"buy 100 10.1 option_right=call", false, "added"},
		"other instant":           {"buy 100 10 at=1 option_right=call", false, "added"},
		"other symbol":            {"buy 100 10 symbol=MSFT option_right=call", false, "added"},
		"other type":              {"buy 100 10 type=cfd option_right=call", false, "added"},
		"other contract":          {"buy 100 10 option_right=put", false, "added"},
		"other lot":               {"buy 100 10 option_right=call lot=2", false, "added"},
		"its id on another fill":  {"buy 7 10 id=A option_right=call", false, "refused"},
		"its id elsewhere":        {"buy 100 10 id=A option_right=put", false, "refused"},
	}, func(t *testing.T, d *fixture, c example) {
		ids := d.add(stored)
		d.changes = nil
		in := orderOf(t, c.again)
		in.AllowDuplicate = c.allow
		added, err := d.ledger.AddExecution(t.Context(), d.owner, d.account, in)
		switch c.want {
		case "refused":
			refused(t, err, journal.KindConflict, "")
		case "deduped":
			must(t, err)
			if !added.Deduped || added.ID != ids[0] || added.TradeIDs[0] == "" || len(d.changes) != 0 {
				t.Errorf("got %+v", added)
			}
		case "completed":
			must(t, err)
			if !added.Deduped || !added.Completed || added.ID != ids[0] || len(d.changes) != 1 || added.Fees.String()+added.Commission.String() != "51" {
				t.Errorf("got %+v", added)
			}
		case "added":
			must(t, err)
			if added.Deduped || added.ID == ids[0] || len(d.changes) != 1 {
				t.Errorf("got %+v", added)
			}
		}
		want := map[string]int{"refused": 1, "deduped": 1, "completed": 1, "added": 2}[c.want]
		if n := d.count("executions"); n != want {
			t.Errorf("%d executions, want %d", n, want)
		}
		d.sound()
	})
}

// TestRepeatedImport tests which rows in a file are stored.
func TestRepeatedImport(t *testing.T) {
	type example = struct{ stored, file, want string }
	eachCase(t, map[string]example{
		"nothing stored":              {"", "buy 1 10; sell 1 11", "++"},
		"the same file":               {"buy 1 10; sell 1 11", "buy 1 10; sell 1 11", "=="},
		"overlap":                     {"buy 1 10; sell 1 11", "sell 1 11 at=1; buy 1 12 at=2", "=+"},
		"equal rows of one file":      {"", "buy 1 10 at=0; buy 1 10 at=0; buy 1 10 at=0", "+++"},
		"one of three is stored":      {"buy 1 10", "buy 1 10 at=0; buy 1 10 at=0; buy 1 10 at=0", "=++"},
		"all three are stored":        {"buy 1 10; buy 1 10 at=0; buy 1 10 at=0", "buy 1 10 at=0; buy 1 10 at=0; buy 1 10 at=0", "==="},
		"by id, though it changed":    {"buy 1 10 id=A", "buy 1 10.5 id=A at=9 symbol=MSFT", "="},
		"other id, same content":      {"buy 1 10 id=A", "buy 1 10 id=B", "+"},
		"an id for a fill by hand":    {"buy 1 10", "buy 1 10 id=A", "="},
		"two ids, one by hand":        {"buy 1 10", "buy 1 10 id=A at=0; buy 1 10 id=B at=0", "=+"},
		"no id in the second file":    {"buy 1 10 id=A", "buy 1 10", "="},
		"an id that another fill has": {"buy 1 10; buy 2 20 id=A", "buy 1 10 at=0 id=A", "="},
		"an id twice in a file":       {"", "buy 1 10 id=A; buy 2 11 id=A; buy 3 12 id=B", "+=+"},
		"another lot":                 {"buy 1 10 lot=1", "buy 1 10 lot=2", "+"},
		"costs do not count":          {"buy 1 10 fees=1", "buy 1 10 fees=2", "="},
	}, func(t *testing.T, d *fixture, c example) {
		if c.stored != "" {
			fills := orders(t, c.stored)
			for i := range fills {
				fills[i].AllowDuplicate = true
				_, err := d.ledger.AddExecution(t.Context(), d.owner, d.account, fills[i])
				must(t, err)
			}
		}
		file := orders(t, c.file)
		d.expectPreview(c.want, file)
		if got := outcomes(d.insert("first", file...)); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
		d.sound()
		revision := d.revision()
		d.changes = nil
		if got := outcomes(d.insert("second", file...)); got != strings.Repeat("=", len(c.want)) {
			t.Errorf("the second time: %s", got)
		}
		if len(d.changes) != 0 || d.count("import_spans") > 1 {
			t.Errorf("the second time something was written: %+v", d.changes)
		}
		if d.touchedAfter(revision) != 0 {
			t.Error("trades were touched by an import of nothing new")
		}
	})
}

// expectPreview compares the preview with the insert's result.
func (d *fixture) expectPreview(want string, file []ledger.NewFill) {
	d.Helper()
	for i, duplicate := range d.previewInsert(file).Known {
		if duplicate != (want[i] == '=') {
			d.Errorf("row %d: preview reports duplicate %t, want %s", i+1, duplicate, want)
		}
	}
}

func outcomes(r ledger.InsertResult) string {
	var b strings.Builder
	skipped := 0
	for _, o := range r.Outcomes {
		if o.Duplicate {
			skipped++
			b.WriteByte('=')
		} else {
			b.WriteByte('+')
		}
		if o.ID == "" || o.Duplicate != (len(o.Trades) == 0) {
			return fmt.Sprintf("outcome %+v", o)
		}
	}
	if r.Skipped+r.Completed != skipped || r.Inserted != len(r.Outcomes)-skipped {
		return fmt.Sprintf("counted %d and %d", r.Inserted, r.Skipped)
	}
	return b.String()
}

func (d *fixture) revision() int64 {
	d.Helper()
	a, err := d.ledger.Account(d.Context(), d.owner, d.account)
	must(d, err)
	return a.Revision
}

// touchedAfter counts the trades that writes after a revision touched.
func (d *fixture) touchedAfter(revision int64) int {
	d.Helper()
	n := 0
	for _, t := range d.trades() {
		if t.Revision > revision {
			n++
		}
	}
	return n
}

// TestEditedFillMatchesItsFile: who corrects an imported fill and imports the
// same file again must not get the uncorrected fill beside it.
func TestEditedFillMatchesItsFile(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		file := orders(t, "buy 100 10; sell 100 12; buy 7 7 id=A")
		result := d.insert("first", file...)
		for i, change := range []ledger.ExecutionChange{
			{Price: journal.Some(decimal.New(11)), ExecutedAt: journal.Some(minute(-500))},
			{Symbol: journal.Some("MSFT")},
			{Price: journal.Some(decimal.New(8))},
		} {
			_, err := d.ledger.UpdateExecution(t.Context(), d.owner, result.Outcomes[i].ID, change, nil)
			must(t, err)
		}
		_, err := d.ledger.UpdateExecution(t.Context(), d.owner, result.Outcomes[0].ID,
			ledger.ExecutionChange{Price: journal.Some(decimal.Must("11.5")), ExecutedAt: journal.Some(minute(500))}, nil)
		must(t, err)
		d.expectPreview("===", file)
		if got := outcomes(d.insert("second", file...)); got != "===" {
			t.Errorf("again: %s", got)
		}
		// A fill with the edited values matches as well.
		if got := outcomes(d.insert("third", order(t, "buy 100 11.5 at=500", 0))); got != "=" {
			t.Errorf("as edited: %s", got)
		}
		d.sound()
		d.reverse("third")
		d.reverse("second")
		if rows := d.reverse("first"); rows.Fills != 3 {
			t.Errorf("reversed %+v", rows)
		}
		d.expectTrades("")
	})
}

// TestImportAddsIDToEntryByHand: afterwards the fill is known by the id.
func TestImportAddsIDToEntryByHand(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		ids := d.add("buy 1 10")
		d.insert("batch", orderOf(t, "buy 1 10 id=A"))
		e, err := d.ledger.Execution(t.Context(), d.owner, ids[0])
		must(t, err)
		if e.ExternalID == nil || *e.ExternalID != "A" || e.Batch != nil {
			t.Errorf("got %+v", e)
		}
		_, err = d.ledger.UpdateExecution(t.Context(), d.owner, ids[0], ledger.ExecutionChange{Price: journal.Some(decimal.New(11))}, nil)
		must(t, err)
		if got := outcomes(d.insert("batch", orderOf(t, "buy 1 10 id=A"))); got != "=" {
			t.Errorf("after an edit: %s", got)
		}
	})
}

// TestDedupSkipsUnrelatedFills looks for few fills in a long stream, far apart
// and close together, and finds them all.
func TestDedupSkipsUnrelatedFills(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		var file []ledger.NewFill
		for n := range 400 {
			file = append(file, order(t, []string{"buy 1 10", "sell 1 11"}[n%2], n/3))
		}
		d.insert("all", file...)
		for name, some := range map[string][]ledger.NewFill{
			"far apart": {file[3], file[150], file[151], file[399]},
			"together":  file[200:260],
			"backwards": {file[399], file[20], file[0]},
			"all":       file,
		} {
			if got := outcomes(d.insert("", some...)); got != strings.Repeat("=", len(some)) {
				t.Errorf("%s: %s", name, got)
			}
		}
		between := order(t, "buy 1 10", 0)
		between.ExecutedAt = minute(50).Add(time.Second)
		if got := outcomes(d.insert("", file[100], between, file[300])); got != "=+=" {
			t.Errorf("one new among old: %s", got)
		}
		d.sound()
	})
}

func TestInvalidFillFailsImport(t *testing.T) {
	eachFixture(t, func(t *testing.T, d *fixture) {
		err := d.db.Update(t.Context(), func(tx *db.Tx) error {
			_, err := d.ledger.InsertFills(t.Context(), tx, d.owner, d.account, "batch", orders(t, "buy 1 10; buy 0 10"))
			return err
		})
		refused(t, err, journal.KindInvalid, "quantity")
		if !strings.Contains(err.Error(), "fill 2") {
			t.Errorf("the error does not name the row: %v", err)
		}
		if d.count("executions")+d.count("streams")+d.count("import_spans") != 0 {
			t.Error("rows are left")
		}
	})
}
