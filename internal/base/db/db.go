// Package db provides one interface to two database engines: SQLite in a file in the data
// directory, and PostgreSQL by URL.
//
// All SQL in Fillbook is PostgreSQL text in a common subset that SQLite accepts
// unchanged: $1 placeholders, RETURNING, ON CONFLICT, row values, TRUE and FALSE. Only
// DDL is translated (see migrate.go). All other differences are handled in this package:
// opening and pragmas, pools, row locks, bulk inserts and the meaning of driver errors.
//
// A caller works inside [DB.View], one consistent snapshot, or [DB.Update], one
// transaction that is committed whole or not at all. On SQLite there is exactly one
// writing connection, taken in turn, and several reading ones, so a long import never
// blocks a reader and no caller gets SQLITE_BUSY.
package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"time"
)

// Engine names a database engine.
type Engine string

// The engines.
const (
	SQLite     Engine = "sqlite"
	PostgreSQL Engine = "postgresql"
)

// DB is an open database for either engine. It is safe for concurrent use.
type DB struct {
	engine Engine
	path   string // SQLite's file
	log    *slog.Logger

	readOnly  bool   // SQLite's file cannot be written
	leastRoom uint64 // see CheckRoom
	// statements is how many prepared statements a SQLite connection keeps.
	statements int

	failing sync.Once
	failed  chan struct{} // closed when the disk has failed

	postgres *sql.DB // PostgreSQL's pool
	limits   string  // the statement after BEGIN on PostgreSQL
	pooled   bool    // there is a pooler in front of PostgreSQL
	// distributed reports whether the tables are spread over nodes; see Distribute.
	distributed bool

	// beforeCommit is called before a commit; see BeforeCommit.
	beforeCommit func(context.Context, *Tx) error

	wait      time.Duration          // see Options
	trace     func(statement string) // see Options
	traceTrip func()                 // see Options

	*litePool // SQLite's connections
	holds     holds
	// inParts reports that this process may write in parts, which only one process
	// does at a time; beside that another one may.
	inParts, beside bool
	partTime        time.Duration // how long a part holds the writing connection
	unlock          func()        // releases inParts' lock; may be nil
}

// litePool has the connections to SQLite's file.
type litePool struct {
	db      *DB
	file    *sql.DB       // all connections, which are held below
	writer  chan *session // holds the one writing connection when it is free
	readers sessionStack  // holds the free reading connections
	making  sync.Mutex    // guards made, once the database is open
	made    struct{ writers, readers int }
	// maxReaders bounds the reading connections; the first cachedReaders have
	// a large page cache.
	maxReaders, cachedReaders int
	closing                   sync.Once
	closed                    chan struct{} // closed when no new transaction may begin
}

// Options selects the database to open.
type Options struct {
	// URL is postgres://… for PostgreSQL; empty for SQLite.
	URL string
	// Path is SQLite's file; used when URL is empty.
	Path string
	// Server reports that the process serves the database. On SQLite it then writes
	// in parts; see [DB.UpdateInParts].
	Server bool
	// Readers is how many reading connections SQLite has, or PostgreSQL in all; 0 means
	// the default.
	Readers int
	// Statements is how many prepared statements a SQLite connection keeps; 0 means 50,
	// which takes little memory. Tests run all statements in turn and need more.
	Statements int
	// LeastRoom is how many bytes must be free on the SQLite file's disk before a large
	// write begins; 0 means DefaultLeastRoom.
	LeastRoom uint64
	// Wait is how long a call waits for a connection before it returns
	// ErrUnavailable; 0 means 30 seconds.
	Wait time.Duration
	// Trace is called with each statement before it is sent to PostgreSQL or queued, and
	// TraceTrip for each round trip; both may be nil.
	Trace     func(statement string)
	TraceTrip func()
	// Log receives events such as retries; nil discards them.
	Log *slog.Logger
}

// Open opens a database without changing its schema; see [DB.Migrate].
func Open(ctx context.Context, options Options) (*DB, error) {
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	if options.Wait == 0 {
		options.Wait = defaultWait
	}
	if options.URL == "" {
		return openSQLite(ctx, options)
	}
	if !strings.HasPrefix(options.URL, "postgres://") && !strings.HasPrefix(options.URL, "postgresql://") {
		return nil, errors.New("the database URL must start with postgres://")
	}
	return openPostgres(ctx, options)
}

// Engine returns the database's engine.
func (d *DB) Engine() Engine { return d.engine }

// Path returns the path of SQLite's file, empty on PostgreSQL.
func (d *DB) Path() string { return d.path }

// ReadOnly reports whether SQLite's file or its file system does not allow
// writing. It does not change after Open.
func (d *DB) ReadOnly() bool { return d.readOnly }

// Ping returns an error if the database does not answer.
func (d *DB) Ping(ctx context.Context) error {
	return d.Peek(ctx, func(tx *Tx) error {
		var one int
		return tx.QueryRow(ctx, `SELECT 1`).Scan(&one)
	})
}

