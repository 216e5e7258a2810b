package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/secrets"
	"fillbook/internal/httpapi"
	"fillbook/internal/installation"
)

// twin is the program inside this process with a journal of its own. Two of them differ only in whether changes are
// written.
type twin struct {
	db       *db.DB
	server   *http.Server
	client   *client
	accounts []string // for one import each
	trades   []string
	remove   func()
}

// mostImports is how many files are imported at most.
const mostImports = 12

// newTwin starts the program. Without a history no change is written before a commit. What
// domains collect for it, and the reading of its heads, is part of the times of both.
func (s *session) newTwin(ctx context.Context, hasHistory bool) (t *twin, err error) {
	t = &twin{}
	own, remove, err := s.settings.newDatabase(ctx)
	if err != nil {
		return nil, err
	}
	t.remove = remove
	if t.db, err = db.Open(ctx, db.Options{URL: own.url, Path: filepath.Join(own.data, "fillbook.db")}); err != nil {
		return t, err
	}
	if err := t.db.Migrate(ctx); err != nil {
		return t, err
	}
	keys, err := secrets.NewKeys(slices.Repeat([]byte("k"), secrets.MinRoot))
	if err != nil {
		return t, err
	}
	log := slog.New(slog.DiscardHandler)
	services, err := installation.New(installation.Options{DB: t.db, Keys: keys, Clock: journal.SystemClock, Log: log})
	if err != nil {
		return t, err
	}
	if !hasHistory {
		t.db.BeforeCommit(func(context.Context, *db.Tx) error { return nil })
	}
	handlers, err := httpapi.New(services, httpapi.Options{Log: log, SpoolDir: own.data, ImportMaxBytes: 64 << 20})
	if err != nil {
		return t, err
	}
	var network net.ListenConfig
	listener, err := network.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return t, err
	}
	t.server = &http.Server{Handler: handlers.Handler(), ReadHeaderTimeout: time.Minute}
	go func() { _ = t.server.Serve(listener) }()
	t.client = newClient("http://" + listener.Addr().String())
	if t.client.token, err = t.client.setUp(ctx); err != nil {
		return t, err
	}
	return t, nil
}

func (t *twin) stop() {
	if t.server != nil {
		_ = t.server.Close()
	}
	if t.db != nil {
		_ = t.db.Close()
	}
	if t.remove != nil {
		t.remove()
	}
}

// The operations whose cost with a history has a limit.
const (
	fillWithHistory       = "fill, with its change"
	annotationWithHistory = "annotation, with its change"
	importWithHistory     = "import of a file, with its change"

	changeOfFill       = "history, a fill besides its values"
	changeOfAnnotation = "history, an annotation besides its values"
	changeOfImport     = "history, an import of a file"
)

