package main

import (
	"errors"
	"fmt"
	"os"

	"fillbook/internal/base/history"
)

type historyCommand struct {
	Verify verifyCommand `cmd:"" help:"Recompute the hashes of an exported history. Needs no server and no database."`
}

type verifyCommand struct {
	File string `arg:"" help:"File of GET /api/v1/exports?format=history."`
	Head string `placeholder:"HASH" help:"Hash that was written down earlier, of a stream or of all: it must occur in the file."`
}

// errNotVerified sets the exit code for a file that cannot be read.
var errNotVerified = errors.New("the history cannot be verified")

// Run verifies the file. It names the first broken change.
func (c verifyCommand) Run(env *environment) error {
	file, err := os.Open(c.File)
	if err != nil {
		return fmt.Errorf("%w: %w", errNotVerified, err)
	}
	defer file.Close() //nolint:errcheck // it was only read
	verified, err := history.Verify(file, c.Head)
	if errors.Is(err, history.ErrUnreadable) {
		return fmt.Errorf("%w: %w", errNotVerified, err)
	}
	if err != nil {
		return err
	}
	if verified.IsPartial {
		_, err = fmt.Fprintf(env.stdout, "verified %d changes of a partial export: changes that touch no account, or several, may be missing\n", verified.Changes)
		return err
	}
	_, err = fmt.Fprintf(env.stdout, "verified %d changes\n", verified.Changes)
	return err
}
