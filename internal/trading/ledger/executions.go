package ledger

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/matching"
)

// Execution is a stored fill.
type Execution struct {
	ID         journal.ExecutionID
	Account    journal.AccountID
	Instrument Instrument
	Side       matching.Side
	Quantity   decimal.Decimal
	Price      decimal.Decimal
	Fees       decimal.Decimal
	Commission decimal.Decimal
	Multiplier decimal.Decimal
	StatedPnL  decimal.Null
	ExecutedAt time.Time
	// Kind is how the fill came about, EventID what it happened with, or empty, and
	// BasisEstimated reports that an opening's price is not the real cost.
	Kind           matching.Kind
	EventID        string
	BasisEstimated bool
	// Closes reports that the source says that the fill closes a position.
	Closes bool
	// Unmatched is the quantity that belongs to no trade.
	Unmatched  decimal.Decimal
	ExternalID *string
	// Details are further source values and the contract; nil if there are none.
	Details map[string]string
	// Facts states how reliable the values are.
	Facts Facts
	// Origin is the content key with which an edited fill arrived.
	Origin string
	// Batch is the fill's import, nil for one entered by hand.
	Batch     *journal.BatchID
	CreatedAt time.Time
	// TradeIDs are the trades it belongs to: one, or two in time order for a fill
	// crossing zero. A fill that only closes, and had nothing to close, has none.
	TradeIDs []journal.TradeID
	// Cursor is the fill's position in lists.
	Cursor ExecutionCursor
	// Adjusted has quantity and price after later splits of its trade.
	Adjusted AdjustedFill
}

// ExecutionCursor is a position in execution lists, which are ordered by instant, arrival
// number and account.
type ExecutionCursor struct {
	At      int64 // microseconds since 1970
	Arrival int64
	Account int64 // the account's number
}

// ExecutionQuery selects executions.
type ExecutionQuery struct {
	Scope journal.Scope
	// After excludes everything up to and including that position.
	After *ExecutionCursor
	// Limit bounds the list; 0 means all.
	Limit int
	// unmatchedOnly selects fills with a part that belongs to no trade. It needs a limit.
	unmatchedOnly bool
}

// Execution returns an execution of the owner.
func (s *Service) Execution(ctx context.Context, owner journal.UserID, id journal.ExecutionID) (e Execution, err error) {
	err = s.db.View(ctx, func(tx *db.Tx) error {
		e, err = readExecution(ctx, tx, owner, id)
		return err
	})
	return e, err
}

func readExecution(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.ExecutionID) (Execution, error) {
	at, err := findFill(ctx, tx, owner, id)
	if err != nil {
		return Execution{}, err
	}
	b, err := readBook(ctx, tx, owner, at.account.ID)
	if err != nil {
		return Execution{}, err
	}
	return b.execution(ctx, id)
}

// EachExecution calls fn for a query's executions, oldest first, as they are read, so
// memory does not grow with their number.
func (s *Service) EachExecution(ctx context.Context, owner journal.UserID, q ExecutionQuery, fn func(Execution) error) error {
	return s.db.View(ctx, func(tx *db.Tx) error { return EachExecution(ctx, tx, owner, q, fn) })
}

// CountExecutionsIn counts what EachExecution would list without its limit and cursor.
// It is a step, for a count in the same snapshot as a list.
func (s *Service) CountExecutionsIn(ctx context.Context, tx *db.Tx, owner journal.UserID, q ExecutionQuery) (int, error) {
	accounts, err := resolveList(ctx, tx, owner, q.Scope)
	if err != nil || len(accounts) == 0 {
		return 0, err
	}
	q.After = nil
	var f filter
	text := selection{table: "executions", owner: owner, accounts: accounts, head: "SELECT 1 FROM executions", where: q.addConditions}.unionQuery(&f)
	return s.counts.count(ctx, tx, accounts, text, f.args)
}

