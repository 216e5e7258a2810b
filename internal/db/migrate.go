package db

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"
)

//go:embed migrations/*.sql
var embedded embed.FS

// migration is one step of the schema. Steps only go forward.
type migration struct {
	version  int
	name     string
	checksum string            // of the PostgreSQL text, the source
	text     map[Engine]string // what each engine runs
}

// migrations returns the embedded steps in order. NNNN_name.sql is PostgreSQL
// text; NNNN_name.sqlite.sql replaces its translation if the engines must
// differ.
func migrations(files fs.FS) ([]migration, error) {
	names, err := fs.Glob(files, "migrations/*.sql")
	if err != nil {
		return nil, err
	}
	var steps []migration
	for _, name := range names {
		if strings.HasSuffix(name, ".sqlite.sql") {
			continue
		}
		step, err := readMigration(files, name)
		if err != nil {
			return nil, fmt.Errorf("migration %s: %w", name, err)
		}
		if step.version != len(steps)+1 {
			return nil, fmt.Errorf("migration %s: expected number %d", name, len(steps)+1)
		}
		steps = append(steps, step)
	}
	return steps, nil
}

func readMigration(files fs.FS, name string) (migration, error) {
	text, err := fs.ReadFile(files, name)
	if err != nil {
		return migration{}, err
	}
	base := strings.TrimSuffix(path.Base(name), ".sql")
	number, label, ok := strings.Cut(base, "_")
	version, err := strconv.Atoi(number)
	if !ok || err != nil {
		return migration{}, errors.New("the name must be NNNN_words.sql")
	}
	sum := sha256.Sum256(text)
	step := migration{version: version, name: label, checksum: hex.EncodeToString(sum[:8])}
	step.text = map[Engine]string{PostgreSQL: string(text), SQLite: toSQLite(string(text))}
	own, err := fs.ReadFile(files, strings.TrimSuffix(name, ".sql")+".sqlite.sql")
	if err == nil {
		step.text[SQLite] = string(own)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return migration{}, err
	}
	return step, nil
}

// toSQLite translates DDL. Tables become STRICT, so that a text in an integer
// column fails as it does on PostgreSQL; a table whose end is marked
// /* clustered */ is stored in the order of its primary key.
func toSQLite(text string) string {
	for _, rule := range ddlRules {
		text = rule.pattern.ReplaceAllString(text, rule.with)
	}
	return text
}

var ddlRules = []struct {
	pattern *regexp.Regexp
	with    string
}{
	{regexp.MustCompile(`(?m)--.*$`), ""},
	{regexp.MustCompile(`\s+COLLATE "C"`), ""},
	{regexp.MustCompile(`\b(BIGINT|SMALLINT|BOOLEAN)\b`), "INTEGER"},
	{regexp.MustCompile(`\bBYTEA\b`), "BLOB"},
	{regexp.MustCompile(`(?m)^\)\s*/\* clustered \*/;`), ") STRICT, WITHOUT ROWID;"},
	{regexp.MustCompile(`(?m)^\);`), ") STRICT;"},
}

// Version returns the version of the schema; 0 is an empty database.
func (d *DB) Version(ctx context.Context) (int, error) {
	var version int
	err := d.Peek(ctx, func(tx *Tx) error {
		return tx.QueryRow(ctx, `SELECT COALESCE(MAX(version), 0) FROM schema_migrations`).Scan(&version)
	})
	if err != nil && isNoTable(err) {
		return 0, nil
	}
	return version, err
}

func isNoTable(err error) bool {
	text := err.Error()
	return strings.Contains(text, "no such table") || strings.Contains(text, "42P01")
}

// Latest returns the schema version of this program.
func Latest() int {
	steps, err := migrations(embedded)
	if err != nil {
		panic(err) // the embedded files are invalid
	}
	return len(steps)
}

// Migrate applies the missing migrations, each in one transaction with its
// version row. It can be killed at any time, and several programs can run it at
// once. Before it changes a SQLite file with data, it copies the file. It
// returns ErrNewer for a database of a newer version and leaves it unchanged.
func (d *DB) Migrate(ctx context.Context) error {
	steps, err := migrations(embedded)
	if err != nil {
		return err
	}
	return d.migrate(ctx, steps)
}

