package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

var someTime = time.Date(2026, 3, 2, 14, 31, 7, 0, time.UTC)

// atRoot runs a test where the program is run: at the root of the module.
func atRoot(t *testing.T) {
	t.Helper()
	t.Chdir(filepath.Join("..", ".."))
}

// TestBillNamesEverythingInside builds the program and holds the list against
// what go says the program imports.
func TestBillNamesEverythingInside(t *testing.T) {
	atRoot(t)
	host := target{os: "linux", arch: "amd64"}
	binary, err := host.build(t.Context(), "v0.0.0-test", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	bill, err := newBill(t.Context(), "v0.0.0-test", someTime, []string{binary})
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]component{}
	for _, c := range bill.Components {
		listed[c.Package] = c
		if c.Version == "" || len(c.Licences) == 0 || c.Licences[0].Licence.ID == "" {
			t.Errorf("%s has no version or no licence", c.Name)
		}
	}
	command := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}@{{.Version}}{{end}}{{end}}", "./cmd/fillbook")
	command.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0")
	said, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	modules := strings.Fields(string(said))
	if len(modules) < 10 {
		t.Fatalf("go names %d modules only", len(modules))
	}
	for _, module := range modules {
		c, ok := listed["pkg:golang/"+module]
		if !ok {
			t.Errorf("%s is inside and not listed", module)
		} else if sum, err := hex.DecodeString(c.Hashes[0].Content); err != nil || len(sum) != 32 {
			t.Errorf("%s has no checksum", module)
		}
	}
	for _, name := range []string{"svelte", "@scalar/api-reference", "std"} {
		if !slices.ContainsFunc(bill.Components, func(c component) bool { return c.Name == name }) {
			t.Errorf("%s is inside and not listed", name)
		}
	}
	if slices.ContainsFunc(bill.Components, func(c component) bool { return c.Name == "vite" }) {
		t.Error("a tool of development is listed")
	}
	if own := bill.Metadata.Component; own.Version != "v0.0.0-test" || own.Licences[0].Licence.ID != "MIT" {
		t.Errorf("our own entry: %+v", own)
	}
}

func TestOwnLicenceIsTheOneWeSay(t *testing.T) {
	atRoot(t)
	if id, err := licenceIn("."); err != nil || id != "MIT" {
		t.Errorf("LICENSE is %s, %v", id, err)
	}
}

// TestArchivesAreReproducible packs the same content twice, from files of
// different age and mode.
func TestArchivesAreReproducible(t *testing.T) {
	pack := func(mode os.FileMode, age time.Duration) (tarred, zipped []byte) {
		t.Helper()
		file := filepath.Join(t.TempDir(), "program")
		if err := os.WriteFile(file, []byte("the program"), mode); err != nil {
			t.Fatal(err)
		}
		old := time.Now().Add(-age)
		if err := os.Chtimes(file, old, old); err != nil {
			t.Fatal(err)
		}
		entries := []entry{{name: "fillbook/fillbook", file: file, mode: 0o755}}
		var one, other bytes.Buffer
		for out, write := range map[*bytes.Buffer]func(io.Writer) error{&one: tarOf(entries, someTime), &other: zipOf(entries, someTime)} {
			if err := write(out); err != nil {
				t.Fatal(err)
			}
		}
		return one.Bytes(), other.Bytes()
	}
	tarOne, zipOne := pack(0o600, 0)
	tarTwo, zipTwo := pack(0o640, 1000*time.Hour)
	if !bytes.Equal(tarOne, tarTwo) || !bytes.Equal(zipOne, zipTwo) {
		t.Error("the age of a file shows in the archive")
	}
	plain, err := gzip.NewReader(bytes.NewReader(tarOne))
	if err != nil {
		t.Fatal(err)
	}
	header, err := tar.NewReader(plain).Next()
	if err != nil || header.Name != "fillbook/fillbook" || header.Mode != 0o755 || !header.ModTime.Equal(someTime) {
		t.Errorf("the tar holds %+v, %v", header, err)
	}
	archive, err := zip.NewReader(bytes.NewReader(zipOne), int64(len(zipOne)))
	if err != nil || len(archive.File) != 1 || archive.File[0].Mode() != 0o755 {
		t.Errorf("the zip cannot be read: %v", err)
	}
}

func TestCompanionsAreThere(t *testing.T) {
	atRoot(t)
	for as, file := range companions {
		if _, err := os.Stat(file); err != nil {
			t.Errorf("%s is packed from %s: %v", as, file, err)
		}
	}
}
