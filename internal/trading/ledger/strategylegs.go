package ledger

import (
	"context"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/instruments"
	"fillbook/internal/trading/matching"
	"fillbook/internal/trading/strategies"
)

// StrategyLegs returns an account's option trades and the trades in their underlyings, by
// underlying. wants reports whether an
// underlying is wanted, nil means all, and hasDecisions whether the fills' keys are needed
// for it. It is a step; an account without options costs one statement.
func StrategyLegs(
	ctx context.Context, tx *db.Tx, owner journal.UserID, account Account, wants, hasDecisions func(underlying string) bool,
) (map[string][]strategies.Leg, error) {
	keys, err := loadStreamKeys(ctx, tx, owner, []Account{account})
	if err != nil {
		return nil, err
	}
	b := legBuilder{streams: selectStrategyStreams(keys, wants), hasDecisions: hasDecisions, legs: map[string][]strategies.Leg{}}
	if len(b.streams) == 0 {
		return b.legs, nil
	}
	numbers := slices.Sorted(maps.Keys(b.streams))
	if err := b.read(ctx, tx, owner, account, numbers, len(keys)); err != nil {
		return nil, err
	}
	counts := map[string]int{}
	for _, s := range b.streams {
		counts[s.underlying] += len(s.legs)
	}
	for underlying, n := range counts {
		b.legs[underlying] = make([]strategies.Leg, 0, n)
	}
	for _, number := range numbers {
		s := b.streams[number]
		s.finish(b.legs, hasDecisions(s.underlying))
	}
	return b.legs, nil
}

// StrategyLegsByID returns the legs of some trades by underlying, those of instruments other
// than options even if their underlying has no options, and the ids of trades that do not
// exist. hasDecisions is as for [StrategyLegs]. It is a step.
func StrategyLegsByID(
	ctx context.Context, tx *db.Tx, owner journal.UserID, ids []journal.TradeID, hasDecisions func(underlying string) bool,
) (legs map[string][]strategies.Leg, missing []journal.TradeID, err error) {
	trades, err := db.ListIn(ctx, tx, ids, scanTradeRow, tradeSelect+`WHERE user_id = $1 AND id IN $keys`, owner)
	if err != nil {
		return nil, nil, err
	}
	streams, exists := map[int64]strategyStream{}, map[journal.TradeID]bool{}
	numbers := make([]int64, len(trades))
	for i, t := range trades {
		numbers[i], exists[t.id] = t.stream, true
	}
	missing = slices.DeleteFunc(slices.Clone(ids), func(id journal.TradeID) bool { return exists[id] })
	slices.Sort(numbers)
	err = db.EachIn(ctx, tx, slices.Compact(numbers), func(row db.Scanner) error {
		var number int64
		var key streamKey
		var events []matching.Event
		err := row.Scan(append([]any{&number, eventsScanner{&events}}, key.scan()...)...)
		if s, can := newStrategyStream(key); can {
			s.events = events
			streams[number] = s
		}
		return err
	}, `SELECT number, events, `+streamColumns+` FROM streams WHERE user_id = $1 AND number IN $keys`, owner)
	if err != nil {
		return nil, nil, err
	}
	legs = map[string][]strategies.Leg{}
	for _, t := range trades {
		s, can := streams[t.stream]
		if !can {
			continue
		}
		s.trades = []*tradeRow{t}
		err := db.Each(ctx, tx, func(row db.Scanner) error {
			f := &fill{}
			if err := row.Scan(f.scan()...); err != nil {
				return err
			}
			s.addFill(f, hasDecisions(s.underlying))
			return nil
		}, fillSelect+`WHERE user_id = $1 AND stream = $2 AND (executed_at, seq) >= ($3, $4) AND (executed_at, seq) <= ($5, $6)
			ORDER BY executed_at, seq`, owner, t.stream, t.First.At, t.First.Seq, t.Last.At, t.Last.Seq)
		if err != nil {
			return nil, nil, err
		}
		s.finish(legs, hasDecisions(s.underlying))
	}
	return legs, missing, nil
}

