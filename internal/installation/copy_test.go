package installation_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fillbook/internal/backup"
	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/secrets"
	"fillbook/internal/demo"
	"fillbook/internal/figures/excursions"
	"fillbook/internal/installation"
	"fillbook/internal/intake/imports"
	"fillbook/internal/people/identity"
	"fillbook/internal/prices/bars"
	"fillbook/internal/prices/market"
	"fillbook/internal/testkit"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
	"fillbook/internal/trading/playbook"
	"fillbook/internal/trading/views"
)

const (
	annPassword = "a long sentence works well"
	annEmail    = "ann@example.org"
)

// copied is the instant at which everything here is written and exported.
var copied = time.Date(2026, 3, 10, 23, 0, 0, 0, time.UTC)

// newEmpty returns an installation without a user. Attachments are files beside
// SQLite and rows in PostgreSQL, as an operator has them.
func newEmpty(t *testing.T, engine db.Engine) *fixture {
	t.Helper()
	keys, err := secrets.NewKeys(bytes.Repeat([]byte("k"), 32))
	must(t, err)
	h := &fixture{t: t}
	if engine == db.SQLite {
		h.files = t.TempDir()
	}
	h.Installation, err = installation.New(installation.Options{
		DB: testkit.Open(t, engine), Keys: keys, Clock: func() time.Time { return copied }, Log: slog.New(slog.DiscardHandler),
		Attachments: h.files, Identity: identity.Options{PasswordCost: identity.PasswordCost{MemoryKiB: 64, Passes: 1}},
	})
	must(t, err)
	t.Cleanup(func() { _ = h.Close() })
	return h
}

// furnish adds a user with every kind of record missing from the demo.
func (h *fixture) furnish() {
	h.t.Helper()
	ctx := h.t.Context()
	user, err := h.Identity.CreateUserByOperator(ctx, annEmail, annPassword, true)
	must(h.t, err)
	h.owner = user.ID
	account, err := h.Ledger.CreateAccount(ctx, h.owner, ledger.NewAccount{Name: "Grüße 日本 '\"\\", BaseCurrency: "EUR"})
	must(h.t, err)
	h.account = account.ID
	trade := h.fill(matching.Buy, "100.123456789012345678", 0).TradeIDs[0]
	h.fill(matching.Sell, "101", 5)
	h.write(trade, "words\nwith 'quotes' and \"more\" 🚀")
	h.attach(trade)
	waiting := h.fill(matching.Buy, "7", 30)
	h.write(waiting.TradeIDs[0], "waits for its fill")
	h.attach(waiting.TradeIDs[0])
	must(h.t, h.Ledger.DeleteExecution(ctx, h.owner, waiting.ID, nil))
	must(h.t, h.Identity.MergePreferences(ctx, h.owner, map[string]json.RawMessage{"theme": json.RawMessage(`{"dark":true,"size":1.50}`)}, nil))
	caller := identity.Principal{UserID: h.owner, IsAdmin: true, Credential: identity.CredentialCLI}
	_, err = h.Imports.Commit(ctx, imports.Actor{Principal: caller}, imports.Upload{
		FileName: "fills.csv", Account: h.account,
		Data: []byte("Symbol,Side,Quantity,Price,Executed At\nMSFT,buy,1,10,2026-03-02T16:00:00Z\nMSFT,sell,1,11,2026-03-02T16:05:00Z\n"),
	})
	must(h.t, err)
	note, err := h.Playbook.CreateNote(ctx, h.owner, playbook.NoteChange{Body: journal.Some("a page")})
	must(h.t, err)
	picture := bytes.NewReader(onePixel)
	_, err = h.Playbook.Attach(ctx, h.owner, playbook.Target{Note: note.ID}, playbook.Upload{Name: "a.png", Content: picture})
	must(h.t, err)
	for _, filter := range []map[string]string{{}, {"account_id": string(h.account)}} {
		_, err = h.Views.Create(ctx, h.owner, views.Change{Name: journal.Some("one name"), Filter: journal.Some(filter)})
		must(h.t, err)
	}
	h.storeBars()
	_, err = h.Bars.AddAlias(ctx, h.owner, "US500", "ESZ5")
	must(h.t, err)
	must(h.t, h.Excursions.Refresh(ctx, h.owner))
	_, err = h.Identity.Login(ctx, identity.Client{}, annEmail, annPassword, "") // a session, and an audit row
	must(h.t, err)
}

