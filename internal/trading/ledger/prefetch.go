package ledger

import (
	"context"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/lru"
)

// numbers remembers the numbers of accounts and streams between transactions, so the
// queries for the next entry can be sent before the account's row is read. A number that is
// no longer right costs a needless query and nothing else; see [db.Tx.Prefetch].
type numbers struct {
	accounts *lru.Cache[accountKey, int64]
	streams  *lru.Cache[streamOf, int64]
}

type accountKey struct {
	owner   journal.UserID
	account journal.AccountID
}

type streamOf struct {
	owner   journal.UserID
	account int64
	key     streamKey
}

// maxNumbers is how many numbers of each kind are remembered: those of the accounts and
// instruments in use.
const maxNumbers = 10_000

func newNumbers() numbers {
	return numbers{lru.New[accountKey, int64](maxNumbers), lru.New[streamOf, int64](maxNumbers)}
}

// remember keeps the numbers of a book's account and streams.
func (n numbers) remember(b *book) {
	n.accounts.Put(accountKey{b.owner, b.account.ID}, b.account.number, 1)
	for key, s := range b.byKey {
		if s != nil {
			n.streams.Put(streamOf{b.owner, b.account.number, key}, s.number, 1)
		}
	}
}

// prefetchEntry sends the queries for a fill entered by hand together with the one that
// locks the account.
func (n numbers) prefetchEntry(ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID, entered CheckedFill) {
	number, known := n.accounts.Get(accountKey{owner, account})
	if !known {
		return
	}
	tx.Prefetch(func(tx *db.Tx) {
		b := newBook(tx, owner, Account{ID: account, number: number})
		b.nextStream = streamBlock // there are streams
		if entered.unmultiplied {
			_, _ = loadOverrides(ctx, tx, owner, b.account)
		}
		_, _ = b.findStream(ctx, *entered.key)
		if stored, known := n.streams.Get(streamOf{owner, number, *entered.key}); known {
			_, _ = b.loadTail(ctx, &stream{number: stored})
		}
		d := &deduper{b: b}
		_ = d.matchCoarseFills(ctx, []*arrival{{fill: entered.fill, key: entered.key}})
	})
}
