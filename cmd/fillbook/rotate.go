package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/secrets"
	"fillbook/internal/figures/sharing"
	"fillbook/internal/intake/channels"
	"fillbook/internal/intake/connections"
	"fillbook/internal/people/identity"
	"fillbook/internal/prices/barfetch"
	"fillbook/internal/transport"
)

type rotateSecretCommand struct {
	NewSecretFile string `placeholder:"FILE" help:"File with the new secret of at least 32 bytes. Default: one is created." type:"path"`
}

// rotation is a change from one secret to another. If the secret is a file in
// the data directory, the new one is stored next to it until the database has
// changed. Both secrets are on disk whenever a crash occurs, and running the
// command again completes the change.
type rotation struct {
	from, to *secrets.Keys
	file     string // contains the current secret; empty if it is a setting
	next     string // contains the new secret
}

// Run encrypts everything with a new secret in one transaction. The server must
// not run, because it would continue to use the old one.
func (c rotateSecretCommand) Run(env *environment, s *settings) error {
	if s.DatabaseURL == "" && fileExists(filepath.Join(s.DataDir, runningMark)) {
		return errors.New("a server is running on this data directory; stop it first. If it crashed, start and stop it once")
	}
	d, err := s.openCurrent(env.ctx, s.logger(env.stderr))
	if err != nil {
		return err
	}
	defer d.Close() //nolint:errcheck // what was written is committed
	change, err := c.plan(s)
	if err != nil {
		return err
	}
	done, err := identity.SecretIs(env.ctx, d, change.to)
	if err == nil && !done {
		err = change.apply(env, d)
	}
	if err != nil {
		return err
	}
	return change.finish(env)
}

// plan loads both secrets.
func (c rotateSecretCommand) plan(s *settings) (*rotation, error) {
	if s.JWTSecret != "" {
		if c.NewSecretFile == "" {
			return nil, errors.New("the secret is set by SVC_JWT_SECRET; write the new one to a file and pass it with --new-secret-file")
		}
		return newRotation([]byte(s.JWTSecret.Reveal()), "", c.NewSecretFile)
	}
	file := filepath.Join(s.DataDir, secretFile)
	root, err := secrets.Load(file)
	if err != nil {
		return nil, err
	}
	next := file + ".next"
	if c.NewSecretFile != "" {
		if err := copyNewSecret(c.NewSecretFile, next); err != nil {
			return nil, err
		}
	}
	if _, err := secrets.LoadOrCreate(next); err != nil {
		return nil, err
	}
	return newRotation(root, file, next)
}

// copyNewSecret copies the operator's secret to next. It does not replace a
// different secret there, which may already be in use by the database.
func copyNewSecret(from, next string) error {
	given, err := secrets.Load(from)
	if err != nil {
		return err
	}
	if waiting, err := secrets.Load(next); err == nil && !bytes.Equal(waiting, given) {
		return fmt.Errorf("an earlier change was not completed, and its secret is in %s; run this without --new-secret-file first", next)
	}
	err = writeAtomically(next, func(out io.Writer) error {
		_, err := out.Write(append(given, '\n'))
		return err
	})
	if err != nil {
		return fmt.Errorf("storing the new secret: %w", err)
	}
	return nil
}

func newRotation(root []byte, file, next string) (*rotation, error) {
	from, err := secrets.NewKeys(root)
	if err != nil {
		return nil, err
	}
	other, err := secrets.Load(next)
	if err != nil {
		return nil, err
	}
	to, err := secrets.NewKeys(other)
	return &rotation{from: from, to: to, file: file, next: next}, err
}

// apply changes the database in one transaction.
func (r *rotation) apply(env *environment, d *db.DB) error {
	return d.Update(env.ctx, func(tx *db.Tx) error {
		if err := identity.RotateSecret(env.ctx, tx, journal.SystemClock(), r.from, r.to); err != nil {
			return err
		}
		if err := sharing.RotateSecret(env.ctx, tx, r.from, r.to); err != nil {
			return err
		}
		if err := barfetch.RotateSecret(env.ctx, tx, r.from, r.to); err != nil {
			return err
		}
		if err := connections.RotateSecret(env.ctx, tx, r.from, r.to); err != nil {
			return err
		}
		if err := channels.RotateSecret(env.ctx, tx, r.from, r.to); err != nil {
			return err
		}
		return transport.DeleteStoredResponses(env.ctx, tx)
	})
}

// finish moves the new secret to its place and prints what remains to be done.
func (r *rotation) finish(env *environment) error {
	if r.file == "" {
		_, err := fmt.Fprintln(env.stdout, "the database uses the new secret; set SVC_JWT_SECRET, or its file, to it before the next start, "+
			"and keep the old one as long as you keep backups made with it")
		return err
	}
	old := r.file + ".before-" + journal.SystemClock().Format("20060102T150405Z")
	if err := secrets.Replace(r.file, r.next, old); err != nil {
		return err
	}
	_, err := fmt.Fprintf(env.stdout, "the new secret is in %s, the old one in %s; keep it as long as you keep backups made with it\n",
		r.file, filepath.Base(old))
	return err
}