// storeBars stores price bars for the minutes of the AAPL trade.
func (h *fixture) storeBars() {
	h.t.Helper()
	start := time.Date(2026, 3, 2, 15, 0, 0, 0, time.UTC).Unix()
	var list []market.Bar
	for i := range int64(10) {
		list = append(list, market.Bar{Time: start + 60*i, Open: 10050, High: 10200, Low: 10000, Close: 10100})
	}
	_, _, err := h.Bars.Commit(h.t.Context(), h.owner, bars.NewImport{FileName: "AAPL.csv", Layout: "TradingView", Series: []bars.NewSeries{{
		Key: bars.Key{Symbol: "AAPL", Secs: 60, PriceKind: market.TradePrice}, VolumeKind: market.NoVolume, Calendar: market.USStocks,
		Blocks: market.SplitBlocks(market.Block{Secs: 60, PriceScale: 2, Bars: list}),
	}}})
	must(h.t, err)
}

// excursions returns the cached MAE and MFE for all the owner's trades.
func (h *fixture) excursions() map[journal.TradeID]string {
	h.t.Helper()
	all := map[journal.TradeID]string{}
	must(h.t, h.DB.View(h.t.Context(), func(tx *db.Tx) error {
		kept, err := excursions.LoadFew(h.t.Context(), tx, h.owner, 1000)
		for id, r := range kept {
			all[id] = fmt.Sprintf("%q %s to %s, %s to %s", r.Reason, r.MAE.Low, r.MAE.High, r.MFE.Low, r.MFE.High)
		}
		return err
	}))
	return all
}

// onePixel is a one-pixel picture.
var onePixel = []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x00\x00\x00\x00:~\x9bU" +
	"\x00\x00\x00\nIDATx\x9cc`\x00\x00\x00\x02\x00\x01H\xaf\xa4q\x00\x00\x00\x00IEND\xaeB`\x82")

// exports returns every user's whole backup, files included, by email address.
func (h *fixture) exports() map[string]string {
	h.t.Helper()
	ctx := h.t.Context()
	users, err := h.Identity.Users(ctx)
	must(h.t, err)
	all := map[string]string{}
	for _, u := range users {
		var text, archive bytes.Buffer
		must(h.t, h.DB.View(ctx, func(tx *db.Tx) error {
			scope := backup.Scope{At: copied}
			if err := backup.WriteJSON(ctx, tx, u.ID, scope, &text); err != nil {
				return err
			}
			missing, err := backup.WriteZip(ctx, tx, h.Playbook, u.ID, scope, &archive)
			if len(missing) > 0 {
				h.t.Errorf("the files %v are missing", missing)
			}
			return err
		}))
		all[u.Email+".json"], all[u.Email+".zip"] = text.String(), archive.String()
	}
	return all
}

// dump reads every row in every table of a SQLite file, so nothing missing from a backup
// is forgotten: credentials, sessions, the audit.
func (h *fixture) dump() map[string][]string {
	h.t.Helper()
	ctx, all := h.t.Context(), map[string][]string{}
	must(h.t, h.DB.View(ctx, func(tx *db.Tx) error {
		names, err := db.List(ctx, tx, db.Single[string],
			`SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'schema_migrations'`)
		if err != nil {
			return err
		}
		for _, name := range names {
			rows, err := tx.Query(ctx, `SELECT * FROM `+name)
			if err != nil {
				return err
			}
			columns, err := rows.Columns()
			if err != nil {
				return err
			}
			all[name] = []string{}
			for rows.Next() {
				values, into := make([]any, len(columns)), make([]any, len(columns))
				for i := range values {
					into[i] = &values[i]
				}
				if err := rows.Scan(into...); err != nil {
					return err
				}
				all[name] = append(all[name], fmt.Sprintf("%q %v", columns, values))
			}
			if err := errors.Join(rows.Err(), rows.Close()); err != nil {
				return err
			}
			slices.Sort(all[name])
		}
		return nil
	}))
	return all
}

