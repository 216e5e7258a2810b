package history_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/testkit"
)

// statementLog collects the statements of a database.
type statementLog struct {
	sync.Mutex
	list []string
}

func (l *statementLog) add(statement string) {
	l.Lock()
	defer l.Unlock()
	l.list = append(l.list, statement)
}

// take returns the statements since the last call.
func (l *statementLog) take() []string {
	l.Lock()
	defer l.Unlock()
	list := l.list
	l.list = nil
	return list
}

// TestPagesFollowAnIndex lists the first page with and without filters: every statement
// reads rows in the order of an index, and none counts or sorts rows. PostgreSQL reports the
// statements, and SQLite their plans, which depend on the indexes only.
func TestPagesFollowAnIndex(t *testing.T) {
	t.Parallel()
	testkit.RequirePostgres(t)
	lite := testkit.Open(t, db.SQLite)
	var log statementLog
	options := testkit.Options(t, db.PostgreSQL)
	options.Trace = log.add
	d, err := db.Open(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	s, _ := fillHistory(t, d)
	checked := 0
	for _, q := range []history.Query{
		{},
		{Actions: []history.Action{history.Create, history.Delete}},
		{Types: []string{"note"}, Kind: history.BySession},
		{Account: "a"},
		{Account: "a", Actions: []history.Action{history.Create}},
		{Keys: []history.Key{{Type: "note", ID: "note-1"}, {Type: "note", ID: "note-2"}}},
		{Period: journal.Period{From: &time.Time{}}},
		{Words: "created"},
	} {
		log.take()
		q.Limit = 20
		if _, err := s.List(t.Context(), owner, q); err != nil {
			t.Fatal(err)
		}
		for _, statement := range log.take() {
			if !strings.Contains(statement, "FROM history_") {
				continue
			}
			checked++
			plan := strings.Join(planOf(t, lite, statement), "; ")
			if strings.Contains(statement, "COUNT(") || strings.Contains(plan, "SCAN") || strings.Contains(plan, "TEMP B-TREE") {
				t.Errorf("%+v\nstatement: %s\nplan: %s", q, statement, plan)
			}
		}
	}
	if checked < 20 {
		t.Errorf("%d statements were checked", checked)
	}
}

// planOf returns the steps of a statement.
func planOf(t *testing.T, d *db.DB, statement string) (plan []string) {
	t.Helper()
	args := make([]any, strings.Count(statement, "$"))
	for i := range args {
		args[i] = i
	}
	for n := len(args); n > 0 && !strings.Contains(statement, fmt.Sprint("$", n)); n-- {
		args = args[:n-1]
	}
	err := d.View(t.Context(), func(tx *db.Tx) error {
		return db.Each(t.Context(), tx, func(row db.Scanner) error {
			var id, parent, unused int
			var detail string
			err := row.Scan(&id, &parent, &unused, &detail)
			plan = append(plan, detail)
			return err
		}, "EXPLAIN QUERY PLAN "+statement, args...)
	})
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	return plan
}

// TestPagesHaveEveryChange lists a long history page by page, with filters that few changes
// meet: the pages have exactly the changes that meet them, newest first.
func TestPagesHaveEveryChange(t *testing.T) {
	t.Parallel()
	for _, engine := range engines() {
		d := testkit.Open(t, engine)
		s, clock := fillHistory(t, d)
		for i := range 600 {
			o := history.Object{Type: "note", ID: fmt.Sprint("note-", i%7), Label: "Words", Action: history.Updated, Account: []journal.AccountID{"", "a", "b"}[i%3]}
			if i%50 == 0 {
				o.Type, o.Action = "tag", history.Deleted
			}
			o.Fields = []history.Field{history.NewField("body", fmt.Sprint(i), fmt.Sprint(i+1))}
			others := []history.Object{o}
			if i%11 == 0 { // in the user's own stream
				others = append(others, history.Object{Type: "trade", ID: "trade", Action: history.Updated, Account: "b", Fields: o.Fields})
			}
			run(t, d, func(tx *db.Tx) error {
				for _, o := range others {
					history.Record(tx, owner, o)
				}
				return nil
			})
			clock.Advance(time.Second)
		}
		all, err := s.List(t.Context(), owner, history.Query{Limit: 1000})
		if err != nil || all.Total == nil || *all.Total != len(all.Changes) || len(all.Changes) != 605 {
			t.Fatalf("%d changes, %v", len(all.Changes), err)
		}
		middle := all.Changes[300].At
		for name, c := range map[string]struct {
			query history.Query
			meets func(history.Change) bool
		}{
			"action":  {history.Query{Actions: []history.Action{history.Delete}}, func(c history.Change) bool { return c.Action == history.Delete }},
			"account": {history.Query{Account: "b"}, isOf("b")},
			"account and type": {history.Query{Account: "b", Types: []string{"tag"}}, func(c history.Change) bool {
				return isOf("b")(c) && slices.ContainsFunc(c.Objects, func(o history.Object) bool { return o.Type == "tag" })
			}},
			"record": {history.Query{Keys: []history.Key{{Type: "note", ID: "note-3"}, {Type: "trade", ID: "trade"}}}, func(c history.Change) bool {
				return slices.ContainsFunc(c.Objects, func(o history.Object) bool { return o.Type == "note" && o.ID == "note-3" || o.Type == "trade" })
			}},
			"account in a period": {history.Query{Account: "a", Period: journal.Period{From: &middle}}, func(c history.Change) bool {
				return isOf("a")(c) && !c.At.Before(middle)
			}},
		} {
			var want, got []journal.ChangeID
			for _, change := range all.Changes {
				if c.meets(change) {
					want = append(want, change.ID)
				}
			}
			c.query.Limit = 9
			for {
				page, err := s.List(t.Context(), owner, c.query)
				if err != nil {
					t.Fatal(err)
				}
				if page.Total != nil {
					t.Errorf("%s: the changes were counted", name)
				}
				for _, change := range page.Changes {
					got = append(got, change.ID)
					c.query.Before = change.Position
				}
				if len(page.Changes) < c.query.Limit {
					break
				}
			}
			if len(want) == 0 || !slices.Equal(got, want) {
				t.Errorf("%s: %d changes on all pages, want %d", name, len(got), len(want))
			}
		}
	}
}

// isOf returns a function that reports whether a change is in an account's stream, or has an
// object of the account.
func isOf(account journal.AccountID) func(history.Change) bool {
	return func(c history.Change) bool {
		return c.Account == account || c.Account == "" && slices.ContainsFunc(c.Objects, func(o history.Object) bool { return o.Account == account })
	}
}
