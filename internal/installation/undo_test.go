package installation_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"fillbook/internal/backup"
	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/installation/alerts"
	"fillbook/internal/intake/imports"
	"fillbook/internal/people/identity"
	"fillbook/internal/testkit"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/playbook"
)

// writer makes random writes to a journal.
type writer struct {
	*fixture
	random *rand.Rand
	number int
	// all is whether it writes every type of record, and not only those of a trade.
	all bool
	// security is whether it also makes writes that cannot be undone.
	security bool
	secrets  map[journal.HookID]string
	saved    []byte // a backup
	last     string // the state read last; only write and undoAny change the journal
	// refusals are the last ones of each write.
	refusals map[string]error
}

// newWriter returns a writer whose writes follow from two numbers.
func newWriter(h *fixture, seed, kind uint64, all bool) *writer {
	h.t.Helper()
	_, err := h.Routine.Items(h.t.Context(), h.owner, "") // the first reading stores the items
	must(h.t, err)
	if all {
		h.storeAlerts()
		_, err := h.Alerts.UpdateSettings(h.t.Context(), h.owner, alerts.SettingsChange{MaxPerHour: journal.Some(10)}, nil) // the row stays
		must(h.t, err)
	}
	return &writer{fixture: h, random: rand.New(rand.NewPCG(seed, kind)), all: all, secrets: map[journal.HookID]string{}, refusals: map[string]error{}} //nolint:gosec // repeatable
}

// step is a write with the state before and after it.
type step struct {
	what          string
	id            journal.ChangeID
	before, after string
}

// state returns the journal as JSON, and the ids that JSON does not have.
func (h *fixture) state() string {
	h.t.Helper()
	ctx := h.t.Context()
	var out bytes.Buffer
	must(h.t, h.DB.View(ctx, func(tx *db.Tx) error {
		if err := backup.WriteJSON(ctx, tx, h.owner, backup.Scope{}, &out); err != nil {
			return err
		}
		for _, query := range []string{
			`SELECT id, name FROM tags WHERE user_id = $1 ORDER BY id`, `SELECT id, name FROM setups WHERE user_id = $1 ORDER BY id`,
			`SELECT id, title FROM notes WHERE user_id = $1 ORDER BY id`, `SELECT id, symbol FROM missed_trades WHERE user_id = $1 ORDER BY id`,
			`SELECT id, note FROM cash_transactions WHERE user_id = $1 ORDER BY id`, `SELECT id, name FROM accounts WHERE user_id = $1 ORDER BY id`,
		} {
			err := db.Each(ctx, tx, func(row db.Scanner) error {
				var id, name string
				err := row.Scan(&id, &name)
				fmt.Fprintln(&out, id, name)
				return err
			}, query, h.owner)
			if err != nil {
				return err
			}
		}
		err := db.Each(ctx, tx, func(row db.Scanner) error {
			var id journal.TradeID
			var at, seq int64
			err := row.Scan(&id, &at, &seq)
			fmt.Fprintln(&out, "trade", id, at, seq)
			return err
		}, `SELECT id, opened_at, first_seq FROM trades WHERE user_id = $1 ORDER BY opened_at, first_seq`, h.owner)
		if err != nil {
			return err
		}
		if err := h.writeTables(ctx, tx, &out); err != nil {
			return err
		}
		return ledger.EachExecution(ctx, tx, h.owner, ledger.ExecutionQuery{}, func(e ledger.Execution) error {
			fmt.Fprintln(&out, "fill", e.ID, e.CreatedAt, e.Cursor.Arrival, e.TradeIDs)
			return nil
		})
	}))
	return lastUse.ReplaceAllString(out.String(), "")
}

// lastUse is when a layout was used last, which is not restored, and the checksums of that.
var lastUse = regexp.MustCompile(`,"used_at":"[^"]*"| used_at=\S*|"checksums":\{[^}]*\}`)

// lossTimes are when something was lost, and what a connection has fetched. A redo does not
// restore them: it is the loss, and a connection fetches again what an undo removed.
var lossTimes = regexp.MustCompile(`"(orphaned|deleted)_at":"[^"]*"|(orphaned|deleted)_at=\S*|covers_(from|to)=\S*`)

