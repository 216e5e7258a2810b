package ledger

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
)

// A list of all fills needs each fill's trades. Searching for them fill by fill takes
// several times as long as reading the fills, so one query returns both the fills and the
// beginnings of trades in time order, and each stream's last trade is kept in memory.

// beginning is the value of facts in a row that is the beginning of a trade.
const beginning = -1

// beginningSelect selects beginnings of trades as rows of fillsAndAccount: id is the
// trade's, details is its head.
const beginningSelect = `
	SELECT opened_at, first_seq, stream, 0, 0, -1, is_long, '0', '0', NULL, NULL, NULL, NULL, id, NULL, NULL, head, NULL, NULL, NULL, account FROM trades`

var fillsAndAccount = fillSelectOnly + `, account AS account_number FROM executions`

// listedFill is an execution with its place.
type listedFill struct {
	Execution
	stream, seq int64
}

// eachOfAll calls fn for a query's executions without a limit.
func eachOfAll(
	ctx context.Context, tx *db.Tx, owner journal.UserID, q ExecutionQuery, accounts []Account, imports spans, fn func(Execution) error,
) error {
	keys, err := loadStreamKeys(ctx, tx, owner, accounts)
	if err != nil {
		return err
	}
	linker, err := newTradeLinker(ctx, tx, owner, accounts, q)
	if err != nil {
		return err
	}
	ends, err := loadTradeEnds(ctx, tx, owner, keys)
	if err != nil {
		return err
	}
	var number int64 // both are for all rows: toExecution copies them
	fill := &fill{}
	columns := append(fill.scan(), &number)
	known := indexByNumber(accounts)
	ties := &tieSorter[listedFill]{
		prepare: linker.link,
		compare: func(a, b *listedFill) int { return compareExecutions(&a.Execution, &b.Execution) },
		emit: func(f listedFill) error {
			f.setAdjusted(keys[f.stream].events, ends)
			return fn(f.Execution)
		},
	}
	text, args := q.allRows(owner, accounts)
	err = db.EachAhead(ctx, tx, func(row db.Scanner) error {
		if err := row.Scan(columns...); err != nil {
			return err
		}
		if fill.facts == beginning {
			err := ties.advance(fill.at)
			linker.add(fill)
			return err
		}
		account := known[number]
		fill.setID(&account)
		e, err := fill.toExecution(account, keys[fill.stream].key, imports.batchOf(number, fill.seq), links{})
		if err != nil {
			return err
		}
		return ties.add(fill.at, listedFill{Execution: e, stream: fill.grouped(), seq: fill.seq})
	}, text, args...)
	if err != nil {
		return err
	}
	return ties.flush()
}

// allRows returns the query for fills and beginnings of trades, ordered by instant.
func (q ExecutionQuery) allRows(owner journal.UserID, accounts []Account) (text string, args []any) {
	var f filter
	fills := selection{table: "executions", owner: owner, accounts: accounts, head: fillsAndAccount, where: q.addConditions}.parts(&f)
	trades := selection{table: "trades", owner: owner, accounts: accounts, head: beginningSelect, where: func(f *filter) {
		if start, bounded := q.start(); bounded {
			f.addCondition("trades.opened_at >=", start)
		}
		f.addPeriod("trades.opened_at", journal.Period{To: q.Scope.Period.To})
	}}.parts(&f)
	return strings.Join(append(fills, trades...), " UNION ALL ") + " ORDER BY executed_at", f.args
}

// start returns an instant before which the query has no executions, and false if none.
func (q ExecutionQuery) start() (at int64, bounded bool) {
	if from := q.Scope.Period.From; from != nil {
		at, bounded = db.Micros(*from), true
	}
	if q.After != nil && (!bounded || q.After.At > at) {
		at, bounded = q.After.At, true
	}
	return at, bounded
}

// tradeLinker sets executions' trades in a list in time order.
type tradeLinker struct {
	last  map[int64]journal.TradeID // each stream's last trade so far
	begun []begunTrade              // at the current instant
}

// begunTrade is the beginning of a trade. If it has a head, its first fill has closed
// another trade.
type begunTrade struct {
	stream, seq int64
	id          journal.TradeID
	hasHead     bool
}

// newTradeLinker returns a linker for a query. If the query has a start, it looks up each
// stream's trade there.
func newTradeLinker(ctx context.Context, tx *db.Tx, owner journal.UserID, accounts []Account, q ExecutionQuery) (*tradeLinker, error) {
	l := &tradeLinker{last: map[int64]journal.TradeID{}}
	start, bounded := q.start()
	if !bounded {
		return l, nil
	}
	args := []any{owner, start}
	err := db.Each(ctx, tx, func(row db.Scanner) error {
		var stream int64
		var id journal.TradeID
		err := row.Scan(&stream, &id)
		l.last[stream] = id
		return err
	}, `SELECT number, (SELECT t.id FROM trades AS t WHERE t.user_id = $1 AND t.stream = streams.number AND t.opened_at < $2
		ORDER BY t.opened_at DESC, t.first_seq DESC LIMIT 1) FROM streams
		WHERE user_id = $1 AND account IN `+db.In(&args, accountNumbers(accounts)), args...)
	return l, err
}

// add adds a row of beginningSelect.
func (l *tradeLinker) add(row *fill) {
	l.begun = append(l.begun, begunTrade{stream: row.stream, seq: row.seq, id: journal.TradeID(row.id), hasHead: row.details != ""})
}

// link sets the trades of an instant's executions, whose beginnings were added.
func (l *tradeLinker) link(list []listedFill) {
	slices.SortFunc(l.begun, func(a, b begunTrade) int { return cmp.Or(cmp.Compare(a.stream, b.stream), cmp.Compare(a.seq, b.seq)) })
	slices.SortFunc(list, func(a, b listedFill) int { return cmp.Or(cmp.Compare(a.stream, b.stream), cmp.Compare(a.seq, b.seq)) })
	begun := l.begun
	for i := range list {
		f := &list[i]
		for len(begun) > 0 && cmp.Or(cmp.Compare(begun[0].stream, f.stream), cmp.Compare(begun[0].seq, f.seq)) < 0 {
			l.last[begun[0].stream] = begun[0].id
			begun = begun[1:]
		}
		if f.Unmatched.Equal(f.Quantity) {
			continue // it begins no trade
		}
		in := links{trade: l.last[f.stream]}
		if len(begun) > 0 && begun[0].stream == f.stream && begun[0].seq == f.seq {
			if !begun[0].hasHead {
				in = links{}
			}
			in.add(begun[0].id)
		}
		f.TradeIDs = in.list()
	}
	for _, t := range begun {
		l.last[t.stream] = t.id
	}
	l.begun = l.begun[:0]
}
