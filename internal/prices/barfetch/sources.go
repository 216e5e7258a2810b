package barfetch

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"fillbook/internal/base/db"
	"fillbook/internal/base/fields"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/limits"
	"fillbook/internal/base/remote"
	"fillbook/internal/intake/credentials"
	"fillbook/internal/intake/fetch"
	"fillbook/internal/intake/jobs"
	"fillbook/internal/prices/barsource"
)

var sourceTable = fields.New("bar_sources",
	fields.List[Source]{fields.NewID("id", func(s *Source) *journal.BarSourceID { return &s.ID })},
	fields.List[Source]{
		fields.NewText("provider", func(s *Source) *string { return &s.Provider }).Freeze(),
		fields.NewFlag("enabled", func(s *Source) *bool { return &s.Enabled }),
		fields.NewJSON("symbols", func(s *Source) *[]string { return &s.Symbols }),
		fields.NewText("since", func(s *Source) *journal.Day { return &s.Since }),
		fields.NewText("status", func(s *Source) *Status { return &s.Status }),
		fields.NewText("message", func(s *Source) *string { return &s.Message }),
		fields.NewInstant("last_run_at", func(s *Source) **time.Time { return &s.LastRunAt }),
		fields.NewTime("created_at", func(s *Source) *time.Time { return &s.CreatedAt }).Freeze(),
		fields.NewTime("updated_at", func(s *Source) *time.Time { return &s.UpdatedAt }),
	},
)

// kind is what sources have in common with connections to brokers.
var kind = &fetch.Kind[journal.BarSourceID, Source, Run]{
	JobKind: JobKind, Noun: "price source", Records: sourceTable, Runs: runTable, RunOf: "source_id",
	MaxRuns:     200,
	Credentials: credentials.Store{Table: "bar_sources", Label: "bar source"},
	StateOf:     func(s *Source) *fetch.State { return &s.State },
	RunIn:       func(r *Run) *fetch.Run { return &r.Run },
}

// Change is a source change. A new source needs a provider.
type Change struct {
	Provider journal.Opt[string]
	// Credentials replace all stored ones.
	Credentials journal.Opt[map[string]string]
	Enabled     journal.Opt[bool]
	Symbols     journal.Opt[[]string]
	Since       journal.Opt[journal.Day]
}

// maxSymbols is how many symbols a source may list.
const maxSymbols = 500

// apply returns the source after a change, or the reason why it is invalid.
func (c *Change) apply(source Source, today journal.Day) (Source, error) {
	source.Enabled = c.Enabled.Or(source.Enabled)
	if c.Since.Set {
		if source.Since = c.Since.Value; source.Since > today {
			return source, journal.InvalidField("since", "since must not be in the future.")
		}
	}
	if !c.Symbols.Set {
		return source, nil
	}
	if len(c.Symbols.Value) > maxSymbols {
		return source, journal.InvalidField("symbols", "symbols must be at most %d.", maxSymbols)
	}
	source.Symbols = []string{}
	for _, symbol := range c.Symbols.Value {
		clean, err := journal.CleanSymbol("symbols", symbol)
		if err != nil {
			return source, err
		}
		if !slices.Contains(source.Symbols, clean) {
			source.Symbols = append(source.Symbols, clean)
		}
	}
	return source, nil
}

// List returns the owner's sources by provider.
func (s *Service) List(ctx context.Context, owner journal.UserID) ([]Source, error) {
	return s.ListShown(ctx, owner, "t.provider")
}

// ListSources returns the owner's sources as they are stored, by provider. It is a step.
func ListSources(ctx context.Context, tx *db.Tx, owner journal.UserID) ([]Source, error) {
	return kind.ListStored(ctx, tx, owner, `ORDER BY t.provider`)
}

// complete adds to a source what its job and its credentials say.
func (s *Service) complete(ctx context.Context, tx *db.Tx, owner journal.UserID, source *Source) error {
	if err := s.CompleteState(ctx, tx, owner, source.ID, &source.State); err != nil {
		return err
	}
	if !s.Enabled() && source.Status == StatusOK {
		source.Status = StatusWaiting
	}
	has, err := s.Credentials.Has(ctx, tx, owner, string(source.ID))
	source.HasCredentials = has || !s.needsCredentials(source.Provider)
	return err
}

// needsCredentials reports whether a provider answers only with a key.
func (s *Service) needsCredentials(name string) bool {
	provider, known := s.Find(name)
	return known && credentials.AreNeeded(provider.Describe().Fields)
}

