package backup

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/secrets"
	"fillbook/internal/people/identity"
	"fillbook/internal/prices/bars"
	"fillbook/internal/testkit"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
	"fillbook/internal/trading/playbook"
	"fillbook/internal/trading/routine"
)

// fixture is an installation, wired like the program.
type fixture struct {
	db       *db.DB
	clock    *testkit.Clock
	identity *identity.Service
	ledger   *ledger.Service
	playbook *playbook.Service
	routine  *routine.Service
	users    int
}

// failer is what *testing.T and *rapid.T share.
type failer interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
}

func must(t failer, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// newFixture keeps attachments in a directory on SQLite and in the database on
// PostgreSQL, so both are tested.
func newFixture(t *testing.T, d *db.DB) *fixture {
	t.Helper()
	keys, err := secrets.NewKeys(bytes.Repeat([]byte{7}, secrets.MinRoot))
	must(t, err)
	h := &fixture{db: d, clock: testkit.NewClock()}
	now := journal.Clock(h.clock.Now)
	options := playbook.Options{Known: h.known()}
	if d.Engine() == db.SQLite {
		options.Files, err = playbook.OpenFiles(t.TempDir())
		must(t, err)
		t.Cleanup(func() { _ = options.Files.Close() })
	}
	h.identity = identity.New(d, keys, now, slog.New(slog.DiscardHandler),
		identity.Options{PasswordCost: identity.PasswordCost{MemoryKiB: 64, Passes: 1}})
	h.ledger = ledger.New(d, now, h.moveAnnotations)
	h.playbook = playbook.New(d, now, options)
	h.routine = routine.New(d, now, nil)
	return h
}

func (h *fixture) known() playbook.Known {
	return playbook.Known{PublicID: identity.PublicID, UserNumber: identity.UserNumber, Account: ledger.CheckAccountOwner, Trade: ledger.LockTrade, InstrumentType: ledger.InstrumentType, AnnotationsChanged: ledger.TouchTrades}
}

// moveAnnotations moves annotations to where the fills are.
func (h *fixture) moveAnnotations(ctx context.Context, tx *db.Tx, owner journal.UserID, change ledger.TradeChanges) error {
	out := playbook.Regrouping{Account: change.Account}
	for _, m := range change.Merged {
		out.Merged = append(out.Merged, playbook.Merge(m))
	}
	for _, o := range change.Orphaned {
		out.Orphaned = append(out.Orphaned, playbook.Orphaned{
			Trade: o.Trade, Account: change.Account, FillKeys: o.FillKeys, Symbol: o.Symbol, OpenedAt: &o.OpenedAt,
		})
	}
	if change.Arrived != nil {
		var arrived []playbook.Arrival
		for a := range change.Arrived {
			arrived = append(arrived, playbook.Arrival(a))
		}
		out.Arrived = slices.Values(arrived)
	}
	return playbook.MoveAnnotations(ctx, tx, owner, h.clock.Now(), out)
}

func eachFixture(t *testing.T, fn func(t *testing.T, h *fixture)) {
	t.Helper()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) { fn(t, newFixture(t, d)) })
}

// oneFixture is for tests that do not depend on the engine.
func oneFixture(t *testing.T) *fixture {
	t.Helper()
	return newFixture(t, testkit.Open(t, db.SQLite))
}

// ctx outlives a property's cases.
func (h *fixture) ctx() context.Context { return context.Background() }

func (h *fixture) user(t failer) journal.UserID {
	t.Helper()
	h.users++
	user, err := h.identity.CreateUserByOperator(h.ctx(), fmt.Sprintf("user%d@example.org", h.users), secrets.Secret("a long sentence works well"), false)
	must(t, err)
	return user.ID
}

func (h *fixture) account(t failer, owner journal.UserID, name string) journal.AccountID {
	t.Helper()
	account, err := h.ledger.CreateAccount(h.ctx(), owner, ledger.NewAccount{Name: name, Broker: "Broker"})
	must(t, err)
	return account.ID
}

// fill adds an AAPL fill, the given number of minutes into a morning.
func (h *fixture) fill(t failer, owner journal.UserID, account journal.AccountID, side matching.Side, quantity, price string, minute int) ledger.AddedExecution {
	t.Helper()
	added, err := h.ledger.AddExecution(h.ctx(), owner, account, ledger.NewFill{
		Symbol: "AAPL", Side: side, Quantity: decimal.Must(quantity), Price: decimal.Must(price), Commission: decimal.Must("1"),
		ExecutedAt: morning.Add(time.Duration(minute) * time.Minute), AllowDuplicate: true,
	})
	must(t, err)
	return added
}

