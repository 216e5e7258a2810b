// Command fillbook is the whole of Fillbook: the server with its page, and the
// operator's tools.
//
// Exit codes: 0 success, 1 the command failed, 2 the configuration or the
// database is not usable, 3 the database was made by a newer program.
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

	"fillbook/internal/db"
	"fillbook/internal/identity"
	"fillbook/internal/journal"
)

// version is set by the build.
var version = "dev"

const (
	exitFailed = 1
	exitUsage  = 2
	exitNewer  = 3
)

// cli is the command line. Its settings are the same for every command.
type cli struct {
	Settings settings `embed:"" group:"Settings, the same for every command:"`

	Serve         serveCommand         `cmd:"" default:"withargs" help:"Serve the journal. This is the default."`
	CreateUser    createUserCommand    `cmd:"" help:"Create a user; the password is read from the terminal or standard input."`
	ResetPassword resetPasswordCommand `cmd:"" help:"Set a user's password, read from the terminal or standard input."`
	DisableTOTP   disableTOTPCommand   `cmd:"" name:"disable-totp" help:"Switch a user's second factor off."`
	Migrate       migrateCommand       `cmd:"" help:"Bring the database schema up to date."`
	Check         checkCommand         `cmd:"" help:"Recompute every trade from its fills and compare; changes nothing."`
	Regroup       regroupCommand       `cmd:"" help:"Build every trade anew from its fills; trades keep their ids."`
	Import        importCommand        `cmd:"" help:"Import a broker's file or a backup into a user's journal."`
	Export        exportCommand        `cmd:"" help:"Write a user's journal to a file."`
	Backup        backupCommand        `cmd:"" help:"Write everything into one file while the server runs."`
	Restore       restoreCommand       `cmd:"" help:"Put a backup into an empty installation."`
	CopyDB        copyDBCommand        `cmd:"" name:"copy-db" help:"Copy everything from SQLite to PostgreSQL or back."`
	RotateSecret  rotateSecretCommand  `cmd:"" help:"Give the installation another secret; stop the server first."`
	Healthcheck   healthcheckCommand   `cmd:"" help:"Ask the server of this machine whether it can serve; for containers."`
	Demo          demoCommand          `cmd:"" help:"Serve a made-up journal of two years from a data directory of its own."`
	Version       versionCommand       `cmd:"" help:"Print the version."`
}

// environment is what a command may touch besides the database.
type environment struct {
	ctx    context.Context
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer
}

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is main without the process: it returns the exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	var line cli
	parser, err := kong.New(&line,
		kong.Name("fillbook"), kong.Description("A trading journal with numbers you can prove."),
		kong.Writers(stdout, stderr), kong.ConfigureHelp(kong.HelpOptions{Compact: true, FlagsLast: true}))
	if err != nil {
		return report(stderr, err)
	}
	command, err := parser.Parse(asking(args))
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

// asking takes "help" and "help COMMAND" for what people mean by it.
func asking(args []string) []string {
	if len(args) == 0 || args[0] != "help" {
		return args
	}
	return append(slices.Clone(args[1:]), "--help")
}

// report says what went wrong in one line and chooses the exit code.
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
		fmt.Fprintln(stderr, "fillbook: keep the damaged file aside, and put your latest backup into an empty data directory with 'fillbook restore'")
		return exitUsage
	case errors.Is(err, identity.ErrOtherSecret), errors.Is(err, errUnusable):
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
