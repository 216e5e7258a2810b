package backup_test

import (
	"flag"
	"os"
	"testing"
)

// TestMain draws fewer random journals than usual, because each is exported and
// restored on a real database; -rapid.checks asks for more.
func TestMain(m *testing.M) {
	flag.Parse()
	set := false
	flag.Visit(func(f *flag.Flag) { set = set || f.Name == "rapid.checks" })
	if !set {
		_ = flag.Set("rapid.checks", "8")
	}
	os.Exit(m.Run())
}
