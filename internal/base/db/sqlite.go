package db

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the driver named "sqlite"
)

// defaultReaders is enough for two to eight cores.
const defaultReaders = 6

// pragmas for every connection. busy_timeout comes first because the others may have to
// wait; FULL makes an acknowledged write survive a power cut.
var pragmas = []string{
	"busy_timeout(10000)",
	"journal_mode(WAL)",
	"synchronous(FULL)",
	"foreign_keys(ON)",
	"trusted_schema(OFF)",
	"cell_size_check(ON)",
	"temp_store(MEMORY)",
	"journal_size_limit(67108864)",
	"secure_delete(FAST)",
}

// Page cache in KiB: the writer's contains every index's upper levels for a large
// journal; a reader needs less.
const (
	writerCache = "cache_size(-65536)"
	readerCache = "cache_size(-8192)"
	spareCache  = "cache_size(-2048)"
)

// spareReaders is how many more reading connections than defaultReaders are opened if all
// are in use. A client reading a long list slowly occupies one.
const spareReaders = 48

func openSQLite(ctx context.Context, options Options) (*DB, error) {
	if err := checkFile(options.Path); err != nil {
		return nil, err
	}
	err := createPrivate(options.Path)
	locked := isLocked(options.Path, err)
	if err != nil && !locked {
		return nil, fmt.Errorf("making the database file: %w", err)
	}
	readers := options.Readers
	if readers <= 0 {
		readers = defaultReaders
	}
	d := &DB{
		engine: SQLite, path: options.Path, log: options.Log, readOnly: locked,
		failed: make(chan struct{}), leastRoom: cmp.Or(options.LeastRoom, DefaultLeastRoom),
		statements: cmp.Or(options.Statements, maxStatements),
		wait:       options.Wait, holds: holds{byOwner: map[int64]*hold{}}, partTime: defaultPartTime,
	}
	d.litePool = &litePool{
		db: d, writer: make(chan *session, 1), readers: newSessionStack(readers + spareReaders), maxReaders: readers + spareReaders,
		cachedReaders: readers, closed: make(chan struct{}),
	}
	if err := d.connect(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("opening the database file: %w", translate(err)), d.closeSQLite())
	}
	if err := (&recovery{d}).startParts(ctx, options.Server); err != nil {
		return nil, errors.Join(fmt.Errorf("opening the database file: %w", err), d.closeSQLite())
	}
	go d.shrinkIdle()
	return d, nil
}

// idleTime is how long a connection must not have been used before its page
// cache is released; at most twice as long passes.
const idleTime = 5 * time.Second

// shrinkIdle releases idle connections' memory until the database is closed. A large
// import or a long list fills its connection's cache, which would keep it for good.
func (p *litePool) shrinkIdle() {
	ticker := time.NewTicker(idleTime)
	defer ticker.Stop()
	for {
		select {
		case <-p.closed:
			return
		case <-ticker.C:
		}
		select {
		case w := <-p.writer:
			w.shrinkIfIdle()
			p.writer <- w
		default:
		}
		p.readers.each((*session).shrinkIfIdle)
	}
}

// shrinkIfIdle releases the memory in a connection not used since the last call, once.
func (s *session) shrinkIfIdle() {
	switch s.uses {
	case s.shrunkAt:
	case s.checkedAt:
		s.shrink()
	default:
		s.checkedAt = s.uses
	}
}

// shrink releases a connection's page cache.
func (s *session) shrink() {
	_, _ = s.conn.ExecContext(context.Background(), "PRAGMA shrink_memory")
	s.checkedAt, s.shrunkAt = s.uses, s.uses
}

// connect opens the writing connection and a reading one, so a damaged file is detected
// at the start and not by the first request. The other readers are opened when they are
// needed: each takes time and memory.
func (p *litePool) connect(ctx context.Context) error {
	var err error
	if p.file, err = sql.Open("sqlite", p.dsn()); err != nil {
		return err
	}
	if !p.db.readOnly {
		writer, err := p.newSession(ctx)
		if err != nil {
			return err
		}
		p.writer <- writer
		p.made.writers++
	}
	reader, err := p.newReader(ctx, readerCache)
	if err != nil {
		return err
	}
	p.readers.push(reader)
	p.made.readers++
	return nil
}

