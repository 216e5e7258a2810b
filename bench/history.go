package main

import (
	"context"
	"fmt"
	"net/http"

	"fillbook/internal/base/db"
)

// undoNewest measures undoing the user's newest change and returns the record and the
// undo's own id.
func (s *session) undoNewest(ctx context.Context, name string) (r *Record, undo string, err error) {
	var newest []struct{ ID string }
	if err := s.client.fetch(ctx, api+"/history?limit=1").decode(&newest); err != nil {
		return nil, "", err
	}
	var change struct{ ID string }
	r, err = s.measure(ctx, name, 1, func(int) reply {
		answer := s.undo(ctx, newest[0].ID)
		if answer.err == nil {
			answer.err = answer.decode(&change)
		}
		return answer
	})
	return r, change.ID, err
}

func (s *session) undo(ctx context.Context, change string) reply {
	return s.client.do(ctx, request{method: http.MethodPost, path: api + "/history/" + change + "/undo", keep: true})
}

// shortHistory and longHistory are how many changes the history of the large account has for
// [session.measureHistory], besides its own.
const (
	shortHistory = 100
	longHistory  = 1_000_000
)

// measureHistory measures the first page of a short and of a long history: all of it, as the
// page shows it, and of one account.
func (s *session) measureHistory(ctx context.Context) error {
	pages := []struct{ name, query string }{
		{"first page of the history", ""},
		{"first page of the history, without security", "&action=create,update,delete,bulk,import,reverse,restore,run,deliver,undo,settings"},
		{"first page of an account's history", "&account_id=" + s.large},
	}
	short := make([]*Record, len(pages))
	for _, length := range []int{shortHistory, longHistory} {
		shorten, err := s.lengthenHistory(ctx, length)
		if err != nil {
			return err
		}
		s.source.Analyze(ctx, length, "history_changes") // as it is while a history grows
		for i, page := range pages {
			name := page.name + ", " + formatCount(length) + " changes"
			r, err := s.measure(ctx, name, 100, func(int) reply { return s.client.get(ctx, api+"/history?limit=50"+page.query) })
			if err != nil {
				return err
			}
			if short[i] == nil {
				short[i] = r
			} else {
				r.setLimit("the same, "+formatCount(shortHistory)+" changes", times{short[i].P50})
			}
		}
		if err := shorten(); err != nil {
			return err
		}
	}
	return nil
}

// lengthenHistory repeats the last change of the large account, and returns a function that
// removes the copies. Meanwhile the chain does not verify.
func (s *session) lengthenHistory(ctx context.Context, more int) (shorten func() error, err error) {
	var copied, last int64
	err = s.source.Peek(ctx, func(tx *db.Tx) error {
		return tx.QueryRow(ctx, `SELECT own.position, large.last FROM history_streams AS own, history_streams AS large
			WHERE own.account_id = '' AND large.account_id = $1 AND large.user_id = own.user_id`, s.large).Scan(&last, &copied)
	})
	if err != nil {
		return nil, err
	}
	const columns = `stream, seq, previous, at, action, actor_kind, types, objects, actor_id, actor_name, hash, content`
	shorten = func() error {
		return execute(ctx, s.source, fmt.Sprintf(`DELETE FROM history_changes WHERE position > %d`, last),
			fmt.Sprintf(`UPDATE history_streams SET position = %d WHERE account_id = ''`, last))
	}
	return shorten, execute(ctx, s.source, fmt.Sprintf(`INSERT INTO history_changes (user_id, position, `+columns+`)
			WITH RECURSIVE more (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM more WHERE n < %d)
			SELECT user_id, %d + n, `+columns+` FROM more CROSS JOIN history_changes WHERE position = %d`, more, last, copied),
		fmt.Sprintf(`UPDATE history_streams SET position = %d WHERE account_id = ''`, last+int64(more)))
}
