package testkit

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// CompareFile compares a text with a testdata file. With update it writes the file first.
func CompareFile(t *testing.T, file, text string, update bool) {
	t.Helper()
	if update {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file) // a path in the test
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), text); diff != "" {
		t.Errorf("%s is not current; run the test with -update (-file +built):\n%s", file, diff)
	}
}
