package barfetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/fields"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/remote"
	"fillbook/internal/intake/fetch"
	"fillbook/internal/intake/jobs"
	"fillbook/internal/prices/bars"
	"fillbook/internal/prices/barsource"
	"fillbook/internal/prices/market"
	"fillbook/internal/trading/instruments"
)

var runTable = fields.New("bar_source_runs",
	fields.List[Run]{fields.NewID("id", func(r *Run) *journal.BarRunID { return &r.ID })},
	fields.List[Run]{
		fields.NewText("source_id", func(r *Run) *journal.BarSourceID { return &r.Source }).Freeze(),
		fields.NewTime("started_at", func(r *Run) *time.Time { return &r.StartedAt }).Freeze(),
		fields.NewInstant("ended_at", func(r *Run) **time.Time { return &r.EndedAt }),
		fields.NewText("outcome", func(r *Run) *Status { return &r.Outcome }),
		fields.NewInteger("requests", func(r *Run) *int { return &r.Requests }),
		fields.NewInteger("inserted", func(r *Run) *int { return &r.Inserted }),
		fields.NewInteger("replaced", func(r *Run) *int { return &r.Replaced }),
		fields.NewInteger("unchanged", func(r *Run) *int { return &r.Unchanged }),
		fields.NewJSON("imports", func(r *Run) *[]journal.BarImportID { return &r.Imports }),
		fields.NewText("message", func(r *Run) *string { return &r.Message }),
	},
)

const (
	// flushBars is how many bars are collected before they are stored.
	flushBars = 50_000
	// repeatTime is the time between two runs of a source.
	repeatTime = time.Hour
	// resumeTime is the time until the next run if the last one reached a limit.
	resumeTime = time.Minute
	// maxMessage is the most characters in a message.
	maxMessage = 500
)

// counter sends requests and counts them.
type counter struct {
	remote.Doer
	clock journal.Clock
	sent  int
	until time.Time
}

func (s *Service) newCounter(provider string) *counter {
	return &counter{Doer: s.Client(provider), clock: s.Clock, until: s.Clock().Add(fetch.MaxTime)}
}

// Do implements [remote.Doer].
func (c *counter) Do(request *http.Request) (*http.Response, error) {
	if c.sent >= fetch.MaxRequests || c.clock().After(c.until) {
		return nil, fetch.ErrEnough
	}
	c.sent++
	return c.Doer.Do(request)
}

// run is a source run.
type run struct {
	*Service
	job         jobs.Job
	record      Run
	source      Source
	provider    barsource.Provider
	about       barsource.Description
	credentials map[string]string
	client      *counter
	lookup      *bars.Lookup
	queries     []query
	budget      decimal.Decimal // for a charging provider

	collected map[bars.Key]*collected
	bars      int
	asked     []fetchedKey // the sessions of the collected bars
	unknown   []string     // symbols the provider does not have
}

// collected are a series's bars before they are stored.
type collected struct {
	block  market.Block
	ranges []market.Range
	volume market.VolumeKind
}

// Run implements [jobs.Handler].
func (s *Service) Run(ctx context.Context, job jobs.Job) error {
	return fetch.Execute(ctx, job, &run{Service: s, job: job, collected: map[bars.Key]*collected{}})
}

// LogUnexpected implements fetch.Runner.
func (r *run) LogUnexpected(err error) {
	if !fetch.IsExpected(err) {
		r.Log.Warn("fetching bars failed", "provider", r.about.Name, "source", r.source.ID, "error", err)
	}
}

// RecordFailure implements [jobs.Handler].
func (s *Service) RecordFailure(ctx context.Context, tx *db.Tx, job jobs.Job, next time.Time) (*time.Time, error) {
	again, _, err := s.RecordFailed(ctx, tx, job, next, func(source *Source) string {
		if provider, _ := s.Find(source.Provider); isPricer(provider) {
			return "The run stopped because of an error on this server. Ask for the price of what is missing."
		}
		return ""
	})
	return again, err
}

