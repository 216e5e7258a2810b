package tabular_test

import (
	"os"
	"path/filepath"
	"testing"

	"fillbook/internal/intake/tabular"
)

// TestSamples reads a folder with real exports, named by SVC_TEST_SAMPLES. The folder is
// not part of the project; the other tests do not need it.
func TestSamples(t *testing.T) {
	folder := os.Getenv("SVC_TEST_SAMPLES")
	if folder == "" {
		return
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if entry.IsDir() {
			continue
		}
		data, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		file, err := tabular.Read(data, tabular.Default())
		if err != nil {
			t.Errorf("%s: %v", entry.Name(), err)
			continue
		}
		checkFile(t, file, tabular.Default())
		if len(file.Elements) == 0 && (len(file.Tables) == 0 || len(file.Tables[0].Rows) == 0) {
			t.Errorf("%s: nothing was found", entry.Name())
		}
	}
}
