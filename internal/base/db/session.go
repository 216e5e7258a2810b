package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// session is one connection in use. On SQLite it lives as long as the DB and
// keeps its prepared statements; on PostgreSQL it is borrowed from the pool
// for one transaction and the driver keeps the statements.
type session struct {
	engine     Engine
	conn       *sql.Conn
	lite       driver.Conn           // the connection behind conn on SQLite
	pg         *pgx.Conn             // the connection behind conn on PostgreSQL
	handle     uintptr               // SQLite's handle of it; 0 if unknown
	statements map[string]*statement // on SQLite
	uses       int                   // of statements so far
	args       []driver.NamedValue   // those of the statement that is being started
	// checkedAt and shrunkAt are uses when the connection was last checked for
	// being idle, and when its memory was released.
	checkedAt, shrunkAt int
	wait                time.Duration // for a pooler connection; 0 without a pooler; PostgreSQL only
	queued              pgx.Batch     // unsent statements; PostgreSQL only
	ahead               []request     // unsent SELECTs whose rows are expected to be needed; PostgreSQL only
	fetched             []fetchedRows // rows of those that were sent
	learns              *session      // the one that learns the queries, which are not run; see Prefetch
	trace               func(statement string)
	traceTrip           func()
	db                  *DB        // on SQLite
	reads               *readState // while a transaction only reads; on SQLite
	writesFor           int64      // the user whose long write uses the connection
	// begun reports that the server has begun a transaction or returned a row, so the call
	// must not be repeated on another connection.
	begun bool
	// unsent reports that the beginning of the transaction is still queued.
	unsent      bool
	beginLength int    // how many statements that is
	limits      string // the statement after BEGIN; may be empty; PostgreSQL only
}

// statement is kept prepared.
type statement struct {
	stmt   driver.Stmt
	used   int            // at which session use
	busy   bool           // its rows are being read
	values []driver.Value // the memory for a row
}

// maxStatements bounds each connection's prepared statement cache, unless
// [Options.Statements] says otherwise.
const maxStatements = 50

func beginRead(engine Engine) string {
	if engine == PostgreSQL {
		return "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
	}
	return "BEGIN"
}

func beginWrite(engine Engine) string {
	if engine == PostgreSQL {
		return "BEGIN ISOLATION LEVEL READ COMMITTED"
	}
	return "BEGIN IMMEDIATE"
}

// transact runs fn between begin and COMMIT, or ROLLBACK when fn fails or panics. A
// transaction's end is not canceled with the request: a connection must never go back
// with a transaction open.
func (s *session) transact(ctx context.Context, begin string, fn func(*Tx) error) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	end := context.WithoutCancel(ctx)
	if err := s.begin(end, begin); err != nil {
		return err
	}
	done := false
	defer func() {
		if done {
			return
		}
		s.queued = pgx.Batch{}
		if s.unsent {
			return
		}
		if _, rollback := s.exec(end, "ROLLBACK", nil); rollback != nil {
			err = errors.Join(err, s.discard(rollback))
		}
		if s.engine == PostgreSQL && errors.Is(err, ErrReadOnly) {
			// The server has become a standby: the next connection must find
			// the new primary.
			s.abandon()
		}
		if cause := ctx.Err(); cause != nil && err != nil && !errors.Is(err, cause) {
			// A canceled statement's error depends on the driver.
			err = fmt.Errorf("%w: %w", cause, err)
		}
	}()
	if err := s.checkUnfinished(ctx); err != nil {
		return err
	}
	tx := &Tx{session: s}
	if err := fn(tx); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if tx.failed != nil {
		// PostgreSQL would answer this COMMIT with a silent rollback, SQLite
		// would keep the other statements: refuse on both.
		return fmt.Errorf("commit after a failed statement: %w", tx.failed)
	}
	if !s.unsent || s.queued.Len() > s.beginLength {
		if _, err := s.exec(end, "COMMIT", nil); err != nil {
			return commitError(translate(err))
		}
	}
	s.queued = pgx.Batch{}
	done = true
	for _, after := range tx.after {
		after()
	}
	return nil
}

// begin begins a transaction. On PostgreSQL that is sent with the first statement, except
// to a pooler: if all its connections are in use, the transaction waits, and is given up
// after s.wait.
func (s *session) begin(ctx context.Context, text string) error {
	if s.engine == SQLite {
		_, err := s.exec(ctx, text, nil)
		return translate(err)
	}
	if s.wait == 0 {
		s.queue(text, nil)
		if s.limits != "" {
			s.queue(s.limits, nil)
		}
		s.unsent, s.beginLength = true, s.queued.Len()
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, s.wait)
	defer cancel()
	_, err := s.exec(limited, text+"; "+s.limits, nil)
	if err != nil && limited.Err() != nil {
		return fmt.Errorf("%w: waited %s for a transaction to begin", ErrUnavailable, s.wait)
	}
	s.begun = err == nil
	return translate(err)
}

// commitError distinguishes a rejected commit from one whose connection was
// lost. After the latter the transaction must not be run again.
func commitError(err error) error {
	if errors.Is(err, errLost) {
		return fmt.Errorf("%w: %v", errUnknown, err) //nolint:errorlint // hidden: errLost would cause a retry
	}
	return err
}

