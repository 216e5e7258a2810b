package ledger

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/testkit"
	"fillbook/internal/trading/matching"
)

// crowdedFills returns fills in a few instruments in a few seconds, in no order, some
// with fractional seconds and some with a broker's id.
func crowdedFills(dice *rand.Rand, count int, ids string) []NewFill {
	fractions := []time.Duration{0, 0, time.Microsecond, 250 * time.Millisecond, 999 * time.Millisecond}
	list := make([]NewFill, count)
	for i := range list {
		list[i] = NewFill{
			Symbol: fmt.Sprint("S", dice.IntN(4)), Side: []matching.Side{matching.Buy, matching.Sell}[dice.IntN(2)],
			Quantity: decimal.New(1 + dice.Int64N(3)), Price: decimal.New(10 + dice.Int64N(2)),
			ExecutedAt: hour(0).Add(time.Duration(dice.IntN(count/8))*time.Second + fractions[dice.IntN(len(fractions))]),
		}
		if dice.IntN(3) == 0 {
			list[i].ExternalID = fmt.Sprint(ids, i)
		}
	}
	return list
}

// TestRangeAndStreamsMatchTheSame matches the same arrivals by reading their whole
// period and by reading their streams: each repeats the same stored fill.
func TestRangeAndStreamsMatchTheSame(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, database *db.DB) {
		s := New(database, testkit.NewClock().Now, nil)
		for seed := range uint64(3) {
			owner, account := personWithAccount(t, s)
			dice := rand.New(rand.NewPCG(seed, 5))
			stored, file := crowdedFills(dice, 900, "a"), crowdedFills(dice, 700, "b")
			copy(file[:350], stored) // with their ids
			dice.Shuffle(len(file), func(i, k int) { file[i], file[k] = file[k], file[i] })
			err := database.Update(t.Context(), func(tx *db.Tx) error {
				if _, err := s.InsertFills(t.Context(), tx, owner, account, "", stored); err != nil {
					return err
				}
				b, err := s.openBook(t.Context(), tx, owner, account)
				if err != nil {
					return err
				}
				byRange := matchAll(t, b, file, func(ctx context.Context, d *deduper, arrivals []*arrival) error {
					matched, err := d.matchRange(ctx, arrivals)
					if !matched {
						t.Error("the period was not read at once")
					}
					return err
				})
				byStream := matchAll(t, b, file, func(ctx context.Context, d *deduper, arrivals []*arrival) error {
					for key, list := range groupUnknown(arrivals, func(*arrival) bool { return true }) {
						if err := d.matchStream(ctx, *key, list); err != nil {
							return err
						}
					}
					return nil
				})
				if !slices.Equal(byRange, byStream) {
					t.Errorf("seed %d: by range %v, by stream %v", seed, byRange, byStream)
				}
				if known := len(file) - len(slices.DeleteFunc(byRange, func(seq int64) bool { return seq > 0 })); known < 350 || known == len(file) {
					t.Errorf("seed %d: %d of %d arrivals are known", seed, known, len(file))
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	})
}

// matchAll returns the stored fills' numbers that new ones repeat, 0 for none.
func matchAll(t *testing.T, b *book, file []NewFill, match func(context.Context, *deduper, []*arrival) error) []int64 {
	t.Helper()
	checked, err := checkFills(file)
	if err != nil {
		t.Fatal(err)
	}
	arrivals, _, err := b.newArrivals(t.Context(), checked)
	if err != nil {
		t.Fatal(err)
	}
	d := &deduper{b: b, claimed: fillSet{}}
	if err := d.matchExternalIDs(t.Context(), arrivals); err != nil {
		t.Fatal(err)
	}
	if err := match(t.Context(), d, arrivals); err != nil {
		t.Fatal(err)
	}
	numbers := make([]int64, len(arrivals))
	for i, a := range arrivals {
		if a.known != nil {
			numbers[i] = a.known.seq
		}
	}
	return numbers
}
