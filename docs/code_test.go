package docs_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// goBlocks are the Go blocks of each document, in their order.
var goBlocks = map[string][]goBlock{
	"adding-a-broker.md": {
		{folder: "internal/intake/brokers", before: brokersHead},
		{folder: "internal/intake/brokers", before: brokersHead + "var _ = parse.MonthFirst\nvar _ = statement.Layout{\n", after: "}\n"},
	},
	"adding-a-provider.md": {{folder: "internal/providers/acme"}, {folder: "internal/providers/acme", isTest: true}},
	"architecture.md": {
		{folder: "internal/httpapi", isTest: true, before: "package httpapi_test\n\nimport (\n\t\"net/http\"\n\t\"testing\"\n)\n\n"},
	},
}

const brokersHead = "package brokers\n\nimport (\n\t\"fillbook/internal/intake/parse\"\n\t\"fillbook/internal/intake/statement\"\n)\n\n"

// goBlock is the package that a block belongs to, and the code around it.
type goBlock struct {
	folder, before, after string
	isTest                bool
}

var goFence = regexp.MustCompile("(?ms)^( *)```go\n(.*?)^ *```")

// TestGoBlocksCompile compiles the Go code in the documents as part of its package. The tests
// of a package that only a document has are run.
func TestGoBlocksCompile(t *testing.T) {
	t.Parallel()
	top, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	// Overlays by folder: together, the packages that import a changed one would be
	// compiled again.
	overlays := map[string]map[string]string{}
	for _, file := range documents(t) {
		blocks := goFence.FindAllStringSubmatch(read(t, file), -1)
		known := goBlocks[filepath.Base(file)]
		if len(blocks) != len(known) {
			t.Errorf("%s has %d Go blocks and %d entries in goBlocks", file, len(blocks), len(known))
			continue
		}
		for i, found := range blocks {
			block, code := known[i], strings.ReplaceAll("\n"+found[2], "\n"+found[1], "\n")
			name := fmt.Sprintf("document%d.go", i)
			if block.isTest {
				name = fmt.Sprintf("document%d_test.go", i)
			}
			copied := filepath.Join(t.TempDir(), name)
			if err := os.WriteFile(copied, []byte(block.before+code+block.after), 0o600); err != nil {
				t.Fatal(err)
			}
			if overlays[block.folder] == nil {
				overlays[block.folder] = map[string]string{}
			}
			overlays[block.folder][filepath.Join(top, block.folder, name)] = copied
		}
	}
	for folder, overlay := range overlays {
		t.Run(folder, func(t *testing.T) {
			t.Parallel()
			compileOverlay(t, top, folder, overlay)
		})
	}
}

// compileOverlay checks a package and its tests with more files, and runs the tests of a
// new package: go vet would look for its folder.
func compileOverlay(t *testing.T, top, folder string, overlay map[string]string) {
	t.Helper()
	list, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		t.Fatal(err)
	}
	replaced := filepath.Join(t.TempDir(), "overlay.json")
	if err := os.WriteFile(replaced, list, 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(folder, name string, arguments ...string) {
		command := exec.CommandContext(t.Context(), name, arguments...)
		command.Dir = folder
		if output, err := command.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, strings.TrimSpace(string(output)))
		}
	}
	if _, err := os.Stat(filepath.Join(top, folder)); err == nil {
		run(top, "go", "vet", "-buildtag", "-trimpath", "-overlay", replaced, "./"+folder) // checks types, and is faster than compiling
		return
	}
	scratch := t.TempDir() // go test would run in the folder
	binary := filepath.Join(scratch, "document.test")
	run(top, "go", "test", "-c", "-vet=off", "-trimpath", "-overlay", replaced, "-o", binary, "./"+folder)
	run(scratch, binary)
}
