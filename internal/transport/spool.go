package transport

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

// Spool keeps on disk what would take too much memory: uploads that arrive, and
// answers that a client takes slowly. It counts what each user has there.
type Spool struct {
	dir  string
	room func() error // refuses more while the disk is nearly full; may be nil

	mu   sync.Mutex
	uses map[string]*spoolUse // only users with something in it
	// stalled bounds the answers that wait for their client although they hold
	// the database: those for which there is no room in the spool.
	stalled chan struct{}
}

// spoolUse is what one user has in the spool.
type spoolUse struct {
	bytes   int64
	answers int // that are being sent
}

const (
	// maxSpooled is how many bytes a user may have in the spool before new
	// uploads and long answers are refused.
	maxSpooled = 512 << 20
	// maxSpooledHard is how many they may reach with what is under way.
	maxSpooledHard = 4 << 30
	// maxLongAnswers is how many long answers of one user may be under way.
	maxLongAnswers = 32
	// maxStalled is how many answers may hold the database for their client.
	maxStalled = 2
	// spoolPattern names a file for the moment until it is unlinked.
	spoolPattern = "spool-*"
)

// NewSpool makes a spool in a directory, which it creates and empties of what a
// crash left there. Where that is not possible, as in a data directory that can
// only be read, it uses the system's directory for temporary files.
func NewSpool(dir string, room func() error) *Spool {
	s := &Spool{dir: dir, room: room, uses: map[string]*spoolUse{}, stalled: make(chan struct{}, maxStalled)}
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

// Check refuses a user who has too much in the spool to begin something new.
func (s *Spool) Check(user string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if use := s.uses[user]; use != nil && (use.bytes >= maxSpooled || use.answers >= maxLongAnswers) {
		return tooManyWaiting(turnRetryAfter)
	}
	return nil
}

// spoolFile is a temporary file. On most systems it has no name any more, so
// that nothing is left of it whatever happens to the process.
type spoolFile struct {
	*os.File
	spool *Spool
	user  string
	size  int64
	named bool // it could not be unlinked while it is open, as on Windows
}

func (s *Spool) create(user string) (*spoolFile, error) {
	file, err := os.CreateTemp(s.dir, spoolPattern)
	if err != nil {
		return nil, fmt.Errorf("creating a temporary file: %w", err)
	}
	return &spoolFile{File: file, spool: s, user: user, named: os.Remove(file.Name()) != nil}, nil
}

// errSpoolFull says that a user's part of the spool is used up.
var errSpoolFull = errors.New("the spool is full")

// writeAt writes at an offset, at most at the present end.
func (f *spoolFile) writeAt(p []byte, offset int64) error {
	if grown := offset + int64(len(p)) - f.size; grown > 0 {
		if err := f.spool.reserve(f.user, grown); err != nil {
			return err
		}
		f.size += grown
	}
	_, err := f.WriteAt(p, offset)
	return err
}

// Close removes the file.
func (f *spoolFile) Close() error {
	f.spool.change(f.user, func(use *spoolUse) { use.bytes -= f.size })
	f.size = 0
	err := f.File.Close()
	if f.named {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}

func (s *Spool) reserve(user string, size int64) error {
	if s.room != nil {
		if err := s.room(); err != nil {
			return err
		}
	}
	var err error
	s.change(user, func(use *spoolUse) {
		if use.bytes+size > maxSpooledHard {
			err = errSpoolFull
			return
		}
		use.bytes += size
	})
	return err
}

func (s *Spool) change(user string, by func(*spoolUse)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	use := s.uses[user]
	if use == nil {
		use = &spoolUse{}
		s.uses[user] = use
	}
	by(use)
	if *use == (spoolUse{}) {
		delete(s.uses, user)
	}
}
