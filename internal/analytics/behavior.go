package analytics

import (
	"encoding/json"
	"slices"
	"sync"
	"time"

	"fillbook/internal/decimal"
	"fillbook/internal/journal"
)

// minDetectorTrades is the number of trades below which no detector says anything.
const minDetectorTrades = 10

// Behavior is what the order, the size and the timing of trades tell about the
// trader. Hours, weekdays and sessions are those of the opening: that is when a
// decision was made.
type Behavior struct {
	Trades         int             `json:"trades"`
	Revenge        Detector        `json:"revenge"`
	Overconfidence Detector        `json:"overconfidence"`
	LossAversion   LossAversion    `json:"loss_aversion"`
	Overtrading    Overtrading     `json:"overtrading"`
	ByHour         []HourBucket    `json:"by_hour"`
	ByWeekday      []WeekdayBucket `json:"by_weekday"`
	BySession      []SessionBucket `json:"by_session"`
	ByHoldTime     []HoldBucket    `json:"by_hold_time"`
	Streaks        Streaks         `json:"streaks"`
	// BreakevenTolerance is the user's preference as stored; null by default.
	BreakevenTolerance json.RawMessage `json:"breakeven_tolerance"`
}

// Detector is what a detector flagged, against the trades that it did not.
type Detector struct {
	InsufficientData bool `json:"insufficient_data"`
	// Events are the latest ones, in order, and EventCount is how many there are.
	Events     []Event `json:"events"`
	EventCount int     `json:"event_count"`
	Flagged    Group   `json:"flagged"`
	Baseline   Group   `json:"baseline"`
	// Rate is how often it strikes, and ExpectedRate how often it would strike if
	// results had come in random order: a trader who is merely fast has both alike.
	Rate         *float64 `json:"rate"`
	ExpectedRate *float64 `json:"expected_rate"`
}

// Event is one trade that was flagged, or one day for overtrading, which has no
// trade id and no symbol.
type Event struct {
	Date     journal.Day     `json:"date"`
	TradeID  journal.TradeID `json:"trade_id"`
	Symbol   string          `json:"symbol"`
	Reason   string          `json:"reason"`
	NetPnL   decimal.Decimal `json:"net_pnl"`
	Trades   int             `json:"trades"`
	OpenedAt *time.Time      `json:"opened_at"`
}

// LossAversion compares how long winners and losers are held. Its rate is the
// share of losing trades that were held too long.
type LossAversion struct {
	Detector
	AvgWinHoldSecs     float64  `json:"avg_win_hold_secs"`
	AvgLossHoldSecs    float64  `json:"avg_loss_hold_secs"`
	MedianWinHoldSecs  float64  `json:"median_win_hold_secs"`
	MedianLossHoldSecs float64  `json:"median_loss_hold_secs"`
	HoldRatio          *float64 `json:"hold_ratio"`
	// GivenBack is what trades with a known best excursion left on the table, and
	// Captured the share of it that they kept.
	TradesWithMFE int             `json:"trades_with_mfe"`
	GivenBack     decimal.Decimal `json:"given_back"`
	Captured      *float64        `json:"captured"`
}

// Overtrading finds days with many more trades than the trader's own usual. Its
// rate is the share of such days.
type Overtrading struct {
	Detector
	Days int `json:"days"`
	// Usual is the median of trades a day, and Limit what is still usual.
	Usual float64 `json:"usual"`
	Limit float64 `json:"limit"`
}

// HourBucket is the trades opened in one hour of the day.
type HourBucket struct {
	Hour int `json:"hour"`
	Group
}

// WeekdayBucket is the trades opened on one day of the week; 0 is Sunday.
type WeekdayBucket struct {
	Weekday int `json:"weekday"`
	Group
}

// SessionBucket is the trades opened in one session.
type SessionBucket struct {
	Session Session `json:"session"`
	Group
}

// HoldBucket is the trades held for about as long.
type HoldBucket struct {
	Bucket string `json:"bucket"`
	Group
}

// holdBuckets are the buckets of time in trade, each up to and without its limit.
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

func holdBucket(held int64) int {
	bucket := 0
	for i := range len(holdBuckets) - 1 {
		if held >= holdBuckets[i].below {
			bucket++ // no early end: what follows is no branch
		}
	}
	return bucket
}

