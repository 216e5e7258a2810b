// Command fillbook is the Fillbook server with its page, and the commands to
// operate it.
//
// Exit codes: 0 success, 1 the command failed, 2 the configuration or the
// database cannot be used, 3 the database was created by a newer version.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"
	_ "golang.org/x/crypto/x509roots/fallback" // root certificates for systems without any, such as the container image

	"fillbook/internal/assistants"
	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/intake/watch"
	"fillbook/internal/people/identity"
)

// version is set by the build.
var version = "dev"

const (
	exitFailed = 1
	exitUsage  = 2
	exitNewer  = 3
)

// cli is the command line. All commands share the settings.
type cli struct {
	Settings settings `embed:"" group:"Settings, the same for all commands:"`

	Serve         serveCommand         `cmd:"" default:"withargs" help:"Serve the journal. This is the default."`
	CreateUser    createUserCommand    `cmd:"" help:"Create a user. The password is read from the terminal or standard input."`
	ResetPassword resetPasswordCommand `cmd:"" help:"Set a user's password. It is read from the terminal or standard input."`
	DisableTOTP   disableTOTPCommand   `cmd:"" name:"disable-totp" help:"Turn off a user's second factor."`
	Migrate       migrateCommand       `cmd:"" help:"Update the database schema."`
	Check         checkCommand         `cmd:"" help:"Recompute every trade from its fills and compare. Changes nothing."`
	History       historyCommand       `cmd:"" help:"Verify an exported history."`
	Regroup       regroupCommand       `cmd:"" help:"Rebuild every trade from its fills. Trades keep their ids."`
	Import        importCommand        `cmd:"" help:"Import a broker file or a backup into a user's journal."`
	ImportBars    importBarsCommand    `cmd:"" name:"import-bars" help:"Import a file of price bars for a user's charts."`
	Export        exportCommand        `cmd:"" help:"Write a user's journal to a file."`
	Backup        backupCommand        `cmd:"" help:"Write the whole installation to one file. Works while the server runs."`
	Restore       restoreCommand       `cmd:"" help:"Restore a backup into an empty installation."`
	CopyDB        copyDBCommand        `cmd:"" name:"copy-db" help:"Copy the whole installation from SQLite to PostgreSQL or back."`
	Distribute    distributeCommand    `cmd:"" help:"Spread a PostgreSQL database with Citus over its nodes. Stop the servers first."`
	RotateSecret  rotateSecretCommand  `cmd:"" help:"Replace the server secret. Stop the server first."`
	Healthcheck   healthcheckCommand   `cmd:"" help:"Check that the server on this machine is ready, for containers."`
	Watch         watchCommand         `cmd:"" help:"Watch folders and import their files into a Fillbook server."`
	MCP           mcpCommand           `cmd:"" name:"mcp" help:"Connect an assistant on this machine to a Fillbook server."`
	Demo          demoCommand          `cmd:"" help:"Serve a demo journal of two years from its own data directory."`
	Version       versionCommand       `cmd:"" help:"Print the version."`
}

// environment is what a command uses besides the database.
type environment struct {
	ctx    context.Context
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer
}

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run runs the command line and returns the exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	var line cli
	parser, err := kong.New(&line,
		kong.Name("fillbook"), kong.Description("A self-hosted trading journal."),
		kong.Writers(stdout, stderr), kong.ConfigureHelp(kong.HelpOptions{Compact: true, FlagsLast: true}))
	if err != nil {
		return report(stderr, err)
	}
	command, err := parser.Parse(expandHelp(args))
	if err != nil {
		hint := ""
		if strings.HasPrefix(err.Error(), "unexpected argument") {
			hint = "; 'fillbook help' lists the commands"
		}
		fmt.Fprintf(stderr, "fillbook: %v%s\n", err, hint)
		return exitUsage
	}
	if err := line.Settings.check(); err != nil {
		fmt.Fprintf(stderr, "fillbook: %v\n", err)
		return exitUsage
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// A second signal ends the process at once.
	context.AfterFunc(ctx, stop)
	err = command.Run(&environment{ctx: ctx, stdin: stdin, stdout: stdout, stderr: stderr}, &line.Settings)
	return report(stderr, err)
}

// expandHelp converts "help" and "help COMMAND" to the --help flag.
func expandHelp(args []string) []string {
	if len(args) == 0 || args[0] != "help" {
		return args
	}
	return append(slices.Clone(args[1:]), "--help")
}

// report prints the error in one line and returns the exit code.
func report(stderr io.Writer, err error) int {
	if err == nil {
		return 0
	}
	if refused, ok := errors.AsType[*journal.Error](err); ok {
		fmt.Fprintf(stderr, "fillbook: %s\n", refused.Message)
		return exitFailed
	}
	fmt.Fprintf(stderr, "fillbook: %v\n", err)
	switch {
	case errors.Is(err, db.ErrNewer):
		return exitNewer
	case errors.Is(err, db.ErrDamaged):
		fmt.Fprintln(stderr, "fillbook: keep the damaged file, and restore your latest backup into an empty data directory with 'fillbook restore'")
		return exitUsage
	case errors.Is(err, identity.ErrOtherSecret), errors.Is(err, errCannotStart), errors.Is(err, watch.ErrConfig), errors.Is(err, assistants.ErrRefused), errors.Is(err, errNotVerified):
		return exitUsage
	}
	return exitFailed
}

type versionCommand struct{}

// Run prints the version.
func (versionCommand) Run(env *environment) error {
	_, err := fmt.Fprintln(env.stdout, version)
	return err
}