// measureHistoryCost measures writes with and without a history in turn, so other load on the
// machine affects both alike, and the bytes that their changes take.
func (s *session) measureHistoryCost(ctx context.Context) error {
	with, err := s.newTwin(ctx, true)
	if with != nil {
		defer with.stop()
	}
	if err != nil {
		return err
	}
	without, err := s.newTwin(ctx, false)
	if without != nil {
		defer without.stop()
	}
	if err != nil {
		return err
	}
	for _, t := range []*twin{with, without} {
		for n := range mostImports {
			account, err := t.client.createAccount(ctx, fmt.Sprint("import ", n))
			if err != nil {
				return err
			}
			t.accounts = append(t.accounts, account)
		}
	}
	late := from.Add(span).AddDate(0, 1, 0)
	post := func(t *twin, n int) reply {
		r := t.client.send(ctx, http.MethodPost, api+"/executions", map[string]any{
			"account_id": t.accounts[0], "symbol": symbol(n % 40), "side": "buy", "quantity": 100, "price": 12.5, "commission": 1,
			"executed_at": late.Add(time.Duration(n) * time.Second),
		})
		var stored struct {
			Trade string `json:"trade_id"`
		}
		if r.err == nil {
			r.err = r.decode(&stored)
		}
		t.trades = append(t.trades, stored.Trade)
		return r
	}
	annotate := func(t *twin, n int) reply {
		return t.client.send(ctx, http.MethodPatch, api+"/trades/"+t.trades[n%40], map[string]any{"notes": fmt.Sprint("Entered late, ", n)})
	}
	file := csvFile(newMarket(s.size).nextFills(min(s.size, fileRows)))
	commit := func(t *twin, n int) reply { return t.client.commit(ctx, newUpload(t.accounts[n], file)) }
	for _, write := range []struct {
		name, change string
		calls        int
		call         func(t *twin, n int) reply
	}{
		{fillWithHistory, changeOfFill, 1000, post},
		{annotationWithHistory, changeOfAnnotation, 1000, annotate},
		{importWithHistory, changeOfImport, mostImports, commit},
	} {
		before, err := with.historyBytes(ctx)
		if err != nil {
			return err
		}
		calls, err := s.measureTwins(write.name, write.calls, with, without, write.call)
		if err != nil {
			return err
		}
		after, err := with.historyBytes(ctx)
		if err != nil {
			return err
		}
		values, err := with.valueBytes(ctx)
		if err != nil {
			return err
		}
		if write.change == changeOfImport {
			values = 0 // its change has no values
		}
		s.addMemory(write.change, (after-before)/int64(calls)-values)
	}
	return nil
}

// measureTwins measures a call with and without a history in turn and returns how many calls
// there were.
func (s *session) measureTwins(name string, most int, with, without *twin, call func(t *twin, n int) reply) (calls int, err error) {
	var taken, base times
	for begin := time.Now(); calls < most && (calls < 2*minCalls || time.Since(begin) < 4*s.budget); calls++ {
		order := []*twin{with, without}
		if calls%2 == 1 {
			slices.Reverse(order)
		}
		for _, t := range order {
			r := call(t, calls)
			if r.err != nil {
				return calls, r.err
			}
			if t == with {
				taken = append(taken, r.took)
			} else {
				base = append(base, r.took)
			}
		}
	}
	r := &Record{Engine: s.engine, Size: s.size, Operation: name, Samples: len(taken), P50: taken.median(), P95: taken.quantile(.95), Noise: taken.noise(), First: taken[0]}
	r.setLimit("the same without a history", base)
	s.records = append(s.records, r)
	fmt.Printf("  %-52s %10s  p95 %10s  × %s without a history\n", name, formatDuration(r.P50), formatDuration(r.P95), formatNumber(r.Ratio))
	return calls, nil
}

// historyBytes returns the bytes of all values stored in the tables of the history, without
// what the engine adds to each row, and without indexes.
func (t *twin) historyBytes(ctx context.Context) (total int64, err error) {
	for _, table := range []string{"history_changes", "history_objects", "history_blocks", "history_streams"} {
		query := fmt.Sprintf(`SELECT COALESCE(SUM(payload), 0) FROM dbstat WHERE name = '%s'`, table)
		if t.db.Engine() == db.PostgreSQL {
			const rowHeader = 24
			query = fmt.Sprintf(`SELECT COALESCE(SUM(pg_column_size(t.*) - %d), 0) FROM %s AS t`, rowHeader, table)
		}
		var n int64
		if err := t.db.Peek(ctx, func(tx *db.Tx) error { return tx.QueryRow(ctx, query).Scan(&n) }); err != nil {
			return 0, err
		}
		total += n
	}
	return total, nil
}

// valueBytes returns the length of the values in the newest change, as JSON.
func (t *twin) valueBytes(ctx context.Context) (total int64, err error) {
	var changes []struct {
		Objects []struct {
			Fields []struct{ Before, After json.RawMessage }
		}
	}
	if err := t.client.fetch(ctx, api+"/history?limit=1").decode(&changes); err != nil {
		return 0, err
	}
	if len(changes) != 1 {
		return 0, errors.New("the write left no change")
	}
	for _, o := range changes[0].Objects {
		for _, f := range o.Fields {
			total += int64(len(f.Before) + len(f.After))
		}
	}
	return total, nil
}