// EachExecution is [Service.EachExecution] as a step. fn must not run statements.
func EachExecution(ctx context.Context, tx *db.Tx, owner journal.UserID, q ExecutionQuery, fn func(Execution) error) error {
	accounts, err := resolveList(ctx, tx, owner, q.Scope)
	if err != nil || len(accounts) == 0 {
		return err
	}
	imports, err := loadSpans(ctx, tx, owner, accounts...)
	if err != nil {
		return err
	}
	if q.Limit == 0 {
		return eachOfAll(ctx, tx, owner, q, accounts, imports, fn)
	}
	var f filter
	var number int64 // these are for all rows: toExecution copies them
	var key streamKey
	var events []matching.Event
	var page []Execution
	adjuster := splitAdjuster{tx: tx, owner: owner}
	fill := &fill{}
	rows := selection{table: "executions", owner: owner, accounts: accounts, head: executionSelect, where: q.addConditions}
	if q.unmatchedOnly {
		rows.head = strings.Replace(executionSelect, "FROM executions", "FROM executions"+tx.Using("executions_unmatched"), 1)
	}
	columns := slices.Concat(fill.scan(), fill.links.scan(), []any{&number, eventsScanner{&events}}, key.scan())
	known := indexByNumber(accounts)
	text := rows.orderedQuery(tx, &f, executionOrder, q.Limit)
	err = db.Each(ctx, tx, func(row db.Scanner) error {
		if err := row.Scan(columns...); err != nil {
			return err
		}
		account := known[number]
		fill.setID(&account)
		e, err := fill.toExecution(account, key, imports.batchOf(number, fill.seq), fill.links)
		adjuster.note(len(page), e, events)
		page = append(page, e)
		return err
	}, text, f.args...)
	if err != nil {
		return err
	}
	if err := adjuster.adjust(ctx, page); err != nil {
		return err
	}
	for _, e := range page {
		if err := fn(e); err != nil {
			return err
		}
	}
	return nil
}

// compareExecutions compares executions with one instant in list order.
func compareExecutions(a, b *Execution) int {
	return cmp.Or(cmp.Compare(a.Cursor.Arrival, b.Cursor.Arrival), cmp.Compare(a.Cursor.Account, b.Cursor.Account))
}

const executionOrder = "executed_at, arrival, account_number"

// executionSelect selects executions for a page. A join finds the trades that begin with
// them, because it takes less time than a subquery for each. Every execution has a stream;
// a LEFT JOIN all the same, because PostgreSQL expects few rows of an inner join by
// COALESCE, and then reads and sorts whole accounts.
var executionSelect = `SELECT executions.` + strings.Join(fillColumns, ", executions.") + `,
	CASE WHEN executions.unmatched = executions.quantity THEN NULL
		WHEN begun.id IS NOT NULL AND begun.head IS NULL THEN begun.id ELSE ` + tradeBeforeFill + ` END AS trade_id,
	CASE WHEN begun.head IS NOT NULL THEN begun.id END AS flip_trade_id, executions.account AS account_number,
	CASE WHEN executions.stated IS NULL THEN streams.events ELSE grouped.events END AS events, ` + streamColumns + `
	FROM executions LEFT JOIN streams ON streams.user_id = executions.user_id AND streams.number = COALESCE(executions.stated, executions.stream)
	LEFT JOIN streams AS grouped ON grouped.user_id = executions.user_id AND grouped.number = executions.stream AND executions.stated IS NOT NULL
	LEFT JOIN trades AS begun ON begun.user_id = executions.user_id AND begun.stream = executions.stream
		AND begun.opened_at = executions.executed_at AND begun.first_seq = executions.seq`

// addConditions adds the query's conditions to f.
func (q ExecutionQuery) addConditions(f *filter) {
	f.addPeriod("executions.executed_at", q.Scope.Period)
	if q.unmatchedOnly {
		f.terms = append(f.terms, "executions.unmatched IS NOT NULL")
	}
	if q.After != nil {
		at, arrival, account := f.arg(q.After.At), f.arg(clampNumber(q.After.Arrival)), f.arg(clampNumber(q.After.Account))
		f.terms = append(f.terms, "executions.executed_at >= "+at, // the condition that uses the index
			fmt.Sprintf("(executions.executed_at, executions.arrival, executions.account) > (%s, %s, %s)", at, arrival, account))
	}
}

