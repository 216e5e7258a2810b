package analytics

import (
	"encoding/json"
	"slices"
	"sync"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/tradefilter"
)

// minDetectorTrades is the trade count below which detectors report nothing.
const minDetectorTrades = 10

// Behavior is patterns in trade order, size and timing. Hours, weekdays and sessions
// refer to the opening, when the trader decided.
type Behavior struct {
	Trades         int             `json:"trades"`
	Revenge        Detector        `json:"revenge"`
	Overconfidence Detector        `json:"overconfidence"`
	LossAversion   LossAversion    `json:"loss_aversion"`
	Overtrading    Overtrading     `json:"overtrading"`
	ByHour         []HourBucket    `json:"by_hour"`
	ByWeekday      []WeekdayBucket `json:"by_weekday"`
	// ByWeekdayHour has the hours with trades, by weekday and hour.
	ByWeekdayHour []WeekdayHour   `json:"by_weekday_hour"`
	BySession     []SessionBucket `json:"by_session"`
	ByHoldTime    []HoldBucket    `json:"by_hold_time"`
	Streaks       Streaks         `json:"streaks"`
	// BreakevenTolerance is the user's setting as stored; null by default.
	BreakevenTolerance json.RawMessage `json:"breakeven_tolerance"`
}

// Detector compares the trades flagged by a detector with the others.
type Detector struct {
	InsufficientData bool `json:"insufficient_data"`
	// Events are the latest events, in order, and EventCount counts all events.
	Events     []Event `json:"events"`
	EventCount int     `json:"event_count"`
	Flagged    Group   `json:"flagged"`
	Baseline   Group   `json:"baseline"`
	// Rate is the share flagged, and ExpectedRate the share if results had come in random
	// order: for a trader who just trades fast, both are about equal.
	Rate         *float64 `json:"rate"`
	ExpectedRate *float64 `json:"expected_rate"`
}

// WithoutTradeIDs returns the behavior with events stripped of trade ids. It shares
// everything else with b.
func (b Behavior) WithoutTradeIDs() Behavior {
	for _, d := range []*Detector{&b.Revenge, &b.Overconfidence, &b.LossAversion.Detector, &b.Overtrading.Detector} {
		d.Events = slices.Clone(d.Events)
		for i := range d.Events {
			d.Events[i].TradeID = ""
		}
	}
	return b
}

// Event is a flagged trade, or for overtrading a day, which has no trade id and no
// symbol.
type Event struct {
	Date     journal.Day     `json:"date"`
	TradeID  journal.TradeID `json:"trade_id" doc:"Empty for days, and for access tokens with scope analytics."`
	Symbol   string          `json:"symbol"`
	Reason   string          `json:"reason"`
	NetPnL   decimal.Decimal `json:"net_pnl"`
	Trades   int             `json:"trades"`
	OpenedAt *time.Time      `json:"opened_at"`
}

// LossAversion compares how long winners and losers are held. Its rate is the share of
// losers held too long.
type LossAversion struct {
	Detector
	AvgWinHoldSecs     float64  `json:"avg_win_hold_secs"`
	AvgLossHoldSecs    float64  `json:"avg_loss_hold_secs"`
	MedianWinHoldSecs  float64  `json:"median_win_hold_secs"`
	MedianLossHoldSecs float64  `json:"median_loss_hold_secs"`
	HoldRatio          *float64 `json:"hold_ratio"`
	// GivenBack is how much of their best open profit trades with a known MFE gave back,
	// and Captured the share they kept; together they are all of it.
	TradesWithMFE int             `json:"trades_with_mfe"`
	GivenBack     decimal.Decimal `json:"given_back"`
	Captured      *float64        `json:"captured"`
}

// Overtrading is days with many more trades than usual for the trader. Its rate is the
// share of such days.
type Overtrading struct {
	Detector
	Days int `json:"days"`
	// Usual is the median trade count per day, and Limit the highest count on a normal
	// day.
	Usual float64 `json:"usual"`
	Limit float64 `json:"limit"`
}

// HourBucket is the trades opened in one hour.
type HourBucket struct {
	Hour int `json:"hour"`
	Group
}

// WeekdayBucket is the trades opened on one weekday; 0 is Sunday.
type WeekdayBucket struct {
	Weekday int `json:"weekday"`
	Group
}

// WeekdayHour is the trades opened in one hour on one weekday.
type WeekdayHour struct {
	Weekday int `json:"weekday"`
	Hour    int `json:"hour"`
	Group
}

// SessionBucket is the trades opened in one session.
type SessionBucket struct {
	Session tradefilter.Session `json:"session"`
	Group
}

// HoldBucket is the trades with a holding time in one range.
type HoldBucket struct {
	Bucket string `json:"bucket"`
	Group
}

// holdBuckets are holding time ranges, each below its limit.
var holdBuckets = [...]struct {
	name  string
	below int64
}{
	{"under_1m", microsMinute},
	{"1m_5m", 5 * microsMinute},
	{"5m_15m", 15 * microsMinute},
	{"15m_1h", microsHour},
	{"1h_4h", 4 * microsHour},
	{"4h_1d", microsDay},
	{"1d_1w", 7 * microsDay},
	{"over_1w", 1<<63 - 1},
}