// Begin implements fetch.Runner.
func (r *run) Begin(ctx context.Context) error {
	id := journal.BarSourceID(r.job.ID)
	var asked request
	if r.job.Request != "" {
		if err := json.Unmarshal([]byte(r.job.Request), &asked); err != nil {
			return err
		}
	}
	if asked.MaxPrice != "" {
		budget, err := decimal.Parse(asked.MaxPrice)
		if err != nil {
			return err
		}
		r.budget = budget
	}
	err := r.DB.View(ctx, func(tx *db.Tx) (err error) {
		if r.source, err = r.Read(ctx, tx, r.job.Owner, id, ""); err != nil {
			return err
		}
		return r.load(ctx, tx)
	})
	if err != nil {
		return err
	}
	var record *Run
	if len(r.queries) > 0 || r.job.Request != "" { // nothing to do is not worth a record
		r.record = Run{
			ID: journal.NewID[journal.BarRunID](), Source: id, Run: fetch.Run{StartedAt: r.Clock(), Outcome: StatusRunning}, Imports: []journal.BarImportID{},
		}
		record = &r.record
	}
	return r.DB.Update(ctx, func(tx *db.Tx) error {
		if err := jobs.Hold(ctx, tx, r.job); err != nil {
			return err
		}
		return r.BeginRun(ctx, tx, r.job, "", record)
	})
}

// load finds the provider, the credentials and the queries.
func (r *run) load(ctx context.Context, tx *db.Tx) (err error) {
	provider, known := r.Find(r.source.Provider)
	if !known {
		return nil // end says so
	}
	r.provider, r.about = provider, provider.Describe()
	r.client = r.newCounter(r.about.Name)
	if r.credentials, err = r.Service.Credentials.Load(ctx, tx, r.Keys, r.job.Owner, string(r.source.ID)); err != nil {
		return fmt.Errorf("opening the credentials of source %s: %w", r.source.ID, err)
	}
	if r.lookup, err = bars.LoadLookup(ctx, tx, r.job.Owner); err != nil {
		return err
	}
	plan, err := loadPlan(ctx, tx, r.job.Owner, r.source, provider, r.Clock(), r.job.Request != "")
	if err != nil {
		return err
	}
	r.queries, r.unknown = plan.queries(), plan.unknown
	return nil
}

