package db

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"

	"fillbook/internal/base/lazyregexp"
)

// hold is a user's long write under way; see [DB.UpdateInParts]. Other transactions that
// write the user's rows wait for its end, and those reading them see the state before it.
type hold struct {
	owner    int64
	reader   *session // reads the state before, so it stays readable
	snapshot uintptr  // SQLite's handle of that state; 0 before it is known
	ended    chan struct{}
}

// holds are the long writes under way.
type holds struct {
	count   atomic.Int64 // all, so other transactions need no lock
	begun   atomic.Int64 // how many snapshots were ever taken
	mu      sync.Mutex   // guards byOwner, and snapshots while one is opened
	byOwner map[int64]*hold
}

// find returns an owner's hold, or nil.
func (h *holds) find(owner int64) *hold {
	if h.count.Load() == 0 {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.byOwner[owner]
}

// owners returns the hold owners with a snapshot.
func (h *holds) owners() (list []int64) {
	if h.count.Load() == 0 {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for owner, held := range h.byOwner {
		if held.snapshot != 0 {
			list = append(list, owner)
		}
	}
	return list
}

// heldError makes Update wait for a hold's end and run again.
type heldError struct{ hold *hold }

func (e *heldError) Error() string { return "a long write of the user is under way" }

func (e *heldError) Unwrap() error { return ErrUnavailable }

// errHalf means that a transaction has read something and then rows for a user whose long
// write was under way when it began.
var errHalf = fmt.Errorf("%w: a long write of the user is under way", ErrUnavailable)

// wait waits until the hold ends, as long as for a connection.
func (e *heldError) wait(ctx context.Context, d *DB) error {
	_, err := acquire(ctx, d, e.hold.ended)
	return err
}

// beginHold waits for the owner's other long writes, and begins one.
func (d *DB) beginHold(ctx context.Context, owner int64) (*hold, error) {
	for {
		h := &hold{owner: owner, ended: make(chan struct{})}
		err := d.withWriter(ctx, func(s *session) error { return d.register(ctx, s, h) })
		if other, ok := errors.AsType[*heldError](err); ok {
			err = other.wait(ctx, d)
			if err == nil {
				continue
			}
		}
		if err != nil {
			return nil, err
		}
		return h, nil
	}
}

// register stores a long write's mark and takes the snapshot before it. The caller has
// the writing connection.
func (d *DB) register(ctx context.Context, s *session, h *hold) (err error) {
	if other := d.holds.find(h.owner); other != nil {
		return &heldError{other}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx) // from here on a caller leaving would leave the mark behind
	// While it reads, the mark stays in the write-ahead log. If a connection finds the
	// log empty, its snapshot could not be opened again later.
	before, err := d.openSnapshot(ctx)
	if err != nil {
		return err
	}
	defer func() { d.closeSnapshot(before) }()
	err = s.transact(ctx, beginWrite(SQLite), func(tx *Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO unfinished_writes (user_id, part, undo) VALUES ($1, 0, $2)`, h.owner, []byte{})
		return err
	})
	if err != nil {
		return err
	}
	if h.reader, err = d.openSnapshot(ctx); err != nil {
		return errors.Join(err, finishUndo(ctx, s, h.owner))
	}
	if h.snapshot, err = snapshotOf(h.reader); err != nil {
		d.closeSnapshot(h.reader)
		return errors.Join(err, finishUndo(ctx, s, h.owner))
	}
	d.holds.mu.Lock()
	defer d.holds.mu.Unlock()
	d.holds.byOwner[h.owner] = h
	d.holds.count.Add(1)
	d.holds.begun.Add(1)
	return nil
}

// endHold lets others read and write the owner's rows again.
func (d *DB) endHold(h *hold) {
	d.holds.mu.Lock()
	delete(d.holds.byOwner, h.owner)
	d.holds.count.Add(-1)
	freeSnapshot(h.snapshot)
	d.holds.mu.Unlock()
	d.closeSnapshot(h.reader)
	close(h.ended)
}

// openSnapshot begins a transaction reading the present state.
func (d *DB) openSnapshot(ctx context.Context) (*session, error) {
	s, err := d.acquireReader(ctx)
	if err != nil {
		return nil, err
	}
	err = s.begin(context.WithoutCancel(ctx), beginRead(SQLite))
	if err == nil {
		var rows *Rows
		if rows, err = s.runQuery(ctx, `SELECT COUNT(*) FROM unfinished_writes`, nil); err == nil {
			err = rows.scanFirst([]any{new(int64)})
		}
	}
	if err != nil {
		d.closeSnapshot(s)
		return nil, translate(err)
	}
	return s, nil
}

// closeSnapshot ends openSnapshot's transaction.
func (d *DB) closeSnapshot(s *session) {
	_, _ = s.exec(context.Background(), "ROLLBACK", nil)
	d.readers.push(s)
}

// snapshotOf returns SQLite's handle for the state a connection reads.
func snapshotOf(s *session) (uintptr, error) {
	tls := libc.NewTLS()
	defer tls.Close()
	name, err := libc.CString("main")
	if err != nil {
		return 0, err
	}
	defer libc.Xfree(tls, name)
	found := libc.Xcalloc(tls, 1, 8)
	defer libc.Xfree(tls, found)
	if result := sqlite3.Xsqlite3_snapshot_get(tls, s.handle, name, found); result != sqlite3.SQLITE_OK {
		return 0, fmt.Errorf("%w: taking a snapshot: result %d", ErrUnavailable, result)
	}
	return *(*uintptr)(pointerAt(found)), nil
}

func freeSnapshot(snapshot uintptr) {
	tls := libc.NewTLS()
	defer tls.Close()
	sqlite3.Xsqlite3_snapshot_free(tls, snapshot)
}

// readState is what a reading transaction has read so far.
type readState struct {
	single bool // it is a [DB.Peek]
	began  bool // its snapshot is taken
	pinned bool // it reads the state before a long write
	named  bool // it has read a user's rows while a long write was under way
	// unsafe are the owners whose long writes were under way when it began.
	unsafe []int64
}

// newReadState returns the state for a new reading transaction.
func (d *DB) newReadState() *readState {
	if d.engine != SQLite || d.beside {
		return nil
	}
	return &readState{}
}

// peek runs fn for a single statement.
func (s *session) peek(fn func(*Tx) error) error {
	s.reads = &readState{single: true}
	defer func() {
		if s.reads.pinned {
			s.endPin()
		}
		s.reads = nil
	}()
	return fn(&Tx{session: s})
}

// queryState runs a SELECT in a reading transaction, on the state before the long write
// by the user whose rows it reads, if there is one.
func (s *session) queryState(ctx context.Context, query string, args []any) (*Rows, error) {
	r := s.reads
	if r.began && !r.single || r.pinned {
		if err := s.checkState(ctx, query, args); err != nil {
			return nil, err
		}
		return s.runQuery(ctx, query, args)
	}
	for {
		begun := s.db.holds.begun.Load()
		if r.unsafe = s.db.holds.owners(); len(r.unsafe) > 0 {
			if err := s.checkState(ctx, query, args); err != nil {
				return nil, err
			}
		}
		rows, err := s.runQuery(ctx, query, args)
		if err == nil && !r.pinned && s.db.holds.begun.Load() != begun {
			// A long write has begun meanwhile, and may have been read in part.
			if err := errors.Join(rows.Close(), s.restartRead(ctx)); err != nil {
				return nil, err
			}
			continue
		}
		r.began = true
		return rows, err
	}
}

// checkState makes the transaction read the state before a long write if a statement
// reads its user's rows. That is possible as long as no user's rows were read.
func (s *session) checkState(ctx context.Context, query string, args []any) error {
	r := s.reads
	if len(r.unsafe) == 0 {
		return nil
	}
	owner, ok := ownerOf(query, args)
	if !ok {
		return nil
	}
	named := r.named
	r.named = true
	if !slices.Contains(r.unsafe, owner) {
		return nil
	}
	if named {
		return errHalf
	}
	if r.began {
		if err := s.restartRead(ctx); err != nil {
			return err
		}
	}
	pinned, err := s.pin(ctx, owner)
	r.unsafe = slices.DeleteFunc(r.unsafe, func(one int64) bool { return one == owner })
	if err == nil && !pinned {
		r.named = false // it has just ended: it can be read
	}
	return err
}

// restartRead makes a reading transaction take its snapshot again.
func (s *session) restartRead(ctx context.Context) error {
	if s.reads.single {
		return nil
	}
	end := context.WithoutCancel(ctx)
	if _, err := s.exec(end, "ROLLBACK", nil); err != nil {
		return err
	}
	return s.begin(end, beginRead(SQLite))
}

// pin makes the transaction read the state before a user's long write. It returns false
// if the write has ended.
func (s *session) pin(ctx context.Context, owner int64) (bool, error) {
	if s.reads.single {
		if err := s.begin(context.WithoutCancel(ctx), beginRead(SQLite)); err != nil {
			return false, err
		}
	}
	pinned, err := s.openState(owner)
	s.reads.pinned = pinned
	if s.reads.single && !pinned {
		s.endPin()
	}
	return pinned, err
}

func (s *session) openState(owner int64) (bool, error) {
	h := &s.db.holds
	h.mu.Lock()
	defer h.mu.Unlock()
	held := h.byOwner[owner]
	if held == nil {
		return false, nil
	}
	tls := libc.NewTLS()
	defer tls.Close()
	name, err := libc.CString("main")
	if err != nil {
		return false, err
	}
	defer libc.Xfree(tls, name)
	if result := sqlite3.Xsqlite3_snapshot_open(tls, s.handle, name, held.snapshot); result != sqlite3.SQLITE_OK {
		return false, fmt.Errorf("%w: opening a snapshot: result %d", ErrUnavailable, result)
	}
	return true, nil
}

// endPin ends a pinned [DB.Peek]'s transaction.
func (s *session) endPin() {
	_, _ = s.exec(context.Background(), "ROLLBACK", nil)
}

// everyUser is in session.writesFor while a long write is undone, which must not fail
// because another one has begun.
const everyUser = -1

// checkHeld returns an error if a writing transaction uses rows of a user whose long
// write is under way.
func (s *session) checkHeld(query string, args []any) error {
	if s.db == nil || s.db.holds.count.Load() == 0 {
		return nil
	}
	owner, ok := ownerOf(query, args)
	if !ok || s.writesFor == owner || s.writesFor == everyUser {
		return nil
	}
	if held := s.db.holds.find(owner); held != nil {
		return &heldError{held}
	}
	return nil
}

var (
	ownerCondition = lazyregexp.New(`\buser_id = (\$\d+|\?)`)
	ownerInsert    = lazyregexp.New(`^\s*INSERT (?:OR FAIL )?INTO \w+ \(([^)]*)\)\s*VALUES \(([^)]*)\)`)
)

// ownerArguments are the positions of the user's number among the arguments of
// statements, by text; -1 for a statement without it.
var ownerArguments sync.Map

// ownerOf returns the user whose rows a statement uses.
func ownerOf(query string, args []any) (owner int64, ok bool) {
	position, known := ownerArguments.Load(query)
	if !known {
		if len(query) < maxKnownText {
			position = findOwner(query)
			ownerArguments.Store(query, position)
		} else {
			position = findOwnerInLong(query)
		}
	}
	i := position.(int)
	if i < 0 || i >= len(args) {
		return 0, false
	}
	value, err := toDriverValue(args[i])
	if err != nil {
		return 0, false
	}
	owner, ok = value.(int64)
	return owner, ok
}

// maxKnownText is up to which text length positions are kept. Longer ones have
// value lists.
const maxKnownText = 4096

// findOwnerInLong is findOwner for a long text. Most are inserts with many rows, whose
// first row names the user.
func findOwnerInLong(query string) int {
	if position := findInsertOwner(query); position >= 0 {
		return position
	}
	return findOwner(query)
}

// findOwner returns where the user's number is among a statement's arguments, or -1.
func findOwner(query string) int {
	if at := ownerCondition().FindStringSubmatchIndex(query); at != nil {
		if query[at[2]] == '?' {
			return strings.Count(query[:at[2]], "?")
		}
		n, err := strconv.Atoi(query[at[2]+1 : at[3]])
		if err == nil {
			return n - 1
		}
	}
	return findInsertOwner(query)
}

// findInsertOwner is findOwner for an insert's values.
func findInsertOwner(query string) int {
	insert := ownerInsert().FindStringSubmatch(query)
	if insert == nil {
		return -1
	}
	column := slices.Index(splitList(insert[1]), userColumn)
	values := splitList(insert[2])
	if column < 0 || column >= len(values) {
		return -1
	}
	if n, err := strconv.Atoi(strings.TrimPrefix(values[column], "$")); err == nil {
		return n - 1
	}
	if values[column] == "?" {
		return column
	}
	return -1
}

func splitList(list string) []string {
	parts := strings.Split(list, ",")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return parts
}

// errUnfinished makes a transaction outside the server process wait until no long write
// is under way.
var errUnfinished = fmt.Errorf("%w: an import or a restore is under way", ErrUnavailable)

// unfinishedPause is the time between two looks for long writes.
const unfinishedPause = 50 * time.Millisecond

// checkUnfinished returns errUnfinished if the server is inside a long write, unless this
// process is the server.
func (s *session) checkUnfinished(ctx context.Context) error {
	if s.db == nil || !s.db.beside {
		return nil
	}
	rows, err := s.runQuery(ctx, `SELECT COUNT(*) FROM unfinished_writes`, nil)
	if err != nil && isNoTable(err) {
		return nil
	}
	if err != nil {
		return translate(err)
	}
	var n int64
	if err := rows.scanFirst([]any{&n}); err != nil {
		return translate(err)
	}
	if n > 0 {
		return errUnfinished
	}
	return nil
}

// withoutUnfinished runs a transaction again until the server has no long write under way,
// as long as a caller waits for a connection.
func (d *DB) withoutUnfinished(ctx context.Context, run func() error) error {
	begun := time.Now() //nolint:forbidigo // a duration, not a time of the journal
	for {
		err := run()
		if !errors.Is(err, errUnfinished) || time.Since(begun) > d.wait {
			return err
		}
		if pause(ctx, unfinishedPause) != nil {
			return err
		}
	}
}