// rows counts the rows belonging to a user.
func (h *fixture) rows() (n int) {
	h.t.Helper()
	must(h.t, h.DB.View(h.t.Context(), func(tx *db.Tx) error {
		for _, table := range []string{
			"users", "accounts", "executions", "trades", "cash_transactions", "notes", "tags", "setups", "trade_annotations", "attachments",
			"attachment_blobs", "missed_trades", "routine_items", "routine_ticks", "import_batches", "audit_events", "preferences",
		} {
			var some int
			if err := tx.QueryRow(h.t.Context(), `SELECT COUNT(*) FROM `+table).Scan(&some); err != nil {
				return err
			}
			n += some
		}
		return nil
	}))
	return n
}

func (h *fixture) copyTo(to *fixture, progress func(done, total int)) error {
	h.t.Helper()
	missing, err := h.CopyTo(h.t.Context(), to.Installation, installation.CopyOptions{Progress: progress})
	if len(missing) > 0 {
		h.t.Errorf("the content of %v is missing", missing)
	}
	return err
}

// TestCopyThereAndBack copies a two-year journal from SQLite to PostgreSQL and back.
// Every user's data is the same in all three, and the second file is the first, row by
// row.
func TestCopyThereAndBack(t *testing.T) {
	t.Parallel()
	testkit.RequirePostgres(t)
	first, second, third := newEmpty(t, db.SQLite), newEmpty(t, db.PostgreSQL), newEmpty(t, db.SQLite)
	_, err := demo.Seed(t.Context(), demo.Services{
		DB: first.DB, Clock: first.Clock, Identity: first.Identity, Ledger: first.Ledger, Playbook: first.Playbook,
	})
	must(t, err)
	first.furnish()
	first.wantNoProblems()
	want, rows := first.exports(), first.dump()
	if len(want) != 4 || first.stored() < 4 || len(rows["routine_ticks"]) == 0 || len(rows["import_batches"]) == 0 {
		t.Fatalf("there is too little to copy: %d exports, %d files", len(want), first.stored())
	}
	var progress []int
	must(t, first.copyTo(second, func(done, total int) { progress = append(progress, done, total) }))
	if n := len(progress); n < 4 || progress[n-1] != progress[n-2] || !slices.IsSorted(column(progress, 0)) {
		t.Errorf("the progress was %v", progress)
	}
	must(t, second.copyTo(third, nil))
	if diff := cmp.Diff(rows, third.dump()); diff != "" {
		t.Errorf("there and back is another: %.2000s", diff)
	}
	for _, h := range []*fixture{second, third} {
		h.wantNoProblems()
		if got := h.exports(); !cmp.Equal(got, want) {
			for name := range want {
				if got[name] != want[name] {
					t.Errorf("%s: %s is another: %d bytes, want %d", h.DB.Engine(), name, len(got[name]), len(want[name]))
				}
			}
		}
		pair, err := h.Identity.Login(t.Context(), identity.Client{}, annEmail, annPassword, "")
		if err != nil || !pair.IsAdmin {
			t.Errorf("%s: signing in: %+v, %v", h.DB.Engine(), pair, err)
		}
		if err := h.Identity.CheckSecret(t.Context()); err != nil {
			t.Errorf("%s: %v", h.DB.Engine(), err)
		}
	}
	if third.stored() != first.stored() {
		t.Errorf("%d files, want %d", third.stored(), first.stored())
	}
	fourth := newEmpty(t, db.SQLite)
	must(t, first.copyTo(fourth, nil))
	if diff := cmp.Diff(rows, fourth.dump()); diff != "" {
		t.Errorf("the copy of the file is another: %.2000s", diff)
	}
}

// column returns every second number.
func column(numbers []int, first int) (list []int) {
	for i := first; i < len(numbers); i += 2 {
		list = append(list, numbers[i])
	}
	return list
}

// eachPair runs a test for each way between two engines.
func eachPair(t *testing.T, fn func(t *testing.T, from, to *fixture)) {
	t.Helper()
	engines := []db.Engine{db.SQLite, db.PostgreSQL}
	for _, source := range engines {
		for _, target := range engines {
			t.Run(fmt.Sprintf("%s to %s", source, target), func(t *testing.T) {
				t.Parallel()
				from, to := newEmpty(t, source), newEmpty(t, target)
				from.furnish()
				fn(t, from, to)
			})
		}
	}
}

