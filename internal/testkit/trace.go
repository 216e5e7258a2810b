package testkit

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"fillbook/internal/base/db"
)

// allNodes are the beginnings of statements reading or writing many users' rows, and why
// they may ask all nodes in a distributed database.
var allNodes = []struct{ statement, why string }{
	{`DELETE FROM sessions WHERE (user_id, id) IN (`, "hourly sweep"},
	{`DELETE FROM refresh_tokens WHERE (user_id, session_id, hash) IN (`, "hourly sweep"},
	{`DELETE FROM audit_events WHERE (user_id, id) IN (`, "hourly sweep"},
	{`DELETE FROM idempotency_keys WHERE (user_id, key) IN (`, "hourly sweep"},
	{`DELETE FROM token_owners WHERE hash IN (`, "hourly sweep"},
	{`DELETE FROM alerts WHERE fired_at <`, "hourly sweep"},
	{`SELECT user_id FROM alerts GROUP BY user_id`, "hourly sweep"},
	{`DELETE FROM channel_deliveries WHERE created_at <`, "hourly sweep"},
	{`SELECT h.user_id FROM (SELECT user_id, position, at FROM history_streams WHERE account_id = '') h LEFT JOIN alert_states s`, "each server looks for changed journals"},
	{`DELETE FROM hook_bodies WHERE received_at <`, "hourly sweep"},
	{`DELETE FROM hook_quarantine WHERE received_at <`, "hourly sweep"},
	{`SELECT user_id, attachment_id FROM kept_attachments WHERE deleted_at <=`, "hourly sweep"},
	{`DELETE FROM kept_attachments WHERE deleted_at <=`, "hourly sweep"},
	{`SELECT user_id, last_seen_at FROM user_states`, "list of all users"},
	{`SELECT user_id, kind, id, request, run, lease_until, failures, failing_since FROM jobs AS due`, "due jobs of all users"},
	{`UPDATE import_batches SET status = $1, updated_at = $2 WHERE status = 'pending'`, "hourly sweep"},
	{`SELECT id, at, user_id, actor, action, outcome, credential, target, ip, user_agent, request_id FROM audit_events`, "list of all users' events"},
	{`SELECT COUNT(*) FROM audit_events`, "list of all users' events"},
	{`SELECT (SELECT COUNT(*) FROM audit_events`, "list of all users' events"},
	{`SELECT at / 86400000000 AS day, COUNT(*) FROM audit_events`, "list of all users' events"},
	{`SELECT user_id, id FROM accounts`, "check, and new rules after an update"},
	{`SELECT user_id, batch_id FROM import_spans`, "check"},
	{`SELECT user_id, id, status FROM import_batches`, "check"},
	{`SELECT m.user_id, m.trade_id, EXISTS (`, "check"},
	{`SELECT user_id FROM routine_seeds`, "check"},
	{`SELECT token_id, COUNT(*) FROM access_token_uses GROUP BY`, "check"},
	{`SELECT user_id, id FROM attachments ORDER BY`, "copy of an installation"},
	{`SELECT user_id, id, token_sealed FROM share_links`, "new server secret"},
	{`SELECT user_id, id, credentials FROM bar_sources`, "new server secret"},
	{`SELECT user_id, id, credentials FROM connections`, "new server secret"},
	{`DELETE FROM idempotency_keys`, "new server secret"},
}

var shardRules = sync.OnceValues(func() (ShardRules, error) {
	columns, err := db.DistributionColumns(context.Background())
	return ShardRules{Columns: columns}, err
})

// checkStatements returns a function for db.Options.Trace checking the program's
// statements, not those in tests. Errors are reported when the test ends.
func checkStatements(t testing.TB) func(statement string) {
	t.Helper()
	rules, err := shardRules()
	if err != nil {
		t.Fatalf("reading the distribution columns: %v", err)
	}
	var mu sync.Mutex
	checked := map[string]bool{}
	var errors []string
	t.Cleanup(func() {
		mu.Lock()
		defer mu.Unlock()
		for _, err := range errors {
			t.Error(err)
		}
	})
	return func(statement string) {
		mu.Lock()
		defer mu.Unlock()
		place := ""
		if !checked[statement] {
			place = findCaller()
		}
		if place == "" {
			return
		}
		checked[statement] = true
		if err := rules.Check(statement); err != nil && !isForAllNodes(statement) {
			errors = append(errors, fmt.Sprintf("%s: a statement does not suit a distributed database (docs/scaling.md): %v\n%.400s", place, err, statement))
		}
	}
}

func isForAllNodes(statement string) bool {
	for _, exception := range allNodes {
		if strings.HasPrefix(strings.TrimSpace(statement), exception.statement) {
			return true
		}
	}
	return false
}

// findCaller returns the place in the program running a statement, or "" if it is in a
// test or in package db.
func findCaller() string {
	callers := make([]uintptr, 64)
	frames := runtime.CallersFrames(callers[:runtime.Callers(3, callers)])
	for {
		frame, more := frames.Next()
		_, file, ours := strings.Cut(frame.File, "/internal/")
		switch {
		case strings.HasSuffix(frame.File, "_test.go"):
			return ""
		case !ours || !strings.HasPrefix(frame.Function, "fillbook/") || isForwarding(file):
		case strings.HasPrefix(file, "base/db/"):
			return ""
		default:
			return fmt.Sprintf("internal/%s:%d", file, frame.Line)
		}
		if !more {
			return ""
		}
	}
}

// isForwarding reports whether a file only runs its callers' statements.
func isForwarding(file string) bool {
	switch file {
	case "testkit/trace.go", "testkit/postgres.go", "base/db/postgres.go", "base/db/session.go", "base/db/tx.go", "base/db/bulk.go":
		return true
	}
	return false
}
