package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

// errBadConn makes the pool discard a connection.
var errBadConn = driver.ErrBadConn

// defaultPool allows several instances on a server with default settings.
const defaultPool = 20

// runtimeParams are sent when a connection is opened. PgBouncer accepts these
// two and rejects a connection with any other.
var runtimeParams = map[string]string{
	"application_name": "fillbook",
	"timezone":         "UTC",
}

// timeLimits limit the time for statements, locks and idle transactions. They are set in
// each transaction, because behind a pooler a transaction may run on any connection to
// the server. One the URL contains is not set.
var timeLimits = []struct{ name, value string }{
	{"statement_timeout", "60000"},
	{"lock_timeout", "20000"},
	{"idle_in_transaction_session_timeout", "60000"},
}

// peekLimit bounds a statement without a transaction, on the client.
const peekLimit = time.Minute

// Timeouts for an unresponsive server, after which the URL's next host is tried.
// connect_timeout in the URL takes precedence.
const (
	connectPatience = 2 * time.Second
	silencePatience = 4 * time.Second
)

// dialer returns a dialer that detects an unreachable server within seconds, on
// idle connections and during a query. The kernel's default is 15 minutes.
func dialer() *net.Dialer {
	return &net.Dialer{
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: silencePatience, Interval: time.Second, Count: 3},
		Control:         limitSilence,
	}
}

func openPostgres(ctx context.Context, options Options) (*DB, error) {
	config, err := pgx.ParseConfig(options.URL)
	if err != nil {
		// The library's error contains the URL with its password.
		return nil, errors.New("the database URL does not parse")
	}
	for name, value := range runtimeParams {
		if _, given := config.RuntimeParams[name]; !given {
			config.RuntimeParams[name] = value
		}
	}
	config.StatementCacheCapacity = min(config.StatementCacheCapacity, maxStatements)
	config.DescriptionCacheCapacity = min(config.DescriptionCacheCapacity, maxStatements)
	if options.Trace != nil {
		config.Tracer = tracer(options.Trace)
	}
	config.DialFunc = dialer().DialContext
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectPatience
	}
	found, err := inspectServer(ctx, config, options.Wait)
	if err != nil {
		return nil, fmt.Errorf("reaching PostgreSQL at %s: %w", config.Host, translate(err))
	}
	if found.pooled && !strings.Contains(options.URL, "default_query_exec_mode=") {
		config.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	}
	pool := stdlib.OpenDB(*config)
	size := options.Readers
	if size <= 0 {
		size = defaultPool
	}
	pool.SetMaxOpenConns(size)
	pool.SetMaxIdleConns(size)
	pool.SetConnMaxIdleTime(5 * time.Minute)
	pool.SetConnMaxLifetime(time.Hour)
	d := &DB{engine: PostgreSQL, log: options.Log, postgres: pool, wait: options.Wait, trace: options.Trace, traceTrip: options.TraceTrip, limits: limitTime(config.RuntimeParams), pooled: found.pooled}
	if found.distributed {
		d.setDistributed()
	}
	return d, nil
}

// server describes what a URL leads to.
type server struct {
	// pooled reports that there is a pooler, such as PgBouncer, in front of the server.
	// In its transaction mode a statement prepared by one transaction does not exist in
	// the next, so only statement descriptions may be kept.
	pooled bool
	// distributed reports that [DB.Distribute] was run.
	distributed bool
}

// inspectServer opens a connection to find out what it leads to. After a server restart a
// pooler is full of dead connections, so it tries several times.
func inspectServer(ctx context.Context, config *pgx.ConnConfig, wait time.Duration) (found server, err error) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	for range defaultPool {
		conn, err := pgx.ConnectConfig(ctx, config)
		if err != nil {
			return server{}, err
		}
		found, err = readServer(ctx, conn.PgConn())
		_ = conn.Close(ctx)
		if !errors.Is(translate(err), errLost) {
			return found, err
		}
	}
	return server{}, fmt.Errorf("%w: every connection was closed", ErrUnavailable)
}

func readServer(ctx context.Context, conn *pgconn.PgConn) (found server, err error) {
	pid, err := queryText(ctx, conn, `SELECT pg_backend_pid()`)
	if err != nil {
		return server{}, err
	}
	// A pooler gives its clients other process ids than the server.
	found.pooled = pid != strconv.FormatUint(uint64(conn.PID()), 10)
	citus, err := queryText(ctx, conn, `SELECT to_regclass('pg_dist_partition') IS NOT NULL`)
	if err != nil || citus != "t" {
		return found, err
	}
	tables, err := queryText(ctx, conn, `SELECT COUNT(*) FROM pg_dist_partition WHERE logicalrelid = to_regclass('schema_migrations')`)
	found.distributed = tables == "1"
	return found, err
}

// queryText returns a query's only value.
func queryText(ctx context.Context, conn *pgconn.PgConn, query string) (string, error) {
	results, err := conn.Exec(ctx, query).ReadAll()
	if err != nil {
		return "", err
	}
	return string(results[0].Rows[0][0]), nil
}

// limitTime returns the statement after BEGIN, which sets the time limits. It may be empty.
func limitTime(given map[string]string) (statement string) {
	for _, limit := range timeLimits {
		if _, ok := given[limit.name]; !ok {
			statement = addSetting(statement, limit.name, limit.value)
		}
	}
	return statement
}

// addSetting adds a setting of the transaction to a statement, which may be empty.
func addSetting(statement, name, value string) string {
	setting := fmt.Sprintf("set_config('%s', '%s', TRUE)", name, value)
	if statement == "" {
		return "SELECT " + setting
	}
	return statement + ", " + setting
}

// tracer calls a function with each statement.
type tracer func(statement string)

func (t tracer) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	t(data.SQL)
	return ctx
}

func (tracer) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// withPostgres runs fn on a pool connection. After a server restart the pool is full of
// dead connections. A call failing on one before its transaction has begun is tried on
// another.
func (d *DB) withPostgres(ctx context.Context, fn func(*session) error) error {
	for tries := d.postgres.Stats().MaxOpenConnections; ; tries-- {
		conn, err := d.connectPostgres(ctx)
		if err != nil {
			return err
		}
		s := &session{engine: PostgreSQL, conn: conn, trace: d.trace, traceTrip: d.traceTrip, limits: d.limits}
		if d.pooled {
			s.wait = d.wait
		}
		err = conn.Raw(func(own any) error {
			s.pg = own.(*stdlib.Conn).Conn()
			return nil
		})
		if err == nil {
			err = fn(s)
		}
		if errors.Is(err, errLost) {
			s.abandon()
		}
		_ = conn.Close() // returns it to the pool
		if !errors.Is(err, errLost) || s.begun || tries <= 0 {
			return err
		}
		d.log.Debug("replacing dead connection", "error", err)
	}
}

func (d *DB) connectPostgres(ctx context.Context) (*sql.Conn, error) {
	wait, cancel := context.WithTimeout(ctx, d.wait)
	defer cancel()
	conn, err := d.postgres.Conn(wait)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return conn, nil
}
