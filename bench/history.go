package main

import (
	"context"
	"net/http"
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
