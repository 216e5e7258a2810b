package main

import (
	"fmt"
	"os"
	"strings"

	"fillbook/internal/assistants"
)

// mcpCommand connects an assistant that starts programs to a server. It opens no database.
type mcpCommand struct {
	Server    string `required:"" placeholder:"URL" help:"Address of the server."`
	TokenFile string `placeholder:"FILE" help:"File with the access token. Default: the token in SVC_TOKEN."`
	Token     string `kong:"-"`
	CA        string `name:"ca" placeholder:"FILE" help:"Certificate to trust, for a server with its own."`
}

// Run forwards the protocol. Standard output has nothing else.
func (c mcpCommand) Run(env *environment) error {
	if err := c.readToken(env); err != nil {
		return err
	}
	forwarder, err := assistants.NewForwarder(c.Server, c.Token, c.CA, env.stdout)
	if err != nil {
		return err
	}
	if err := forwarder.Check(env.ctx); err != nil {
		return err
	}
	return forwarder.Run(env.ctx, env.stdin)
}

// readToken reads the token, and warns about a file that others can read.
func (c *mcpCommand) readToken(env *environment) error {
	if c.TokenFile == "" {
		c.Token = os.Getenv("SVC_TOKEN")
		return nil
	}
	text, err := os.ReadFile(c.TokenFile)
	if err != nil {
		return fmt.Errorf("%w: %w", assistants.ErrRefused, err)
	}
	if info, err := os.Stat(c.TokenFile); err == nil && info.Mode().Perm()&0o077 != 0 {
		fmt.Fprintf(env.stderr, "fillbook: other users of this machine can read %s; run chmod 600 on it\n", c.TokenFile)
	}
	c.Token = strings.TrimSpace(string(text))
	return nil
}
