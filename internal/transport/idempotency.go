package transport

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/secrets"
)

// Idempotency stores the successful responses to POST requests with an Idempotency-Key,
// so a retry after a lost response has no second effect. Responses are kept for a day,
// encrypted with the server's key. Only a keyed hash is stored for the request.
type Idempotency struct {
	db    *db.DB
	keys  *secrets.Keys
	clock journal.Clock
	log   *slog.Logger
}

const (
	retention = 24 * time.Hour
	// claimTimeout is the age after which a claim without a response is
	// considered to be left by a crash.
	claimTimeout = 2 * time.Minute
	// waitTimeout is how long a call waits for an earlier one with the same
	// key.
	waitTimeout = 10 * time.Second
	sealName    = "idempotency"
)

// NewIdempotency returns a store on a database.
func NewIdempotency(d *db.DB, keys *secrets.Keys, clock journal.Clock, log *slog.Logger) *Idempotency {
	return &Idempotency{db: d, keys: keys, clock: clock, log: log}
}

// stored is one row: a claim, and the response if it is complete.
type stored struct {
	hash      []byte
	claimedAt time.Time
	answered  bool
	status    int
	headers   http.Header
	body      []byte
}

// claim is one call's right to respond for a key. Its time distinguishes it from another
// call's claim after claimTimeout; then this call's outcome is ignored.
type claim struct {
	user, key string
	owner     journal.UserID
	at        time.Time
}

// Middleware responds to repeated POST requests from the store. It must come
// after authentication and after [Intake].
func (i *Idempotency) Middleware() Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			key := r.Header.Get("Idempotency-Key")
			user := RequestOf(r.Context()).User
			if key == "" || user == "" {
				next.ServeHTTP(w, r)
				return
			}
			mine := claim{user: user, key: key, owner: RequestOf(r.Context()).Owner}
			known, err := i.claim(r, &mine)
			switch {
			case err != nil:
				WriteError(w, r, err)
			case known != nil:
				replay(w, known)
			default:
				i.serve(w, r, next, mine)
			}
		})
	}
}

