package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"

	"fillbook/internal/base/journal"
)

// Statement errors, the same for both engines.
var (
	// ErrNoRows means that a query has no row.
	ErrNoRows = sql.ErrNoRows
	// ErrConflict means that a unique key is already used.
	ErrConflict = errors.New("duplicate unique key")
	// ErrMissing means that a row refers to a missing one.
	ErrMissing = errors.New("referenced row is missing")
	// ErrUnavailable means that the database is unreachable, full, read-only or
	// too busy.
	ErrUnavailable = errors.New("the database is unavailable")
	// ErrReadOnly means that the database cannot be written: its file is on a
	// read-only file system, or the server is a standby. It wraps
	// ErrUnavailable.
	ErrReadOnly = fmt.Errorf("%w: it can only be read", ErrUnavailable)
	// ErrFull means that the disk is full. It wraps ErrUnavailable.
	ErrFull = fmt.Errorf("%w: there is no room on its disk", ErrUnavailable)
	// ErrUnsafe means that the disk failed to store written data, so it cannot be relied
	// on; see [DB.Failed]. It wraps ErrUnavailable.
	ErrUnsafe = fmt.Errorf("%w: the disk failed to keep what was written", ErrUnavailable)
	// ErrDamaged means that a file is not an intact database.
	ErrDamaged = errors.New("the database is damaged")
	// ErrNewer means that a database was created by a newer program.
	ErrNewer = errors.New("the database is newer than this program")
	// ErrForeign means that a file is another program's database.
	ErrForeign = errors.New("the file is a database of another program")

	// errRetry makes Update run the transaction again; for other callers it
	// means that the database was too busy.
	errRetry = fmt.Errorf("the transaction must be run again: %w", ErrUnavailable)
	// errLost means that the connection broke. PostgreSQL has rolled back its
	// transaction.
	errLost = fmt.Errorf("%w: the connection was lost", ErrUnavailable)
	// errUnknown means that the connection broke during a commit, so its result is
	// unknown. The transaction must not be run again.
	errUnknown = fmt.Errorf("%w: the outcome of a commit is not known", ErrUnavailable)
)

// NotFound returns a not-found error naming the record if err is [ErrNoRows], else err.
func NotFound(err error, what string) error {
	if errors.Is(err, ErrNoRows) {
		return journal.NotFound(what)
	}
	return err
}

// Translated SQLite's result codes; extended codes where the primary one is too general.
const (
	sqliteBusy       = 5
	sqliteLocked     = 6
	sqliteReadOnly   = 8
	sqliteIOErr      = 10
	sqliteCorrupt    = 11
	sqliteFull       = 13
	sqliteCantOpen   = 14
	sqliteNotADB     = 26
	sqliteFsync      = 1034
	sqliteDirFsync   = 1290
	sqliteForeignKey = 787
	sqliteRestrict   = 1811 // a foreign key with ON DELETE RESTRICT
	sqlitePrimaryKey = 1555
	sqliteUnique     = 2067
)

// translate wraps a driver's error in the matching sentinel error. Other errors
// are returned unchanged.
func translate(err error) error {
	if err == nil || errors.Is(err, ErrNoRows) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	meaning := findError(err)
	if meaning == nil || errors.Is(err, meaning) {
		return err
	}
	return fmt.Errorf("%w: %w", meaning, err)
}

func findError(err error) error {
	if lite, ok := errors.AsType[*sqlite.Error](err); ok {
		return sqliteError(lite.Code())
	}
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		if strings.Contains(pg.Message, "query_wait_timeout") {
			return ErrUnavailable // all PgBouncer connections are in use
		}
		if pg.Code == "23505" && strings.HasPrefix(pg.TableName, orderedTable) { // a shard's name has a number
			return errRetry
		}
		return postgresError(pg.Code)
	}
	var network net.Error
	if errors.Is(err, driver.ErrBadConn) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) ||
		errors.Is(err, sql.ErrConnDone) || errors.As(err, &network) || isConnectError(err) {
		return errLost
	}
	return nil
}

// orderedTable has the changes of users in their order. Two transactions that take the same
// place must not both be committed, and the second runs again.
const orderedTable = "history_changes"

func isConnectError(err error) bool {
	var connect *pgconn.ConnectError
	return errors.As(err, &connect) || strings.Contains(err.Error(), "conn closed")
}

func sqliteError(code int) error {
	switch code {
	case sqliteUnique, sqlitePrimaryKey:
		return ErrConflict
	case sqliteForeignKey, sqliteRestrict:
		return ErrMissing
	case sqliteFsync, sqliteDirFsync:
		return ErrUnsafe
	}
	switch code & 0xff {
	case sqliteBusy, sqliteLocked:
		return errRetry
	case sqliteReadOnly:
		return ErrReadOnly
	case sqliteFull:
		return ErrFull
	case sqliteIOErr, sqliteCantOpen:
		return ErrUnavailable
	case sqliteCorrupt, sqliteNotADB:
		return ErrDamaged
	}
	return nil
}

func postgresError(code string) error {
	switch code {
	case "23505":
		return ErrConflict
	case "23503", "23001":
		return ErrMissing
	case "40001", "40P01":
		return errRetry
	case "25006":
		return ErrReadOnly
	case "57P01", "57P02", "57P03", "57P05", "25P03", "25P04":
		return errLost // shutting down, starting, or timed out
	case "53100":
		return ErrFull
	case "55P03", "58030":
		return ErrUnavailable // lock timeout, I/O error
	case "XX001", "XX002":
		return ErrDamaged
	}
	switch code[:min(2, len(code))] {
	case "08":
		return errLost
	case "53", "57": // out of resources; operator intervention
		return ErrUnavailable
	}
	return nil
}
