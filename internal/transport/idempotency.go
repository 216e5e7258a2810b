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

	"fillbook/internal/db"
	"fillbook/internal/journal"
	"fillbook/internal/secrets"
)

// Idempotency remembers the successful answers of POSTs that carried an
// Idempotency-Key, so that a retry after a lost answer does nothing twice.
// Answers are kept for a day, sealed with the server's key; of the request
// only a keyed hash is kept.
type Idempotency struct {
	db    *db.DB
	keys  *secrets.Keys
	clock journal.Clock
	log   *slog.Logger
}

const (
	keepAnswers = 24 * time.Hour
	// abandoned is when a claim without an answer is taken for a crash.
	abandoned = 2 * time.Minute
	// patience is how long a twin waits for the first call to finish.
	patience = 10 * time.Second
	sealName = "idempotency"
)

// NewIdempotency makes the store.
func NewIdempotency(d *db.DB, keys *secrets.Keys, clock journal.Clock, log *slog.Logger) *Idempotency {
	return &Idempotency{db: d, keys: keys, clock: clock, log: log}
}

// stored is one row: a claim, and the answer once there is one.
type stored struct {
	hash      []byte
	claimedAt time.Time
	answered  bool
	status    int
	headers   http.Header
	body      []byte
}

// claim is the right of one call to answer for a key. Its time tells it from
// the claim of another call that took the key over because this one took too
// long: what this one has to say then no longer counts.
type claim struct {
	user, key string
	at        time.Time
}

// Middleware serves repeated POSTs from the store. It must come after
// authentication and after [Intake].
func (i *Idempotency) Middleware() Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			key := r.Header.Get("Idempotency-Key")
			user := RequestOf(r.Context()).User
			if key == "" || user == "" {
				next.ServeHTTP(w, r)
				return
			}
			mine := claim{user: user, key: key}
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

// claim takes the key for this call and gives nil, or gives the answer that
// an earlier call with the same key had.
func (i *Idempotency) claim(r *http.Request, mine *claim) (*stored, error) {
	if len(mine.key) > journal.MaxName || !validText(mine.key) {
		return nil, journal.InvalidField("Idempotency-Key", "Idempotency-Key must be a text of at most %d bytes.", journal.MaxName)
	}
	hash := i.digest(r)
	ctx, cancel := context.WithTimeout(r.Context(), patience)
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
			return nil, journal.Conflict("This Idempotency-Key was used for another request; use a new one.")
		case known.answered:
			return known, nil
		}
		select {
		case <-ctx.Done():
			conflict := journal.Conflict("The first call with this Idempotency-Key is still running; ask again in a moment.")
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
			mine.user, mine.key, db.Micros(mine.at.Add(-keepAnswers)),
			db.Micros(mine.at.Add(-abandoned)), db.Micros(mine.at.Add(abandoned))) // the clock may have been set back
		if err != nil {
			return err
		}
		inserted, err := tx.Exec(ctx, `INSERT INTO idempotency_keys
			(user_id, key, request_hash, claimed_at, answered, status, headers, body)
			VALUES ($1, $2, $3, $4, FALSE, 0, '', $5)
			ON CONFLICT (user_id, key) DO NOTHING`, mine.user, mine.key, hash, db.Micros(mine.at), []byte{})
		if err != nil || inserted == 1 {
			return err
		}
		known, err = i.find(ctx, tx, mine.user, mine.key)
		return err
	})
	return known, err
}

func (i *Idempotency) find(ctx context.Context, tx *db.Tx, user, key string) (*stored, error) {
	row := &stored{}
	var headers string
	var sealed []byte
	err := tx.QueryRow(ctx, `SELECT request_hash, claimed_at, answered, status, headers, body
		FROM idempotency_keys WHERE user_id = $1 AND key = $2`, user, key).
		Scan(&row.hash, db.Instant(&row.claimedAt), &row.answered, &row.status, &headers, &sealed)
	if err != nil || !row.answered {
		return row, err
	}
	if err := json.Unmarshal([]byte(headers), &row.headers); err != nil {
		return nil, fmt.Errorf("reading a stored answer: %w", err)
	}
	row.body, err = i.keys.Open(sealName, user+"|"+key, sealed)
	if err != nil {
		return nil, fmt.Errorf("opening a stored answer: %w", err)
	}
	return row, nil
}

// serve runs the handler and keeps its answer if it was a success; any other
// answer frees the key for another try.
func (i *Idempotency) serve(w http.ResponseWriter, r *http.Request, next http.Handler, mine claim) {
	copied := &copyWriter{ResponseWriter: w}
	finished := false
	defer func() {
		ctx := context.WithoutCancel(r.Context())
		var err error
		if finished && copied.status/100 == 2 {
			err = i.keep(ctx, mine, copied)
		} else {
			err = i.free(ctx, mine)
		}
		if err != nil {
			LogWith(ctx, i.log).Error("an idempotent answer could not be kept", "error", err)
		}
	}()
	next.ServeHTTP(copied, r)
	finished = true
}

// kept are the headers that belong to an answer's content.
var kept = []string{"Content-Type", "Etag", "Link", "Location", "X-Total-Count"}

func (i *Idempotency) keep(ctx context.Context, mine claim, answer *copyWriter) error {
	headers := http.Header{}
	for _, name := range kept {
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
			answer.status, string(text), sealed, mine.user, mine.key, db.Micros(mine.at))
		return err
	})
}

func (i *Idempotency) free(ctx context.Context, mine claim) error {
	return i.db.Update(ctx, func(tx *db.Tx) error {
		_, err := tx.Exec(ctx, `DELETE FROM idempotency_keys WHERE user_id = $1 AND key = $2 AND claimed_at = $3 AND NOT answered`,
			mine.user, mine.key, db.Micros(mine.at))
		return err
	})
}

// Sweep forgets the answers that are older than a day.
func (i *Idempotency) Sweep(ctx context.Context) error {
	return i.db.Update(ctx, func(tx *db.Tx) error {
		_, err := tx.Exec(ctx, `DELETE FROM idempotency_keys WHERE claimed_at <= $1`, db.Micros(i.clock().Add(-keepAnswers)))
		return err
	})
}

// ForgetAnswers is one step of a transaction: it forgets every stored answer,
// because the secret that sealed them goes.
func ForgetAnswers(ctx context.Context, tx *db.Tx) error {
	_, err := tx.Exec(ctx, `DELETE FROM idempotency_keys`)
	return err
}

// digest is a keyed hash of what was asked for; a plain hash would let a
// thief of the database guess at short secrets in bodies.
func (i *Idempotency) digest(r *http.Request) []byte {
	parts := [][]byte{[]byte(r.Method), []byte(r.URL.Path), []byte(r.URL.RawQuery), bodyOf(r.Context())}
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

// copyWriter keeps a copy of what is answered.
type copyWriter struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

func (c *copyWriter) WriteHeader(status int) {
	if c.status == 0 {
		c.status = status
	}
	c.ResponseWriter.WriteHeader(status)
}

func (c *copyWriter) Write(p []byte) (int, error) {
	if c.status == 0 {
		c.status = http.StatusOK
	}
	c.body.Write(p)
	return c.ResponseWriter.Write(p)
}

// Unwrap lets http.ResponseController reach the connection.
func (c *copyWriter) Unwrap() http.ResponseWriter { return c.ResponseWriter }
