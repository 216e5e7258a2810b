package httpapi_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/testkit"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
	"fillbook/internal/transport"
)

// BenchmarkRequests sends requests over loopback to a journal with n fills, three for
// each trade.
func BenchmarkRequests(b *testing.B) {
	for _, engine := range []db.Engine{db.SQLite, db.PostgreSQL} {
		b.Run(string(engine), func(b *testing.B) {
			d := testkit.Open(b, engine)
			w := newWorld(b, d, func(s *settle) { s.api.Log = slog.New(slog.DiscardHandler) })
			owner := w.setUp()
			send := serveWorld(b, w, owner.token)
			b.Run("me", func(b *testing.B) {
				for b.Loop() {
					send(b, http.MethodGet, "/me", nil)
				}
			})
			for _, n := range []int{1_000, 20_000} {
				account := owner.post("/accounts", map[string]any{"name": fmt.Sprint(n), "base_currency": "USD"}).want(http.StatusCreated).text("id")
				addFills(b, w, owner.get("/me").text("id"), journal.AccountID(account), n)
				trade := owner.get("/trades?limit=1&account_id=" + account).text("0.id")
				for _, call := range []struct{ name, method, path, body string }{
					{"trades", http.MethodGet, "/trades?account_id=" + account, ""},
					{"fills", http.MethodGet, "/executions?account_id=" + account, ""},
					{"page", http.MethodGet, "/trades?limit=50&account_id=" + account, ""},
					{"detail", http.MethodGet, "/trades/" + trade, ""},
					{"annotate", http.MethodPatch, "/trades/" + trade, `{"notes":"a note"}`},
				} {
					b.Run(fmt.Sprintf("%s/%d", call.name, n), func(b *testing.B) {
						for b.Loop() {
							send(b, call.method, call.path, []byte(call.body))
						}
					})
				}
			}
		})
	}
}

// BenchmarkFilters sends filtered requests to a journal with a million fills and 20,000
// annotated trades. Each request has another limit, so none is answered from the cache.
func BenchmarkFilters(b *testing.B) {
	const fills, noted, perCall = 1_000_000, 20_000, 1000
	w := newWorld(b, testkit.Open(b, db.SQLite), func(s *settle) { s.api.Log = slog.New(slog.DiscardHandler) })
	owner := w.setUp()
	account := owner.post("/accounts", map[string]any{"name": "Large"}).want(http.StatusCreated).text("id")
	addFills(b, w, owner.get("/me").text("id"), journal.AccountID(account), fills)
	send := serveWorld(b, w, owner.token)
	page := "/trades?limit=" + fmt.Sprint(perCall)
	for range noted / perCall {
		answer := owner.get(page).want(http.StatusOK)
		owner.patch("/trades", map[string]any{"ids": answer.column("id"), "set": map[string]any{"notes": "Waited for the retest of the opening range."}}).want(http.StatusOK)
		link, _, _ := strings.Cut(strings.TrimPrefix(answer.header.Get("Link"), "</api/v1"), ">")
		page = link
	}
	batch := ""
	if err := w.db.View(b.Context(), func(tx *db.Tx) error {
		return tx.QueryRow(b.Context(), `SELECT batch_id FROM import_spans WHERE user_id = $1`, 1).Scan(&batch)
	}); err != nil {
		b.Fatal(err)
	}
	limit := 0
	for _, filter := range []string{
		"", "outcome=loss", "weekday=5&hour=14,15&filter_tz=America/New_York", "root=SYM7&side=long", "hold_min=3", "has_note=true", "q=retest", "import_batch_id=" + batch,
		"outcome=loss&weekday=5&side=long&q=retest", "after_losses=2&filter_tz=America/New_York",
	} {
		for _, path := range []string{"/analytics/summary?", "/trades?limit=50&", "/trades?limit=50&sort=return_pct&"} {
			b.Run(path+filter, func(b *testing.B) {
				for b.Loop() {
					limit++
					send(b, http.MethodGet, fmt.Sprintf("%s%s&pnl_min=-%d", path, filter, 1_000_000+limit), nil)
				}
			})
		}
	}
}

