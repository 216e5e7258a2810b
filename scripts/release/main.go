// Command release builds what a release consists of: a static binary for each
// system, packed with the licence, the README and examples of how to run it; the
// list of everything that is inside (CycloneDX); and the checksums.
//
//	go run ./scripts/release -version v0.1.0 -out dist
//
// The same commit gives the same bytes, whenever and wherever it is built with
// the same Go: nothing in a binary tells of the machine, and every file in an
// archive bears the time of the commit.
package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// target is a system that we build for.
type target struct{ os, arch string }

var targets = []target{
	{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"},
}

// companions are packed with every binary, by their name in the archive.
var companions = map[string]string{
	"LICENSE":                 "LICENSE",
	"README.md":               "README.md",
	"CHANGELOG.md":            "CHANGELOG.md",
	"example.env":             "deploy/example.env",
	"deploy/fillbook.service": "deploy/fillbook.service",
	"deploy/Caddyfile":        "deploy/Caddyfile",
	"deploy/nginx.conf":       "deploy/nginx.conf",
	"deploy/litestream.yml":   "deploy/litestream.yml",
}

func main() {
	version := flag.String("version", "unknown", "what the binary says of itself")
	out := flag.String("out", "dist", "directory to write to; it is made anew")
	flag.Parse()
	if err := run(context.Background(), *version, *out); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, version, out string) error {
	at, err := commitTime(ctx)
	if err != nil {
		return err
	}
	if err := errors.Join(os.RemoveAll(out), os.MkdirAll(out, 0o755)); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "fillbook-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work) //nolint:errcheck // a temporary directory
	var binaries []string
	for _, t := range targets {
		binary, err := t.build(ctx, version, work)
		if err != nil {
			return fmt.Errorf("building for %s/%s: %w", t.os, t.arch, err)
		}
		binaries = append(binaries, binary)
		if err := t.pack(binary, version, out, at); err != nil {
			return fmt.Errorf("packing for %s/%s: %w", t.os, t.arch, err)
		}
	}
	bill, err := newBill(ctx, version, at, binaries)
	if err != nil {
		return fmt.Errorf("listing what is inside: %w", err)
	}
	if err := bill.write(filepath.Join(out, "fillbook_"+version+".cdx.json")); err != nil {
		return err
	}
	return writeSums(out)
}

// commitTime is when the last commit was made, or SOURCE_DATE_EPOCH, which
// those set who build from an archive of the sources.
func commitTime(ctx context.Context) (time.Time, error) {
	text := os.Getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		said, err := exec.CommandContext(ctx, "git", "log", "-1", "--format=%ct").Output()
		if err != nil {
			return time.Time{}, errors.New("no commit to take the time from: set SOURCE_DATE_EPOCH")
		}
		text = strings.TrimSpace(string(said))
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("the time of the build: %w", err)
	}
	return time.Unix(seconds, 0).UTC(), nil
}

// build makes one binary; the flags are those of the Makefile.
func (t target) build(ctx context.Context, version, work string) (string, error) {
	binary := filepath.Join(work, t.os+"-"+t.arch, t.program())
	command := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false",
		"-ldflags", "-s -w -X main.version="+version, "-o", binary, "./cmd/fillbook")
	command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+t.os, "GOARCH="+t.arch, "GOAMD64=v1", "GOARM64=v8.0", "GOFLAGS=")
	command.Stderr = os.Stderr
	return binary, command.Run()
}

func (t target) program() string {
	if t.os == "windows" {
		return "fillbook.exe"
	}
	return "fillbook"
}

// pack writes the archive of one binary: zip for Windows, tar.gz elsewhere.
func (t target) pack(binary, version, out string, at time.Time) error {
	name := strings.Join([]string{"fillbook", version, t.os, t.arch}, "_")
	entries := []entry{{name: name + "/" + t.program(), file: binary, mode: 0o755}}
	for as, file := range companions {
		entries = append(entries, entry{name: name + "/" + as, file: file, mode: 0o644})
	}
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	if t.os == "windows" {
		return writeFile(filepath.Join(out, name+".zip"), zipOf(entries, at))
	}
	return writeFile(filepath.Join(out, name+".tar.gz"), tarOf(entries, at))
}

// writeSums lists every file with its SHA-256, as sha256sum -c reads it.
func writeSums(dir string) error {
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var sums strings.Builder
	for _, file := range files {
		content, err := os.ReadFile(filepath.Join(dir, file.Name()))
		if err != nil {
			return err
		}
		sum := sha256.Sum256(content)
		fmt.Fprintf(&sums, "%s  %s\n", hex.EncodeToString(sum[:]), file.Name())
	}
	return os.WriteFile(filepath.Join(dir, "SHA256SUMS"), []byte(sums.String()), 0o644)
}
