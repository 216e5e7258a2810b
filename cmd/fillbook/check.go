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

	"fillbook/internal/base/db"
	"fillbook/internal/base/secrets"
	"fillbook/internal/installation"
	"fillbook/internal/transport"
)

type checkCommand struct{}

// errProblems sets the exit code if the check found problems.
var errProblems = errors.New("problems found")

// Run recomputes every trade from its fills and compares it with the stored
// one. It changes nothing and works while the server runs.
func (checkCommand) Run(env *environment, s *settings) error {
	services, done, err := s.openJournals(env)
	if err != nil {
		return err
	}
	defer done()
	problems := 0
	err = services.Check(env.ctx, func(problem string) {
		problems++
		fmt.Fprintln(env.stdout, problem)
	})
	if err != nil {
		return err
	}
	if problems > 0 {
		return fmt.Errorf("%w: %d", errProblems, problems)
	}
	_, err = fmt.Fprintln(env.stdout, "no problems found")
	return err
}

type regroupCommand struct{}

// Run rebuilds every trade from its fills.
func (regroupCommand) Run(env *environment, s *settings) error {
	services, done, err := s.openJournals(env)
	if err != nil {
		return err
	}
	defer done()
	changed, err := services.Regroup(env.ctx, progressBar(env.stderr, "accounts"))
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(env.stdout, "changed %d trades\n", changed)
	return err
}

// openJournals opens all services for a command, without the server secret:
// commands neither read nor create tokens.
func (s *settings) openJournals(env *environment) (*installation.Installation, func(), error) {
	d, err := s.openCurrent(env.ctx, s.logger(env.stderr))
	if err != nil {
		return nil, nil, err
	}
	return s.openServices(env.ctx, d)
}

// openNewJournals is openJournals for a database not yet created.
func (s *settings) openNewJournals(env *environment) (*installation.Installation, func(), error) {
	d, err := s.openDatabase(env.ctx, s.logger(env.stderr))
	if err != nil {
		return nil, nil, err
	}
	if err := d.Migrate(env.ctx); err != nil {
		return nil, nil, errors.Join(err, d.Close())
	}
	return s.openServices(env.ctx, d)
}

// openServices creates the services for an open database. It completes an interrupted
// upgrade.
func (s *settings) openServices(ctx context.Context, d *db.DB) (*installation.Installation, func(), error) {
	var none *secrets.Keys
	services, err := s.install(d, none, slog.New(slog.DiscardHandler), transport.NewMetrics())
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

// progressAborted ends a progress bar without completing it, so the next output starts on
// a new line.
const progressAborted = -1

// progressBar returns a function drawing the progress of long work on a terminal. It does
// nothing if the output is not a terminal.
func progressBar(to io.Writer, what string) func(done, total int) {
	file, ok := to.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return func(int, int) {}
	}
	const width = 30
	return func(done, total int) {
		if done == progressAborted {
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
