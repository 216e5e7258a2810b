package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"fillbook/internal/db"
	"fillbook/internal/decimal"
	"fillbook/internal/journal"
	"fillbook/internal/ledger"
	"fillbook/internal/matching"
)

// from is the instant of the first seeded fill; fills follow a minute apart.
var from = time.Date(2020, 1, 6, 14, 30, 0, 0, time.UTC)

// streams is over how many symbols the large account's fills are spread, so
// that 300,000 of them are 3,000 in each.
const streams = 100

// seed fills the large account: in each stream every third fill ends flat, so
// that 300,000 fills are 100,000 trades.
func (b *bench) seed(ctx context.Context, fills int) error {
	started := time.Now()
	const part = 20_000
	for first := 0; first < fills; first += part {
		list := make([]ledger.NewFill, 0, part)
		for n := first; n < min(first+part, fills); n++ {
			list = append(list, seededFill(n))
		}
		err := b.services.DB.Update(ctx, func(tx *db.Tx) error {
			_, err := b.services.Ledger.InsertFills(ctx, tx, b.owner, b.large, journal.NewID[journal.BatchID](), list)
			return err
		})
		if err != nil {
			return err
		}
	}
	taken := time.Since(started)
	fmt.Printf("seeded %d fills in %s (%.1f µs a fill, grouped and stored)\n\n", fills, taken.Round(time.Millisecond), float64(taken.Microseconds())/float64(max(fills, 1)))
	return nil
}

func seededFill(n int) ledger.NewFill {
	side, quantity := matching.Buy, int64(100)
	if n/streams%3 == 2 { // where in the cycle of its stream
		side, quantity = matching.Sell, 200
	}
	return ledger.NewFill{
		Symbol: symbol(n % streams), Side: side, Quantity: decimal.New(quantity),
		Price: decimal.FromScaled(int64(10_000+n%977), 2), Commission: decimal.FromScaled(35, 2),
		ExecutedAt: from.Add(time.Duration(n) * time.Minute),
	}
}

func symbol(n int) string { return fmt.Sprintf("SYM%03d", n) }

// reportWrites measures single writes and prints one table.
func (b *bench) reportWrites(ctx context.Context, fills, samples int) error {
	commit, err := b.bareCommit(ctx, samples)
	if err != nil {
		return err
	}
	posts, err := b.interleaved(ctx, samples, fills)
	if err != nil {
		return err
	}
	fmt.Printf("| call | p50 | p95 | ratio to the same on an empty account |\n|---|---|---|---|\n")
	fmt.Printf("| one small row, stored durably | %s | %s | |\n", show(commit.quantile(.5)), show(commit.quantile(.95)))
	for _, row := range []struct {
		name  string
		taken times
	}{
		{"POST /executions, empty account", posts.empty},
		{fmt.Sprintf("POST /executions, account with %d fills", fills), posts.large},
		{fmt.Sprintf("back-dated POST, stream with %d fills in its past", fills/streams), posts.backdated},
		{fmt.Sprintf("POST that changes every later trade of a stream, %d fills behind it", fills/streams/2), posts.middle},
	} {
		ratio := float64(row.taken.quantile(.5)) / float64(posts.empty.quantile(.5))
		fmt.Printf("| %s | %s | %s | %.2f |\n", row.name, show(row.taken.quantile(.5)), show(row.taken.quantile(.95)), ratio)
	}
	return b.parallelWriters(ctx)
}

func show(d time.Duration) string { return d.Round(time.Microsecond).String() }

// bareCommit is the floor: one small row in one durable transaction.
func (b *bench) bareCommit(ctx context.Context, samples int) (times, error) {
	var taken times
	for n := range samples {
		started := time.Now()
		value := json.RawMessage(strconv.Itoa(n))
		if err := b.services.Identity.MergePreferences(ctx, b.owner, map[string]json.RawMessage{"bench": value}, nil); err != nil {
			return nil, err
		}
		taken = append(taken, time.Since(started))
	}
	return taken, nil
}

type postTimes struct{ empty, large, backdated, middle times }

// interleaved posts in turn to the empty account, to the end of the large one,
// into its recent past and into the middle of its history, so that whatever
// else the machine does meets all alike. Posts open and close positions turn
// about. A fill in the recent past lies before an open fill and behind the last
// flat point, so that the stream's long closed past must not matter. A fill in
// the middle leaves every later position of its stream other than it was, so
// that all later trades of that stream really change.
func (b *bench) interleaved(ctx context.Context, samples, fills int) (postTimes, error) {
	var out postTimes
	late := from.Add(time.Duration(fills+1000) * time.Minute)
	middle := from.Add(time.Duration(fills/2) * time.Minute)
	for n := range samples {
		second := time.Duration(n) * time.Second
		// The fill that the next one will lie before; it is not timed.
		if _, err := b.post(ctx, b.large, symbol(50+n%50), true, late.AddDate(0, 0, n)); err != nil {
			return out, err
		}
		for _, kind := range []struct {
			account journal.AccountID
			symbol  string
			buy     bool
			at      time.Time
			into    *times
		}{
			{b.empty, symbol(n / 2 % 40), n%2 == 0, late.Add(second), &out.empty},
			{b.large, symbol(n / 2 % 40), n%2 == 0, late.Add(second), &out.large},
			{b.large, symbol(50 + n%50), false, late.AddDate(0, 0, n).Add(-time.Hour), &out.backdated},
			{b.large, symbol(40 + n/2%10), n%2 == 0, middle.Add(second), &out.middle},
		} {
			taken, err := b.post(ctx, kind.account, kind.symbol, kind.buy, kind.at)
			if err != nil {
				return out, err
			}
			*kind.into = append(*kind.into, taken)
		}
	}
	return out, nil
}

func (b *bench) post(ctx context.Context, account journal.AccountID, symbol string, buy bool, at time.Time) (time.Duration, error) {
	side := map[bool]string{true: "buy", false: "sell"}[buy]
	started := time.Now()
	status, answer, err := b.call(ctx, http.MethodPost, "/executions", map[string]any{
		"account_id": account, "symbol": symbol, "side": side, "quantity": 7, "price": "101.25", "commission": "0.35",
		"executed_at": at.Format(time.RFC3339),
	})
	if err == nil && status != http.StatusCreated {
		err = fmt.Errorf("status %d: %v", status, answer)
	}
	return time.Since(started), err
}

// parallelWriters lets sixteen clients write to one account and counts.
func (b *bench) parallelWriters(ctx context.Context) error {
	const writers, each = 16, 50
	before, err := b.count(ctx)
	if err != nil {
		return err
	}
	var wait sync.WaitGroup
	var failed atomic.Int64
	started := time.Now()
	for w := range writers {
		wait.Go(func() {
			for n := range each {
				at := from.AddDate(10, 0, 0).Add(time.Duration(w*each+n) * time.Second)
				if _, err := b.post(ctx, b.large, symbol(w), n%2 == 0, at); err != nil {
					failed.Add(1)
				}
			}
		})
	}
	wait.Wait()
	taken := time.Since(started)
	after, err := b.count(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("\n%d writers on one account, %d fills each: %d errors, %d fills lost, %.0f writes a second\n",
		writers, each, failed.Load(), writers*each-(after-before), writers*each/taken.Seconds())
	return nil
}

func (b *bench) count(ctx context.Context) (int, error) {
	return b.services.Ledger.CountExecutions(ctx, b.owner, ledger.ExecutionQuery{Scope: journal.Scope{Accounts: []journal.AccountID{b.large}}})
}