// clampNumber limits a number in a client's cursor to what a column can have, so the
// comparison with it has the same result and no error.
func clampNumber(n int64) int64 { return min(max(n, math.MinInt32), math.MaxInt32) }

// toExecution converts a fill to an Execution.
func (f *fill) toExecution(a Account, key streamKey, batch *journal.BatchID, in links) (Execution, error) {
	e := Execution{
		ID: f.id, Account: a.ID, Instrument: key.toInstrument(), Side: f.side, Quantity: f.quantity, Price: f.price,
		Fees: f.fees, Commission: f.commission, Multiplier: f.multiplier, StatedPnL: f.stated,
		ExecutedAt: db.FromMicros(f.at), CreatedAt: db.FromMicros(f.createdAt), Batch: batch, TradeIDs: in.list(), Facts: f.facts, Origin: f.origin,
		Cursor: ExecutionCursor{At: f.at, Arrival: f.arrival, Account: a.number},
		Kind:   f.kind, BasisEstimated: f.isEstimated, Closes: f.closes, Unmatched: f.unmatched,
	}
	if external := f.externalID; external != "" {
		e.ExternalID = &external
	}
	var err error
	e.Details, e.EventID, err = readDetails(f.details, key)
	return e, err
}

// readDetails returns a fill's stored details together with its contract, and its event.
func readDetails(text string, key streamKey) (details map[string]string, event string, err error) {
	if text != "" {
		if err := json.Unmarshal([]byte(text), &details); err != nil {
			return nil, "", fmt.Errorf("reading details: %w", err)
		}
		event = details[keyEvent]
		delete(details, keyEvent)
		if len(details) == 0 {
			details = nil
		}
	}
	for _, part := range []struct{ key, text string }{
		{keyRight, key.right}, {keyStrike, key.strike}, {keyExpiry, key.expiry}, {keyLot, key.lot},
	} {
		if part.text == "" {
			continue
		}
		if details == nil {
			details = map[string]string{}
		}
		details[part.key] = part.text
	}
	return details, event, nil
}

// execution reads one execution.
func (set *streamSet) execution(ctx context.Context, id journal.ExecutionID) (Execution, error) {
	f, err := set.fillByID(ctx, id)
	if err != nil {
		return Execution{}, err
	}
	return set.describe(ctx, f, f.links)
}

// describe converts a fill to an Execution, with its instrument and import.
func (set *streamSet) describe(ctx context.Context, f *fill, in links) (Execution, error) {
	s, err := set.streamNumbered(ctx, f.stream)
	if err != nil {
		return Execution{}, err
	}
	from, imported, err := set.spanOf(ctx, f.seq)
	if err != nil {
		return Execution{}, err
	}
	var batch *journal.BatchID
	if imported {
		batch = &from.batch
	}
	e, err := f.toExecution(set.account, s.key, batch, in)
	if err == nil && f.group != 0 {
		s, err = set.streamNumbered(ctx, f.group)
	}
	if err != nil || len(s.events) == 0 {
		return e, err
	}
	adjuster := splitAdjuster{tx: set.tx, owner: set.owner}
	adjuster.note(0, e, s.events)
	page := []Execution{e}
	err = adjuster.adjust(ctx, page)
	return page[0], err
}

// findAccountID returns a record's account.
func findAccountID(
	ctx context.Context, tx *db.Tx, owner journal.UserID, table string, id any, what string,
) (account journal.AccountID, err error) {
	err = tx.QueryRow(ctx, accountOf(table), owner, id).Scan(&account)
	if err == nil && !journal.AllowsAccount(ctx, account) {
		err = db.ErrNoRows
	}
	return account, db.NotFound(err, what)
}

// accountOf returns the query for the account of record $2 in a table.
func accountOf(table string) string {
	return `
		SELECT accounts.id FROM ` + table + ` AS record JOIN accounts
			ON accounts.user_id = record.user_id AND accounts.number = record.account
		WHERE record.user_id = $1 AND record.id = $2`
}