// TestCopyKeepsZeroFractions copies two equal fills at .000 and .250 between the engines:
// the copy knows both, so importing their file again adds none.
func TestCopyKeepsZeroFractions(t *testing.T) {
	t.Parallel()
	testkit.RequirePostgres(t)
	upload := imports.Upload{FileName: "fills.csv", Data: []byte("Symbol,Side,Quantity,Price,Executed At\n" +
		"MSFT,buy,1,10,2026-03-02T16:00:00.000Z\nMSFT,buy,1,10,2026-03-02T16:00:00.250Z\n")}
	for _, engines := range [][2]db.Engine{{db.SQLite, db.PostgreSQL}, {db.PostgreSQL, db.SQLite}} {
		from, to := newEmpty(t, engines[0]), newEmpty(t, engines[1])
		user, err := from.Identity.CreateUserByOperator(t.Context(), annEmail, annPassword, true)
		must(t, err)
		account, err := from.Ledger.CreateAccount(t.Context(), user.ID, ledger.NewAccount{Name: "Main"})
		must(t, err)
		upload.Account = account.ID
		actor := imports.Actor{Principal: identity.Principal{UserID: user.ID, Credential: identity.CredentialCLI}}
		send := func(h *fixture, inserted int) {
			t.Helper()
			result, err := h.Imports.Commit(t.Context(), actor, upload)
			must(t, err)
			if result.Inserted != inserted {
				t.Errorf("%s: %d fills were inserted, want %d", h.DB.Engine(), result.Inserted, inserted)
			}
		}
		send(from, 2)
		must(t, from.copyTo(to, nil))
		send(from, 0)
		send(to, 0)
		to.wantNoProblems()
	}
}

// TestCopyWantsAnEmptyTarget checks that any other target is refused and unchanged.
func TestCopyWantsAnEmptyTarget(t *testing.T) {
	t.Parallel()
	eachPair(t, func(t *testing.T, from, to *fixture) {
		to.furnish()
		before, rows := to.exports(), to.rows()
		if err := from.copyTo(to, nil); !errors.Is(err, db.ErrNotEmpty) {
			t.Fatalf("the copy says %v", err)
		}
		if !cmp.Equal(to.exports(), before) || to.rows() != rows {
			t.Error("the target was changed")
		}
		to.wantNoProblems()
		if err := from.copyTo(from, nil); !errors.Is(err, db.ErrNotEmpty) {
			t.Fatalf("a copy onto itself says %v", err)
		}
		from.wantNoProblems()
	})
}

// TestCopyThatFails half way leaves the target as empty as it was, and can be
// done again.
func TestCopyThatFails(t *testing.T) {
	t.Parallel()
	empty := func(t *testing.T, to *fixture) {
		t.Helper()
		if n := to.rows(); n != 0 {
			t.Errorf("%d rows are left", n)
		}
		if to.files != "" && to.stored() != 0 {
			t.Errorf("%d files are left", to.stored())
		}
		to.wantNoProblems()
	}
	eachPair(t, func(t *testing.T, from, to *fixture) {
		want := from.exports()
		ctx, cancel := context.WithCancel(t.Context())
		calls := 0
		_, err := from.CopyTo(ctx, to.Installation, installation.CopyOptions{Progress: func(int, int) {
			if calls++; calls == 4 {
				cancel()
			}
		}})
		if !errors.Is(err, context.Canceled) || calls < 4 {
			t.Fatalf("after %d calls the copy says %v", calls, err)
		}
		empty(t, to)
		if repair := obstruct(t, from, to); repair != nil {
			if err := from.copyTo(to, nil); err == nil {
				t.Fatal("the copy went past what was in its way")
			}
			empty(t, to)
			repair()
		}
		must(t, from.copyTo(to, nil))
		to.wantNoProblems()
		if !cmp.Equal(to.exports(), want) {
			t.Error("the second try is not the same")
		}
	})
}

