package identity

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
)

const (
	// useInterval is how long a client must not have used a token before its
	// next use is listed.
	useInterval = 10 * time.Minute
	// seenInterval is how often last_used_at and last_seen_at are written.
	seenInterval = time.Minute
	// keptUses is how many uses are kept per token.
	keptUses = 50

	// flushDelay is how long notes are collected before they are written.
	flushDelay = time.Second
	// maxRetryDelay is the longest delay after failed writes.
	maxRetryDelay = time.Minute
	// flushWait is how long a reader waits for notes to be written.
	flushWait = 500 * time.Millisecond

	// maxWaiting limits the waiting notes of each kind.
	maxWaiting = 10_000
	// auditPerMinute limits how many failures are recorded, so a flood of wrong logins
	// cannot fill the disk.
	auditPerMinute = 300
)

// tokenKey identifies a token, useKey a token used by one client.
type (
	tokenKey struct {
		user  journal.UserID
		token journal.TokenID
	}
	useKey struct {
		tokenKey
		ip        string
		userAgent string
	}
)

// notes are records waiting to be written.
type notes struct {
	uses   map[useKey]time.Time
	tokens map[tokenKey]time.Time
	users  map[journal.UserID]time.Time
	events []AuditEvent
}

func newNotes() notes {
	return notes{
		uses: map[useKey]time.Time{}, tokens: map[tokenKey]time.Time{}, users: map[journal.UserID]time.Time{},
	}
}

func (n *notes) isEmpty() bool {
	return len(n.uses)+len(n.tokens)+len(n.users)+len(n.events) == 0
}

// recorder writes in the background what a request must not wait for: token uses, users'
// last requests, failed logins. Adding a note takes a few map operations under a lock; it
// never blocks or fails. If notes are added faster than they are written, some are
// dropped.
type recorder struct {
	db    *db.DB
	clock journal.Clock
	log   *slog.Logger

	mu      sync.Mutex
	waiting notes
	uses    interval[useKey]
	tokens  interval[tokenKey]
	users   interval[journal.UserID]
	audited quota

	turn chan struct{} // held while writing
	wake chan struct{} // signals new notes
	stop context.CancelFunc
	done chan struct{}
}

func newRecorder(d *db.DB, clock journal.Clock, log *slog.Logger) *recorder {
	return &recorder{
		db: d, clock: clock, log: log,
		waiting: newNotes(),
		uses:    newInterval[useKey](useInterval),
		tokens:  newInterval[tokenKey](seenInterval),
		users:   newInterval[journal.UserID](seenInterval),
		audited: quota{limit: auditPerMinute},
		turn:    make(chan struct{}, 1), wake: make(chan struct{}, 1),
	}
}

// addSeen records a user's request.
func (r *recorder) addSeen(user journal.UserID) {
	now := r.clock()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.users.isDue(user, now) && len(r.waiting.users) < maxWaiting {
		r.waiting.users[user] = now
		r.wakeWriter()
	}
}

// addUse records a client's use of a token.
func (r *recorder) addUse(user journal.UserID, token journal.TokenID, client Client) {
	now := r.clock()
	client = client.clean()
	name := tokenKey{user, token}
	use := useKey{name, client.IP, client.UserAgent}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.tokens.isDue(name, now) && len(r.waiting.tokens) < maxWaiting {
		r.waiting.tokens[name] = now
		r.wakeWriter()
	}
	if r.uses.isDue(use, now) && len(r.waiting.uses) < maxWaiting {
		r.waiting.uses[use] = now
		r.wakeWriter()
	}
}

// addFailure records a failure. Above auditPerMinute failures are only counted.
func (r *recorder) addFailure(event AuditEvent) {
	r.mu.Lock()
	defer r.mu.Unlock()
	allowed, lost := r.audited.allow(event.At)
	if lost > 0 {
		r.log.Warn("failed logins not recorded", "count", lost)
	}
	if allowed && len(r.waiting.events) < maxWaiting {
		r.waiting.events = append(r.waiting.events, event)
		r.wakeWriter()
	}
}

// wakeWriter wakes the writer unless it is already awake.
func (r *recorder) wakeWriter() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// start starts the background writer.
func (r *recorder) start() {
	ctx, stop := context.WithCancel(context.Background())
	r.stop, r.done = stop, make(chan struct{})
	go func() {
		defer close(r.done)
		delay := flushDelay
		for r.waitForNotes(ctx, delay) {
			if r.tryFlush(ctx) {
				delay = flushDelay
			} else {
				delay = min(2*delay, maxRetryDelay)
			}
		}
	}()
}

// waitForNotes waits for notes and then for delay, so more are written together. It
// returns false when ctx is done.
func (r *recorder) waitForNotes(ctx context.Context, delay time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-r.wake:
	}
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// tryFlush writes all notes and reports whether it succeeded. It logs errors and panics.
func (r *recorder) tryFlush(ctx context.Context) (ok bool) {
	defer func() {
		if cause := recover(); cause != nil {
			r.log.Error("recording uses failed", "panic", cause)
		}
	}()
	err := r.flush(ctx)
	if err != nil && ctx.Err() == nil {
		r.log.Warn("recording uses failed, trying again", "error", err)
	}
	return err == nil
}

