package ledger

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"math"
	"slices"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
)

// accountRows reads and writes one account's rows inside a transaction.
type accountRows struct {
	tx      *db.Tx
	owner   journal.UserID
	account Account
}

// book is an account inside a transaction. One from openBook holds the lock on the
// account row, assigns numbers, and collects rows until close writes them.
type book struct {
	*accountRows
	*streamSet
	pending
	now    time.Time
	follow Follow

	revision int64 // this write's
	nextSeq  int64
	arrivals int64 // the last arrival number in all the user's accounts
	// deletedFills is the newest deleted fill's number; 0 if there never was one.
	deletedFills int64
	loggedSince  int64 // the log is complete after this revision
	prunedSince  int64 // loggedSince as stored: the log has nothing before it
}

// openBook locks the account. A transaction that writes to several accounts must open
// them ordered by id, or two such transactions may deadlock, and one runs again.
func (s *Service) openBook(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.AccountID) (*book, error) {
	b, err := readBookWith(ctx, tx, owner, id, tx.Lock())
	if err != nil {
		return nil, err
	}
	b.now, b.follow, b.revision, b.interval = s.clock(), s.follow, nextRevision(b.account.Revision), s.interval
	return b, nil
}

// readBook opens a book for reading, without a lock.
func readBook(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.AccountID) (*book, error) {
	return readBookWith(ctx, tx, owner, id, "")
}

func readBookWith(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.AccountID, lock string) (*book, error) {
	b := newBook(tx, owner, Account{ID: id})
	if !journal.AllowsAccount(ctx, id) {
		return nil, journal.NotFound("account")
	}
	var all int64
	err := tx.QueryRow(ctx, `
		SELECT `+accountColumns+`, next_seq, next_stream, logged_since, arrivals, deleted_fills, `+lastArrival+`, `+lastStream+`, `+anyAction+`
		FROM accounts WHERE user_id = $1 AND id = $2`+lock, owner, id).
		Scan(append(b.account.scan(), &b.nextSeq, &b.nextStream, &b.loggedSince, &b.arrivals, &b.deletedFills, &all, &b.lastStream, &b.hasActions)...)
	// After a wait for the lock only the row's own columns are current.
	b.arrivals, b.prunedSince = max(b.arrivals, all), b.loggedSince
	return b, db.NotFound(err, "account")
}

// newBook returns an account's book without its numbers.
func newBook(tx *db.Tx, owner journal.UserID, account Account) *book {
	rows := &accountRows{tx: tx, owner: owner, account: account}
	return &book{accountRows: rows, streamSet: newStreamSet(rows), pending: newPending(account.ID), nextSeq: 1}
}

// lastArrival selects the last arrival number in all accounts of user $1.
const lastArrival = `(SELECT COALESCE(MAX(arrivals), 0) FROM accounts AS every WHERE every.user_id = $1)`

// lastStream selects the greatest next_stream in all accounts of user $1.
const lastStream = `(SELECT COALESCE(MAX(next_stream), 0) FROM accounts AS every WHERE every.user_id = $1)`

// anyAction selects whether user $1 has corporate actions.
const anyAction = `EXISTS (SELECT 1 FROM corporate_actions WHERE user_id = $1)`

// NextArrival returns the owner's next arrival number. It is a step.
func NextArrival(ctx context.Context, tx *db.Tx, owner journal.UserID) (n int64, err error) {
	err = tx.QueryRow(ctx, `SELECT `+lastArrival+` + 1`, owner).Scan(&n)
	return n, err
}

// withBook opens an account's book, runs fn and closes the book.
func (s *Service) withBook(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.AccountID, fn func(*book) error) error {
	b, err := s.openBook(ctx, tx, owner, id)
	if err != nil {
		return err
	}
	if err := fn(b); err != nil {
		return err
	}
	return b.close(ctx)
}

// close ends the write: it writes the collected rows, moves links to trades,
// calls follow, deletes removed trades and updates the account's row.
func (b *book) close(ctx context.Context) error {
	if err := b.flush(ctx); err != nil {
		return err
	}
	cash, err := b.linkedCash(ctx)
	if err != nil {
		return err
	}
	if err := b.moveCashLinks(ctx, &b.change); err != nil {
		return err
	}
	if err := b.prepareEffects(ctx); err != nil {
		return err
	}
	b.change.Arrived = b.listArrived()
	if err := b.follow.call(ctx, b.tx, b.owner, b.change); err != nil {
		return err
	}
	if err := b.saveEffects(ctx, cash); err != nil {
		return err
	}
	if err := b.removeTrades(ctx); err != nil {
		return err
	}
	if err := b.dropEmptyStreams(ctx, b.emptied); err != nil {
		return err
	}
	return b.saveAccount(ctx)
}

// saveAccount updates the account's row and the log.
func (b *book) saveAccount(ctx context.Context) error {
	if err := b.recordTouched(ctx); err != nil {
		return err
	}
	return b.tx.Queue(ctx, `
		UPDATE accounts SET revision = $1, next_seq = $2, next_stream = $3, logged_since = $4, arrivals = $5
		WHERE user_id = $6 AND id = $7`,
		b.revision, b.nextSeq, b.nextStream, b.loggedSince, b.arrivals, b.owner, b.account.ID)
}

