package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// errBadConn makes the pool throw a connection away.
var errBadConn = driver.ErrBadConn

// defaultPool leaves room for several instances on one default server.
const defaultPool = 20

// runtimeParams bound what one statement, one lock and one forgotten
// transaction may cost everybody else.
var runtimeParams = map[string]string{
	"application_name":                    "fillbook",
	"statement_timeout":                   "60000",
	"lock_timeout":                        "20000",
	"idle_in_transaction_session_timeout": "60000",
	"timezone":                            "UTC",
}

func openPostgres(ctx context.Context, options Options) (*DB, error) {
	config, err := pgx.ParseConfig(options.URL)
	if err != nil {
		// The library's error would repeat the URL, password included.
		return nil, errors.New("the database URL does not parse")
	}
	for name, value := range runtimeParams {
		if _, given := config.RuntimeParams[name]; !given {
			config.RuntimeParams[name] = value
		}
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

func (d *DB) withPostgres(ctx context.Context, fn func(*session) error) error {
	conn, err := d.connectPostgres(ctx)
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // only hands it back to the pool
	return fn(&session{engine: PostgreSQL, conn: conn})
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
