package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// summary is what is known so far. Packages are tested at the same time and
// their events arrive interleaved, so output is kept by package and shown when
// the package is done.
type summary struct {
	out      io.Writer
	packages map[string]*pkg

	tested, passed, failed int      // packages with tests; tests, sub-tests included
	skipped                []string // "package.Test: reason"
	broken                 []string // packages that failed, or did not compile
}

// pkg is one package whose tests are running.
type pkg struct {
	output strings.Builder // what belongs to no test: ok, FAIL, a data race at exit
	tests  []*test         // in the order in which they started
}

// test is one test that has not passed: it runs, has failed or was skipped.
type test struct {
	name   string
	output strings.Builder
}

func newSummary(out io.Writer) *summary {
	return &summary{out: out, packages: map[string]*pkg{}}
}

func (s *summary) print(text string) {
	_, _ = io.WriteString(s.out, text) // nowhere to complain if this fails
}

func (s *summary) take(e event) {
	if e.Action == "build-output" {
		s.print(e.Output)
		return
	}
	if e.Package == "" {
		return
	}
	p := s.packages[e.Package]
	if p == nil {
		p = &pkg{}
		s.packages[e.Package] = p
	}
	if e.Test == "" {
		s.takePackage(p, e)
	} else {
		s.takeTest(p, e)
	}
}

func (s *summary) takeTest(p *pkg, e event) {
	t := p.test(e.Test)
	switch e.Action {
	case "output":
		if !isPacing(e.Output) {
			t.output.WriteString(e.Output)
		}
	case "pass":
		s.passed++
		p.forget(t)
	case "skip":
		s.skipped = append(s.skipped, fmt.Sprintf("%s.%s: %s", e.Package, t.name, reason(t.output.String())))
		p.forget(t)
	case "fail":
		s.failed++
	}
}

func (s *summary) takePackage(p *pkg, e event) {
	switch e.Action {
	case "output":
		if e.Output != "PASS\n" && e.Output != "FAIL\n" {
			p.output.WriteString(e.Output)
		}
	case "pass":
		s.tested++
		s.print(p.output.String())
		delete(s.packages, e.Package)
	case "skip": // no test files
		delete(s.packages, e.Package)
	case "fail":
		s.tested++
		s.broken = append(s.broken, e.Package)
		for _, t := range p.tests {
			s.print(t.output.String())
		}
		s.print(p.output.String())
		delete(s.packages, e.Package)
	}
}

// test finds a test by name, or notes that it has started.
func (p *pkg) test(name string) *test {
	for _, t := range p.tests {
		if t.name == name {
			return t
		}
	}
	t := &test{name: name}
	p.tests = append(p.tests, t)
	return t
}

// forget drops a test that there is nothing more to say about.
func (p *pkg) forget(t *test) {
	p.tests = slices.DeleteFunc(p.tests, func(other *test) bool { return other == t })
}

// isPacing tells whether a line only says that a test waits or goes on.
func isPacing(line string) bool {
	for _, word := range []string{"PAUSE", "CONT", "NAME"} {
		if strings.HasPrefix(line, "=== "+word) {
			return true
		}
	}
	return false
}

// reason gives what a skipped test said, without the lines that testing adds.
func reason(output string) string {
	var said []string
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "===") && !strings.HasPrefix(line, "--- ") {
			said = append(said, line)
		}
	}
	if len(said) == 0 {
		return "no reason given"
	}
	return strings.Join(said, " ")
}

// report prints the end of the summary and tells whether all is well.
func (s *summary) report(ran string, forbidSkips bool) bool {
	slices.Sort(s.skipped)
	for _, line := range s.skipped {
		s.print("SKIPPED " + line + "\n")
	}
	if len(s.packages) > 0 { // go test was stopped in the middle
		s.broken = append(s.broken, "unfinished packages")
	}
	var faults []string
	if s.failed > 0 || len(s.broken) > 0 {
		faults = append(faults, fmt.Sprintf("%d tests failed (in %s)", s.failed, strings.Join(s.broken, ", ")))
	}
	if s.passed+s.failed == 0 {
		faults = append(faults, "no test ran")
	}
	if forbidSkips && len(s.skipped) > 0 {
		faults = append(faults, "skipping is not allowed where all that the tests need is there")
	}
	s.print(s.lastLine(ran, faults))
	return len(faults) == 0
}

func (s *summary) lastLine(ran string, faults []string) string {
	var line strings.Builder
	line.WriteString("PASS: ")
	if len(faults) > 0 {
		line.Reset()
		line.WriteString("FAIL: " + strings.Join(faults, "; ") + ". ")
	}
	fmt.Fprintf(&line, "%d tests passed in %d packages", s.passed, s.tested)
	if ran != "" {
		fmt.Fprintf(&line, " (%s)", ran)
	}
	if len(s.skipped) == 0 {
		line.WriteString("; nothing was skipped.\n")
	} else {
		fmt.Fprintf(&line, "; %d SKIPPED, named above.\n", len(s.skipped))
	}
	return line.String()
}
