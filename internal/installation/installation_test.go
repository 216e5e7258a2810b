package installation_test

import (
	"bytes"
	"image"
	"image/png"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/outbound"
	"fillbook/internal/base/secrets"
	"fillbook/internal/installation"
	"fillbook/internal/intake/connector"
	"fillbook/internal/people/identity"
	"fillbook/internal/prices/barsource"
	"fillbook/internal/testkit"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
	"fillbook/internal/trading/playbook"
)

// fixture is an installation with one user and one account.
type fixture struct {
	*installation.Installation
	t       *testing.T
	owner   journal.UserID
	account journal.AccountID
	files   string
	clock   *testkit.Clock
	broker  *broker
}

// public returns the fixture user's public id.
func (h *fixture) public() (id journal.PublicID) {
	h.t.Helper()
	must(h.t, h.DB.Peek(h.t.Context(), func(tx *db.Tx) (err error) {
		id, err = identity.PublicID(h.t.Context(), tx, h.owner)
		return err
	}))
	return id
}

func eachFixture(t *testing.T, fn func(t *testing.T, h *fixture)) {
	t.Helper()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) { fn(t, newFixture(t, d)) })
}

// eachFixtureIfLong runs fn on SQLite only, unless SVC_TEST_LONG is set.
func eachFixtureIfLong(t *testing.T, fn func(t *testing.T, h *fixture)) {
	t.Helper()
	testkit.EachEngineIfLong(t, func(t *testing.T, d *db.DB) { fn(t, newFixture(t, d)) })
}

func newFixture(t *testing.T, d *db.DB) *fixture {
	t.Helper()
	keys, err := secrets.NewKeys(bytes.Repeat([]byte("k"), 32))
	must(t, err)
	h := &fixture{t: t, files: t.TempDir(), clock: testkit.NewClock(), broker: &broker{}}
	h.Installation, err = installation.New(installation.Options{
		DB: d, Keys: keys, Clock: h.clock.Now, Log: slog.New(slog.DiscardHandler), Attachments: h.files,
		Identity: identity.Options{PasswordCost: identity.PasswordCost{MemoryKiB: 64, Passes: 1}},
		Outbound: outbound.New(outbound.Options{Enabled: true}), Connectors: []connector.Connector{h.broker}, BarProviders: []barsource.Provider{vendor{}},
	})
	must(t, err)
	user, _, err := h.Identity.Setup(t.Context(), identity.Client{}, annEmail, annPassword, nil)
	must(t, err)
	h.owner = user.ID
	account, err := h.Ledger.CreateAccount(t.Context(), h.owner, ledger.NewAccount{Name: "Main"})
	must(t, err)
	h.account = account.ID
	return h
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (h *fixture) fill(side matching.Side, price string, minute int) ledger.AddedExecution {
	h.t.Helper()
	added, err := h.Ledger.AddExecution(h.t.Context(), h.owner, h.account, ledger.NewFill{
		Symbol: "AAPL", Side: side, Quantity: decimal.New(10), Price: decimal.Must(price),
		ExecutedAt: time.Date(2026, 3, 2, 15, minute, 0, 0, time.UTC),
	})
	must(h.t, err)
	return added
}

func (h *fixture) write(trade journal.TradeID, notes string) {
	h.t.Helper()
	_, err := h.Playbook.Annotate(h.t.Context(), h.owner, trade, playbook.AnnotationChange{ValueChange: playbook.ValueChange{Notes: journal.Some(notes)}}, nil)
	must(h.t, err)
}

func (h *fixture) attach(trade journal.TradeID) {
	h.t.Helper()
	var picture bytes.Buffer
	must(h.t, png.Encode(&picture, image.NewGray(image.Rect(0, 0, 4, 4))))
	_, err := h.Playbook.Attach(h.t.Context(), h.owner, playbook.Target{Trade: trade}, playbook.Upload{Name: "chart.png", Content: &picture})
	must(h.t, err)
}

func (h *fixture) stored() int {
	h.t.Helper()
	names, err := filepath.Glob(filepath.Join(h.files, "*", "*"))
	must(h.t, err)
	return len(names)
}

// problems runs the check.
func (h *fixture) problems() []string {
	h.t.Helper()
	var found []string
	must(h.t, h.Check(h.t.Context(), func(what string) { found = append(found, what) }))
	return found
}

func (h *fixture) wantNoProblems() {
	h.t.Helper()
	if found := h.problems(); len(found) > 0 {
		h.t.Fatalf("the check found %q", found)
	}
}

func TestAnnotationsFollowTheFills(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(t *testing.T, h *fixture) {
		buy := h.fill(matching.Buy, "100", 0)
		h.fill(matching.Sell, "101", 5)
		trade := buy.TradeIDs[0]
		h.write(trade, "waited for the pullback")
		h.attach(trade)
		h.wantNoProblems()

		must(t, h.Ledger.DeleteExecution(t.Context(), h.owner, buy.ID, nil))
		annotations, err := h.Playbook.LoadAnnotations(t.Context(), h.owner, []journal.TradeID{trade})
		must(t, err)
		if annotations[trade].Notes != "waited for the pullback" {
			t.Fatalf("the words are gone with the opening fill: %+v", annotations)
		}
		h.wantNoProblems()
	})
}