// discard makes sure that a connection whose transaction could not be ended
// is not used again.
func (s *session) discard(cause error) error {
	if s.engine == SQLite {
		// SQLite has ended the transaction by itself (disk full, I/O error).
		return nil
	}
	s.abandon()
	return fmt.Errorf("rolling back: %w", cause)
}

// abandon makes the pool discard the connection when it is returned.
func (s *session) abandon() {
	_ = s.conn.Raw(func(any) error { return errBadConn })
}

// exec runs a statement after the queued ones, in the same round trip if possible.
func (s *session) exec(ctx context.Context, query string, args []any) (driver.Result, error) {
	if s.lite != nil {
		return s.execLite(ctx, query, args)
	}
	s.forgetFetched(query)
	if s.queued.Len() > 0 {
		if _, hasMode := firstOf(args).(pgx.QueryExecMode); !hasMode { // a batch has one mode for all
			s.queue(query, args)
			return s.sendQueued(ctx)
		}
		if _, err := s.sendQueued(ctx); err != nil {
			return nil, err
		}
	}
	s.countTrip()
	tag, err := s.pg.Exec(ctx, query, args...)
	return driver.RowsAffected(tag.RowsAffected()), err
}

func firstOf(args []any) any {
	if len(args) == 0 {
		return nil
	}
	return args[0]
}

// queue keeps a statement for the next round trip to PostgreSQL.
func (s *session) queue(query string, args []any) {
	if s.trace != nil {
		s.trace(query)
	}
	s.forgetFetched(query)
	s.queued.Queue(query, args...)
}

// sendQueued sends the queued statements in one round trip and returns the last one's
// result.
func (s *session) sendQueued(ctx context.Context) (driver.Result, error) {
	results, affected, err := s.send(ctx, 0)
	if err != nil {
		return nil, err
	}
	return driver.RowsAffected(affected), results.Close()
}

// send sends the queued statements in one round trip and reads all results but the last
// few, which are the caller's. It returns how many rows the last of those read affected.
// PostgreSQL skips the statements after a failed one.
func (s *session) send(ctx context.Context, last int) (results pgx.BatchResults, affected int64, err error) {
	batch := s.queued
	s.queued = pgx.Batch{}
	s.unsent = false
	s.countTrip()
	results = s.pg.SendBatch(ctx, &batch)
	for range batch.Len() - last {
		tag, err := results.Exec()
		if err != nil {
			_ = results.Close()
			return nil, 0, err
		}
		s.begun = true
		affected = tag.RowsAffected()
	}
	return results, affected, nil
}

// copyRows inserts rows into a PostgreSQL table after the queued statements.
func (s *session) copyRows(ctx context.Context, table string, columns []string, rows [][]any) (inserted int64, err error) {
	if s.queued.Len() > 0 {
		if _, err := s.sendQueued(ctx); err != nil {
			return 0, err
		}
	}
	s.forgetTable(table)
	s.countTrip()
	return s.pg.CopyFrom(ctx, pgx.Identifier{table}, columns, pgx.CopyFromRows(rows))
}

// query runs a SELECT after the queued statements, in the same round trip.
func (s *session) query(ctx context.Context, query string, args []any) (*Rows, error) {
	if s.lite != nil {
		return s.queryLite(ctx, query, args)
	}
	if s.learns != nil {
		s.learns.learn(query, args)
		return &Rows{fetched: &fetchedRows{}}, nil
	}
	if rows, ok := s.takeFetched(query, args); ok {
		return rows, nil
	}
	if s.queued.Len() == 0 && len(s.ahead) == 0 {
		s.countTrip()
		rows, err := s.pg.Query(ctx, query, args...)
		if err != nil {
			return nil, err
		}
		return newPostgresRows(rows, nil)
	}
	s.queue(query, args)
	if len(s.ahead) > 0 {
		return s.queryAhead(ctx)
	}
	results, _, err := s.send(ctx, 1)
	if err != nil {
		return nil, err
	}
	rows, _ := results.Query() // the error is that of the rows
	return newPostgresRows(rows, results)
}

func (s *session) countTrip() {
	if s.traceTrip != nil {
		s.traceTrip()
	}
}

// prepare returns the prepared statement for a text on SQLite. PostgreSQL's driver keeps
// its own.
func (s *session) prepare(ctx context.Context, query string) (*statement, error) {
	s.uses++
	if known, ok := s.statements[query]; ok {
		if known.busy {
			return nil, errNested
		}
		known.used = s.uses
		return known, nil
	}
	if len(s.statements) >= s.db.statements {
		s.closeOldest()
	}
	stmt, err := s.lite.(driver.ConnPrepareContext).PrepareContext(context.WithoutCancel(ctx), query)
	if err != nil {
		return nil, err
	}
	kept := &statement{stmt: stmt, used: s.uses}
	s.statements[query] = kept
	return kept, nil
}

// closeOldest closes the least recently used statement.
func (s *session) closeOldest() {
	oldest, since := "", s.uses
	for query, kept := range s.statements {
		if kept.used < since && !kept.busy {
			oldest, since = query, kept.used
		}
	}
	if oldest == "" {
		return
	}
	_ = s.statements[oldest].stmt.Close()
	delete(s.statements, oldest)
}

// close closes a SQLite connection and its statements.
func (s *session) close() {
	for _, kept := range s.statements {
		_ = kept.stmt.Close()
	}
	clear(s.statements)
	_ = s.conn.Close()
}
