// Command release builds the files of a release: one archive for each system
// with the static binary, the license, the README and example configurations; a
// software bill of materials (CycloneDX); and the checksums of all of them.
//
//	go run ./scripts/release -version v0.1.0 -out dist
//
// With -image it writes the root file system of the container image instead, with
// the same binary as the archive of that system:
//
//	go run ./scripts/release -version v0.1.0 -image linux/amd64 -out bin/image/linux-amd64
//
// Builds are reproducible: the same commit and the same version of Go produce the
// same bytes on any machine. Binaries contain no local paths, and every file in an
// archive has the time of the commit.
package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// target is a system that releases are built for.
type target struct{ os, arch string }

var targets = []target{
	{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"},
}

// companions maps the name in an archive to the file that is packed with every
// binary.
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

// imageUser is the user id that the container image runs as; see Dockerfile.
const imageUser = 10001

func main() {
	version := flag.String("version", "unknown", "version that the binary reports")
	image := flag.String("image", "", "write root.tar for the image of this platform only, for example linux/amd64")
	out := flag.String("out", "dist", "output directory; its contents are replaced")
	flag.Parse()
	if err := run(context.Background(), *version, *image, *out); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, version, image, out string) error {
	modified, err := commitTime(ctx)
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
	if image != "" {
		return writeImageRoot(ctx, version, image, work, out, modified)
	}
	return writeRelease(ctx, version, work, out, modified)
}

func writeRelease(ctx context.Context, version, work, out string, modified time.Time) error {
	var binaries []string
	for _, t := range targets {
		binary, err := t.build(ctx, version, work)
		if err != nil {
			return fmt.Errorf("building for %s/%s: %w", t.os, t.arch, err)
		}
		binaries = append(binaries, binary)
		if err := t.pack(binary, version, out, modified); err != nil {
			return fmt.Errorf("packing for %s/%s: %w", t.os, t.arch, err)
		}
	}
	materials, err := newSBOM(ctx, version, modified, binaries)
	if err != nil {
		return fmt.Errorf("listing components: %w", err)
	}
	if err := materials.write(filepath.Join(out, "fillbook_"+version+".cdx.json")); err != nil {
		return err
	}
	return writeChecksums(out)
}

// writeImageRoot writes root.tar, the root file system of the container image:
// the binary, the license and an empty data directory.
func writeImageRoot(ctx context.Context, version, platform, work, out string, modified time.Time) error {
	system, arch, _ := strings.Cut(platform, "/")
	t := target{os: system, arch: arch}
	if t.os != "linux" || !slices.Contains(targets, t) {
		return fmt.Errorf("platform %q is not supported; use linux/amd64 or linux/arm64", platform)
	}
	binary, err := t.build(ctx, version, work)
	if err != nil {
		return fmt.Errorf("building for %s: %w", platform, err)
	}
	program, err := os.ReadFile(binary)
	if err != nil {
		return err
	}
	license, err := os.ReadFile("LICENSE")
	if err != nil {
		return err
	}
	var root bytes.Buffer
	err = writeTar(&root, []entry{
		{name: "LICENSE", mode: 0o644, content: license},
		{name: "data/", mode: fs.ModeDir | 0o700, owner: imageUser},
		{name: "fillbook", mode: 0o755, content: program},
	}, modified)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, "root.tar"), root.Bytes(), 0o644)
}

// commitTime returns the time of the last commit, or SOURCE_DATE_EPOCH, which is
// for builds from an archive of the sources.
func commitTime(ctx context.Context) (time.Time, error) {
	text := os.Getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		output, err := exec.CommandContext(ctx, "git", "log", "-1", "--format=%ct").Output()
		if err != nil {
			return time.Time{}, errors.New("reading the commit time: not a git checkout; set SOURCE_DATE_EPOCH")
		}
		text = strings.TrimSpace(string(output))
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("parsing the build time: %w", err)
	}
	return time.Unix(seconds, 0).UTC(), nil
}

// build compiles the program with the flags of the Makefile and returns the path
// of the binary.
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

// pack writes the archive of one binary: zip for Windows, tar.gz for the others.
func (t target) pack(binary, version, out string, modified time.Time) error {
	name := strings.Join([]string{"fillbook", version, t.os, t.arch}, "_")
	files := map[string]string{t.program(): binary}
	maps.Copy(files, companions)
	var entries []entry
	for packed, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		e := entry{name: name + "/" + packed, mode: 0o644, content: content}
		if file == binary {
			e.mode = 0o755
		}
		entries = append(entries, e)
	}
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.name, b.name) })
	write, extension := writeTarGzip, ".tar.gz"
	if t.os == "windows" {
		write, extension = writeZip, ".zip"
	}
	var archive bytes.Buffer
	if err := write(&archive, entries, modified); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, name+extension), archive.Bytes(), 0o644)
}

// writeChecksums writes the SHA-256 of every file in dir in the format of
// sha256sum -c.
func writeChecksums(dir string) error {
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
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(content), file.Name())
	}
	return os.WriteFile(filepath.Join(dir, "SHA256SUMS"), []byte(sums.String()), 0o644)
}
