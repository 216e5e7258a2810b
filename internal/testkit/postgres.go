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

// postgresTemplate is the name of a migrated PostgreSQL database, created once per run of
// make test, which names it in SVC_TEST_TEMPLATE, or once per process.
var postgresTemplate = sync.OnceValues(func() (name string, err error) {
	dropOldDatabases()
	if name = os.Getenv("SVC_TEST_TEMPLATE"); name == "" {
		name = newName("template")
	}
	return name, withConnection("", func(ctx context.Context, conn *sql.DB) error {
		// Another process may be creating it. The connection's end releases the lock.
		if _, err := conn.ExecContext(ctx, `SELECT pg_advisory_lock($1)`, templateLock); err != nil {
			return err
		}
		exists := false
		err := conn.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM pg_database WHERE datname = $1)`, name).Scan(&exists)
		if err != nil || exists {
			return err
		}
		return createTemplate(name)
	})
})

const templateLock = 7_391_046

// createTemplate renames the database when it is complete. No test connects to it
// afterwards: PostgreSQL does not copy a database in use.
func createTemplate(name string) error {
	unfinished := newName("unfinished")
	if err := execOnServer("CREATE DATABASE " + unfinished + " TEMPLATE template0"); err != nil {
		return err
	}
	if err := migrate(db.Options{URL: databaseURL(unfinished), Readers: 2}); err != nil {
		return err
	}
	return execOnServer("ALTER DATABASE " + unfinished + " RENAME TO " + name)
}

// database is a PostgreSQL database for tests. The connection emptying it after each test
// stays open: a new one reads the catalog for all tables first.
type database struct {
	name string
	conn *sql.DB
	// shape identifies its schema; filled is the query for the names of tables with rows.
	shape, filled string
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
// gives it back with [database.release].
func takePostgres(t testing.TB, pooled bool) database {
	t.Helper()
	RequirePostgres(t)
	idle.Lock()
	i := slices.IndexFunc(idle.list, func(d database) bool { return (d.pool != nil) == pooled })
	if i >= 0 {
		used := idle.list[i]
		idle.list = slices.Delete(idle.list, i, i+1)
		idle.Unlock()
		return used
	}
	idle.Unlock()
	made, err := createPostgres()
	if err != nil {
		t.Fatalf("creating a PostgreSQL database: %v", err)
	}
	return made
}

// release empties a database for the next test, or drops it if the test changed the
// schema. A transaction that the test left open is ended.
func (d database) release() {
	if err := d.restore(); err != nil {
		d.close()
		return
	}
	idle.Lock()
	defer idle.Unlock()
	idle.list = append(idle.list, d)
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
	used := takePostgres(t, false)
	t.Cleanup(used.release)
	return testURL(used.name)
}

// openPostgres returns an open, migrated and empty database, reused after the test if it
// is still open.
func openPostgres(t testing.TB) *db.DB {
	t.Helper()
	used := takePostgres(t, true)
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
		used.release()
	})
	return used.pool
}

// createPostgres creates a migrated, empty database.
func createPostgres() (made database, err error) {
	made.name = newName("test")
	if err := copyTemplate(made.name); err != nil {
		return made, err
	}
	if made.conn, err = openOne(databaseURL(made.name)); err != nil {
		return made, err
	}
	ctx := context.Background()
	// A replica does not check foreign keys, so tables are emptied in any order.
	if _, err = made.conn.ExecContext(ctx, "SET session_replication_role = replica"); err != nil {
		return made, err
	}
	if made.shape, err = readShape(ctx, made.conn); err != nil {
		return made, err
	}
	err = made.conn.QueryRowContext(ctx, `
		SELECT string_agg(format('SELECT %L WHERE EXISTS (SELECT 1 FROM %I)', tablename, tablename), ' UNION ALL ')
		FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'schema_migrations' `).Scan(&made.filled)
	return made, err
}

func copyTemplate(name string) error {
	if IsDistributed() {
		return createDistributed(name)
	}
	from, err := postgresTemplate()
	if err != nil {
		return fmt.Errorf("creating the template: %w", err)
	}
	return execOnServer("CREATE DATABASE " + name + " TEMPLATE " + from)
}

// restore empties a database after a test.
func (d database) restore() error {
	if IsDistributed() {
		return emptyDistributed(d.name)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	// A test that ended leaves its pool's connections idle. Others are of its goroutines, or
	// of its own pools.
	_, err := d.conn.ExecContext(ctx, `
		SELECT pg_terminate_backend(pid) FROM pg_stat_activity
		WHERE datname = current_database() AND pid <> pg_backend_pid() AND NOT ($1 AND state = 'idle')`, d.pool != nil)
	if err != nil {
		return err
	}
	shape, err := readShape(ctx, d.conn)
	if err == nil && shape != d.shape {
		err = fmt.Errorf("the schema of %s has changed", d.name)
	}
	if err != nil {
		return err
	}
	return d.deleteRows(ctx)
}

// deleteRows empties the tables with rows, which are few.
func (d database) deleteRows(ctx context.Context) error {
	rows, err := d.conn.QueryContext(ctx, d.filled)
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
	_, err = d.conn.ExecContext(ctx, strings.Join(statements, "; "))
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