// Create stores a source. It is enabled unless the change says otherwise, and then runs
// at once, except for a provider that charges for each query.
func (s *Service) Create(ctx context.Context, owner journal.UserID, change Change) (source Source, err error) {
	if !s.Enabled() {
		return Source{}, remote.Disabled()
	}
	provider, ok := s.Find(change.Provider.Value)
	if !ok {
		return Source{}, journal.InvalidField("provider", "provider must be one of GET /bars/providers.")
	}
	now := s.Clock()
	source = Source{
		ID: journal.NewID[journal.BarSourceID](), Provider: change.Provider.Value, Enabled: true, Symbols: []string{},
		State: fetch.State{Status: StatusWaiting}, CreatedAt: now, UpdatedAt: now,
	}
	if source, err = change.apply(source, journal.DayOf(now)); err != nil {
		return Source{}, err
	}
	about := provider.Describe()
	values, err := credentials.Parse(about.Title, about.Fields, change.Credentials.Value)
	if err != nil {
		return Source{}, err
	}
	err = s.DB.Update(ctx, func(tx *db.Tx) error {
		n, err := tx.Exec(ctx, sourceTable.Insert()+` ON CONFLICT (user_id, provider) DO NOTHING`, sourceTable.Values(owner, &source)...)
		if err == nil && n == 0 {
			return journal.Conflict("You already get prices from %s. Change that source instead.", provider.Describe().Title)
		}
		if err != nil {
			return err
		}
		if err := s.Credentials.Put(ctx, tx, s.Keys, owner, string(source.ID), values); err != nil {
			return err
		}
		if err := s.reschedule(ctx, tx, owner, source); err != nil {
			return err
		}
		sourceHistory.Created(tx, owner, &source)
		return s.complete(ctx, tx, owner, &source)
	})
	return source, err
}

// reschedule makes an enabled source due now, and suspends others.
func (s *Service) reschedule(ctx context.Context, tx *db.Tx, owner journal.UserID, source Source) error {
	provider, known := s.Find(source.Provider)
	return s.Schedule(ctx, tx, owner, source.ID, source.Enabled && known && !isPricer(provider))
}

func isPricer(provider barsource.Provider) bool {
	_, ok := provider.(barsource.Pricer)
	return ok
}

// Update changes a source and makes it due, because the change may concern what it
// fetches. check may refuse it; it may be nil.
func (s *Service) Update(ctx context.Context, owner journal.UserID, id journal.BarSourceID, change Change, check func(Source) error) (Source, error) {
	return s.Change(ctx, owner, id, check, func(tx *db.Tx, stored Source) (Source, error) {
		provider, known := s.Find(stored.Provider)
		switch {
		case !known:
			return stored, errUnknownProvider(stored)
		case change.Provider.Set && change.Provider.Value != stored.Provider:
			return stored, journal.InvalidField("provider", "The provider of a source can't be changed. Add another source.")
		}
		source, err := change.apply(stored, s.Clock.Today())
		if err != nil {
			return stored, err
		}
		if change.Credentials.Set {
			about := provider.Describe()
			values, err := credentials.Parse(about.Title, about.Fields, change.Credentials.Value)
			if err != nil {
				return stored, err
			}
			if err := s.Credentials.Put(ctx, tx, s.Keys, owner, string(id), values); err != nil {
				return stored, err
			}
		}
		if change.Credentials.Set || source.Enabled && !stored.Enabled {
			source.Status, source.Message = StatusWaiting, ""
		}
		source.UpdatedAt = s.Clock()
		sourceHistory.Updated(tx, owner, &stored, &source)
		if change.Credentials.Set {
			history.Describe(tx, owner, history.Description{Action: history.Security})
			history.Record(tx, owner, history.Object{
				Type: "price_source", ID: string(id), Label: source.Provider, Action: history.Updated, SeenIn: history.AllAccounts,
				Fields: []history.Field{history.NewField("credentials", nil, "replaced")},
			})
		}
		if source.Status != StatusAttention {
			err = s.reschedule(ctx, tx, owner, source)
		}
		return source, err
	})
}

// errUnknownProvider returns the refusal for a source of a provider this version does not
// have.
func errUnknownProvider(source Source) error {
	return journal.Conflict("This version has no provider %s. Delete the source.", source.Provider)
}

// Delete deletes a source with its key. Its bars stay.
func (s *Service) Delete(ctx context.Context, owner journal.UserID, id journal.BarSourceID, check func(Source) error) error {
	return s.Service.Delete(ctx, owner, id, check, func(tx *db.Tx) error {
		source, err := s.Read(ctx, tx, owner, id, "")
		if err != nil {
			return err
		}
		sourceHistory.Deleted(tx, owner, &source)
		for table, column := range map[string]string{sourceTable.Name: "id", "bar_source_sessions": "source_id"} {
			if err := history.Keep(ctx, tx, owner, table, column+` = $2`, id); err != nil {
				return err
			}
		}
		_, err = tx.Exec(ctx, `DELETE FROM bar_source_sessions WHERE user_id = $1 AND source_id = $2`, owner, id)
		return err
	})
}

