package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"fillbook/internal/base/db"
)

// options are the flags for both measuring commands.
type options struct {
	binary  string
	out     string
	label   string
	engines string
	further list
	budget  time.Duration
	only    string
}

func (o *options) addFlags(set *flag.FlagSet) {
	set.StringVar(&o.binary, "binary", "", "the program to measure; built from ./cmd/fillbook without it")
	set.StringVar(&o.out, "out", "", "file to write the results to")
	set.StringVar(&o.label, "label", "", "what is measured, such as a version")
	set.StringVar(&o.engines, "engines", "sqlite", "sqlite, postgres or both with a comma")
	set.Var(&o.further, "env", "NAME=VALUE for the server; may be repeated")
}

// list is a repeatable flag.
type list []string

func (l *list) String() string { return strings.Join(*l, " ") }

// Set implements [flag.Value].
func (l *list) Set(text string) error { *l = append(*l, text); return nil }

func runCommand(ctx context.Context, args []string) error {
	var o options
	set := flag.NewFlagSet("bench run", flag.ExitOnError)
	o.addFlags(set)
	sizes := set.String("sizes", "1000,10000", "fills of the large account, with commas")
	set.DurationVar(&o.budget, "budget", 5*time.Second, "time to spend on one operation")
	set.StringVar(&o.only, "only", "", "parts to measure, with commas: "+strings.Join(partNames(), ", ")+"; the journal is imported in any case")
	_ = set.Parse(args) // it exits by itself
	file := newFile(o.label)
	return o.forEachEngine(ctx, func(engine string, s settings) error {
		for text := range strings.SplitSeq(*sizes, ",") {
			size, err := strconv.Atoi(text)
			if err != nil || size < 100 {
				return fmt.Errorf("%q is not a number of fills, 100 or more", text)
			}
			records, err := measureSize(ctx, o, s, engine, size)
			file.Records = append(file.Records, records...)
			if err != nil {
				return errors.Join(fmt.Errorf("%s, %d fills: %w", engine, size, err), o.save(file))
			}
		}
		return o.save(file)
	})
}

func newFile(label string) File {
	return File{Label: label, Machine: thisMachine(), At: time.Now().UTC().Truncate(time.Second)}
}

func (o options) save(f File) error {
	if o.out == "" {
		return nil
	}
	return writeFile(o.out, f)
}

