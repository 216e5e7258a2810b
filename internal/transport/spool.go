package transport

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
)

// Spool stores on disk what would use too much memory: uploads, and responses read slowly
// by a client. It counts each user's use.
type Spool struct {
	dir        string
	checkSpace func() error // returns an error if the disk is nearly full; may be nil

	mu   sync.Mutex
	uses map[string]*spoolUse // only users with data in the spool
	// stalled limits the responses waiting for their client while they use the database,
	// because the spool is full.
	stalled chan struct{}
}

// spoolUse is what one user has in the spool.
type spoolUse struct {
	bytes     int64
	responses int // being sent
}

const (
	// maxSpooled is how many bytes a user may have in the spool before new
	// uploads and long responses are rejected.
	maxSpooled = 512 << 20
	// maxSpooledHard is the same limit for requests that have already started.
	maxSpooledHard = 4 << 30
	// maxLongResponses is the maximum number of long responses in progress per user.
	maxLongResponses = 32
	// maxStalled is how many responses may wait for their client while they use
	// the database.
	maxStalled = 2
	// spoolPattern is a file's name until it is unlinked.
	spoolPattern = "spool-*"
)

// NewSpool returns a spool in a directory. It creates the directory and removes files
// left by a crash. If this fails, as in a read-only data directory, it uses the system's
// directory for temporary files.
func NewSpool(dir string, checkSpace func() error) *Spool {
	s := &Spool{dir: dir, checkSpace: checkSpace, uses: map[string]*spoolUse{}, stalled: make(chan struct{}, maxStalled)}
	if dir == "" || os.MkdirAll(dir, 0o700) != nil {
		s.dir = os.TempDir()
		return s
	}
	left, _ := filepath.Glob(filepath.Join(dir, spoolPattern))
	for _, name := range left {
		_ = os.Remove(name)
	}
	return s
}

// Check returns an error if a user has too much in the spool to start another
// request.
func (s *Spool) Check(user string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if use := s.uses[user]; use != nil && (use.bytes >= maxSpooled || use.responses >= maxLongResponses) {
		return tooManyWaiting(queueRetryAfter)
	}
	return nil
}

// spoolFile is a temporary file. On most systems it is unlinked already, so nothing
// remains if the process ends.
type spoolFile struct {
	*os.File
	spool *Spool
	user  string
	size  int64
	named bool // an open file cannot be unlinked, as on Windows
}

func (s *Spool) create(user string) (*spoolFile, error) {
	file, err := os.CreateTemp(s.dir, spoolPattern)
	if err != nil {
		return nil, fmt.Errorf("creating a temporary file: %w", err)
	}
	return &spoolFile{File: file, spool: s, user: user, named: os.Remove(file.Name()) != nil}, nil
}

// errSpoolFull is returned if a user has reached maxSpooledHard.
var errSpoolFull = errors.New("the spool is full")

// writeAt writes at an offset, at most at the end of the file.
func (f *spoolFile) writeAt(p []byte, offset int64) error {
	if grown := offset + int64(len(p)) - f.size; grown > 0 {
		if err := f.spool.reserve(f.user, grown); err != nil {
			return err
		}
		f.size += grown
	}
	_, err := f.File.WriteAt(p, offset)
	return err
}

// WriteAt implements [io.WriterAt] and counts what the user has in the spool.
func (f *spoolFile) WriteAt(p []byte, offset int64) (int, error) {
	if err := f.writeAt(p, offset); err != nil {
		return 0, err
	}
	return len(p), nil
}

// TempFile is a temporary spool file. Closing it removes it.
type TempFile interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
}

// CreateTemp creates a temporary file for a user. What is written counts as their use.
func (s *Spool) CreateTemp(user string) (TempFile, error) { return s.create(user) }

// Close removes the file.
func (f *spoolFile) Close() error {
	f.spool.updateUse(f.user, func(use *spoolUse) { use.bytes -= f.size })
	f.size = 0
	err := f.File.Close()
	if f.named {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}

func (s *Spool) reserve(user string, size int64) error {
	if s.checkSpace != nil {
		if err := s.checkSpace(); err != nil {
			return err
		}
	}
	var err error
	s.updateUse(user, func(use *spoolUse) {
		if use.bytes+size > maxSpooledHard {
			err = errSpoolFull
			return
		}
		use.bytes += size
	})
	return err
}

func (s *Spool) updateUse(user string, update func(*spoolUse)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	use := s.uses[user]
	if use == nil {
		use = &spoolUse{}
		s.uses[user] = use
	}
	update(use)
	if *use == (spoolUse{}) {
		delete(s.uses, user)
	}
}