// fetched is what a connection has fetched. After an undo of its run, and of a reversal of
// what it brought, it fetches that window again, which begins before the end of the run before.
var fetched = regexp.MustCompile(`covers_(from|to)=\S*`)

// isUndone reports whether an undo restored a state.
func isUndone(want, is string) bool {
	return want == is || fetched.ReplaceAllString(want, "") == fetched.ReplaceAllString(is, "")
}

// isRedone reports whether a redo restored a state.
func isRedone(want, is string) bool {
	return want == is || lossTimes.ReplaceAllString(want, "") == lossTimes.ReplaceAllString(is, "")
}

// mainWrites are the writes to fills and to what traders add to trades. Some are more frequent.
func (w *writer) mainWrites() []randomWrite {
	return []randomWrite{
		{"create tag", w.createTag},
		{"change tag", w.changeTag},
		{"delete tag", w.deleteTag},
		{"merge tags", w.mergeTags},
		{"create setup", w.createSetup},
		{"delete setup", w.deleteSetup},
		{"create note", w.createNote},
		{"change note", w.changeNote},
		{"delete note", w.deleteNote},
		{"create missed trade", w.createMissed},
		{"add fill", w.addFill},
		{"add fill", w.addFill},
		{"add fill", w.addFill},
		{"change fill", w.changeFill},
		{"delete fill", w.deleteFill},
		{"delete trade", w.deleteTrade},
		{"annotate", w.annotate},
		{"annotate", w.annotate},
		{"annotate many", w.annotateMany},
		{"add cash", w.addCash},
		{"delete cash", w.deleteCash},
		{"create account", w.createAccount},
		{"change account", w.changeAccount},
		{"delete account", w.deleteAccount},
		{"import", w.importFile},
		{"import", w.importFile},
		{"reverse import", w.reverseImport},
	}
}

// write makes one random write and returns it, or nil if it had no effect.
func (w *writer) write() *step {
	w.t.Helper()
	before := w.last
	if before == "" {
		before = w.state()
	}
	chosen := w.choose()
	id := w.run(chosen)
	after := w.state()
	w.last = after
	w.wantChains()
	if id == "" {
		if !isUndone(before, after) { // a run that brings nothing has fetched until now
			w.t.Fatalf("%s left no change:\n%s", chosen.name, firstDifference(before, after))
		}
		return nil
	}
	return &step{what: chosen.name, id: id, before: before, after: after}
}

// allWrites returns all random writes.
func (w *writer) allWrites() []randomWrite {
	return slices.Concat(w.mainWrites(), w.moreWrites(), w.intakeWrites(), w.securityWrites())
}

// choose returns a random write.
func (w *writer) choose() randomWrite {
	writes := w.mainWrites()
	if w.all {
		switch w.random.IntN(7) {
		case 0, 1:
			writes = w.moreWrites()
		case 2, 3, 4:
			writes = w.intakeWrites()
		case 5:
			if w.security {
				writes = w.securityWrites()
			}
		}
	}
	return writes[w.random.IntN(len(writes))]
}

// run makes a write by a random actor and returns its change, or "" if it had no effect or
// was refused.
func (w *writer) run(write randomWrite) journal.ChangeID {
	w.t.Helper()
	actors := history.ActorKinds()
	actor := history.Actor{Kind: actors[w.random.IntN(len(actors))], ID: "actor", Name: "someone"}
	ctx, outcome := history.WithOutcome(history.WithActor(w.t.Context(), actor))
	w.number++
	if err := write.run(ctx); err != nil {
		if _, refused := errors.AsType[*journal.Error](err); !refused {
			w.t.Fatalf("%s: %v", write.name, err)
		}
		w.refusals[write.name] = err
	}
	if outcome.Count > 1 {
		w.t.Fatalf("%s left %d changes", write.name, outcome.Count)
	}
	return outcome.Change
}

