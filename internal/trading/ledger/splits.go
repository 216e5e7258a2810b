package ledger

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/instruments"
	"fillbook/internal/trading/matching"
)

// This file has what splits need in streams. A stream's row has the splits that act on it,
// so journals without corporate actions read nothing more.

// splitsScanner scans a stream's splits; NULL means none.
type splitsScanner struct{ splits *[]matching.Split }

func (s splitsScanner) Scan(value any) error {
	*s.splits = nil
	switch text := value.(type) {
	case nil:
		return nil
	case string:
		return s.parse(text)
	case []byte:
		return s.parse(string(text))
	}
	return fmt.Errorf("splits column has type %T", value)
}

func (s splitsScanner) parse(text string) error {
	for one := range strings.SplitSeq(text, ";") {
		words := strings.Fields(one)
		const fields = 3
		if len(words) != fields {
			return fmt.Errorf("splits column has %q", one)
		}
		var numbers [fields]int64
		for i, word := range words {
			n, err := strconv.ParseInt(word, 10, 64)
			if err != nil {
				return fmt.Errorf("splits column: %w", err)
			}
			numbers[i] = n
		}
		*s.splits = append(*s.splits, matching.Split{At: numbers[0], New: numbers[1], Old: numbers[2]})
	}
	return nil
}

// storedSplits returns splits as stored, NULL for none.
func storedSplits(splits []matching.Split) *string {
	if len(splits) == 0 {
		return nil
	}
	words := make([]string, len(splits))
	for i, s := range splits {
		words[i] = fmt.Sprint(s.At, " ", s.New, " ", s.Old)
	}
	text := strings.Join(words, ";")
	return &text
}

// hasShares reports whether splits of the symbol act on the instrument.
func (k streamKey) hasShares() bool {
	switch k.kind {
	case instruments.TypeOption, instruments.TypeFuture, instruments.TypeForex, instruments.TypeCrypto:
		return false
	}
	return true
}

// loadSplits reads the splits that act on an instrument in the account.
func (set *streamSet) loadSplits(ctx context.Context, key streamKey) ([]matching.Split, error) {
	if !set.hasActions || !key.hasShares() {
		return nil, nil
	}
	actions, err := listActions(ctx, set.tx, set.owner, key.symbol)
	if err != nil {
		return nil, err
	}
	return splitsIn(actions, set.account.ID), nil
}

// splitsIn returns the splits of a symbol's actions, which are in order, in an account.
func splitsIn(actions []CorporateAction, account journal.AccountID) (splits []matching.Split) {
	for _, a := range actions {
		if a.actsOn(account) {
			splits = append(splits, matching.Split{At: a.at, New: a.RatioNew, Old: a.RatioOld})
		}
	}
	return splits
}

// applyActions sets the splits of the account's streams of a symbol and groups the trades
// on which they act again.
func (b *book) applyActions(ctx context.Context, symbol string, actions []CorporateAction) error {
	list, err := b.splitChanges(ctx, symbol, actions)
	if err != nil || len(list) == 0 {
		return err
	}
	for _, c := range list {
		err := b.tx.Queue(ctx, `UPDATE streams SET splits = $1 WHERE user_id = $2 AND number = $3`, storedSplits(c.stream.splits), b.owner, c.stream.number)
		if err != nil {
			return err
		}
	}
	return b.regroupChanges(ctx, list...)
}

// splitChanges sets the splits of the account's streams of a symbol in memory and returns
// the changes where they differ from the stored ones.
func (set *streamSet) splitChanges(ctx context.Context, symbol string, actions []CorporateAction) (list []*changes, err error) {
	numbers, err := db.List(ctx, set.tx, db.Single[int64],
		`SELECT number FROM streams WHERE user_id = $1 AND account = $2 AND symbol = $3 ORDER BY number`, set.owner, set.account.number, symbol)
	if err != nil {
		return nil, err
	}
	after := splitsIn(actions, set.account.ID)
	for _, number := range numbers {
		s, err := set.streamNumbered(ctx, number)
		if err != nil {
			return nil, err
		}
		if !s.key.hasShares() || slices.Equal(s.splits, after) {
			continue
		}
		c := &changes{stream: s}
		for _, split := range slices.Concat(s.splits, after) {
			c.moments = append(c.moments, matching.Position{At: split.At})
		}
		s.splits = after
		list = append(list, c)
	}
	return list, nil
}

// loadAllSplits reads the splits of all the owner's streams that have any.
func loadAllSplits(ctx context.Context, tx *db.Tx, owner journal.UserID) (map[int64][]matching.Split, error) {
	found := map[int64][]matching.Split{}
	err := db.Each(ctx, tx, func(row db.Scanner) error {
		var number int64
		var splits []matching.Split
		err := row.Scan(&number, splitsScanner{&splits})
		found[number] = splits
		return err
	}, `SELECT number, splits FROM streams WHERE user_id = $1 AND splits IS NOT NULL`, owner)
	return found, err
}

// passSplits drops the splits up to an instant and converts a position that is made of
// fills, and its quantity, to the units after them. Money stays, and the last entry takes
// the rounding.
func passSplits(splits []matching.Split, at int64, held *decimal.Decimal, fills []PositionFill) []matching.Split {
	for ; len(splits) > 0 && splits[0].At <= at; splits = splits[1:] {
		if held.IsZero() || len(fills) == 0 || fills[len(fills)-1].At >= splits[0].At {
			continue
		}
		after := splits[0].Apply(held.Abs())
		if held.Sign() < 0 {
			after = after.Neg()
		}
		*held = after
		convertFills(splits[0], fills, after)
	}
	return splits
}

