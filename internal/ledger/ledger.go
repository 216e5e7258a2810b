// Package ledger keeps what the broker did: accounts, fills, cash, and the
// trades that the fills make.
//
// A trade is never entered; it is what grouping the fills of one stream gives
// (package matching), stored so that lists and figures need not group again.
// Every write of fills therefore ends with a regrouping of the streams it
// touched, in the same transaction. The regrouping reads from the last flat
// point before the change to the first point behind it where the new trades
// meet the stored ones again, so its cost is that of the trades touched and
// not of the history (regroup.go). Rows that come out as they were are not
// written.
//
// A trade keeps its id through any regrouping, because other packages tie to
// it what the trader wrote. They hear of trades that merged or lost their last
// fill through a [Follow], inside the transaction.
//
// Writers of one account take turns: each begins by locking the account's row
// (book.go), takes arrival numbers from it and raises its revision. Readers
// are never blocked.
//
// A method of [Service] is one transaction. A function or method that takes a
// *db.Tx is one step of a transaction that another package may be running.
// Every statement names the owner; there is no way to ask without one, except
// for [Service.Check], which looks at all journals and changes none.
package ledger

import (
	"context"
	"fmt"
	"time"

	"fillbook/internal/db"
	"fillbook/internal/journal"
)

// Service is the ledger of one installation. It is safe for concurrent use.
type Service struct {
	db     *db.DB
	clock  journal.Clock
	follow Follow
	counts *counts
}

// New makes a Service. follow hears of every change of trades; nil means that
// nobody wants to.
func New(d *db.DB, clock journal.Clock, follow Follow) *Service {
	return &Service{db: d, clock: clock, follow: follow, counts: &counts{kept: map[string]int{}}}
}

// Follow is told what a write did to the trades of an account, so that what
// hangs on them can go with them. It runs inside the write's transaction, when
// new and changed trades are stored and before the rows of removed trades go;
// an error undoes the write. It is not called where no trade changed.
type Follow func(ctx context.Context, tx *db.Tx, owner journal.UserID, change TradeChanges) error

// TradeChanges is what one write did to the trades of one account. A trade id is
// in one of Created, Changed and Removed, and never comes back once removed.
type TradeChanges struct {
	Account journal.AccountID
	// Created are trades that nobody has seen before, Changed those whose
	// figures or fills are other than before, Removed those that are gone.
	Created, Changed, Removed []journal.TradeID
	// Merged tells for some of the removed trades which one holds most of
	// their fills now: what was written on From belongs to Into.
	Merged []Merge
	// Orphaned tells of the removed trades whose last fill was deleted. What
	// was written on them can wait for the fills to come back.
	Orphaned []Orphan
	// Deleted are the removed trades that the user asked to delete: what was
	// written on them goes.
	Deleted []journal.TradeID
	// Arrived lists the fills that were not in the account before, once for
	// each trade that they are in.
	Arrived []Arrival
	// AccountDeleted tells that the account goes with everything it holds. The
	// lists are then empty.
	AccountDeleted bool
}

// Merge says that one trade is now a part of another.
type Merge struct {
	From, Into journal.TradeID
}

// Orphan is a trade that has no fill left, with the keys of those it had.
type Orphan struct {
	Trade    journal.TradeID
	FillKeys []string
	// Symbol and OpenedAt tell a person which trade it was.
	Symbol   string
	OpenedAt time.Time
}

// Arrival is a new fill in a trade. FillKeys are the keys by which an [Orphan]
// may know it: by content, and by the broker's id if it has one.
type Arrival struct {
	Trade    journal.TradeID
	FillKeys []string
}

// tell passes a change on, if somebody wants to hear it.
func (f Follow) tell(ctx context.Context, tx *db.Tx, owner journal.UserID, change TradeChanges) error {
	if f == nil || change.empty() {
		return nil
	}
	if err := f(ctx, tx, owner, change); err != nil {
		return fmt.Errorf("following the trades: %w", err)
	}
	return nil
}

func (r *TradeChanges) empty() bool {
	return len(r.Created)+len(r.Changed)+len(r.Removed)+len(r.Arrived) == 0 && !r.AccountDeleted
}
