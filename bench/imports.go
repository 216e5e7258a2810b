package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"fillbook/internal/base/decimal"
)

const (
	// fileRows is the number of fills in one file; more fills are more files.
	fileRows = 100_000
	// largestFile is an installation's default limit.
	largestFile = 10 << 20
)

// measureImports fills the large account by
// importing files, and checks its figures.
func (s *session) measureImports(ctx context.Context) error {
	first := csvFile(newMarket(s.size).nextFills(min(s.size, fileRows)))
	if err := s.measurePreviews(ctx, first); err != nil {
		return err
	}
	took, err := s.fillAccount(ctx)
	if err != nil {
		return err
	}
	if err := s.relaunch(ctx); err != nil {
		return err
	}
	if err := s.checkFigures(ctx); err != nil {
		return err
	}
	if err := s.relaunch(ctx); err != nil {
		return err
	}
	again := newUpload(s.large, first)
	r, err := s.measure(ctx, "import of a file that is all known", 3, func(int) reply { return s.client.commit(ctx, again) })
	if err != nil {
		return err
	}
	r.setLimit("its first import", took[:1])
	return nil
}

func (s *session) measurePreviews(ctx context.Context, file []byte) error {
	u := newUpload(s.large, file)
	r, err := s.measure(ctx, "import preview of a file", 5, func(int) reply { return s.client.preview(ctx, u) })
	if err != nil {
		return err
	}
	limit, err := timeCSV(file)
	r.setLimit("encoding/csv over the same file", limit)
	return err
}

// fillAccount imports one file after the other. One record covers all; its limit is a
// plain insert with the same rows.
func (s *session) fillAccount(ctx context.Context) (took times, err error) {
	before, err := s.databaseSize(ctx)
	if err != nil {
		return nil, err
	}
	r := s.startRecord("import of all fills")
	var all time.Duration
	for left := s.size; left > 0; left -= fileRows {
		u := newUpload(s.large, csvFile(s.market.nextFills(min(left, fileRows))))
		if err := s.renewToken(ctx); err != nil {
			return nil, err
		}
		answer := s.client.commit(ctx, u)
		var stored committed
		if err := answer.decode(&stored); err != nil {
			return nil, err
		}
		if stored.Inserted != min(left, fileRows) {
			return nil, fmt.Errorf("%d fills of %d were inserted", stored.Inserted, min(left, fileRows))
		}
		took = append(took, answer.took)
		all += answer.took
	}
	s.finishRecord(r, times{all})
	s.addMemory("memory, peak of the import", r.PeakRSS)
	s.filled = all
	if err := s.measureStorage(ctx, before); err != nil {
		return nil, err
	}
	return took, s.measureInsertLimits(ctx, r)
}

// measureDeletion deletes the large account in one call and undoes it.
func (s *session) measureDeletion(ctx context.Context) error {
	r, err := s.measure(ctx, "deletion of the whole account", 1, func(int) reply { return s.client.remove(ctx, api+"/accounts/"+s.large) })
	if err != nil {
		return err
	}
	r.setLimit("its imports", times{s.filled})
	r, _, err = s.undoNewest(ctx, "undo of the deletion of the whole account")
	if err != nil {
		return err
	}
	r.setLimit("its imports", times{s.filled})
	return nil
}

// measureInsertLimits measures plain inserts without and with indexes.
func (s *session) measureInsertLimits(ctx context.Context, r *Record) error {
	for _, bare := range []struct {
		name    string
		clone   clone
		indexed bool
		against bool
	}{
		{"plain insert of the fills, key only", fillsClone, false, false},
		{"plain insert of the fills, all indexes", fillsClone, true, true},
		{"plain insert of the trades, all indexes", tradesClone, true, false},
	} {
		took, err := s.timeInsert(ctx, bare.clone, s.large, bare.indexed)
		if err != nil {
			return err
		}
		s.addLimit(bare.name, times{took})
		if bare.against {
			r.setLimit("plain insert of the same fills, all indexes", times{took})
		}
	}
	return nil
}

// checkFigures compares the large account's summary with the expected one.
func (s *session) checkFigures(ctx context.Context) error {
	var summary struct {
		Trades json.Number     `json:"total_trades"`
		Wins   json.Number     `json:"wins"`
		Losses json.Number     `json:"losses"`
		Net    decimal.Decimal `json:"net_pnl"`
	}
	var answer reply
	r, err := s.measure(ctx, "summary, the first after an import", 1, func(int) reply {
		answer = s.client.fetch(ctx, api+"/analytics/summary?account_id="+s.large)
		return answer
	})
	if err != nil {
		return err
	}
	if err := answer.decode(&summary); err != nil {
		return err
	}
	aggregate, err := s.timeAggregate(ctx, s.large)
	if err != nil {
		return err
	}
	r.setLimit(limitAggregate, aggregate)
	want := s.market.outcome
	got := fmt.Sprintf("%v, %v, %v and %v", summary.Trades, summary.Wins, summary.Losses, summary.Net)
	if counted := fmt.Sprintf("%v, %v, %v and %v", want.closed, want.wins, want.losses, decimal.FromScaled(want.net, 2)); got != counted {
		return fmt.Errorf("the summary is wrong: trades, wins, losses and net are %s and must be %s", got, counted)
	}
	return nil
}

