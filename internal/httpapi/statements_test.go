package httpapi_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/testkit"
)

// TestStatementsOfSmallRequests bounds the statements and the round trips to PostgreSQL for
// frequent page requests. A round trip takes about as long as the rest of a small request.
func TestStatementsOfSmallRequests(t *testing.T) {
	t.Parallel()
	testkit.RequirePostgres(t)
	var mu sync.Mutex
	var sent []string
	trips := 0
	options := testkit.Options(t, db.PostgreSQL)
	options.Trace = func(statement string) {
		mu.Lock()
		defer mu.Unlock()
		sent = append(sent, strings.Join(strings.Fields(statement), " "))
	}
	options.TraceTrip = func() {
		mu.Lock()
		defer mu.Unlock()
		trips++
	}
	d, err := db.Open(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	w := newWorld(t, d)
	owner := w.trader()
	trade := owner.roundTrip("AAPL")
	if err := w.people.Flush(t.Context()); err != nil { // not counted below: it is written in the background
		t.Fatal(err)
	}
	account := owner.get("/trades/" + trade).text("account_id")
	at := w.clock.Now()
	post := func(side string) func() *reply {
		return func() *reply {
			at = at.Add(time.Second)
			return owner.post("/executions", more{
				"account_id": account, "symbol": "AAPL", "side": side, "quantity": 1, "price": 10, "executed_at": at.Format(time.RFC3339),
			})
		}
	}
	for _, c := range []struct {
		name              string
		statements, trips int // at most
		send              func() *reply
	}{
		{"GET /me", 1, 1, func() *reply { return owner.get("/me") }},
		{"GET /trades/{id}", 17, 5, func() *reply { return owner.get("/trades/" + trade) }},
		{"PATCH /trades/{id}", 30, 6, func() *reply { return owner.patch("/trades/"+trade, more{"notes": "a note"}) }},
		{"PATCH /trades/{id} again", 28, 5, func() *reply { return owner.patch("/trades/"+trade, more{"notes": "another note"}) }},
		{"GET /analytics/daily", 20, 19, func() *reply { return owner.get("/analytics/daily") }}, // reads the columns
		{"GET /analytics/summary", 3, 3, func() *reply { return owner.get("/analytics/summary") }},
		{"POST /executions that opens a trade", 19, 4, post("buy")},
		{"POST /executions that closes a trade", 20, 5, post("sell")},
	} {
		mu.Lock()
		sent, trips = nil, 0
		mu.Unlock()
		if answer := c.send(); answer.status != http.StatusOK && answer.status != http.StatusCreated {
			t.Errorf("%s: status %d: %s", c.name, answer.status, answer.body)
		}
		mu.Lock()
		if len(sent) > c.statements || trips > c.trips {
			t.Errorf("%s sent %d statements in %d round trips, want at most %d in %d:\n%s",
				c.name, len(sent), trips, c.statements, c.trips, strings.Join(sent, "\n"))
		}
		mu.Unlock()
	}
}
