package db

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"fillbook/internal/base/filelock"
)

// defaultPartTime is how long a long write's part holds SQLite's writing connection
// before others get their turn.
const defaultPartTime = 40 * time.Millisecond

// maxPartLog is how many undo log bytes end a part.
const maxPartLog = 2 << 20

// UpdateInParts is [DB.Update] for a long write to one user's rows. On SQLite it is
// committed in parts, so others' short writes do not wait for its end; on PostgreSQL it
// is one transaction. Nevertheless it is kept whole or not at all: until the end, others
// read the user's rows as they were before, and wait if they write them; after an error
// or a crash its parts are undone (ADR 29).
//
// fn must use only this user's rows, name the user in every statement, and be able to run
// again.
func (d *DB) UpdateInParts(ctx context.Context, owner int64, fn func(*Tx) error) error {
	if d.engine == PostgreSQL || !d.inParts {
		return d.Update(ctx, fn)
	}
	return d.updateAgain(ctx, func(repeated bool) error { return d.runParts(ctx, owner, d.finishWith(ctx, repeated, fn)) })
}

// IsInParts reports whether the transaction is committed in parts. A statement is
// never cut, so those that change many rows must then be several.
func (t *Tx) IsInParts() bool { return t.parts != nil }

// ReleaseWriter lets others write before a longer computation or query, if the
// transaction comes from [DB.UpdateInParts]. Otherwise it does nothing.
func (t *Tx) ReleaseWriter(ctx context.Context) error {
	if t.parts == nil || !t.parts.writing || t.parts.isReading() {
		return nil
	}
	return t.recordError(t.parts.endPart(ctx))
}

// BeginLastPart makes all following statements one part, if the transaction comes from
// [DB.UpdateInParts]. Rows of other users belong there: others may change them after a
// part, and undoing it would undo their changes too.
func (t *Tx) BeginLastPart(ctx context.Context) error {
	if err := t.ReleaseWriter(ctx); err != nil {
		return err
	}
	if t.parts != nil {
		t.parts.last = true
	}
	return nil
}

// parts is a long write.
type parts struct {
	db      *DB
	hold    *hold
	tx      *Tx
	log     undoLog
	stored  int64     // the last part with changes
	writing bool      // tx.session is the writing connection
	last    bool      // the present part is the last one; see [Tx.BeginLastPart]
	reading bool      // tx.session is a connection for reading
	begun   time.Time // when the part began
}

func (d *DB) runParts(ctx context.Context, owner int64, fn func(*Tx) error) (err error) {
	h, err := d.beginHold(ctx, owner)
	if err != nil {
		return err
	}
	p := &parts{db: d, hold: h}
	p.tx = &Tx{parts: p}
	done := false
	defer func() {
		if !done {
			err = errors.Join(err, p.undo(ctx))
		}
	}()
	if err := p.run(ctx, fn); err != nil {
		return err
	}
	done = true
	d.endHold(h)
	d.checkpoint()
	for _, after := range p.tx.after {
		after()
	}
	return nil
}

// checkpoint copies the write-ahead log to the file, which no other connection
// could do meanwhile. Otherwise the next short write would have to.
func (d *DB) checkpoint() {
	_ = d.withReader(context.Background(), func(s *session) error {
		_, err := s.conn.ExecContext(context.Background(), "PRAGMA wal_checkpoint(PASSIVE)")
		return err
	})
}

// run runs fn and commits its last part. After an error no connection is held.
func (p *parts) run(ctx context.Context, fn func(*Tx) error) (err error) {
	defer p.abandon()
	if err := p.read(ctx); err != nil {
		return err
	}
	if p.log.tables, err = undoTables(ctx, p.tx); err != nil {
		return err
	}
	err = fn(p.tx)
	switch {
	case err != nil:
		return withCause(ctx, err)
	case ctx.Err() != nil:
		return ctx.Err()
	case p.tx.failed != nil:
		return fmt.Errorf("commit after a failed statement: %w", p.tx.failed)
	}
	if err := p.write(ctx); err != nil {
		return err
	}
	if p.log.err != nil {
		return p.log.err
	}
	p.log.pause()
	if _, err := p.tx.session.exec(context.WithoutCancel(ctx), deleteUnfinished, []any{p.hold.owner}); err != nil {
		return translate(err)
	}
	return p.commit(ctx)
}

const deleteUnfinished = `DELETE FROM unfinished_writes WHERE user_id = $1`

