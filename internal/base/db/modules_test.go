package db_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// goList runs the go command for a build module.
func goList(t *testing.T, format, module string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", format, module).Output()
	must(t, err)
	return strings.TrimSpace(string(out))
}

// The SQLite driver is C turned into Go against one C library version in Go; with another
// version it may corrupt memory.
func TestLibcIsTheOneThatTheDriverNames(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(goList(t, "{{.GoMod}}", "modernc.org/sqlite"))
	must(t, err)
	_, rest, found := strings.Cut(string(text), "modernc.org/libc ")
	if !found {
		t.Fatal("the driver does not name its libc any more")
	}
	want := strings.Fields(rest)[0]
	if got := goList(t, "{{.Version}}", "modernc.org/libc"); got != want {
		t.Errorf("the build has modernc.org/libc %s, but the driver was made for %s", got, want)
	}
}
