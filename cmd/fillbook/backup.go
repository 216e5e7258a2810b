package main

import (
	"archive/zip"
	"compress/flate"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
)

// A backup of an installation contains the database as a SQLite file (from either
// engine), the attached files, and a manifest with their checksums. It does not
// contain the server secret.
const (
	archiveFormat   = "fillbook-installation"
	archiveVersion  = 1
	archiveManifest = "manifest.json"
	archiveDatabase = "fillbook.db"
)

type manifest struct {
	Format  string         `json:"format"`
	Version int            `json:"version"`
	Schema  int            `json:"schema"`
	Program string         `json:"program"`
	MadeAt  time.Time      `json:"made_at"`
	Files   []manifestFile `json:"files"`
}

type manifestFile struct {
	Path   string `json:"path"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

type backupCommand struct {
	File        string `arg:"" help:"Zip file to write. An existing file is not replaced."`
	WithoutBars bool   `name:"without-bars" help:"Leave out the price bars, which can be imported again."`
}

// Run writes the whole installation to one file while the server runs, from one
// snapshot of either engine.
func (c backupCommand) Run(env *environment, s *settings) error {
	if fileExists(c.File) {
		return fmt.Errorf("%s already exists", c.File)
	}
	services, done, err := s.openJournals(env)
	if err != nil {
		return err
	}
	defer done()
	dir, err := os.MkdirTemp(filepath.Dir(c.File), ".fillbook-backup-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary directory
	copied, closeCopy, err := s.openInstallation(env, filepath.Join(dir, archiveDatabase), true)
	if err != nil {
		return err
	}
	err = copyInstallation(env, services, copied, c.WithoutBars)
	closeCopy()
	if err != nil {
		return err
	}
	if err := writeAtomically(c.File, func(out io.Writer) error { return pack(dir, out) }); err != nil {
		return err
	}
	_, err = fmt.Fprintf(env.stdout, "wrote %s without the server secret; keep the secret (%s) separately\n",
		c.File, secretLocation(s))
	return err
}

// secretLocation returns where the operator finds the secret.
func secretLocation(s *settings) string {
	if s.JWTSecret != "" {
		return "SVC_JWT_SECRET"
	}
	return filepath.Join(s.DataDir, secretFile)
}

// pack writes a directory's files to a zip, followed by the manifest.
func pack(dir string, out io.Writer) error {
	archive := zip.NewWriter(out)
	list := manifest{
		Format: archiveFormat, Version: archiveVersion, Schema: db.Latest(), Program: version, MadeAt: journal.SystemClock(),
		Files: []manifestFile{},
	}
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasSuffix(name, "-wal") || strings.HasSuffix(name, "-shm") {
			return err
		}
		relative, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		packed, err := packFile(archive, name, filepath.ToSlash(relative))
		list.Files = append(list.Files, packed)
		return err
	})
	if err != nil {
		return err
	}
	entry, err := archive.Create(archiveManifest)
	if err != nil {
		return err
	}
	if err := json.NewEncoder(entry).Encode(list); err != nil {
		return err
	}
	return archive.Close()
}

func packFile(archive *zip.Writer, name, as string) (manifestFile, error) {
	in, err := os.Open(name)
	if err != nil {
		return manifestFile{}, err
	}
	defer in.Close() //nolint:errcheck // read only
	entry, err := archive.Create(as)
	if err != nil {
		return manifestFile{}, err
	}
	sum := sha256.New()
	size, err := io.Copy(io.MultiWriter(entry, sum), in)
	return manifestFile{as, size, hex.EncodeToString(sum.Sum(nil))}, err
}

type restoreCommand struct {
	File   string `arg:"" type:"existingfile" help:"Zip file of 'fillbook backup'."`
	DryRun bool   `name:"dry-run" help:"Only check the file and print its contents."`
}

// Run restores a backup into the configured installation, which must have no users. It
// verifies every file's checksum first.
func (c restoreCommand) Run(env *environment, s *settings) error {
	dir, err := os.MkdirTemp("", "fillbook-restore-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary directory
	list, err := unpack(c.File, dir)
	if err != nil {
		return err
	}
	if err := checkSchema(env.ctx, filepath.Join(dir, archiveDatabase), list.Schema); err != nil {
		return err
	}
	saved, closeSaved, err := s.openInstallation(env, filepath.Join(dir, archiveDatabase), true) // updates an older schema
	if err != nil {
		return err
	}
	defer closeSaved()
	users, err := saved.Identity.Users(env.ctx)
	if err != nil {
		return err
	}
	if c.DryRun {
		_, err = fmt.Fprintf(env.stdout, "the backup is valid: %s\n", formatCount(len(users), "user"))
		return err
	}
	services, done, err := s.openNewJournals(env)
	if err != nil {
		return err
	}
	defer done()
	if err := copyInstallation(env, saved, services, false); err != nil {
		return err
	}
	_, err = fmt.Fprintf(env.stdout, "restored %s; start the server with the secret of the backup (%s)\n", formatCount(len(users), "user"), secretLocation(s))
	return err
}

var errArchive = errors.New("not a backup of 'fillbook backup', or damaged")

// unpack writes a backup's files to a directory and verifies their checksums. Names come
// from the manifest and cannot refer to files outside the directory.
func unpack(file, dir string) (manifest, error) {
	archive, err := zip.OpenReader(file)
	if err != nil {
		return manifest{}, fmt.Errorf("%w: %w", errArchive, err)
	}
	defer archive.Close() //nolint:errcheck // read only
	text, err := fs.ReadFile(archive, archiveManifest)
	if err != nil {
		return manifest{}, fmt.Errorf("%w: %w", errArchive, err)
	}
	var list manifest
	if err := json.Unmarshal(text, &list); err != nil || list.Format != archiveFormat {
		return manifest{}, errArchive
	}
	if !slices.ContainsFunc(list.Files, func(f manifestFile) bool { return f.Path == archiveDatabase }) {
		return manifest{}, errArchive
	}
	if list.Version > archiveVersion || list.Schema > db.Latest() {
		return manifest{}, fmt.Errorf("%w: the backup was written by %s", db.ErrNewer, list.Program)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return manifest{}, err
	}
	defer root.Close() //nolint:errcheck // nothing is written through it any more
	for _, f := range list.Files {
		if err := unpackFile(archive, root, f); err != nil {
			return manifest{}, fmt.Errorf("%s: %w", f.Path, err)
		}
	}
	return list, nil
}

func unpackFile(archive fs.FS, root *os.Root, f manifestFile) error {
	in, err := archive.Open(f.Path)
	if err != nil {
		return fmt.Errorf("%w: %w", errArchive, err)
	}
	defer in.Close() //nolint:errcheck // read only
	if err := root.MkdirAll(path.Dir(f.Path), 0o700); err != nil {
		return err
	}
	out, err := root.OpenFile(f.Path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	sum := sha256.New()
	size, err := io.Copy(io.MultiWriter(out, sum), io.LimitReader(in, f.Size+1))
	if err := errors.Join(err, out.Close()); isCorruptArchive(err) {
		return fmt.Errorf("%w: %w", errArchive, err)
	} else if err != nil {
		return err
	}
	if size != f.Size || hex.EncodeToString(sum.Sum(nil)) != f.SHA256 {
		return fmt.Errorf("%w: the checksum does not match", errArchive)
	}
	return nil
}

// checkSchema checks that a backup's database has the schema version in its manifest.
// Another program's database has none; opened for writing, it would be migrated and look
// empty.
func checkSchema(ctx context.Context, file string, want int) error {
	d, err := db.Open(ctx, db.Options{Path: file, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return fmt.Errorf("%w: %w", errArchive, err)
	}
	have, err := d.Version(ctx)
	err = errors.Join(err, d.Close())
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", errArchive, err)
	case have == 0:
		return fmt.Errorf("%w: its %s is not a database of Fillbook", errArchive, archiveDatabase)
	case have != want:
		return fmt.Errorf("%w: %s has schema version %d, the manifest says %d", errArchive, archiveDatabase, have, want)
	}
	return nil
}

// isCorruptArchive reports whether an error is caused by the archive and not by
// the disk.
func isCorruptArchive(err error) bool {
	_, corrupt := errors.AsType[flate.CorruptInputError](err)
	return corrupt || errors.Is(err, zip.ErrChecksum) || errors.Is(err, zip.ErrFormat) || errors.Is(err, io.ErrUnexpectedEOF)
}

func fileExists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}
