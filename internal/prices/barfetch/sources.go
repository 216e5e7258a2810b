package barfetch

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"fillbook/internal/base/db"
	"fillbook/internal/base/fields"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/limits"
	"fillbook/internal/base/remote"
	"fillbook/internal/intake/credentials"
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

var selectSources = sourceTable.Select("s")

func scanSource(row db.Scanner) (s Source, err error) {
	err = sourceTable.Scan(row, &s)
	return s, err
}

// Change is a change of a source. A new source needs a provider.
type Change struct {
	Provider journal.Opt[string]
	// Credentials replace all that are stored.
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
func (s *Service) List(ctx context.Context, owner journal.UserID) (list []Source, err error) {
	err = s.DB.View(ctx, func(tx *db.Tx) error {
		if list, err = ListSources(ctx, tx, owner); err != nil {
			return err
		}
		for i := range list {
			if err := s.complete(ctx, tx, owner, &list[i]); err != nil {
				return err
			}
		}
		return nil
	})
	return list, err
}

// ListSources returns the owner's sources as they are stored, by provider. It is a step.
func ListSources(ctx context.Context, tx *db.Tx, owner journal.UserID) ([]Source, error) {
	return db.List(ctx, tx, scanSource, selectSources+` WHERE s.user_id = $1 ORDER BY s.provider`, owner)
}

// complete adds to a source what its job and its credentials say.
func (s *Service) complete(ctx context.Context, tx *db.Tx, owner journal.UserID, source *Source) error {
	state, err := jobs.Load(ctx, tx, jobKey(owner, source.ID), s.Clock())
	if err != nil {
		return err
	}
	source.NextRunAt = state.DueAt
	switch {
	case !s.Enabled():
		source.NextRunAt = nil
		if source.Status == StatusOK {
			source.Status = StatusWaiting
		}
	case state.Running:
		source.Status, source.Message = StatusRunning, ""
	}
	has, err := keys.Has(ctx, tx, owner, string(source.ID))
	source.HasCredentials = has || !s.needsCredentials(source.Provider)
	return err
}

// needsCredentials reports whether a provider answers only with a key.
func (s *Service) needsCredentials(name string) bool {
	provider, known := s.findProvider(name)
	return known && credentials.AreNeeded(provider.Describe().Fields)
}

func readSource(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.BarSourceID, lock string) (Source, error) {
	source, err := scanSource(tx.QueryRow(ctx, selectSources+` WHERE s.user_id = $1 AND s.id = $2`+lock, owner, id))
	if errors.Is(err, db.ErrNoRows) {
		return Source{}, journal.NotFound("price source")
	}
	return source, err
}

// Source returns one source.
func (s *Service) Source(ctx context.Context, owner journal.UserID, id journal.BarSourceID) (source Source, err error) {
	err = s.DB.View(ctx, func(tx *db.Tx) error {
		if source, err = readSource(ctx, tx, owner, id, ""); err != nil {
			return err
		}
		return s.complete(ctx, tx, owner, &source)
	})
	return source, err
}

// Create stores a source. It is enabled unless the change says otherwise, and then runs
// at once, except for a provider that charges for each query.
func (s *Service) Create(ctx context.Context, owner journal.UserID, change Change) (source Source, err error) {
	if !s.Enabled() {
		return Source{}, remote.Disabled()
	}
	provider, ok := s.findProvider(change.Provider.Value)
	if !ok {
		return Source{}, journal.InvalidField("provider", "provider must be one of GET /bars/providers.")
	}
	now := s.Clock()
	source = Source{
		ID: journal.NewID[journal.BarSourceID](), Provider: change.Provider.Value, Enabled: true, Symbols: []string{},
		Status: StatusWaiting, CreatedAt: now, UpdatedAt: now,
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
		if err := keys.Put(ctx, tx, s.Keys, owner, string(source.ID), values); err != nil {
			return err
		}
		if err := s.reschedule(ctx, tx, owner, source); err != nil {
			return err
		}
		return s.complete(ctx, tx, owner, &source)
	})
	return source, err
}

// reschedule makes an enabled source due now, and suspends others.
func (s *Service) reschedule(ctx context.Context, tx *db.Tx, owner journal.UserID, source Source) error {
	provider, known := s.findProvider(source.Provider)
	if !source.Enabled || !known || isPricer(provider) {
		return jobs.Suspend(ctx, tx, jobKey(owner, source.ID))
	}
	tx.AfterCommit(s.Wake)
	return jobs.Schedule(ctx, tx, jobKey(owner, source.ID), s.Clock(), "")
}

func isPricer(provider barsource.Provider) bool {
	_, ok := provider.(barsource.Pricer)
	return ok
}

// Update changes a source and makes it due, because the change may concern what it
// fetches. check may refuse it; it may be nil.
func (s *Service) Update(
	ctx context.Context, owner journal.UserID, id journal.BarSourceID, change Change, check func(Source) error,
) (source Source, err error) {
	err = s.DB.Update(ctx, func(tx *db.Tx) error {
		stored, err := readSource(ctx, tx, owner, id, tx.Lock())
		if err != nil {
			return err
		}
		if err := s.checkShown(ctx, tx, owner, stored, check); err != nil {
			return err
		}
		provider, known := s.findProvider(stored.Provider)
		switch {
		case !known:
			return journal.Conflict("This version has no provider %s. Delete the source.", stored.Provider)
		case change.Provider.Set && change.Provider.Value != stored.Provider:
			return journal.InvalidField("provider", "The provider of a source can't be changed. Add another source.")
		}
		if source, err = change.apply(stored, s.Clock.Today()); err != nil {
			return err
		}
		if change.Credentials.Set {
			about := provider.Describe()
			values, err := credentials.Parse(about.Title, about.Fields, change.Credentials.Value)
			if err != nil {
				return err
			}
			if err := keys.Put(ctx, tx, s.Keys, owner, string(id), values); err != nil {
				return err
			}
		}
		if change.Credentials.Set || source.Enabled && !stored.Enabled {
			source.Status, source.Message = StatusWaiting, ""
		}
		source.UpdatedAt = s.Clock()
		if _, err := tx.Exec(ctx, sourceTable.Update(), sourceTable.UpdateValues(owner, &source)...); err != nil {
			return err
		}
		if source.Status != StatusAttention {
			err = s.reschedule(ctx, tx, owner, source)
		}
		if err != nil {
			return err
		}
		return s.complete(ctx, tx, owner, &source)
	})
	return source, err
}

