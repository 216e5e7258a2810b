package transport_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/secrets"
	"fillbook/internal/testkit"
	"fillbook/internal/transport"
)

// shop is a route counting its sales, with the idempotency middleware around it. What a
// sale does is up to the test.
type shop struct {
	t     *testing.T
	db    *db.DB
	clock *testkit.Clock
	store *transport.Idempotency
	log   *logBuffer
	sales atomic.Int64
	sell  func(w http.ResponseWriter, r *http.Request, number int64)
}

func newShop(t *testing.T, d *db.DB) *shop {
	t.Helper()
	keys, err := secrets.NewKeys([]byte("a root secret for tests, 32 bytes or more"))
	if err != nil {
		t.Fatal(err)
	}
	s := &shop{t: t, db: d, clock: testkit.NewClock(), log: &logBuffer{}}
	s.store = transport.NewIdempotency(d, keys, s.clock.Now, s.log.logger())
	s.sell = func(w http.ResponseWriter, _ *http.Request, number int64) {
		w.Header().Set("Content-Type", jsonType)
		w.WriteHeader(http.StatusCreated)
		_, _ = fmt.Fprintf(w, `{"sale":%d}`, number)
	}
	for _, user := range []string{"anna", "bert"} {
		s.exec(`INSERT INTO users (number, id, email, email_key, password_hash, is_admin, created_at) VALUES ($1, $2, $2, $2, '', FALSE, 0)`, numberOf(user), user)
	}
	return s
}

// numberOf returns a shop user's number.
func numberOf(user string) journal.UserID { return journal.UserID(len(user) + int(user[0])) }

func (s *shop) exec(statement string, args ...any) {
	s.t.Helper()
	err := s.db.Update(s.t.Context(), func(tx *db.Tx) error {
		_, err := tx.Exec(s.t.Context(), statement, args...)
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *shop) handler(user string, in transport.Intake) http.Handler {
	signedIn := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			request := transport.RequestOf(r.Context())
			request.User, request.Owner = user, numberOf(user)
			next.ServeHTTP(w, r)
		})
	}
	return observed(s.log, nil, func(w http.ResponseWriter, r *http.Request) {
		s.sell(w, r, s.sales.Add(1))
	}, signedIn, transport.BufferResponses(spool), in.Middleware(), s.store.Middleware())
}

// buy posts JSON as a user with a key, which may be empty.
func (s *shop) buy(user, key, path, body string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	request.Header.Set("Content-Type", jsonType)
	if key != "" {
		request.Header.Set("Idempotency-Key", key)
	}
	return serve(s.handler(user, transport.Intake{Body: transport.JSONBody, Limit: 1 << 20}), request)
}

// wantSale checks the response to one sale, new or repeated.
func (s *shop) wantSale(got *httptest.ResponseRecorder, number int, repeated bool) {
	s.t.Helper()
	if got.Code != http.StatusCreated || got.Body.String() != fmt.Sprintf(`{"sale":%d}`, number) {
		s.t.Fatalf("status %d, body %s; want sale %d", got.Code, got.Body, number)
	}
	if (got.Header().Get("Idempotent-Replayed") == "true") != repeated {
		s.t.Fatalf("sale %d: Idempotent-Replayed is %q", number, got.Header().Get("Idempotent-Replayed"))
	}
	if got.Header().Get("Content-Type") != jsonType || got.Header().Get("ETag") == "" {
		s.t.Fatalf("sale %d: headers %v", number, got.Header())
	}
}

func eachShop(t *testing.T, fn func(t *testing.T, s *shop)) {
	t.Helper()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) { fn(t, newShop(t, d)) })
}