// Streaks are runs of wins and losses in the order of closing.
type Streaks struct {
	// CurrentKind is win, loss or, after a breakeven or without trades, empty.
	CurrentKind          string `json:"current_kind"`
	CurrentLength        int    `json:"current_length"`
	MaxConsecutiveWins   int    `json:"max_consecutive_wins"`
	MaxConsecutiveLosses int    `json:"max_consecutive_losses"`
	// AfterWin and AfterLoss are the trades that closed next.
	AfterWin  Group `json:"after_win"`
	AfterLoss Group `json:"after_loss"`
}

// BehaviorQuery says how to look at behaviour.
type BehaviorQuery struct {
	// Zone cuts days and hours.
	Zone *time.Location
	// MaxEvents bounds the events that a detector lists; 0 means DefaultEvents.
	MaxEvents int
	// Seed is for the shuffles behind the expected rates.
	Seed uint64
}

// DefaultEvents is how many events a detector lists at most unless told otherwise.
const DefaultEvents = 500

// AnalyzeBehavior looks at how the trades of a selection were made.
func AnalyzeBehavior(s *Selection, q BehaviorQuery) Behavior {
	if q.MaxEvents <= 0 {
		q.MaxEvents = DefaultEvents
	}
	switch {
	case s.unbounded:
		return analyzeBehavior[exact](s, q)
	case s.narrow:
		return analyzeBehavior[small](s, q)
	}
	return analyzeBehavior[int128](s, q)
}

func analyzeBehavior[T number[T]](s *Selection, q BehaviorQuery) Behavior {
	h := newHistory[T](s, q)
	out := Behavior{Trades: s.Len(), BreakevenTolerance: s.filter.Tolerance.Stored}
	// The parts only read the history, so they need not wait for each other.
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

// history is the trades of a selection in the order of opening: what the trader
// knew at each opening is what had closed before it.
type history[T number[T]] struct {
	s *Selection // in the order of opening
	q BehaviorQuery
	// closings has the places of the trades, in the order of closing.
	closings       []int32
	opened, closed []int64
	symbol         []int32
	net, size      []T
	order          sortKeys[T] // of the sizes
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

// fillBuckets fills the tables by hour, weekday, session and time in trade. Every
// bucket is there, also without trades, so that charts keep their shape. Trades
// are added once to the hours of a week and once to session and time in trade;
// the tables are sums over those.
func (h *history[T]) fillBuckets(out *Behavior) {
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
		case breakeven:
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

// newEvent describes a flagged trade, whose day it asks a clock for.
func (h *history[T]) newEvent(local *clock, place int, reason string) Event {
	opened := time.UnixMicro(h.opened[place]).UTC()
	return Event{
		Date: dayName(local.day(h.opened[place])), TradeID: h.s.ID(place), Symbol: h.s.symbols.values[h.symbol[place]],
		Reason: reason, NetPnL: h.net[place].decimal(h.s.scale), Trades: 1, OpenedAt: &opened,
	}
}

// fillDetector fills a detector from flags: for each trade 0, or the number of a
// reason. The rate is that of the flagged among all.
func (h *history[T]) fillDetector(d *Detector, flags []uint8, reasons []string) {
	d.Events = []Event{}
	var sides [2]tally[T] // no branch decides, because flags come in no order
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

// isSet is 1 for a flag and 0 for none.
func isSet(flag uint8) (set uint8) {
	if flag != 0 {
		set = 1
	}
	return set
}

// setGroups sets what is flagged against the rest.
func (h *history[T]) setGroups(d *Detector, flagged tally[T]) {
	rest := h.all.minus(&flagged)
	d.Flagged, d.Baseline = flagged.toGroup(h.s.scale), rest.toGroup(h.s.scale)
}

// hasTooFewTrades leaves a detector silent when there is too little to judge by.
func (h *history[T]) hasTooFewTrades(d *Detector) bool {
	d.InsufficientData = len(h.opened) < minDetectorTrades
	if d.InsufficientData {
		d.Events = []Event{}
		h.setGroups(d, tally[T]{})
	}
	return d.InsufficientData
}
