package ledger

import (
	"context"
	"slices"
	"time"

	"fillbook/internal/db"
	"fillbook/internal/journal"
)

// book is an account that is open for writing. It holds the lock on the
// account's row from openBook on, hands out arrival numbers, and gathers what
// happens to the trades until close writes it down.
type book struct {
	tx      *db.Tx
	owner   journal.UserID
	account Account
	now     time.Time
	follow  Follow

	revision   int64 // this write's
	nextSeq    int64
	nextStream int64
	arrivals   int64 // the last arrival number of all the user's accounts
	since      int64 // after which revision the log is complete

	streams map[streamKey]*stream
	emptied map[int64]bool // streams that lost their trades and may be empty now

	// Rows that wait to be written in bulk.
	arrived, edited          []*fill
	noted, relinked          []*fill
	newTrades, changedTrades []*tradeRow

	change TradeChanges
	// reordered are trades whose place among others may be another one, while
	// their fills and figures are as they were.
	reordered []journal.TradeID
	// renamed are fills whose external id has changed and nothing that makes
	// trades.
	renamed []*fill

	// read counts the rows that cursors fetched: tests hold it against the
	// size of the change. mostRead is how many they may be, 0 for any number.
	read, mostRead int
}

// openBook locks the account. Steps of one transaction that write to several
// accounts must do it in the order of their ids, or two of them may deadlock;
// one of the two is then run again.
func (s *Service) openBook(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.AccountID) (*book, error) {
	b, err := readBookWith(ctx, tx, owner, id, tx.Lock())
	if err != nil {
		return nil, err
	}
	b.now, b.follow, b.revision = s.clock(), s.follow, b.account.Revision+1
	return b, nil
}

// readBook opens a book without locking it: it can only be looked at.
func readBook(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.AccountID) (*book, error) {
	return readBookWith(ctx, tx, owner, id, "")
}

func readBookWith(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.AccountID, lock string) (*book, error) {
	b := &book{
		tx: tx, owner: owner, streams: map[streamKey]*stream{}, emptied: map[int64]bool{}, change: TradeChanges{Account: id},
	}
	var all int64
	err := tx.QueryRow(ctx, `
		SELECT `+accountColumns+`, next_seq, next_stream, logged_since, arrivals, `+lastArrival+`
		FROM accounts WHERE user_id = $1 AND id = $2`+lock, owner, id).
		Scan(append(b.account.scan(), &b.nextSeq, &b.nextStream, &b.since, &b.arrivals, &all)...)
	// After a wait for the lock only what is read of the row itself is current.
	b.arrivals = max(b.arrivals, all)
	return b, orNotFound(err, "account")
}

// lastArrival is the last arrival number that any account of the user $1 took.
const lastArrival = `(SELECT COALESCE(MAX(arrivals), 0) FROM accounts AS every WHERE every.user_id = $1)`

// NextArrival returns the number that the next fill of the owner's would take in
// the order of arrival over all accounts. It is a step.
func NextArrival(ctx context.Context, tx *db.Tx, owner journal.UserID) (n int64, err error) {
	err = tx.QueryRow(ctx, `SELECT `+lastArrival+` + 1`, owner).Scan(&n)
	return n, err
}

// writing runs fn on the open book of an account, in a step of tx.
func (s *Service) writing(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.AccountID, fn func(*book) error) error {
	b, err := s.openBook(ctx, tx, owner, id)
	if err != nil {
		return err
	}
	if err := fn(b); err != nil {
		return err
	}
	return b.close(ctx)
}

// close ends the write: links follow their trades, others are told, removed
// trades go, and the account's row is brought up to date.
func (b *book) close(ctx context.Context) error {
	if err := b.flush(ctx); err != nil {
		return err
	}
	if err := b.moveCash(ctx); err != nil {
		return err
	}
	if err := b.follow.tell(ctx, b.tx, b.owner, b.change); err != nil {
		return err
	}
	if err := b.removeTrades(ctx); err != nil {
		return err
	}
	if err := b.dropEmptyStreams(ctx); err != nil {
		return err
	}
	return b.store(ctx)
}

// store brings the account's row and the log up to date.
func (b *book) store(ctx context.Context) error {
	if err := b.log(ctx); err != nil {
		return err
	}
	_, err := b.tx.Exec(ctx, `
		UPDATE accounts SET revision = $1, next_seq = $2, next_stream = $3, logged_since = $4, arrivals = $5
		WHERE user_id = $6 AND id = $7`,
		b.revision, b.nextSeq, b.nextStream, b.since, b.arrivals, b.owner, b.account.ID)
	return err
}

// flush writes what was kept back to be written in bulk. Fills go in the order
// of time, in which their table is kept.
func (b *book) flush(ctx context.Context) error {
	if err := b.flushTrades(ctx); err != nil {
		return err
	}
	if err := b.relink(ctx); err != nil {
		return err
	}
	if err := b.updateNotes(ctx, b.noted); err != nil {
		return err
	}
	for _, f := range b.renamed {
		if err := b.updateFirstExternal(ctx, f); err != nil {
			return err
		}
	}
	if err := b.updateFills(ctx, b.edited); err != nil {
		return err
	}
	slices.SortFunc(b.arrived, byPosition)
	return b.insertFills(ctx, b.arrived)
}

// removeTrades deletes the rows of trades that are gone.
func (b *book) removeTrades(ctx context.Context) error {
	rows := make([][]any, len(b.change.Removed))
	for i, id := range b.change.Removed {
		rows[i] = []any{string(b.owner), string(id)}
	}
	return b.tx.DeleteMany(ctx, "trades", []string{"user_id", "id"}, rows)
}

// How much trade_log keeps: of the newest revisions, and not of a write that
// touched so many trades that to load the account anew is cheaper.
const (
	loggedRevisions = 1000
	loggedTrades    = 1000
)

// log leaves word of the trades that the write touched.
func (b *book) log(ctx context.Context) error {
	touched := slices.Concat(b.change.Created, b.change.Changed, b.change.Removed, b.reordered)
	if len(touched) == 0 {
		return nil
	}
	b.since = max(b.since, b.revision-loggedRevisions)
	if len(touched) > loggedTrades {
		b.since = b.revision
	}
	_, err := b.tx.Exec(ctx, `DELETE FROM trade_log WHERE user_id = $1 AND account = $2 AND revision <= $3`,
		b.owner, b.account.number, b.since)
	if err != nil || b.since == b.revision {
		return err
	}
	rows := make([][]any, len(touched))
	for i, id := range touched {
		rows[i] = []any{b.owner, b.account.number, b.revision, id}
	}
	_, err = b.tx.InsertMany(ctx, "trade_log", []string{"user_id", "account", "revision", "trade_id"}, "ON CONFLICT DO NOTHING", rows)
	return err
}

// TouchedSince lists the trades of an account that writes after a revision
// touched, as one step; those that are not to be found any more are gone. known
// is false where the log does not reach back that far, or no such revision was
// yet: the account must then be read anew.
func TouchedSince(
	ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID, revision int64,
) (ids []journal.TradeID, known bool, err error) {
	b, err := readBook(ctx, tx, owner, account)
	if err != nil || revision < b.since || revision > b.account.Revision {
		return nil, false, err
	}
	ids, err = db.List(ctx, tx, db.Single[journal.TradeID], `
		SELECT DISTINCT trade_id FROM trade_log WHERE user_id = $1 AND account = $2 AND revision > $3 ORDER BY trade_id`,
		owner, b.account.number, revision)
	return ids, err == nil, err
}
