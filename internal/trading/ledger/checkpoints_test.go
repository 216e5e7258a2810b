package ledger

import (
	"context"
	"fmt"
	"testing"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/testkit"
	"fillbook/internal/trading/matching"
)

// Trade runs the step ReadTrade.
func (s *Service) Trade(ctx context.Context, owner journal.UserID, id journal.TradeID) (TradeDetail, error) {
	return db.Get(ctx, s.db.View, func(tx *db.Tx) (TradeDetail, error) { return ReadTrade(ctx, tx, owner, id) })
}

// CountTrades runs the step CountTradesIn.
func (s *Service) CountTrades(ctx context.Context, owner journal.UserID, q TradeQuery) (int, error) {
	return db.Get(ctx, s.db.View, func(tx *db.Tx) (int, error) { return s.CountTradesIn(ctx, tx, owner, q) })
}

// CountExecutions runs the step CountExecutionsIn.
func (s *Service) CountExecutions(ctx context.Context, owner journal.UserID, q ExecutionQuery) (int, error) {
	return db.Get(ctx, s.db.View, func(tx *db.Tx) (int, error) { return s.CountExecutionsIn(ctx, tx, owner, q) })
}

// SetCheckpointInterval makes short trades have checkpoints.
func (s *Service) SetCheckpointInterval(fills int) { s.interval = fills }

// longTrade returns fills for one position that is never flat: mostly entries, and every
// tenth fill closes a part.
func longTrade(fills int) []NewFill {
	list := make([]NewFill, fills)
	for i := range list {
		list[i] = NewFill{
			Symbol: "AAPL", Side: matching.Buy, Quantity: decimal.New(3), Price: decimal.New(int64(100 + i%7)),
			Fees: decimal.FromScaled(int64(i%11), 2), ExecutedAt: hour(i),
		}
		if i%10 == 9 {
			list[i].Side, list[i].Quantity = matching.Sell, decimal.New(7)
		}
	}
	return list
}

func newLongTrade(t testing.TB, database *db.DB, fills int) *trial {
	t.Helper()
	s := &trial{Service: New(database, testkit.NewClock().Now, nil), middle: fills / 2}
	s.owner, s.account = personWithAccount(t, s.Service)
	err := database.Update(context.Background(), func(tx *db.Tx) error {
		_, err := s.InsertFills(context.Background(), tx, s.owner, s.account, "", longTrade(fills))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestWorkDoesNotGrowWithTheTrade writes at a short and a long trade's end: the rows read
// are the same.
func TestWorkDoesNotGrowWithTheTrade(t *testing.T) {
	t.Parallel()
	const shortTrade, longer = 2 * checkpointInterval, 30 * checkpointInterval
	writes := map[string]func(ctx context.Context, b *book, last int) error{
		"a fill at the end": func(ctx context.Context, b *book, _ int) error {
			return insertOne(ctx, b, NewFill{Side: matching.Buy, Quantity: decimal.New(1), ExecutedAt: hour(1 << 20)})
		},
		"a fill near the end": func(ctx context.Context, b *book, last int) error {
			return insertOne(ctx, b, NewFill{Side: matching.Sell, Quantity: decimal.New(1), ExecutedAt: hour(last).Add(-time.Minute)})
		},
		"an edit of the last fill": func(ctx context.Context, b *book, last int) error {
			return editOne(ctx, b, hour(last), func(f *fill) { f.fees = decimal.New(3) })
		},
		"a deletion of the last fill": func(ctx context.Context, b *book, last int) error {
			f, err := fillAt(ctx, b, hour(last))
			if err != nil {
				return err
			}
			if err := b.deleteFills(ctx, f); err != nil {
				return err
			}
			return b.regroupWithout(ctx, []*fill{f})
		},
	}
	testkit.EachEngine(t, func(t *testing.T, database *db.DB) {
		few, many := newLongTrade(t, database, shortTrade), newLongTrade(t, database, longer)
		few.middle, many.middle = shortTrade-1, longer-1
		for name, write := range writes {
			here, there := few.try(t, write), many.try(t, write)
			if here != there || there.read > checkpointInterval+2 || there.trades != 1 {
				t.Errorf("%s: %+v in a short trade, %+v in a long one", name, here, there)
			}
		}
	})
}

// TestPreviewContinuesFromCheckpoint: previewing one more fill does not read the whole
// trade.
func TestPreviewContinuesFromCheckpoint(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, database *db.DB) {
		s := newLongTrade(t, database, 10*checkpointInterval)
		checked, err := checkFills([]NewFill{{Symbol: "AAPL", Side: matching.Buy, Quantity: decimal.New(5), ExecutedAt: hour(1 << 20)}})
		if err != nil {
			t.Fatal(err)
		}
		err = database.View(t.Context(), func(tx *db.Tx) error {
			o, err := previewInsert(t.Context(), tx, s.owner, s.account, checked, InsertOptions{}, 2*checkpointInterval)
			if o.Incomplete || o.Changed != 1 || o.Open != 1 || o.Created != 0 {
				t.Errorf("%+v", o)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// TestCheckFindsDamagedCheckpoints damages checkpoints. A full regrouping
// repairs them.
func TestCheckFindsDamagedCheckpoints(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, database *db.DB) {
		s := newLongTrade(t, database, 3*checkpointInterval)
		problems := func() (list []string) {
			err := s.Check(t.Context(), func(p Problem) { list = append(list, p.What) })
			if err != nil {
				t.Fatal(err)
			}
			return list
		}
		for _, spoil := range []string{
			`UPDATE trade_checkpoints SET state = 'long 0' WHERE seq = 128`,
			`UPDATE trade_checkpoints SET seq = 1000 WHERE seq = 256`,
		} {
			if found := problems(); len(found) != 0 {
				t.Fatalf("before %s: %q", spoil, found)
			}
			err := database.Update(t.Context(), func(tx *db.Tx) error {
				n, err := tx.Exec(t.Context(), spoil)
				if n != 1 {
					err = fmt.Errorf("%s changed %d rows", spoil, n)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			if found := problems(); len(found) != 1 {
				t.Errorf("after %s: %q", spoil, found)
			}
			if _, err := s.RegroupAll(t.Context(), s.owner, s.account); err != nil {
				t.Fatal(err)
			}
		}
		if found := problems(); len(found) != 0 {
			t.Errorf("after the repair: %q", found)
		}
	})
}

// BenchmarkAddToLongTrade stores fills after a trade that is never flat.
func BenchmarkAddToLongTrade(b *testing.B) {
	for _, engine := range []db.Engine{db.SQLite, db.PostgreSQL} {
		for _, fills := range []int{1_000, 10_000, 100_000} {
			b.Run(fmt.Sprintf("%s/%d", engine, fills), func(b *testing.B) {
				s := newLongTrade(b, testkit.Open(b, engine), fills)
				for i := 0; b.Loop(); i++ {
					_, err := s.AddExecution(context.Background(), s.owner, s.account, NewFill{
						Symbol: "AAPL", Side: matching.Buy, Quantity: decimal.New(1), Price: decimal.New(100),
						ExecutedAt: hour(fills).Add(time.Duration(i) * time.Second),
					})
					if err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