// HoldRange returns a bucket's holding times, in seconds.
func HoldRange(bucket string) (r tradefilter.Range, known bool) {
	const micros = 6
	for i := range holdBuckets {
		if holdBuckets[i].name != bucket {
			continue
		}
		if i > 0 {
			r.Min = decimal.Of(decimal.FromScaled(holdBuckets[i-1].below, micros))
		}
		if i < len(holdBuckets)-1 {
			r.Max = decimal.Of(decimal.FromScaled(holdBuckets[i].below-1, micros))
		}
		return r, true
	}
	return r, false
}

func holdBucket(held int64) int {
	bucket := 0
	for i := range len(holdBuckets) - 1 {
		if held >= holdBuckets[i].below {
			bucket++ // no early exit, so this compiles without branches
		}
	}
	return bucket
}

// Streaks are runs of wins and losses in closing order.
type Streaks struct {
	// CurrentKind is win, loss or, after a breakeven or without trades, empty.
	CurrentKind          string `json:"current_kind"`
	CurrentLength        int    `json:"current_length"`
	MaxConsecutiveWins   int    `json:"max_consecutive_wins"`
	MaxConsecutiveLosses int    `json:"max_consecutive_losses"`
	// AfterWin and AfterLoss are the trades closed next.
	AfterWin  Group `json:"after_win"`
	AfterLoss Group `json:"after_loss"`
}

// BehaviorQuery has the parameters for [AnalyzeBehavior].
type BehaviorQuery struct {
	// Zone is the time zone for days and hours.
	Zone *time.Location
	// MaxEvents bounds the events a detector lists; 0 means DefaultEvents.
	MaxEvents int
	// Seed is for the shuffles behind expected rates.
	Seed uint64
}

// DefaultEvents is the default for [BehaviorQuery.MaxEvents].
const DefaultEvents = 500

// AnalyzeBehavior finds behavior patterns in a selection.
func AnalyzeBehavior(s *Selection, q BehaviorQuery) Behavior {
	if q.MaxEvents <= 0 {
		q.MaxEvents = DefaultEvents
	}
	s = s.withoutRemoved()
	return chooseArithmetic(s, analyzeBehavior[int128], analyzeBehavior[exact])(s, q)
}

func analyzeBehavior[T number[T]](s *Selection, q BehaviorQuery) Behavior {
	h := newHistory[T](s, q)
	out := Behavior{Trades: s.Len(), BreakevenTolerance: s.filter.Tolerance.Stored}
	// The parts only read the history, so they run concurrently.
	var parts sync.WaitGroup
	parts.Go(func() { h.detectRevenge(&out.Revenge) })
	parts.Go(func() { h.detectOverconfidence(&out.Overconfidence) })
	parts.Go(func() { h.detectLossAversion(&out.LossAversion) })
	parts.Go(func() { h.detectOvertrading(&out.Overtrading) })
	parts.Go(func() { out.Streaks = h.findStreaks() })
	h.fillBuckets(&out)
	parts.Wait()
	return out
}

// history is a selection in opening order: at each opening, the trader knew the results
// of all trades closed before.
type history[T number[T]] struct {
	s *Selection // in opening order
	q BehaviorQuery
	// closings are the trade indexes in closing order.
	closings       []int32
	opened, closed []int64
	symbol         []int32
	net, size      []T
	order          sortKeys[T] // size keys
	results        []outcome
	all            tally[T]
}

func newHistory[T number[T]](s *Selection, q BehaviorQuery) *history[T] {
	n := s.Len()
	reordered := *s
	reordered.picks = make([]pick, n)
	h := &history[T]{
		s: &reordered, q: q, closings: make([]int32, n), opened: make([]int64, n), closed: make([]int64, n),
		symbol: make([]int32, n),
	}
	for place, i := range s.sortByOpening() {
		h.closings[i] = int32(place)
		reordered.picks[place] = s.picks[i]
		h.opened[place], h.closed[place], h.symbol[place] = s.opened(int(i)), s.closed(int(i)), s.symbol(int(i))
	}
	h.net, h.size = readColumn[T](&reordered, netOf), readColumn[T](&reordered, sizeOf)
	h.order, h.results = newSortKeys(h.size), outcomes(&reordered, h.net)
	for place, net := range h.net {
		h.all.addResult(net, h.results[place])
	}
	return h
}

