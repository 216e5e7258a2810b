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
	"fillbook/internal/base/outbound"
	"fillbook/internal/base/remote"
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

var selectRuns = runTable.Select("r")

func scanRun(row db.Scanner) (r Run, err error) {
	err = runTable.Scan(row, &r)
	return r, err
}

// Runs returns the runs of a source, the newest first.
func (s *Service) Runs(ctx context.Context, owner journal.UserID, id journal.BarSourceID) (list []Run, err error) {
	err = s.DB.View(ctx, func(tx *db.Tx) error {
		if _, err := readSource(ctx, tx, owner, id, ""); err != nil {
			return err
		}
		list, err = db.List(ctx, tx, scanRun, selectRuns+` WHERE r.user_id = $1 AND r.source_id = $2 ORDER BY r.id DESC`, owner, id)
		return err
	})
	return list, err
}

// The limits of a run.
const (
	maxRequests = 500
	maxTime     = 10 * time.Minute
	// flushBars is how many bars are collected before they are stored.
	flushBars = 50_000
	// keepRuns is how many runs of a source are kept.
	keepRuns = 200
	// repeatTime is the time between two runs of a source.
	repeatTime = time.Hour
	// resumeTime is the time until the next run if the last one reached a limit.
	resumeTime = time.Minute
	// maxFailing is how long a source is tried again.
	maxFailing = 10 * 24 * time.Hour
	// maxMessage is the most characters of a message.
	maxMessage = 500
)

// errEnough ends a run that has reached one of its limits. The rest is fetched by the
// next run.
var errEnough = errors.New("the run has reached its limit")

// counter sends requests and counts them.
type counter struct {
	remote.Doer
	clock journal.Clock
	sent  int
	until time.Time
}

func (s *Service) newCounter(provider string) *counter {
	return &counter{Doer: s.clients[provider], clock: s.Clock, until: s.Clock().Add(maxTime)}
}

// Do implements [remote.Doer].
func (c *counter) Do(request *http.Request) (*http.Response, error) {
	if c.sent >= maxRequests || c.clock().After(c.until) {
		return nil, errEnough
	}
	c.sent++
	return c.Doer.Do(request)
}

// run is a run of a source.
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
	budget      decimal.Decimal // of a provider that charges

	collected map[bars.Key]*collected
	bars      int
	asked     []fetchedKey // the sessions of the bars that are collected
	unknown   []string     // symbols that the provider does not have
}

// collected are bars of a series that are not stored yet.
type collected struct {
	block  market.Block
	ranges []market.Range
	volume market.VolumeKind
}

// Run implements [jobs.Handler].
func (s *Service) Run(ctx context.Context, job jobs.Job) error {
	ctx = jobs.WithCaller(ctx, job.Owner)
	r := &run{Service: s, job: job, collected: map[bars.Key]*collected{}}
	if err := r.begin(ctx); err != nil {
		return err
	}
	err := r.fetchAll(ctx)
	if ctx.Err() != nil {
		return ctx.Err() // the server stops, or the job is lost: it is claimed again
	}
	if flushed := r.flush(ctx); flushed != nil {
		err = flushed
	}
	if errors.Is(err, errStore) {
		return err
	}
	if err != nil && !isExpected(err) {
		s.Log.Warn("fetching bars failed", "provider", r.about.Name, "source", r.source.ID, "error", err)
	}
	return r.end(ctx, err)
}

// RecordFailure implements [jobs.Handler].
func (s *Service) RecordFailure(ctx context.Context, tx *db.Tx, job jobs.Job, next time.Time) (*time.Time, error) {
	now := s.Clock()
	source, err := readSource(ctx, tx, job.Owner, journal.BarSourceID(job.ID), tx.Lock())
	if err != nil {
		return nil, err
	}
	again := &next
	source.Status, source.Message = StatusWaiting, "The run stopped because of an error on this server. Fillbook tries again later."
	provider, _ := s.findProvider(source.Provider)
	switch {
	case isPricer(provider):
		again = nil
		source.Status, source.Message = StatusFailed, "The run stopped because of an error on this server. Ask for the price of what is missing."
	case job.FailingSince != nil && now.Sub(*job.FailingSince) > maxFailing:
		again = nil
		source.Status, source.Message = StatusFailed, "All runs of ten days stopped because of an error on this server. Tell the person who runs it."
	}
	source.LastRunAt = &now
	if _, err := tx.Exec(ctx, sourceTable.Update(), sourceTable.UpdateValues(job.Owner, &source)...); err != nil {
		return nil, err
	}
	return again, endOpenRuns(ctx, tx, job, now, source.Status, source.Message)
}

