package ledger

import (
	"context"
	"strings"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
)

// SortKey is a sort key for trade lists, as in the API.
type SortKey string

// The keys. Most have a value in the ledger.
const (
	// SortListedAt is a list's key without one: when a closed trade closed, and an open
	// one opened. Queries cannot name it.
	SortListedAt   SortKey = "listed_at"
	SortOpenedAt   SortKey = "opened_at"
	SortClosedAt   SortKey = "closed_at"
	SortSymbol     SortKey = "symbol"
	SortNetPnL     SortKey = "net_pnl"
	SortReturnPct  SortKey = "return_pct"
	SortTimeHeld   SortKey = "time_in_trade_secs"
	SortQtyOpened  SortKey = "qty_opened"
	SortEntryPrice SortKey = "avg_entry_price"
	SortExitPrice  SortKey = "avg_exit_price"

	// These need annotations, or more than one trade column.
	SortR       SortKey = "r_multiple"
	SortRisk    SortKey = "initial_risk"
	SortQuality SortKey = "trade_quality"
	SortCosts   SortKey = "fees_total"
)

// SortKeys returns the keys that queries can name.
func SortKeys() []SortKey {
	return []SortKey{
		SortOpenedAt, SortClosedAt, SortSymbol, SortNetPnL, SortReturnPct, SortR, SortTimeHeld,
		SortQtyOpened, SortEntryPrice, SortExitPrice, SortCosts, SortRisk, SortQuality,
	}
}

// Sort is a trade order other than newest first. Trades without a value come last in
// either direction. Equal ones are ordered by closing, or by opening if that is the sort
// key, and reversed with Down.
type Sort struct {
	By   SortKey
	Down bool
	// After excludes everything up to and including that position.
	After *RankedTrade
}

// RankedTrade is a trade with the value it was sorted by, a number or the symbol, and its
// position among equal ones.
type RankedTrade struct {
	ID     journal.TradeID
	Number decimal.Null
	Text   string
	Place  TradeCursor
}

// Basis returns the order for trades with equal values.
func (s Sort) Basis() DateBasis {
	if s.By == SortOpenedAt {
		return ByOpening
	}
	return ByClosing
}

// BatchCondition returns the condition that an import contains one of the trade's fills.
func BatchCondition(owner journal.UserID, batch journal.BatchID) Condition {
	return func(args *[]any) string { return `trades.id IN (` + selectBatchTrades(args, owner, batch) + `)` }
}

// ClosedSince returns the condition that a trade was closed by an import's fill stored
// after an instant.
func ClosedSince(owner journal.UserID, batch journal.BatchID, since time.Time) Condition {
	return func(args *[]any) string {
		f := filter{args: *args}
		user, id, after := f.arg(owner), f.arg(batch), f.arg(db.Micros(since))
		*args = f.args
		return `trades.id IN (SELECT closed.id FROM import_spans JOIN executions ON executions.user_id = import_spans.user_id
			AND executions.account = import_spans.account
			AND executions.executed_at >= import_spans.first_at AND executions.executed_at <= import_spans.last_at
			AND executions.seq >= import_spans.first_seq AND executions.seq <= import_spans.last_seq
			JOIN trades AS closed ON closed.user_id = executions.user_id AND closed.account = executions.account
			AND closed.list_at = executions.executed_at AND closed.last_seq = executions.seq AND closed.is_open = FALSE
			WHERE import_spans.user_id = ` + user + ` AND import_spans.batch_id = ` + id + ` AND executions.created_at > ` + after + `)`
	}
}

// BatchTrades returns the trades with an import's fills, in no order. It is a step.
func BatchTrades(ctx context.Context, tx *db.Tx, owner journal.UserID, batch journal.BatchID) ([]journal.TradeID, error) {
	var args []any
	text := selectBatchTrades(&args, owner, batch)
	return db.List(ctx, tx, db.Single[journal.TradeID], text, args...)
}

// selectBatchTrades returns the query for the trades with an import's fills, and adds its
// arguments.
func selectBatchTrades(args *[]any, owner journal.UserID, batch journal.BatchID) string {
	f := filter{args: *args}
	user, id := f.arg(owner), f.arg(batch)
	*args = f.args
	brought := ` FROM import_spans JOIN executions ON executions.user_id = import_spans.user_id
		AND executions.account = import_spans.account
		AND executions.executed_at >= import_spans.first_at AND executions.executed_at <= import_spans.last_at
		AND executions.seq >= import_spans.first_seq AND executions.seq <= import_spans.last_seq`
	where := ` WHERE import_spans.user_id = ` + user + ` AND import_spans.batch_id = ` + id
	return `SELECT ` + strings.ReplaceAll(tradeOfFill, "$1", user) + brought + where + ` AND ` + inTrades + `
		UNION SELECT flipped.id` + brought + ` JOIN trades AS flipped ON flipped.user_id = executions.user_id
		AND flipped.stream = executions.stream AND flipped.opened_at = executions.executed_at
		AND flipped.first_seq = executions.seq AND flipped.head IS NOT NULL` + where
}
