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

	"fillbook/internal/db"
	"fillbook/internal/journal"
)

// What a backup of a whole installation holds: the database as a SQLite file,
// whichever engine it came from, the attached files, and a list of both with
// their checksums. The server's secret is not in it.
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
	File string `arg:"" help:"The zip to write; a file that is there is not overwritten."`
}

// Run writes everything that the installation holds into one file while the
// server runs: one snapshot, from SQLite and PostgreSQL alike.
func (c backupCommand) Run(env *environment, s *settings) error {
	if fileExists(c.File) {
		return fmt.Errorf("%s is there already", c.File)
	}
	services, done, err := s.journals(env)
	if err != nil {
		return err
	}
	defer done()
	dir, err := os.MkdirTemp(filepath.Dir(c.File), ".fillbook-backup-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary directory
	copied, closeCopy, err := s.openPlace(env, filepath.Join(dir, archiveDatabase), true)
	if err != nil {
		return err
	}
	err = copyInto(env, services, copied)
	closeCopy()
	if err != nil {
		return err
	}
	if err := writeWhole(c.File, func(out io.Writer) error { return pack(dir, out) }); err != nil {
		return err
	}
	_, err = fmt.Fprintf(env.stdout, "%s holds everything but the server's secret; keep that (%s) apart from it\n",
		c.File, secretPlace(s))
	return err
}

// secretPlace tells the operator where the secret is.
func secretPlace(s *settings) string {
	if s.JWTSecret != "" {
		return "SVC_JWT_SECRET"
	}
	return filepath.Join(s.DataDir, secretFile)
}

// pack writes the files of a directory into a zip, and their list at the end.
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
	defer in.Close() //nolint:errcheck // it is only read
	entry, err := archive.Create(as)
	if err != nil {
		return manifestFile{}, err
	}
	sum := sha256.New()
	size, err := io.Copy(io.MultiWriter(entry, sum), in)
	return manifestFile{as, size, hex.EncodeToString(sum.Sum(nil))}, err
}

type restoreCommand struct {
	File   string `arg:"" type:"existingfile" help:"A zip that 'fillbook backup' wrote."`
	DryRun bool   `name:"dry-run" help:"Only check the file and tell what it holds."`
}

// Run puts a backup into the installation of the settings, which must have no
// user. Every file is compared with its checksum first.
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
	saved, closeSaved, err := s.openPlace(env, filepath.Join(dir, archiveDatabase), true) // an older schema is brought up to date
	if err != nil {
		return err
	}
	defer closeSaved()
	users, err := saved.Identity.Users(env.ctx)
	if err != nil {
		return err
	}
	if c.DryRun {
		_, err = fmt.Fprintf(env.stdout, "the backup is whole: %s\n", counted(len(users), "user"))
		return err
	}
	services, done, err := s.emptyJournals(env)
	if err != nil {
		return err
	}
	defer done()
	if err := copyInto(env, saved, services); err != nil {
		return err
	}
	_, err = fmt.Fprintf(env.stdout, "restored %s; the server needs the secret that it had then (%s)\n", counted(len(users), "user"), secretPlace(s))
	return err
}

var errArchive = errors.New("this is not a backup that 'fillbook backup' wrote, or it is damaged")

// unpack writes the files of a backup into a directory, each compared with its
// checksum. Names come from the list and cannot lead out of the directory.
func unpack(file, dir string) (manifest, error) {
	archive, err := zip.OpenReader(file)
	if err != nil {
		return manifest{}, fmt.Errorf("%w: %w", errArchive, err)
	}
	defer archive.Close() //nolint:errcheck // it is only read
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
	defer in.Close() //nolint:errcheck // it is only read
	if err := root.MkdirAll(path.Dir(f.Path), 0o700); err != nil {
		return err
	}
	out, err := root.OpenFile(f.Path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	sum := sha256.New()
	size, err := io.Copy(io.MultiWriter(out, sum), io.LimitReader(in, f.Size+1))
	if err := errors.Join(err, out.Close()); isDamage(err) {
		return fmt.Errorf("%w: %w", errArchive, err)
	} else if err != nil {
		return err
	}
	if size != f.Size || hex.EncodeToString(sum.Sum(nil)) != f.SHA256 {
		return fmt.Errorf("%w: the checksum does not agree", errArchive)
	}
	return nil
}

// checkSchema refuses the database of a backup whose schema is not the one that
// the backup's list names. A database of another program has no schema of ours
// at all: opened for writing, it would be migrated and look like an empty one.
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
		return fmt.Errorf("%w: %s in it is not a database of Fillbook", errArchive, archiveDatabase)
	case have != want:
		return fmt.Errorf("%w: %s has schema version %d and the list says %d", errArchive, archiveDatabase, have, want)
	}
	return nil
}

// isDamage tells an archive that cannot be read from a disk that cannot be
// written.
func isDamage(err error) bool {
	_, corrupt := errors.AsType[flate.CorruptInputError](err)
	return corrupt || errors.Is(err, zip.ErrChecksum) || errors.Is(err, zip.ErrFormat) || errors.Is(err, io.ErrUnexpectedEOF)
}

func fileExists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}
