package ledger

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"fillbook/internal/db"
)

// countCache keeps how many rows lists have. Whoever reads a list page by page asks
// for the same number again and again, and to count takes longer the longer the
// list is. A number is found by the question and the revisions of the accounts,
// so no write makes it wrong.
type countCache struct {
	mu      sync.Mutex
	entries map[string]int
}

// maxCounts bounds how many are kept; then all are forgotten.
const maxCounts = 1000

// count tells how many rows a text gives that depends on nothing but the fills
// and trades of some accounts, as a step of the transaction that has read them.
func (c *countCache) count(ctx context.Context, tx *db.Tx, accounts []Account, text string, args []any) (n int, err error) {
	var key strings.Builder
	for _, a := range accounts {
		fmt.Fprintf(&key, "%s:%d ", a.ID, a.Revision)
	}
	fmt.Fprintf(&key, "%s %#v", text, args) // quoted: a symbol may hold a blank
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
