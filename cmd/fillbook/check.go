package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"golang.org/x/term"

	"fillbook/internal/db"
	"fillbook/internal/installation"
	"fillbook/internal/secrets"
)

type checkCommand struct{}

// errProblems makes the exit code tell that the check found something.
var errProblems = errors.New("the check found problems")

// Run proves the journal: every trade is recomputed from its fills and compared
// with what is stored. It changes nothing and works while the server runs.
func (checkCommand) Run(env *environment, s *settings) error {
	services, done, err := s.journals(env)
	if err != nil {
		return err
	}
	defer done()
	problems := 0
	err = services.Check(env.ctx, func(what string) {
		problems++
		fmt.Fprintln(env.stdout, what)
	})
	if err != nil {
		return err
	}
	if problems > 0 {
		return fmt.Errorf("%w: %d", errProblems, problems)
	}
	_, err = fmt.Fprintln(env.stdout, "everything is as it must be")
	return err
}

type regroupCommand struct{}

// Run builds every trade anew from its fills.
func (regroupCommand) Run(env *environment, s *settings) error {
	services, done, err := s.journals(env)
	if err != nil {
		return err
	}
	defer done()
	changed, err := services.Regroup(env.ctx, progressBar(env.stderr, "accounts"))
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(env.stdout, "%d trades were other than stored\n", changed)
	return err
}

// journals opens every service for an operator's command, without the server's
// secret: none of these commands reads or makes a token.
func (s *settings) journals(env *environment) (*installation.Installation, func(), error) {
	d, err := s.openCurrent(env.ctx, s.logger(env.stderr))
	if err != nil {
		return nil, nil, err
	}
	return s.journalsOf(env.ctx, d)
}

// emptyJournals is journals for a database that may have to be made.
func (s *settings) emptyJournals(env *environment) (*installation.Installation, func(), error) {
	d, err := s.openDatabase(env.ctx, s.logger(env.stderr))
	if err != nil {
		return nil, nil, err
	}
	if err := d.Migrate(env.ctx); err != nil {
		return nil, nil, errors.Join(err, d.Close())
	}
	return s.journalsOf(env.ctx, d)
}

// journalsOf ties the services of an open database together. A database whose
// upgrade was interrupted is brought up to date first.
func (s *settings) journalsOf(ctx context.Context, d *db.DB) (*installation.Installation, func(), error) {
	var none *secrets.Keys
	services, err := s.install(d, none, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, nil, errors.Join(err, d.Close())
	}
	done := func() {
		_ = services.Close()
		_ = d.Close()
	}
	if err := upgrade(ctx, services); err != nil {
		done()
		return nil, nil, err
	}
	return services, done, nil
}

// brokenOff is drawn where work ends before its time: the bar stays as it is,
// and what comes next has a line of its own.
const brokenOff = -1

// progressBar draws how far long work has come, on a terminal and nowhere
// else.
func progressBar(to io.Writer, what string) func(done, total int) {
	file, ok := to.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return func(int, int) {}
	}
	const width = 30
	return func(done, total int) {
		if done == brokenOff {
			fmt.Fprintln(to)
			return
		}
		filled := width * done / max(total, 1)
		fmt.Fprintf(to, "\r[%s%s] %d of %d %s", strings.Repeat("=", filled), strings.Repeat(" ", width-filled), done, total, what)
		if done == total {
			fmt.Fprintln(to)
		}
	}
}
