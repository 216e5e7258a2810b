// Command keep-release stores a small installation of a version, so that tests
// can check that every later version can read it.
//
//	go run ./scripts/keep-release v0.1.0 path/to/fillbook
//
// It starts the program of that version on an empty directory and creates a
// journal with records of every kind through its API. It writes two files to
// cmd/fillbook/testdata/releases: VERSION.tar.gz, the data directory, and
// VERSION.json, the responses of the program. TestReleases uses them.
package main

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"time"
)

const directory = "cmd/fillbook/testdata/releases"

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: go run ./scripts/keep-release VERSION PROGRAM")
		os.Exit(2)
	}
	if err := keep(context.Background(), os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "keep-release:", err)
		os.Exit(1)
	}
}

func keep(ctx context.Context, version, program string) (err error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	archive := filepath.Join(directory, version+".tar.gz")
	if _, err := os.Stat(archive); err == nil {
		return fmt.Errorf("%s already exists; stored releases are never changed", archive)
	}
	dir, err := os.MkdirTemp("", "fillbook-keep-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary directory
	address, stop, err := start(ctx, program, dir)
	if err != nil {
		return err
	}
	answers, err := createJournal(ctx, address)
	if err := errors.Join(err, stop()); err != nil {
		return err
	}
	text, err := json.MarshalIndent(answers, "", " ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(directory, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(directory, version+".json"), append(text, '\n'), 0o644); err != nil {
		return err
	}
	packed, err := pack(dir)
	if err != nil {
		return err
	}
	return os.WriteFile(archive, packed, 0o644)
}

var servingAt = regexp.MustCompile(`msg=serving address=(\S+)`)

// start runs the program as a server until stop is called.
func start(ctx context.Context, program, dir string) (address string, stop func() error, err error) {
	command := exec.CommandContext(ctx, program, "serve")
	command.Env = []string{
		"SVC_DATA_DIR=" + dir, "SVC_HTTP_ADDR=127.0.0.1:0", "SVC_SHARE_LINKS_ENABLED=true",
		"SVC_RATE_LIMIT_AUTH=off", "SVC_RATE_LIMIT_SECRETS=off",
	}
	stderr, err := command.StderrPipe()
	if err != nil {
		return "", nil, err
	}
	if err := command.Start(); err != nil {
		return "", nil, err
	}
	lines := bufio.NewScanner(stderr)
	for address == "" && lines.Scan() {
		if found := servingAt.FindStringSubmatch(lines.Text()); found != nil {
			address = found[1]
		}
	}
	if address == "" {
		return "", nil, errors.Join(errors.New("the program did not start"), command.Wait())
	}
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		for lines.Scan() {
			continue // read the log so that the program does not block
		}
	}()
	return address, func() error {
		err := command.Process.Signal(syscall.SIGTERM)
		<-drained
		return errors.Join(err, command.Wait())
	}, nil
}

// pack returns an archive of the files of the data directory.
func pack(dir string) ([]byte, error) {
	var out bytes.Buffer
	zipped, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	archive := tar.NewWriter(zipped)
	err = filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		header := &tar.Header{Typeflag: tar.TypeReg, Name: filepath.ToSlash(relative), Size: int64(len(content)), Mode: 0o600}
		if err := archive.WriteHeader(header); err != nil {
			return err
		}
		_, err = archive.Write(content)
		return err
	})
	err = errors.Join(err, archive.Close(), zipped.Close())
	return out.Bytes(), err
}
