package testkit

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
)

// template is a migrated PostgreSQL database, created once per process.
type template struct {
	name string
	// shape identifies its schema; filled is the query for the names of tables with rows.
	shape, filled string
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
			SELECT string_agg(format('SELECT %L WHERE EXISTS (SELECT 1 FROM %I)', tablename, tablename), ' UNION ALL ')
			FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'schema_migrations' `).Scan(&t.filled)
	})
	return t, err
})

// database is a PostgreSQL database for tests. The connection emptying it after each test
// stays open: a new one reads the catalog for all tables first.
type database struct {
	name string
	conn *sql.DB
	// pool are the connections of the tests that called Open, kept for the same reason; nil
	// for the others. trace checks the current test's statements.
	pool  *db.DB
	trace *atomic.Pointer[func(statement string)]
}

// idle are used and emptied databases. Emptying takes a fraction of the time to create
// one.
var idle struct {
	sync.Mutex
	list []database
}

// takePostgres returns a migrated, empty database, with a pool or without. The caller
// gives it back with [template.release].
func takePostgres(t testing.TB, pooled bool) (template, database) {
	t.Helper()
	RequirePostgres(t)
	from, err := postgresTemplate()
	if err != nil {
		t.Fatalf("creating the PostgreSQL template: %v", err)
	}
	idle.Lock()
	i := slices.IndexFunc(idle.list, func(d database) bool { return (d.pool != nil) == pooled })
	if i >= 0 {
		used := idle.list[i]
		idle.list = slices.Delete(idle.list, i, i+1)
		idle.Unlock()
		return from, used
	}
	idle.Unlock()
	made, err := from.copy()
	if err != nil {
		t.Fatalf("creating a PostgreSQL database: %v", err)
	}
	return from, made
}

// release empties a database for the next test, or drops it if the test changed the
// schema or left a transaction.
func (t template) release(used database) {
	if err := t.restore(used); err != nil {
		used.close()
		return
	}
	idle.Lock()
	defer idle.Unlock()
	idle.list = append(idle.list, used)
}

func (d database) close() {
	if d.pool != nil {
		_ = d.pool.Close()
	}
	_ = d.conn.Close()
	_ = execOnServer("DROP DATABASE IF EXISTS " + d.name + " WITH (FORCE)")
}

// freshPostgres returns the URL of a migrated, empty database, reused after the test.
func freshPostgres(t testing.TB) string {
	t.Helper()
	from, used := takePostgres(t, false)
	t.Cleanup(func() { from.release(used) })
	return testURL(used.name)
}

// openPostgres returns an open, migrated and empty database, reused after the test if it
// is still open.
func openPostgres(t testing.TB) *db.DB {
	t.Helper()
	from, used := takePostgres(t, true)
	check := checkStatements(t)
	if used.pool == nil {
		used.trace = &atomic.Pointer[func(string)]{}
		used.trace.Store(&check)
		pool, err := db.Open(t.Context(), db.Options{
			URL: testURL(used.name), Readers: 8, Trace: func(statement string) { (*used.trace.Load())(statement) },
		})
		if err != nil {
			t.Fatalf("opening %s: %v", used.name, err)
		}
		used.pool = pool
	}
	used.trace.Store(&check)
	t.Cleanup(func() {
		if used.pool.Ping(context.WithoutCancel(t.Context())) != nil {
			used.pool = nil // closed by the test
		}
		from.release(used)
	})
	return used.pool
}

// copy creates a database like the template.
func (t template) copy() (made database, err error) {
	made.name = newName("test")
	if err := t.copyTo(made.name); err != nil {
		return made, err
	}
	if made.conn, err = openOne(databaseURL(made.name)); err != nil {
		return made, err
	}
	// A replica does not check foreign keys, so tables are emptied in any order.
	_, err = made.conn.ExecContext(context.Background(), "SET session_replication_role = replica")
	return made, err
}

func (t template) copyTo(name string) error {
	if IsDistributed() {
		return createDistributed(name)
	}
	return execOnServer("CREATE DATABASE " + name + " TEMPLATE " + t.name)
}

// restore empties a database after a test.
func (t template) restore(used database) error {
	if IsDistributed() {
		return emptyDistributed(used.name)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	// A test that ended leaves its pool's connections idle. Others are of its goroutines, or
	// of its own pools.
	_, err := used.conn.ExecContext(ctx, `
		SELECT pg_terminate_backend(pid) FROM pg_stat_activity
		WHERE datname = current_database() AND pid <> pg_backend_pid() AND NOT ($1 AND state = 'idle')`, used.pool != nil)
	if err != nil {
		return err
	}
	shape, err := readShape(ctx, used.conn)
	if err == nil && shape != t.shape {
		err = fmt.Errorf("the schema of %s has changed", used.name)
	}
	if err != nil {
		return err
	}
	return t.deleteRows(ctx, used.conn)
}

// deleteRows empties the tables with rows, which are few.
func (t template) deleteRows(ctx context.Context, conn *sql.DB) error {
	rows, err := conn.QueryContext(ctx, t.filled)
	if err != nil {
		return err
	}
	defer rows.Close() //nolint:errcheck // only read
	statements := []string{}
	for rows.Next() {
		var table string
		if err := rows.Scan(&table); err != nil {
			return err
		}
		statements = append(statements, "DELETE FROM "+table)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	_, err = conn.ExecContext(ctx, strings.Join(statements, "; "))
	return err
}

// readShape returns a checksum over tables, columns, constraints, triggers and migrations.
// A copied database has its template's object numbers.
func readShape(ctx context.Context, conn *sql.DB) (shape string, err error) {
	err = conn.QueryRowContext(ctx, `
		SELECT concat_ws(' ',
			(SELECT sum(hashtext(attname)::bigint # attrelid::bigint # (atttypid::bigint << 32)) FROM pg_attribute
				WHERE attrelid IN (SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace) AND attnum > 0),
			(SELECT sum(oid::bigint) FROM pg_constraint WHERE connamespace = 'public'::regnamespace),
			(SELECT sum(oid::bigint) FROM pg_trigger WHERE NOT tgisinternal),
			(SELECT sum(hashtext(name)::bigint # version) FROM schema_migrations))`).Scan(&shape)
	return shape, err
}

// emptyPostgres returns the URL of a database without tables, dropped after the test.
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

// newName returns a database name containing the time, for dropOldDatabases.
func newName(kind string) string {
	return fmt.Sprintf("%s%s_%d_%s", namePrefix, kind, journal.SystemClock().Unix(), strings.ReplaceAll(uuid.NewString(), "-", "")[:12])
}

// dropOldDatabases drops databases left by earlier runs on a server outliving them.
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

// creating serializes CREATE DATABASE: PostgreSQL cannot copy a template while another
// session copies it.
var creating sync.Mutex

func execOnServer(statement string) error {
	creating.Lock()
	defer creating.Unlock()
	return withConnection("", func(ctx context.Context, conn *sql.DB) error {
		_, err := conn.ExecContext(ctx, statement)
		return err
	})
}

// withConnection calls fn with a connection to a database, or without a name to the
// database in SVC_TEST_POSTGRES.
func withConnection(name string, fn func(ctx context.Context, conn *sql.DB) error) error {
	address := os.Getenv("SVC_TEST_POSTGRES")
	if name != "" {
		address = databaseURL(name)
	}
	conn, err := openOne(address)
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // a test server
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return fn(ctx, conn)
}

// openOne opens a database with at most one connection.
func openOne(address string) (*sql.DB, error) {
	conn, err := sql.Open("pgx", address)
	if err == nil {
		conn.SetMaxOpenConns(1)
	}
	return conn, err
}
