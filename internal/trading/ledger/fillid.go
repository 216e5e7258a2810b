package ledger

import (
	"context"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/matching"
)

// A fill's id is computed from its account, its instant and its number in the account; see
// [journal.PackID]. A fill whose instant has changed since keeps its id in the column id,
// and so does a fill from an earlier release.

// tag returns the hash of the account's id. Account numbers are used again after a deletion,
// ids are not.
func (a *Account) tag() uint64 { return journal.IDTag(a.ID) }

// executionID returns a fill's computed id.
func (a *Account) executionID(p matching.Position) journal.ExecutionID {
	return executionID(a.tag(), p)
}

// executionID returns a fill's computed id in the account with the tag.
func executionID(tag uint64, p matching.Position) journal.ExecutionID {
	return journal.PackID[journal.ExecutionID](p.At, tag, p.Seq)
}

// parseExecutionID returns a computed id's position and account tag, and false for any
// other id.
func parseExecutionID(id journal.ExecutionID) (p matching.Position, tag uint64, ok bool) {
	p.At, tag, p.Seq, ok = journal.UnpackID(id)
	return p, tag, ok
}

// setID sets the id in a fill read without one.
func (f *fill) setID(a *Account) {
	if f.id == "" {
		f.id = a.executionID(f.position())
	}
}

// storedID returns the id that has to be stored: none if it can be computed.
func (f *fill) storedID(a *Account) journal.ExecutionID {
	if f.id == a.executionID(f.position()) {
		return ""
	}
	return f.id
}

// place is where a fill is stored.
type place struct {
	account Account
	matching.Position
}

// findFill returns where the owner's fill is stored.
func findFill(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.ExecutionID) (place, error) {
	found, err := findFills(ctx, tx, owner, []journal.ExecutionID{id})
	if err != nil {
		return place{}, err
	}
	at, known := found[id]
	if !known {
		return place{}, journal.NotFound("execution")
	}
	return at, nil
}

// findFills returns where the owner's fills are stored. Those that do not exist are left
// out.
func findFills(
	ctx context.Context, tx *db.Tx, owner journal.UserID, ids []journal.ExecutionID,
) (map[journal.ExecutionID]place, error) {
	found := make(map[journal.ExecutionID]place, len(ids))
	if len(ids) == 0 {
		return found, nil
	}
	accounts, err := Accounts(ctx, tx, owner)
	if err != nil {
		return nil, err
	}
	for i := range accounts {
		if err := findComputed(ctx, tx, owner, &accounts[i], ids, found); err != nil {
			return nil, err
		}
	}
	return found, findStored(ctx, tx, owner, accounts, ids, found)
}

// findComputed adds an account's fills with computed ids.
func findComputed(
	ctx context.Context, tx *db.Tx, owner journal.UserID, a *Account, ids []journal.ExecutionID, found map[journal.ExecutionID]place,
) error {
	tag := a.tag()
	var own []matching.Position
	for _, id := range ids {
		if p, t, ok := parseExecutionID(id); ok && t == tag {
			own = append(own, p)
		}
	}
	return eachAt(ctx, tx, owner, a.number, own, func(row db.Scanner) error {
		at := place{account: *a}
		err := row.Scan(&at.At, &at.Seq)
		found[a.executionID(at.Position)] = at
		return err
	}, `SELECT executed_at, seq FROM executions`, ` AND id IS NULL`)
}

// findStored adds the fills whose ids are stored.
func findStored(
	ctx context.Context, tx *db.Tx, owner journal.UserID, accounts []Account, ids []journal.ExecutionID, found map[journal.ExecutionID]place,
) error {
	ids = slices.DeleteFunc(slices.Clone(ids), func(id journal.ExecutionID) bool { _, known := found[id]; return known })
	byNumber := indexByNumber(accounts)
	return db.EachIn(ctx, tx, ids, func(row db.Scanner) error {
		var id journal.ExecutionID
		var number int64
		var at place
		err := row.Scan(&id, &number, &at.At, &at.Seq)
		account, known := byNumber[number]
		if at.account = account; known {
			found[id] = at
		}
		return err
	}, `SELECT id, account, executed_at, seq FROM executions`+tx.Using("executions_id")+` WHERE user_id = $1 AND id IN $keys`, owner)
}

