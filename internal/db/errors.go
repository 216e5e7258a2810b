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
	// ErrDamaged tells that a file is not a sound database.
	ErrDamaged = errors.New("the database is damaged")
	// ErrNewer tells that a database was made by a later program.
	ErrNewer = errors.New("the database is newer than this program")

	// errRetry asks Update to run the transaction again; to everybody else
	// it says that the database was too busy.
	errRetry = fmt.Errorf("the transaction must be run again: %w", ErrUnavailable)
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
		return ErrUnavailable
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
	}
	switch code & 0xff {
	case sqliteBusy, sqliteLocked:
		return errRetry
	case sqliteReadOnly, sqliteFull, sqliteIOErr, sqliteCantOpen:
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
	case "55P03", "57014", "57P01", "57P02", "57P03", "53100", "53200", "53300", "25006":
		return ErrUnavailable
	}
	if strings.HasPrefix(code, "08") {
		return ErrUnavailable
	}
	return nil
}
