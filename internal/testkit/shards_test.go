package testkit_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"fillbook/internal/base/db"
	"fillbook/internal/testkit"
)

// TestShardRules tests the rules themselves: a checker accepting everything would find
// nothing.
func TestShardRules(t *testing.T) {
	t.Parallel()
	rules := testkit.ShardRules{Columns: map[string]string{
		"accounts": "user_id", "trades": "user_id", "sessions": "user_id", "token_owners": "hash",
	}}
	for text, want := range map[string]string{
		`SELECT id FROM trades WHERE user_id = $1`:                                                        "",
		`SELECT id FROM trades AS t WHERE $1 = t.user_id AND id = $2`:                                     "",
		`SELECT t.id FROM trades t JOIN accounts ON accounts.user_id = t.user_id WHERE t.user_id = $1`:    "",
		`SELECT id FROM users WHERE email_key = $1`:                                                       "",
		`SELECT user_id FROM token_owners WHERE hash = $1`:                                                "",
		`INSERT INTO trades (user_id, id) VALUES ($1, $2), ($1, $3) ON CONFLICT (user_id, id) DO NOTHING`: "",
		`UPDATE trades SET id = $1 WHERE user_id = $2`:                                                    "",
		`DELETE FROM trades USING (VALUES ($1)) AS v (c0) WHERE trades.id = v.c0 AND trades.user_id = $2`: "",
		`SELECT COUNT(*) FROM (SELECT 1 FROM trades WHERE user_id = $1) AS listed`:                        "",
		`SELECT email, EXISTS (SELECT 1 FROM sessions WHERE user_id = $1) FROM users WHERE id = $1`:       "",
		`SELECT id FROM trades WHERE user_id = $1 UNION ALL SELECT id FROM accounts WHERE user_id = $1`:   "",
		`SELECT id FROM trades WHERE user_id = $1 FOR UPDATE`:                                             "",

		`SELECT id FROM trades`:                                                                                        "trades has no condition",
		`SELECT id FROM trades WHERE id = $1`:                                                                          "trades has no condition",
		`SELECT id FROM trades WHERE user_id = $1 OR id = $2`:                                                          "trades has no condition",
		`SELECT id FROM trades WHERE user_id > $1`:                                                                     "trades has no condition",
		`UPDATE trades SET id = $1 WHERE id = $2`:                                                                      "trades has no condition",
		`DELETE FROM trades WHERE id = $1`:                                                                             "trades has no condition",
		`SELECT user_id FROM token_owners WHERE user_id = $1`:                                                          "token_owners has no condition hash",
		`INSERT INTO trades (id) VALUES ($1)`:                                                                          "without a value for user_id",
		`SELECT id FROM trades WHERE user_id = $1; SELECT 1`:                                                           "several statements",
		`SELECT t.id FROM trades t, accounts a WHERE t.user_id = $1 AND a.id = t.id`:                                   "accounts has no condition",
		`SELECT id FROM trades WHERE user_id = $1 UNION ALL SELECT id FROM accounts`:                                   "accounts has no condition",
		`SELECT id FROM trades t WHERE user_id = $1 AND EXISTS (SELECT 1 FROM accounts a WHERE a.user_id = t.user_id)`: "accounts has no condition",
		`SELECT COALESCE((SELECT MAX(id) FROM trades), 0)`:                                                             "trades has no condition",
		`SELECT id FROM users WHERE EXISTS (SELECT 1 FROM sessions s WHERE s.user_id = users.id)`:                      "sessions has no condition",
		`SELECT id FROM users WHERE EXISTS (SELECT 1 FROM sessions s WHERE s.user_id = $1 AND s.ip = users.ip)`:        "outer query",
		`UPDATE trades SET id = v.c0 FROM (VALUES ($1)) AS v (c0) WHERE trades.user_id = v.c0`:                         "trades has no condition",
	} {
		err := rules.Check(text)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s\n\tgot: %v\n\twant: %q", text, err, want)
		}
	}
}

// TestStatementsAreChecked checks that a program statement breaking the rules fails its
// test, and that a test's own statement does not.
func TestStatementsAreChecked(t *testing.T) {
	t.Parallel()
	record := &recorder{TB: t}
	options := testkit.Options(record, db.PostgreSQL)
	d, err := db.Open(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	err = d.Peek(t.Context(), func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), `SELECT id FROM trades`)
		return errors.Join(err, testkit.RunUnruly(t.Context(), tx))
	})
	if err := errors.Join(err, d.Close()); err != nil {
		t.Fatal(err)
	}
	record.end()
	if len(record.errors) != 1 || !strings.Contains(record.errors[0], "internal/testkit/unruly.go") {
		t.Errorf("errors: %v, want one of unruly.go", record.errors)
	}
}

// recorder is a test recording its errors instead of failing.
type recorder struct {
	testing.TB
	cleanups []func()
	errors   []string
}

func (r *recorder) Cleanup(fn func()) { r.cleanups = append(r.cleanups, fn) }
func (r *recorder) Error(args ...any) { r.errors = append(r.errors, fmt.Sprint(args...)) }

func (r *recorder) end() {
	for _, fn := range slices.Backward(r.cleanups) {
		fn()
	}
}
