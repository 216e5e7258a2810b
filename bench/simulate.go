package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/people/identity"
)

// Simulation is the result with many users and small journals, only some users active at
// a time.
type Simulation struct {
	Engine   string         `json:"engine"`
	Users    int            `json:"users"`
	Fills    int            `json:"fills"` // per user
	Clients  int            `json:"clients"`
	Length   time.Duration  `json:"length"`
	Requests int            `json:"requests"`
	Statuses map[string]int `json:"statuses"`
	Failure  string         `json:"failure,omitempty"`
	Kinds    []Latency      `json:"kinds"` // the first is the total
	RSS      int64          `json:"rss"`   // before the load
	Peak     int64          `json:"peak_rss"`
	// ServerCores is the number of cores used by the server, IdleCores the number of
	// unused ones. The database and the clients used the others.
	ServerCores float64 `json:"server_cores"`
	IdleCores   float64 `json:"idle_cores"`
}

// Latency is the distribution for calls of one kind.
type Latency struct {
	Kind  string        `json:"kind"`
	Calls int           `json:"calls"`
	P50   time.Duration `json:"p50"`
	P95   time.Duration `json:"p95"`
	P99   time.Duration `json:"p99"`
}

func newLatency(kind string, taken times) Latency {
	return Latency{Kind: kind, Calls: len(taken), P50: taken.median(), P95: taken.quantile(.95), P99: taken.quantile(.99)}
}

func simulateCommand(ctx context.Context, args []string) error {
	o := options{budget: time.Second}
	set := flag.NewFlagSet("bench simulate", flag.ExitOnError)
	o.addFlags(set)
	length := set.Duration("for", 2*time.Minute, "how long the load lasts")
	users := set.Int("users", 20_000, "how many users there are")
	fills := set.Int("fills", 500, "fills of each")
	clients := set.Int("clients", 64, "how many of them are active at a time")
	_ = set.Parse(args) // it exits by itself
	file := newFile(o.label)
	return o.forEachEngine(ctx, func(engine string, s settings) error {
		result := Simulation{Engine: engine, Users: *users, Fills: *fills, Clients: *clients, Length: *length}
		if err := result.run(ctx, s); err != nil {
			return err
		}
		file.Simulations = append(file.Simulations, result)
		return o.save(file)
	})
}

// run starts a server, creates the users and runs the load.
func (s *Simulation) run(ctx context.Context, base settings) (err error) {
	own, remove, err := base.newDatabase(ctx)
	if err != nil {
		return err
	}
	defer remove()
	server, err := own.serve(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.stop()) }()
	traders, err := s.createUsers(ctx, own, newClient(server.base))
	if err != nil {
		return err
	}
	l := newLoad(nil, s.Length)
	resetPeak(server.pid())
	before, idle := readUsage(server.pid()), readIdle()
	s.RSS = before.rss
	s.runClients(ctx, l, traders)
	after := readUsage(server.pid())
	s.Peak = after.peak
	s.ServerCores = (after.cpu - before.cpu).Seconds() / s.Length.Seconds()
	s.IdleCores = (readIdle() - idle).Seconds() / s.Length.Seconds()
	s.summarize(l)
	fmt.Print(s.format())
	return ctx.Err()
}

// createUsers creates the users, each with the same journal, several at a time. Users and
// their tokens are written to the database without the server, because hashing two
// passwords for each would take most of the time.
func (s *Simulation) createUsers(ctx context.Context, own settings, server *client) ([]*trader, error) {
	d, err := db.Open(ctx, (&session{settings: own}).options())
	if err != nil {
		return nil, err
	}
	defer d.Close() //nolint:errcheck // all writes are committed
	users := identity.New(d, nil, journal.SystemClock, nil, identity.Options{PasswordCost: identity.PasswordCost{MemoryKiB: 8, Passes: 1}})
	file := csvFile(newMarket(s.Fills).nextFills(s.Fills))
	traders, failed := make([]*trader, s.Users), make([]error, s.Users)
	var next atomic.Int64
	var wait sync.WaitGroup
	begin := time.Now()
	for range 8 {
		wait.Go(func() {
			for n := int(next.Add(1)) - 1; n < s.Users && ctx.Err() == nil; n = int(next.Add(1)) - 1 {
				traders[n], failed[n] = createStoredUser(ctx, users, server, fmt.Sprintf("user%d@example.org", n), file)
				if n%1000 == 999 {
					fmt.Printf("%d users after %s\n", n+1, time.Since(begin).Round(time.Second))
				}
			}
		})
	}
	wait.Wait()
	return traders, errors.Join(append(failed, ctx.Err())...)
}

