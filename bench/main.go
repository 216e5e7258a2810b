// Command bench measures a whole Fillbook over loopback HTTP. It starts the real program
// as a separate process on a fresh database, measures a journal's main operations, and
// for each operation a limit of the machine itself: the bare insert, the bare scan, the
// bare durable commit, the bare HTTP answer. The ratio between both can be compared
// between machines; times cannot.
//
//	bench run -sizes 1000,10000 -engines sqlite,postgres -out new.json
//	bench soak -for 10m -out soak.json
//	bench simulate -engines postgres -out simulation.json
//	bench render -into docs/performance.md -svg docs/performance.svg new.json soak.json
//	bench compare old.json new.json
//
// PostgreSQL is the server whose URL is in SVC_TEST_POSTGRES; bench creates its own
// databases there and removes them.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

const usage = `bench run      measure a server at several sizes, write a file of results
bench soak     run several users for some minutes, record errors and memory
bench simulate run many users with small journals, record latencies and memory
bench render   render files of results as tables and a picture
bench compare  compare two files of results
Each takes -help.
`

// errUsage is returned for an invalid command line, after the usage was printed.
var errUsage = errors.New("see bench -help")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := runCommandLine(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func runCommandLine(ctx context.Context, args []string) error {
	if len(args) == 0 {
		fmt.Fprint(os.Stderr, usage)
		return errUsage
	}
	switch name, rest := args[0], args[1:]; name {
	case "run":
		return runCommand(ctx, rest)
	case "soak":
		return soakCommand(ctx, rest)
	case "simulate":
		return simulateCommand(ctx, rest)
	case "render":
		return renderCommand(rest)
	case "compare":
		return compareCommand(rest, os.Stdout)
	case plainCommand:
		return servePlain(ctx, rest)
	default:
		fmt.Fprint(os.Stderr, usage)
		return errUsage
	}
}
