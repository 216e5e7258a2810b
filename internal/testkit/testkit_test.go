package testkit_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/testkit"
)

// Each test has its own database: no test sees another's rows.
func TestEachEngineGivesAFreshMigratedDatabase(t *testing.T) {
	for range 2 {
		testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
			version, err := d.Version(t.Context())
			if err != nil || version != db.Latest() {
				t.Errorf("Version = %d, %v, want %d", version, err, db.Latest())
			}
			err = d.Update(t.Context(), func(tx *db.Tx) error {
				_, err := tx.Exec(t.Context(), `INSERT INTO instance (id, set_up_at) VALUES ($1, $2)`, 1, 0)
				return err
			})
			if err != nil {
				t.Errorf("the database is not fresh: %v", err)
			}
		})
	}
}

func TestEmptyHasNoSchema(t *testing.T) {
	for _, engine := range []db.Engine{db.SQLite, db.PostgreSQL} {
		t.Run(string(engine), func(t *testing.T) {
			d, err := db.Open(t.Context(), testkit.Empty(t, engine))
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close() //nolint:errcheck // only read
			if version, err := d.Version(t.Context()); err != nil || version != 0 {
				t.Errorf("Version = %d, %v, want 0", version, err)
			}
		})
	}
}

// Options may be opened twice, as two programs would.
func TestOptionsOpenTwice(t *testing.T) {
	for _, engine := range []db.Engine{db.SQLite, db.PostgreSQL} {
		t.Run(string(engine), func(t *testing.T) {
			options := testkit.Options(t, engine)
			for range 2 {
				d, err := db.Open(t.Context(), options)
				if err != nil {
					t.Fatal(err)
				}
				defer d.Close() //nolint:errcheck // only read
				if err := d.Ping(context.WithoutCancel(t.Context())); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

func TestClockStandsUntilItIsMoved(t *testing.T) {
	t.Parallel()
	clock := testkit.NewClock()
	began := clock.Now()
	if !clock.Now().Equal(began) {
		t.Error("the clock moves by itself")
	}
	var group sync.WaitGroup
	for range 10 {
		group.Go(func() { clock.Advance(time.Minute) })
	}
	group.Wait()
	if moved := clock.Now().Sub(began); moved != 10*time.Minute {
		t.Errorf("moved by %v, want 10 minutes", moved)
	}
	if day := journal.Clock(clock.Now).Today(); day != journal.DayOf(began) {
		t.Errorf("Today = %s", day)
	}
}
