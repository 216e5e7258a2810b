package watch

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// extensions are the file types brokers write.
var extensions = []string{".csv", ".tsv", ".tab", ".txt", ".log", ".htm", ".html", ".xml", ".xlsx"}

// unfinished are the name endings for files a program is still writing.
var unfinished = []string{".crdownload", ".part", ".partial", ".tmp", ".download", ".swp", "~"}

// selects reports whether the folder selects files with this name.
func (f *Folder) selects(name string) bool {
	name = strings.ToLower(name)
	if strings.HasPrefix(name, ".") || strings.HasPrefix(name, "~$") {
		return false
	}
	if slices.ContainsFunc(unfinished, func(end string) bool { return strings.HasSuffix(name, end) }) {
		return false
	}
	if f.Pattern == "" {
		return slices.Contains(extensions, filepath.Ext(name))
	}
	matched, err := filepath.Match(strings.ToLower(f.Pattern), name)
	return matched && err == nil
}

// contains reports whether a path is in the folder, in the same way as a scan.
func (f *Folder) contains(path string) bool {
	dir := filepath.Dir(path)
	if dir == f.Path {
		return true
	}
	inside, err := filepath.Rel(f.Path, dir)
	return f.Recursive && err == nil && inside != ".." && !strings.HasPrefix(inside, ".."+string(filepath.Separator)) && !hasHidden(inside)
}

func hasHidden(path string) bool {
	return slices.ContainsFunc(strings.Split(path, string(filepath.Separator)), func(name string) bool { return strings.HasPrefix(name, ".") && name != "." })
}

// scan visits each selected file in the folder, and returns the directories read. It
// fails if the folder itself cannot be read; an unreadable folder inside is left out.
func (f *Folder) scan(visit func(path string, info fs.FileInfo)) (dirs []string, err error) {
	pending := []string{f.Path}
	for len(pending) > 0 {
		dir := pending[0]
		pending = pending[1:]
		entries, err := os.ReadDir(dir)
		if err != nil && dir == f.Path {
			return nil, err
		}
		if err == nil {
			dirs = append(dirs, dir)
		}
		for _, entry := range entries {
			path := filepath.Join(dir, entry.Name())
			if entry.IsDir() {
				if f.Recursive && !strings.HasPrefix(entry.Name(), ".") {
					pending = append(pending, path)
				}
				continue
			}
			if f.selects(entry.Name()) {
				if info, err := statFile(path); err == nil {
					visit(path, info)
				}
			}
		}
	}
	return dirs, nil
}

var errNotRegular = errors.New("not a regular file")

// statFile returns a regular file's attributes. A link is refused: otherwise
// a user with the right to write into the folder could have any file read that this
// program may read.
func statFile(path string) (fs.FileInfo, error) {
	info, err := statUnlinked(path)
	if err == nil && !info.Mode().IsRegular() {
		err = errNotRegular
	}
	return info, err
}

// statUnlinked returns the attributes of a file or folder that is not a link.
func statUnlinked(path string) (fs.FileInfo, error) {
	if isLink(path) {
		return nil, errNotRegular
	}
	return os.Stat(path) // Lstat calls some synchronizing programs' files on Windows irregular
}

func isLink(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}