// close stops the background writer and writes the remaining notes.
func (r *recorder) close(ctx context.Context) error {
	if r.stop != nil {
		r.stop()
		select {
		case <-r.done:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return r.flush(ctx)
}

// flush writes all notes. Unwritten notes are kept for the next time.
func (r *recorder) flush(ctx context.Context) error {
	select {
	case r.turn <- struct{}{}:
		defer func() { <-r.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	taken := r.take()
	if taken.isEmpty() {
		return nil
	}
	err := r.db.Update(ctx, func(tx *db.Tx) error { return taken.write(ctx, tx) })
	if r.db.ReadOnly() {
		return nil // notes can never be written
	}
	if err != nil {
		r.restore(taken)
		return fmt.Errorf("recording uses: %w", err)
	}
	return nil
}

func (r *recorder) take() notes {
	r.mu.Lock()
	defer r.mu.Unlock()
	taken := r.waiting
	r.waiting = newNotes()
	return taken
}

// restore adds unwritten notes again, up to maxWaiting.
func (r *recorder) restore(taken notes) {
	r.mu.Lock()
	defer r.mu.Unlock()
	mergeTimes(r.waiting.uses, taken.uses)
	mergeTimes(r.waiting.tokens, taken.tokens)
	mergeTimes(r.waiting.users, taken.users)
	if len(r.waiting.events) < maxWaiting {
		r.waiting.events = append(taken.events, r.waiting.events...)
	}
	r.wakeWriter()
}

func mergeTimes[K comparable](waiting, taken map[K]time.Time) {
	if len(waiting) >= maxWaiting {
		return
	}
	for key, at := range taken {
		if at.After(waiting[key]) { // a newer note may have been added
			waiting[key] = at
		}
	}
}

// write writes the notes within a transaction. It updates users and tokens in id order,
// so two servers cannot deadlock.
func (n *notes) write(ctx context.Context, tx *db.Tx) error {
	for _, user := range slices.Sorted(maps.Keys(n.users)) {
		if err := writeSeen(ctx, tx, user, n.users[user]); err != nil {
			return err
		}
	}
	for _, token := range slices.SortedFunc(maps.Keys(n.tokens), compareTokens) {
		if err := writeLastUsed(ctx, tx, token, n.tokens[token]); err != nil {
			return err
		}
	}
	byToken := func(a, b useKey) int { return compareTokens(a.tokenKey, b.tokenKey) }
	for _, use := range slices.SortedFunc(maps.Keys(n.uses), byToken) {
		if err := writeUse(ctx, tx, use, n.uses[use]); err != nil {
			return err
		}
	}
	for _, event := range n.events {
		if err := RecordAudit(ctx, tx, event); err != nil {
			return err
		}
	}
	return nil
}

func compareTokens(a, b tokenKey) int {
	return cmp.Or(cmp.Compare(a.user, b.user), cmp.Compare(a.token, b.token))
}

func writeSeen(ctx context.Context, tx *db.Tx, user journal.UserID, at time.Time) error {
	_, err := tx.Exec(ctx, `UPDATE user_states SET last_seen_at = $2
		WHERE user_id = $1 AND (last_seen_at IS NULL OR last_seen_at <= $3)`,
		user, db.Micros(at), db.Micros(at.Add(-seenInterval)))
	return err
}

func writeLastUsed(ctx context.Context, tx *db.Tx, token tokenKey, at time.Time) error {
	_, err := tx.Exec(ctx, `UPDATE access_tokens SET last_used_at = $3
		WHERE user_id = $1 AND id = $2 AND (last_used_at IS NULL OR last_used_at <= $4)`,
		token.user, token.token, db.Micros(at), db.Micros(at.Add(-seenInterval)))
	return err
}

// writeUse inserts a use unless this client has used the token within
// useInterval, possibly on another server; the lock on the token's row decides.
// Nothing is inserted for a revoked token.
func writeUse(ctx context.Context, tx *db.Tx, use useKey, at time.Time) error {
	var id journal.TokenID
	err := tx.QueryRow(ctx, `SELECT id FROM access_tokens WHERE user_id = $1 AND id = $2`+tx.Lock(), use.user, use.token).Scan(&id)
	if errors.Is(err, db.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	var isRecent bool
	err = tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM access_token_uses
		WHERE user_id = $1 AND token_id = $2 AND ip = $3 AND user_agent = $4 AND used_at > $5)`,
		use.user, use.token, use.ip, use.userAgent, db.Micros(at.Add(-useInterval))).Scan(&isRecent)
	if err != nil || isRecent {
		return err
	}
	_, err = tx.Exec(ctx, `INSERT INTO access_token_uses (user_id, token_id, id, used_at, ip, user_agent)
		VALUES ($1, $2, $3, $4, $5, $6)`,
		use.user, use.token, journal.NewID[string](), db.Micros(at), use.ip, use.userAgent)
	if err != nil {
		return err
	}
	return pruneUses(ctx, tx, use.tokenKey)
}

func pruneUses(ctx context.Context, tx *db.Tx, token tokenKey) error {
	_, err := tx.Exec(ctx, `DELETE FROM access_token_uses WHERE user_id = $1 AND token_id = $2 AND id NOT IN (
		SELECT id FROM access_token_uses WHERE user_id = $1 AND token_id = $2
		ORDER BY used_at DESC, id DESC`+db.Limit(3)+`)`, token.user, token.token, keptUses)
	return err
}

// Start starts the background writer. It must be called once; [Service.Close]
// stops it.
func (s *Service) Start() { s.recorder.start() }

// Close stops the background writer after it has written the remaining notes.
func (s *Service) Close(ctx context.Context) error { return s.recorder.close(ctx) }

// Flush writes all waiting notes now.
func (s *Service) Flush(ctx context.Context) error { return s.recorder.flush(ctx) }

// flushBriefly writes waiting notes so a reader sees the effects of its own requests. It
// waits up to flushWait and never fails: an older list is better than none.
func (s *shared) flushBriefly(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, flushWait)
	defer cancel()
	s.recorder.tryFlush(ctx)
}