// forEachEngine builds the program and calls fn for every selected
// engine, with its settings.
func (o options) forEachEngine(ctx context.Context, fn func(engine string, s settings) error) error {
	dir, err := os.MkdirTemp("", "fillbook-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary directory
	s := settings{binary: o.binary, data: dir, further: o.further}
	if s.binary == "" {
		if s.binary, err = build(ctx, dir); err != nil {
			return err
		}
	}
	for engine := range strings.SplitSeq(o.engines, ",") {
		s.url = ""
		switch engine {
		case "sqlite":
		case "postgres":
			if s.url = os.Getenv("SVC_TEST_POSTGRES"); s.url == "" {
				fmt.Fprintln(os.Stderr, "bench: NOT MEASURED on PostgreSQL: SVC_TEST_POSTGRES is not set; run it by scripts/with-postgres")
				continue
			}
		default:
			return fmt.Errorf("%q is not an engine; there are sqlite and postgres", engine)
		}
		if err := fn(engine, s); err != nil {
			return err
		}
	}
	return nil
}

// newDatabase returns settings with a new data directory or database, and a function
// removing it.
func (s settings) newDatabase(ctx context.Context) (settings, func(), error) {
	dir, err := os.MkdirTemp(s.data, "data-")
	if err != nil {
		return s, nil, err
	}
	s.data = dir
	remove := func() { _ = os.RemoveAll(dir) }
	if s.url == "" {
		return s, remove, nil
	}
	server := s.url
	name := "fillbook_bench_" + filepath.Base(dir)[len("data-"):]
	address, err := url.Parse(server)
	if err != nil {
		return s, nil, err
	}
	address.Path = "/" + name
	s.url = address.String()
	drop := func() {
		remove()
		_ = execOnServer(context.WithoutCancel(ctx), server, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)")
	}
	return s, drop, execOnServer(ctx, server, "CREATE DATABASE "+name)
}

// execOnServer runs a statement outside a transaction.
func execOnServer(ctx context.Context, server, statement string) error {
	d, err := db.Open(ctx, db.Options{URL: server, Readers: 1})
	if err != nil {
		return err
	}
	err = d.Peek(ctx, func(tx *db.Tx) error { _, err := tx.Exec(ctx, statement); return err })
	return errors.Join(err, d.Close())
}

// session is a server under measurement with its client and its
// limits.
type session struct {
	engine string
	size   int
	budget time.Duration

	settings settings
	server   *process
	plain    *process // the plain server
	client   *client
	signedIn time.Time
	owner    string // the user's public id

	source, scratch *db.DB
	scratchRows     int // rows written to measure commits

	market       *market
	large, empty string        // accounts
	filled       time.Duration // what the imports into the large one took
	records      []*Record
}

func (s *session) options() db.Options {
	return db.Options{URL: s.settings.url, Path: filepath.Join(s.settings.data, "fillbook.db"), Readers: 2}
}

// start starts everything a session needs; stop stops it.
func (s *session) start(ctx context.Context) (err error) {
	if s.plain, err = startPlainServer(ctx); err != nil {
		return err
	}
	if s.server, err = s.settings.serve(ctx); err != nil {
		return err
	}
	s.client = newClient(s.server.base)
	if s.client.token, err = s.client.setUp(ctx); err != nil {
		return err
	}
	s.signedIn = time.Now()
	var me struct{ ID string }
	if err := s.client.fetch(ctx, api+"/me").decode(&me); err != nil {
		return err
	}
	s.owner = me.ID
	if s.source, err = db.Open(ctx, s.options()); err != nil {
		return err
	}
	for name, into := range map[string]*string{"large": &s.large, "empty": &s.empty} {
		if *into, err = s.client.createAccount(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// openScratch opens the database limits write to: an empty journal.
func (s *session) openScratch(ctx context.Context, beside settings) (err error) {
	other := session{settings: beside}
	if s.scratch, err = db.Open(ctx, other.options()); err != nil {
		return err
	}
	if err := s.scratch.Migrate(ctx); err != nil {
		return err
	}
	return execute(ctx, s.scratch, "CREATE TABLE bare_rows (n BIGINT PRIMARY KEY, body TEXT NOT NULL)")
}

func (s *session) stop() {
	for _, d := range []*db.DB{s.source, s.scratch} {
		if d != nil {
			_ = d.Close()
		}
	}
	for _, p := range []*process{s.server, s.plain} {
		if p != nil {
			_ = p.stop()
		}
	}
}

// renewToken signs in again before the session ends.
func (s *session) renewToken(ctx context.Context) error {
	if time.Since(s.signedIn) < 5*time.Minute {
		return nil
	}
	token, err := s.client.signIn(ctx, email)
	s.client.token, s.signedIn = token, time.Now()
	return err
}

// part is a group of operations measured together.
type part struct {
	name    string
	measure func(s *session, ctx context.Context) error
}

// parts returns the parts in an order in which each has what it needs.
func parts() []part {
	return []part{
		{"visits", (*session).measureVisits}, // first, to measure the start on an empty database
		{"imports", (*session).measureImports},
		{"lists", (*session).measureLists},
		{"figures", (*session).measureFigures},
		{"exports", (*session).measureExports},
		{"small-imports", (*session).measureSmallImports}, // before there are fills after the journal's end
		{"writes", (*session).measureWrites},
		{"beside-reads", (*session).measureImportDuringReads},
		{"mixed", (*session).measureMixedLoad},
		{"restart", (*session).measureRestart},
		{"history", (*session).measureHistory},
		{"history-cost", (*session).measureHistoryCost},
		{"bars", (*session).measureBars}, // after the others, because it adds an account
		{"strategies", (*session).measureStrategies},
		{"deletion", (*session).measureDeletion}, // last, because it deletes everything
	}
}

func partNames() (names []string) {
	for _, p := range parts() {
		names = append(names, p.name)
	}
	return names
}

func (o options) isSelected(name string) bool {
	return o.only == "" || name == "imports" || slices.Contains(strings.Split(o.only, ","), name)
}

// measureSize measures all operations at one size.
func measureSize(ctx context.Context, o options, base settings, engine string, size int) ([]Record, error) {
	own, remove, err := base.newDatabase(ctx)
	if err != nil {
		return nil, err
	}
	defer remove()
	beside, removeBeside, err := base.newDatabase(ctx)
	if err != nil {
		return nil, err
	}
	defer removeBeside()
	s := &session{engine: engine, size: size, budget: o.budget, settings: own, market: newMarket(size)}
	defer s.stop()
	begin := time.Now()
	fmt.Printf("\n%s, %d fills\n", engine, size)
	err = errors.Join(s.start(ctx), s.openScratch(ctx, beside))
	for i, part := range parts() {
		if err != nil || !o.isSelected(part.name) {
			continue
		}
		if i > 0 {
			err = s.relaunch(ctx)
		}
		if err == nil {
			err = part.measure(s, ctx)
		}
	}
	fmt.Printf("%s, %d fills: done in %s\n", engine, size, time.Since(begin).Round(time.Second))
	records := make([]Record, len(s.records))
	for i, r := range s.records {
		records[i] = *r
	}
	return records, err
}

// minCalls is the least number of calls, even if they are slow, because the first is
// often not typical.
const minCalls = 3

// measure repeats a call until the number of calls or the time budget is reached, and
// records the server's cost.
func (s *session) measure(ctx context.Context, name string, calls int, call func(n int) reply) (*Record, error) {
	if err := errors.Join(ctx.Err(), s.renewToken(ctx)); err != nil {
		return nil, err
	}
	r := s.startRecord(name)
	var taken times
	begin := time.Now()
	for n := range calls {
		if spent := time.Since(begin); n > 0 && spent > s.budget && (n >= minCalls || spent > minCalls*s.budget) {
			break
		}
		answer := call(n)
		if answer.err != nil {
			r.fail(answer.err)
			continue
		}
		r.Bytes = answer.bytes
		taken = append(taken, answer.took)
	}
	s.finishRecord(r, taken)
	return r, nil
}

// startRecord starts a record: memory and CPU time are counted
// from here.
func (s *session) startRecord(name string) *Record {
	resetPeak(s.server.pid())
	used := readUsage(s.server.pid())
	r := &Record{Engine: s.engine, Size: s.size, Operation: name, RSSBefore: used.rss, CPU: used.cpu, Written: used.written}
	s.records = append(s.records, r)
	return r
}

// finishRecord completes a record.
func (s *session) finishRecord(r *Record, taken times) {
	used := readUsage(s.server.pid())
	calls := max(1, len(taken)+r.Errors)
	r.PeakRSS, r.CPU, r.Written = used.peak, (used.cpu-r.CPU)/time.Duration(calls), (used.written-r.Written)/int64(calls)
	r.Samples, r.P50, r.P95, r.Noise = len(taken), taken.median(), taken.quantile(.95), taken.noise()
	if len(taken) > 0 {
		r.First = taken[0]
	}
	fmt.Printf("  %-52s %10s  p95 %10s  peak %s%s\n", r.Operation, formatDuration(r.P50), formatDuration(r.P95), formatMiB(r.PeakRSS), formatFailures(*r))
}

func formatFailures(r Record) string {
	if r.Errors == 0 {
		return ""
	}
	return fmt.Sprintf("  %d ERRORS: %s", r.Errors, r.Failure)
}

// addLimit adds a limit as its own record.
func (s *session) addLimit(name string, taken times) {
	s.records = append(s.records, &Record{
		Engine: s.engine, Size: s.size, Operation: limitPrefix + name, Samples: len(taken),
		P50: taken.median(), P95: taken.quantile(.95), Noise: taken.noise(),
	})
	fmt.Printf("  %-52s %10s\n", limitPrefix+name, formatDuration(taken.median()))
}

// limitPrefix marks records measuring the machine and not the journal.
const limitPrefix = "limit: "
