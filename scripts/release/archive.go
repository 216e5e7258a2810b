package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"
)

// entry is a file that goes into an archive. Owner, time and mode are ours to
// say, not those of the machine.
type entry struct {
	name string
	file string
	mode fs.FileMode
}

// writeFile writes a file by a function, and leaves nothing of one that failed.
func writeFile(name string, write func(io.Writer) error) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := errors.Join(write(file), file.Close()); err != nil {
		return errors.Join(err, os.Remove(name))
	}
	return nil
}

func tarOf(entries []entry, at time.Time) func(io.Writer) error {
	return func(out io.Writer) error {
		zipped, err := gzip.NewWriterLevel(out, gzip.BestCompression)
		if err != nil {
			return err
		}
		archive := tar.NewWriter(zipped)
		for _, e := range entries {
			content, err := os.ReadFile(e.file)
			if err != nil {
				return err
			}
			header := &tar.Header{
				Typeflag: tar.TypeReg, Name: e.name, Size: int64(len(content)), Mode: int64(e.mode),
				ModTime: at, Format: tar.FormatUSTAR,
			}
			if err := archive.WriteHeader(header); err != nil {
				return err
			}
			if _, err := archive.Write(content); err != nil {
				return err
			}
		}
		return errors.Join(archive.Close(), zipped.Close())
	}
}

func zipOf(entries []entry, at time.Time) func(io.Writer) error {
	return func(out io.Writer) error {
		archive := zip.NewWriter(out)
		for _, e := range entries {
			content, err := os.ReadFile(e.file)
			if err != nil {
				return err
			}
			header := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: at}
			header.SetMode(e.mode)
			part, err := archive.CreateHeader(header)
			if err != nil {
				return err
			}
			if _, err := part.Write(content); err != nil {
				return err
			}
		}
		return archive.Close()
	}
}
