package matching

import "fillbook/internal/base/decimal"

// Direction is a trade's direction.
type Direction string

// The two directions, spelled as the API spells them.
const (
	Long  Direction = "long"
	Short Direction = "short"
)

// Role is a fill's effect in a trade. Within one trade a fill has one role; a fill
// crossing zero is Closing in one trade and Opening in the next.
type Role string

// A part's two roles.
const (
	Opening Role = "opening"
	Closing Role = "closing"
)

// Trade is one round trip, from flat to flat, or the position still open at a stream's
// end. Amounts that are called exact are not rounded.
type Trade struct {
	Direction Direction
	// First and Last are the first and the last fill's positions. Trades in one stream
	// never overlap: one begins where the one before ends, or later.
	First, Last Position
	// Head is where a grouping from this trade on starts; see Group.
	Head Head

	// QtyOpened is all opening parts' quantity, exact, and QtyRemaining what is not
	// closed yet: zero for a closed trade. Both, EntrySize and the averages are in the units
	// after the trade's last split; parts are in their fills' own.
	QtyOpened, QtyRemaining decimal.Decimal
	// EntryNotional and ExitNotional are exact price × quantity × multiplier sums over
	// opening and closing parts, each with its fill's multiplier.
	EntryNotional, ExitNotional decimal.Decimal
	// EntrySize is the exact quantity × multiplier sum over the opening parts: what one
	// price unit is worth for the whole position.
	EntrySize decimal.Decimal
	// Volume is the traded notional: the exact sum over all parts, without signs, in the
	// prices' currency.
	Volume decimal.Decimal
	// Rate converts notionals to the account's currency.
	Rate Rate
	// AvgEntry and AvgExit are the mean opening and closing prices, by the rule for
	// averages; nothing is computed from them. AvgExit is absent until something was
	// closed.
	AvgEntry decimal.Decimal
	AvgExit  decimal.Null
	// Multiplier is the opening fill's.
	Multiplier decimal.Decimal

	// FeesTotal and Commission are the exact sums over the trade's parts.
	FeesTotal, Commission decimal.Decimal
	// GrossPnL is the result before costs, NetPnL the result after fees and
	// commission, both absent while the trade is open. Without stated results
	// they are exact; with them, see the package comment.
	GrossPnL, NetPnL decimal.Null
	// RealizedPnL is the closed part's result, after its own costs and its entry cost
	// share. For a closed trade it is NetPnL.
	RealizedPnL decimal.Decimal
	// ReturnPct is NetPnL in percent of the entry notional without its sign, in the
	// account's currency, rounded; absent while the trade is open, when that notional is
	// zero or the rate unknown.
	ReturnPct decimal.Null

	// EndedBy is the last exit's kind, KindTrade while the trade is open. Removed reports
	// that there were exits and every one was a removal: nothing was won or lost.
	EndedBy Kind
	Removed bool

	// Anchor names what opened the trade, for Reconcile; empty if its fills say enough.
	Anchor string

	// Parts are the trade's fills in time order, each once. Skipped is how many fills
	// come before them, if the grouping began inside the trade.
	Parts   []Part
	Skipped int
}

// Part is the share that one fill has in one trade. Over the trades a fill
// belongs to, its parts sum to exactly its quantity, fees and commission, less what
// belongs to no trade (see Closure). An opening's costs are in no part.
type Part struct {
	FillID     string
	Role       Role
	Quantity   decimal.Decimal
	Fees       decimal.Decimal
	Commission decimal.Decimal
}

// Executions returns how many fills the trade has.
func (t *Trade) Executions() int { return t.Skipped + len(t.Parts) }

// IsClosed reports whether the position returned to exactly zero.
func (t *Trade) IsClosed() bool { return t.QtyRemaining.IsZero() }

// OpenedAt returns the first fill's instant, in microseconds since 1970.
func (t *Trade) OpenedAt() int64 { return t.First.At }

// ClosedAt returns the closing fill's instant, in microseconds since 1970, and false
// while the trade is open.
func (t *Trade) ClosedAt() (at int64, ok bool) {
	if !t.IsClosed() {
		return 0, false
	}
	return t.Last.At, true
}

// openingSide returns the side that adds to a position in this direction.
func (d Direction) openingSide() Side {
	if d == Short {
		return Sell
	}
	return Buy
}

// signedGain converts a long position's gain to one in direction d.
func (d Direction) signedGain(gain decimal.Decimal) decimal.Decimal {
	if d == Short {
		return gain.Neg()
	}
	return gain
}