// Close refuses new transactions and closes every connection when it is free.
// On SQLite it waits for running transactions, and the write-ahead log is
// written to the file. Closing it again does nothing.
func (d *DB) Close() error {
	if d.engine == PostgreSQL {
		return d.postgres.Close()
	}
	return d.closeSQLite()
}

// Analyze updates planner statistics for some tables after about so many rows were added
// to each. PostgreSQL does it automatically, but only after about a minute. A table with
// less than a tenth new rows is left to it, and so is one being vacuumed: waiting for the
// lock would cancel the vacuum. SQLite plans without statistics. A failure affects only
// speed, so it is only logged.
func (d *DB) Analyze(ctx context.Context, added int, tables ...string) {
	if d.engine != PostgreSQL {
		return
	}
	for _, table := range tables {
		err := d.Peek(ctx, func(tx *Tx) error {
			var known int64
			err := tx.QueryRow(ctx, "SELECT CAST(reltuples AS BIGINT) FROM pg_class WHERE oid = CAST(CAST($1 AS TEXT) AS regclass)", table).Scan(&known)
			if err != nil || known > 10*int64(added) {
				return err
			}
			_, err = tx.Exec(ctx, "ANALYZE (SKIP_LOCKED) "+table)
			return err
		})
		if err != nil {
			d.log.Debug("statistics not updated", "table", table, "error", err)
		}
	}
}

// analyzeAll updates planner statistics for all tables after they were filled.
func (d *DB) analyzeAll(ctx context.Context, steps []migration) error {
	if d.engine != PostgreSQL {
		return nil
	}
	tables, err := schemaTables(ctx, steps)
	if err != nil {
		return err
	}
	for _, t := range tables {
		d.Analyze(ctx, math.MaxInt32, t.name)
	}
	return nil
}

// deletePage is how many rows DeletePages deletes at a time.
const deletePage = 1000

// DeletePages runs a DELETE of at most 1000 rows, each time in its own transaction, until
// fewer are left, so a long list of old rows does not block other writers.
func (d *DB) DeletePages(ctx context.Context, statement string, args ...any) error {
	for {
		var deleted int64
		err := d.Update(ctx, func(tx *Tx) (err error) {
			deleted, err = tx.Exec(ctx, statement, args...)
			return err
		})
		if err != nil || deleted < deletePage {
			return err
		}
	}
}

// View runs fn on one consistent snapshot. fn must only read.
func (d *DB) View(ctx context.Context, fn func(*Tx) error) error {
	return d.withoutUnfinished(ctx, func() error {
		return d.withReader(ctx, func(s *session) error {
			s.reads = d.newReadState()
			defer func() { s.reads = nil }()
			return s.transact(ctx, beginRead(d.engine), fn)
		})
	})
}

// Peek runs fn for a single reading statement, without a transaction's cost. Two
// statements may see different states.
func (d *DB) Peek(ctx context.Context, fn func(*Tx) error) error {
	if d.beside {
		return d.View(ctx, fn)
	}
	return d.withReader(ctx, func(s *session) error {
		if d.engine == SQLite {
			return s.peek(fn)
		}
		limited, cancel := context.WithTimeout(ctx, peekLimit)
		defer cancel()
		err := fn(&Tx{session: s, caller: ctx, limited: limited})
		if err != nil && ctx.Err() == nil && limited.Err() != nil {
			err = fmt.Errorf("%w: a statement took longer than %s", ErrUnavailable, peekLimit)
		}
		return err
	})
}

// attempts bounds how often a transaction is run.
const attempts = 8

// Update runs fn in one writing transaction: it is kept whole when fn returns nil, and
// not at all otherwise. fn runs again after a deadlock or a serialization failure, and if
// the connection broke before the commit was sent, so it must not have effects outside
// the transaction.
func (d *DB) Update(ctx context.Context, fn func(*Tx) error) error {
	if d.readOnly {
		return ErrReadOnly
	}
	return d.updateAgain(ctx, func(repeated bool) error {
		return d.withoutUnfinished(ctx, func() error {
			return d.withWriter(ctx, func(s *session) error {
				return s.transact(ctx, beginWrite(d.engine), d.finishWith(ctx, repeated, fn))
			})
		})
	})
}

// BeforeCommit makes all writing transactions with an attached value call a function before
// they are committed. It must be called before the first transaction.
func (d *DB) BeforeCommit(fn func(context.Context, *Tx) error) { d.beforeCommit = fn }

// finishWith returns a transaction's function with the call of beforeCommit at its end.
func (d *DB) finishWith(ctx context.Context, repeated bool, fn func(*Tx) error) func(*Tx) error {
	return func(tx *Tx) error {
		tx.attached, tx.repeated = nil, repeated
		if err := fn(tx); err != nil {
			return err
		}
		return d.Finish(ctx, tx)
	}
}

