package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"fillbook/internal/intake/watch"
)

// watchCommand groups the watch agent's commands. They talk to a server over HTTP and
// open no database.
type watchCommand struct {
	Config string `placeholder:"FILE" help:"Configuration. Default: fillbook-watch.toml in your configuration directory."`

	Init  watchInitCommand  `cmd:"" help:"Create a configuration with comments."`
	Check watchCheckCommand `cmd:"" help:"Test the configuration, the token and the folders."`
	Once  watchOnceCommand  `cmd:"" help:"Import new files once and end."`
	Run   watchRunCommand   `cmd:"" help:"Watch the folders until stopped."`
}

// file returns the configuration's path.
func (c *watchCommand) file() (string, error) {
	if c.Config != "" {
		return c.Config, nil
	}
	return watch.DefaultConfigFile()
}

type watchInitCommand struct {
	Server  string `placeholder:"URL" default:"http://127.0.0.1:8080" help:"Address of the server. Default: ${default}."`
	Token   string `placeholder:"TOKEN" help:"Access token; - reads it from standard input."`
	Folder  string `placeholder:"PATH" help:"Folder to watch."`
	Account string `placeholder:"ID" help:"Id of the account that the files belong to."`
	TZ      string `name:"tz" placeholder:"ZONE" help:"Time zone of times that name none."`
}

// Run writes a new configuration.
func (c watchInitCommand) Run(env *environment, parent *watchCommand) error {
	file, err := parent.file()
	if err != nil {
		return err
	}
	if c.Token == "-" {
		line, err := bufio.NewReader(env.stdin).ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("reading the token: %w", err)
		}
		c.Token = strings.TrimSpace(line)
	}
	if c.Folder != "" {
		if c.Folder, err = filepath.Abs(c.Folder); err != nil {
			return err
		}
	}
	err = watch.WriteConfig(file, watch.NewConfig{Server: c.Server, Token: c.Token, Folder: c.Folder, Account: c.Account, TZ: c.TZ})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(env.stdout, "Created %s. Edit it, then run 'fillbook watch check'.\n", file)
	return err
}

// load reads the configuration and prints its warnings.
func (c *watchCommand) load(env *environment) (watch.Config, string, error) {
	file, err := c.file()
	if err != nil {
		return watch.Config{}, "", err
	}
	config, warnings, err := watch.LoadConfig(file)
	for _, warning := range warnings {
		fmt.Fprintf(env.stderr, "fillbook: %s\n", warning)
	}
	return config, file, err
}

type watchCheckCommand struct{}

// Run tests the configuration.
func (watchCheckCommand) Run(env *environment, parent *watchCommand) error {
	config, file, err := parent.load(env)
	if err != nil {
		return err
	}
	state, err := watch.LoadState(watch.StateFile(file))
	if err != nil {
		return err
	}
	return watch.Check(env.ctx, config, state, version, env.stdout)
}

type watchOnceCommand struct {
	DryRun bool `name:"dry-run" help:"Only print what would be imported."`
}

// Run imports new files and ends.
func (c watchOnceCommand) Run(env *environment, parent *watchCommand) error {
	return parent.withAgent(env, watch.Options{
		DryRun: c.DryRun,
		Report: func(e watch.Event) { fmt.Fprintln(env.stdout, e) },
	}, func(agent *watch.Agent) error {
		err := agent.Once(env.ctx)
		fmt.Fprintln(env.stdout, agent.Summary())
		return err
	})
}

type watchRunCommand struct{}

// Run watches the folders until the process is asked to end.
func (watchRunCommand) Run(env *environment, parent *watchCommand) error {
	notifier, err := watch.NewNotifier()
	if err != nil {
		fmt.Fprintf(env.stderr, "fillbook: changes are found by scans only: %v\n", err)
	} else {
		defer notifier.Close() //nolint:errcheck // the process ends
	}
	return parent.withAgent(env, watch.Options{
		Notifier: notifier,
		Report: func(e watch.Event) {
			fmt.Fprintf(env.stdout, "%s %s\n", time.Now().Format(time.DateTime), e)
		},
	}, func(agent *watch.Agent) error { return agent.Run(env.ctx) })
}

// withAgent runs a function with an agent for the configuration, and prevents a
// second one.
func (c *watchCommand) withAgent(env *environment, options watch.Options, fn func(*watch.Agent) error) (err error) {
	config, file, err := c.load(env)
	if err != nil {
		return err
	}
	release, err := watch.Lock(file)
	if err != nil {
		return err
	}
	defer release()
	state, err := watch.OpenState(watch.StateFile(file))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, state.Close()) }()
	options.Config, options.State, options.Version = config, state, version
	options.Now, options.Wait, options.Timeout = time.Now, watch.WaitFor, watch.DefaultTimeout
	agent, err := watch.New(options)
	if err != nil {
		return err
	}
	return fn(agent)
}