func TestOrphansComeBackWithTheirFill(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(t *testing.T, h *fixture) {
		buy := h.fill(matching.Buy, "100", 0)
		h.write(buy.TradeIDs[0], "my best idea")
		h.attach(buy.TradeIDs[0])
		must(t, h.Ledger.DeleteExecution(t.Context(), h.owner, buy.ID, nil))
		orphans, err := h.Playbook.Orphans(t.Context(), h.owner)
		must(t, err)
		if len(orphans) != 1 || orphans[0].Notes != "my best idea" || orphans[0].Symbol != "AAPL" || orphans[0].OpenedAt == nil {
			t.Fatalf("the orphan is %+v", orphans)
		}
		h.wantNoProblems()

		again := h.fill(matching.Buy, "100", 0)
		detail, err := h.Playbook.LoadAnnotations(t.Context(), h.owner, again.TradeIDs)
		must(t, err)
		if detail[again.TradeIDs[0]].Notes != "my best idea" {
			t.Fatalf("the words did not come back: %+v", detail)
		}
		if orphans, err = h.Playbook.Orphans(t.Context(), h.owner); err != nil || len(orphans) != 0 {
			t.Fatalf("an orphan is left: %+v %v", orphans, err)
		}
		if h.stored() != 1 {
			t.Fatalf("%d files, want the one picture", h.stored())
		}
		h.wantNoProblems()
	})
}

func TestFilesGoWithTheirOwner(t *testing.T) {
	t.Parallel()
	for name, remove := range map[string]func(h *fixture, trade journal.TradeID) error{
		"trade": func(h *fixture, trade journal.TradeID) error {
			return h.Ledger.DeleteTrade(h.t.Context(), h.owner, trade, nil)
		},
		"account": func(h *fixture, _ journal.TradeID) error {
			return h.Ledger.DeleteAccount(h.t.Context(), h.owner, h.account, nil)
		},
		"user": func(h *fixture, _ journal.TradeID) error {
			second, err := h.Identity.CreateUserByOperator(h.t.Context(), "bob@example.org", "another long sentence", true)
			if err != nil {
				return err
			}
			caller := identity.Principal{UserID: second.ID, IsAdmin: true, Credential: identity.CredentialSession}
			return h.DeleteUser(h.t.Context(), caller, identity.Client{}, h.public(), nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			eachFixture(t, func(t *testing.T, h *fixture) {
				trade := h.fill(matching.Buy, "100", 0).TradeIDs[0]
				h.attach(trade)
				if h.stored() != 1 {
					t.Fatalf("%d files", h.stored())
				}
				must(t, remove(h, trade))
				if h.stored() != 1 && name != "user" {
					t.Fatal("the file is not kept for an undo")
				}
				must(t, h.Playbook.DropKeptFiles(t.Context(), h.Clock()))
				if h.stored() != 0 {
					t.Fatal("the file is still there")
				}
				h.wantNoProblems()
			})
		})
	}
}

