package main

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"fillbook/internal/db"
	"fillbook/internal/identity"
	"fillbook/internal/installation"
	"fillbook/internal/journal"
	"fillbook/internal/secrets"
)

type copyDBCommand struct {
	From string `required:"" placeholder:"PLACE" help:"postgres://… or the path of a SQLite file."`
	To   string `required:"" placeholder:"PLACE" help:"postgres://… of an empty database, or the path of a new SQLite file."`
}

// Run copies a whole installation: every user with all they own. Attachments
// are files in the directory attachments beside a SQLite file, and rows of a
// PostgreSQL database.
func (c copyDBCommand) Run(env *environment, s *settings) error {
	if shareAttachments(c.From, c.To) {
		return errors.New("both files are in one directory and would share their attachments: copy into another directory")
	}
	from, closeFrom, err := s.openPlace(env, c.From, false)
	if err != nil {
		return err
	}
	defer closeFrom()
	to, closeTo, err := s.openPlace(env, c.To, true)
	if err != nil {
		return err
	}
	defer closeTo()
	if err := copyInto(env, from, to); err != nil {
		return err
	}
	_, err = fmt.Fprintln(env.stdout, "copied; run 'fillbook check' on it, and keep using the same secret")
	return err
}

// shareAttachments tells whether two places would keep their attachments in the
// same directory, where each would sweep the other's away.
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

func sqlitePath(place string) string { return strings.TrimPrefix(place, "sqlite:") }

// copyInto copies and says which attachments were missing.
func copyInto(env *environment, from, to *installation.Installation) error {
	missing, err := from.CopyTo(env.ctx, to, progressBar(env.stderr, "rows"))
	if errors.Is(err, db.ErrNotEmpty) {
		return fmt.Errorf("%w; only an empty one is written to", err)
	}
	for _, id := range missing {
		fmt.Fprintf(env.stderr, "the file of attachment %s is missing and could not be copied\n", id)
	}
	return err
}

// openPlace opens the installation at a PostgreSQL address or SQLite path. A
// new one is made where it is the target; the other must have our schema.
func (s *settings) openPlace(env *environment, place string, target bool) (*installation.Installation, func(), error) {
	options := db.Options{Log: s.logger(env.stderr)}
	attachments := ""
	if isPostgres(secrets.Secret(place)) {
		options.URL = place
	} else {
		options.Path = sqlitePath(place)
		attachments = filepath.Join(filepath.Dir(options.Path), "attachments")
		if !target && !fileExists(options.Path) {
			return nil, nil, fmt.Errorf("there is no file %s", options.Path)
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
