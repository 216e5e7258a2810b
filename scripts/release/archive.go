package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"time"
)

// entry is a file or directory of an archive. Mode and owner are set here and
// not taken from the build machine, so that archives are reproducible.
type entry struct {
	name    string
	mode    fs.FileMode
	owner   int
	content []byte
}

func writeTarGzip(out io.Writer, entries []entry, modified time.Time) error {
	compressed, err := gzip.NewWriterLevel(out, gzip.BestCompression)
	if err != nil {
		return err
	}
	return errors.Join(writeTar(compressed, entries, modified), compressed.Close())
}

func writeTar(out io.Writer, entries []entry, modified time.Time) error {
	archive := tar.NewWriter(out)
	for _, e := range entries {
		header := &tar.Header{
			Typeflag: tar.TypeReg, Name: e.name, Size: int64(len(e.content)), Mode: int64(e.mode.Perm()),
			Uid: e.owner, Gid: e.owner, ModTime: modified, Format: tar.FormatUSTAR,
		}
		if e.mode.IsDir() {
			header.Typeflag = tar.TypeDir
		}
		if err := archive.WriteHeader(header); err != nil {
			return err
		}
		if _, err := archive.Write(e.content); err != nil {
			return err
		}
	}
	return archive.Close()
}

func writeZip(out io.Writer, entries []entry, modified time.Time) error {
	archive := zip.NewWriter(out)
	for _, e := range entries {
		header := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: modified}
		header.SetMode(e.mode)
		file, err := archive.CreateHeader(header)
		if err != nil {
			return err
		}
		if _, err := io.Copy(file, bytes.NewReader(e.content)); err != nil {
			return err
		}
	}
	return archive.Close()
}
