package main

import (
	"fmt"
	"strings"

	"fillbook/internal/base/db"
)

type distributeCommand struct{}

// Run spreads the tables over a Citus cluster's nodes and prints what it changed. Running
// it again changes nothing.
func (distributeCommand) Run(env *environment, s *settings) error {
	d, err := s.openCurrent(env.ctx, s.logger(env.stderr))
	if err != nil {
		return err
	}
	defer d.Close() //nolint:errcheck // what was written is committed
	changes, err := d.Distribute(env.ctx)
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(env.stdout, describeDistribution(changes))
	return err
}

func describeDistribution(changes db.Distribution) string {
	if len(changes.Distributed)+len(changes.Reference) == 0 {
		return "the database is already distributed; nothing was changed\n"
	}
	var b strings.Builder
	for _, part := range []struct {
		title string
		items []string
	}{
		{"distributed by column", changes.Distributed},
		{"copied to each node", changes.Reference},
		{"unique together with the distribution column", changes.Constraints},
	} {
		fmt.Fprintf(&b, "%s (%d):\n", part.title, len(part.items))
		for _, item := range part.items {
			fmt.Fprintf(&b, "  %s\n", item)
		}
	}
	b.WriteString("the database is distributed; start all servers again\n")
	return b.String()
}
