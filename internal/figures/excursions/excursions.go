// Package excursions computes what the price did during trades: how far each went for and
// against the trader, what a better exit would have brought, what happened after it, and
// what the market looked like at the entry. It joins the ledger's fills with the stored
// bars; the arithmetic is in package market.
//
// Results are kept per trade. They follow from fills and bars, and nothing calls this
// package when those change: [Service.Refresh] reads all changes since the last time from
// the ledger's log and the bar log, and computes these trades again. An outdated state is
// therefore found whatever happened in between.
package excursions

import (
	"context"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/parallel"
	"fillbook/internal/prices/bars"
	"fillbook/internal/prices/market"
	"fillbook/internal/trading/ledger"
)

// Reason is why a trade has no excursion.
type Reason string

// The reasons.
const (
	NoBars               Reason = "no_bars"
	NotEnoughBars        Reason = "not_enough_bars"
	NoCalendar           Reason = "no_calendar"
	DailyBarsOnly        Reason = "daily_bars_only"
	FillsOutsideBars     Reason = "fills_outside_bars"
	DifferentMultipliers Reason = "different_multipliers"
	UnknownRate          Reason = "unknown_rate"
	TimesTooCoarse       Reason = "times_too_coarse"
	MaybeSplit           Reason = "maybe_split"
)

// sentences are the reasons as messages.
var sentences = map[Reason]string{
	NoBars:               "There are no price bars for this instrument while the trade was open. Import some.",
	NotEnoughBars:        "Price bars cover less than 90 % of the holding time. Import the missing ones.",
	NoCalendar:           "The trading hours of this instrument are not known, so time without bars counts as missing. Import bars of four weeks around the trade.",
	DailyBarsOnly:        "Daily bars say nothing about a trade this short. Import bars of a minute or less.",
	FillsOutsideBars:     "A fill is far outside its price bar. The bars are of another market, adjusted, or in another time zone.",
	DifferentMultipliers: "The fills of this trade have different multipliers.",
	UnknownRate:          "The result is in another currency than the prices, and the rate is unknown.",
	TimesTooCoarse:       "The times of the fills are not precise enough for these bars.",
	MaybeSplit:           "The price jumped while the trade was open, by about the ratio of a split of shares. The fills before and the bars after it may have different units.",
}

// Sentence returns the reason as a message for the trader.
func (r Reason) Sentence() string { return sentences[r] }

// Sentence returns the reason as a message for the trader, with the time in which bars are
// missing or the price jumped. It is empty if there is no reason.
func (r *Result) Sentence() string {
	const layout = "2006-01-02 15:04"
	utc := func(second int64) string { return time.Unix(second, 0).UTC().Format(layout) }
	between := utc(r.Missing.From) + " and " + utc(r.Missing.To) + " UTC."
	switch {
	case r.Missing == (market.Range{}):
	case r.Reason == NotEnoughBars, r.Reason == NoCalendar:
		return r.Reason.Sentence() + " Bars are missing between " + between
	case r.Reason == MaybeSplit:
		return r.Reason.Sentence() + " It jumped between " + between
	}
	return r.Reason.Sentence()
}

// Result is what the price did during a trade. Amounts are in account currency and before
// costs.
type Result struct {
	// Reason is why there is no excursion. If it is not empty, only Context and
	// Coverage are set.
	Reason Reason
	// Coverage is the share of the holding time with bars, from 0 to 1.
	Coverage decimal.Decimal
	// Missing contains the holding time without bars, in seconds, if that is the reason,
	// or the time of a possible split's jump. It is not stored.
	Missing market.Range

	MAE, MFE market.Bounds
	// FillsChecked counts the fills with a bar, FillsInside those with a price inside it,
	// FillsWithoutBar the others.
	FillsChecked, FillsInside, FillsWithoutBar int64

	BarSecs   int64
	PriceKind market.PriceKind
	// IsOtherSide reports whether the bars have quotes at which the position could not
	// have been closed: a short position's bid or a long position's ask. The MAE is then
	// larger by the spread, and the MFE smaller.
	IsOtherSide bool
	// Source is the layout of the newest file behind the bars.
	Source string

	// GrossAtExit is the result before costs, BestExitLow and BestExitHigh bound the best
	// possible result of the last fill in its session. They are absent while the trade is
	// open.
	GrossAtExit, BestExitLow, BestExitHigh decimal.Null
	// AfterExit is what the last fill would have brought more at each of
	// [AfterExitMinutes], and last at SessionEnd, which is in seconds since 1970.
	AfterExit  [len(AfterExitMinutes) + 1]decimal.Null
	SessionEnd int64
	// Stop and Target are what orders at the levels in a [Plan] would have brought in the
	// session. They are not stored.
	Stop, Target market.PlannedExit

	Context market.Context
}

// AfterExitMinutes are the minutes after the exit at which prices are compared.
var AfterExitMinutes = [...]int64{5, 15, 30, 60}

