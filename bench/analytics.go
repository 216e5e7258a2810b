package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"fillbook/internal/db"
)

// figurePaths are the calls that are measured, of the large account.
var figurePaths = []string{"summary", "daily", "equity-curve", "behavior"}

// reportFigures measures the analytics of the large account: cold, warm, right
// after a write, and against one SQL aggregate over the same rows.
func (b *bench) reportFigures(ctx context.Context, samples int) error {
	cold, err := b.timeFigure(ctx, "summary")
	if err != nil {
		return err
	}
	bytes, trades := b.services.Figures.Bytes(), 0
	aggregate, err := b.aggregate(ctx, samples, &trades)
	if err != nil {
		return err
	}
	fmt.Printf("\nFigures of %d closed trades; %d bytes a trade are kept in memory\n\n| call | p50 | p95 | ratio |\n|---|---|---|---|\n",
		trades, bytes/max(trades, 1))
	fmt.Printf("| summary, the first ever: every trade is read | %s | | |\n", show(cold))
	fmt.Printf("| one SQL aggregate over the same rows | %s | %s | |\n", show(aggregate.quantile(.5)), show(aggregate.quantile(.95)))
	for _, path := range figurePaths {
		var warm times
		for range samples {
			taken, err := b.timeFigure(ctx, path)
			if err != nil {
				return err
			}
			warm = append(warm, taken)
		}
		fmt.Printf("| %s, warm | %s | %s | %.3f of the aggregate |\n", path, show(warm.quantile(.5)), show(warm.quantile(.95)),
			ratio(warm.quantile(.5), aggregate.quantile(.5)))
	}
	return b.afterWrites(ctx, samples, aggregate)
}

// afterWrites measures the first call behind a write of a fill.
func (b *bench) afterWrites(ctx context.Context, samples int, aggregate times) error {
	late := from.AddDate(20, 0, 0)
	n := 0
	for _, path := range figurePaths {
		var fresh times
		for range min(samples, 50) {
			if _, err := b.post(ctx, b.large, "LATE", n%2 == 0, late.Add(time.Duration(n)*time.Minute)); err != nil {
				return err
			}
			n++
			taken, err := b.timeFigure(ctx, path)
			if err != nil {
				return err
			}
			fresh = append(fresh, taken)
		}
		fmt.Printf("| %s, right after a write | %s | %s | %.3f of the aggregate |\n", path, show(fresh.quantile(.5)), show(fresh.quantile(.95)),
			ratio(fresh.quantile(.5), aggregate.quantile(.5)))
	}
	return nil
}

func (b *bench) timeFigure(ctx context.Context, path string) (time.Duration, error) {
	begin := time.Now()
	status, _, err := b.call(ctx, http.MethodGet, "/analytics/"+path+"?account_id="+string(b.large), nil)
	taken := time.Since(begin)
	if err != nil || status != http.StatusOK {
		return 0, fmt.Errorf("%s: status %d: %w", path, status, err)
	}
	return taken, nil
}

// aggregate asks the database itself for the sums of a summary.
func (b *bench) aggregate(ctx context.Context, samples int, trades *int) (taken times, err error) {
	query := `SELECT COUNT(*), SUM(CAST(net_pnl AS kind)), SUM(CAST(gross_pnl AS kind)), SUM(CAST(fees AS kind)), SUM(CAST(volume AS kind)),
		SUM(CASE WHEN CAST(net_pnl AS kind) > 0 THEN 1 ELSE 0 END), MAX(CAST(net_pnl AS kind)), MIN(CAST(net_pnl AS kind))
		FROM trades WHERE user_id = $1 AND account = (SELECT number FROM accounts WHERE user_id = $1 AND id = $2) AND net_pnl IS NOT NULL`
	kind := "NUMERIC"
	if b.services.DB.Engine() == db.SQLite {
		kind = "REAL"
	}
	query = strings.ReplaceAll(query, "kind", kind)
	for range max(3, samples/20) {
		begin := time.Now()
		err := b.services.DB.View(ctx, func(tx *db.Tx) error {
			var sums [7]float64
			return tx.QueryRow(ctx, query, b.owner, b.large).
				Scan(trades, &sums[0], &sums[1], &sums[2], &sums[3], &sums[4], &sums[5], &sums[6])
		})
		if err != nil {
			return nil, err
		}
		taken = append(taken, time.Since(begin))
	}
	return taken, nil
}