// claim claims the key for this call and returns nil, or returns the response to an
// earlier call with the same key.
func (i *Idempotency) claim(r *http.Request, mine *claim) (*stored, error) {
	if len(mine.key) > journal.MaxName || !validText(mine.key) {
		return nil, journal.InvalidField("Idempotency-Key", "Idempotency-Key must be a text of at most %d bytes.", journal.MaxName)
	}
	hash := i.hashRequest(r)
	ctx, cancel := context.WithTimeout(r.Context(), waitTimeout)
	defer cancel()
	for {
		mine.at = i.clock()
		known, err := i.tryClaim(ctx, *mine, hash)
		switch {
		case err != nil:
			return nil, err
		case known == nil:
			return nil, nil
		case !bytes.Equal(known.hash, hash):
			return nil, journal.Conflict("This Idempotency-Key was used for another request. Use a new one.")
		case known.answered:
			return known, nil
		}
		select {
		case <-ctx.Done():
			conflict := journal.Conflict("The first call with this Idempotency-Key is still running. Try again in a moment.")
			conflict.RetryAfter = 2 * time.Second
			return nil, conflict
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func (i *Idempotency) tryClaim(ctx context.Context, mine claim, hash []byte) (*stored, error) {
	var known *stored
	err := i.db.Update(ctx, func(tx *db.Tx) error {
		known = nil
		_, err := tx.Exec(ctx, `DELETE FROM idempotency_keys WHERE user_id = $1 AND key = $2
			AND (claimed_at <= $3 OR (NOT answered AND (claimed_at <= $4 OR claimed_at >= $5)))`,
			mine.owner, mine.key, db.Micros(mine.at.Add(-retention)),
			db.Micros(mine.at.Add(-claimTimeout)), db.Micros(mine.at.Add(claimTimeout))) // the clock may have been set back
		if err != nil {
			return err
		}
		inserted, err := tx.Exec(ctx, `INSERT INTO idempotency_keys
			(user_id, key, request_hash, claimed_at, answered, status, headers, body)
			VALUES ($1, $2, $3, $4, FALSE, 0, '', $5)
			ON CONFLICT (user_id, key) DO NOTHING`, mine.owner, mine.key, hash, db.Micros(mine.at), []byte{})
		if err != nil || inserted == 1 {
			return err
		}
		known, err = i.load(ctx, tx, mine)
		return err
	})
	return known, err
}

func (i *Idempotency) load(ctx context.Context, tx *db.Tx, mine claim) (*stored, error) {
	row := &stored{}
	var headers string
	var sealed []byte
	err := tx.QueryRow(ctx, `SELECT request_hash, claimed_at, answered, status, headers, body
		FROM idempotency_keys WHERE user_id = $1 AND key = $2`, mine.owner, mine.key).
		Scan(&row.hash, db.Instant(&row.claimedAt), &row.answered, &row.status, &headers, &sealed)
	if err != nil || !row.answered {
		return row, err
	}
	if err := json.Unmarshal([]byte(headers), &row.headers); err != nil {
		return nil, fmt.Errorf("reading a stored response: %w", err)
	}
	row.body, err = i.keys.Open(sealName, mine.user+"|"+mine.key, sealed)
	if err != nil {
		return nil, fmt.Errorf("decrypting a stored response: %w", err)
	}
	return row, nil
}

// serve runs the handler and stores its response if it succeeded. Otherwise it
// releases the key for another attempt.
func (i *Idempotency) serve(w http.ResponseWriter, r *http.Request, next http.Handler, mine claim) {
	copied := &recordingWriter{ResponseWriter: w}
	finished := false
	defer func() {
		ctx := context.WithoutCancel(r.Context())
		var err error
		if finished && copied.status/100 == 2 {
			err = i.store(ctx, mine, copied)
		} else {
			err = i.release(ctx, mine)
		}
		if err != nil {
			LogWith(ctx, i.log).Error("storing an idempotent response failed", "error", err)
		}
	}()
	next.ServeHTTP(copied, r)
	finished = true
}

// storedHeaders are the headers belonging to a response's content.
var storedHeaders = []string{"Content-Type", "Etag", "Link", "Location", "X-Change-Id", "X-Total-Count"}

func (i *Idempotency) store(ctx context.Context, mine claim, answer *recordingWriter) error {
	headers := http.Header{}
	for _, name := range storedHeaders {
		if values := answer.Header()[name]; values != nil {
			headers[name] = values
		}
	}
	text, err := json.Marshal(headers)
	if err != nil {
		return err
	}
	sealed, err := i.keys.Seal(sealName, mine.user+"|"+mine.key, answer.body.Bytes())
	if err != nil {
		return err
	}
	return i.db.Update(ctx, func(tx *db.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE idempotency_keys SET answered = TRUE, status = $1, headers = $2, body = $3
			WHERE user_id = $4 AND key = $5 AND claimed_at = $6`,
			answer.status, string(text), sealed, mine.owner, mine.key, db.Micros(mine.at))
		return err
	})
}

func (i *Idempotency) release(ctx context.Context, mine claim) error {
	return i.db.Update(ctx, func(tx *db.Tx) error {
		_, err := tx.Exec(ctx, `DELETE FROM idempotency_keys WHERE user_id = $1 AND key = $2 AND claimed_at = $3 AND NOT answered`,
			mine.owner, mine.key, db.Micros(mine.at))
		return err
	})
}

// Sweep deletes the responses older than a day.
func (i *Idempotency) Sweep(ctx context.Context) error {
	return i.db.DeletePages(ctx, `DELETE FROM idempotency_keys WHERE (user_id, key) IN (
		SELECT user_id, key FROM idempotency_keys WHERE claimed_at <= $1 ORDER BY claimed_at LIMIT 1000)`, db.Micros(i.clock().Add(-retention)))
}

// DeleteStoredResponses deletes all stored responses within a transaction. It is used
// when their encryption secret is replaced.
func DeleteStoredResponses(ctx context.Context, tx *db.Tx) error {
	_, err := tx.Exec(ctx, `DELETE FROM idempotency_keys`)
	return err
}

// hashRequest returns a keyed hash of the request. A plain hash would let anyone with the
// database guess short secrets in bodies.
func (i *Idempotency) hashRequest(r *http.Request) []byte {
	parts := [][]byte{[]byte(r.Method), []byte(r.URL.Path), []byte(r.URL.RawQuery), bodyOf(r.Context())}
	if limit := RequestOf(r.Context()).Limit; limit != "" {
		parts = append(parts, []byte("limit"), []byte(limit))
	}
	form := FormOf(r.Context())
	for _, name := range slices.Sorted(maps.Keys(form.Fields)) {
		parts = append(parts, []byte(name), []byte(form.Fields[name]))
	}
	if form.File != nil {
		parts = append(parts, form.File.SHA256[:])
	}
	return i.keys.MAC(sealName, parts...)
}

func replay(w http.ResponseWriter, answer *stored) {
	maps.Copy(w.Header(), answer.headers)
	w.Header().Set("Idempotent-Replayed", "true")
	w.WriteHeader(answer.status)
	_, _ = w.Write(answer.body)
}

// recordingWriter keeps a copy of the response.
type recordingWriter struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

func (c *recordingWriter) WriteHeader(status int) {
	if c.status == 0 {
		c.status = status
	}
	c.ResponseWriter.WriteHeader(status)
}

func (c *recordingWriter) Write(p []byte) (int, error) {
	if c.status == 0 {
		c.status = http.StatusOK
	}
	c.body.Write(p)
	return c.ResponseWriter.Write(p)
}

// Unwrap lets http.ResponseController reach the connection.
func (c *recordingWriter) Unwrap() http.ResponseWriter { return c.ResponseWriter }