// TestCheckSeesDamage damages what is stored behind the program's back.
func TestCheckSeesDamage(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]struct{ statement, says string }{
		"a result":     {`UPDATE trades SET net_pnl = '1'`, "differs from its fills"},
		"a fill":       {`UPDATE executions SET quantity = '11'`, ""},
		"annotations":  {`UPDATE trade_annotations SET trade_id = $1`, "does not exist"},
		"the owner":    {`UPDATE users SET is_admin = FALSE`, "none of them is an owner"},
		"the setup":    {`DELETE FROM instance`, "not marked as set up"},
		"a trade gone": {`DELETE FROM trades`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			eachFixture(t, func(t *testing.T, h *fixture) {
				trade := h.fill(matching.Buy, "100", 0).TradeIDs[0]
				h.fill(matching.Sell, "101", 5)
				h.write(trade, "words")
				h.wantNoProblems()
				must(t, h.DB.Update(t.Context(), func(tx *db.Tx) error {
					var args []any
					if strings.Contains(damage.statement, "$1") {
						args = append(args, journal.NewID[journal.TradeID]())
					}
					_, err := tx.Exec(t.Context(), damage.statement, args...)
					return err
				}))
				found := strings.Join(h.problems(), "\n")
				if found == "" || !strings.Contains(found, damage.says) {
					t.Fatalf("the check says %q", found)
				}
			})
		})
	}
}

func TestCheckMissesAFile(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(t *testing.T, h *fixture) {
		h.attach(h.fill(matching.Buy, "100", 0).TradeIDs[0])
		must(t, os.RemoveAll(filepath.Join(h.files, string(h.public()))))
		if found := strings.Join(h.problems(), "\n"); !strings.Contains(found, "chart.png") {
			t.Fatalf("the check says %q", found)
		}
	})
}

// A trade whose fills were lost to damage leaves its words behind, and they
// still tell which trade they were about.
func TestRegroupKeepsTheWordsOfALostTrade(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(t *testing.T, h *fixture) {
		h.write(h.fill(matching.Buy, "100", 0).TradeIDs[0], "words")
		must(t, h.DB.Update(t.Context(), func(tx *db.Tx) error {
			_, err := tx.Exec(t.Context(), `DELETE FROM executions`)
			return err
		}))
		_, err := h.Regroup(t.Context(), func(int, int) {})
		must(t, err)
		orphans, err := h.Playbook.Orphans(t.Context(), h.owner)
		must(t, err)
		opened := time.Date(2026, 3, 2, 15, 0, 0, 0, time.UTC)
		if len(orphans) != 1 || orphans[0].Notes != "words" || orphans[0].Symbol != "AAPL" || !orphans[0].OpenedAt.Equal(opened) {
			t.Fatalf("waiting are %+v", orphans)
		}
		h.wantNoProblems()
	})
}

func TestRegroupMendsTrades(t *testing.T) {
	t.Parallel()
	eachFixture(t, func(t *testing.T, h *fixture) {
		h.fill(matching.Buy, "100", 0)
		trade := h.fill(matching.Sell, "101", 5).TradeIDs[0]
		h.write(trade, "words")
		must(t, h.DB.Update(t.Context(), func(tx *db.Tx) error {
			_, err := tx.Exec(t.Context(), `UPDATE trades SET net_pnl = '1', gross_pnl = '2'`)
			return err
		}))
		changed, err := h.Regroup(t.Context(), func(int, int) {})
		must(t, err)
		if changed != 1 {
			t.Fatalf("%d trades were mended, want 1", changed)
		}
		found, err := db.Get(t.Context(), h.DB.View, func(tx *db.Tx) (ledger.TradeDetail, error) {
			return ledger.ReadTrade(t.Context(), tx, h.owner, trade)
		})
		must(t, err)
		if found.NetPnL.String() != "10" {
			t.Fatalf("net is %s", found.NetPnL)
		}
		h.wantNoProblems()
	})
}
