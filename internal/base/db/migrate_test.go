package db_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"golang.org/x/sync/errgroup"

	"fillbook/internal/base/db"
	"fillbook/internal/testkit"
)

// eachEmpty runs fn on each engine's empty database.
func eachEmpty(t *testing.T, fn func(t *testing.T, d *db.DB, options db.Options)) {
	t.Helper()
	for _, engine := range []db.Engine{db.SQLite, db.PostgreSQL} {
		t.Run(string(engine), func(t *testing.T) {
			t.Parallel()
			options := testkit.Empty(t, engine)
			fn(t, open(t, options), options)
		})
	}
}

func open(t *testing.T, options db.Options) *db.DB {
	t.Helper()
	d, err := db.Open(t.Context(), options)
	must(t, err)
	t.Cleanup(func() { _ = d.Close() })
	return d
}

func files(texts ...string) fstest.MapFS {
	names := []string{"migrations/0001_one.sql", "migrations/0002_two.sql", "migrations/0003_three.sql"}
	files := fstest.MapFS{}
	for i, text := range texts {
		files[names[i]] = &fstest.MapFile{Data: []byte(text)}
	}
	return files
}

const (
	stepOne  = "CREATE TABLE one (\n  n BIGINT NOT NULL PRIMARY KEY\n);\nINSERT INTO one (n) VALUES (1);\n"
	stepTwo  = "CREATE TABLE two (\n  n BIGINT NOT NULL PRIMARY KEY\n);\n"
	halfStep = stepTwo + "INSERT INTO one (n) VALUES (2);\nINSERT INTO one (n) VALUES (1);\n" // the last one fails
)

func expectVersion(t *testing.T, d *db.DB, want int) {
	t.Helper()
	if version, err := d.Version(t.Context()); err != nil || version != want {
		t.Errorf("Version = %d, %v, want %d", version, err, want)
	}
}

func TestMigrateIsAppliedOnce(t *testing.T) {
	eachEmpty(t, func(t *testing.T, d *db.DB, _ db.Options) {
		expectVersion(t, d, 0)
		for range 3 {
			must(t, d.Migrate(t.Context()))
			expectVersion(t, d, db.Latest())
		}
		if n := count(t, d, "schema_migrations"); n != db.Latest() {
			t.Errorf("%d version rows, want %d", n, db.Latest())
		}
		expectIntact(t, d)
	})
}

func TestMigrateGoesOnFromAnOlderVersion(t *testing.T) {
	eachEmpty(t, func(t *testing.T, d *db.DB, _ db.Options) {
		must(t, d.MigrateFiles(t.Context(), files(stepOne)))
		must(t, d.MigrateFiles(t.Context(), files(stepOne, stepTwo)))
		expectVersion(t, d, 2)
		if n := count(t, d, "one"); n != 1 {
			t.Errorf("%d rows, want the one of the first step", n)
		}
	})
}

func TestMigrateByManyAtOnce(t *testing.T) {
	eachEmpty(t, func(t *testing.T, d *db.DB, options db.Options) {
		for _, steps := range []fs.FS{files(stepOne), files(stepOne, stepTwo)} {
			migrateByMany(t, options, func(ctx context.Context, d *db.DB) error { return d.MigrateFiles(ctx, steps) })
		}
		expectVersion(t, d, 2)
		expectIntact(t, d)
	})
}

func TestRealMigrationsByManyAtOnce(t *testing.T) {
	eachEmpty(t, func(t *testing.T, d *db.DB, options db.Options) {
		migrateByMany(t, options, func(ctx context.Context, d *db.DB) error { return d.Migrate(ctx) })
		expectVersion(t, d, db.Latest())
	})
}

// migrateByMany opens the database six times, as six programs would, and migrates it with
// them all at once.
func migrateByMany(t *testing.T, options db.Options, migrate func(context.Context, *db.DB) error) {
	t.Helper()
	options.Readers = 2
	group, ctx := errgroup.WithContext(t.Context())
	for range 6 {
		group.Go(func() error {
			d, err := db.Open(ctx, options)
			if err != nil {
				return err
			}
			return errors.Join(migrate(ctx, d), d.Close())
		})
	}
	must(t, group.Wait())
}

