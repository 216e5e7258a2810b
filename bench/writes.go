package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"
)

// measureWrites measures writing single fills.
func (s *session) measureWrites(ctx context.Context) error {
	commit, err := s.timeCommit(ctx)
	if err != nil {
		return err
	}
	s.addLimit(limitCommit, commit)
	if err := s.measurePosts(ctx, commit); err != nil {
		return err
	}
	if err := s.measureEdits(ctx, commit); err != nil {
		return err
	}
	if err := s.measureLongTrade(ctx, commit); err != nil {
		return err
	}
	return s.measureParallelWriters(ctx, commit)
}

// longTradeFills is the maximum number of fills in measureLongTrade's trade.
const longTradeFills = 190_000

// measureLongTrade measures fills at the end of a trade which is never flat and has as
// many fills as the journal, and reading the trade.
func (s *session) measureLongTrade(ctx context.Context, commit times) error {
	account, err := s.client.createAccount(ctx, "one long trade")
	if err != nil {
		return err
	}
	fills := make([]fill, min(s.size, longTradeFills))
	for i := range fills {
		fills[i] = fill{symbol: 0, buy: true, quantity: 3, cents: int64(10_000 + i%500), at: from.Add(time.Duration(i) * time.Minute)}
	}
	for part := range slices.Chunk(fills, fileRows) {
		if err := s.renewToken(ctx); err != nil {
			return err
		}
		if r := s.client.commit(ctx, newUpload(account, csvFile(part))); r.err != nil {
			return r.err
		}
	}
	r, err := s.measure(ctx, "fill, trade as long as the journal", 100, func(n int) reply {
		return s.post(ctx, account, symbol(0), true, from.AddDate(20, 0, 0).Add(time.Duration(n)*time.Second))
	})
	if err != nil {
		return err
	}
	r.setLimit(limitCommit, commit)
	var trades []struct{ ID string }
	if err := s.client.fetch(ctx, api+"/trades?account_id="+account).decode(&trades); err != nil {
		return err
	}
	if len(trades) != 1 {
		return fmt.Errorf("the long trade is %d trades", len(trades))
	}
	_, err = s.measure(ctx, "trade as long as the journal, with its first fills", 20, func(int) reply {
		return s.client.get(ctx, api+"/trades/"+trades[0].ID)
	})
	return err
}

// fillTarget is an account and a position in time for new fills.
type fillTarget struct {
	name    string
	account string
	fill    func(n int) (symbol string, buy bool, at time.Time)
	record  *Record
	taken   times
}

// fillTargets returns the targets for posts, which take turns. Posts open and close
// positions alternately. A fill in the recent past is before an open fill and after the
// last flat point, so earlier trades do not matter. A fill in the middle of the busiest
// symbol changes all its later positions and trades.
func (s *session) fillTargets() []*fillTarget {
	late := from.Add(span).AddDate(0, 1, 0)
	atEnd := func(n int) (string, bool, time.Time) {
		return symbol(100 + n/2%40), n%2 == 0, late.Add(time.Duration(n) * time.Second)
	}
	return []*fillTarget{
		{name: "fill, empty account", account: s.empty, fill: atEnd},
		{name: "fill, large account", account: s.large, fill: atEnd},
		{name: "fill a little back in time", account: s.large, fill: func(n int) (string, bool, time.Time) {
			return symbol(150 + n%50), false, late.AddDate(0, 0, n).Add(-time.Hour)
		}},
		{name: "fill half the journal back, busiest symbol", account: s.large, fill: func(n int) (string, bool, time.Time) {
			return symbol(0), n%2 == 0, from.Add(span / 2).Add(time.Duration(n) * time.Second)
		}},
	}
}

