package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"fillbook/internal/base/db"
	"fillbook/internal/testkit"
)

// TestWritesToStrategiesReadTheirTrades: after a write to a strategy, only its own trades are
// read again, and not the account's.
func TestWritesToStrategiesReadTheirTrades(t *testing.T) {
	t.Parallel()
	testkit.RequirePostgres(t)
	var mu sync.Mutex
	var reads []string // statements that read all of an account's streams
	options := testkit.Options(t, db.PostgreSQL)
	options.Trace = func(statement string) {
		mu.Lock()
		defer mu.Unlock()
		if strings.Contains(statement, "FROM streams WHERE user_id = $1 AND account IN") {
			reads = append(reads, statement)
		}
	}
	d, err := db.Open(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	w := newWorld(t, d)
	owner := w.trader()
	for day := range 4 {
		for _, strike := range []string{"95", "100"} {
			owner.made("/executions", more{
				"account_id": owner.account, "symbol": "XYZ", "instrument_type": "option", "multiplier": 100, "quantity": 1, "price": 2,
				"side": map[string]string{"95": "buy", "100": "sell"}[strike], "executed_at": fmt.Sprintf("2026-01-%02dT15:00:00Z", 5+day),
				"details": more{"option_right": "call", "strike": strike, "expiry": fmt.Sprintf("2026-06-%02d", 16+day), "order_id": fmt.Sprint("o", day)},
			})
		}
	}
	list := owner.get("/strategies").want(http.StatusOK).column("id")
	if len(list) != 4 {
		t.Fatalf("there are %d proposals", len(list))
	}
	tag := owner.made("/tags", more{"name": "gap"}).text("id")
	path := func(n int) string { return "/strategies/" + list[n] }
	// The first decision about an underlying reads the keys of its fills.
	owner.patch(path(0), more{"state": "accepted", "tag_ids": []string{tag}}).want(http.StatusOK)
	owner.get("/analytics/summary?unit=strategy").want(http.StatusOK).is("unit", `"strategy"`)
	var accepted *reply
	for _, c := range []struct {
		name string
		send func() *reply
	}{
		{"accept a proposal", func() *reply { accepted = owner.patch(path(1), more{"state": "accepted"}); return accepted }},
		{"undo it", func() *reply { return owner.post("/history/"+accepted.changeOf()+"/undo", nil) }},
		{"write on a strategy", func() *reply { return owner.patch(path(0), more{"notes": "n", "initial_risk": 100}) }},
		{"make a strategy", func() *reply {
			legs := owner.get(path(2))
			return owner.post("/strategies", more{"trade_ids": []string{legs.text("legs.0.trade_id"), legs.text("legs.1.trade_id")}})
		}},
		{"delete a strategy", func() *reply { return owner.delete(path(3)) }},
		{"delete the tag of a strategy", func() *reply { return owner.delete("/tags/" + tag) }},
	} {
		mu.Lock()
		reads = nil
		mu.Unlock()
		if got := c.send(); got.status >= http.StatusBadRequest {
			t.Fatalf("%s: %d %s", c.name, got.status, got.body)
		}
		owner.get("/strategies").want(http.StatusOK)
		mu.Lock()
		if len(reads) > 0 {
			t.Errorf("%s reads all streams %d times", c.name, len(reads))
		}
		mu.Unlock()
	}
}
