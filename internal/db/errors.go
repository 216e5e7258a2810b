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
)

// What can go wrong with a statement, the same for both engines.
var (
	// ErrNoRows tells that a row asked for is not there.
	ErrNoRows = sql.ErrNoRows
	// ErrConflict tells that a unique key is taken.
	ErrConflict = errors.New("a unique key is taken")
	// ErrMissing tells that a row refers to one that is not there.
	ErrMissing = errors.New("a row that is referred to is missing")
	// ErrUnavailable tells that the database cannot serve now: it is
	// unreachable, full, read-only or busy beyond patience.
	ErrUnavailable = errors.New("the database is unavailable")
	// ErrReadOnly tells that the database can be read and not written: its
	// file lies on a read-only file system, or the server is a standby. It is
	// a kind of ErrUnavailable.
	ErrReadOnly = fmt.Errorf("%w: it can only be read", ErrUnavailable)
	// ErrFull tells that there is no room for what was to be written. It is a
	// kind of ErrUnavailable.
	ErrFull = fmt.Errorf("%w: there is no room on its disk", ErrUnavailable)
	// ErrUnsafe tells that the disk has failed to keep what was written, so that
	// nothing it says can be relied on; see [DB.Failed]. It is a kind of
	// ErrUnavailable.
	ErrUnsafe = fmt.Errorf("%w: the disk failed to keep what was written", ErrUnavailable)
	// ErrDamaged tells that a file is not a sound database.
	ErrDamaged = errors.New("the database is damaged")
	// ErrNewer tells that a database was made by a later program.
	ErrNewer = errors.New("the database is newer than this program")
	// ErrForeign reports that a file holds the database of another program.
	ErrForeign = errors.New("the file is a database of another program")

	// errRetry asks Update to run the transaction again; to everybody else
	// it says that the database was too busy.
	errRetry = fmt.Errorf("the transaction must be run again: %w", ErrUnavailable)
	// errLost tells that the connection broke, and with it what was under way
	// on it: PostgreSQL has rolled it back.
	errLost = fmt.Errorf("%w: the connection was lost", ErrUnavailable)
	// errUnknown tells that the connection broke while a commit was on its way,
	// so that nobody knows what became of it. It must not be run again.
	errUnknown = fmt.Errorf("%w: the outcome of a commit is not known", ErrUnavailable)
)

// SQLite's result codes that mean something to us; extended ones where the
// plain one is too coarse.
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

// translate wraps a driver's error in the sentinel that says what it means.
// Errors that mean nothing special are left as they are.
func translate(err error) error {
	if err == nil || errors.Is(err, ErrNoRows) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	meaning := meaningOf(err)
	if meaning == nil || errors.Is(err, meaning) {
		return err
	}
	return fmt.Errorf("%w: %w", meaning, err)
}

func meaningOf(err error) error {
	if lite, ok := errors.AsType[*sqlite.Error](err); ok {
		return sqliteMeaning(lite.Code())
	}
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return postgresMeaning(pg.Code)
	}
	var network net.Error
	if errors.Is(err, driver.ErrBadConn) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) ||
		errors.Is(err, sql.ErrConnDone) || errors.As(err, &network) || isConnectError(err) {
		return errLost
	}
	return nil
}

func isConnectError(err error) bool {
	var connect *pgconn.ConnectError
	return errors.As(err, &connect) || strings.Contains(err.Error(), "conn closed")
}

func sqliteMeaning(code int) error {
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

func postgresMeaning(code string) error {
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
		return errLost // it is shutting down, starting, or has lost patience with us
	case "53100":
		return ErrFull
	case "55P03", "58030":
		return ErrUnavailable // a lock that was not given, an I/O error
	case "XX001", "XX002":
		return ErrDamaged
	}
	switch code[:min(2, len(code))] {
	case "08":
		return errLost
	case "53", "57": // out of something; an operator has intervened
		return ErrUnavailable
	}
	return nil
}