// Fetch implements fetch.Runner: it fetches and stores all wanted bars.
func (r *run) Fetch(ctx context.Context) error {
	err := r.fetchAll(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if flushed := r.flush(ctx); flushed != nil {
		err = flushed
	}
	return err
}

// fetchAll sends the queries until everything is fetched or an error stops the run.
func (r *run) fetchAll(ctx context.Context) error {
	switch {
	case r.provider == nil:
		return errUnknownProvider(r.source)
	case r.credentials == nil && r.needsCredentials(r.source.Provider):
		return remote.ErrUnauthorized
	}
	unknown := map[string]bool{}
	for _, q := range r.queries {
		if unknown[q.name] {
			r.markAsked(q)
			continue
		}
		if err := r.pay(ctx, q); err != nil {
			return err
		}
		result, err := r.provider.Fetch(ctx, r.client, r.credentials, q.toQuery(r.Clock()))
		switch {
		case err == nil:
			r.collect(q, result)
		case errors.Is(err, remote.ErrNotFound), errors.Is(err, barsource.ErrNotCovered):
			unknown[q.name] = true
			r.unknown = append(r.unknown, q.title())
			r.markAsked(q)
		case errors.Is(err, barsource.ErrTooOld):
			r.markAsked(q)
		default:
			return err
		}
		if r.bars >= flushBars || isPricer(r.provider) {
			if err := r.flush(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// pay subtracts what a query costs from the budget. It returns an error if the query
// would cost more.
func (r *run) pay(ctx context.Context, q query) error {
	pricer, ok := r.provider.(barsource.Pricer)
	if !ok {
		return nil
	}
	price, err := pricer.Price(ctx, r.client, r.credentials, q.toQuery(r.Clock()))
	if err != nil {
		return err
	}
	rest := r.budget.Sub(price.Amount)
	if rest.Sign() < 0 {
		return errBudget
	}
	text, err := json.Marshal(request{MaxPrice: rest.String()})
	if err != nil {
		return err
	}
	// Stored before the query is sent: a run after a crash may spend only the rest.
	err = r.DB.Update(ctx, func(tx *db.Tx) error { return jobs.UpdateRequest(ctx, tx, r.job, string(text)) })
	if err != nil {
		return fetch.StoreError(err)
	}
	r.budget = rest
	return nil
}

// errBudget ends a run that has spent what it was allowed to.
var errBudget = journal.Conflict("The rest costs more than the price that you accepted. Ask for the price again.")

// markAsked records that a query need not be sent again.
func (r *run) markAsked(q query) {
	for _, session := range q.sessions {
		r.asked = append(r.asked, fetchedKey{q.name, session.From})
	}
}

// collect keeps an answer's bars until they are stored.
func (r *run) collect(q query, result barsource.Result) {
	r.markAsked(q)
	if len(result.Block.Bars) == 0 {
		return
	}
	key := bars.Key{Symbol: seriesSymbol(q.of, result.Symbol), Secs: result.Block.Secs, PriceKind: result.PriceKind}
	key.Contract = instruments.OptionContract(key.Symbol)
	if stored, ok := r.lookup.FindKey(key, result.Block.Bars[len(result.Block.Bars)-1].Time); ok {
		key = stored.Key
	}
	c := r.collected[key]
	if c == nil {
		c = &collected{volume: result.VolumeKind}
		r.collected[key] = c
	}
	c.block = market.MergeBlocks(c.block, result.Block)
	declared := []market.Range{result.Covered}
	if !result.IsComplete {
		declared = market.DeclaredRanges(result.Block.Bars, result.Block.Secs, q.calendar)
	}
	c.ranges = market.Union(append(c.ranges, declared...), 0)
	r.bars += len(result.Block.Bars)
}

// seriesSymbol returns the symbol of the series an instrument's bars are stored in: that
// of the journal, unless it is an option's underlying.
func seriesSymbol(of instruments.Priced, atProvider string) string {
	if of.Type == instruments.TypeOption && instruments.OptionContract(of.Symbol) == "" {
		return atProvider
	}
	return of.Symbol
}

// flush stores the collected bars, with their sessions.
func (r *run) flush(ctx context.Context) error {
	if len(r.asked) == 0 {
		return nil
	}
	record := r.record
	err := r.DB.Update(ctx, func(tx *db.Tx) error {
		record = r.record
		record.Imports = slices.Clone(record.Imports)
		if err := jobs.Hold(ctx, tx, r.job); err != nil {
			return err
		}
		if len(r.collected) > 0 {
			done, _, err := r.Service.bars.Add(ctx, tx, r.job.Owner, r.newImport())
			if err != nil {
				return err
			}
			record.Imports = append(record.Imports, done.ID)
			record.Inserted, record.Replaced, record.Unchanged = record.Inserted+done.Inserted, record.Replaced+done.Replaced, record.Unchanged+done.Unchanged
		}
		record.Requests = r.client.sent
		if err := r.StoreRun(ctx, tx, r.job.Owner, &record); err != nil {
			return err
		}
		return r.storeAsked(ctx, tx)
	})
	switch {
	case err != nil && !fetch.IsRefusal(err):
		return fetch.StoreError(err)
	case err != nil:
		return err
	}
	r.record, r.asked, r.bars, r.collected = record, nil, 0, map[bars.Key]*collected{}
	return nil
}

func (r *run) newImport() bars.NewImport {
	file := bars.NewImport{FileName: r.about.Title, Layout: r.about.Title}
	for key, c := range r.collected {
		file.Series = append(file.Series, bars.NewSeries{
			Key: key, VolumeKind: c.volume, Blocks: market.SplitBlocks(c.block), Ranges: c.ranges,
		})
	}
	slices.SortFunc(file.Series, func(a, b bars.NewSeries) int {
		return strings.Compare(a.Symbol+" "+a.Contract, b.Symbol+" "+b.Contract)
	})
	return file
}

func (r *run) storeAsked(ctx context.Context, tx *db.Tx) error {
	rows := make([][]any, 0, len(r.asked))
	now := db.Micros(r.Clock())
	for _, key := range r.asked {
		rows = append(rows, []any{r.job.Owner, r.source.ID, key.name, key.session, now})
	}
	_, err := tx.InsertMany(ctx, "bar_source_sessions", []string{"user_id", "source_id", "instrument", "session_at", "fetched_at"},
		"ON CONFLICT (user_id, source_id, instrument, session_at) DO UPDATE SET fetched_at = excluded.fetched_at", rows)
	return err
}

// End implements fetch.Runner.
func (r *run) End(ctx context.Context, cause error) error {
	var record *Run
	if r.record.ID != "" {
		record = &r.record
	}
	requests := 0
	if r.client != nil {
		requests = r.client.sent
	}
	return r.EndRun(ctx, r.job, record, requests, func(_ *db.Tx, source *Source, now time.Time) fetch.Verdict {
		v := r.judge(cause, now)
		if !source.Enabled && v.Status != StatusWaiting || isPricer(r.provider) {
			v.Next = nil
		}
		source.Status, source.Message = v.Status, v.Message
		return v
	})
}

// judge decides what a run's error means.
func (r *run) judge(err error, now time.Time) fetch.Verdict {
	var refusal *journal.Error
	switch {
	case err == nil:
		next := now.Add(repeatTime + jobs.Jitter(r.job.ID, repeatTime/10))
		return fetch.Verdict{Status: StatusOK, Message: r.describeUnknown(), Outcome: jobs.Outcome{Next: &next}}
	case errors.Is(err, fetch.ErrEnough) && isPricer(r.provider):
		return fetch.NewAttention("The run reached its time limit. Ask for the price of the rest.")
	case errors.Is(err, fetch.ErrEnough):
		return fetch.NewWaiting("The rest follows in a minute.", now.Add(resumeTime))
	case errors.As(err, &refusal): // no more room for bars, or too expensive
		return fetch.NewAttention(fetch.Shorten(refusal.Message, maxMessage))
	}
	meaning := remote.Explain(r.about.Title, err)
	if meaning.NeedsUser {
		return fetch.NewAttention(fetch.Shorten(meaning.Message, maxMessage))
	}
	describe := func(message string) string { return message }
	v := fetch.NewFailure(r.job, now, r.about.Title, meaning.Message, min(meaning.RetryAfter, 24*time.Hour), describe)
	if isPricer(r.provider) && v.Status == StatusWaiting {
		v.Status, v.Message = StatusFailed, strings.Replace(v.Message, "Fillbook tries again later.", "Try again later.", 1)
	}
	return v
}

// maxNamed is how many symbols a message names.
const maxNamed = 10

// describeUnknown names the symbols or currencies the provider does not have.
func (r *run) describeUnknown() string {
	if len(r.unknown) == 0 {
		return ""
	}
	slices.Sort(r.unknown)
	named := r.unknown[:min(len(r.unknown), maxNamed)]
	what := "prices"
	if r.about.IsRates {
		what = "rates"
	}
	text := r.about.Title + " has no " + what + " of " + strings.Join(named, ", ")
	if more := len(r.unknown) - len(named); more > 0 {
		text += fmt.Sprintf(" and %d others", more)
	}
	return fetch.Shorten(text+".", maxMessage)
}