// createStoredUser writes a user with a token to the database, and imports fills through
// the server.
func createStoredUser(ctx context.Context, users *identity.Service, server *client, address string, file []byte) (*trader, error) {
	user, err := users.CreateUserByOperator(ctx, address, password, false)
	if err != nil {
		return nil, err
	}
	_, token, err := users.MintAccessToken(ctx, identity.Principal{UserID: user.ID}, identity.Client{}, identity.NewToken{Name: "simulation"})
	if err != nil {
		return nil, err
	}
	return newTrader(ctx, server.withToken(token.Reveal()), file)
}

// newTrader returns a trader with an account of imported fills.
func newTrader(ctx context.Context, c *client, file []byte) (t *trader, err error) {
	t = &trader{client: c}
	if t.account, err = c.createAccount(ctx, "traded"); err != nil {
		return nil, err
	}
	return t, c.commit(ctx, newUpload(t.account, file)).err
}

// runClients runs the clients until the time is over. Each call is by a random user, so
// most find nothing in a cache.
func (s *Simulation) runClients(ctx context.Context, l *load, traders []*trader) {
	var wait sync.WaitGroup
	end := time.Now().Add(s.Length)
	for number := range s.Clients {
		random := rand.New(rand.NewPCG(1, uint64(number)))
		wait.Go(func() {
			for n := 0; time.Now().Before(end) && ctx.Err() == nil; n++ {
				t := traders[random.IntN(len(traders))]
				switch kind := random.IntN(100); {
				case kind < 50:
					t.readLists(ctx, l, 1+random.IntN(100)) // without the complete list
				case kind < 80:
					t.readFigures(ctx, l, random.IntN(100))
				case kind < 95:
					at := from.Add(span).AddDate(1, 0, 0).Add(time.Duration(n*s.Clients+number) * time.Second)
					l.countCall(ctx, "fill", t.client.send(ctx, http.MethodPost, api+"/executions", map[string]any{
						"account_id": t.account, "symbol": symbol(random.IntN(symbols)), "side": []string{"buy", "sell"}[n%2],
						"quantity": 3, "price": "99.5", "executed_at": at.Format(time.RFC3339),
					}))
				default:
					l.countCall(ctx, "who am I", t.client.get(ctx, api+"/me"))
				}
			}
		})
	}
	wait.Wait()
}

// summarize sets the latencies and statuses.
func (s *Simulation) summarize(l *load) {
	s.Requests, s.Statuses = l.counts()
	s.Failure = l.failure
	var all times
	for _, kind := range slices.Sorted(maps.Keys(l.taken)) {
		all = append(all, l.taken[kind]...)
		s.Kinds = append(s.Kinds, newLatency(kind, l.taken[kind]))
	}
	s.Kinds = slices.Insert(s.Kinds, 0, newLatency("all", all))
}

func (s *Simulation) format() string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s: %d users with %d fills each, %d clients for %s\n", s.Engine, s.Users, s.Fills, s.Clients, s.Length)
	fmt.Fprintf(&b, "%-12s %9s %9s %9s %9s\n", "", "calls", "p50", "p95", "p99")
	for _, k := range s.Kinds {
		fmt.Fprintf(&b, "%-12s %9d %9s %9s %9s\n", k.Kind, k.Calls, formatDuration(k.P50), formatDuration(k.P95), formatDuration(k.P99))
	}
	fmt.Fprintf(&b, "%.0f calls a second; by status %s\n", float64(s.Requests)/s.Length.Seconds(), formatStatuses(s.Statuses))
	fmt.Fprintf(&b, "memory %s before, peak %s; the server used %.2f cores, %.2f were idle\n",
		formatMiB(s.RSS), formatMiB(s.Peak), s.ServerCores, s.IdleCores)
	return b.String()
}

// readIdle returns the idle time on all cores; 0 if unknown.
func readIdle() time.Duration {
	const ticks = 100 // a second, on every Linux supported by Go
	text, _ := os.ReadFile("/proc/stat")
	words := strings.Fields(strings.SplitN(string(text), "\n", 2)[0])
	if len(words) < 6 {
		return 0
	}
	idle, _ := strconv.ParseInt(words[4], 10, 64)
	return time.Duration(idle) * time.Second / ticks
}
