package rates

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/fields"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/limits"
)

// Stored is a typed rate as a record. A pair of currencies, in either direction, has at
// most one for a day.
type Stored struct {
	ID journal.RateID
	Typed
	CreatedAt time.Time
	UpdatedAt time.Time
}

// pairKey identifies the two currencies in either direction.
func (s *Stored) pairKey() string {
	key := newPair(s.Base, s.Quote)
	return key.first + "/" + key.second
}

// label names the rate in the history.
func (s *Stored) label() string { return s.Base + "/" + s.Quote + " " + string(s.On) }

// Change is a change to a typed rate. A new one needs all fields.
type Change struct {
	Base, Quote, On journal.Opt[string]
	Rate            journal.Opt[decimal.Decimal]
}

// apply returns the rate after a change, or the reason why it is invalid.
func (c *Change) apply(s Stored) (_ Stored, err error) {
	if s.Base, err = journal.CleanCurrency("base", c.Base.Or(s.Base)); err != nil {
		return Stored{}, err
	}
	if s.Quote, err = journal.CleanCurrency("quote", c.Quote.Or(s.Quote)); err != nil {
		return Stored{}, err
	}
	if s.Base == s.Quote {
		return Stored{}, journal.InvalidField("quote", "quote must be another currency than base.")
	}
	if s.On, err = journal.ParseDay("on", c.On.Or(string(s.On))); err != nil {
		return Stored{}, err
	}
	if s.Rate = c.Rate.Or(s.Rate); s.Rate.Sign() <= 0 {
		return Stored{}, journal.InvalidField("rate", "rate must be above 0: how many units of quote one unit of base is worth.")
	}
	return s, nil
}

var rateTable = fields.New("rates",
	fields.List[Stored]{fields.NewID("id", func(s *Stored) *journal.RateID { return &s.ID })},
	fields.List[Stored]{
		fields.NewText("base", func(s *Stored) *string { return &s.Base }),
		fields.NewText("quote", func(s *Stored) *string { return &s.Quote }),
		fields.NewDerived("pair_key", (*Stored).pairKey),
		fields.NewText("rate_day", func(s *Stored) *journal.Day { return &s.On }).Hide(),
		fields.NewAmount("rate", func(s *Stored) *decimal.Decimal { return &s.Rate }),
		fields.NewTime("created_at", func(s *Stored) *time.Time { return &s.CreatedAt }).Freeze(),
		fields.NewTime("updated_at", func(s *Stored) *time.Time { return &s.UpdatedAt }),
	},
)

var selectRates = rateTable.Select("r")

func scanRate(row db.Scanner) (s Stored, err error) {
	err = rateTable.Scan(row, &s)
	return s, err
}

// shownDay is the day under its name in the API.
var shownDay = fields.NewShown("on", func(s *Stored) any { return string(s.On) }).
	SetAs(func(s *Stored, value jsontext.Value) error { return json.Unmarshal(value, &s.On) })

var rateHistory = history.NewType("rate", append(slices.Clone(rateTable.Fields), shownDay), history.Of[Stored]{
	ID: func(s *Stored) string { return string(s.ID) }, Label: (*Stored).label,
})

// Undoers returns how changes to typed rates are undone.
func (s *Service) Undoers() []history.TypeUndoer {
	r := history.TableRecords(rateHistory, rateTable, s.clock)
	r.FindObstacle = func(ctx context.Context, u *history.Undoing, rate *Stored) (history.Key, error) {
		key := history.Key{Type: "rate"}
		err := u.Tx.QueryRow(ctx, `SELECT id FROM rates WHERE user_id = $1 AND pair_key = $2 AND rate_day = $3 AND id <> $4`,
			u.Owner, rate.pairKey(), rate.On, rate.ID).Scan(&key.ID)
		if errors.Is(err, db.ErrNoRows) {
			return history.Key{}, nil
		}
		return key, err
	}
	return []history.TypeUndoer{{Type: "rate", Undoer: r}}
}

// List returns the owner's typed rates, the newest day first.
func (s *Service) List(ctx context.Context, owner journal.UserID) ([]Stored, error) {
	return db.Get(ctx, s.db.Peek, func(tx *db.Tx) ([]Stored, error) { return List(ctx, tx, owner) })
}

// List is [Service.List] as a step.
func List(ctx context.Context, tx *db.Tx, owner journal.UserID) ([]Stored, error) {
	return db.List(ctx, tx, scanRate, selectRates+` WHERE r.user_id = $1 ORDER BY r.rate_day DESC, r.pair_key`, owner)
}

// Get returns one typed rate.
func (s *Service) Get(ctx context.Context, owner journal.UserID, id journal.RateID) (Stored, error) {
	return db.Get(ctx, s.db.Peek, func(tx *db.Tx) (Stored, error) { return read(ctx, tx, owner, id, "") })
}