// BenchmarkSearch searches 100,000 trades with notes and 100,000 notes: for words
// searched before, and after a write.
func BenchmarkSearch(b *testing.B) {
	const texts, perCall = 100_000, 1000
	for _, engine := range []db.Engine{db.SQLite, db.PostgreSQL} {
		b.Run(string(engine), func(b *testing.B) {
			w := newWorld(b, testkit.Open(b, engine), func(s *settle) { s.api.Log = slog.New(slog.DiscardHandler) })
			owner := w.setUp()
			account := owner.post("/accounts", map[string]any{"name": "Large"}).want(http.StatusCreated).text("id")
			addFills(b, w, owner.get("/me").text("id"), journal.AccountID(account), 3*texts)
			send := serveWorld(b, w, owner.token)
			page, trade := "/trades?limit="+fmt.Sprint(perCall), ""
			for i := range texts / perCall {
				answer := owner.get(page).want(http.StatusOK)
				trade = answer.text("0.id")
				notes := fmt.Sprintf("Waited for the retest of the opening range, %d. %s", i, strings.Repeat("Took the entry with size and held it. ", 8))
				owner.patch("/trades", map[string]any{"ids": answer.column("id"), "set": map[string]any{"notes": notes}}).want(http.StatusOK)
				page, _, _ = strings.Cut(strings.TrimPrefix(answer.header.Get("Link"), "</api/v1"), ">")
			}
			if err := w.db.Update(b.Context(), func(tx *db.Tx) error {
				_, err := tx.Exec(b.Context(), `INSERT INTO notes SELECT user_id, CAST(seq AS TEXT), 'note', executed_at, FALSE, '',
					'Waited for the retest of the opening range. Took the entry with size and held it. Took the entry with size and held it. ' || CAST(seq AS TEXT),
					'[]', NULL, NULL, executed_at, executed_at FROM executions WHERE user_id = $1 AND seq < $2`, 1, texts)
				return err
			}); err != nil {
				b.Fatal(err)
			}
			for name, path := range map[string]string{"trades": "/trades?limit=5&q=", "notes": "/notes?limit=5&q="} {
				begin := time.Now() // the first search builds the index
				send(b, http.MethodGet, path+"first", nil)
				b.Logf("the first search of %s took %v", name, time.Since(begin))
				for kind, word := range map[string]string{"common": "retest", "letter": "t", "rare": "99", "none": "absent"} {
					b.Run(name+"/warm/"+kind, func(b *testing.B) {
						for b.Loop() {
							send(b, http.MethodGet, path+word, nil)
						}
					})
				}
			}
			b.Run("trades/written", func(b *testing.B) {
				for i := 0; b.Loop(); i++ {
					send(b, http.MethodPatch, "/trades/"+trade, fmt.Appendf(nil, `{"notes":"retest %d"}`, i))
					send(b, http.MethodGet, "/trades?limit=5&q=retest", nil)
				}
			})
			b.Run("notes/written", func(b *testing.B) {
				for i := 0; b.Loop(); i++ {
					send(b, http.MethodPatch, "/notes/99", fmt.Appendf(nil, `{"body":"retest %d"}`, i))
					send(b, http.MethodGet, "/notes?limit=5&q=retest", nil)
				}
			})
		})
	}
}

// serveWorld serves the handler on loopback and returns a function for sending a request
// and reading its answer.
func serveWorld(b *testing.B, w *world, token string) func(b *testing.B, method, path string, body []byte) {
	b.Helper()
	var config net.ListenConfig
	listener, err := config.Listen(b.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- transport.Serve(ctx, listener, w.handler, slog.New(slog.DiscardHandler)) }()
	caller := &http.Client{Transport: &http.Transport{DisableCompression: true}}
	b.Cleanup(func() {
		caller.CloseIdleConnections()
		stop()
		<-ended
	})
	buffer := make([]byte, 64<<10)
	return func(b *testing.B, method, path string, body []byte) {
		request, err := http.NewRequestWithContext(b.Context(), method, "http://"+listener.Addr().String()+"/api/v1"+path, bytes.NewReader(body))
		if err != nil {
			b.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+token)
		if len(body) > 0 {
			request.Header.Set("Content-Type", "application/json")
		}
		answer, err := caller.Do(request)
		if err != nil {
			b.Fatal(err)
		}
		defer answer.Body.Close() //nolint:errcheck // only read
		if _, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, answer.Body, buffer); err != nil || answer.StatusCode != http.StatusOK {
			b.Fatal(answer.Status, err)
		}
	}
}

// addFills stores n fills in 200 symbols, three for each trade.
func addFills(b *testing.B, w *world, owner string, account journal.AccountID, n int) {
	b.Helper()
	begin := w.clock.Now().Add(-3 * 365 * 24 * time.Hour)
	fills := make([]ledger.NewFill, n)
	for i := range fills {
		side, quantity := matching.Buy, int64(100)
		if i%3 == 2 {
			side, quantity = matching.Sell, 200
		}
		fills[i] = ledger.NewFill{
			Symbol: fmt.Sprintf("SYM%d", i/3%200), Side: side, Quantity: decimal.New(quantity), Price: decimal.FromScaled(int64(10_000+i%977), 2),
			Commission: decimal.FromScaled(125, 2), ExecutedAt: begin.Add(time.Duration(i) * 3 * time.Second),
		}
	}
	user, err := w.services.Identity.User(b.Context(), journal.PublicID(owner))
	if err != nil {
		b.Fatal(err)
	}
	err = w.db.Update(b.Context(), func(tx *db.Tx) error {
		_, err := w.services.Ledger.InsertFills(b.Context(), tx, user.ID, account, journal.NewID[journal.BatchID](), fills)
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
}
