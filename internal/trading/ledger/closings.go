package ledger

import (
	"context"
	"math"
	"slices"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/matching"
)

// Closing is what one fill closed in a trade, in the account's currency.
type Closing struct {
	Trade              journal.TradeID
	Instrument         Instrument
	Direction          matching.Direction
	OpenedAt, ClosedAt time.Time
	Quantity           decimal.Decimal
	// Proceeds is what was received for the part, Cost what was paid for it,
	// before fees. Both are absent if the source stated another result than the
	// prices have: prices are then in another currency.
	Proceeds, Cost decimal.Null
	// Fees are the closing fees and a share in the entry fees.
	Fees decimal.Decimal
	// Gain is the result after fees.
	Gain decimal.Decimal
}

// ClosingQuery selects closings.
type ClosingQuery struct {
	// Period tests the closing fill.
	Period journal.Period
	// Trade reports whether a trade's closings are selected; nil selects all.
	Trade func(journal.TradeID) bool
}

// closingsAtOnce is how many trades have their closings in memory at a time.
const closingsAtOnce = 2000

// closedTrade is a trade with closings.
type closedTrade struct {
	tradeSpan
	direction matching.Direction
	listed    int64
}

// closingSelect lists trades that closed something between two instants, ordered by
// list_at.
const closingSelect = `
	SELECT id, stream, opened_at, first_seq, COALESCE(last_at, list_at), last_seq, head, is_open, is_long, list_at
	FROM trades WHERE user_id = $1 AND account = $2
		AND (list_at, stream, opened_at, first_seq) > ($3, $4, $5, $6) AND list_at >= $3
		AND opened_at <= $7 AND COALESCE(last_at, list_at) >= $8 AND (is_open = FALSE OR avg_exit IS NOT NULL)
	ORDER BY list_at, stream, opened_at, first_seq`

func scanClosedTrade(row db.Scanner) (t closedTrade, err error) {
	s := &t.tradeSpan
	err = row.Scan(&s.id, &s.stream, &s.first.At, &s.first.Seq, &s.last.At, &s.last.Seq, zeroIfNull{&s.head.Consumed}, &s.open,
		directionScanner{&t.direction}, &t.listed)
	return t, err
}

// EachClosing calls fn for an account's closings, without removals, which sell nothing. A
// trade's closings follow each other in
// time order. Trades come in closing order, open ones in opening order.
func EachClosing(ctx context.Context, tx *db.Tx, owner journal.UserID, account Account, q ClosingQuery, fn func(*Closing) error) error {
	streams, err := loadStreamKeys(ctx, tx, owner, []Account{account})
	if err != nil {
		return err
	}
	from, to := int64(math.MinInt64), int64(math.MaxInt64)
	if q.Period.From != nil {
		from = db.Micros(*q.Period.From)
	}
	if q.Period.To != nil {
		to = db.Micros(*q.Period.To)
	}
	after := closedTrade{listed: math.MinInt64}
	for last := false; !last; {
		list, err := db.List(ctx, tx, scanClosedTrade, closingSelect+db.Limit(9),
			owner, account.number, after.listed, after.stream, after.first.At, after.first.Seq, to, from, closingsAtOnce)
		if err != nil {
			return err
		}
		if last = len(list) < closingsAtOnce; !last {
			after = list[len(list)-1]
		}
		if q.Trade != nil {
			list = slices.DeleteFunc(list, func(t closedTrade) bool { return !q.Trade(t.id) })
		}
		if err := emitClosings(ctx, tx, owner, list, streams, q.Period, fn); err != nil {
			return err
		}
	}
	return nil
}

// emitClosings reads some trades' fills and calls fn for their closings.
func emitClosings(
	ctx context.Context, tx *db.Tx, owner journal.UserID, list []closedTrade, streams map[int64]listedStream, period journal.Period,
	fn func(*Closing) error,
) error {
	if len(list) == 0 {
		return nil
	}
	parts := make(map[journal.TradeID][]matching.RealizedPart, len(list))
	w := &spanReader{spans: make([]tradeSpan, len(list)), eachFill: true, fn: func(r RealizedTrade) error {
		parts[r.ID] = r.Parts
		return nil
	}}
	for i := range list {
		w.spans[i] = list[i].tradeSpan
	}
	slices.SortFunc(w.spans, compareSpans)
	if err := eachOfStreams(ctx, tx, owner, w); err != nil {
		return err
	}
	for i := range list {
		for k := range parts[list[i].id] {
			closing := newClosing(&list[i], &parts[list[i].id][k], streams[list[i].stream].key)
			if parts[list[i].id][k].Kind == matching.KindRemoval || !period.Contains(closing.ClosedAt) {
				continue
			}
			if err := fn(&closing); err != nil {
				return err
			}
		}
	}
	return nil
}

// maxRounding is how far a stated result may be from the prices' result if both are in
// the same currency: sources round results to cents.
var maxRounding = decimal.FromScaled(1, 2)

func newClosing(t *closedTrade, p *matching.RealizedPart, key streamKey) Closing {
	c := Closing{
		Trade: t.id, Instrument: key.toInstrument(), Direction: t.direction, OpenedAt: db.FromMicros(t.first.At), ClosedAt: db.FromMicros(p.At),
		Quantity: p.Quantity, Fees: p.Costs, Gain: p.Net(),
	}
	proceeds, cost := p.Exit, p.Entry
	if t.direction == matching.Short {
		proceeds, cost = p.Entry, p.Exit
	}
	if p.Gross.Sub(proceeds.Sub(cost)).Abs().Cmp(maxRounding) > 0 {
		return c
	}
	// A result rounded to cents is kept, so the row adds up.
	c.Proceeds, c.Cost = decimal.Of(cost.Add(p.Gross)), decimal.Of(cost)
	return c
}