func (p *litePool) newReader(ctx context.Context, cache string) (*session, error) {
	reader, err := p.newSession(ctx)
	if err != nil {
		return nil, err
	}
	for _, pragma := range []string{cache, "query_only(ON)"} {
		if _, err := reader.conn.ExecContext(ctx, "PRAGMA "+pragma); err != nil {
			return nil, errors.Join(err, reader.conn.Close())
		}
	}
	return reader, nil
}

// addReader opens another reading connection. It returns nil if there are
// enough, if it fails, or if the database is closed.
func (p *litePool) addReader(ctx context.Context) *session {
	p.making.Lock()
	defer p.making.Unlock()
	select {
	case <-p.closed:
		return nil
	default:
	}
	if p.made.readers >= p.maxReaders {
		return nil
	}
	cache := readerCache
	if p.made.readers >= p.cachedReaders {
		cache = spareCache
	}
	reader, err := p.newReader(context.WithoutCancel(ctx), cache)
	if err != nil {
		p.db.log.Debug("cannot open another connection", "error", err)
		return nil
	}
	p.made.readers++
	return reader
}

func (p *litePool) newSession(ctx context.Context) (*session, error) {
	conn, err := p.file.Conn(ctx)
	if err != nil {
		return nil, err
	}
	s := &session{engine: SQLite, conn: conn, statements: map[string]*statement{}, db: p.db}
	// The connection is not used through conn at the same time, and conn is
	// open as long as the session.
	err = conn.Raw(func(own any) error {
		s.lite = own.(driver.Conn)
		s.handle = connectionHandle(s.lite)
		return nil
	})
	return s, err
}

func (p *litePool) dsn() string {
	query := url.Values{}
	if p.db.readOnly {
		query = lockedFile(p.db.path)
	}
	for _, pragma := range append(append([]string{}, pragmas...), writerCache) {
		if p.db.readOnly && isWriting(pragma) {
			continue
		}
		query.Add("_pragma", pragma)
	}
	return fileURL(p.db.path, query)
}

// fileURL returns a file's SQLite URL, for any characters in its path.
func fileURL(path string, query url.Values) string {
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + query.Encode()
}

func (p *litePool) closeSQLite() (err error) {
	p.closing.Do(func() {
		close(p.closed)
		if p.file == nil {
			return
		}
		late, cancel := context.WithTimeout(context.Background(), p.db.wait)
		defer cancel()
		p.making.Lock()
		readers := p.made.readers
		p.making.Unlock()
		receive(late, p.readers.ready, readers, func(struct{}) { p.readers.pop().close() })
		receive(late, p.writer, p.made.writers, func(w *session) {
			_, _ = w.conn.ExecContext(context.Background(), "PRAGMA wal_checkpoint(TRUNCATE)")
			w.close()
		})
		err = p.file.Close()
		if p.db.unlock != nil {
			p.db.unlock()
		}
	})
	return err
}

// receive calls fn with that many channel elements, until ctx is done.
func receive[T any](ctx context.Context, from <-chan T, count int, fn func(T)) {
	for range count {
		select {
		case element := <-from:
			fn(element)
		case <-ctx.Done():
			return
		}
	}
}

// sqliteMagic begins every SQLite file.
const sqliteMagic = "SQLite format 3\x00"

// checkFile returns an error if the file exists and is not a SQLite database.
// SQLite itself would report it only later.
func checkFile(path string) error {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("opening the database file: %w", err)
	}
	defer f.Close() //nolint:errcheck // only read
	head := make([]byte, len(sqliteMagic))
	n, err := io.ReadFull(f, head)
	if errors.Is(err, io.EOF) && n == 0 {
		return nil // a new file that was not written yet
	}
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("reading the database file: %w", err)
	}
	if string(head) != sqliteMagic {
		return fmt.Errorf("%w: %s is not a SQLite database", ErrDamaged, path)
	}
	return nil
}

