package playbook_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/testkit"
	"fillbook/internal/trading/playbook"
)

// world is an installation with two users who each have an account.
type world struct {
	*playbook.Service
	t     *testing.T
	ctx   context.Context
	db    *db.DB
	clock *testkit.Clock
	dir   string // of the attachments, on SQLite

	ann, bob           journal.UserID
	annCash, bobCash   journal.AccountID
	annTrade, bobTrade journal.TradeID
	public             map[journal.UserID]journal.PublicID

	mu        sync.Mutex
	trades    map[journal.TradeID]holder
	annotated []journal.TradeID
}

// holder is whose a trade is.
type holder struct {
	owner   journal.UserID
	account journal.AccountID
}

// each runs a test in a fresh world on each engine.
func each(t *testing.T, fn func(w *world)) {
	t.Helper()
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) { fn(newWorld(t, d, playbook.Options{})) })
}

func newWorld(t *testing.T, d *db.DB, options playbook.Options) *world {
	t.Helper()
	w := &world{t: t, ctx: t.Context(), db: d, clock: testkit.NewClock(), trades: map[journal.TradeID]holder{}, public: map[journal.UserID]journal.PublicID{}}
	options.Known = playbook.Known{
		Account: w.knownAccount, Trade: w.knownTrade, Trades: w.knownTrades, InstrumentType: knownFuture, AnnotationsChanged: w.noteAnnotated,
		PublicID: w.publicID, UserNumber: w.userNumber,
	}
	if d.Engine() == db.SQLite {
		w.dir = t.TempDir()
		files, err := playbook.OpenFiles(w.dir)
		must(t, err)
		t.Cleanup(func() { _ = files.Close() })
		options.Files = files
	}
	w.Service = playbook.New(d, w.clock.Now, options)
	w.ann, w.annCash = w.person()
	w.bob, w.bobCash = w.person()
	w.annTrade, w.bobTrade = w.trade(w.ann, w.annCash), w.trade(w.bob, w.bobCash)
	return w
}

func (w *world) publicID(_ context.Context, _ *db.Tx, owner journal.UserID) (journal.PublicID, error) {
	return w.public[owner], nil
}

func (w *world) userNumber(_ context.Context, _ *db.Tx, public journal.PublicID) (journal.UserID, error) {
	for id, known := range w.public {
		if known == public {
			return id, nil
		}
	}
	return 0, nil
}

// person adds a user with an account.
func (w *world) person() (journal.UserID, journal.AccountID) {
	w.t.Helper()
	user, public := testkit.NewUser(w.t, w.db)
	w.public[user] = public
	return user, w.account(user, 1)
}

func (w *world) account(owner journal.UserID, number int) journal.AccountID {
	w.t.Helper()
	account := journal.NewID[journal.AccountID]()
	w.update(func(tx *db.Tx) error {
		_, err := tx.Exec(w.ctx, `
			INSERT INTO accounts (user_id, id, number, name, broker, account_type, base_currency, starting_balance, created_at, updated_at)
			VALUES ($1, $2, $3, 'a', '', 'cash', 'USD', '0', 0, 0)`, owner, account, number)
		return err
	})
	return account
}

// trade makes a trade known; nothing is stored.
func (w *world) trade(owner journal.UserID, account journal.AccountID) journal.TradeID {
	id := journal.NewID[journal.TradeID]()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.trades[id] = holder{owner, account}
	return id
}

func (w *world) knownAccount(ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID) error {
	var n int
	if err := tx.QueryRow(ctx, `SELECT COUNT(*) FROM accounts WHERE user_id = $1 AND id = $2`, owner, account).Scan(&n); err != nil {
		return err
	}
	if n == 0 {
		return journal.NotFound("account")
	}
	return nil
}

func (w *world) knownTrade(_ context.Context, _ *db.Tx, owner journal.UserID, trade journal.TradeID) (journal.AccountID, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if h, ok := w.trades[trade]; ok && h.owner == owner {
		return h.account, nil
	}
	return "", journal.NotFound("trade")
}

func (w *world) knownTrades(
	ctx context.Context, tx *db.Tx, owner journal.UserID, trades []journal.TradeID,
) (map[journal.TradeID]journal.AccountID, error) {
	found := map[journal.TradeID]journal.AccountID{}
	for _, trade := range trades {
		account, err := w.knownTrade(ctx, tx, owner, trade)
		if err != nil {
			return nil, err
		}
		found[trade] = account
	}
	return found, nil
}

