package watch

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// maxFile is the maximum file size. Servers take 10 MiB unless they are set up for more.
const maxFile = 64 << 20

// errChanged means a file changed while it was read.
var errChanged = errors.New("the file changes")

// readContent reads a file, and returns errChanged if it is not as it was seen
// last, before or after.
func (a *Agent) readContent(f *watchedFile) (content []byte, err error) {
	file, err := a.open(f.path)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // it was only read
	if changed(file, f.size, f.modTime) {
		return nil, errChanged
	}
	content, err = io.ReadAll(io.LimitReader(file, f.size+1))
	if err != nil {
		return nil, err
	}
	if int64(len(content)) != f.size || changed(file, f.size, f.modTime) {
		return nil, errChanged
	}
	return content, nil
}

func changed(file *os.File, size, modTime int64) bool {
	info, err := file.Stat()
	return err != nil || info.Size() != size || info.ModTime().UnixNano() != modTime
}

func hashContent(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// isComplete reports whether the end of a file looks like the end of its type. A file
// still being written often does not.
func isComplete(name string, content []byte) bool {
	switch extension := strings.ToLower(filepath.Ext(name)); extension {
	case ".xlsx", ".zip":
		_, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
		return err == nil
	case ".htm", ".html", ".xml":
		end := bytes.ToLower(content[max(0, len(content)-512):])
		end = bytes.TrimSpace(bytes.ReplaceAll(end, []byte{0}, nil)) // UTF-16
		if extension == ".xml" {
			return bytes.HasSuffix(end, []byte(">"))
		}
		return bytes.HasSuffix(end, []byte("</html>"))
	case ".hst", ".scid", ".dbn", ".gz", ".zst": // packed or binary price files
		return true
	case ".json":
		end := bytes.TrimSpace(content)
		return bytes.HasSuffix(end, []byte("}")) || bytes.HasSuffix(end, []byte("]"))
	default:
		return len(content) == lastLineEnd(content)
	}
}

// isLines reports whether a file with this name consists of lines.
func isLines(name string) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".xlsx", ".zip", ".htm", ".html", ".xml", ".json", ".hst", ".scid", ".dbn", ".gz", ".zst":
		return false
	}
	return true
}

// isWide reports whether content is UTF-16 with the low byte first.
func isWide(content []byte) bool { return bytes.HasPrefix(content, []byte{0xff, 0xfe}) }

// lastLineEnd returns the offset after the last line break, 0 if none.
func lastLineEnd(content []byte) int {
	if !isWide(content) {
		return bytes.LastIndexByte(content, '\n') + 1
	}
	for i := len(content)&^1 - 2; i >= 0; i -= 2 {
		if content[i] == '\n' && content[i+1] == 0 {
			return i + 2
		}
	}
	return 0
}

// hasShortTail reports whether the last line has no line break and fewer separators than
// the line before it, so it is certainly cut off.
func hasShortTail(content []byte) bool {
	end := lastLineEnd(content)
	if end == len(content) {
		return false
	}
	before, tail := content[:end], content[end:]
	before = before[lastLineEnd(bytes.TrimRight(before, "\r\n\x00")):]
	if bytes.Count(tail, []byte{'"'})%2 == 1 {
		return true
	}
	separator := byte(',')
	for _, other := range []byte(";\t|") {
		if countSeparators(before, other) > countSeparators(before, separator) {
			separator = other
		}
	}
	return countSeparators(tail, separator) < countSeparators(before, separator)
}

// countSeparators counts a separator outside quotes.
func countSeparators(line []byte, separator byte) (n int) {
	quoted := false
	for _, b := range line {
		switch {
		case b == '"':
			quoted = !quoted
		case b == separator && !quoted:
			n++
		}
	}
	return n
}