// measurePosts posts to the targets in turn, so other load on the machine affects all
// alike.
func (s *session) measurePosts(ctx context.Context, commit times) error {
	places := s.fillTargets()
	for _, p := range places {
		p.record = s.startRecord(p.name)
	}
	rounds := 0
	for begin := time.Now(); rounds < 200 && (rounds < 4 || time.Since(begin) < 2*s.budget); rounds++ {
		// The open fill after the next fill back in time; not measured.
		ahead := from.Add(span).AddDate(0, 1, rounds)
		if r := s.post(ctx, s.large, symbol(150+rounds%50), true, ahead); r.err != nil {
			return r.err
		}
		for _, p := range places {
			symbol, buy, at := p.fill(rounds)
			before := readUsage(s.server.pid())
			r := s.post(ctx, p.account, symbol, buy, at)
			after := readUsage(s.server.pid())
			p.record.Bytes = r.bytes
			p.record.addCost(after.cpu-before.cpu, after.written-before.written)
			if r.err != nil {
				p.record.fail(r.err)
				continue
			}
			p.taken = append(p.taken, r.took)
		}
	}
	for _, p := range places {
		s.finishInterleaved(p.record, p.taken)
		p.record.setLimit(limitCommit, commit)
	}
	against := *places[1].record
	against.Operation = "fill, large account against an empty one"
	against.setLimit("the same on an empty account", places[0].taken)
	s.records = append(s.records, &against)
	return nil
}

// addCost adds a call's cost to one among several interleaved operations.
func (r *Record) addCost(cpu time.Duration, written int64) {
	r.ownCPU += cpu
	r.ownWritten += written
}

// finishInterleaved completes an interleaved operation's record: its cost was added up
// call by call, and the peak covers all.
func (s *session) finishInterleaved(r *Record, taken times) {
	s.finishRecord(r, taken)
	calls := max(1, len(taken)+r.Errors)
	r.CPU, r.Written = r.ownCPU/time.Duration(calls), r.ownWritten/int64(calls)
}

// measureEdits measures deleting a fill on which every later trade in its symbol depends,
// and annotations on a trade.
func (s *session) measureEdits(ctx context.Context, commit times) error {
	var ids []string
	for n := range 6 {
		var stored struct{ ID string }
		at := from.Add(span/2 + time.Hour).Add(time.Duration(n) * time.Second)
		if err := s.post(ctx, s.large, symbol(0), n%2 == 0, at).decode(&stored); err != nil {
			return err
		}
		ids = append(ids, stored.ID)
	}
	r, err := s.measure(ctx, "deletion of a fill half the journal back", len(ids), func(n int) reply {
		return s.client.remove(ctx, api+"/executions/"+ids[n])
	})
	if err != nil {
		return err
	}
	r.setLimit(limitCommit, commit)
	id, err := s.findTradeID(ctx)
	if err != nil {
		return err
	}
	r, err = s.measure(ctx, "note on a trade", 100, func(n int) reply {
		return s.client.send(ctx, http.MethodPatch, api+"/trades/"+id, map[string]any{"notes": fmt.Sprintf("note %d", n)})
	})
	if err != nil {
		return err
	}
	r.setLimit(limitCommit, commit)
	return nil
}

// measureParallelWriters measures sixteen clients writing to one account.
func (s *session) measureParallelWriters(ctx context.Context, commit times) error {
	const writers, each = 16, 50
	before, err := s.countFills(ctx)
	if err != nil {
		return err
	}
	r := s.startRecord("16 writers on one account")
	taken := make([]times, writers)
	failed := make([]error, writers)
	var wait sync.WaitGroup
	begin := time.Now()
	for w := range writers {
		wait.Go(func() {
			for n := range each {
				at := from.AddDate(10, 0, 0).Add(time.Duration(w*each+n) * time.Second)
				answer := s.post(ctx, s.large, symbol(w), n%2 == 0, at)
				if answer.err != nil {
					failed[w] = answer.err
					continue
				}
				taken[w] = append(taken[w], answer.took)
			}
		})
	}
	wait.Wait()
	r.Rate = writers * each / time.Since(begin).Seconds()
	var all times
	for w := range writers {
		all = append(all, taken[w]...)
		if failed[w] != nil {
			r.fail(failed[w])
		}
	}
	s.finishRecord(r, all)
	r.setLimitRate("small rows stored durably, one after the other", float64(time.Second)/float64(commit.median()))
	after, err := s.countFills(ctx)
	if err == nil && after-before != len(all) {
		r.fail(fmt.Errorf("%d fills were acknowledged and %d stored", len(all), after-before))
	}
	return err
}
