package docs_test

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// step is a row of a table of steps: what to do, where, and which tests fail without it.
type step struct {
	title, place string
	tests        []string
}

const stepsHead = "| Step | Place | If it is forgotten |\n|---|---|---|\n"

var (
	codeSpan = regexp.MustCompile("`([^`]+)`")
	testName = regexp.MustCompile(`^Test\w+$`)
)

// readSteps returns the tables of steps of a document by their headings.
func readSteps(text string) map[string][]step {
	found := map[string][]step{}
	sections := strings.Split("\n"+text, "\n## ")
	for _, section := range sections[1:] {
		heading, body, _ := strings.Cut(section, "\n")
		_, table, ok := strings.Cut(body, stepsHead)
		if !ok {
			continue
		}
		table, _, _ = strings.Cut(table, "\n\n")
		for row := range strings.SplitSeq(strings.TrimSpace(table), "\n") {
			cells := strings.Split(strings.Trim(row, "| "), " | ")
			s := step{title: cells[0], place: cells[1]}
			for _, span := range codeSpan.FindAllStringSubmatch(cells[len(cells)-1], -1) {
				if testName.MatchString(span[1]) {
					s.tests = append(s.tests, span[1])
				}
			}
			found[heading] = append(found[heading], s)
		}
	}
	return found
}