// request is what a user asked for with a run.
type request struct {
	// MaxPrice is the most the queries may cost; empty for free providers.
	MaxPrice string `json:"max_price,omitempty"`
}

// Start makes a source due now. maxPrice is the most its queries may cost, as
// [Service.Price] said; it is required for a provider that charges, and empty otherwise.
// If the source runs already nothing changes.
func (s *Service) Start(ctx context.Context, owner journal.UserID, id journal.BarSourceID, maxPrice string) (source Source, err error) {
	if !s.Enabled() {
		return Source{}, remote.Disabled()
	}
	err = s.DB.Update(ctx, func(tx *db.Tx) error {
		if source, err = s.Read(ctx, tx, owner, id, tx.Lock()); err != nil {
			return err
		}
		provider, known := s.Find(source.Provider)
		switch {
		case !known:
			return errUnknownProvider(source)
		case isPricer(provider) && maxPrice == "":
			return journal.InvalidField("max_price", "%s charges for prices. Send max_price: the most that this run may cost.", provider.Describe().Title)
		case !isPricer(provider) && maxPrice != "":
			return journal.InvalidField("max_price", "%s doesn't charge for prices. Leave out max_price.", provider.Describe().Title)
		}
		now := s.Clock()
		state, err := jobs.Load(ctx, tx, s.JobKey(owner, id), now)
		if err != nil {
			return err
		}
		if state.Running {
			return s.complete(ctx, tx, owner, &source)
		}
		if state.StartedAt != nil && now.Sub(*state.StartedAt) < fetch.LeastPause {
			return journal.Limited(fetch.LeastPause - now.Sub(*state.StartedAt))
		}
		text, err := json.Marshal(request{MaxPrice: maxPrice})
		if err != nil {
			return err
		}
		if err := jobs.Schedule(ctx, tx, s.JobKey(owner, id), now, string(text)); err != nil {
			return err
		}
		tx.AfterCommit(s.Wake)
		return s.complete(ctx, tx, owner, &source)
	})
	return source, err
}

// Restore adds the sources in a backup without their keys, switched off, except those of
// providers the owner has. The refusals are those of single sources; the others are
// restored. There are fewer providers than the limit, which is for files that were not
// written by Fillbook. It is a step.
func Restore(ctx context.Context, tx *db.Tx, owner journal.UserID, list []Source) (added int, refusals []error, err error) {
	if len(list) == 0 {
		return 0, nil, nil
	}
	stored, err := ListSources(ctx, tx, owner)
	if err != nil {
		return 0, nil, err
	}
	return kind.Restore(ctx, tx, owner, list, fetch.Restoration[Source]{
		Check: newRestored, KeyOf: func(s *Source) string { return s.Provider }, Stored: stored,
		Room: limits.BarSources.Max - len(stored), Full: limits.BarSources.Reached,
		Added: func(s *Source) { sourceHistory.Brought(tx, owner, s) },
	})
}

// newRestored returns a source in a backup as it is stored.
func newRestored(source Source) (Source, error) {
	change := Change{Symbols: journal.Some(source.Symbols), Since: journal.Some(source.Since)}
	source, err := change.apply(source, cmp.Or(source.Since, journal.DayOf(source.CreatedAt)))
	if err != nil {
		return Source{}, err
	}
	if source.Provider, err = journal.CleanRequiredName("provider", source.Provider); err != nil {
		return Source{}, err
	}
	source.ID, source.Enabled, source.UpdatedAt = journal.NewID[journal.BarSourceID](), false, source.CreatedAt
	source.Status, source.Message = StatusAttention, "Restored from a backup, which has no keys. Enter your key if it needs one, and turn it on."
	return source, nil
}

var sourceHistory = history.NewType("price_source", fields.List[Source]{
	fields.NewText("provider", func(s *Source) *string { return &s.Provider }),
	fields.NewFlag("enabled", func(s *Source) *bool { return &s.Enabled }),
	fields.NewJSON("symbols", func(s *Source) *[]string { return &s.Symbols }),
	fields.NewText("since", func(s *Source) *journal.Day { return &s.Since }),
}, history.Of[Source]{
	ID: func(s *Source) string { return string(s.ID) }, Label: func(s *Source) string { return s.Provider },
	SeenIn: func(*Source) journal.AccountID { return history.AllAccounts },
})