func read(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.RateID, lock string) (Stored, error) {
	found, err := scanRate(tx.QueryRow(ctx, selectRates+` WHERE r.user_id = $1 AND r.id = $2`+lock, owner, id))
	return found, db.NotFound(err, "rate")
}

// Create stores a typed rate. A second one for the pair and day is a conflict.
func (s *Service) Create(ctx context.Context, owner journal.UserID, change Change) (rate Stored, err error) {
	err = s.db.Update(ctx, func(tx *db.Tx) error {
		if rate, err = change.apply(newRate(s.clock())); err != nil {
			return err
		}
		if err := limits.Rates.Check(ctx, tx, owner, `SELECT COUNT(*) FROM rates WHERE user_id = $1`); err != nil {
			return err
		}
		n, err := tx.Exec(ctx, rateTable.Insert()+` ON CONFLICT (user_id, pair_key, rate_day) DO NOTHING`, rateTable.Values(owner, &rate)...)
		if err == nil && n == 0 {
			err = rate.taken()
		}
		rateHistory.Created(tx, owner, &rate)
		return err
	})
	return rate, err
}

func newRate(now time.Time) Stored {
	return Stored{ID: journal.NewID[journal.RateID](), CreatedAt: now, UpdatedAt: now}
}

func (s *Stored) taken() error {
	return journal.Conflict("There is already a rate of %s and %s for %s. Change that one.", s.Base, s.Quote, s.On)
}

// Update changes what is sent. check, if not nil, is called with the stored rate first and
// may refuse.
func (s *Service) Update(
	ctx context.Context, owner journal.UserID, id journal.RateID, change Change, check func(Stored) error,
) (rate Stored, err error) {
	err = s.db.Update(ctx, func(tx *db.Tx) error {
		old, err := lock(ctx, tx, owner, id, check)
		if err != nil {
			return err
		}
		if rate, err = change.apply(old); err != nil {
			return err
		}
		rate.UpdatedAt = s.clock()
		rateHistory.Updated(tx, owner, &old, &rate)
		_, err = tx.Exec(ctx, rateTable.Update(), rateTable.UpdateValues(owner, &rate)...)
		if errors.Is(err, db.ErrConflict) {
			return rate.taken()
		}
		return err
	})
	return rate, err
}

// lock reads a rate that is about to change and calls check with it.
func lock(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.RateID, check func(Stored) error) (Stored, error) {
	found, err := read(ctx, tx, owner, id, tx.Lock())
	if err == nil && check != nil {
		err = check(found)
	}
	return found, err
}

// Delete deletes a typed rate.
func (s *Service) Delete(ctx context.Context, owner journal.UserID, id journal.RateID, check func(Stored) error) error {
	return s.db.Update(ctx, func(tx *db.Tx) error {
		found, err := lock(ctx, tx, owner, id, check)
		if err != nil {
			return err
		}
		rateHistory.Deleted(tx, owner, &found)
		if err := history.Keep(ctx, tx, owner, "rates", `id = $2`, id); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `DELETE FROM rates WHERE user_id = $1 AND id = $2`, owner, id)
		return err
	})
}

// NewRate is a rate to be restored, with the instant at which it was created.
type NewRate struct {
	Change
	CreatedAt time.Time
}

// Restore creates a backup's typed rates, except those whose pair has one for the day. A
// rate that cannot be restored has an error in refusals. It is a step.
func Restore(ctx context.Context, tx *db.Tx, owner journal.UserID, list []NewRate) (added int, refusals []error, err error) {
	if len(list) == 0 {
		return 0, nil, nil
	}
	stored, err := List(ctx, tx, owner)
	if err != nil {
		return 0, nil, err
	}
	taken := make(map[string]bool, len(stored))
	for i := range stored {
		taken[stored[i].restoreKey()] = true
	}
	refusals = make([]error, len(list))
	var fresh []Stored
	for i := range list {
		rate, err := list[i].apply(newRate(list[i].CreatedAt))
		switch {
		case err != nil:
			refusals[i] = err
		case taken[rate.restoreKey()]:
		case len(taken) >= limits.Rates.Max:
			refusals[i] = limits.Rates.Reached()
		default:
			taken[rate.restoreKey()] = true
			fresh = append(fresh, rate)
			rateHistory.Brought(tx, owner, &rate)
		}
	}
	return len(fresh), refusals, insertAll(ctx, tx, owner, fresh)
}

func (s *Stored) restoreKey() string { return s.pairKey() + " " + string(s.On) }

// insertAll inserts rates, many with one statement.
func insertAll(ctx context.Context, tx *db.Tx, owner journal.UserID, list []Stored) error {
	const atOnce = 1000
	for part := range slices.Chunk(list, atOnce) {
		rows := make([][]any, len(part))
		for i := range part {
			rows[i] = rateTable.Values(owner, &part[i])
		}
		if _, err := tx.InsertMany(ctx, rateTable.Name, rateTable.Columns(), "", rows); err != nil {
			return fmt.Errorf("storing typed rates: %w", err)
		}
	}
	return nil
}