// convertFills converts a position's fills to the units after a split, so that their sum is
// held: the largest entry takes the rounding, unless it is smaller.
func convertFills(split matching.Split, fills []PositionFill, held decimal.Decimal) {
	var largest *PositionFill
	sum := decimal.Zero
	for i := range fills {
		f := &fills[i]
		f.resize(f.Quantity.Mul(decimal.New(split.New)).DivAverage(decimal.New(split.Old)))
		sum = sum.Add(f.Quantity)
		if f.Quantity.Sign() == held.Sign() && (largest == nil || f.Quantity.Abs().Cmp(largest.Quantity.Abs()) > 0) {
			largest = f
		}
	}
	if largest != nil {
		largest.resize(largest.Quantity.Add(held.Sub(sum)))
	}
}

// resize sets the quantity and leaves the money as it is. The sign stays.
func (f *PositionFill) resize(quantity decimal.Decimal) {
	if quantity.Sign() != f.Quantity.Sign() || quantity.IsZero() || quantity.Equal(f.Quantity) {
		return
	}
	money := f.Quantity.Mul(f.Price)
	f.Quantity, f.Price = quantity, money.DivAverage(quantity)
}

// AdjustedFill is a fill in the newest units of its trade; both are absent if no split acted
// on it.
type AdjustedFill struct{ Quantity, Price decimal.Null }

// adjustFill returns a fill in the units after its trade's later splits. end is when the
// trade ended.
func adjustFill(e *Execution, splits []matching.Split, end int64) (a AdjustedFill) {
	n, d, at := decimal.New(1), decimal.New(1), db.Micros(e.ExecutedAt)
	for _, s := range splits {
		if s.At > at && s.At <= end {
			n, d = n.Mul(decimal.New(s.New)), d.Mul(decimal.New(s.Old))
			a.Quantity.Valid = true
		}
	}
	if !a.Quantity.Valid {
		return a
	}
	a.Quantity.Decimal = e.Quantity.Mul(n).DivAverage(d)
	a.Price = decimal.Of(e.Price.Mul(d).DivAverage(n))
	return a
}

// end returns when the trade ended, the end of time for an open one.
func (t *tradeRow) end() int64 {
	if t.open {
		return math.MaxInt64
	}
	return t.Last.At
}

// setAdjusted sets what the fill is after splits of the trade that it opens, or is in. ends
// are the ends of trades.
func (e *Execution) setAdjusted(splits []matching.Split, ends map[journal.TradeID]int64) {
	if n := len(e.TradeIDs); n > 0 && len(splits) > 0 {
		e.Adjusted = adjustFill(e, splits, ends[e.TradeIDs[n-1]])
	}
}

// splitAdjuster collects the executions in a page on which splits may act.
type splitAdjuster struct {
	tx     *db.Tx
	owner  journal.UserID
	splits map[int][]matching.Split // by place in the page
	trades []journal.TradeID
}

// note notes an execution at a place in the page.
func (a *splitAdjuster) note(place int, e Execution, splits []matching.Split) {
	n := len(e.TradeIDs)
	if n == 0 || len(splits) == 0 {
		return
	}
	if a.splits == nil {
		a.splits = map[int][]matching.Split{}
	}
	a.splits[place], a.trades = splits, append(a.trades, e.TradeIDs[n-1])
}

// adjust reads when the trades ended and adjusts the noted executions.
func (a *splitAdjuster) adjust(ctx context.Context, page []Execution) error {
	if len(a.splits) == 0 {
		return nil
	}
	slices.Sort(a.trades)
	ends := map[journal.TradeID]int64{}
	err := db.EachIn(ctx, a.tx, slices.Compact(a.trades), collectEnds(ends), endSelect+` AND id IN $keys`, a.owner)
	for place, splits := range a.splits {
		page[place].setAdjusted(splits, ends)
	}
	return err
}

const endSelect = `SELECT id, is_open, COALESCE(last_at, list_at) FROM trades WHERE user_id = $1`

// collectEnds scans rows of endSelect.
func collectEnds(into map[journal.TradeID]int64) func(db.Scanner) error {
	return func(row db.Scanner) error {
		var id journal.TradeID
		var isOpen bool
		var end int64
		err := row.Scan(&id, &isOpen, &end)
		if isOpen {
			end = math.MaxInt64
		}
		into[id] = end
		return err
	}
}

// loadTradeEnds reads when the trades in streams with splits ended.
func loadTradeEnds(ctx context.Context, tx *db.Tx, owner journal.UserID, streams map[int64]listedStream) (map[journal.TradeID]int64, error) {
	var numbers []int64
	for number, s := range streams {
		if len(s.splits) > 0 {
			numbers = append(numbers, number)
		}
	}
	ends := map[journal.TradeID]int64{}
	if len(numbers) == 0 {
		return ends, nil
	}
	slices.Sort(numbers)
	return ends, db.EachIn(ctx, tx, numbers, collectEnds(ends), endSelect+` AND stream IN $keys`, owner)
}
