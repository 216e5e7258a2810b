package main

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/secrets"
	"fillbook/internal/installation"
	"fillbook/internal/people/identity"
)

type copyDBCommand struct {
	From string `required:"" placeholder:"DATABASE" help:"postgres://… or the path of a SQLite file."`
	To   string `required:"" placeholder:"DATABASE" help:"postgres://… of an empty database, or the path of a new SQLite file."`
}

// Run copies a whole installation with all users. Attachments are files in the
// directory attachments next to a SQLite file, or rows in PostgreSQL.
func (c copyDBCommand) Run(env *environment, s *settings) error {
	if shareAttachments(c.From, c.To) {
		return errors.New("both files are in the same directory and would share their attachments; copy to another directory")
	}
	from, closeFrom, err := s.openInstallation(env, c.From, false)
	if err != nil {
		return err
	}
	defer closeFrom()
	to, closeTo, err := s.openInstallation(env, c.To, true)
	if err != nil {
		return err
	}
	defer closeTo()
	if err := copyInstallation(env, from, to, false); err != nil {
		return err
	}
	_, err = fmt.Fprintln(env.stdout, "copied; run 'fillbook check' on the copy, and use the same server secret")
	return err
}

// shareAttachments reports whether two installations would have the same attachment
// directory, where each would delete the other's files.
func shareAttachments(from, to string) bool {
	if isPostgres(secrets.Secret(from)) || isPostgres(secrets.Secret(to)) {
		return false
	}
	one, err := os.Stat(filepath.Dir(sqlitePath(from)))
	if err != nil {
		return false
	}
	other, err := os.Stat(filepath.Dir(sqlitePath(to)))
	return err == nil && os.SameFile(one, other)
}

func sqlitePath(location string) string { return strings.TrimPrefix(location, "sqlite:") }

// copyInstallation copies an installation and prints the missing attachments.
func copyInstallation(env *environment, from, to *installation.Installation, withoutBars bool) error {
	missing, err := from.CopyTo(env.ctx, to, installation.CopyOptions{WithoutBars: withoutBars, Progress: progressBar(env.stderr, "rows")})
	if errors.Is(err, db.ErrNotEmpty) {
		return fmt.Errorf("%w; copy into an empty database", err)
	}
	for _, id := range missing {
		fmt.Fprintf(env.stderr, "attachment %s: the file is missing and was not copied\n", id)
	}
	return err
}

// openInstallation opens the installation at a PostgreSQL URL or SQLite path. A
// target is created and migrated; a source must have the current schema.
func (s *settings) openInstallation(env *environment, location string, target bool) (*installation.Installation, func(), error) {
	options := db.Options{Log: s.logger(env.stderr)}
	attachments := ""
	if isPostgres(secrets.Secret(location)) {
		options.URL = location
	} else {
		options.Path = sqlitePath(location)
		attachments = filepath.Join(filepath.Dir(options.Path), "attachments")
		if !target && !fileExists(options.Path) {
			return nil, nil, fmt.Errorf("file %s does not exist", options.Path)
		}
		if err := makeDataDir(filepath.Dir(options.Path)); target && err != nil {
			return nil, nil, err
		}
	}
	d, err := db.Open(env.ctx, options)
	if err != nil {
		return nil, nil, err
	}
	if target {
		err = d.Migrate(env.ctx)
	}
	if err != nil {
		return nil, nil, errors.Join(err, d.Close())
	}
	var none *secrets.Keys
	services, err := installation.New(installation.Options{
		DB: d, Keys: none, Clock: journal.SystemClock, Log: slog.New(slog.DiscardHandler), Attachments: attachments,
		AttachmentMaxBytes: s.AttachmentMaxBytes, Identity: identity.Options{},
	})
	if err != nil {
		return nil, nil, errors.Join(err, d.Close())
	}
	done := func() {
		_ = services.Close()
		_ = d.Close()
	}
	if target {
		if err := upgrade(env.ctx, services); err != nil {
			done()
			return nil, nil, err
		}
	}
	return services, done, nil
}
