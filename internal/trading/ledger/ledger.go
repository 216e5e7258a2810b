// Package ledger stores accounts, fills and cash transactions, and the trades the fills
// form.
//
// A trade is never entered. It results from grouping one stream's fills (package
// matching), stored so lists and figures need not group again. Every fill write therefore
// ends with regrouping the affected streams in the same transaction. The regrouping reads
// from the last flat point before the change to the first point after it where the new
// trades equal the stored ones again, so its cost depends on the affected trades and not
// on the history's length (regroup.go). Unchanged rows are not written.
//
// A trade keeps its id through any regrouping, because other packages attach annotations
// to it. A [Follow] function receives, inside the transaction, the trades that were
// merged or lost their last fill.
//
// An account's writers take turns: each first locks the account's row (book.go), takes
// arrival numbers from it and raises its revision. Readers are never blocked.
//
// A method of [Service] is one transaction. A function or method taking a *db.Tx is one
// step in a transaction that another package may be running. Every statement names the
// owner, except in [Service.Check] and [Service.Upgrade], which process all journals.
package ledger

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"fillbook/internal/base/db"
	"fillbook/internal/base/fairqueue"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
)

// Service is one installation's ledger. It is safe for concurrent use.
type Service struct {
	db     *db.DB
	clock  journal.Clock
	follow Follow
	counts *countCache
	// writers makes an account's writers wait for their turn before they begin a
	// transaction; see updateAccount.
	writers *fairqueue.Queue
	numbers numbers
	// interval is how many of a trade's fills lie between two checkpoints.
	interval int
}

// New returns a Service. follow is called after every change to trades; it may
// be nil.
func New(d *db.DB, clock journal.Clock, follow Follow) *Service {
	return &Service{
		db: d, clock: clock, follow: follow, counts: &countCache{entries: map[string]int{}}, interval: checkpointInterval, numbers: newNumbers(),
		writers: fairqueue.New(fairqueue.Options{MaxPerKey: 2, MaxWaiting: maxWriters, MaxWait: writerWait}),
	}
}

// Limits for the writers waiting for one account: about as many as are written in the
// time PostgreSQL waits for a lock, and that time.
const (
	maxWriters = 5000
	writerWait = 20 * time.Second
)

// updateAccount runs fn in a writing transaction, at most two at a time for an account:
// one with openBook's lock, and one that gets it next. That lock orders all writers, also
// on other servers. But each waiting for it occupies a connection, so many would leave
// none for readers.
func (s *Service) updateAccount(ctx context.Context, owner journal.UserID, id journal.AccountID, fn func(*db.Tx) error) error {
	release, err := s.writers.Acquire(ctx, fmt.Sprint(int64(owner), " ", id))
	if errors.Is(err, fairqueue.ErrBusy) {
		err = fmt.Errorf("%w: too many writers wait for account %s", db.ErrUnavailable, id)
	}
	if err != nil {
		return err
	}
	defer release()
	return s.db.Update(ctx, fn)
}

// Follow receives the changes a write made to an account's trades, so records attached to
// trades can be moved. It runs inside the write's transaction, after new and changed
// trades are stored and before removed trades are deleted. An error rolls the write back.
// It is not called if no trade changed.
type Follow func(ctx context.Context, tx *db.Tx, owner journal.UserID, change TradeChanges) error

// TradeChanges lists one write's changes to one account's trades. A trade id is in
// Created, Changed or Removed. Once removed it is used again only for the same trade, by an
// undo or the deletion of a corporate action.
type TradeChanges struct {
	Account journal.AccountID
	// Created are new trades, Changed those with different figures or fills,
	// Removed those that no longer exist.
	Created, Changed, Removed []journal.TradeID
	// Closed are those of Created and Changed that are closed and were not before.
	Closed []journal.TradeID
	// Restored are the created trades that have an id again which they had before.
	Restored []journal.TradeID
	// Merged names, for some removed trades, the trade that now has most of their fills:
	// From's annotations belong to Into.
	Merged []Merge
	// Orphaned are the removed trades whose last fill was deleted. Their
	// annotations can be kept until the fills are imported again.
	Orphaned []Orphan
	// Deleted are the removed trades the user deleted, together with their annotations.
	Deleted []journal.TradeID
	// Keep, if it is not nil, receives what the merged trades had, by their ids: a corporate
	// action has joined them, and its deletion gives that back in Returned. Those are in the
	// order in which they are to be handled, before Merged.
	Keep     map[journal.TradeID]jsontext.Value
	Returned []Return
	// Arrived goes through the fills that were not in the account before, once for each
	// trade they are in; it is nil if there are none. Each pass computes the keys again:
	// most receivers need none.
	Arrived iter.Seq[Arrival]
	// AccountDeleted reports that the account is deleted with everything in it.
	// The lists are then empty.
	AccountDeleted bool
	// AccountRestored is the undo that brings the account back, if one does. All other
	// fields are empty then.
	AccountRestored *history.Undoing
}

// Merge names a removed trade and the trade it became part of.
type Merge struct {
	From, Into journal.TradeID
}

// Orphan is a trade without any fill, with the keys of those it had.
type Orphan struct {
	Trade    journal.TradeID
	FillKeys []string
	// Symbol and OpenedAt identify the trade for a user.
	Symbol   string
	OpenedAt time.Time
	// WasOrphan reports that its annotations were an orphan before a change that is undone.
	WasOrphan bool
}

// Arrival is a new fill in a trade. FillKeys are the keys an [Orphan] may have for it:
// its content, and the broker's id if it has one.
type Arrival struct {
	Trade    journal.TradeID
	FillKeys []string
}

// call runs f if it is set and there are changes.
func (f Follow) call(ctx context.Context, tx *db.Tx, owner journal.UserID, change TradeChanges) error {
	if f == nil || change.isEmpty() {
		return nil
	}
	if err := f(ctx, tx, owner, change); err != nil {
		return fmt.Errorf("following the changes to trades: %w", err)
	}
	return nil
}

func (r *TradeChanges) isEmpty() bool {
	return len(r.Created)+len(r.Changed)+len(r.Removed) == 0 && r.Arrived == nil && !r.AccountDeleted && r.AccountRestored == nil
}