// withCause adds the reason why a context has ended to a statement's error, which depends
// on the driver.
func withCause(ctx context.Context, err error) error {
	if cause := ctx.Err(); cause != nil && !errors.Is(err, cause) {
		return fmt.Errorf("%w: %w", cause, err)
	}
	return err
}

// before prepares the connection for a statement.
func (p *parts) before(ctx context.Context, query string) error {
	isLong := p.writing && !p.last && (time.Since(p.begun) >= p.db.partTime || len(p.log.bytes) >= maxPartLog)
	if isLong && !p.isReading() {
		if err := p.endPart(ctx); err != nil {
			return err
		}
	}
	if p.writing {
		return nil
	}
	if strings.HasPrefix(strings.TrimSpace(query), "SELECT") {
		return p.read(ctx)
	}
	return p.write(ctx)
}

// isReading reports whether rows are being read.
func (p *parts) isReading() bool {
	if p.tx.reading {
		return true
	}
	for _, kept := range p.tx.session.statements {
		if kept.busy {
			return true
		}
	}
	return false
}

// read makes statements read what the parts so far have stored.
func (p *parts) read(ctx context.Context) error {
	if p.reading {
		return nil
	}
	s, err := p.db.acquireReader(ctx)
	if err != nil {
		return err
	}
	if err := s.begin(context.WithoutCancel(ctx), beginRead(SQLite)); err != nil {
		p.db.readers.push(s)
		return err
	}
	s.writesFor = p.hold.owner
	p.tx.session, p.reading = s, true
	return nil
}

func (p *parts) endRead() {
	_, _ = p.tx.session.exec(context.Background(), "ROLLBACK", nil)
	p.tx.session.writesFor = 0
	p.db.readers.push(p.tx.session)
	p.reading = false
}

// write begins a part.
func (p *parts) write(ctx context.Context) error {
	if p.writing {
		return nil
	}
	if p.reading {
		if p.isReading() {
			return errNested
		}
		p.endRead()
	}
	s, err := p.db.acquireWriter(ctx)
	if err != nil {
		return err
	}
	if err := s.begin(context.WithoutCancel(ctx), beginWrite(SQLite)); err != nil {
		p.db.writer <- s
		return err
	}
	p.tx.session, p.writing, p.begun = s, true, time.Now() //nolint:forbidigo // a duration, not a time of the journal
	s.writesFor = p.hold.owner
	p.log.reset()
	p.log.start(s.handle)
	return nil
}

// endPart commits a part with what undoes it, and gives the writing connection to
// the next who waits for it.
func (p *parts) endPart(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if p.log.err != nil {
		return p.log.err
	}
	if len(p.log.bytes) > 0 {
		p.log.pause()
		_, err := p.tx.session.exec(context.WithoutCancel(ctx), `INSERT INTO unfinished_writes (user_id, part, undo) VALUES ($1, $2, $3)`,
			[]any{p.hold.owner, p.stored + 1, p.log.bytes})
		if err != nil {
			return translate(err)
		}
	}
	if err := p.commit(ctx); err != nil {
		return err
	}
	if len(p.log.bytes) > 0 {
		p.stored++
	}
	return nil
}

func (p *parts) commit(ctx context.Context) error {
	_, err := p.tx.session.exec(context.WithoutCancel(ctx), "COMMIT", nil)
	if err != nil {
		return translate(err)
	}
	p.releaseWriter()
	return nil
}

func (p *parts) releaseWriter() {
	s := p.tx.session
	p.log.stop()
	s.writesFor = 0
	p.writing = false
	p.db.writer <- s
}

// abandon ends what is under way without a commit.
func (p *parts) abandon() {
	if p.reading {
		p.endRead()
	}
	if p.writing {
		_, _ = p.tx.session.exec(context.Background(), "ROLLBACK", nil)
		p.releaseWriter()
	}
}

// undo undoes the committed parts. If it fails, others read the state before for good,
// and the next start undoes them.
func (p *parts) undo(ctx context.Context) error {
	if err := p.db.undoParts(context.WithoutCancel(ctx), p.hold.owner); err != nil {
		p.db.log.Error("unfinished write not undone", "error", err)
		return err
	}
	p.db.endHold(p.hold)
	return nil
}

