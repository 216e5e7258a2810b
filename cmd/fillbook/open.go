package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"fillbook/internal/db"
	"fillbook/internal/identity"
	"fillbook/internal/installation"
	"fillbook/internal/journal"
	"fillbook/internal/secrets"
)

const (
	databaseFile = "fillbook.db"
	secretFile   = "secret.key"
	// runningMark is there while a server runs on a SQLite file.
	runningMark = "running"
)

// makeDataDir makes the data directory, which only its owner may enter.
func makeDataDir(path string) error {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return fmt.Errorf("%w: making the data directory: %w", errUnusable, err)
	}
	if info, err := os.Stat(path); err == nil && info.Mode().Perm() == 0o700 {
		return nil
	}
	if err := os.Chmod(path, 0o700); err != nil && !isReadable(path) {
		return fmt.Errorf("%w: closing the data directory to others: %w", errUnusable, err)
	}
	return nil
}

// isReadable tells whether there is a database in a directory that we cannot
// change, which is no reason not to read it.
func isReadable(path string) bool {
	f, err := os.Open(filepath.Join(path, databaseFile))
	if err != nil {
		return false
	}
	_ = f.Close()
	return true
}

// openDatabase opens the database as it is. A SQLite file of a newer program
// is refused before anything in it is touched.
func (s *settings) openDatabase(ctx context.Context, log *slog.Logger) (*db.DB, error) {
	if s.DatabaseURL == "" {
		if err := makeDataDir(s.DataDir); err != nil {
			return nil, err
		}
	}
	file := filepath.Join(s.DataDir, databaseFile)
	if s.DatabaseURL == "" {
		version, err := db.FileVersion(ctx, file)
		if err != nil {
			return nil, err
		}
		if version > db.Latest() {
			return nil, fmt.Errorf("%w: database version %d, this program knows %d", db.ErrNewer, version, db.Latest())
		}
	}
	d, err := db.Open(ctx, db.Options{URL: s.DatabaseURL.Reveal(), Path: file, Readers: s.DatabaseConns, LeastRoom: s.MinFreeBytes, Log: log})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errUnusable, err)
	}
	return d, nil
}

// openCurrent opens a database that must have this program's schema already.
// The operator's commands use it: they never migrate behind a running server.
func (s *settings) openCurrent(ctx context.Context, log *slog.Logger) (*db.DB, error) {
	d, err := s.openDatabase(ctx, log)
	if err != nil {
		return nil, err
	}
	version, err := d.Version(ctx)
	switch {
	case err != nil:
	case version > db.Latest():
		err = fmt.Errorf("%w: database version %d, this program knows %d", db.ErrNewer, version, db.Latest())
	case version < db.Latest():
		err = fmt.Errorf("%w: the database has schema version %d and this program needs %d; run 'fillbook migrate' first", errUnusable, version, db.Latest())
	}
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// serverKeys are derived from the setting, or from a file in the data
// directory that is made at the first start.
func (s *settings) serverKeys() (*secrets.Keys, error) {
	if s.JWTSecret != "" {
		return secrets.NewKeys([]byte(s.JWTSecret.Reveal()))
	}
	if err := makeDataDir(s.DataDir); err != nil {
		return nil, err
	}
	root, err := secrets.LoadOrCreate(filepath.Join(s.DataDir, secretFile))
	if err != nil {
		return nil, fmt.Errorf("%w: the server's secret: %w", errUnusable, err)
	}
	return secrets.NewKeys(root)
}

// withPeople runs an operator's command on the identity service. It needs no
// server secret: none of those commands reads or makes a token.
func (s *settings) withPeople(env *environment, fn func(*identity.Service) error) error {
	log := s.logger(env.stderr)
	d, err := s.openCurrent(env.ctx, log)
	if err != nil {
		return err
	}
	defer d.Close() //nolint:errcheck // nothing is pending
	return fn(identity.New(d, nil, journal.SystemClock, log, identity.Options{}))
}

// install ties the services together. Attachments are files beside a SQLite
// file, and rows of a PostgreSQL database, where several servers can read them.
func (s *settings) install(d *db.DB, keys *secrets.Keys, log *slog.Logger) (*installation.Installation, error) {
	attachments := filepath.Join(s.DataDir, "attachments")
	if d.Engine() == db.PostgreSQL || d.ReadOnly() && !fileExists(attachments) {
		attachments = ""
	}
	return installation.New(installation.Options{
		DB: d, Keys: keys, Clock: journal.SystemClock, Log: log, Attachments: attachments,
		AttachmentMaxBytes: s.AttachmentMaxBytes, Identity: identity.Options{RegistrationOpen: s.RegistrationOpen},
		BeforeLargeImport: new(heapTuner).reduceHeapGrowth,
	})
}

type migrateCommand struct{}

// Run brings the schema up to date.
func (migrateCommand) Run(env *environment, s *settings) error {
	d, err := s.openDatabase(env.ctx, s.logger(env.stderr))
	if err != nil {
		return err
	}
	before, err := d.Version(env.ctx)
	if err == nil {
		err = d.Migrate(env.ctx)
	}
	if err != nil {
		return errors.Join(err, d.Close())
	}
	_, done, err := s.journalsOf(env.ctx, d) // computes trades again where the rules have changed
	if err != nil {
		return err
	}
	done()
	_, err = fmt.Fprintf(env.stdout, "schema version %d → %d\n", before, db.Latest())
	return err
}
