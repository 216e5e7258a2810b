package main

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

// trader is a user in a mixed load. Its writes are undone a little later, so the
// journal's size stays about the same and growing memory is a leak.
type trader struct {
	client  *client
	account string
	link    string
	market  *market // only the importer uses it
}

// load is several users at once, each with readers for lists and figures, a writer, an
// importer and a visitor for the shared page.
type load struct {
	traders []*trader
	length  time.Duration

	mu       sync.Mutex
	taken    map[string]times
	statuses map[string]int
	failure  string
}

func newLoad(traders []*trader, length time.Duration) *load {
	return &load{traders: traders, length: length, taken: map[string]times{}, statuses: map[string]int{}}
}

// run runs all traders until the time is over.
func (l *load) run(ctx context.Context) {
	var wait sync.WaitGroup
	end := time.Now().Add(l.length)
	for _, t := range l.traders {
		for _, worker := range []struct {
			pause time.Duration
			work  func(ctx context.Context, l *load, n int)
		}{
			{10 * time.Millisecond, t.readLists},
			{10 * time.Millisecond, t.readFigures},
			{20 * time.Millisecond, t.writer()},
			{time.Second, t.importer()},
			{100 * time.Millisecond, t.visitPage},
		} {
			wait.Go(func() {
				for n := 0; time.Now().Before(end) && ctx.Err() == nil; n++ {
					worker.work(ctx, l, n)
					time.Sleep(worker.pause)
				}
			})
		}
	}
	wait.Wait()
}

// countCall records a call. Calls canceled by the end of the run are ignored.
func (l *load) countCall(ctx context.Context, kind string, r reply) reply {
	if ctx.Err() != nil {
		return r
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	status := "none"
	if r.status > 0 {
		status = strconv.Itoa(r.status)
	}
	l.statuses[status]++
	l.taken[kind] = append(l.taken[kind], r.took)
	if (r.status == 0 || r.status >= 500) && l.failure == "" && r.err != nil {
		l.failure = r.err.Error()
	}
	return r
}

func (l *load) counts() (requests int, statuses map[string]int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, n := range l.statuses {
		requests += n
	}
	return requests, maps.Clone(l.statuses)
}

// summarize returns the load's result.
func (l *load) summarize(engine string, fills int, memory []Memory) Soak {
	s := Soak{Engine: engine, Users: len(l.traders), Fills: fills, Length: l.length, Memory: memory, Failure: l.failure}
	s.Requests, s.Statuses = l.counts()
	for _, kind := range slices.Sorted(maps.Keys(l.taken)) {
		t := l.taken[kind]
		s.Kinds = append(s.Kinds, Record{Engine: engine, Operation: kind, Samples: len(t), P50: t.median(), P95: t.quantile(.95), First: slices.Max(t)})
	}
	s.First, s.Last = meanEnds(memory)
	return s
}

// meanEnds returns the mean memory in the first and in the last minute, or in the first
// and last tenth if the load is shorter than ten minutes.
func meanEnds(memory []Memory) (first, last int64) {
	if len(memory) == 0 {
		return 0, 0
	}
	part := min(60, (len(memory)+9)/10)
	mean := func(list []Memory) (sum int64) {
		for _, m := range list {
			sum += m.RSS
		}
		return sum / int64(len(list))
	}
	return mean(memory[:part]), mean(memory[len(memory)-part:])
}

func (t *trader) readLists(ctx context.Context, l *load, n int) {
	paths := []string{"/trades?limit=50&", "/executions?limit=100&", "/trades?limit=50&symbol=" + symbol(n%symbols) + "&", "/cash-transactions?"}
	path := paths[n%len(paths)]
	if n%200 == 0 {
		path = "/trades?" // sometimes all
	}
	l.countCall(ctx, "list", t.client.get(ctx, api+path+"account_id="+t.account))
}

func (t *trader) readFigures(ctx context.Context, l *load, n int) {
	paths := []string{"summary", "daily", "equity-curve", "behavior", "drawdowns"}
	l.countCall(ctx, "figures", t.client.get(ctx, api+"/analytics/"+paths[n%len(paths)]+"?account_id="+t.account))
}

// writer posts fills, and deletes each some time later.
func (t *trader) writer() func(context.Context, *load, int) {
	const kept = 100
	var ids []string
	return func(ctx context.Context, l *load, n int) {
		side := []string{"buy", "sell"}[n%2]
		var stored struct{ ID string }
		r := l.countCall(ctx, "fill", t.client.send(ctx, http.MethodPost, api+"/executions", map[string]any{
			"account_id": t.account, "symbol": symbol(n / 2 % symbols), "side": side, "quantity": 3, "price": "99.5",
			"executed_at": from.Add(span).AddDate(1, 0, 0).Add(time.Duration(n) * time.Second).Format(time.RFC3339),
		}))
		if r.decode(&stored) == nil {
			ids = append(ids, stored.ID)
		}
		if len(ids) > kept {
			l.countCall(ctx, "deletion", t.client.remove(ctx, api+"/executions/"+ids[0]))
			ids = ids[1:]
		}
	}
}

// importer imports small files, and reverses each some time later.
func (t *trader) importer() func(context.Context, *load, int) {
	const rows, kept = 100, 5
	var batches []string
	return func(ctx context.Context, l *load, _ int) {
		u := newUpload(t.account, csvFile(t.market.nextFills(rows)))
		l.countCall(ctx, "preview", t.client.preview(ctx, u))
		var stored committed
		if r := l.countCall(ctx, "import", t.client.commit(ctx, u)); r.decode(&stored) == nil {
			batches = append(batches, stored.Batch)
		}
		if len(batches) > kept {
			l.countCall(ctx, "reversal", t.client.remove(ctx, api+"/imports/"+batches[0]))
			batches = batches[1:]
		}
	}
}

func (t *trader) visitPage(ctx context.Context, l *load, _ int) {
	l.countCall(ctx, "share page", t.client.withToken("").get(ctx, t.link))
}
