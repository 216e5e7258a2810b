// Command testsummary reads the output of go test -json and tells a human what
// happened: one line a package, the full output of what failed, what was
// skipped and why, and a last line that counts.
//
// Plain go test says nothing of skipped tests, and go test -v says it among
// thousands of lines. A suite that quietly skips half of itself is worse than
// one that fails, so here a skipped test is always named, and with
// -forbid-skips it fails the run.
//
//	go test -json ./... | testsummary -ran "SQLite, PostgreSQL" -forbid-skips
//
// The exit code is 1 if a test failed, if nothing ran, or if a test was skipped
// that must not be.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	ran := flag.String("ran", "", "what the tests ran with, for the last line")
	forbid := flag.Bool("forbid-skips", false, "fail if a test was skipped")
	flag.Parse()

	sum := newSummary(os.Stdout)
	if err := sum.read(os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "testsummary:", err)
		os.Exit(1)
	}
	if !sum.report(*ran, *forbid) {
		os.Exit(1)
	}
}

// event is one line of go test -json; see go doc test2json.
type event struct {
	Action  string
	Package string
	Test    string
	Output  string
}

// read follows the events to the end. A line that is no event, such as what a
// test program wrote past the testing package, is passed through.
func (s *summary) read(from io.Reader) error {
	lines := bufio.NewReader(from)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if json.Unmarshal(line, &e) == nil && e.Action != "" {
				s.take(e)
			} else {
				s.print(string(line))
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading events: %w", err)
		}
	}
}