// undoParts undoes the parts in a user's long write, the last one first, in several
// transactions.
func (d *DB) undoParts(ctx context.Context, owner int64) error {
	u := &undoing{owner: owner, more: true}
	for u.more {
		err := d.withWriter(ctx, func(s *session) error {
			s.writesFor = everyUser
			defer func() { s.writesFor = 0 }()
			begun := time.Now() //nolint:forbidigo // a duration, not a time of the journal
			return s.transact(ctx, beginWrite(SQLite), func(tx *Tx) error {
				for {
					if err := u.undoLast(ctx, tx); err != nil || !u.more || time.Since(begun) >= d.partTime {
						return err
					}
				}
			})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// undoing undoes a long write.
type undoing struct {
	owner  int64
	tables map[string]undoTable
	more   bool // parts are left
}

// undoLast undoes the last part. Part 0 is the write's mark.
func (u *undoing) undoLast(ctx context.Context, tx *Tx) error {
	var part int64
	var log []byte
	err := tx.QueryRow(ctx, `SELECT part, undo FROM unfinished_writes WHERE user_id = $1 ORDER BY part DESC LIMIT 1`, u.owner).Scan(&part, &log)
	u.more = part > 0
	if errors.Is(err, ErrNoRows) {
		return nil // the user was deleted
	}
	if err == nil && u.tables == nil {
		u.tables, err = undoTables(ctx, tx)
	}
	if err == nil {
		err = tx.undo(ctx, log, u.tables)
	}
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `DELETE FROM unfinished_writes WHERE user_id = $1 AND part = $2`, u.owner, part)
	return err
}

// finishUndo removes the mark for a long write that stored nothing.
func finishUndo(ctx context.Context, s *session, owner int64) error {
	return s.transact(context.WithoutCancel(ctx), beginWrite(SQLite), func(tx *Tx) error {
		_, err := tx.Exec(ctx, deleteUnfinished, owner)
		return err
	})
}

// lockWait is how long a server waits for the database lock: a command may have it for a
// moment.
const lockWait = 5 * time.Second

// recovery undoes the long writes a crash has left.
type recovery struct{ *DB }

// startParts undoes the long writes a crash has left, unless the server that writes them
// is running. A server keeps the lock, which lets it write in parts.
func (r *recovery) startParts(ctx context.Context, isServer bool) error {
	owners, err := r.unfinished(ctx)
	if err != nil {
		return err
	}
	if r.readOnly && len(owners) > 0 {
		return fmt.Errorf("%w: an import or a restore was interrupted; open the file once where it can be written", ErrReadOnly)
	}
	if r.readOnly {
		return nil
	}
	if !isServer && len(owners) == 0 {
		r.beside = true
		return nil
	}
	unlock, err := r.lockParts(ctx, isServer)
	if err != nil {
		r.log.Warn("another process writes the database", "error", err)
		r.beside = true
		return ctx.Err()
	}
	if isServer {
		r.inParts, r.unlock = true, unlock
	} else {
		defer unlock()
	}
	err = r.undoAll(ctx)
	r.beside = !isServer
	return err
}

// lockParts gets the lock for the process that writes in parts.
func (r *recovery) lockParts(ctx context.Context, isServer bool) (unlock func(), err error) {
	for begun := time.Now(); ; { //nolint:forbidigo // a duration, not a time of the journal
		unlock, err = filelock.Lock(r.path + ".lock")
		if !isServer || !errors.Is(err, filelock.ErrLocked) || time.Since(begun) > lockWait {
			return unlock, err
		}
		if pause(ctx, unfinishedPause) != nil {
			return nil, err
		}
	}
}

// unfinished returns the users with an unfinished long write. A new file, and one from an
// earlier release, has none.
func (r *recovery) unfinished(ctx context.Context) (owners []int64, err error) {
	err = r.Peek(ctx, func(tx *Tx) error {
		owners, err = List(ctx, tx, Single[int64], `SELECT user_id FROM unfinished_writes WHERE part = 0 ORDER BY user_id`)
		return err
	})
	if err != nil && isNoTable(err) {
		return nil, nil
	}
	return owners, err
}

// undoAll undoes all long writes.
func (r *recovery) undoAll(ctx context.Context) error {
	owners, err := r.unfinished(ctx)
	if err != nil || len(owners) == 0 {
		return err
	}
	r.log.Info("undoing unfinished writes", "users", len(owners))
	for _, owner := range owners {
		if err := r.undoParts(ctx, owner); err != nil {
			return fmt.Errorf("undoing an unfinished write: %w", err)
		}
	}
	return nil
}