func TestRepeatedPostIsAnsweredFromTheStore(t *testing.T) {
	t.Parallel()
	eachShop(t, func(_ *testing.T, s *shop) {
		s.wantSale(s.buy("anna", "k1", "/sales", `{"n":1}`), 1, false)
		s.wantSale(s.buy("anna", "k1", "/sales", `{"n":1}`), 1, true)
		s.wantSale(s.buy("anna", "k2", "/sales", `{"n":1}`), 2, false) // another key, another sale
		s.wantSale(s.buy("bert", "k1", "/sales", `{"n":1}`), 3, false) // a key is its user's own
		s.wantSale(s.buy("anna", "", "/sales", `{"n":1}`), 4, false)   // no key, no memory
		s.wantSale(s.buy("anna", "", "/sales", `{"n":1}`), 5, false)
		s.wantSale(s.buy("anna", "k1", "/sales", `{"n":1}`), 1, true)
	})
}

func TestKeyBelongsToOneRequest(t *testing.T) {
	t.Parallel()
	eachShop(t, func(t *testing.T, s *shop) {
		s.wantSale(s.buy("anna", "k", "/sales?a=1", `{"n":1}`), 1, false)
		for name, got := range map[string]*httptest.ResponseRecorder{
			"another body":  s.buy("anna", "k", "/sales?a=1", `{"n":2}`),
			"another path":  s.buy("anna", "k", "/other?a=1", `{"n":1}`),
			"another query": s.buy("anna", "k", "/sales?a=2", `{"n":1}`),
		} {
			t.Log(name)
			wantRefusal(t, got, http.StatusConflict, "conflict")
		}
		if n := s.sales.Load(); n != 1 {
			t.Errorf("%d sales", n)
		}
	})
}

func TestKeyExpiresAfterADay(t *testing.T) {
	t.Parallel()
	eachShop(t, func(_ *testing.T, s *shop) {
		s.wantSale(s.buy("anna", "k", "/sales", `{}`), 1, false)
		s.clock.Advance(24*time.Hour - time.Microsecond)
		s.wantSale(s.buy("anna", "k", "/sales", `{}`), 1, true)
		s.clock.Advance(time.Microsecond)
		s.wantSale(s.buy("anna", "k", "/sales", `{"other":1}`), 2, false)
	})
}

func TestErrorsAreNotStored(t *testing.T) {
	t.Parallel()
	eachShop(t, func(t *testing.T, s *shop) {
		well := s.sell
		for _, status := range []int{400, 404, 409, 413, 500, 503, 304} {
			s.sell = func(w http.ResponseWriter, _ *http.Request, _ int64) { w.WriteHeader(status) }
			if got := s.buy("anna", "k", "/sales", `{"n":1}`); got.Code != status {
				t.Fatalf("status %d, want %d", got.Code, status)
			}
		}
		s.sell = func(http.ResponseWriter, *http.Request, int64) { panic("oops") }
		wantRefusal(t, s.buy("anna", "k", "/sales", `{"n":1}`), http.StatusInternalServerError, "internal")
		s.sell = well
		s.wantSale(s.buy("anna", "k", "/sales", `{"n":2}`), 9, false) // not even the body is remembered
	})
}

func TestResponsesWithoutABodyAreStored(t *testing.T) {
	t.Parallel()
	eachShop(t, func(t *testing.T, s *shop) {
		s.sell = func(w http.ResponseWriter, _ *http.Request, _ int64) { w.WriteHeader(http.StatusNoContent) }
		for range 2 {
			if got := s.buy("anna", "k", "/sales", `{}`); got.Code != http.StatusNoContent || got.Body.Len() != 0 {
				t.Errorf("status %d, body %q", got.Code, got.Body)
			}
		}
		if n := s.sales.Load(); n != 1 {
			t.Errorf("%d sales", n)
		}
	})
}

