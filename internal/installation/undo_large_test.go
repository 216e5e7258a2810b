package installation_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/intake/imports"
	"fillbook/internal/people/identity"
	"fillbook/internal/testkit"
	"fillbook/internal/trading/playbook"
	"fillbook/internal/trading/strategybook"
)

// fillsFile returns a file with fills of 200 symbols, which open and close trades. The first
// two are options on one share.
func fillsFile(fills int) []byte {
	var file bytes.Buffer
	file.WriteString("Symbol,Side,Quantity,Price,Executed At,Commission,Order ID\n")
	at := time.Date(2020, 1, 2, 14, 30, 0, 0, time.UTC)
	for i := range fills {
		side := []string{"buy", "sell"}[i/200%2]
		symbol := fmt.Sprint("SYM", i%200)
		if i%200 < 2 {
			symbol = fmt.Sprintf("OPT   300118C00%d00000", 1+i%200)
		}
		fmt.Fprintf(&file, "%s,%s,100,%d.%02d,%s,1.05,ORD-%07d\n",
			symbol, side, 10+i%900, i%100, at.Add(time.Duration(i)*15*time.Minute).Format(time.RFC3339), i)
	}
	return file.Bytes()
}

// importFills imports a file and returns the import's id.
func (h *fixture) importFills(file []byte) journal.BatchID {
	h.t.Helper()
	by := imports.Actor{Principal: identity.Principal{UserID: h.owner}}
	result, err := h.Imports.Commit(h.t.Context(), by, imports.Upload{FileName: "fills.csv", Data: file, Account: h.account})
	must(h.t, err)
	return result.BatchID
}

// annotateLarge annotates every 20th trade, and adds some notes, attachments and
// strategies.
func (h *fixture) annotateLarge() {
	h.t.Helper()
	ctx := h.t.Context()
	tag, err := h.Playbook.CreateTag(ctx, h.owner, playbook.TagChange{Name: journal.Some("Gap")})
	must(h.t, err)
	setup, err := h.Playbook.CreateSetup(ctx, h.owner, playbook.SetupChange{Name: journal.Some("Breakout"), Checklist: journal.Some([]string{"Volume"})})
	must(h.t, err)
	var trades []journal.TradeID
	must(h.t, h.DB.View(ctx, func(tx *db.Tx) (err error) {
		trades, err = db.List(ctx, tx, db.Single[journal.TradeID], `SELECT id FROM trades WHERE user_id = $1 ORDER BY opened_at, first_seq`, h.owner)
		return err
	}))
	for i := 0; i < len(trades); i += 20 {
		_, err := h.Playbook.Annotate(ctx, h.owner, trades[i], playbook.AnnotationChange{
			ValueChange: playbook.ValueChange{Notes: journal.Some(fmt.Sprint("Words about trade ", i))},
			Tags:        journal.Some([]journal.TagID{tag.ID}), Setups: journal.Some([]journal.SetupID{setup.ID}),
		}, nil)
		must(h.t, err)
	}
	for i := range min(20, len(trades)/200) {
		_, err := h.Playbook.CreateNote(ctx, h.owner, playbook.NoteChange{
			Title: journal.Some(fmt.Sprint("Note ", i)), Body: journal.Some(strings.Repeat("Words. ", 1000)),
			Account: journal.Some(h.account), Trade: journal.Some(trades[i]),
		})
		must(h.t, err)
		h.attach(trades[i])
		_, err = h.Strategies.Create(ctx, h.owner, trades[200*i:200*i+2], strategybook.Change{})
		must(h.t, err)
	}
}

// lastChange returns the id of the newest change.
func (h *fixture) lastChange() journal.ChangeID {
	h.t.Helper()
	page, err := h.History.List(h.t.Context(), h.owner, history.Query{Limit: 1})
	must(h.t, err)
	return page.Changes[0].ID
}

// undoLast undoes the newest change.
func (h *fixture) undoLast() {
	h.t.Helper()
	_, err := h.Undo(h.t.Context(), h.owner, h.lastChange(), allowAll)
	must(h.t, err)
}

// measure logs how long a step takes, and how often as long as the import.
func (h *fixture) measure(what string, base *stepTime, step func()) (took stepTime) {
	h.t.Helper()
	start, cpu := time.Now(), testkit.ProcessorTime(h.t)
	step()
	took = stepTime{time.Since(start), testkit.ProcessorTime(h.t) - cpu}
	if base == nil {
		base = &took
	}
	h.t.Logf("%-32s %8.2f s (× %.2f) · processor %8.2f s (× %.2f)", what,
		took.wall.Seconds(), took.wall.Seconds()/base.wall.Seconds(), took.cpu.Seconds(), took.cpu.Seconds()/base.cpu.Seconds())
	return took
}

type stepTime struct{ wall, cpu time.Duration }

// TestUndoOfLargeRemovals deletes an account with annotations, notes, attachments and
// strategies, and reverses its import: the undo brings everything back, and the redo removes
// it again. With SVC_TEST_LONG there are 100,000 fills; the log has the times.
func TestUndoOfLargeRemovals(t *testing.T) {
	eachFixture(t, func(t *testing.T, h *fixture) {
		ctx := t.Context()
		var batch journal.BatchID
		file := fillsFile(testkit.Rounds(2000, 100_000))
		imported := h.measure("import", nil, func() { batch = h.importFills(file) })
		h.annotateLarge()
		before, files := h.state(), h.stored()
		want := func(what string) {
			t.Helper()
			if is := h.state(); is != before {
				t.Fatalf("after %s:\n%s", what, firstDifference(before, is))
			}
			if n := h.stored(); n != files {
				t.Errorf("after %s there are %d files instead of %d", what, n, files)
			}
			h.wantNoProblems()
		}
		h.measure("deletion of the account", &imported, func() { must(t, h.Ledger.DeleteAccount(ctx, h.owner, h.account, nil)) })
		h.measure("undo", &imported, h.undoLast)
		want("the undo of the deletion")
		h.measure("redo", &imported, h.undoLast)
		h.measure("undo of the redo", &imported, h.undoLast)
		want("the undo of the redo")

		h.measure("reversal of the import", &imported, func() {
			must(t, h.Imports.Reverse(ctx, imports.Actor{Principal: identity.Principal{UserID: h.owner}}, batch, nil))
		})
		h.measure("undo", &imported, h.undoLast)
		want("the undo of the reversal")
		h.measure("redo", &imported, h.undoLast)
		h.measure("undo of the redo", &imported, h.undoLast)
		want("the undo of the redo")
	})
}