// obstruct puts something in the way of the last attachment, so a copy fails when nearly
// all is done: a directory where its file should be, or in the target a file where a
// directory should be. Between two PostgreSQL databases there are no files.
func obstruct(t *testing.T, from, to *fixture) (repair func()) {
	t.Helper()
	if from.files == "" && to.files == "" {
		return nil
	}
	if from.files == "" {
		name := filepath.Join(to.files, string(from.public()))
		must(t, os.WriteFile(name, nil, 0o600))
		return func() { must(t, os.Remove(name)) }
	}
	var last journal.AttachmentID
	must(t, from.DB.View(t.Context(), func(tx *db.Tx) error {
		return tx.QueryRow(t.Context(), `SELECT MAX(id) FROM attachments`).Scan(&last)
	}))
	name := filepath.Join(from.files, string(from.public()), string(last))
	must(t, os.Rename(name, name+".away"))
	must(t, os.Mkdir(name, 0o700))
	return func() {
		must(t, os.Remove(name))
		must(t, os.Rename(name+".away", name))
	}
}

// TestCopyLeavesFoundFiles: a failed copy removes only files it wrote, even if it was
// pointed at its source's directory.
func TestCopyLeavesFoundFiles(t *testing.T) {
	t.Parallel()
	from := newEmpty(t, db.SQLite)
	from.furnish()
	stored := from.stored()
	to, err := installation.New(installation.Options{
		DB: testkit.Open(t, db.SQLite), Clock: from.Clock, Log: slog.New(slog.DiscardHandler), Attachments: from.files,
	})
	must(t, err)
	t.Cleanup(func() { _ = to.Close() })
	repair := obstruct(t, from, from)
	if _, err := from.CopyTo(t.Context(), to, installation.CopyOptions{}); err == nil {
		t.Fatal("the copy went past what was in its way")
	}
	repair()
	if from.stored() != stored {
		t.Errorf("%d files are left of %d", from.stored(), stored)
	}
	from.wantNoProblems()
}

// TestCopyWithoutAFile: a lost file is reported, and everything else is copied.
func TestCopyWithoutAFile(t *testing.T) {
	t.Parallel()
	for _, target := range []db.Engine{db.SQLite, db.PostgreSQL} {
		t.Run(string(target), func(t *testing.T) {
			t.Parallel()
			from, to := newEmpty(t, db.SQLite), newEmpty(t, target)
			from.furnish()
			names, err := filepath.Glob(filepath.Join(from.files, "*", "*"))
			must(t, err)
			must(t, os.Remove(names[0]))
			missing, err := from.CopyTo(t.Context(), to.Installation, installation.CopyOptions{})
			if err != nil || len(missing) != 1 || string(missing[0]) != filepath.Base(names[0]) {
				t.Fatalf("missing are %v, %v", missing, err)
			}
			if found := strings.Join(to.problems(), "\n"); target == db.SQLite && !strings.Contains(found, "missing or incomplete") {
				t.Errorf("the check says %q", found)
			}
			if from.rows() != to.rows()-blobs(to) {
				t.Errorf("%d rows, want %d", to.rows()-blobs(to), from.rows())
			}
		})
	}
}

// TestCopyWithoutBars: the copy has neither bars nor excursions, and excursions follow
// later imports.
func TestCopyWithoutBars(t *testing.T) {
	t.Parallel()
	eachPair(t, func(t *testing.T, from, to *fixture) {
		want := from.excursions()
		if len(want) != 1 {
			t.Fatalf("the excursions are %v", want)
		}
		_, err := from.CopyTo(t.Context(), to.Installation, installation.CopyOptions{WithoutBars: true})
		must(t, err)
		to.owner = from.owner // user numbers are copied
		if used, _, err := to.Bars.Usage(t.Context(), to.owner); err != nil || used != 0 || len(to.excursions()) > 0 {
			t.Errorf("the copy has %d bars and the excursions %v, %v", used, to.excursions(), err)
		}
		to.wantNoProblems()
		to.storeBars()
		must(t, to.Excursions.Refresh(t.Context(), to.owner))
		if got := to.excursions(); !cmp.Equal(got, want) {
			t.Errorf("the excursions are %v, want %v", got, want)
		}
		to.wantNoProblems()
	})
}

// blobs counts attachments stored as rows, of which SQLite has none.
func blobs(h *fixture) (n int) {
	h.t.Helper()
	must(h.t, h.DB.View(h.t.Context(), func(tx *db.Tx) error {
		return tx.QueryRow(h.t.Context(), `SELECT COUNT(*) FROM attachment_blobs`).Scan(&n)
	}))
	return n
}