// pick returns the id of one of the user's records in a table.
func (w *writer) pick(table string) string {
	w.t.Helper()
	var ids []string
	must(w.t, w.DB.View(w.t.Context(), func(tx *db.Tx) (err error) {
		if table == "trades" {
			trades, err := db.List(w.t.Context(), tx, db.Single[journal.TradeID], `SELECT id FROM trades WHERE user_id = $1 ORDER BY id`, w.owner)
			for _, id := range trades {
				ids = append(ids, string(id))
			}
			return err
		}
		ids, err = db.List(w.t.Context(), tx, db.Single[string], `SELECT id FROM `+table+` WHERE user_id = $1 ORDER BY id`, w.owner)
		return err
	}))
	if len(ids) == 0 {
		return "00000000-0000-4000-8000-000000000000"
	}
	return ids[w.random.IntN(len(ids))]
}

func (w *writer) name(kind string) string { return fmt.Sprint(kind, " ", w.number) }

func (w *writer) createTag(ctx context.Context) error {
	_, err := w.Playbook.CreateTag(ctx, w.owner, playbook.TagChange{Name: journal.Some(w.name("Tag"))})
	return err
}

func (w *writer) changeTag(ctx context.Context) error {
	_, err := w.Playbook.ChangeTag(ctx, w.owner, journal.TagID(w.pick("tags")), playbook.TagChange{Name: journal.Some(w.name("Tag"))}, nil)
	return err
}

func (w *writer) deleteTag(ctx context.Context) error {
	return w.Playbook.DeleteTag(ctx, w.owner, journal.TagID(w.pick("tags")), nil)
}

func (w *writer) mergeTags(ctx context.Context) error {
	from, into := journal.TagID(w.pick("tags")), journal.TagID(w.pick("tags"))
	return w.DB.Update(ctx, func(tx *db.Tx) error {
		_, err := w.Playbook.MergeTag(ctx, tx, w.owner, from, into)
		return err
	})
}

func (w *writer) createSetup(ctx context.Context) error {
	_, err := w.Playbook.CreateSetup(ctx, w.owner, playbook.SetupChange{
		Name: journal.Some(w.name("Setup")), Checklist: journal.Some([]string{"Volume", "Trend"}),
	})
	return err
}

func (w *writer) deleteSetup(ctx context.Context) error {
	return w.Playbook.DeleteSetup(ctx, w.owner, journal.SetupID(w.pick("setups")), nil)
}

func (w *writer) createNote(ctx context.Context) error {
	change := playbook.NoteChange{Title: journal.Some(w.name("Note")), Body: journal.Some("Some words.")}
	if w.random.IntN(2) == 0 {
		change.Account = journal.Some(journal.AccountID(w.pick("accounts")))
	}
	if w.random.IntN(2) == 0 {
		change.Trade = journal.Some(journal.TradeID(w.pick("trades")))
	}
	_, err := w.Playbook.CreateNote(ctx, w.owner, change)
	return err
}

func (w *writer) changeNote(ctx context.Context) error {
	change := playbook.NoteChange{Body: journal.Some(strings.Repeat(w.name("Words"), 1+w.random.IntN(2)*500))}
	if w.random.IntN(2) == 0 {
		change.Symbols = journal.Some([]playbook.SymbolNote{{Symbol: "AAPL", Body: w.name("Up")}})
	}
	_, err := w.Playbook.ChangeNote(ctx, w.owner, journal.NoteID(w.pick("notes")), change, nil)
	return err
}

func (w *writer) deleteNote(ctx context.Context) error {
	return w.Playbook.DeleteNote(ctx, w.owner, journal.NoteID(w.pick("notes")), nil)
}

func (w *writer) createMissed(ctx context.Context) error {
	_, err := w.Playbook.CreateMissed(ctx, w.owner, playbook.MissedChange{
		Symbol: journal.Some("MSFT"), Direction: journal.Some(playbook.Long), ObservedAt: journal.Some(w.Clock()),
	})
	return err
}

// addFill adds a fill at a random time, so it may split or join trades.
func (w *writer) addFill(ctx context.Context) error {
	_, err := w.Ledger.AddExecution(ctx, w.owner, journal.AccountID(w.pick("accounts")), w.newFill())
	return err
}

// pickFill returns a random fill.
func (w *writer) pickFill() journal.ExecutionID {
	w.t.Helper()
	var ids []journal.ExecutionID
	must(w.t, w.DB.View(w.t.Context(), func(tx *db.Tx) error {
		return ledger.EachExecution(w.t.Context(), tx, w.owner, ledger.ExecutionQuery{}, func(e ledger.Execution) error {
			ids = append(ids, e.ID)
			return nil
		})
	}))
	if len(ids) == 0 {
		return "00000000-0000-4000-8000-000000000000"
	}
	return ids[w.random.IntN(len(ids))]
}