// fillBuckets fills in the breakdowns by hour, weekday, session and holding time. Buckets
// without trades are included, so charts keep their shape. Each trade is added once to a
// weekday and hour and once to a session and holding time; the breakdowns sum those up.
func (h *history[T]) fillBuckets(out *Behavior) {
	out.ByWeekdayHour = []WeekdayHour{}
	var week [7][24]tally[T]
	var held [len(sessions)][len(holdBuckets)]tally[T]
	local, eastern := newClock(h.q.Zone), newYorkClock()
	for i, at := range h.opened {
		net, result := h.net[i], h.results[i]
		weekday, hour := local.weekHour(at)
		week[weekday][hour].addResult(net, result)
		held[eastern.sessionAt(at)][holdBucket(h.closed[i]-at)].addResult(net, result)
	}
	scale := h.s.scale
	for hour := range week[0] {
		out.ByHour = append(out.ByHour, HourBucket{hour, sumTallies(7, func(i int) *tally[T] { return &week[i][hour] }).toGroup(scale)})
	}
	for day := range week {
		out.ByWeekday = append(out.ByWeekday, WeekdayBucket{day, sumTallies(24, func(i int) *tally[T] { return &week[day][i] }).toGroup(scale)})
		for hour := range week[day] {
			if group := week[day][hour].toGroup(scale); group.Trades > 0 {
				out.ByWeekdayHour = append(out.ByWeekdayHour, WeekdayHour{day, hour, group})
			}
		}
	}
	for k, name := range sessions {
		sum := sumTallies(len(holdBuckets), func(i int) *tally[T] { return &held[k][i] })
		out.BySession = append(out.BySession, SessionBucket{name, sum.toGroup(scale)})
	}
	for k := range holdBuckets {
		sum := sumTallies(len(sessions), func(i int) *tally[T] { return &held[i][k] })
		out.ByHoldTime = append(out.ByHoldTime, HoldBucket{holdBuckets[k].name, sum.toGroup(scale)})
	}
}

// sumTallies adds up n tallies.
func sumTallies[T number[T]](n int, at func(i int) *tally[T]) *tally[T] {
	var sum tally[T]
	for i := range n {
		sum = sum.plus(at(i))
	}
	return &sum
}

func (h *history[T]) findStreaks() Streaks {
	inOrder := make([]outcome, len(h.closings))
	var afterWin, afterLoss tally[T]
	for i, place := range h.closings {
		inOrder[i] = h.results[place]
		if i == 0 {
			continue
		}
		switch inOrder[i-1] {
		case win:
			afterWin.addResult(h.net[place], inOrder[i])
		case loss:
			afterLoss.addResult(h.net[place], inOrder[i])
		case breakeven, uncounted: // removed trades are not in the history
		}
	}
	out := Streaks{
		MaxConsecutiveWins: longestRun(inOrder, win), MaxConsecutiveLosses: longestRun(inOrder, loss),
		AfterWin: afterWin.toGroup(h.s.scale), AfterLoss: afterLoss.toGroup(h.s.scale),
	}
	if n := len(inOrder); n > 0 && inOrder[n-1] != breakeven {
		out.CurrentKind = map[outcome]string{win: "win", loss: "loss"}[inOrder[n-1]]
		for i := n - 1; i >= 0 && inOrder[i] == inOrder[n-1]; i-- {
			out.CurrentLength++
		}
	}
	return out
}

// newEvent returns the event for a flagged trade, with its day by the local clock.
func (h *history[T]) newEvent(local *clock, place int, reason string) Event {
	opened := time.UnixMicro(h.opened[place]).UTC()
	return Event{
		Date: dayName(local.day(h.opened[place])), TradeID: h.s.ID(place), Symbol: h.s.symbols.values[h.symbol[place]],
		Reason: reason, NetPnL: h.net[place].decimal(h.s.scale), Trades: 1, OpenedAt: &opened,
	}
}

// fillDetector fills in a detector from flags: for each trade 0, or a reason's index. The
// rate is the share flagged.
func (h *history[T]) fillDetector(d *Detector, flags []uint8, reasons []string) {
	d.Events = []Event{}
	var sides [2]tally[T] // indexing avoids a branch on flags, which are not predictable
	for place, flag := range flags {
		sides[isSet(flag)].addResult(h.net[place], h.results[place])
	}
	flagged := sides[1]
	d.EventCount = flagged.trades()
	local := newClock(h.q.Zone)
	for place := len(flags) - 1; place >= 0 && len(d.Events) < h.q.MaxEvents; place-- {
		if flags[place] != 0 {
			d.Events = append(d.Events, h.newEvent(local, place, reasons[flags[place]]))
		}
	}
	slices.Reverse(d.Events)
	h.setGroups(d, flagged)
	rate := fraction(flagged.trades(), len(h.opened))
	d.Rate = &rate
}

// isSet returns 1 if the flag is set, else 0.
func isSet(flag uint8) (set uint8) {
	if flag != 0 {
		set = 1
	}
	return set
}

// setGroups fills in the flagged trades and the others.
func (h *history[T]) setGroups(d *Detector, flagged tally[T]) {
	rest := h.all.minus(&flagged)
	d.Flagged, d.Baseline = flagged.toGroup(h.s.scale), rest.toGroup(h.s.scale)
}

// hasTooFewTrades reports whether there are too few trades for a detector, and
// then marks it so.
func (h *history[T]) hasTooFewTrades(d *Detector) bool {
	d.InsufficientData = len(h.opened) < minDetectorTrades
	if d.InsufficientData {
		d.Events = []Event{}
		h.setGroups(d, tally[T]{})
	}
	return d.InsufficientData
}