// strategyStream is a stream whose trades can be in strategies.
type strategyStream struct {
	key        streamKey
	underlying string
	contract   strategies.Contract
	isStock    bool
	trades     []*tradeRow
	legs       []strategies.Leg // by trade
	next       int              // the trade of the next fill
	events     []matching.Event // those that are not in a trade's holdings yet
	// held is the position of the trade whose place is holding, without sign; only streams
	// of shares have it.
	held    decimal.Decimal
	holding int
}

// newStrategyStream returns the stream of an instrument, and false for an option without a
// contract.
func newStrategyStream(key streamKey) (strategyStream, bool) {
	if key.kind != instruments.TypeOption {
		return strategyStream{key: key, underlying: strategies.UnderlyingOf(key.symbol), isStock: true}, true
	}
	i := key.toInstrument()
	contract, ok := strategies.NewContract(i.Symbol, instruments.Right(i.OptionRight), i.Strike, i.Expiry)
	return strategyStream{key: key, underlying: contract.Underlying, contract: contract}, ok
}

// selectStrategyStreams returns the streams of options with a contract, and of their
// underlyings. wants selects underlyings; nil means all.
func selectStrategyStreams(keys map[int64]listedStream, wants func(underlying string) bool) map[int64]*strategyStream {
	selected, hasOptions := map[int64]*strategyStream{}, map[string]bool{}
	for number, listed := range keys {
		if s, can := newStrategyStream(listed.key); can && (wants == nil || wants(s.underlying)) {
			s.events = listed.events
			selected[number] = &s
			hasOptions[s.underlying] = hasOptions[s.underlying] || !s.isStock
		}
	}
	maps.DeleteFunc(selected, func(_ int64, s *strategyStream) bool { return !hasOptions[s.underlying] })
	return selected
}

// legBuilder builds legs from trades and their fills.
type legBuilder struct {
	streams      map[int64]*strategyStream
	hasDecisions func(underlying string) bool
	legs         map[string][]strategies.Leg
}

// wholeShare is from which part of an account on it is read as a whole: in the order of its
// tables, a row takes a small part of the time that it takes by index.
const wholeShare = 8

// read reads the streams' trades and fills. known is how many streams the account has.
func (b *legBuilder) read(ctx context.Context, tx *db.Tx, owner journal.UserID, account Account, numbers []int64, known int) error {
	var err error
	if len(numbers)*wholeShare >= known {
		err = db.EachAhead(ctx, tx, b.addTrade, tradeSelect+`WHERE user_id = $1 AND account = $2`, owner, account.number)
	} else {
		err = db.EachIn(ctx, tx, numbers, b.addTrade, tradeSelect+`WHERE user_id = $1 AND stream IN $keys`, owner)
	}
	if err != nil {
		return err
	}
	fills := int64(0)
	for _, s := range b.streams {
		slices.SortFunc(s.trades, func(t, u *tradeRow) int { return t.First.Compare(u.First) })
		for _, t := range s.trades {
			fills += t.count
		}
	}
	var all int64
	if err := tx.QueryRow(ctx, `SELECT next_seq FROM accounts WHERE user_id = $1 AND number = $2`, owner, account.number).Scan(&all); err != nil {
		return err
	}
	if fills*wholeShare >= all {
		return db.EachAhead(ctx, tx, b.addFill, fillSelect+`WHERE user_id = $1 AND account = $2 ORDER BY executed_at, seq`, owner, account.number)
	}
	return db.EachIn(ctx, tx, numbers, b.addFill, fillSelect+`WHERE user_id = $1 AND stream IN $keys ORDER BY stream, executed_at, seq`, owner)
}

func (b *legBuilder) addTrade(row db.Scanner) error {
	t := &tradeRow{}
	if err := row.Scan(t.scan()...); err != nil {
		return err
	}
	s := b.streams[t.stream]
	if s == nil {
		return nil // the account is read as a whole
	}
	s.trades = append(s.trades, t)
	return nil
}