func (w *writer) changeFill(ctx context.Context) error {
	change := ledger.ExecutionChange{Price: journal.Some(decimal.New(int64(200 + w.number)))}
	if w.random.IntN(2) == 0 {
		change.Quantity = journal.Some(decimal.New(int64(1 + w.random.IntN(4))))
	}
	if w.random.IntN(3) == 0 {
		change.ExecutedAt = journal.Some(time.Date(2026, 3, 2, 9, w.random.IntN(600), 0, 0, time.UTC))
	}
	_, err := w.Ledger.UpdateExecution(ctx, w.owner, w.pickFill(), change, nil)
	return err
}

func (w *writer) deleteFill(ctx context.Context) error {
	return w.Ledger.DeleteExecution(ctx, w.owner, w.pickFill(), nil)
}

func (w *writer) deleteTrade(ctx context.Context) error {
	return w.Ledger.DeleteTrade(ctx, w.owner, journal.TradeID(w.pick("trades")), nil)
}

func (w *writer) annotation() playbook.AnnotationChange {
	change := playbook.AnnotationChange{ValueChange: playbook.ValueChange{Notes: journal.Some(w.name("Words"))}}
	if w.random.IntN(2) == 0 {
		change.Tags = journal.Some([]journal.TagID{journal.TagID(w.pick("tags"))})
	}
	if w.random.IntN(3) == 0 {
		change.Setups = journal.Some([]journal.SetupID{journal.SetupID(w.pick("setups"))})
	}
	return change
}

func (w *writer) annotate(ctx context.Context) error {
	_, err := w.Playbook.Annotate(ctx, w.owner, journal.TradeID(w.pick("trades")), w.annotation(), nil)
	return err
}

func (w *writer) annotateMany(ctx context.Context) error {
	trades := []journal.TradeID{journal.TradeID(w.pick("trades")), journal.TradeID(w.pick("trades"))}
	return w.DB.Update(ctx, func(tx *db.Tx) error {
		history.Describe(tx, w.owner, history.Description{Action: history.Bulk})
		_, err := w.Playbook.AnnotateTrades(ctx, tx, w.owner, trades, playbook.BulkChange{AddTags: []journal.TagID{journal.TagID(w.pick("tags"))}})
		return err
	})
}

func (w *writer) addCash(ctx context.Context) error {
	_, err := w.Ledger.AddCash(ctx, w.owner, journal.AccountID(w.pick("accounts")), ledger.NewCash{
		Type: ledger.Deposit, Amount: decimal.New(int64(w.number)), OccurredAt: w.Clock(), Note: w.name("Cash"),
	})
	return err
}

func (w *writer) deleteCash(ctx context.Context) error {
	return w.Ledger.DeleteCash(ctx, w.owner, journal.CashID(w.pick("cash_transactions")), nil)
}

func (w *writer) createAccount(ctx context.Context) error {
	_, err := w.Ledger.CreateAccount(ctx, w.owner, ledger.NewAccount{Name: w.name("Account")})
	return err
}

func (w *writer) changeAccount(ctx context.Context) error {
	_, err := w.Ledger.UpdateAccount(ctx, w.owner, journal.AccountID(w.pick("accounts")), ledger.AccountChange{Name: journal.Some(w.name("Account"))}, nil)
	return err
}

func (w *writer) deleteAccount(ctx context.Context) error {
	return w.Ledger.DeleteAccount(ctx, w.owner, journal.AccountID(w.pick("accounts")), nil)
}

// importFile imports some of 40 fills, so files overlap and lack fills between others.
func (w *writer) importFile(ctx context.Context) error {
	var file strings.Builder
	file.WriteString("Symbol,Side,Quantity,Price,Executed At,Commission\n")
	first := w.random.IntN(30)
	for i := first; i < min(40, first+2+w.random.IntN(12)); i++ {
		if w.random.IntN(4) == 0 {
			continue
		}
		fmt.Fprintf(&file, "%s,%s,%d,%d,2026-03-02T%02d:%02d:00Z,1\n",
			[]string{"AAPL", "MSFT"}[i/3%2], []string{"buy", "sell"}[i*7/4%2], 1+i%3, 100+i, 9+i/5, i*7%60)
	}
	by := imports.Actor{Principal: identity.Principal{UserID: w.owner}}
	_, err := w.Imports.Commit(ctx, by, imports.Upload{FileName: w.name("file"), Data: []byte(file.String()), Account: journal.AccountID(w.pick("accounts"))})
	return err
}

