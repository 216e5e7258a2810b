package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"fillbook/internal/base/db"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/outbound"
	"fillbook/internal/base/secrets"
	"fillbook/internal/installation"
	"fillbook/internal/intake/connections"
	"fillbook/internal/people/identity"
	"fillbook/internal/transport"
)

const (
	databaseFile = "fillbook.db"
	secretFile   = "secret.key"
	// runningMark exists while a server runs on a SQLite file.
	runningMark = "running"
)

// makeDataDir creates the data directory, accessible only to its owner.
func makeDataDir(path string) error {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return fmt.Errorf("%w: creating the data directory: %w", errCannotStart, err)
	}
	if info, err := os.Stat(path); err == nil && info.Mode().Perm() == 0o700 {
		return nil
	}
	if err := os.Chmod(path, 0o700); err != nil && !isReadable(path) {
		return fmt.Errorf("%w: restricting access to the data directory: %w", errCannotStart, err)
	}
	return nil
}

// isReadable reports whether a directory contains a readable database, even if the
// directory cannot be changed.
func isReadable(path string) bool {
	f, err := os.Open(filepath.Join(path, databaseFile))
	if err != nil {
		return false
	}
	_ = f.Close()
	return true
}

// openDatabase opens the database without migrating it. It rejects a newer program's
// SQLite file before anything is written.
func (s *settings) openDatabase(ctx context.Context, log *slog.Logger) (*db.DB, error) {
	return s.openDatabaseAs(ctx, log, false)
}

func (s *settings) openDatabaseAs(ctx context.Context, log *slog.Logger, isServer bool) (*db.DB, error) {
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
			return nil, fmt.Errorf("%w: database version %d, this program supports %d", db.ErrNewer, version, db.Latest())
		}
	}
	d, err := db.Open(ctx, db.Options{URL: s.DatabaseURL.Reveal(), Path: file, Readers: s.DatabaseConns, LeastRoom: s.MinFreeBytes, Log: log, Server: isServer})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errCannotStart, err)
	}
	return d, nil
}

// openCurrent opens a database with the current schema and rejects others. Commands use
// it, so they never migrate a running server's database, and create none in a mistyped
// directory.
func (s *settings) openCurrent(ctx context.Context, log *slog.Logger) (*db.DB, error) {
	if s.DatabaseURL == "" && !fileExists(filepath.Join(s.DataDir, databaseFile)) {
		return nil, fmt.Errorf("%w: there is no database in %s; check --data-dir or SVC_DATA_DIR, or run 'fillbook migrate' first to create one", errCannotStart, s.DataDir)
	}
	d, err := s.openDatabase(ctx, log)
	if err != nil {
		return nil, err
	}
	version, err := d.Version(ctx)
	switch {
	case err != nil:
	case version > db.Latest():
		err = fmt.Errorf("%w: database version %d, this program supports %d", db.ErrNewer, version, db.Latest())
	case version < db.Latest():
		err = fmt.Errorf("%w: the database has schema version %d and this program needs %d; run 'fillbook migrate' first", errCannotStart, version, db.Latest())
	}
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// serverKeys derives the keys from the setting, or from a file in the data directory,
// created at the first start.
func (s *settings) serverKeys() (*secrets.Keys, error) {
	if s.JWTSecret != "" {
		return secrets.NewKeys([]byte(s.JWTSecret.Reveal()))
	}
	if err := makeDataDir(s.DataDir); err != nil {
		return nil, err
	}
	root, err := secrets.LoadOrCreate(filepath.Join(s.DataDir, secretFile))
	if err != nil {
		return nil, fmt.Errorf("%w: reading the server secret: %w", errCannotStart, err)
	}
	return secrets.NewKeys(root)
}

// withIdentity calls fn with the identity service, whose writes are recorded in the history.
// It needs no server secret, because commands neither read nor create tokens.
func (s *settings) withIdentity(env *environment, fn func(*identity.Service) error) error {
	log := s.logger(env.stderr)
	d, err := s.openCurrent(env.ctx, log)
	if err != nil {
		return err
	}
	defer d.Close() //nolint:errcheck // nothing is pending
	history.New(d, journal.SystemClock, s.UndoDays, identity.PublicID)
	return fn(identity.New(d, nil, journal.SystemClock, log, identity.Options{}))
}

// install creates the services. Attachments are files next to a SQLite file, or
// rows in PostgreSQL, where several servers can read them.
func (s *settings) install(d *db.DB, keys *secrets.Keys, log *slog.Logger, metrics *transport.Metrics) (*installation.Installation, error) {
	attachments := filepath.Join(s.DataDir, "attachments")
	if d.Engine() == db.PostgreSQL || d.ReadOnly() && !fileExists(attachments) {
		attachments = ""
	}
	endpoints, err := s.endpoints()
	if err != nil {
		return nil, err
	}
	private, err := s.private()
	if err != nil {
		return nil, err
	}
	heap := new(heapTuner)
	heap.releaseSoon()
	return installation.New(installation.Options{
		Outbound: outbound.New(outbound.Options{
			Enabled: s.Outbound, Endpoints: endpoints, Private: private, Mail: *s.mailServer(), Version: version, Log: log,
		}),
		PublicURL: s.PublicURL,
		DB:        d, Keys: keys, Clock: journal.SystemClock, Log: log, Attachments: attachments,
		AttachmentMaxBytes: s.AttachmentMaxBytes, BarsPerUser: s.BarsPerUser, UndoDays: &s.UndoDays, Identity: identity.Options{RegistrationOpen: s.RegistrationOpen, AfterHash: heap.releaseSoon},
		BeforeLargeImport: heap.reduceHeapGrowth, FiguresDir: filepath.Join(s.DataDir, "columns"),
		ObserveRun: func(o connections.Observation) {
			metrics.ObserveConnectionRun(o.Provider, string(o.Outcome), o.Requests, o.EndedAt, o.Outcome == connections.StatusOK)
		},
	})
}

type migrateCommand struct{}

// Run updates the schema.
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
	_, done, err := s.openServices(env.ctx, d) // recomputes trades if the rules have changed
	if err != nil {
		return err
	}
	done()
	_, err = fmt.Fprintf(env.stdout, "schema version %d → %d\n", before, db.Latest())
	return err
}
