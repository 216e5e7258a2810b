package demo

import (
	"fmt"
	"math"
	"slices"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/matching"
)

// tradingAccount is an account during the simulation.
type tradingAccount struct {
	accountData
	busyUntil map[string]time.Time // when the latest trade ends, by instrument
	trades    []*trade
	wings     []*trade         // see addWing
	fills     []ledger.NewFill // in time order, after groupFills
	// intended is the result the account should have by now and result its actual one,
	// both in usual risks.
	intended, result float64
}

// trade is a trade with the trader's reasons and its fills.
type trade struct {
	outcome
	instrument      // the traded one: for an option not the series'
	buys       bool // opens with a purchase; for an option this is not the plan's direction
	option     *optionRule
	contract   contract
	day        journal.Day
	phase      phase
	setup      string
	mistake    string  // a tag; empty for a trade by the rules
	size       float64 // factor for the usual risk
	units      int64   // in the smallest units
	risk       float64 // in money
	fills      []*ledger.NewFill
	matched    matching.Trade // after groupFills
	sold       *trade         // of a wing: the trade that it limits
}

// enter sizes a trade by its risk and executes it. It returns nil if the instrument has
// an open position at that time or the risk is too high.
func (s *simulation) enter(a *tradingAccount, rng random, t *trade) *trade {
	t.instrument, t.buys, t.day = t.series.instrument, t.long, t.series.sessions[t.at.session].day
	unitRisk := float64(t.stop) * t.tickSize() * float64(t.Multiplier)
	units := t.size * a.Risk / unitRisk
	switch t.market.Kind {
	case "future":
		t.Symbol += deliveryCode(t.Symbol, t.day)
		units = min(units, 15)
	default:
		units = min(units, a.MaxAmount/(float64(t.entry())*t.tickSize()))
	}
	if t.option != nil {
		unitRisk = s.setContract(t)
		units = min(t.size*a.Risk*1.2/unitRisk, 12)
	}
	precision := math.Pow10(int(t.Digits))
	t.units = max(int64(math.Round(units*precision)), 1)
	if t.market.Kind == "stock" && t.units > 20 {
		t.units -= t.units % 5
	}
	t.risk = float64(t.units) / precision * unitRisk
	busy := a.busyUntil[t.stream()]
	if t.risk > 4.5*a.Risk || !t.series.timeAt(t.at).After(busy) {
		return nil
	}
	a.execute(t, rng, busy)
	return t
}

// stream returns the key by which fills are grouped to trades.
func (t *trade) stream() string { return fmt.Sprint(t.Symbol, t.contract) }

// deliveryCode returns a future's contract month: the next quarter, or for oil the month
// after next.
func deliveryCode(root string, d journal.Day) string {
	ahead := 3 - int(d.Time().Month())%3
	if root == "CL" {
		ahead = 2
	}
	month := time.Date(d.Year(), d.Time().Month()+time.Month(ahead), 1, 0, 0, 0, 0, time.UTC)
	return fmt.Sprintf("%c%02d", "FGHJKMNQUVXZ"[month.Month()-1], month.Year()%100)
}

// execute fills a trade's orders, all after an instant.
func (a *tradingAccount) execute(t *trade, rng random, after time.Time) {
	held, wing := int64(0), a.newWing(t)
	for number, action := range t.actions {
		quantity := int64(math.Round(float64(t.units)*action.opens + float64(held)*action.closes))
		if held == 0 {
			quantity = max(quantity, 1)
		}
		if quantity == 0 || action.closes > 0 && action.closes < 1 && quantity == held {
			continue // cannot be divided
		}
		s := t.series.sessions[action.at.session]
		at := s.openingOf(action.at.bar).Add(time.Duration(rng.IntN(s.Minutes*60-9)) * time.Second)
		if !at.After(after) {
			at = after.Add(time.Duration(rng.whole(300, 1900)) * time.Millisecond)
		}
		known := len(t.fills)
		after = t.fillOrder(rng, action, quantity, at)
		if wing != nil {
			wing.follow(t.fills[known:], action, fmt.Sprintf("%d%02d", 410_000+len(a.trades), number+1))
		}
		if action.closes > 0 {
			quantity = -quantity
		}
		held += quantity
	}
	a.busyUntil[t.stream()] = after
	if wing != nil {
		a.busyUntil[wing.stream()] = after
		a.wings = append(a.wings, wing)
	}
	a.trades = append(a.trades, t)
	a.intended += t.phase.Edge * t.size
	if t.ending == stillOn {
		a.busyUntil[t.stream()] = after.AddDate(100, 0, 0)
		if wing != nil {
			a.busyUntil[wing.stream()] = a.busyUntil[t.stream()]
		}
	} else {
		a.result += t.cashFlow() / a.Risk
	}
	// A lucky or unlucky run is not compensated for months.
	a.intended = min(max(a.intended, a.result-6), a.result+6)
}