func TestFailingStepLeavesTheOldVersion(t *testing.T) {
	eachEmpty(t, func(t *testing.T, d *db.DB, _ db.Options) {
		if err := d.MigrateFiles(t.Context(), files(stepOne, halfStep)); !errors.Is(err, db.ErrConflict) {
			t.Errorf("the failing step gave %v, want its own error", err)
		}
		expectVersion(t, d, 1)
		if n := count(t, d, "one"); n != 1 {
			t.Errorf("%d rows: the first half of the failed step was kept", n)
		}
		must(t, d.MigrateFiles(t.Context(), files(stepOne, stepTwo)))
		expectVersion(t, d, 2)
	})
}

func TestNewerDatabaseIsRefused(t *testing.T) {
	eachEmpty(t, func(t *testing.T, d *db.DB, _ db.Options) {
		must(t, d.MigrateFiles(t.Context(), files(stepOne, stepTwo)))
		if err := d.MigrateFiles(t.Context(), files(stepOne)); !errors.Is(err, db.ErrNewer) {
			t.Errorf("Migrate = %v, want ErrNewer", err)
		}
		expectVersion(t, d, 2)
	})
}

func TestForeignHistoryIsRefusedBeforeAnyChange(t *testing.T) {
	eachEmpty(t, func(t *testing.T, d *db.DB, _ db.Options) {
		must(t, d.MigrateFiles(t.Context(), files(stepOne)))
		for _, steps := range []fs.FS{files(stepTwo), files(stepTwo, stepOne)} {
			if err := d.MigrateFiles(t.Context(), steps); !errors.Is(err, db.ErrDamaged) {
				t.Errorf("Migrate = %v, want ErrDamaged", err)
			}
			expectVersion(t, d, 1)
		}
	})
}

func TestBadMigrationFilesAreRefused(t *testing.T) {
	t.Parallel()
	d := open(t, testkit.Empty(t, db.SQLite))
	for name, steps := range map[string]fstest.MapFS{
		"gap":       {"migrations/0002_two.sql": {Data: []byte(stepTwo)}},
		"no number": {"migrations/one.sql": {Data: []byte(stepOne)}},
		"no name":   {"migrations/0001.sql": {Data: []byte(stepOne)}},
	} {
		if err := d.MigrateFiles(t.Context(), steps); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
	expectVersion(t, d, 0)
}

func TestSQLiteTextReplacesTheTranslation(t *testing.T) {
	t.Parallel()
	d := open(t, testkit.Empty(t, db.SQLite))
	steps := files("CREATE TABLE only_postgres (x UUID);")
	steps["migrations/0001_one.sqlite.sql"] = &fstest.MapFile{Data: []byte(stepOne)}
	must(t, d.MigrateFiles(t.Context(), steps))
	if n := count(t, d, "one"); n != 1 {
		t.Errorf("%d rows, want 1", n)
	}
}

// A newer file must stay as it is, byte for byte, its mode included.
func TestNewerFileIsUntouched(t *testing.T) {
	t.Parallel()
	options := testkit.Empty(t, db.SQLite)
	d := open(t, options)
	must(t, d.MigrateFiles(t.Context(), files(stepOne, stepTwo)))
	must(t, d.Close())
	must(t, os.Chmod(options.Path, 0o640))
	before := fingerprint(t, options.Path)

	version, err := db.FileVersion(t.Context(), options.Path)
	if err != nil || version != 2 {
		t.Errorf("FileVersion = %d, %v, want 2", version, err)
	}
	expectFingerprint(t, options.Path, before)

	must(t, os.Chmod(options.Path, 0o600))
	before = fingerprint(t, options.Path)
	d = open(t, options)
	if err := d.MigrateFiles(t.Context(), files(stepOne)); !errors.Is(err, db.ErrNewer) {
		t.Errorf("Migrate = %v, want ErrNewer", err)
	}
	must(t, d.Close())
	expectFingerprint(t, options.Path, before)
	if copies, _ := filepath.Glob(options.Path + ".before*"); len(copies) != 0 {
		t.Errorf("a refused file was copied: %v", copies)
	}
}

// FileVersion sees what is still in a killed program's write-ahead log.
func TestFileVersionReadsTheLog(t *testing.T) {
	t.Parallel()
	options := testkit.Empty(t, db.SQLite)
	d := open(t, options)
	must(t, d.MigrateFiles(t.Context(), files(stepOne))) // not closed: the log is not folded in
	before := fingerprint(t, options.Path)
	if version, err := db.FileVersion(t.Context(), options.Path); err != nil || version != 1 {
		t.Errorf("FileVersion = %d, %v, want 1", version, err)
	}
	expectFingerprint(t, options.Path, before)
}

func TestFileVersionOfNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	empty := filepath.Join(dir, "empty.db")
	must(t, os.WriteFile(empty, nil, 0o600))
	for _, file := range []string{filepath.Join(dir, "absent.db"), empty} {
		if version, err := db.FileVersion(t.Context(), file); err != nil || version != 0 {
			t.Errorf("FileVersion = %d, %v, want 0", version, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "absent.db")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("FileVersion made a file")
	}
}

func fingerprint(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	must(t, err)
	info, err := os.Stat(file)
	must(t, err)
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]) + info.Mode().String() + info.ModTime().String()
}

