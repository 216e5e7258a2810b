package main

import (
	"context"
	"fmt"

	"fillbook/internal/demo"
)

type demoCommand struct {
	Dir string `default:"./demo-data" help:"Data directory of the demo."`
}

// Run serves a made-up journal of two years. It has a data directory of its
// own, so that it can never meet a real journal, and its password is no secret.
func (c demoCommand) Run(env *environment, s *settings) error {
	s.DataDir, s.DatabaseURL, s.JWTSecret = c.Dir, "", ""
	return s.runServer(env, func(ctx context.Context, v *server) error {
		i := v.services
		wrote, err := demo.Seed(ctx, demo.Services{
			DB: i.DB, Clock: i.Clock, Identity: i.Identity, Ledger: i.Ledger, Playbook: i.Playbook,
		})
		if err != nil {
			return fmt.Errorf("writing the demo journal: %w", err)
		}
		if wrote {
			v.log.Info("a journal of two years was made up")
		}
		_, err = fmt.Fprintf(env.stdout, "sign in as %s with the password %s\n", demo.Email, demo.Password)
		return err
	})
}