// eachAt reads an account's fills at some positions. head selects columns of executions, and
// tail is a further condition.
func eachAt(
	ctx context.Context, tx *db.Tx, owner journal.UserID, account int64, at []matching.Position, fn func(db.Scanner) error, head, tail string,
) error {
	for part := range slices.Chunk(at, 128) {
		args := []any{owner, account}
		wanted := wantedPositions(&args, part)
		text := `WITH wanted (wanted_at, wanted_seq) AS (VALUES ` + wanted + `) ` + head +
			`, wanted WHERE user_id = $1 AND account = $2 AND executed_at = wanted_at AND seq = wanted_seq` + tail
		if err := db.Each(ctx, tx, fn, text, args...); err != nil {
			return err
		}
	}
	return nil
}

// wantedPositions appends positions to args and returns a list of rows with their
// placeholders. Rows of NULL make their number a power of two, to limit the number of
// different statements. With two IN lists SQLite would look up every pair of an instant and
// a number.
func wantedPositions(args *[]any, at []matching.Position) string {
	var b strings.Builder
	for i := range 1 << bits.Len(uint(len(at)-1)) {
		row := "(CAST($%d AS BIGINT), CAST($%d AS BIGINT))" // PostgreSQL takes the types from the first row
		if i > 0 {
			row = ", ($%d, $%d)"
		}
		n := len(*args)
		fmt.Fprintf(&b, row, n+1, n+2)
		if i < len(at) {
			*args = append(*args, at[i].At, at[i].Seq)
		} else {
			*args = append(*args, nil, nil)
		}
	}
	return b.String()
}

// fillAt reads one fill with its links.
func (a *accountRows) fillAt(ctx context.Context, p matching.Position) (*fill, error) {
	f, err := a.scanLinkedFill(a.tx.QueryRow(ctx, linkedSelect+`WHERE user_id = $1 AND account = $2 AND executed_at = $3 AND seq = $4`,
		a.owner, a.account.number, p.At, p.Seq))
	return f, db.NotFound(err, "execution")
}

// fillByID reads one fill with its links.
func (a *accountRows) fillByID(ctx context.Context, id journal.ExecutionID) (*fill, error) {
	if p, tag, ok := parseExecutionID(id); ok && tag == a.account.tag() {
		f, err := a.fillAt(ctx, p)
		if err == nil && f.id == id || err != nil && !journal.IsKind(err, journal.KindNotFound) {
			return f, err
		}
	}
	f, err := a.scanLinkedFill(a.tx.QueryRow(ctx, linkedSelect+`WHERE user_id = $1 AND id = $2 AND account = $3`, a.owner, id, a.account.number))
	return f, db.NotFound(err, "execution")
}

// fillsAt reads fills known by position, by number.
func (a *accountRows) fillsAt(ctx context.Context, at []matching.Position) (map[int64]*fill, error) {
	found := make(map[int64]*fill, len(at))
	err := eachAt(ctx, a.tx, a.owner, a.account.number, at, func(row db.Scanner) error {
		f, err := a.scanFill(row)
		found[f.seq] = f
		return err
	}, fillSelectOnly+` FROM executions`, "")
	return found, err
}

// sourcedFills reads fills with several sources, by number.
func (a *accountRows) sourcedFills(ctx context.Context, numbers []int64) (map[int64]*fill, error) {
	found := make(map[int64]*fill, len(numbers))
	list, err := db.ListIn(ctx, a.tx, numbers, a.scanFill, fillSelect+a.tx.Using("executions_sourced")+`
		WHERE user_id = $1 AND account = $2 AND (facts & 512) <> 0 AND seq IN $keys ORDER BY seq`, a.owner, a.account.number)
	for _, f := range list {
		found[f.seq] = f
	}
	return found, err
}