// checkShown calls check with a source as clients see it, unless check is nil.
func (s *Service) checkShown(ctx context.Context, tx *db.Tx, owner journal.UserID, stored Source, check func(Source) error) error {
	if check == nil {
		return nil
	}
	if err := s.complete(ctx, tx, owner, &stored); err != nil {
		return err
	}
	return check(stored)
}

// Delete deletes a source with its key. Its bars stay.
func (s *Service) Delete(ctx context.Context, owner journal.UserID, id journal.BarSourceID, check func(Source) error) error {
	return s.DB.Update(ctx, func(tx *db.Tx) error {
		stored, err := readSource(ctx, tx, owner, id, tx.Lock())
		if err != nil {
			return err
		}
		if err := s.checkShown(ctx, tx, owner, stored, check); err != nil {
			return err
		}
		for _, statement := range []string{
			`DELETE FROM bar_source_sessions WHERE user_id = $1 AND source_id = $2`,
			`DELETE FROM bar_source_runs WHERE user_id = $1 AND source_id = $2`,
			`DELETE FROM bar_sources WHERE user_id = $1 AND id = $2`,
		} {
			if _, err := tx.Exec(ctx, statement, owner, id); err != nil {
				return err
			}
		}
		return jobs.Delete(ctx, tx, jobKey(owner, id))
	})
}

// request is what a user asked for with a run.
type request struct {
	// MaxPrice is the most that queries may cost; empty for providers that are free.
	MaxPrice string `json:"max_price,omitempty"`
}

// leastPause is the time between two runs that a user starts.
const leastPause = time.Minute

// Start makes a source due now. maxPrice is the most that its queries may cost, as
// [Service.Price] said; it is required for a provider that charges, and empty otherwise.
// If the source runs already nothing changes.
func (s *Service) Start(ctx context.Context, owner journal.UserID, id journal.BarSourceID, maxPrice string) (source Source, err error) {
	if !s.Enabled() {
		return Source{}, remote.Disabled()
	}
	err = s.DB.Update(ctx, func(tx *db.Tx) error {
		if source, err = readSource(ctx, tx, owner, id, tx.Lock()); err != nil {
			return err
		}
		provider, known := s.findProvider(source.Provider)
		switch {
		case !known:
			return journal.Conflict("This version has no provider %s. Delete the source.", source.Provider)
		case isPricer(provider) && maxPrice == "":
			return journal.InvalidField("max_price", "%s charges for prices. Send max_price: the most that this run may cost.", provider.Describe().Title)
		case !isPricer(provider) && maxPrice != "":
			return journal.InvalidField("max_price", "%s doesn't charge for prices. Leave out max_price.", provider.Describe().Title)
		}
		now := s.Clock()
		state, err := jobs.Load(ctx, tx, jobKey(owner, id), now)
		if err != nil {
			return err
		}
		if state.Running {
			return s.complete(ctx, tx, owner, &source)
		}
		if state.StartedAt != nil && now.Sub(*state.StartedAt) < leastPause {
			return journal.Limited(leastPause - now.Sub(*state.StartedAt))
		}
		text, err := json.Marshal(request{MaxPrice: maxPrice})
		if err != nil {
			return err
		}
		if err := jobs.Schedule(ctx, tx, jobKey(owner, id), now, string(text)); err != nil {
			return err
		}
		tx.AfterCommit(s.Wake)
		return s.complete(ctx, tx, owner, &source)
	})
	return source, err
}

// Restore adds the sources of a backup without their keys, switched off, except those of
// providers that the owner has. The refusals are those of single sources; the others are
// restored. There are fewer providers than the limit, which is for files that were not
// written by Fillbook. It is a step.
func Restore(ctx context.Context, tx *db.Tx, owner journal.UserID, list []Source) (added int, refusals []error, err error) {
	if len(list) == 0 {
		return 0, nil, nil
	}
	stored, err := db.List(ctx, tx, db.Single[string], `SELECT provider FROM bar_sources WHERE user_id = $1 ORDER BY provider`, owner)
	if err != nil {
		return 0, nil, err
	}
	taken := map[string]bool{}
	for _, provider := range stored {
		taken[provider] = true
	}
	refusals = make([]error, len(list))
	for i, source := range list {
		source, err := newRestored(source)
		switch {
		case err != nil:
			refusals[i] = err
		case taken[source.Provider]:
		case len(taken) >= limits.BarSources.Max:
			refusals[i] = limits.BarSources.Reached()
		default:
			taken[source.Provider] = true
			added++
			if _, err := tx.Exec(ctx, sourceTable.Insert(), sourceTable.Values(owner, &source)...); err != nil {
				return added, nil, err
			}
		}
	}
	return added, refusals, nil
}

// newRestored returns a source of a backup as it is stored.
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
