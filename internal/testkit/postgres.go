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

// template is a migrated PostgreSQL database, created once per process.
type template struct {
	name string
	// shape identifies its schema; empty is the SQL that deletes all rows.
	shape, empty string
}

var postgresTemplate = sync.OnceValues(func() (t template, err error) {
	dropOldDatabases()
	t.name = newName("template")
	if err := execOnServer("CREATE DATABASE " + t.name + " TEMPLATE template0"); err != nil {
		return t, err
	}
	if err := migrate(db.Options{URL: databaseURL(t.name), Readers: 2}); err != nil {
		return t, err
	}
	err = withConnection(t.name, func(ctx context.Context, conn *sql.DB) error {
		if t.shape, err = readShape(ctx, conn); err != nil {
			return err
		}
		return conn.QueryRowContext(ctx, `
			SELECT 'SET session_replication_role = replica; ' || string_agg('DELETE FROM ' || quote_ident(tablename), '; ')
			FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'schema_migrations' `).Scan(&t.empty)
	})
	return t, err
})

// idle are databases that a test has used and that were emptied, which takes a
// twentieth of the time to create one.
var idle struct {
	sync.Mutex
	names []string
}

// freshPostgres returns the URL of a migrated database without rows, which is
// reused after the test.
func freshPostgres(t testing.TB) string {
	t.Helper()
	RequirePostgres(t)
	from, err := postgresTemplate()
	if err != nil {
		t.Fatalf("creating the PostgreSQL template: %v", err)
	}
	name := ""
	idle.Lock()
	if n := len(idle.names); n > 0 {
		name, idle.names = idle.names[n-1], idle.names[:n-1]
	}
	idle.Unlock()
	if name == "" {
		name = newName("test")
		if err := from.copyTo(name); err != nil {
			t.Fatalf("creating a PostgreSQL database: %v", err)
		}
	}
	t.Cleanup(func() {
		if err := from.restore(name); err != nil { // for example, the test changed the schema
			_ = execOnServer("DROP DATABASE IF EXISTS " + name + " WITH (FORCE)")
			return
		}
		idle.Lock()
		defer idle.Unlock()
		idle.names = append(idle.names, name)
	})
	return testURL(name)
}

// copyTo creates a database like the template.
func (t template) copyTo(name string) error {
	if IsDistributed() {
		return createDistributed(name)
	}
	return execOnServer("CREATE DATABASE " + name + " TEMPLATE " + t.name)
}

// restore empties a database after a test.
func (t template) restore(name string) error {
	if IsDistributed() {
		return emptyDistributed(name)
	}
	return withConnection(name, func(ctx context.Context, conn *sql.DB) error {
		_, err := conn.ExecContext(ctx, `
			SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`)
		if err != nil {
			return err
		}
		shape, err := readShape(ctx, conn)
		if err == nil && shape != t.shape {
			err = fmt.Errorf("the schema of %s has changed", name)
		}
		if err != nil {
			return err
		}
		_, err = conn.ExecContext(ctx, t.empty)
		return err
	})
}

// readShape returns a hash of tables, columns, constraints, triggers and
// migrations.
func readShape(ctx context.Context, conn *sql.DB) (shape string, err error) {
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

// emptyPostgres returns the URL of a database without tables, which is dropped
// after the test.
func emptyPostgres(t testing.TB) string {
	t.Helper()
	RequirePostgres(t)
	name := newName("empty")
	if err := execOnServer("CREATE DATABASE " + name + " TEMPLATE template0"); err != nil {
		t.Fatalf("creating a PostgreSQL database: %v", err)
	}
	t.Cleanup(func() { _ = execOnServer("DROP DATABASE IF EXISTS " + name + " WITH (FORCE)") })
	return testURL(name)
}

const namePrefix = "fillbook_"

// newName returns a database name that contains the time, for dropOldDatabases.
func newName(kind string) string {
	return fmt.Sprintf("%s%s_%d_%s", namePrefix, kind, journal.SystemClock().Unix(), strings.ReplaceAll(uuid.NewString(), "-", "")[:12])
}

// dropOldDatabases drops the databases of earlier runs on a server that
// outlives them.
func dropOldDatabases() {
	const old = 2 * time.Hour
	_ = withConnection("", func(ctx context.Context, conn *sql.DB) error {
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
				_ = execOnServer("DROP DATABASE IF EXISTS " + name)
			}
		}
		return rows.Err()
	})
}

// testURL returns the URL at which a test opens a database: through PgBouncer if
// SVC_TEST_POOLED is set; see scripts/with-pgbouncer.
func testURL(name string) string {
	if address := os.Getenv("SVC_TEST_PGBOUNCER"); os.Getenv("SVC_TEST_POOLED") != "" {
		return "postgres://fillbook@" + address + "/" + name + "?sslmode=disable"
	}
	return databaseURL(name)
}

func databaseURL(name string) string {
	u, err := url.Parse(os.Getenv("SVC_TEST_POSTGRES"))
	if err != nil {
		return ""
	}
	u.Path = "/" + name
	return u.String()
}

// creating serializes CREATE DATABASE: PostgreSQL cannot copy a template that
// another session is copying.
var creating sync.Mutex

func execOnServer(statement string) error {
	creating.Lock()
	defer creating.Unlock()
	return withConnection("", func(ctx context.Context, conn *sql.DB) error {
		_, err := conn.ExecContext(ctx, statement)
		return err
	})
}

// withConnection calls fn with a connection to a database, or without a name to
// the one of SVC_TEST_POSTGRES.
func withConnection(name string, fn func(ctx context.Context, conn *sql.DB) error) error {
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
