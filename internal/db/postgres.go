package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// errBadConn makes the pool discard a connection.
var errBadConn = driver.ErrBadConn

// defaultPool allows several instances on a server with default settings.
const defaultPool = 20

// runtimeParams bound the time of statements, locks and idle transactions.
var runtimeParams = map[string]string{
	"application_name":                    "fillbook",
	"statement_timeout":                   "60000",
	"lock_timeout":                        "20000",
	"idle_in_transaction_session_timeout": "60000",
	"timezone":                            "UTC",
}

// The timeouts of an unresponsive server, after which the next host of the URL
// is tried. connect_timeout in the URL takes precedence.
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
	config.DialFunc = dialer().DialContext
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectPatience
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
	d := &DB{engine: PostgreSQL, log: options.Log, postgres: pool}
	if err := pool.PingContext(ctx); err != nil {
		_ = pool.Close()
		return nil, fmt.Errorf("reaching PostgreSQL at %s: %w", config.Host, translate(err))
	}
	return d, nil
}

// withPostgres runs fn on a connection of the pool. After a restart of the
// server the pool is full of dead connections. A call that fails on one of them
// before its transaction has begun is tried on another.
func (d *DB) withPostgres(ctx context.Context, fn func(*session) error) error {
	for tries := d.postgres.Stats().MaxOpenConnections; ; tries-- {
		conn, err := d.connectPostgres(ctx)
		if err != nil {
			return err
		}
		s := &session{engine: PostgreSQL, conn: conn}
		err = fn(s)
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
	wait, cancel := context.WithTimeout(ctx, queueLimit)
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
