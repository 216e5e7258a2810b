package testkit

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"fillbook/internal/db"
	"fillbook/internal/journal"
)

// template is a migrated PostgreSQL database, made once a process.
type template struct {
	name string
	// shape tells its tables; empty removes every row that a test has left.
	shape, empty string
}

var postgresTemplate = sync.OnceValues(func() (t template, err error) {
	sweep()
	t.name = newName("template")
	if err := administer("CREATE DATABASE " + t.name + " TEMPLATE template0"); err != nil {
		return t, err
	}
	if err := migrated(db.Options{URL: databaseURL(t.name), Readers: 2}); err != nil {
		return t, err
	}
	err = within(t.name, func(ctx context.Context, conn *sql.DB) error {
		if t.shape, err = shapeOf(ctx, conn); err != nil {
			return err
		}
		return conn.QueryRowContext(ctx, `
			SELECT 'SET session_replication_role = replica; ' || string_agg('DELETE FROM ' || quote_ident(tablename), '; ')
			FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'schema_migrations' `).Scan(&t.empty)
	})
	return t, err
})

// idle are databases that a test has used and that are empty again: to empty one
// costs a twentieth of making one.
var idle struct {
	sync.Mutex
	names []string
}

// freshPostgres gives a migrated database without rows, and takes it back.
func freshPostgres(t testing.TB) string {
	t.Helper()
	RequirePostgres(t)
	from, err := postgresTemplate()
	if err != nil {
		t.Fatalf("making the PostgreSQL template: %v", err)
	}
	name := ""
	idle.Lock()
	if n := len(idle.names); n > 0 {
		name, idle.names = idle.names[n-1], idle.names[:n-1]
	}
	idle.Unlock()
	if name == "" {
		name = newName("test")
		if err := administer("CREATE DATABASE " + name + " TEMPLATE " + from.name); err != nil {
			t.Fatalf("creating a PostgreSQL database: %v", err)
		}
	}
	t.Cleanup(func() {
		if err := from.restore(name); err != nil { // other tables than it had, for one
			_ = administer("DROP DATABASE IF EXISTS " + name + " WITH (FORCE)")
			return
		}
		idle.Lock()
		defer idle.Unlock()
		idle.names = append(idle.names, name)
	})
	return databaseURL(name)
}

// restore makes a database what it was before a test used it.
func (t template) restore(name string) error {
	return within(name, func(ctx context.Context, conn *sql.DB) error {
		_, err := conn.ExecContext(ctx, `
			SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`)
		if err != nil {
			return err
		}
		shape, err := shapeOf(ctx, conn)
		if err == nil && shape != t.shape {
			err = fmt.Errorf("the tables of %s are others now", name)
		}
		if err != nil {
			return err
		}
		_, err = conn.ExecContext(ctx, t.empty)
		return err
	})
}

// shapeOf is the same for databases with the same tables, columns, indexes,
// constraints, triggers and migrations.
func shapeOf(ctx context.Context, conn *sql.DB) (shape string, err error) {
	err = conn.QueryRowContext(ctx, `
		SELECT md5(string_agg(thing, ',' ORDER BY thing COLLATE "C")) FROM (
			SELECT attrelid::regclass || '.' || attname || ' ' || atttypid AS thing FROM pg_attribute
				WHERE attrelid IN (SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace) AND attnum > 0
			UNION ALL SELECT conrelid::regclass || ' ' || conname FROM pg_constraint WHERE connamespace = 'public'::regnamespace
			UNION ALL SELECT tgrelid::regclass || ' ' || tgname FROM pg_trigger WHERE NOT tgisinternal
			UNION ALL SELECT version || ' ' || name FROM schema_migrations
		) things`).Scan(&shape)
	return shape, err
}

// emptyPostgres gives a database without tables, dropped with the test.
func emptyPostgres(t testing.TB) string {
	t.Helper()
	RequirePostgres(t)
	name := newName("empty")
	if err := administer("CREATE DATABASE " + name + " TEMPLATE template0"); err != nil {
		t.Fatalf("creating a PostgreSQL database: %v", err)
	}
	t.Cleanup(func() { _ = administer("DROP DATABASE IF EXISTS " + name + " WITH (FORCE)") })
	return databaseURL(name)
}

const ours = "fillbook_"

// newName tells when it was given, for sweep.
func newName(kind string) string {
	return fmt.Sprintf("%s%s_%d_%s", ours, kind, journal.SystemClock().Unix(), strings.ReplaceAll(uuid.NewString(), "-", "")[:12])
}

// sweep drops what earlier runs have left on a server that outlives them.
func sweep() {
	const old = 2 * time.Hour
	_ = within("", func(ctx context.Context, conn *sql.DB) error {
		rows, err := conn.QueryContext(ctx, `SELECT datname FROM pg_database WHERE datname LIKE 'fillbook\_%'`)
		if err != nil {
			return err
		}
		defer rows.Close() //nolint:errcheck // only read
		for rows.Next() {
			var name string
			if err := rows.Scan(&name); err != nil {
				return err
			}
			parts := strings.Split(name, "_")
			if len(parts) != 4 {
				continue
			}
			if made, err := strconv.ParseInt(parts[2], 10, 64); err == nil && time.Since(time.Unix(made, 0)) > old {
				_ = administer("DROP DATABASE IF EXISTS " + name)
			}
		}
		return rows.Err()
	})
}

func databaseURL(name string) string {
	u, err := url.Parse(os.Getenv("SVC_TEST_POSTGRES"))
	if err != nil {
		return ""
	}
	u.Path = "/" + name
	return u.String()
}

// creating serialises CREATE DATABASE: PostgreSQL refuses to copy a template
// that somebody else is copying from at the same moment.
var creating sync.Mutex

func administer(statement string) error {
	creating.Lock()
	defer creating.Unlock()
	return within("", func(ctx context.Context, conn *sql.DB) error {
		_, err := conn.ExecContext(ctx, statement)
		return err
	})
}

// within runs fn with one connection to a database; without a name to the one
// that the server's address names.
func within(name string, fn func(ctx context.Context, conn *sql.DB) error) error {
	address := os.Getenv("SVC_TEST_POSTGRES")
	if name != "" {
		address = databaseURL(name)
	}
	conn, err := sql.Open("pgx", address)
	if err != nil {
		return err
	}
	conn.SetMaxOpenConns(1)
	defer conn.Close() //nolint:errcheck // a test server
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return fn(ctx, conn)
}