func (w *writer) reverseImport(ctx context.Context) error {
	by := imports.Actor{Principal: identity.Principal{UserID: w.owner}}
	return w.Imports.Reverse(ctx, by, journal.BatchID(w.pick("import_batches")), nil)
}

// describe returns an error with the conflicts of a refusal.
func describe(err error) string {
	if refused, ok := errors.AsType[*journal.Error](err); ok {
		return fmt.Sprint(err, refused.Details)
	}
	return err.Error()
}

// firstDifference returns where two states differ.
func firstDifference(a, b string) string {
	at := 0
	for at < len(a) && at < len(b) && a[at] == b[at] {
		at++
	}
	from := max(0, at-300)
	return fmt.Sprintf("want …%s\n got …%s", a[from:min(len(a), at+200)], b[from:min(len(b), at+200)])
}

func allowAll(*history.Change) error { return nil }

// wantChains recomputes all chains of the user's history.
func (h *fixture) wantChains() {
	h.t.Helper()
	must(h.t, h.History.Check(h.t.Context(), h.owner, func(problem string) { h.t.Errorf("the history: %s", problem) }))
}

// undoSeed is how the random tests of undo use a seed.
type undoSeed struct {
	all    bool // all types of records are written
	failed bool // it failed once; only a long test tries it on PostgreSQL
}

// undoSeeds returns the seeds of the random tests: the latest that failed, without and with
// all types, and another; for a long test all that failed, and more others.
func undoSeeds(failed, failedAll []uint64) map[uint64]undoSeed {
	seeds := map[uint64]undoSeed{}
	for _, seed := range latest(failed) {
		seeds[seed] = undoSeed{failed: true}
	}
	for _, seed := range latest(failedAll) {
		seeds[seed] = undoSeed{all: true, failed: true}
	}
	for seed := range uint64(testkit.Rounds(1, 200)) {
		seeds[1000+seed] = undoSeed{all: true}
	}
	for seed := range uint64(testkit.Rounds(0, 60)) {
		seeds[100+seed] = undoSeed{failed: true}
	}
	return seeds
}

// latest returns the last four seeds, or all for a long test.
func latest(seeds []uint64) []uint64 {
	return seeds[max(0, len(seeds)-testkit.Rounds(4, len(seeds))):]
}

// TestUndoRestoresEveryState makes random writes, undoes them in the opposite order and
// redoes them: each time the journal is as it was, and the check finds nothing.
func TestUndoRestoresEveryState(t *testing.T) {
	t.Parallel()
	for seed, how := range undoSeeds([]uint64{
		0, 2, 4, 5, 8, 116, 118,
	}, []uint64{
		50006, 50058, 50084,
	}) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			each := eachFixture
			if how.failed {
				each = eachFixtureIfLong
			}
			each(t, func(_ *testing.T, h *fixture) { h.undoBackward(seed, how.all) })
		})
	}
}

// undoBackward makes random writes, undoes them and redoes them.
func (h *fixture) undoBackward(seed uint64, all bool) {
	h.t.Helper()
	w := newWriter(h, seed, 1, all)
	var steps []*step
	for len(steps) < 40 {
		if s := w.write(); s != nil {
			steps = append(steps, s)
		}
	}
	var undone []journal.ChangeID
	for i := range slices.Backward(steps) {
		change, err := h.Undo(h.t.Context(), h.owner, steps[i].id, allowAll)
		if err != nil {
			h.t.Fatalf("undoing step %d, %s: %s", i, steps[i].what, describe(err))
		}
		if is := h.state(); !isUndone(steps[i].before, is) {
			h.t.Fatalf("after undoing step %d, %s:\n%s", i, steps[i].what, firstDifference(steps[i].before, is))
		}
		h.wantChains()
		undone = append(undone, change.ID)
	}
	h.wantNoProblems()
	for i, s := range steps {
		if _, err := h.Undo(h.t.Context(), h.owner, undone[len(undone)-1-i], allowAll); err != nil {
			h.t.Fatalf("redoing step %d, %s: %s", i, s.what, describe(err))
		}
		if is := h.state(); !isRedone(s.after, is) {
			h.t.Fatalf("after redoing step %d, %s:\n%s", i, s.what, firstDifference(s.after, is))
		}
		h.wantChains()
	}
	h.wantNoProblems()
}

