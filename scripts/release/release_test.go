package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

var commit = time.Date(2026, 3, 2, 14, 31, 7, 0, time.UTC)

// chdirRoot changes to the root of the module, where the command is run.
func chdirRoot(t *testing.T) {
	t.Helper()
	t.Chdir(filepath.Join("..", ".."))
}

// TestSBOMListsLinkedModules builds the program and compares the SBOM with the
// modules that go list reports.
func TestSBOMListsLinkedModules(t *testing.T) {
	chdirRoot(t)
	host := target{os: "linux", arch: "amd64"}
	binary, err := host.build(t.Context(), "v0.0.0-test", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	materials, err := newSBOM(t.Context(), "v0.0.0-test", commit, []string{binary})
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]component{}
	for _, c := range materials.Components {
		listed[c.Package] = c
		if c.Version == "" || len(c.Licenses) == 0 || c.Licenses[0].License.ID == "" {
			t.Errorf("component %s has no version or no license", c.Name)
		}
	}
	command := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}@{{.Version}}{{end}}{{end}}", "./cmd/fillbook")
	command.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0")
	output, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	modules := strings.Fields(string(output))
	if len(modules) < 10 {
		t.Fatalf("go list printed %d modules, want at least 10", len(modules))
	}
	for _, module := range modules {
		c, ok := listed["pkg:golang/"+module]
		if !ok {
			t.Errorf("module %s is linked and not listed", module)
		} else if sum, err := hex.DecodeString(c.Hashes[0].Content); err != nil || len(sum) != 32 {
			t.Errorf("module %s has no checksum", module)
		}
	}
	for _, name := range []string{"svelte", "@scalar/api-reference", "std"} {
		if !slices.ContainsFunc(materials.Components, func(c component) bool { return c.Name == name }) {
			t.Errorf("component %s is not listed", name)
		}
	}
	if slices.ContainsFunc(materials.Components, func(c component) bool { return c.Name == "vite" }) {
		t.Error("vite is listed, which is only for development")
	}
	if own := materials.Metadata.Component; own.Version != "v0.0.0-test" || own.Licenses[0].License.ID != "MIT" {
		t.Errorf("metadata component = %+v, want version v0.0.0-test under MIT", own)
	}
}

func TestOwnLicenseIsMIT(t *testing.T) {
	chdirRoot(t)
	if id, err := detectLicense("."); err != nil || id != "MIT" {
		t.Errorf("detectLicense = %q, %v; want MIT", id, err)
	}
}

var archived = []entry{
	{name: "data/", mode: fs.ModeDir | 0o700, owner: imageUser},
	{name: "fillbook", mode: 0o755, content: []byte("the program")},
}

func TestTarHasFixedModesOwnersAndTimes(t *testing.T) {
	var out bytes.Buffer
	if err := writeTarGzip(&out, archived, commit); err != nil {
		t.Fatal(err)
	}
	compressed, err := gzip.NewReader(&out)
	if err != nil {
		t.Fatal(err)
	}
	archive := tar.NewReader(compressed)
	for _, want := range archived {
		header, err := archive.Next()
		if err != nil {
			t.Fatal(err)
		}
		if header.Name != want.name || header.Mode != int64(want.mode.Perm()) || header.FileInfo().IsDir() != want.mode.IsDir() ||
			header.Uid != want.owner || header.Gid != want.owner || header.Uname != "" || !header.ModTime.Equal(commit) {
			t.Errorf("header = %+v, want %s with mode %s, owner %d, time %s", header, want.name, want.mode, want.owner, commit)
		}
		if content, err := io.ReadAll(archive); err != nil || !bytes.Equal(content, want.content) {
			t.Errorf("content of %s = %q, %v; want %q", want.name, content, err, want.content)
		}
	}
	if _, err := archive.Next(); !errors.Is(err, io.EOF) {
		t.Errorf("after the last entry: %v, want EOF", err)
	}
}

func TestZipHasFixedModesAndTimes(t *testing.T) {
	var out bytes.Buffer
	if err := writeZip(&out, archived[1:], commit); err != nil {
		t.Fatal(err)
	}
	archive, err := zip.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if len(archive.File) != 1 || archive.File[0].Mode() != 0o755 || !archive.File[0].Modified.Equal(commit) {
		t.Errorf("zip contains %+v, want one file with mode 0755 and time %s", archive.File[0].FileHeader, commit)
	}
}

// TestPackIsReproducible packs the same binary twice, from files with different
// times and modes.
func TestPackIsReproducible(t *testing.T) {
	chdirRoot(t)
	pack := func(system string, mode fs.FileMode, age time.Duration) []byte {
		t.Helper()
		binary := filepath.Join(t.TempDir(), "fillbook")
		if err := os.WriteFile(binary, []byte("the program"), mode); err != nil {
			t.Fatal(err)
		}
		modified := time.Now().Add(-age)
		if err := os.Chtimes(binary, modified, modified); err != nil {
			t.Fatal(err)
		}
		out := t.TempDir()
		if err := (target{os: system, arch: "amd64"}).pack(binary, "v1", out, commit); err != nil {
			t.Fatal(err)
		}
		files, err := filepath.Glob(filepath.Join(out, "*"))
		if err != nil || len(files) != 1 {
			t.Fatalf("pack wrote %v, want one file (%v)", files, err)
		}
		content, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		return content
	}
	for _, system := range []string{"linux", "windows"} {
		if !bytes.Equal(pack(system, 0o600, 0), pack(system, 0o640, 1000*time.Hour)) {
			t.Errorf("archives for %s differ with the time or mode of the binary", system)
		}
	}
}

func TestImageRootNeedsLinux(t *testing.T) {
	for _, platform := range []string{"windows/amd64", "linux/mips", "linux"} {
		if err := writeImageRoot(t.Context(), "v1", platform, t.TempDir(), t.TempDir(), commit); err == nil {
			t.Errorf("writeImageRoot accepts %s", platform)
		}
	}
}

func TestCompanionsExist(t *testing.T) {
	chdirRoot(t)
	for packed, file := range companions {
		if _, err := os.Stat(file); err != nil {
			t.Errorf("%s is packed from %s: %v", packed, file, err)
		}
	}
}