func (d *DB) migrate(ctx context.Context, steps []migration) error {
	version, err := d.Version(ctx)
	if err != nil {
		return fmt.Errorf("reading the schema version: %w", err)
	}
	if version > len(steps) {
		return fmt.Errorf("%w: database version %d, this program supports %d", ErrNewer, version, len(steps))
	}
	check := d.checkOwnFile
	if version > 0 {
		check = func(ctx context.Context) error { return d.checkApplied(ctx, steps) }
	}
	if err := check(ctx); err != nil {
		return err
	}
	if version == len(steps) {
		return nil
	}
	if d.engine == SQLite && version > 0 {
		if err := d.copyBefore(ctx, version); err != nil {
			return err
		}
	}
	for _, step := range steps {
		if err := d.apply(ctx, step); err != nil {
			return fmt.Errorf("migration %d (%s): %w", step.version, step.name, err)
		}
	}
	return d.checkApplied(ctx, steps)
}

// checkOwnFile returns ErrForeign for a SQLite file that has tables but no
// migrations: it belongs to another program. A schema of PostgreSQL may be
// shared, for example with the tables of an extension.
func (d *DB) checkOwnFile(ctx context.Context) error {
	if d.engine != SQLite {
		return nil
	}
	var foreign bool
	err := d.Peek(ctx, func(tx *Tx) error {
		return tx.QueryRow(ctx, `SELECT COUNT(*) > 0 AND SUM(name = 'schema_migrations') = 0
			FROM sqlite_master WHERE type = 'table'`).Scan(&foreign)
	})
	if err == nil && foreign {
		return fmt.Errorf("%w: %s", ErrForeign, d.path)
	}
	return err
}

// copyBefore copies the file before a migration, unless a copy of the same
// version exists. A reader makes the copy during a writing transaction, so that
// of several programs only one makes it and none changes the schema meanwhile.
func (d *DB) copyBefore(ctx context.Context, version int) error {
	to := fmt.Sprintf("%s.before-migration-from-%d", d.path, version)
	return d.Update(ctx, func(*Tx) error {
		now, err := d.Version(ctx)
		if err != nil || now != version {
			return err // another program has already migrated it
		}
		if _, err := os.Stat(to); err == nil {
			return nil
		}
		if info, err := os.Stat(d.path); err == nil {
			if err := d.CheckRoom(uint64(info.Size())); err != nil {
				return fmt.Errorf("copying the database before it is changed: %w", err)
			}
		}
		return d.copyTo(ctx, to)
	})
}

func (d *DB) copyTo(ctx context.Context, to string) error {
	unfinished := to + ".part"
	if err := os.Remove(unfinished); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := d.Snapshot(ctx, unfinished); err != nil {
		return err
	}
	return os.Rename(unfinished, to)
}

const createVersions = `CREATE TABLE IF NOT EXISTS schema_migrations (
	version BIGINT NOT NULL PRIMARY KEY,
	name TEXT NOT NULL,
	checksum TEXT NOT NULL,
	applied_at BIGINT NOT NULL
)`

// migrationLock is the key of PostgreSQL's advisory lock; any constant does.
const migrationLock = 0x66696c6c

// apply runs one step unless it was already run.
func (d *DB) apply(ctx context.Context, step migration) error {
	return d.Update(ctx, func(tx *Tx) error {
		if d.engine == PostgreSQL {
			if err := lockMigrations(ctx, tx); err != nil {
				return err
			}
		}
		if _, err := tx.session.conn.ExecContext(ctx, createVersions); err != nil {
			return translate(err)
		}
		var done bool
		err := tx.QueryRow(ctx, `SELECT COUNT(*) > 0 FROM schema_migrations WHERE version = $1`, step.version).Scan(&done)
		if err != nil || done {
			return err
		}
		for _, statement := range splitStatements(step.text[d.engine]) {
			if err := d.execMigration(ctx, tx, statement); err != nil {
				return err
			}
		}
		_, err = tx.Exec(ctx,
			`INSERT INTO schema_migrations (version, name, checksum, applied_at) VALUES ($1, $2, $3, $4)`,
			step.version, step.name, step.checksum, time.Now().UnixMicro()) //nolint:forbidigo // for the operator; nothing depends on it
		return err
	})
}

