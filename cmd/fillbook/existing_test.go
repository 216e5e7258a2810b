package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCommandsCreateNoDatabase runs commands for an existing database with a mistyped
// directory: they say that nothing is there, and do not create it.
func TestCommandsCreateNoDatabase(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "mistyped")
	for _, args := range [][]string{
		{"check"}, {"regroup"}, {"rotate-secret"}, {"backup", filepath.Join(t.TempDir(), "backup")}, {"export", "--email", "a@example.org", "-"},
	} {
		run := program(t, []string{"SVC_DATA_DIR=" + dir}, args...)
		output, _ := run.CombinedOutput()
		if code := run.ProcessState.ExitCode(); code != exitUsage || !strings.Contains(string(output), "there is no database in "+dir) {
			t.Errorf("%s ends with %d\n%s", args, code, output)
		}
		if _, err := os.Stat(dir); !os.IsNotExist(err) {
			t.Fatalf("%s created the directory (%v)", args, err)
		}
	}
}