// knownFuture makes every trade a future's, whose prices may be negative.
func knownFuture(context.Context, *db.Tx, journal.UserID, journal.TradeID) (string, error) {
	return "future", nil
}

func (w *world) noteAnnotated(_ context.Context, _ *db.Tx, _ journal.UserID, _ journal.AccountID, trades ...journal.TradeID) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.annotated = append(w.annotated, trades...)
	return nil
}

func (w *world) update(fn func(tx *db.Tx) error) {
	w.t.Helper()
	must(w.t, w.db.Update(w.ctx, fn))
}

func (w *world) move(change playbook.Regrouping) {
	w.t.Helper()
	w.update(func(tx *db.Tx) error { return playbook.MoveAnnotations(w.ctx, tx, w.ann, w.clock.Now(), change) })
}

func (w *world) annotations(trade journal.TradeID) playbook.Annotations {
	w.t.Helper()
	annotations, err := w.LoadAnnotations(w.ctx, w.ann, []journal.TradeID{trade})
	must(w.t, err)
	return annotations[trade]
}

func (w *world) annotate(trade journal.TradeID, change playbook.AnnotationChange) playbook.Annotations {
	w.t.Helper()
	annotations, err := w.Annotate(w.ctx, w.ann, trade, change, nil)
	must(w.t, err)
	return annotations
}

func (w *world) tag(name string) journal.TagID {
	w.t.Helper()
	tag, err := w.CreateTag(w.ctx, w.ann, playbook.TagChange{Name: journal.Some(name)})
	must(w.t, err)
	return tag.ID
}

func (w *world) setup(name string) journal.SetupID {
	w.t.Helper()
	setup, err := w.CreateSetup(w.ctx, w.ann, playbook.SetupChange{Name: journal.Some(name)})
	must(w.t, err)
	return setup.ID
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// refused demands a refusal of a kind naming the field, if one is given.
func refused(t *testing.T, err error, kind journal.Kind, field string) {
	t.Helper()
	var refusal *journal.Error
	if !errors.As(err, &refusal) || refusal.Kind != kind {
		t.Fatalf("the answer is %v, want a refusal of kind %d", err, kind)
	}
	if field != "" && refusal.Details["field"] != field {
		t.Fatalf("the refusal %v is of field %v, want %s", refusal, refusal.Details["field"], field)
	}
}

func number(text string) journal.Opt[decimal.Decimal] { return journal.Some(decimal.Must(text)) }

func null[T any]() journal.Opt[T] { return journal.Opt[T]{Set: true, Null: true} }

func at(text string) time.Time {
	instant, err := journal.ParseInstant("at", text)
	if err != nil {
		panic(err)
	}
	return instant
}

func (w *world) attachments(owner journal.UserID, target playbook.Target) (list []playbook.Attachment) {
	w.t.Helper()
	must(w.t, w.db.View(w.ctx, func(tx *db.Tx) (err error) {
		list, err = playbook.AttachmentsOf(w.ctx, tx, owner, target)
		return err
	}))
	return list
}

func (w *world) notes(owner journal.UserID, filter playbook.NoteFilter, page playbook.Page) (list []playbook.Note, total int) {
	w.t.Helper()
	must(w.t, w.db.View(w.ctx, func(tx *db.Tx) (err error) {
		list, total, err = w.ReadNotePage(w.ctx, tx, owner, filter, page)
		return err
	}))
	return list, total
}

func (w *world) missedTrades(owner journal.UserID, scope journal.Scope, page playbook.Page) (list []playbook.Missed, total int) {
	w.t.Helper()
	must(w.t, w.db.View(w.ctx, func(tx *db.Tx) (err error) {
		list, total, err = playbook.ReadMissedPage(w.ctx, tx, owner, scope, page)
		return err
	}))
	return list, total
}

func (w *world) missedSummary(owner journal.UserID) (summary playbook.MissedSummary) {
	w.t.Helper()
	must(w.t, w.db.View(w.ctx, func(tx *db.Tx) (err error) {
		summary, err = playbook.ReadMissedSummary(w.ctx, tx, owner, journal.Scope{})
		return err
	}))
	return summary
}
