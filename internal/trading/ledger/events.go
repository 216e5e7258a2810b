package ledger

import (
	"cmp"
	"context"
	"errors"
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

// This file has what corporate actions need in streams. A stream's row has the events that
// act on it, so journals without corporate actions read nothing more.

// eventsScanner scans a stream's events; NULL means none.
type eventsScanner struct{ events *[]matching.Event }

func (s eventsScanner) Scan(value any) error {
	*s.events = nil
	switch text := value.(type) {
	case nil:
		return nil
	case string:
		return s.parse(text)
	case []byte:
		return s.parse(string(text))
	}
	return fmt.Errorf("events column has type %T", value)
}

// The words with which events other than conversions are stored.
const (
	costOutWord   = "out"
	arrivalWord   = "in"
	departureWord = "end"
)

func (s eventsScanner) parse(text string) error {
	for one := range strings.SplitSeq(text, ";") {
		e, err := parseEvent(strings.Fields(one))
		if err != nil {
			return fmt.Errorf("events column has %q: %w", one, err)
		}
		*s.events = append(*s.events, e)
	}
	return nil
}

// wordReader reads an event's words.
type wordReader struct {
	words []string
	err   error
}

func (r *wordReader) text() (word string) {
	if len(r.words) == 0 {
		r.err = cmp.Or(r.err, errors.New("a word is missing"))
		return ""
	}
	word, r.words = r.words[0], r.words[1:]
	return word
}

func (r *wordReader) integer() int64 {
	n, err := strconv.ParseInt(r.text(), 10, 64)
	r.err = cmp.Or(r.err, err)
	return n
}

func (r *wordReader) number() decimal.Decimal {
	n, err := decimal.ParseExact(r.text())
	r.err = cmp.Or(r.err, err)
	return n
}

// null reads a number that may be absent.
func (r *wordReader) null() decimal.Null {
	if len(r.words) > 0 && r.words[0] == absentWord {
		r.words = r.words[1:]
		return decimal.Null{}
	}
	return decimal.Of(r.number())
}

// absentWord is written for a missing number.
const absentWord = "-"

func parseEvent(words []string) (e matching.Event, err error) {
	r := wordReader{words: words}
	kind := ""
	if len(words) > 0 && slices.Contains([]string{costOutWord, arrivalWord, departureWord}, words[0]) {
		kind = r.text()
	}
	e.At = r.integer()
	switch kind {
	case costOutWord:
		e.Kind, e.Cost = matching.EventCostOut, r.number()
	case arrivalWord:
		e.Kind, e.Direction = matching.EventArrival, matching.Direction(r.text())
		e.Quantity, e.Cost, e.Multiplier = r.number(), r.number(), r.number()
	case departureWord:
		e.Kind = matching.EventDeparture
	default:
		e.New, e.Old = r.integer(), r.integer()
		if len(r.words) > 0 {
			e.Cash, e.CostShare = r.null(), r.null()
		}
	}
	if r.err == nil && len(r.words) > 0 {
		r.err = errors.New("there are too many words")
	}
	return e, r.err
}

// formatEvent returns an event as parseEvent reads it.
func formatEvent(e matching.Event) string {
	null := func(n decimal.Null) string {
		if !n.Valid {
			return absentWord
		}
		return n.Decimal.String()
	}
	switch e.Kind {
	case matching.EventCostOut:
		return fmt.Sprint(costOutWord, " ", e.At, " ", e.Cost)
	case matching.EventArrival:
		return fmt.Sprint(arrivalWord, " ", e.At, " ", e.Direction, " ", e.Quantity, " ", e.Cost, " ", e.Multiplier)
	case matching.EventDeparture:
		return fmt.Sprint(departureWord, " ", e.At)
	case matching.EventConversion:
	}
	text := fmt.Sprint(e.At, " ", e.New, " ", e.Old)
	if e.Cash.Valid || e.CostShare.Valid {
		text += " " + null(e.Cash) + " " + null(e.CostShare)
	}
	return text
}

// storedEvents returns events as stored, NULL for none.
func storedEvents(events []matching.Event) *string {
	if len(events) == 0 {
		return nil
	}
	words := make([]string, len(events))
	for i, e := range events {
		words[i] = formatEvent(e)
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

// loadActions reads the actions that act on the account.
func (set *streamSet) loadActions(ctx context.Context) error {
	if set.actionsLoaded || !set.hasActions {
		return nil
	}
	list, err := db.List(ctx, set.tx, scanAction, selectActions+` WHERE a.user_id = $1`+actionOrder, set.owner)
	set.actions, set.actionsLoaded = slices.DeleteFunc(list, func(a CorporateAction) bool { return !a.actsOn(set.account.ID) }), true
	return err
}

// loadEvents returns the events of an instrument's stream. Those of linked streams follow
// from the positions in the others.
func (set *streamSet) loadEvents(ctx context.Context, key streamKey) (events []matching.Event, err error) {
	if err := set.loadActions(ctx); err != nil || set.hasLink(key) || key.lineage != "" {
		return nil, err
	}
	for i := range set.actions {
		if a := &set.actions[i]; a.isSplit() && a.actsOnKey(key) {
			events = append(events, a.conversion())
		}
	}
	return events, nil
}

// conversion returns what the action does to quantities.
func (a *CorporateAction) conversion() matching.Event {
	return matching.Event{At: a.at, New: a.RatioNew, Old: a.RatioOld, Cash: a.Cash}
}

// applyActions sets the events of the account's streams of some symbols and groups the
// trades on which they act again.
func (b *book) applyActions(ctx context.Context, symbols []string) error {
	list, err := b.eventChanges(ctx, symbols)
	if err != nil || len(list) == 0 {
		return err
	}
	for _, c := range list {
		if c.stream.linked {
			continue // regrouping writes them
		}
		if err := b.updateEvents(ctx, c.stream); err != nil {
			return err
		}
	}
	return b.regroupChanges(ctx, list...)
}

// updateEvents writes a stream's events.
func (b *book) updateEvents(ctx context.Context, s *stream) error {
	return b.tx.Queue(ctx, `UPDATE streams SET events = $1 WHERE user_id = $2 AND number = $3`, storedEvents(s.events), b.owner, s.number)
}

// eventChanges sets the events of the account's streams of some symbols in memory and
// returns the changes where they differ from the stored ones. Linked streams are regrouped
// as a whole.
func (set *streamSet) eventChanges(ctx context.Context, symbols []string) (list []*changes, err error) {
	if err := set.loadActions(ctx); err != nil {
		return nil, err
	}
	numbers, err := db.ListIn(ctx, set.tx, symbols, db.Single[int64],
		`SELECT number FROM streams WHERE user_id = $1 AND account = $2 AND symbol IN $keys`, set.owner, set.account.number)
	if err != nil {
		return nil, err
	}
	moved, err := db.List(ctx, set.tx, db.Single[int64],
		`SELECT DISTINCT stated FROM executions WHERE user_id = $1 AND account = $2 AND stated IS NOT NULL`, set.owner, set.account.number)
	if err != nil {
		return nil, err
	}
	slices.Sort(numbers)
	for _, number := range numbers {
		s, err := set.streamNumbered(ctx, number)
		if err != nil {
			return nil, err
		}
		s.linked = slices.Contains(moved, number) || slices.ContainsFunc(s.events, isLinkedEvent)
		if set.isLinked(s) {
			s.linked = true
			list = append(list, &changes{stream: s})
			continue
		}
		after, err := set.loadEvents(ctx, s.key)
		if err != nil {
			return nil, err
		}
		if slices.EqualFunc(s.events, after, matching.Event.Equal) {
			continue
		}
		c := &changes{stream: s}
		for _, e := range slices.Concat(s.events, after) {
			c.moments = append(c.moments, matching.Position{At: e.At})
		}
		s.events = after
		list = append(list, c)
	}
	return list, nil
}

// isLinkedEvent reports whether an event follows from a position in another stream, or is
// not a split.
func isLinkedEvent(e matching.Event) bool { return e.Kind != matching.EventConversion || e.Cash.Valid }

// loadAllEvents reads the splits of all the owner's streams that have any.
func loadAllEvents(ctx context.Context, tx *db.Tx, owner journal.UserID) (map[int64][]matching.Event, error) {
	found := map[int64][]matching.Event{}
	err := db.Each(ctx, tx, func(row db.Scanner) error {
		var number int64
		var events []matching.Event
		err := row.Scan(&number, eventsScanner{&events})
		found[number] = events
		return err
	}, `SELECT number, events FROM streams WHERE user_id = $1 AND events IS NOT NULL`, owner)
	return found, err
}

// passEvents drops the events up to an instant and applies them to a position that is made
// of fills, and to its quantity. start is the instant from which the position is: arrivals
// before it belong to another. Cash and costs that leave lower the entries, so that the
// fills' money is what the position has cost.
func passEvents(events []matching.Event, start, at int64, held *decimal.Decimal, fills *[]PositionFill) []matching.Event {
	for ; len(events) > 0 && events[0].At <= at; events = events[1:] {
		e, list := events[0], *fills
		if e.Kind == matching.EventArrival {
			if e.At >= start {
				*fills = append(list, newArrival(e))
				*held = held.Add((*fills)[len(list)].Quantity)
			}
			continue
		}
		if held.IsZero() || len(list) == 0 {
			continue
		}
		switch e.Kind {
		case matching.EventConversion:
			if e.Cash.Valid {
				lowerEntries(list, *held, e.Cash.Decimal.Mul(held.Abs()).Mul(list[0].Multiplier))
			}
			after := e.Apply(held.Abs())
			if held.Sign() < 0 {
				after = after.Neg()
			}
			*held = after
			convertFills(e, list, after)
		case matching.EventCostOut:
			lowerEntries(list, *held, e.Cost)
		case matching.EventDeparture:
			last := list[len(list)-1]
			*fills = append(list, PositionFill{At: e.At, Quantity: held.Neg(), Price: averageEntry(list, *held), Multiplier: last.Multiplier})
			*held = decimal.Zero
		case matching.EventArrival:
		}
	}
	return events
}

// newArrival returns the entry that an arrival is.
func newArrival(e matching.Event) PositionFill {
	f := PositionFill{At: e.At, Quantity: e.Quantity, Price: e.Cost.DivAverage(e.Quantity.Mul(e.Multiplier)), Multiplier: e.Multiplier}
	if e.Direction == matching.Short {
		f.Quantity = f.Quantity.Neg()
	}
	return f
}

// averageEntry returns the average price of a position's entries.
func averageEntry(fills []PositionFill, held decimal.Decimal) decimal.Decimal {
	money, quantity := decimal.Zero, decimal.Zero
	for _, f := range fills {
		if f.Quantity.Sign() == held.Sign() {
			money, quantity = money.Add(f.Quantity.Mul(f.Price)), quantity.Add(f.Quantity)
		}
	}
	if quantity.IsZero() {
		return decimal.Zero
	}
	return money.DivAverage(quantity)
}

// lowerEntries takes an amount from the money of a position's entries, in proportion to
// their prices.
func lowerEntries(fills []PositionFill, held, amount decimal.Decimal) {
	money, size := decimal.Zero, decimal.Zero
	for i := range fills {
		if f := &fills[i]; f.Quantity.Sign() == held.Sign() {
			size = size.Add(f.Quantity.Abs().Mul(f.Multiplier))
			money = money.Add(f.Quantity.Abs().Mul(f.Price).Mul(f.Multiplier))
		}
	}
	for i := range fills {
		switch f := &fills[i]; {
		case f.Quantity.Sign() != held.Sign():
		case money.IsZero():
			f.Price = f.Price.Sub(amount.DivAverage(size))
		default:
			f.Price = f.Price.Mul(money.Sub(amount)).DivAverage(money)
		}
	}
}

// convertFills converts a position's fills to the units after a split, so that their sum is
// held: the largest entry takes the rounding, unless it is smaller.
func convertFills(split matching.Event, fills []PositionFill, held decimal.Decimal) {
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
func adjustFill(e *Execution, events []matching.Event, end int64) (a AdjustedFill) {
	n, d, at := decimal.New(1), decimal.New(1), db.Micros(e.ExecutedAt)
	for _, s := range events {
		if s.At > at && s.At <= end && s.Kind == matching.EventConversion && s.New != s.Old {
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
func (e *Execution) setAdjusted(events []matching.Event, ends map[journal.TradeID]int64) {
	if n := len(e.TradeIDs); n > 0 && len(events) > 0 {
		e.Adjusted = adjustFill(e, events, ends[e.TradeIDs[n-1]])
	}
}

// splitAdjuster collects the executions in a page on which splits may act.
type splitAdjuster struct {
	tx     *db.Tx
	owner  journal.UserID
	events map[int][]matching.Event // by place in the page
	trades []journal.TradeID
}

// note notes an execution at a place in the page.
func (a *splitAdjuster) note(place int, e Execution, events []matching.Event) {
	n := len(e.TradeIDs)
	if n == 0 || len(events) == 0 {
		return
	}
	if a.events == nil {
		a.events = map[int][]matching.Event{}
	}
	a.events[place], a.trades = events, append(a.trades, e.TradeIDs[n-1])
}

// adjust reads when the trades ended and adjusts the noted executions.
func (a *splitAdjuster) adjust(ctx context.Context, page []Execution) error {
	if len(a.events) == 0 {
		return nil
	}
	slices.Sort(a.trades)
	ends := map[journal.TradeID]int64{}
	err := db.EachIn(ctx, a.tx, slices.Compact(a.trades), collectEnds(ends), endSelect+` AND id IN $keys`, a.owner)
	for place, events := range a.events {
		page[place].setAdjusted(events, ends)
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
		if len(s.events) > 0 {
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