// endOpenRuns ends the runs of a source that have no end.
func endOpenRuns(ctx context.Context, tx *db.Tx, job jobs.Job, now time.Time, outcome Status, message string) error {
	_, err := tx.Exec(ctx, `UPDATE bar_source_runs SET outcome = $1, message = $2, ended_at = $3 WHERE user_id = $4 AND source_id = $5 AND ended_at IS NULL`,
		outcome, message, db.Micros(now), job.Owner, job.ID)
	return err
}

// isRefusal reports whether an error may be shown to the user.
func isRefusal(err error) bool {
	var refusal *journal.Error
	return errors.As(err, &refusal)
}

// isExpected reports whether an error is a condition that the state of the source shows.
func isExpected(err error) bool {
	var limited *remote.RateLimited
	return isRefusal(err) || errors.As(err, &limited) || errors.Is(err, errEnough) ||
		slices.ContainsFunc([]error{remote.ErrUnauthorized, remote.ErrForbidden, remote.ErrUnavailable, outbound.ErrBusy}, func(kind error) bool {
			return errors.Is(err, kind)
		})
}

// begin reads what must be fetched, and records that the run has begun.
func (r *run) begin(ctx context.Context) error {
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
		if r.source, err = readSource(ctx, tx, r.job.Owner, id, ""); err != nil {
			return err
		}
		return r.load(ctx, tx)
	})
	if err != nil {
		return err
	}
	if len(r.queries) > 0 || r.job.Request != "" { // nothing to do is not worth a record
		r.record = Run{
			ID: journal.NewID[journal.BarRunID](), Source: id, StartedAt: r.Clock(), Outcome: StatusRunning, Imports: []journal.BarImportID{},
		}
	}
	return r.DB.Update(ctx, func(tx *db.Tx) error {
		if err := jobs.Hold(ctx, tx, r.job); err != nil {
			return err
		}
		// A run that has not ended was interrupted: its claim was over.
		err := endOpenRuns(ctx, tx, r.job, r.Clock(), StatusInterrupted, "")
		if err != nil || r.record.ID == "" {
			return err
		}
		_, err = tx.Exec(ctx, runTable.Insert(), runTable.Values(r.job.Owner, &r.record)...)
		return err
	})
}