// newLeg returns a trade's leg without what its fills add.
func (s *strategyStream) newLeg(t *tradeRow) strategies.Leg {
	l := strategies.Leg{
		Trade: t.id, Stock: s.isStock, Root: s.contract.Root, Adjusted: s.contract.Adjusted, Right: s.contract.Right,
		Strike: s.contract.Strike, Expiry: s.contract.Expiry,
		Quantity: t.QtyOpened, Size: t.EntrySize, Paid: t.EntryNotional,
		OpenedAt: db.FromMicros(t.First.At), Fees: t.FeesTotal.Add(t.Commission), Net: t.NetPnL, Gross: t.GrossPnL,
	}
	if t.Direction == matching.Short {
		l.Quantity, l.Size, l.Paid = l.Quantity.Neg(), l.Size.Neg(), l.Paid.Neg()
	}
	if t.open {
		l.Closed, l.Realized = t.QtyOpened.Sub(t.QtyRemaining), t.RealizedPnL
	} else {
		at := db.FromMicros(t.listed)
		l.ClosedAt, l.Traded = &at, t.EndedBy == matching.KindTrade
	}
	return l
}

// addFill adds a fill. Fills of a stream come in order.
func (b *legBuilder) addFill(row db.Scanner) error {
	f := &fill{}
	if err := row.Scan(f.scan()...); err != nil {
		return err
	}
	if s := b.streams[f.grouped()]; s != nil {
		s.addFill(f, b.hasDecisions(s.underlying))
	}
	return nil
}

// addFill adds a fill to the leg of its trade, or of both its trades if it crosses zero.
func (s *strategyStream) addFill(f *fill, withKeys bool) {
	if f.belongsToNoTrade() {
		return
	}
	for s.next < len(s.trades) && s.trades[s.next].Last.Compare(f.position()) < 0 {
		s.next++
	}
	for i := s.next; i < len(s.trades) && s.trades[i].First.Compare(f.position()) <= 0; i++ {
		for len(s.legs) <= i {
			s.legs = append(s.legs, s.newLeg(s.trades[len(s.legs)]))
		}
		s.addPart(f, i, withKeys)
	}
}

// addPart adds a fill's part in a trade to the trade's leg.
func (s *strategyStream) addPart(f *fill, i int, withKeys bool) {
	t, l := s.trades[i], &s.legs[i]
	isFirst := t.First == f.position()
	isOpening := (f.side == matching.Buy) == (t.Direction == matching.Long)
	order, event := f.orderAndEvent()
	// Of fills at one instant the order of arrival decides which is the first or the last, and
	// strategies do not depend on it.
	if isOpening && f.at == t.First.At {
		l.Key = leastText(l.Key, f.contentKey(s.key))
		l.OrderID, l.Opens, l.DayOnly = leastText(l.OrderID, order), leastText(l.Opens, event), l.DayOnly || f.facts.has(DayPrecision)
	}
	if !isOpening && f.at == t.Last.At {
		l.CloseOrder, l.Ends = leastText(l.CloseOrder, order), leastText(l.Ends, event)
	}
	if withKeys {
		l.Keys = append(l.Keys, f.keys(s.key)...)
	}
	quantity, costs := f.quantity.Sub(f.unmatched), f.fees.Add(f.commission)
	if isFirst && !t.Head.Consumed.IsZero() {
		_, costs = costs.Split(t.Head.Consumed, f.quantity, matching.CostScale)
		quantity = quantity.Sub(t.Head.Consumed)
	}
	if isOpening {
		l.Costs = l.Costs.Add(costs)
	} else {
		quantity = quantity.Neg()
	}
	if !s.isStock {
		return
	}
	s.passEvents(i, f.at)
	s.held = s.held.Add(quantity)
	s.addHolding(i, f.at)
}

// addHolding adds the trade's position from an instant on.
func (s *strategyStream) addHolding(i int, at int64) {
	held := s.held
	if s.trades[i].Direction == matching.Short {
		held = held.Neg()
	}
	s.legs[i].Held = append(s.legs[i].Held, strategies.Holding{At: db.FromMicros(at), Quantity: held})
}