// fillOrder fills an order, some larger ones in two parts, and returns the time after it.
func (t *trade) fillOrder(rng random, order action, quantity int64, at time.Time) time.Time {
	side := matching.Sell
	if (order.opens > 0) == t.buys {
		side = matching.Buy
	}
	parts := []int64{quantity}
	if quantity > 3 && rng.chance(0.33) {
		first := max(quantity*int64(rng.whole(20, 70))/100, 1)
		parts = []int64{first, quantity - first}
	}
	for _, part := range parts {
		f := &ledger.NewFill{
			Symbol: t.Symbol, InstrumentType: t.market.Kind, Side: side, Quantity: decimal.FromScaled(part, t.Digits),
			Price: t.instrument.price(t.quote(order)), Multiplier: decimal.Of(decimal.New(t.Multiplier)), ExecutedAt: at,
		}
		if t.option != nil {
			f.Details = t.contract.details()
		}
		t.market.charge(f)
		t.fills = append(t.fills, f)
		at = at.Add(time.Duration(rng.whole(15, 900)) * time.Millisecond)
	}
	return at
}

// quote returns an order's price in ticks of the traded instrument.
func (t *trade) quote(order action) int {
	if t.option != nil {
		return t.quoteOption(order)
	}
	return order.price
}

// charge sets a fill's costs. An expired option has none.
func (m market) charge(f *ledger.NewFill) {
	if f.Price.IsZero() {
		return
	}
	quantity := f.Quantity.Float64()
	f.Commission = toCents(max(m.MinCommission, m.Commission*quantity))
	f.Fees = toCents(m.Fee*quantity + m.FeeShare*quantity*f.Price.Float64()*f.Multiplier.Decimal.Float64())
}

// toCents rounds an amount.
func toCents(amount float64) decimal.Decimal {
	return decimal.FromScaled(int64(math.Round(amount*100)), 2)
}

// cashFlow returns a closed trade's result after costs.
func (t *trade) cashFlow() (sum float64) {
	for _, f := range t.fills {
		amount := f.Price.Mul(f.Quantity).Float64() * float64(t.Multiplier)
		if f.Side == matching.Buy {
			amount = -amount
		}
		sum += amount - f.Fees.Float64() - f.Commission.Float64()
	}
	return sum
}

// groupFills numbers the fills in time order and computes each trade's result.
func (a *tradingAccount) groupFills() {
	var all []*ledger.NewFill
	streams := map[string][]*ledger.NewFill{}
	slices.SortStableFunc(a.trades, func(x, y *trade) int { return x.openedAt().Compare(y.openedAt()) })
	for _, t := range slices.Concat(a.trades, a.wings) {
		for _, f := range t.fills {
			if n := len(all); n == 0 || !slices.Contains(streams[t.stream()], f) { // a fill crossing zero has two trades
				all = append(all, f)
				streams[t.stream()] = append(streams[t.stream()], f)
			}
		}
	}
	slices.SortStableFunc(all, func(x, y *ledger.NewFill) int { return x.ExecutedAt.Compare(y.ExecutedAt) })
	for i, f := range all {
		f.ExternalID = fmt.Sprintf("%s-%06d", a.Type[:2], 100_000+i*7)
		a.fills = append(a.fills, *f)
	}
	opened := map[string]matching.Trade{}
	for _, fills := range streams {
		for _, matched := range groupTrades(fills) {
			opened[matched.Parts[0].FillID] = matched
		}
	}
	for _, t := range slices.Concat(a.trades, a.wings) {
		t.matched = opened[t.opening()]
	}
}

// groupTrades returns the trades in one stream, as the ledger computes them.
func groupTrades(fills []*ledger.NewFill) []matching.Trade {
	list := make([]matching.Fill, 0, len(fills))
	for _, f := range fills {
		list = append(list, matching.Fill{
			ID: f.ExternalID, At: f.ExecutedAt.UnixMicro(), Side: f.Side, Quantity: f.Quantity, Price: f.Price,
			Multiplier: f.Multiplier.Decimal, Fees: f.Fees, Commission: f.Commission,
		})
	}
	slices.SortFunc(list, matching.CompareFills)
	return matching.Group(list, matching.Head{})
}

// opening returns the opening fill's external id.
func (t *trade) opening() string { return t.fills[0].ExternalID }

func (t *trade) openedAt() time.Time { return t.fills[0].ExecutedAt }

// closedAt returns when the trade was closed, and whether it is closed.
func (t *trade) closedAt() (time.Time, bool) {
	at, closed := t.matched.ClosedAt()
	return time.UnixMicro(at).UTC(), closed
}

// net returns a closed trade's result.
func (t *trade) net() decimal.Decimal { return t.matched.NetPnL.Decimal }