// load finds the provider, the credentials and the queries.
func (r *run) load(ctx context.Context, tx *db.Tx) (err error) {
	provider, known := r.findProvider(r.source.Provider)
	if !known {
		return nil // end says so
	}
	r.provider, r.about = provider, provider.Describe()
	r.client = r.newCounter(r.about.Name)
	if r.credentials, err = keys.Load(ctx, tx, r.Keys, r.job.Owner, string(r.source.ID)); err != nil {
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

// fetchAll sends the queries until everything is fetched or an error stops the run.
func (r *run) fetchAll(ctx context.Context) error {
	switch {
	case r.provider == nil:
		return journal.Conflict("This version has no provider %s. Delete the source.", r.source.Provider)
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
		return fmt.Errorf("%w: %w", errStore, err)
	}
	r.budget = rest
	return nil
}

// errStore ends a run that could not be stored.
var errStore = errors.New("storing a run")

// errBudget ends a run that has spent what it was allowed to.
var errBudget = journal.Conflict("The rest costs more than the price that you accepted. Ask for the price again.")

// markAsked records that a query need not be sent again.
func (r *run) markAsked(q query) {
	for _, session := range q.sessions {
		r.asked = append(r.asked, fetchedKey{q.name, session.From})
	}
}

// collect keeps the bars of an answer until they are stored.
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

// seriesSymbol returns the symbol of the series that an instrument's bars are stored in:
// that of the journal, unless it is the underlying of an option.
func seriesSymbol(of instruments.Priced, atProvider string) string {
	if of.Type == instruments.TypeOption && instruments.OptionContract(of.Symbol) == "" {
		return atProvider
	}
	return of.Symbol
}

// flush stores what was collected, with the sessions that were asked for.
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
			done, _, err := r.Bars.Add(ctx, tx, r.job.Owner, r.newImport())
			if err != nil {
				return err
			}
			record.Imports = append(record.Imports, done.ID)
			record.Inserted, record.Replaced, record.Unchanged = record.Inserted+done.Inserted, record.Replaced+done.Replaced, record.Unchanged+done.Unchanged
		}
		record.Requests = r.client.sent
		if _, err := tx.Exec(ctx, runTable.Update(), runTable.UpdateValues(r.job.Owner, &record)...); err != nil {
			return err
		}
		return r.storeAsked(ctx, tx)
	})
	switch {
	case err != nil && !isRefusal(err):
		return fmt.Errorf("%w: %w", errStore, err)
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

// end records how the run ended and when the next one is due.
func (r *run) end(ctx context.Context, err error) error {
	now := r.Clock()
	return r.DB.Update(ctx, func(tx *db.Tx) error {
		if err := jobs.Hold(ctx, tx, r.job); err != nil {
			return err
		}
		source, readErr := readSource(ctx, tx, r.job.Owner, r.source.ID, tx.Lock())
		if readErr != nil {
			return readErr
		}
		v := r.judge(err, now)
		if !source.Enabled && v.Status != StatusWaiting || isPricer(r.provider) {
			v.Next = nil
		}
		source.Status, source.Message, source.LastRunAt = v.Status, v.Message, &now
		if _, err := tx.Exec(ctx, sourceTable.Update(), sourceTable.UpdateValues(r.job.Owner, &source)...); err != nil {
			return err
		}
		if r.record.ID != "" {
			if err := r.storeRecord(ctx, tx, now, v); err != nil {
				return err
			}
		}
		return jobs.Finish(ctx, tx, r.job, now, v.Outcome)
	})
}

// storeRecord completes the record of the run and deletes old ones.
func (r *run) storeRecord(ctx context.Context, tx *db.Tx, now time.Time, v verdict) error {
	record := r.record
	record.EndedAt, record.Outcome, record.Message = &now, v.Status, v.Message
	if r.client != nil {
		record.Requests = r.client.sent
	}
	if _, err := tx.Exec(ctx, runTable.Update(), runTable.UpdateValues(r.job.Owner, &record)...); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `DELETE FROM bar_source_runs WHERE user_id = $1 AND source_id = $2 AND id IN
		(SELECT id FROM bar_source_runs WHERE user_id = $1 AND source_id = $2 ORDER BY id DESC LIMIT 1000 OFFSET $3)`, r.job.Owner, r.source.ID, keepRuns)
	return err
}

// verdict is what a run means for its source.
type verdict struct {
	Status  Status
	Message string
	jobs.Outcome
}

// judge decides what the error of a run means.
func (r *run) judge(err error, now time.Time) verdict {
	later := func(d time.Duration) *time.Time {
		at := now.Add(d)
		return &at
	}
	title := r.about.Title
	var refusal *journal.Error
	switch {
	case err == nil:
		next := later(repeatTime + jobs.Jitter(r.job.ID, repeatTime/10))
		return verdict{Status: StatusOK, Message: r.describeUnknown(), Outcome: jobs.Outcome{Next: next}}
	case errors.Is(err, errEnough) && isPricer(r.provider):
		return attention("The run reached its time limit. Ask for the price of the rest.")
	case errors.Is(err, errEnough):
		return verdict{Status: StatusWaiting, Message: "The rest follows in a minute.", Outcome: jobs.Outcome{Next: later(resumeTime)}}
	case errors.As(err, &refusal): // no more room for bars, or too expensive
		return attention(refusal.Message)
	}
	meaning := remote.Explain(title, err)
	if meaning.NeedsUser {
		return attention(meaning.Message)
	}
	v := verdict{Status: StatusWaiting, Message: meaning.Message, Outcome: jobs.Outcome{Next: later(r.job.Delay()), Failed: true}}
	if meaning.RetryAfter > 0 {
		v.Next = later(min(meaning.RetryAfter, 24*time.Hour))
	}
	if isPricer(r.provider) {
		v.Status, v.Message = StatusFailed, strings.Replace(v.Message, "Fillbook tries again later.", "Try again later.", 1)
	}
	if since := r.job.FailingSince; since != nil && now.Sub(*since) > maxFailing {
		v.Status, v.Next, v.Message = StatusFailed, nil, title+" hasn't answered for ten days. Start a run to try again."
	}
	return v
}

func attention(message string) verdict {
	return verdict{Status: StatusAttention, Message: shorten(message)}
}

func shorten(text string) string {
	if runes := []rune(text); len(runes) > maxMessage {
		return string(runes[:maxMessage-1]) + "…"
	}
	return text
}

// maxNamed is how many symbols a message names.
const maxNamed = 10

// describeUnknown names the symbols or currencies that the provider does not have.
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
	return shorten(text + ".")
}