// createPrivate creates the file, readable only by its owner, before anything
// is written to it; SQLite gives its -wal and -shm files the same mode.
func createPrivate(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(f.Chmod(0o600), f.Close())
}

// compactPages is from how many pages a file is worth compacting.
const compactPages = 1024

// compact returns dropped tables' space to the file system if it is at least half the
// file. Free pages are used again anyway, so a failure is only logged.
func (d *DB) compact(ctx context.Context) {
	if d.engine != SQLite {
		return
	}
	err := d.withWriter(ctx, func(s *session) error {
		var pages, free, size uint64
		err := s.conn.QueryRowContext(ctx, `SELECT page_count, freelist_count, page_size
			FROM pragma_page_count, pragma_freelist_count, pragma_page_size`).Scan(&pages, &free, &size)
		if err != nil || pages < compactPages || 2*free < pages {
			return err
		}
		if err := d.CheckRoom(2 * (pages - free) * size); err != nil { // a temporary file and the log
			return err
		}
		// The temporary database copy must not be in memory.
		defer s.conn.ExecContext(context.WithoutCancel(ctx), "PRAGMA temp_store(MEMORY)") //nolint:errcheck // cannot fail
		for _, statement := range []string{"PRAGMA temp_store(FILE)", "VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"} {
			if _, err := s.conn.ExecContext(ctx, statement); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		d.log.Warn("database file not compacted", "error", err)
	}
}

// Snapshot writes a consistent database copy to a new file, readable only by its owner,
// while the database is in use. A failed copy is removed, and an existing file is not
// changed. It works only on SQLite; PostgreSQL has its own tools.
func (d *DB) Snapshot(ctx context.Context, to string) error {
	if d.engine != SQLite {
		return errors.New("a snapshot file can only be made of SQLite; use pg_dump for PostgreSQL")
	}
	// The file is private from the start: VACUUM INTO accepts an empty file.
	f, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("copying the database: %w", err)
	}
	defer f.Close() //nolint:errcheck // nothing is written through it
	err = d.withReader(ctx, func(s *session) error {
		// VACUUM INTO reads one snapshot and writes elsewhere, but counts
		// as a write to query_only.
		defer s.conn.ExecContext(context.WithoutCancel(ctx), "PRAGMA query_only(ON)") //nolint:errcheck // cannot fail
		if _, err := s.conn.ExecContext(ctx, "PRAGMA query_only(OFF)"); err != nil {
			return err
		}
		_, err := s.conn.ExecContext(ctx, "VACUUM INTO $1", to)
		return err
	})
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		return errors.Join(fmt.Errorf("copying the database: %w", translate(err)), os.Remove(to))
	}
	return nil
}

// Inspect runs SQLite's integrity checks and returns the problems they find. With quick
// it does not compare indexes with their tables.
func (d *DB) Inspect(ctx context.Context, quick bool) ([]string, error) {
	if d.engine != SQLite {
		return nil, nil
	}
	checks := []string{"PRAGMA integrity_check", "PRAGMA foreign_key_check"}
	if quick {
		checks = []string{"PRAGMA quick_check"}
	}
	var problems []string
	err := d.Peek(ctx, func(tx *Tx) error {
		defer tx.session.shrink() // the whole file went through the cache
		for _, check := range checks {
			found, err := runPragmaCheck(ctx, tx, check)
			if err != nil {
				return err
			}
			problems = append(problems, found...)
		}
		return nil
	})
	return problems, err
}

func runPragmaCheck(ctx context.Context, tx *Tx, check string) ([]string, error) {
	rows, err := tx.Query(ctx, check)
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // rows.Err is checked below
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	var problems []string
	for rows.Next() {
		cells := make([]sql.NullString, len(columns))
		into := make([]any, len(columns))
		for i := range cells {
			into[i] = &cells[i]
		}
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		words := []string{check}
		for _, cell := range cells {
			words = append(words, cell.String)
		}
		if len(cells) != 1 || cells[0].String != "ok" {
			problems = append(problems, strings.Join(words, " "))
		}
	}
	return problems, translate(rows.Err())
}