// measureSmallImports measures importing a hundred more fills into the large account, and
// the reversal.
func (s *session) measureSmallImports(ctx context.Context) error {
	const rows, rounds = 100, 10
	commit, err := s.timeCommit(ctx)
	if err != nil {
		return err
	}
	var batches []string
	r, err := s.measure(ctx, "import of 100 more fills", rounds, func(int) reply {
		answer := s.client.commit(ctx, newUpload(s.large, csvFile(s.market.nextFills(rows))))
		var stored committed
		if answer.err = answer.decode(&stored); answer.err == nil {
			batches = append(batches, stored.Batch)
		}
		return answer
	})
	if err != nil {
		return err
	}
	r.setLimit(limitCommit, commit)
	own := times{r.P50}
	r, err = s.measure(ctx, "reversal of 100 fills", len(batches), func(n int) reply {
		return s.client.remove(ctx, api+"/imports/"+batches[len(batches)-1-n])
	})
	if err != nil {
		return err
	}
	r.setLimit("their import", own)
	return nil
}

// measureImportDuringReads imports the largest file within the default limit, or the
// whole journal if smaller, while the large account's pages are read; then it reverses
// the import and undoes the reversal.
func (s *session) measureImportDuringReads(ctx context.Context) error {
	path := api + "/trades?limit=50&account_id=" + s.large
	idle, err := s.measure(ctx, "page of 50 trades, nothing else going on", 300, func(int) reply { return s.client.get(ctx, path) })
	if err != nil {
		return err
	}
	account, err := s.client.createAccount(ctx, "beside")
	if err != nil {
		return err
	}
	file := csvFile(newMarket(s.size).nextFills(min(s.size, 190_000)))
	u := newUpload(account, file[:cutToWholeRows(file, largestFile)])
	whole := s.startRecord("import of the largest file, beside reads")
	reads, answer := s.readWhile(ctx, path, func() reply { return s.client.commit(ctx, u) })
	var stored committed
	if err := answer.decode(&stored); err != nil {
		return err
	}
	s.finishRecord(whole, times{answer.took})
	r := s.startRecord("page of 50 trades, during the import")
	s.finishRecord(r, reads)
	r.setLimit("the same with nothing else going on", times{idle.P50})
	s.records = append(s.records, slowestRecord(*r, reads, *idle))
	alone, err := s.timeInserts(ctx, account)
	if err != nil {
		return err
	}
	whole.setLimit("plain insert of the same fills and trades, all indexes", alone)
	if err := s.relaunch(ctx); err != nil {
		return err
	}
	r, err = s.measure(ctx, "reversal of the largest file", 1, func(int) reply { return s.client.remove(ctx, api+"/imports/"+stored.Batch) })
	if err != nil {
		return err
	}
	r.setLimit("its import", times{answer.took})
	r, undo, err := s.undoNewest(ctx, "undo of the reversal of the largest file")
	if err != nil {
		return err
	}
	r.setLimit("its import", times{answer.took})
	return s.undo(ctx, undo).err // the other parts are measured without these fills
}

// slowestRecord returns a record with the reads' 99th percentile.
func slowestRecord(r Record, reads times, idle Record) *Record {
	r.Operation, r.P50, r.P95, r.First, r.Noise = "page of 50 trades, during the import, p99", reads.quantile(.99), reads.quantile(1), 0, defaultNoise
	r.setLimit("p95 of the same with nothing else going on", times{idle.P95})
	return &r
}

func (s *session) timeInserts(ctx context.Context, account string) (times, error) {
	var all time.Duration
	for _, c := range []clone{fillsClone, tradesClone} {
		took, err := s.timeInsert(ctx, c, account, true)
		if err != nil {
			return nil, err
		}
		all += took
	}
	return times{all}, nil
}

// cutToWholeRows returns the longest prefix with whole rows within a limit.
func cutToWholeRows(file []byte, limit int) int {
	if len(file) <= limit {
		return len(file)
	}
	for limit > 0 && file[limit-1] != '\n' {
		limit--
	}
	return limit
}

// readWhile runs work and, concurrently, one reader in a loop.
func (s *session) readWhile(ctx context.Context, path string, work func() reply) (reads times, answer reply) {
	done := make(chan struct{})
	var reader sync.WaitGroup
	reader.Go(func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(5 * time.Millisecond):
			}
			if r := s.client.get(ctx, path); r.err == nil {
				reads = append(reads, r.took)
			}
		}
	})
	answer = work()
	close(done)
	reader.Wait()
	return reads, answer
}

// post creates one fill.
func (s *session) post(ctx context.Context, account string, symbol string, buy bool, at time.Time) reply {
	side := "sell"
	if buy {
		side = "buy"
	}
	return s.client.send(ctx, http.MethodPost, api+"/executions", map[string]any{
		"account_id": account, "symbol": symbol, "side": side, "quantity": 7, "price": "101.25", "commission": "0.35",
		"executed_at": at.Format(time.RFC3339),
	})
}
