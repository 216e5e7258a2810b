package watch

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Outcome is what happened to a file.
type Outcome string

// The outcomes final until the file changes.
const (
	Imported Outcome = "imported"
	// Unchanged means the server has everything in the file already.
	Unchanged Outcome = "unchanged"
	// Skipped means the file is not recognized as a broker's.
	Skipped Outcome = "skipped"
	// Refused means the file is recognized and cannot be imported as it is.
	Refused Outcome = "refused"
)

// Record is what is known about a handled file.
type Record struct {
	Path string `json:"path"`
	// Size and ModTime are the file's when it was read.
	Size    int64 `json:"size"`
	ModTime int64 `json:"mtime"`
	// Sent is how much of the file was sent, from its beginning: an incomplete row is
	// left for later. Hash is that part's SHA-256.
	Sent int64  `json:"sent"`
	Hash string `json:"hash"`
	// Settings are the folder's; with others the file is sent again.
	Settings string  `json:"settings"`
	Outcome  Outcome `json:"outcome"`
	Message  string  `json:"message"`
	Import   string  `json:"import,omitempty"`
	// Grows is whether the file was seen to grow at its end, as a log does.
	Grows bool `json:"grows,omitempty"`
}

// State remembers the handled files, in a file that survives a crash at any moment. Each
// record is one line, appended and synced, because replacing a state with 10,000 files
// for each of them would write gigabytes. A line cut off by a crash is dropped when the
// file is opened; its file is then handled again, which changes nothing on the server.
// Opening replaces the file atomically if many of its lines are outdated.
type State struct {
	file   *os.File
	byPath map[string]Record
	byHash map[string]Record
}

// compactAt is from how many outdated lines on the file is replaced.
const compactAt = 1000

// OpenState opens or creates a state file.
func OpenState(name string) (*State, error) {
	s := &State{byPath: map[string]Record{}, byHash: map[string]Record{}}
	lines, valid, err := s.load(name)
	if err != nil {
		return nil, fmt.Errorf("reading the state: %w", err)
	}
	if lines-len(s.byPath) >= compactAt {
		if err := s.replace(name); err != nil {
			return nil, fmt.Errorf("writing the state: %w", err)
		}
		valid = -1
	}
	s.file, err = os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening the state: %w", err)
	}
	if valid >= 0 {
		err = s.file.Truncate(valid)
	}
	if _, failed := s.file.Seek(0, io.SeekEnd); err != nil || failed != nil {
		return nil, fmt.Errorf("repairing the state: %w", errors.Join(err, failed, s.file.Close()))
	}
	return s, nil
}

// LoadState reads a state file and changes nothing.
func LoadState(name string) (*State, error) {
	s := &State{byPath: map[string]Record{}, byHash: map[string]Record{}}
	if _, _, err := s.load(name); err != nil {
		return nil, fmt.Errorf("reading the state: %w", err)
	}
	return s, nil
}

// load reads all complete lines and returns their number and their length.
func (s *State) load(name string) (lines int, valid int64, err error) {
	content, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) {
		return 0, 0, nil
	}
	if err != nil {
		return 0, 0, err
	}
	for line := range bytes.Lines(content) {
		if line[len(line)-1] != '\n' {
			break
		}
		valid += int64(len(line))
		var r Record
		// A damaged line costs one more upload.
		if json.Unmarshal(line, &r) == nil && r.Path != "" {
			lines++
			s.remember(r)
		}
	}
	return lines, valid, nil
}

func (s *State) remember(r Record) {
	s.byPath[r.Path] = r
	if r.Hash != "" {
		s.byHash[r.Settings+"|"+r.Hash] = r
	}
}

// replace writes all records to a new file and renames it. Records for deleted files are
// kept, because their content may come back under another name.
func (s *State) replace(name string) (err error) {
	file, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = file.Close()
			err = errors.Join(err, os.Remove(file.Name()))
		}
	}()
	out := bufio.NewWriter(file)
	for _, r := range s.byPath {
		if err := writeRecord(out, r); err != nil {
			return err
		}
	}
	if err := errors.Join(out.Flush(), file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), name)
}

// writeRecord writes a record with a single call, so a crash can only cut it.
func writeRecord(out io.Writer, r Record) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	_, err = out.Write(append(line, '\n'))
	return err
}

// Add stores a record on disk.
func (s *State) Add(r Record) error {
	s.remember(r)
	if s.file == nil {
		return nil
	}
	if err := errors.Join(writeRecord(s.file, r), s.file.Sync()); err != nil {
		return fmt.Errorf("writing the state: %w", err)
	}
	return nil
}

// Find returns the record for a path.
func (s *State) Find(path string) (Record, bool) {
	r, ok := s.byPath[path]
	return r, ok
}

// FindContent returns a record for the same content with the same settings.
func (s *State) FindContent(settings, hash string) (Record, bool) {
	r, ok := s.byHash[settings+"|"+hash]
	return r, ok
}

// Refused returns the records for refused files.
func (s *State) Refused() []Record {
	var list []Record
	for _, r := range s.byPath {
		if r.Outcome == Refused {
			list = append(list, r)
		}
	}
	return list
}

// Close closes the file.
func (s *State) Close() error { return s.file.Close() }
