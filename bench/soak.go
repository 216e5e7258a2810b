package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"
)

// Soak is the result of a mixed load over some minutes.
type Soak struct {
	Engine   string         `json:"engine"`
	Users    int            `json:"users"`
	Fills    int            `json:"fills"` // per user at the start
	Length   time.Duration  `json:"length"`
	Requests int            `json:"requests"`
	Statuses map[string]int `json:"statuses"` // by status; "none" is no answer at all
	Failure  string         `json:"failure,omitempty"`
	Kinds    []Record       `json:"kinds"`
	Memory   []Memory       `json:"memory"`
	First    int64          `json:"first_rss"` // mean in the first minute
	Last     int64          `json:"last_rss"`  // mean in the last minute
	Peak     int64          `json:"peak_rss"`
}

// Memory is the server's memory at a moment in a soak.
type Memory struct {
	After time.Duration `json:"after"`
	RSS   int64         `json:"rss"`
}

// faults counts failures: status 500 and above, and missing answers.
func (s Soak) faults() (count int) {
	for status, n := range s.Statuses {
		if status == "none" || strings.HasPrefix(status, "5") {
			count += n
		}
	}
	return count
}

// growth is the memory in the last minute as a multiple of the first minute's.
func (s Soak) growth() float64 {
	if s.First == 0 {
		return 0
	}
	return float64(s.Last) / float64(s.First)
}

func soakCommand(ctx context.Context, args []string) error {
	o := options{budget: time.Second}
	set := flag.NewFlagSet("bench soak", flag.ExitOnError)
	o.addFlags(set)
	length := set.Duration("for", 10*time.Minute, "how long the load lasts")
	users := set.Int("users", 4, "how many users there are")
	fills := set.Int("fills", 20_000, "fills of each at the start")
	_ = set.Parse(args) // it exits by itself
	file := newFile(o.label)
	return o.forEachEngine(ctx, func(engine string, s settings) error {
		soak, err := soakEngine(ctx, s, engine, *length, *users, *fills)
		if err != nil {
			return err
		}
		file.Soaks = append(file.Soaks, soak)
		if err := o.save(file); err != nil {
			return err
		}
		if n := soak.faults(); n > 0 {
			return fmt.Errorf("%d calls failed, the first with: %s", n, soak.Failure)
		}
		return nil
	})
}

// soakEngine starts a server, creates its users and runs the load.
func soakEngine(ctx context.Context, base settings, engine string, length time.Duration, users, fills int) (out Soak, err error) {
	own, remove, err := base.newDatabase(ctx)
	if err != nil {
		return out, err
	}
	defer remove()
	server, err := own.serve(ctx)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, server.stop()) }()
	owner := newClient(server.base)
	if owner.token, err = owner.setUp(ctx); err != nil {
		return out, err
	}
	var traders []*trader
	for n := range users {
		t, err := createTrader(ctx, owner, n, fills)
		if err != nil {
			return out, err
		}
		traders = append(traders, t)
	}
	fmt.Printf("\n%s: %d users with %d fills each, for %s\n", engine, users, fills, length)
	l := newLoad(traders, length)
	stop := make(chan struct{})
	watched := make(chan []Memory)
	go func() { watched <- watchMemory(server.pid(), l, stop) }()
	l.run(ctx)
	close(stop)
	out = l.summarize(engine, fills, <-watched)
	out.Peak = readUsage(server.pid()).peak
	fmt.Print(out.format())
	return out, ctx.Err()
}

// watchMemory records the memory every second and prints it every ten.
func watchMemory(pid int, l *load, stop <-chan struct{}) (list []Memory) {
	begin := time.Now()
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for n := 1; ; n++ {
		select {
		case <-stop:
			return list
		case <-ticker.C:
		}
		list = append(list, Memory{time.Since(begin).Round(time.Second), readUsage(pid).rss})
		if n%10 == 0 {
			requests, statuses := l.counts()
			fmt.Printf("%8s  %8d calls  memory %-9s  by status %s\n", list[len(list)-1].After, requests, formatMiB(list[len(list)-1].RSS), formatStatuses(statuses))
		}
	}
}

// createTrader creates a user with a token, an account, fills and a share link.
func createTrader(ctx context.Context, owner *client, n, fills int) (*trader, error) {
	market := newMarket(fills)
	t, err := createUser(ctx, owner, fmt.Sprintf("trader%d@example.org", n), csvFile(market.nextFills(fills)))
	if err != nil {
		return nil, err
	}
	t.market = market
	t.link, err = t.client.createShareLink(ctx, t.account)
	return t, err
}

func (s Soak) format() string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%-12s %9s %9s %9s %9s\n", "", "calls", "p50", "p95", "slowest")
	for _, k := range s.Kinds {
		fmt.Fprintf(&b, "%-12s %9d %9s %9s %9s\n", k.Operation, k.Samples, formatDuration(k.P50), formatDuration(k.P95), formatDuration(k.First))
	}
	fmt.Fprintf(&b, "\n%d calls, %.0f a second; by status %s; %d faults\n", s.Requests, float64(s.Requests)/s.Length.Seconds(), formatStatuses(s.Statuses), s.faults())
	fmt.Fprintf(&b, "memory: first minute %s, last minute %s (%.2f of it), peak %s\n", formatMiB(s.First), formatMiB(s.Last), s.growth(), formatMiB(s.Peak))
	return b.String()
}

func formatStatuses(statuses map[string]int) string {
	var parts []string
	for _, status := range slices.Sorted(maps.Keys(statuses)) {
		parts = append(parts, fmt.Sprintf("%s: %d", status, statuses[status]))
	}
	return strings.Join(parts, ", ")
}

// measureMixedLoad measures a short mixed load on the large account.
func (s *session) measureMixedLoad(ctx context.Context) error {
	token, err := s.client.accessToken(ctx)
	if err != nil {
		return err
	}
	t := &trader{client: s.client.withToken(token), account: s.large, market: s.market}
	if t.link, err = t.client.createShareLink(ctx, s.large); err != nil {
		return err
	}
	r := s.startRecord("mixed load for 10 s")
	l := newLoad([]*trader{t}, 10*time.Second)
	l.run(ctx)
	result := l.summarize(s.engine, s.size, nil)
	r.Rate = float64(result.Requests) / result.Length.Seconds()
	if n := result.faults(); n > 0 {
		fmt.Fprintln(os.Stderr, "bench: mixed load:", result.Failure)
		r.Errors, r.Failure = n, result.Failure
	}
	var all times
	for _, taken := range l.taken {
		all = append(all, taken...)
	}
	s.finishRecord(r, all)
	return nil
}

// createUser creates a user with a token, an account and fills through the server.
func createUser(ctx context.Context, owner *client, address string, file []byte) (*trader, error) {
	made := owner.send(ctx, http.MethodPost, api+"/admin/users", map[string]any{"email": address, "password": password})
	if made.err != nil {
		return nil, made.err
	}
	session, err := owner.signIn(ctx, address)
	if err != nil {
		return nil, err
	}
	token, err := owner.withToken(session).accessToken(ctx)
	if err != nil {
		return nil, err
	}
	return newTrader(ctx, owner.withToken(token), file)
}
