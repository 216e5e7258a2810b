package columns

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"fillbook/internal/base/journal"
	"fillbook/internal/figures/analytics"
)

const (
	// minStored is the trade count from which on columns are stored; fewer are read from
	// the database in a moment.
	minStored = 8192
	// maxUnstored is the update count after which columns are stored again. It must be
	// well below the number of revisions in the ledger's log.
	maxUnstored = 250
	// storeDelay is how long columns wait to be stored: a page sends several requests at once,
	// and an import may be followed by another.
	storeDelay = 2 * time.Second
	// storedFor is how long columns are stored without being read.
	storedFor = 7 * 24 * time.Hour

	storedSuffix = ".columns"
	tempSuffix   = ".tmp"
)

// columnStore stores the columns for large accounts as files. A file has its columns'
// revision and is only used if the account's log has it too, so an outdated or foreign
// file does no harm. Errors are not reported: without a file the trades are read.
type columnStore struct {
	dir       string // empty if nothing is stored
	minTrades int    // columns with fewer trades are not stored
	delay     time.Duration

	mu      sync.Mutex
	waiting map[journal.AccountID]*accountData // to be written
	running bool                               // writeWaiting runs
	writing sync.WaitGroup
}

func newColumnStore(dir string) *columnStore {
	return &columnStore{dir: dir, minTrades: minStored, delay: storeDelay, waiting: map[journal.AccountID]*accountData{}}
}

// path returns an account's file. An id may be any text.
func (s *columnStore) path(account journal.AccountID) string {
	sum := sha256.Sum256([]byte(account))
	return filepath.Join(s.dir, hex.EncodeToString(sum[:16])+storedSuffix)
}

// header returns a file's first line, with its own checksum.
func (s *columnStore) header(account journal.AccountID, revision int64) string {
	line := fmt.Sprintf("fillbook-columns %d %d", analytics.StoredFormat, revision)
	return fmt.Sprintf("%s %08x\n", line, crc32.ChecksumIEEE([]byte(line+" "+string(account))))
}

// read returns an account's stored columns, nil if there are none.
func (s *columnStore) read(account journal.AccountID) *accountData {
	if s.dir == "" {
		return nil
	}
	path := s.path(account)
	f, err := os.Open(path) // the name is a hash
	if err != nil {
		return nil
	}
	defer f.Close() //nolint:errcheck // nothing was written
	data, err := s.decode(account, bufio.NewReaderSize(f, 1<<20))
	if err != nil {
		_ = os.Remove(path)
		return nil
	}
	_ = os.Chtimes(path, time.Time{}, time.Now()) //nolint:forbidigo // files have the time of the system; Sweep compares it
	return data
}

func (s *columnStore) decode(account journal.AccountID, r *bufio.Reader) (*accountData, error) {
	line, err := r.ReadString('\n')
	if err != nil {
		return nil, err
	}
	data := &accountData{}
	var format int
	if _, err := fmt.Sscanf(line, "fillbook-columns %d %d", &format, &data.revision); err != nil {
		return nil, err
	}
	if line != s.header(account, data.revision) {
		return nil, errors.New("the columns are of another version or account")
	}
	if data.columns, err = analytics.ReadColumns(account, r); err != nil {
		return nil, err
	}
	data.open, err = analytics.ReadColumns(account, r)
	return data, err
}

// write stores an account's columns in the background.
func (s *columnStore) write(account journal.AccountID, data *accountData) {
	if s.dir == "" || data.columns.Len() < s.minTrades {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting[account] = data
	if !s.running {
		s.running = true
		s.writing.Go(s.writeWaiting)
	}
}

// writeWaiting writes one account after the other until none waits.
func (s *columnStore) writeWaiting() {
	<-time.After(s.delay)
	for {
		account, data := s.next()
		if data == nil {
			return
		}
		_ = s.writeFile(account, data)
	}
}

// next removes and returns a waiting account, or nil.
func (s *columnStore) next() (journal.AccountID, *accountData) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for account, data := range s.waiting {
		delete(s.waiting, account)
		return account, data
	}
	s.running = false
	return "", nil
}

func (s *columnStore) writeFile(account journal.AccountID, data *accountData) (err error) {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(s.dir, "*"+tempSuffix) // only the owner may read it
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(f, 1<<20)
	_, err = io.WriteString(out, s.header(account, data.revision))
	for _, columns := range []*analytics.Columns{data.columns, data.open} {
		if err == nil {
			err = columns.Write(out)
		}
	}
	err = errors.Join(err, out.Flush(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), s.path(account))
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// Forget removes a deleted account's stored columns.
func (s *Service) Forget(account journal.AccountID) {
	if s.store.dir != "" {
		_ = os.Remove(s.store.path(account))
	}
}

// Sweep removes stored columns unused for a week, such as those for an account deleted by
// another server, and files from interrupted writes.
func (s *Service) Sweep(now time.Time) error {
	if s.store.dir == "" {
		return nil
	}
	files, err := os.ReadDir(s.store.dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	for _, file := range files {
		info, infoErr := file.Info()
		if infoErr != nil {
			continue
		}
		age := now.Sub(info.ModTime())
		if strings.HasSuffix(file.Name(), storedSuffix) && age > storedFor || strings.HasSuffix(file.Name(), tempSuffix) && age > time.Hour {
			err = errors.Join(err, os.Remove(filepath.Join(s.store.dir, file.Name())))
		}
	}
	return err
}