// TestUndoInAnyOrder makes random writes and undoes random ones: each undo succeeds, or
// names a conflict and changes nothing.
func TestUndoInAnyOrder(t *testing.T) {
	t.Parallel()
	for seed, how := range undoSeeds([]uint64{
		0, 1, 2, 12, 21, 22, 23, 50017, 50025, 50049, 50073, 60102, 60135, 60236, 60252, 60226, 60256, 60151, 60191, 60163, 60182, 60368, 60267, 60366, 60618,
	}, []uint64{
		50027, 50043, 50054, 50066, 60005, 60357,
	}) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			each := eachFixture
			if how.failed {
				each = eachFixtureIfLong
			}
			each(t, func(_ *testing.T, h *fixture) { h.undoInAnyOrder(seed, how.all) })
		})
	}
}

// undoInAnyOrder makes random writes and undoes random ones.
func (h *fixture) undoInAnyOrder(seed uint64, all bool) {
	h.t.Helper()
	w := newWriter(h, seed, 2, all)
	w.security = all
	var steps []*step
	for range 60 {
		if s := w.write(); s != nil {
			steps = append(steps, s)
		}
	}
	for range 40 {
		w.undoAny(steps)
	}
	h.wantNoProblems()
}

// undoAny undoes a random step, and then redoes and undoes it again.
func (w *writer) undoAny(steps []*step) {
	w.t.Helper()
	s := steps[w.random.IntN(len(steps))]
	before := w.last
	undo, err := w.Undo(w.t.Context(), w.owner, s.id, allowAll)
	w.wantChains()
	if err == nil {
		after := w.state()
		redo := w.undoAgain("redoing", s.what, undo.ID, before)
		w.undoAgain("undoing again", s.what, redo, after)
		return
	}
	var refused *journal.Error
	if !errors.As(err, &refused) || refused.Kind != journal.KindConflict {
		w.t.Fatalf("undoing %s: %v", s.what, err)
	}
	if refused.Code == "changed_since" {
		w.wantTrueConflicts(s, refused)
	}
	if after := w.state(); after != before {
		w.t.Fatalf("a refused undo of %s changed the journal:\n%s", s.what, firstDifference(before, after))
	}
}

// wantTrueConflicts requires that a refusal has a conflict, and names no earlier change.
func (w *writer) wantTrueConflicts(s *step, refused *journal.Error) {
	w.t.Helper()
	conflicts, _ := refused.Details["conflicts"].([]history.Conflict)
	if len(conflicts) == 0 {
		w.t.Errorf("undoing %s was refused without a conflict", s.what)
	}
	undone, err := w.History.Get(w.t.Context(), w.owner, s.id)
	must(w.t, err)
	for _, c := range conflicts {
		if c.Change == "" {
			continue // not known
		}
		later, err := w.History.Get(w.t.Context(), w.owner, c.Change)
		if err != nil || later.Position <= undone.Position {
			w.t.Errorf("undoing %s: the conflict with %s %s names the change %q: %v", s.what, c.Type, c.ID, c.Change, err)
		}
	}
}

// undoAgain undoes a change that was made just now, which must restore a state.
func (w *writer) undoAgain(what, write string, id journal.ChangeID, want string) journal.ChangeID {
	w.t.Helper()
	change, err := w.Undo(w.t.Context(), w.owner, id, allowAll)
	if err != nil {
		w.t.Fatalf("%s %s: %s", what, write, describe(err))
	}
	w.last = w.state()
	if !isRedone(want, w.last) {
		w.t.Fatalf("after %s %s:\n%s", what, write, firstDifference(want, w.last))
	}
	w.wantChains()
	return change.ID
}