// TestSecondCallWaitsForTheFirst blocks the first call in its handler while a second
// one with the same key arrives.
func TestSecondCallWaitsForTheFirst(t *testing.T) {
	t.Parallel()
	eachShop(t, func(_ *testing.T, s *shop) {
		well := s.sell
		inside, goOn := make(chan struct{}), make(chan struct{})
		s.sell = func(w http.ResponseWriter, r *http.Request, number int64) {
			close(inside)
			<-goOn
			well(w, r, number)
		}
		first, second := make(chan *httptest.ResponseRecorder, 1), make(chan *httptest.ResponseRecorder, 1)
		go func() { first <- s.buy("anna", "k", "/sales", `{}`) }()
		<-inside
		go func() { second <- s.buy("anna", "k", "/sales", `{}`) }()
		// A twin with another body is refused at once, running or not.
		wantRefusal(s.t, s.buy("anna", "k", "/sales", `{"n":2}`), http.StatusConflict, "conflict")
		close(goOn)
		s.wantSale(<-first, 1, false)
		s.wantSale(<-second, 1, true)
	})
}

func TestParallelCallsHaveOneEffect(t *testing.T) {
	t.Parallel()
	eachShop(t, func(t *testing.T, s *shop) {
		answers := make(chan *httptest.ResponseRecorder)
		for range 8 {
			go func() { answers <- s.buy("anna", "k", "/sales", `{}`) }()
		}
		for range 8 {
			if got := <-answers; got.Code != http.StatusCreated || got.Body.String() != `{"sale":1}` {
				t.Errorf("status %d, body %s", got.Code, got.Body)
			}
		}
		if n := s.sales.Load(); n != 1 {
			t.Errorf("%d sales", n)
		}
	})
}

// TestAbandonedClaimIsReplaced leaves a claim as after a crash.
func TestAbandonedClaimIsReplaced(t *testing.T) {
	t.Parallel()
	eachShop(t, func(_ *testing.T, s *shop) {
		s.exec(`INSERT INTO idempotency_keys (user_id, key, request_hash, claimed_at, answered, status, headers, body)
			VALUES ($1, 'k', $2, $3, FALSE, 0, '', $2)`, numberOf("anna"), []byte{1}, db.Micros(s.clock.Now()))
		wantRefusal(s.t, s.buy("anna", "k", "/sales", `{}`), http.StatusConflict, "conflict")
		s.clock.Advance(2 * time.Minute)
		s.wantSale(s.buy("anna", "k", "/sales", `{}`), 1, false)
		s.wantSale(s.buy("anna", "k", "/sales", `{}`), 1, true)
	})
}