// passEvents adds what events up to an instant did to the position of a trade, after those of
// the trades before it.
func (s *strategyStream) passEvents(i int, until int64) {
	for ; s.holding < i; s.holding++ {
		s.applyEvents(s.holding, s.trades[s.holding].Last.At)
		s.held = decimal.Zero
	}
	s.applyEvents(i, until)
}

func (s *strategyStream) applyEvents(i int, until int64) {
	t := s.trades[i]
	for ; len(s.events) > 0 && s.events[0].At <= until; s.events = s.events[1:] {
		e := s.events[0]
		if e.At < t.First.At || e.At == t.First.At && t.First.Seq != 0 {
			continue // before the trade
		}
		switch e.Kind {
		case matching.EventConversion:
			s.held = e.Apply(s.held)
		case matching.EventArrival:
			quantity := e.Quantity
			if e.Direction != t.Direction {
				quantity = quantity.Neg()
			}
			s.held = s.held.Add(quantity)
		case matching.EventDeparture:
			s.held = decimal.Zero
		case matching.EventCostOut:
			continue
		}
		s.addHolding(i, e.At)
	}
}

// leastText returns the lesser text, or the one that is not empty.
func leastText(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return min(a, b)
}

// finish adds the stream's legs to those of its underlying. What an event opened is known by the
// event, as it may have no fill.
func (s *strategyStream) finish(legs map[string][]strategies.Leg, withKeys bool) {
	for i, t := range s.trades {
		if i == len(s.legs) {
			s.legs = append(s.legs, s.newLeg(t))
		}
		if s.isStock {
			until := t.Last.At
			if t.open {
				until = math.MaxInt64
			}
			s.passEvents(max(i, s.holding), until)
		}
		l := &s.legs[i]
		if t.First.Seq == 0 {
			l.Key = t.eventKey(s.key)
			if withKeys {
				l.Keys = append(l.Keys, l.Key)
			}
		}
		legs[s.underlying] = append(legs[s.underlying], *l)
	}
}

// eventKey is the key of a trade that an event opened.
func (t *tradeRow) eventKey(key streamKey) string {
	return strings.ReplaceAll(eventAnchor(key, t.First.At), keySeparator, "|")
}

// orderAndEvent returns the ids of the broker's order and of an assignment or exercise,
// empty for none.
func (f *fill) orderAndEvent() (order, event string) {
	if !strings.Contains(f.details, keyOrder) && !strings.Contains(f.details, keyEvent) {
		return "", ""
	}
	var details map[string]string
	_ = json.Unmarshal([]byte(f.details), &details) // it was checked when it was stored
	return details[keyOrder], details[keyEvent]
}

// StrategyFillKeys returns the keys by which a trade's fills are found again, at most that
// many. It is a step.
func StrategyFillKeys(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.TradeID, most int) ([]string, error) {
	set, row, err := readTradeRow(ctx, tx, owner, id)
	if err != nil {
		return nil, err
	}
	fills, err := db.List(ctx, tx, set.scanFill, fillSelect+`WHERE user_id = $1 AND stream = $2
		AND (executed_at, seq) >= ($3, $4) AND (executed_at, seq) <= ($5, $6) ORDER BY executed_at, seq`+db.Limit(7),
		owner, row.stream, row.First.At, row.First.Seq, row.Last.At, row.Last.Seq, most)
	keys := make([]string, 0, len(fills)+1)
	if row.First.Seq == 0 {
		keys = append(keys, row.eventKey(row.key))
	}
	for _, f := range fills {
		keys = append(keys, f.contentKey(row.key))
	}
	return keys, err
}

// EachEnding calls fn for an account's trades that ended otherwise than by a fill. It is a
// step.
func EachEnding(ctx context.Context, tx *db.Tx, owner journal.UserID, account Account, fn func(journal.TradeID, string)) error {
	return db.Each(ctx, tx, func(row db.Scanner) error {
		var id journal.TradeID
		var kind matching.Kind
		var removed bool
		err := row.Scan(&id, endingScanner{&kind, &removed})
		fn(id, kind.String())
		return err
	}, `SELECT id, ended_by FROM trades WHERE user_id = $1 AND account = $2 AND ended_by IS NOT NULL`, owner, account.number)
}