func (h *fixture) annotate(t failer, owner journal.UserID, trade journal.TradeID, notes string) {
	t.Helper()
	_, err := h.playbook.Annotate(h.ctx(), owner, trade, playbook.AnnotationChange{ValueChange: playbook.ValueChange{Notes: journal.Some(notes)}}, nil)
	must(t, err)
}

var morning = time.Date(2026, 3, 2, 14, 30, 0, 0, time.UTC)

// exportedAt is the time of every export in tests, so equal journals give equal bytes.
var exportedAt = time.Date(2026, 3, 11, 9, 0, 0, 0, time.UTC)

func (h *fixture) export(t failer, owner journal.UserID, account journal.AccountID) string {
	t.Helper()
	var b strings.Builder
	err := h.db.View(h.ctx(), func(tx *db.Tx) error {
		b.Reset()
		return WriteJSON(h.ctx(), tx, owner, Scope{Account: account, At: exportedAt}, &b)
	})
	must(t, err)
	return b.String()
}

func (h *fixture) exportZip(t failer, owner journal.UserID, account journal.AccountID) []byte {
	t.Helper()
	var b bytes.Buffer
	err := h.db.View(h.ctx(), func(tx *db.Tx) error {
		b.Reset()
		missing, err := WriteZip(h.ctx(), tx, h.playbook, owner, Scope{Account: account, At: exportedAt}, &b)
		if len(missing) > 0 {
			t.Errorf("files are missing: %v", missing)
		}
		return err
	})
	must(t, err)
	return b.Bytes()
}

func (h *fixture) decode(t failer, text string) *Document {
	t.Helper()
	doc, err := Decode([]byte(text))
	must(t, err)
	return doc
}

func (h *fixture) tryRestore(order Order) (result Result, err error) {
	return h.tryRestoreWithin(bars.DefaultLimit, order)
}

// tryRestoreWithin restores with a bar limit.
func (h *fixture) tryRestoreWithin(limit int64, order Order) (result Result, err error) {
	err = h.db.Update(h.ctx(), func(tx *db.Tx) error {
		result, err = Restore(h.ctx(), tx, Services{Ledger: h.ledger, Clock: h.clock.Now, BarsLimit: limit}, order)
		return err
	})
	return result, err
}

func (h *fixture) restore(t failer, owner journal.UserID, text string) Result {
	t.Helper()
	result, err := h.tryRestore(Order{Owner: owner, Document: h.decode(t, text)})
	must(t, err)
	return result
}

// restoreZip restores a zip with its files.
func (h *fixture) restoreZip(t failer, owner journal.UserID, content []byte) (Result, int) {
	t.Helper()
	archive, err := OpenZip(bytes.NewReader(content), int64(len(content)), 1<<30)
	must(t, err)
	result, err := h.tryRestore(Order{Owner: owner, Document: archive.Document})
	must(t, err)
	attached, err := AttachFiles(h.ctx(), h.playbook, owner, archive, &result)
	must(t, err)
	return result, attached
}

// wantComplete checks that a restore left nothing out.
func wantComplete(t failer, result Result) {
	t.Helper()
	if len(result.Errors) > 0 {
		t.Fatalf("problems: %+v", result.Errors)
	}
}

// wantUnchanged checks that a restore wrote nothing.
func wantUnchanged(t failer, result Result) {
	t.Helper()
	wantComplete(t, result)
	n := result.Inserted + result.Trades + result.Annotated + result.CashInserted + result.SetupsUpserted + result.Tags + result.Notes +
		result.Missed + result.MissedUpdated + result.Orphans + result.Overrides + result.Routines + result.Preferences +
		result.Settings + result.ImportLayouts + result.ImportKinds + result.BarAliases + result.BarSources + result.Channels + result.Bars + result.Connections
	for _, a := range result.Accounts {
		if a.Created {
			n++
		}
	}
	if n != 0 {
		t.Fatalf("a second restore wrote something: %+v", result)
	}
}

// check checks the ledger and the routine for damage.
func (h *fixture) check(t failer) {
	t.Helper()
	must(t, h.ledger.Check(h.ctx(), func(p ledger.Problem) { t.Errorf("ledger: %+v", p) }))
	must(t, h.routine.Check(h.ctx(), func(problem string) { t.Errorf("routine: %s", problem) }))
}

// wantSame compares two exports and shows the first different line.
func wantSame(t failer, got, want string) {
	t.Helper()
	if got == want {
		return
	}
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			t.Fatalf("line %d differs:\n got %.600s\nwant %.600s", i+1, a[i], b[i])
		}
	}
	t.Fatalf("%d lines, want %d", len(a), len(b))
}

// picture is a small image, different for each number.
func picture(n int) []byte {
	var b bytes.Buffer
	img := image.NewGray(image.Rect(0, 0, 2+n, 3))
	_ = png.Encode(&b, img)
	return b.Bytes()
}
