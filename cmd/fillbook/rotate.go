package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"fillbook/internal/db"
	"fillbook/internal/identity"
	"fillbook/internal/journal"
	"fillbook/internal/secrets"
	"fillbook/internal/sharing"
	"fillbook/internal/transport"
)

type rotateSecretCommand struct {
	NewSecretFile string `placeholder:"FILE" help:"File that holds the new secret, 32 bytes or more; without it one is made." type:"path"`
}

// rotation is a change from one secret to another. Where the secret is a file
// of the data directory, the new one waits beside it until the database has
// changed: whatever moment a crash picks, both secrets are on disk and running
// the command again finishes what was begun.
type rotation struct {
	from, to *secrets.Keys
	file     string // of the secret in use; empty where the operator sets it
	next     string // where the new secret waits
}

// Run seals everything anew with another secret, in one transaction. The
// server must not run: it would go on with the old one.
func (c rotateSecretCommand) Run(env *environment, s *settings) error {
	if s.DatabaseURL == "" && fileExists(filepath.Join(s.DataDir, runningMark)) {
		return errors.New("a server runs on this data directory: stop it first; if it crashed, start and stop it once")
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

// plan finds the two secrets.
func (c rotateSecretCommand) plan(s *settings) (*rotation, error) {
	if s.JWTSecret != "" {
		if c.NewSecretFile == "" {
			return nil, errors.New("the secret is set by SVC_JWT_SECRET: write the new one to a file and name it with --new-secret-file")
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
		if err := takeSecret(c.NewSecretFile, next); err != nil {
			return nil, err
		}
	}
	if _, err := secrets.LoadOrCreate(next); err != nil {
		return nil, err
	}
	return newRotation(root, file, next)
}

// takeSecret copies the operator's new secret to where it waits. Another one
// that waits there may be in the database already, so it is not overwritten.
func takeSecret(from, next string) error {
	given, err := secrets.Load(from)
	if err != nil {
		return err
	}
	if waiting, err := secrets.Load(next); err == nil && !bytes.Equal(waiting, given) {
		return fmt.Errorf("an earlier change was not finished, its secret is in %s: run this without --new-secret-file first", next)
	}
	err = writeWhole(next, func(out io.Writer) error {
		_, err := out.Write(append(given, '\n'))
		return err
	})
	if err != nil {
		return fmt.Errorf("keeping the new secret: %w", err)
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

// apply changes the database, all of it or nothing.
func (r *rotation) apply(env *environment, d *db.DB) error {
	return d.Update(env.ctx, func(tx *db.Tx) error {
		if err := identity.RotateSecret(env.ctx, tx, journal.SystemClock(), r.from, r.to); err != nil {
			return err
		}
		if err := sharing.RotateSecret(env.ctx, tx, r.from, r.to); err != nil {
			return err
		}
		return transport.DeleteStoredResponses(env.ctx, tx)
	})
}

// finish puts the new secret where the server looks for it, and says what is
// left to do.
func (r *rotation) finish(env *environment) error {
	if r.file == "" {
		_, err := fmt.Fprintln(env.stdout, "the database has the new secret: set SVC_JWT_SECRET, or its file, to it before the next start, "+
			"and keep the old one as long as the backups made with it")
		return err
	}
	old := r.file + ".before-" + journal.SystemClock().Format("20060102T150405Z")
	if err := secrets.Replace(r.file, r.next, old); err != nil {
		return err
	}
	_, err := fmt.Fprintf(env.stdout, "the new secret is in %s; the old one is kept in %s: keep it as long as the backups made with it\n",
		r.file, filepath.Base(old))
	return err
}