// flush writes the collected rows in bulk. Fills are written in time order, as their
// table is.
func (b *book) flush(ctx context.Context) error {
	if err := b.flushTrades(ctx); err != nil {
		return err
	}
	if err := b.flushCheckpoints(ctx); err != nil {
		return err
	}
	if err := b.flushClosings(ctx); err != nil {
		return err
	}
	if err := b.updateDetails(ctx, b.changedDetails); err != nil {
		return err
	}
	for _, f := range b.changedIDs {
		if err := b.updateFirstExternal(ctx, f); err != nil {
			return err
		}
	}
	if err := b.updateFills(ctx, b.edited); err != nil {
		return err
	}
	if err := b.moveFills(ctx); err != nil {
		return err
	}
	fresh := slices.DeleteFunc(slices.Clone(b.arrived), func(f *fill) bool { return f.state == restored })
	slices.SortFunc(fresh, byPosition)
	return b.insertFills(ctx, fresh)
}

// removeTrades deletes removed trades.
func (b *book) removeTrades(ctx context.Context) error {
	rows := make([][]any, len(b.change.Removed))
	for i, id := range b.change.Removed {
		rows[i] = []any{int64(b.owner), id}
	}
	return b.tx.DeleteMany(ctx, "trades", []string{"user_id", "id"}, rows)
}

// maxStep is the greatest difference between two account revisions.
const maxStep = 1 << 32

// nextRevision returns the next write's revision. Steps are random: if the database is
// restored to an earlier state and written again, the account's two histories share no
// later revision. So equal revisions mean equal content, and a copy can tell from the log
// whether it belongs to this history. The steps get smaller before the numbers run out.
func nextRevision(last int64) int64 {
	const shrink = 20
	var random [8]byte
	_, _ = rand.Read(random[:]) // never fails: the program ends instead
	most := min(maxStep, (math.MaxInt64-last)>>shrink+1)
	return last + 1 + int64(binary.LittleEndian.Uint64(random[:])%uint64(most)) // it is less than maxStep
}

// trade_log limits: it keeps at least about the newest thousand revisions, without writes
// that changed more trades than are worth reading one by one. Older ones are deleted once
// they are about a hundred, because a statement in every write costs more than their
// space.
const (
	loggedSpan   = 1000 * maxStep / 2
	prunedSpan   = 100 * maxStep / 2
	loggedTrades = 1000
)

// recordTouched logs the revision with the trades this write changed. A revision without
// them, or with too many, is logged with an id no trade has: every logged revision can be
// found. So is one that changed details of fills, whose trades it may not name.
func (b *book) recordTouched(ctx context.Context) error {
	touched := slices.Concat(b.change.Created, b.change.Changed, b.change.Removed, b.reordered)
	if b.revision-b.loggedSince > loggedSpan+prunedSpan {
		b.loggedSince = b.revision - loggedSpan
	}
	if len(touched) > loggedTrades {
		b.loggedSince, touched = b.revision, nil
	}
	if len(touched) == 0 || len(b.changedDetails) > 0 {
		touched = append(touched, journal.NewID[journal.TradeID]())
	}
	if b.loggedSince > b.prunedSince {
		err := b.tx.Queue(ctx, `DELETE FROM trade_log WHERE user_id = $1 AND account = $2 AND revision < $3`,
			b.owner, b.account.number, b.loggedSince)
		if err != nil {
			return err
		}
	}
	rows := make([][]any, len(touched))
	for i, id := range touched {
		rows[i] = []any{b.owner, b.account.number, b.revision, id}
	}
	return b.tx.QueueRows(ctx, "trade_log", []string{"user_id", "account", "revision", "trade_id"}, "ON CONFLICT DO NOTHING", rows)
}

// TouchedSince returns an account's trades that changed after a revision, as one step;
// those that do not exist were removed, or were logged for a write that changed no figure of
// a trade, as one to details of fills. known is false if the log does not contain that
// revision, because it is too old or from another database history: the account must then
// be read again.
func TouchedSince(
	ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID, revision int64,
) (ids []journal.TradeID, known bool, err error) {
	b, err := readBook(ctx, tx, owner, account)
	switch {
	case err != nil || revision < b.loggedSince || revision > b.account.Revision:
		return nil, false, err
	case revision == b.account.Revision:
		return nil, true, nil
	}
	err = db.Each(ctx, tx, func(row db.Scanner) error {
		var at int64
		var id journal.TradeID
		err := row.Scan(&at, &id)
		if at == revision {
			known = true
		} else {
			ids = append(ids, id)
		}
		return err
	}, `SELECT revision, trade_id FROM trade_log WHERE user_id = $1 AND account = $2 AND revision >= $3 ORDER BY revision, trade_id`,
		owner, b.account.number, revision)
	if err != nil || !known {
		return nil, false, err
	}
	slices.Sort(ids)
	return slices.Compact(ids), true, nil
}
