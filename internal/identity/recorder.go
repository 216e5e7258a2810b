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

	"fillbook/internal/db"
	"fillbook/internal/journal"
)

const (
	// useInterval is how long a client must be away to look new again.
	useInterval = 10 * time.Minute
	// seenInterval is how often last_used_at and last_seen_at are written.
	seenInterval = time.Minute
	// keptUses is how many uses of a token are kept.
	keptUses = 50

	// flushDelay is how long notes are gathered before they are written.
	flushDelay = time.Second
	// longestNap is how far the delay grows while nothing can be written.
	longestNap = time.Minute
	// settleTime is how long a reader waits for notes to be written first.
	settleTime = 500 * time.Millisecond

	// maxWaiting bounds the notes of each kind that wait to be written.
	maxWaiting = 10_000
	// auditPerMinute bounds how many failures are recorded: a flood of wrong
	// logins must not fill the disk.
	auditPerMinute = 300
)

// tokenKey names a token, useKey a token in the hands of one client.
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

// notes are what waits to be written.
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

// recorder writes down what a request must not wait for: that a token was
// used, that a user was seen, that a login failed. Taking a note is a few map
// operations under a lock; it never blocks and never fails. When more is noted
// than can be written, notes are dropped.
type recorder struct {
	db    *db.DB
	clock journal.Clock
	log   *slog.Logger

	mu      sync.Mutex
	waiting notes
	uses    pace[useKey]
	tokens  pace[tokenKey]
	users   pace[journal.UserID]
	audited quota

	turn chan struct{} // held by the one who writes
	wake chan struct{} // says that there is something to write
	stop context.CancelFunc
	done chan struct{}
}

func newRecorder(d *db.DB, clock journal.Clock, log *slog.Logger) *recorder {
	return &recorder{
		db: d, clock: clock, log: log,
		waiting: newNotes(),
		uses:    newPace[useKey](useInterval),
		tokens:  newPace[tokenKey](seenInterval),
		users:   newPace[journal.UserID](seenInterval),
		audited: quota{limit: auditPerMinute},
		turn:    make(chan struct{}, 1), wake: make(chan struct{}, 1),
	}
}

// seen notes that a user made a request.
func (r *recorder) seen(user journal.UserID) {
	now := r.clock()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.users.isDue(user, now) && len(r.waiting.users) < maxWaiting {
		r.waiting.users[user] = now
		r.rouse()
	}
}

// used notes that a client used a token.
func (r *recorder) used(user journal.UserID, token journal.TokenID, client Client) {
	now := r.clock()
	client = client.clean()
	name := tokenKey{user, token}
	use := useKey{name, client.IP, client.UserAgent}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.tokens.isDue(name, now) && len(r.waiting.tokens) < maxWaiting {
		r.waiting.tokens[name] = now
		r.rouse()
	}
	if r.uses.isDue(use, now) && len(r.waiting.uses) < maxWaiting {
		r.waiting.uses[use] = now
		r.rouse()
	}
}

// audit notes a failure. Beyond auditPerMinute they are only counted.
func (r *recorder) audit(event AuditEvent) {
	r.mu.Lock()
	defer r.mu.Unlock()
	admitted, lost := r.audited.admit(event.At)
	if lost > 0 {
		r.log.Warn("more logins failed than are recorded", "unrecorded", lost)
	}
	if admitted && len(r.waiting.events) < maxWaiting {
		r.waiting.events = append(r.waiting.events, event)
		r.rouse()
	}
}

// rouse wakes the writer unless it is awake already.
func (r *recorder) rouse() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// start begins to write in the background.
func (r *recorder) start() {
	ctx, stop := context.WithCancel(context.Background())
	r.stop, r.done = stop, make(chan struct{})
	go func() {
		defer close(r.done)
		delay := flushDelay
		for r.nap(ctx, delay) {
			if r.tryFlush(ctx) {
				delay = flushDelay
			} else {
				delay = min(2*delay, longestNap)
			}
		}
	}()
}

// nap waits until there is something to write and a little longer, so that
// it is written together with what follows. It gives false at the end.
func (r *recorder) nap(ctx context.Context, delay time.Duration) bool {
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

// tryFlush writes, and logs what goes wrong, be it a panic. It tells whether
// all went well.
func (r *recorder) tryFlush(ctx context.Context) (ok bool) {
	defer func() {
		if cause := recover(); cause != nil {
			r.log.Error("recording uses failed", "panic", cause)
		}
	}()
	err := r.flush(ctx)
	if err != nil && ctx.Err() == nil {
		r.log.Warn("recording uses failed; it is tried again", "error", err)
	}
	return err == nil
}

// close ends the background writer and writes what is left.
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

// flush writes all that waits. What could not be written waits again.
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
		return nil // it can never be written, and nobody is to be troubled with it
	}
	if err != nil {
		r.putBack(taken)
		return fmt.Errorf("writing down uses: %w", err)
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

// putBack returns notes that were not written, as far as there is room.
func (r *recorder) putBack(taken notes) {
	r.mu.Lock()
	defer r.mu.Unlock()
	returnTo(r.waiting.uses, taken.uses)
	returnTo(r.waiting.tokens, taken.tokens)
	returnTo(r.waiting.users, taken.users)
	if len(r.waiting.events) < maxWaiting {
		r.waiting.events = append(taken.events, r.waiting.events...)
	}
	r.rouse()
}

func returnTo[K comparable](waiting, taken map[K]time.Time) {
	if len(waiting) >= maxWaiting {
		return
	}
	for key, at := range taken {
		if at.After(waiting[key]) { // it may have been noted again meanwhile
			waiting[key] = at
		}
	}
}

// write is one step of a transaction. It goes through users and tokens in the
// order of their ids, so that two servers cannot wait for each other.
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
	_, err := tx.Exec(ctx, `UPDATE users SET last_seen_at = $2
		WHERE id = $1 AND (last_seen_at IS NULL OR last_seen_at <= $3)`,
		user, db.Micros(at), db.Micros(at.Add(-seenInterval)))
	return err
}

func writeLastUsed(ctx context.Context, tx *db.Tx, token tokenKey, at time.Time) error {
	_, err := tx.Exec(ctx, `UPDATE access_tokens SET last_used_at = $3
		WHERE user_id = $1 AND id = $2 AND (last_used_at IS NULL OR last_used_at <= $4)`,
		token.user, token.token, db.Micros(at), db.Micros(at.Add(-seenInterval)))
	return err
}

// writeUse appends a use unless this client was here in the last ten minutes,
// be it by way of another server; the lock on the token's row decides between
// the two. A token revoked meanwhile leaves no use.
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

// Start begins to write down, in the background, what requests do not wait
// for. Call it once; [Service.Close] ends it.
func (s *Service) Start() { s.recorder.start() }

// Close ends the background writer after it has written what was left.
func (s *Service) Close(ctx context.Context) error { return s.recorder.close(ctx) }

// Flush writes down at once what waits to be written.
func (s *Service) Flush(ctx context.Context) error { return s.recorder.flush(ctx) }

// settle lets a reader see what it has just caused itself. It waits briefly
// and it never fails: a list a second old is better than none.
func (s *Service) settle(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, settleTime)
	defer cancel()
	s.recorder.tryFlush(ctx)
}