func expectFingerprint(t *testing.T, file, want string) {
	t.Helper()
	if got := fingerprint(t, file); got != want {
		t.Errorf("%s was changed: %s, was %s", filepath.Base(file), got, want)
	}
}

func TestFileIsCopiedBeforeItIsMigrated(t *testing.T) {
	t.Parallel()
	options := testkit.Empty(t, db.SQLite)
	d := open(t, options)
	must(t, d.MigrateFiles(t.Context(), files(stepOne)))
	update(t, d, func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO one (n) VALUES ($1)`, 42)
		return err
	})
	if copies, _ := filepath.Glob(options.Path + ".*"); len(copies) != 0 {
		t.Fatalf("a new file was copied: %v", copies)
	}
	must(t, d.MigrateFiles(t.Context(), files(stepOne, stepTwo)))
	copies, _ := filepath.Glob(options.Path + ".*")
	if want := options.Path + ".before-migration-from-1"; len(copies) != 1 || copies[0] != want {
		t.Fatalf("copies %v, want %s", copies, want)
	}
	info, err := os.Stat(copies[0])
	must(t, err)
	if info.Mode().Perm() != 0o600 {
		t.Errorf("the copy's mode is %v", info.Mode())
	}
	old := open(t, db.Options{Path: copies[0]})
	expectVersion(t, old, 1)
	if n := count(t, old, "one"); n != 2 {
		t.Errorf("%d rows in the copy, want 2", n)
	}
	expectIntact(t, old)
}

// A copy a killed program left unfinished is no copy.
func TestUnfinishedCopyIsMadeAgain(t *testing.T) {
	t.Parallel()
	options := testkit.Empty(t, db.SQLite)
	d := open(t, options)
	must(t, d.MigrateFiles(t.Context(), files(stepOne)))
	final := options.Path + ".before-migration-from-1"
	must(t, os.WriteFile(final+".part", []byte("half"), 0o600))
	must(t, d.MigrateFiles(t.Context(), files(stepOne, stepTwo)))
	if version, err := db.FileVersion(t.Context(), final); err != nil || version != 1 {
		t.Errorf("the copy has version %d, %v, want 1", version, err)
	}
	if _, err := os.Stat(final + ".part"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the unfinished copy is still there: %v", err)
	}
}

// TestFileIsCompactedAfterAMigration drops a table that is most of its file.
func TestFileIsCompactedAfterAMigration(t *testing.T) {
	t.Parallel()
	options := db.Options{Path: filepath.Join(t.TempDir(), "data.db")}
	steps := files(`CREATE TABLE large (
  n BIGINT NOT NULL PRIMARY KEY,
  label TEXT NOT NULL
);
INSERT INTO large (n, label) WITH RECURSIVE c (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 60000)
  SELECT i, 'a text that makes the table larger than the rest of the file, which is a few pages' FROM c;`, `DROP TABLE large;`)
	d := open(t, options)
	must(t, d.MigrateFiles(t.Context(), steps))
	must(t, d.Close())
	info, err := os.Stat(options.Path)
	must(t, err)
	if info.Size() > 1<<20 {
		t.Errorf("the file has %d bytes after its table was dropped", info.Size())
	}
	d = open(t, options)
	expectVersion(t, d, 2)
	expectIntact(t, d)
}
