package ledger

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"fillbook/internal/base/db"
)

// countCache caches list lengths, which a client reading a list page by page needs
// repeatedly. The key contains the query and the account revisions, so entries never
// become outdated.
type countCache struct {
	mu      sync.Mutex
	entries map[string]int
}

// maxCounts bounds the entries; above it all are dropped.
const maxCounts = 1000

// count returns how many rows a query has. It must depend only on what raises the accounts'
// revisions: their fills, trades, and the annotations of trades. The accounts must have been
// read in the same transaction.
func (c *countCache) count(ctx context.Context, tx *db.Tx, accounts []Account, text string, args []any) (n int, err error) {
	var key strings.Builder
	for _, a := range accounts {
		fmt.Fprintf(&key, "%s:%d ", a.ID, a.Revision)
	}
	fmt.Fprintf(&key, "%s %#v", text, args) // quoted: a symbol may contain a space
	c.mu.Lock()
	n, known := c.entries[key.String()]
	c.mu.Unlock()
	if known {
		return n, nil
	}
	if n, err = countRows(ctx, tx, text, args); err != nil {
		return 0, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.entries) >= maxCounts {
		clear(c.entries)
	}
	c.entries[key.String()] = n
	return n, nil
}

func countRows(ctx context.Context, tx *db.Tx, text string, args []any) (n int, err error) {
	err = tx.QueryRow(ctx, `SELECT COUNT(*) FROM (`+text+`) AS listed`, args...).Scan(&n)
	return n, err
}