// TestLateFirstCallDoesNotUndoItsSuccessor runs a call until another one replaces
// its claim, and then lets it fail.
func TestLateFirstCallDoesNotUndoItsSuccessor(t *testing.T) {
	t.Parallel()
	eachShop(t, func(t *testing.T, s *shop) {
		well := s.sell
		inside, goOn := make(chan struct{}, 2), []chan struct{}{nil, make(chan struct{}), make(chan struct{})}
		s.sell = func(w http.ResponseWriter, r *http.Request, number int64) {
			inside <- struct{}{}
			<-goOn[number]
			if number == 1 {
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
			well(w, r, number)
		}
		first, second := make(chan *httptest.ResponseRecorder, 1), make(chan *httptest.ResponseRecorder, 1)
		go func() { first <- s.buy("anna", "k", "/sales", `{}`) }()
		<-inside
		s.clock.Advance(3 * time.Minute)
		go func() { second <- s.buy("anna", "k", "/sales", `{}`) }()
		<-inside
		close(goOn[1])
		if got := <-first; got.Code != http.StatusServiceUnavailable {
			t.Fatalf("the first call: %d", got.Code)
		}
		close(goOn[2])
		s.wantSale(<-second, 2, false)
		s.wantSale(s.buy("anna", "k", "/sales", `{}`), 2, true)
	})
}

func TestKeysAreBounded(t *testing.T) {
	t.Parallel()
	eachShop(t, func(t *testing.T, s *shop) {
		s.wantSale(s.buy("anna", strings.Repeat("k", 200), "/sales", `{}`), 1, false)
		for _, key := range []string{strings.Repeat("k", 201), "a\xffb", "a\x00b"} {
			info := wantRefusal(t, s.buy("anna", key, "/sales", `{}`), http.StatusBadRequest, "bad_request")
			if info.Details["field"] != "Idempotency-Key" {
				t.Errorf("details %v", info.Details)
			}
		}
	})
}

// TestFormsAreComparedByContent repeats an upload with another boundary.
func TestFormsAreComparedByContent(t *testing.T) {
	t.Parallel()
	eachShop(t, func(t *testing.T, s *shop) {
		send := func(parts ...part) *httptest.ResponseRecorder {
			body, contentType := upload(t, parts...) // each with its own boundary
			request := httptest.NewRequest(http.MethodPost, "/imports", bytes.NewReader(body))
			request.Header.Set("Content-Type", contentType)
			request.Header.Set("Idempotency-Key", "k")
			return serve(s.handler("anna", transport.Intake{Body: transport.FormBody, Limit: 1 << 20}), request)
		}
		file, account := part{"file", "f.csv", "a,b"}, part{name: "account_id", content: "1"}
		s.wantSale(send(file, account), 1, false)
		s.wantSale(send(account, file), 1, true)
		wantRefusal(t, send(file, part{name: "account_id", content: "2"}), http.StatusConflict, "conflict")
		wantRefusal(t, send(part{"file", "f.csv", "a,c"}, account), http.StatusConflict, "conflict")
		wantRefusal(t, send(file), http.StatusConflict, "conflict")
	})
}

// TestResponsesAreEncrypted checks the stored row.
func TestResponsesAreEncrypted(t *testing.T) {
	t.Parallel()
	eachShop(t, func(t *testing.T, s *shop) {
		s.sell = func(w http.ResponseWriter, _ *http.Request, _ int64) {
			_, _ = io.WriteString(w, `{"answer":"canary-out"}`)
		}
		s.buy("anna", "k", "/sales?q=canary-query", `{"password":"canary-in"}`)
		var hash, sealed []byte
		var headers string
		err := s.db.View(t.Context(), func(tx *db.Tx) error {
			return tx.QueryRow(t.Context(), `SELECT request_hash, headers, body FROM idempotency_keys`).Scan(&hash, &headers, &sealed)
		})
		if err != nil {
			t.Fatal(err)
		}
		if row := string(hash) + headers + string(sealed); len(sealed) == 0 || strings.Contains(row, "canary") {
			t.Errorf("the row holds %q", row)
		}
	})
}

func TestSweepDeletesOldResponses(t *testing.T) {
	t.Parallel()
	eachShop(t, func(t *testing.T, s *shop) {
		s.buy("anna", "old", "/sales", `{}`)
		s.clock.Advance(23 * time.Hour)
		s.buy("anna", "new", "/sales", `{}`)
		s.clock.Advance(time.Hour)
		if err := s.store.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		var left string
		err := s.db.View(t.Context(), func(tx *db.Tx) error {
			return tx.QueryRow(t.Context(), `SELECT key FROM idempotency_keys`).Scan(&left)
		})
		if err != nil || left != "new" {
			t.Errorf("left is %q (%v)", left, err)
		}
	})
}

// TestResponseIsStoredIfTheClientDisconnects checks the purpose of the key.
func TestResponseIsStoredIfTheClientDisconnects(t *testing.T) {
	t.Parallel()
	eachShop(t, func(t *testing.T, s *shop) {
		well := s.sell
		ctx, hangUp := context.WithCancel(t.Context())
		s.sell = func(w http.ResponseWriter, r *http.Request, number int64) {
			hangUp()
			well(w, r, number)
		}
		request := httptest.NewRequest(http.MethodPost, "/sales", strings.NewReader(`{}`)).WithContext(ctx)
		request.Header.Set("Content-Type", jsonType)
		request.Header.Set("Idempotency-Key", "k")
		serve(s.handler("anna", transport.Intake{Body: transport.JSONBody, Limit: 100}), request)
		s.wantSale(s.buy("anna", "k", "/sales", `{}`), 1, true)
	})
}