// findTests returns the folders with a test by its name.
func findTests(t *testing.T) map[string][]string {
	t.Helper()
	declared := regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\)`)
	found := map[string][]string{}
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(file, "_test.go") {
			return err
		}
		for _, match := range declared.FindAllStringSubmatch(read(t, file), -1) {
			folder, err := filepath.Rel(root, filepath.Dir(file))
			if err != nil {
				return err
			}
			found[match[1]] = append(found[match[1]], "./"+folder)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestStepsNameWhatExists finds every path and every test that a table of steps names.
func TestStepsNameWhatExists(t *testing.T) {
	t.Parallel()
	tests := findTests(t)
	path := regexp.MustCompile(`^(internal|web|docs|api|cmd)/[\w./-]+$`)
	count := 0
	for _, file := range documents(t) {
		for heading, steps := range readSteps(read(t, file)) {
			count++
			for _, s := range steps {
				for _, span := range codeSpan.FindAllStringSubmatch(s.place, -1) {
					if _, err := os.Stat(filepath.Join(root, span[1])); path.MatchString(span[1]) && err != nil {
						t.Errorf("%s, %s: %s does not exist", file, heading, span[1])
					}
				}
				for _, name := range s.tests {
					if tests[name] == nil {
						t.Errorf("%s, %s: there is no %s", file, heading, name)
					}
				}
			}
		}
	}
	if count < 4 {
		t.Errorf("only %d tables of steps were found", count)
	}
}

// An example in testdata follows a table of steps: each file of the archive is named after
// the number of its step and the file that it creates or changes; see example.edit.
type example struct {
	document, heading, archive string
}

var examples = []example{
	{"architecture.md", "Add a field to the annotations", "testdata/add-a-field.txtar"},
	{"architecture.md", "Add a figure", "testdata/add-a-figure.txtar"},
}

// TestStepsAreComplete follows the examples. make soak does it in a copy of the repository,
// where the tests of the table must pass with all steps and fail without any of them; the
// ordinary run checks that each step can be done.
func TestStepsAreComplete(t *testing.T) {
	t.Parallel()
	tests := findTests(t)
	for _, e := range examples {
		t.Run(e.heading, func(t *testing.T) {
			t.Parallel()
			steps := readSteps(read(t, e.document))[e.heading]
			archive, err := txtar.ParseFile(e.archive)
			if err != nil {
				t.Fatal(err)
			}
			if os.Getenv("SVC_TEST_LONG") == "" {
				for _, file := range archive.Files {
					e.edit(t, root, file)
				}
				return
			}
			if output, err := e.follow(t, archive, steps, -1, packagesOf(steps, tests)); err != nil {
				t.Fatalf("the tests fail after all steps: %v\n%s", err, output)
			}
			for i, s := range steps {
				if len(s.tests) == 0 {
					continue
				}
				if _, err := e.follow(t, archive, steps, i, packagesOf(steps[i:i+1], tests)); err == nil {
					t.Errorf("%v pass without the step %q", s.tests, s.title)
				}
			}
		})
	}
}

// packagesOf returns the arguments of go test for the tests of some steps.
func packagesOf(steps []step, tests map[string][]string) []string {
	var folders, names []string
	for _, s := range steps {
		for _, name := range s.tests {
			names = append(names, name)
			folders = append(folders, tests[name]...)
		}
	}
	slices.Sort(folders)
	return slices.Concat([]string{"test", "-vet=off"}, slices.Compact(folders), []string{"-run", "^(" + strings.Join(names, "|") + ")$"})
}

// follow does all steps but one in a copy of the repository and runs a command there. A
// place that is a go command is run.
func (e example) follow(t *testing.T, archive *txtar.Archive, steps []step, without int, command []string) (string, error) {
	t.Helper()
	copied := t.TempDir()
	if output, err := exec.CommandContext(t.Context(), "sh", "-c", `git -C "$1" archive HEAD | tar -x -C "$2"`, "sh", root, copied).CombinedOutput(); err != nil {
		t.Fatalf("copying the repository: %v\n%s", err, output)
	}
	run := func(arguments ...string) (string, error) {
		command := exec.CommandContext(t.Context(), "go", arguments...)
		command.Dir = copied
		command.Env = append(os.Environ(), "SVC_TEST_LONG=")
		output, err := command.CombinedOutput()
		return string(output), err
	}
	for i, s := range steps {
		if i == without {
			continue
		}
		for _, file := range archive.Files {
			if strings.HasPrefix(file.Name, fmt.Sprint(i+1, " ")) {
				name, content := e.edit(t, copied, file)
				if err := os.WriteFile(name, content, 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, span := range codeSpan.FindAllStringSubmatch(s.place, -1) {
			if arguments, isCommand := strings.CutPrefix(span[1], "go "); isCommand {
				if output, err := run(strings.Fields(arguments)...); err != nil && without < 0 {
					t.Fatalf("%s: %v\n%s", span[1], err, output)
				}
			}
		}
	}
	return run(command...)
}

// edit returns a file of the repository as an example changes it. Its name is "<step> <file>"
// for a new file, and "<step> <file> after <text>" or "<step> <file> instead of <text>" for
// lines below a text, or for another text. NEXT in a new file's name is the number after
// the last one in its folder.
func (e example) edit(t *testing.T, repository string, file txtar.File) (name string, content []byte) {
	t.Helper()
	_, place, _ := strings.Cut(file.Name, " ")
	path, anchor, isInsertion := strings.Cut(place, " after ")
	path, replaced, isReplacement := strings.Cut(path, " instead of ")
	name = filepath.Join(repository, path)
	if !isInsertion && !isReplacement {
		if strings.Contains(name, "NEXT") {
			name = strings.Replace(name, "NEXT", nextNumber(t, filepath.Dir(name)), 1)
		}
		return name, file.Data
	}
	before := read(t, name)
	if n := strings.Count(before, anchor+replaced); n != 1 {
		t.Fatalf("%s: %s has %q %d times", e.archive, path, anchor+replaced, n)
	}
	if isReplacement {
		return name, []byte(strings.Replace(before, replaced, strings.TrimSuffix(string(file.Data), "\n"), 1))
	}
	at := strings.Index(before, anchor)
	at += strings.IndexByte(before[at:], '\n') + 1
	return name, []byte(before[:at] + string(file.Data) + before[at:])
}

// nextNumber returns the number after the last of a folder's numbered files, in as many
// digits; empty if no file has a number.
func nextNumber(t *testing.T, folder string) string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range slices.Backward(entries) {
		digits, _, _ := strings.Cut(entry.Name(), "_")
		if last, err := strconv.Atoi(digits); err == nil {
			return fmt.Sprintf("%0*d", len(digits), last+1)
		}
	}
	return ""
}