// Finish calls the function of BeforeCommit now, for a transaction whose last statement
// must be another one.
func (d *DB) Finish(ctx context.Context, tx *Tx) error {
	if tx.attached == nil || d.beforeCommit == nil || tx.failed != nil {
		return nil //nolint:nilerr // the failure was returned where it happened
	}
	err := d.beforeCommit(ctx, tx)
	tx.attached = nil
	return err
}

// updateAgain runs a writing transaction until it succeeds or must not run again.
func (d *DB) updateAgain(ctx context.Context, run func(repeated bool) error) error {
	var err error
	for attempt := range attempts {
		for {
			err = run(attempt > 0)
			held, ok := errors.AsType[*heldError](err)
			if !ok {
				break
			}
			if err := held.wait(ctx, d); err != nil {
				return err
			}
		}
		if errors.Is(err, ErrUnsafe) {
			d.fail(err)
		}
		if ctx.Err() != nil || !errors.Is(err, errRetry) && !errors.Is(err, errLost) {
			return err
		}
		d.log.Debug("running transaction again", "attempt", attempt+1, "error", err)
		if pause(ctx, backOff(attempt)) != nil {
			break
		}
	}
	return fmt.Errorf("%w: %w", ErrUnavailable, err)
}

// backOff returns a delay that doubles from 2 ms, with jitter so two transactions do not
// collide again.
func backOff(attempt int) time.Duration {
	base := 2 * time.Millisecond << attempt
	return base + rand.N(base)
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

func (d *DB) withReader(ctx context.Context, fn func(*session) error) error {
	if d.engine == PostgreSQL {
		return d.withPostgres(ctx, fn)
	}
	s, err := d.acquireReader(ctx)
	if err != nil {
		return err
	}
	defer d.readers.push(s)
	return fn(s)
}

func (d *DB) withWriter(ctx context.Context, fn func(*session) error) error {
	if d.engine == PostgreSQL {
		return d.withPostgres(ctx, fn)
	}
	s, err := d.acquireWriter(ctx)
	if err != nil {
		return err
	}
	defer func() { d.writer <- s }()
	return fn(s)
}

// acquireWriter waits for SQLite's writing connection. Those who wait get it in
// the order in which they came.
func (p *litePool) acquireWriter(ctx context.Context) (*session, error) {
	s, err := acquire(ctx, p.db, p.writer)
	if err != nil {
		return nil, err
	}
	select {
	case <-p.db.failed:
		p.writer <- s
		return nil, ErrUnsafe
	default:
		return s, nil
	}
}

// sessionStack holds free connections. The last used one is used next: its page cache and
// its prepared statements are the most useful ones, and the others do not fill their
// caches with the same pages.
type sessionStack struct {
	mu   sync.Mutex
	free []*session
	// ready has an element for each free connection, to wait for one.
	ready chan struct{}
}

func newSessionStack(limit int) sessionStack { return sessionStack{ready: make(chan struct{}, limit)} }

func (s *sessionStack) push(free *session) {
	s.mu.Lock()
	s.free = append(s.free, free)
	s.mu.Unlock()
	s.ready <- struct{}{}
}

// pop returns the last used connection. The caller must have received from ready.
func (s *sessionStack) pop() *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	last := len(s.free) - 1
	found := s.free[last]
	s.free = s.free[:last]
	return found
}

// each calls fn with the free connections.
func (s *sessionStack) each(fn func(*session)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, free := range s.free {
		fn(free)
	}
}

// acquireReader returns a free reading connection, creates one, or waits.
func (p *litePool) acquireReader(ctx context.Context) (*session, error) {
	select {
	case <-p.readers.ready:
		return p.readers.pop(), nil
	default:
	}
	if s := p.addReader(ctx); s != nil {
		return s, nil
	}
	if _, err := acquire(ctx, p.db, p.readers.ready); err != nil {
		return nil, err
	}
	return p.readers.pop(), nil
}

// defaultWait is how long a caller waits for a connection.
const defaultWait = 30 * time.Second

var errClosed = fmt.Errorf("%w: it is closed", ErrUnavailable)

// acquire receives from a channel with free connections. It fails after d.wait, and when
// the database is closed.
func acquire[T any](ctx context.Context, d *DB, from <-chan T) (free T, err error) {
	select {
	case <-d.closed:
		return free, errClosed
	default:
	}
	select {
	case free = <-from:
		return free, nil
	default:
	}
	timer := time.NewTimer(d.wait)
	defer timer.Stop()
	select {
	case free = <-from:
		return free, nil
	case <-ctx.Done():
		return free, ctx.Err()
	case <-d.closed:
		return free, errClosed
	case <-timer.C:
		return free, fmt.Errorf("%w: waited %s for a connection", ErrUnavailable, d.wait)
	}
}
