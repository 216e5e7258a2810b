package main

import (
	"context"
	"fmt"

	"fillbook/internal/demo"
)

type demoCommand struct {
	Dir string `default:"./demo-data" help:"Data directory of the demo."`
}

// Run serves a demo journal covering two years. It has its own data directory, so it
// cannot affect a real journal, and a public password.
func (c demoCommand) Run(env *environment, s *settings) error {
	s.DataDir, s.DatabaseURL, s.JWTSecret = c.Dir, "", ""
	return s.runServer(env, func(ctx context.Context, v *server) error {
		i := v.services
		created, err := demo.Seed(ctx, demo.Services{
			DB: i.DB, Clock: i.Clock, Identity: i.Identity, Ledger: i.Ledger, Playbook: i.Playbook, Bars: i.Bars,
		})
		if err != nil {
			return fmt.Errorf("writing the demo journal: %w", err)
		}
		if created {
			v.log.Info("demo journal created")
		}
		_, err = fmt.Fprintf(env.stdout, "sign in as %s with the password %s\n", demo.Email, demo.Password)
		return err
	})
}