// Tables returns the tables with results. They follow from bars, so a copy without bars
// leaves them out: bar changes are numbered from 1 again in the copy.
func Tables() []string { return []string{"excursion_accounts", "trade_excursions"} }

// IsAvailable reports whether there is an excursion.
func (r *Result) IsAvailable() bool { return r.Reason == "" }

// IsWhole reports whether bars cover the whole holding time. Otherwise the upper
// bounds are only what the bars show.
func (r *Result) IsWhole() bool { return r.Coverage.Equal(one) }

// IsExact reports whether bounds are the value itself.
func (r *Result) IsExact(b market.Bounds) bool { return r.IsWhole() && b.Equal() && !r.IsOtherSide }

// GivenBack bounds the part of the MFE not kept: none if the result is above it, and at
// most all of it, because a loss is not profit given back. It is absent while the trade is
// open.
func (r *Result) GivenBack() (low, high decimal.Null) {
	if !r.GrossAtExit.Valid {
		return low, high
	}
	gross := r.GrossAtExit.Decimal
	return decimal.Of(givenBack(r.MFE.Low, gross)), decimal.Of(givenBack(r.MFE.High, gross))
}

func givenBack(best, gross decimal.Decimal) decimal.Decimal {
	switch back := best.Sub(gross); {
	case back.Sign() < 0:
		return decimal.Zero
	case gross.Sign() < 0:
		return best
	default:
		return back
	}
}

// ratioScale is the number of decimals in ratios.
const ratioScale = 6

// EntryEfficiency bounds MFE / (MFE + MAE): 1 if the price never went against the
// position. It is absent if the price did not move.
func (r *Result) EntryEfficiency() (low, high decimal.Null) {
	return share(r.MFE.Low, r.MFE.Low.Add(r.MAE.High)), share(r.MFE.High, r.MFE.High.Add(r.MAE.Low))
}

// ExitEfficiency bounds (result + MAE) / (MFE + MAE): 1 if the exit was at the best
// price. It is absent while the trade is open.
func (r *Result) ExitEfficiency() (low, high decimal.Null) {
	if !r.GrossAtExit.Valid {
		return low, high
	}
	gross := r.GrossAtExit.Decimal
	return share(gross.Add(r.MAE.Low), r.MFE.High.Add(r.MAE.Low)), share(gross.Add(r.MAE.High), r.MFE.Low.Add(r.MAE.High))
}

func share(part, whole decimal.Decimal) decimal.Null {
	if whole.Sign() <= 0 {
		return decimal.Null{}
	}
	return decimal.Of(part.DivRound(whole, ratioScale))
}

var one = decimal.New(1)

// Service computes and keeps excursions. It is safe for concurrent use. Each method is
// one transaction.
type Service struct {
	db         *db.DB
	lockWait   time.Duration
	sliceFills int
	// owners let one refresh per owner run at a time: a page sends several requests at once,
	// and the first computes what the others need.
	owners parallel.Locks[journal.UserID]
}

// New returns a Service.
func New(d *db.DB) *Service {
	return &Service{db: d, lockWait: lockWait, sliceFills: sliceFills}
}

// Plan is the prices at which a trader wanted to close a trade.
type Plan struct{ Stop, Target decimal.Null }

// Measure computes the excursion for one of the owner's trades from the stored bars, and
// what its plan would have brought.
func (s *Service) Measure(ctx context.Context, owner journal.UserID, id journal.TradeID, plan Plan) (result Result, err error) {
	err = s.db.View(ctx, func(tx *db.Tx) error {
		if err := ledger.CheckTradeOwner(ctx, tx, owner, id); err != nil {
			return err
		}
		m, err := newMeter(ctx, tx, owner)
		if err != nil {
			return err
		}
		m.plan = plan
		return ledger.EachPositionByID(ctx, tx, owner, []journal.TradeID{id}, func(list ledger.InstrumentPositions) error {
			return m.measure(list, func(_ journal.TradeID, r *Result) { result = *r })
		})
	})
	return result, err
}

// meter computes excursions in one transaction.
type meter struct {
	ctx    context.Context
	tx     *db.Tx
	owner  journal.UserID
	lookup *bars.Lookup
	// sessions are the sessions for all calendars used so far.
	sessions map[market.Calendar]*market.Sessions
	// plan belongs to the trade, if only one is measured.
	plan Plan

	// position is the trade being measured, memory holds bars for reuse by the next
	// series.
	position market.Position
	memory   []market.Bar
}

func newMeter(ctx context.Context, tx *db.Tx, owner journal.UserID) (*meter, error) {
	lookup, err := bars.LoadLookup(ctx, tx, owner)
	return &meter{ctx: ctx, tx: tx, owner: owner, lookup: lookup, sessions: map[market.Calendar]*market.Sessions{}}, err
}

// hasContext reports whether something is known about the entry.
func (r *Result) hasContext() bool {
	c := &r.Context
	return c.ATR.Valid || c.GapPct.Valid || c.RelativeVolume.Valid || c.OpeningRangePlace.Valid
}