func (d *DB) execMigration(ctx context.Context, tx *Tx, statement string) error {
	if d.distributed {
		return execDistributed(ctx, tx, statement)
	}
	_, err := tx.session.conn.ExecContext(ctx, statement) // not kept prepared
	return translate(err)
}

// separator matches what can contain a semicolon that does not end a statement,
// and the semicolons that do.
var separator = regexp.MustCompile(`--[^\n]*|(?s:/\*.*?\*/)|'[^']*'|"[^"]*"|;`)

// splitStatements returns the statements of a migration without its comments. A
// distributed database does not accept several statements in one message.
func splitStatements(text string) []string {
	var statements []string
	var b strings.Builder
	end := 0
	flush := func() {
		if statement := strings.TrimSpace(b.String()); statement != "" {
			statements = append(statements, statement)
		}
		b.Reset()
	}
	for _, found := range separator.FindAllStringIndex(text, -1) {
		b.WriteString(text[end:found[0]])
		end = found[1]
		switch piece := text[found[0]:end]; piece[0] {
		case ';':
			flush()
		case '\'', '"':
			b.WriteString(piece)
		}
	}
	b.WriteString(text[end:])
	flush()
	return statements
}

// lockMigrations makes programs that migrate the same PostgreSQL database do it
// one after the other. The limits of ordinary statements do not apply to the
// wait and the migration, because creating an index on a large table can take
// long.
func lockMigrations(ctx context.Context, tx *Tx) error {
	for _, statement := range []string{`SET LOCAL statement_timeout = 0`, `SET LOCAL lock_timeout = 0`} {
		if _, err := tx.Exec(ctx, statement); err != nil {
			return err
		}
	}
	_, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, migrationLock)
	return err
}

// checkApplied returns an error if the applied migrations are not those of this
// program.
func (d *DB) checkApplied(ctx context.Context, steps []migration) error {
	return d.View(ctx, func(tx *Tx) error {
		return Each(ctx, tx, func(row Scanner) error {
			var version int
			var checksum string
			if err := row.Scan(&version, &checksum); err != nil {
				return err
			}
			if version > len(steps) {
				// A newer program has migrated in the meantime.
				return fmt.Errorf("%w: database version %d, this program supports %d", ErrNewer, version, len(steps))
			}
			if steps[version-1].checksum != checksum {
				return fmt.Errorf("%w: migration %d differs from this program's", ErrDamaged, version)
			}
			return nil
		}, `SELECT version, checksum FROM schema_migrations ORDER BY version`)
	})
}

// readOnly returns the parameters for opening a file without leaving any files.
// A file without a log is declared immutable, because SQLite would otherwise
// create an empty log; one with a log is in use or was left by a killed
// program.
func readOnly(file string) url.Values {
	if info, err := os.Stat(file + "-wal"); err == nil && info.Size() > 0 {
		return url.Values{"mode": {"ro"}, "_pragma": {"busy_timeout(10000)"}}
	}
	return url.Values{"immutable": {"1"}}
}

// FileVersion reads the schema version of a SQLite file without changing
// it, not even its mode; 0 for a file that does not exist or is empty.
func FileVersion(ctx context.Context, file string) (int, error) {
	info, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	if err := checkFile(file); err != nil {
		return 0, err
	}
	conn, err := sql.Open("sqlite", fileURL(file, readOnly(file)))
	if err != nil {
		return 0, err
	}
	defer conn.Close() //nolint:errcheck // only read
	var version int
	err = conn.QueryRowContext(ctx, `SELECT COALESCE(MAX(version), 0) FROM schema_migrations`).Scan(&version)
	if err != nil && isNoTable(err) {
		return 0, nil
	}
	return version, translate(err)
}
