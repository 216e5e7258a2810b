package strategies

import (
	"slices"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/instruments"
)

// Kind is the name of a shape.
type Kind string

// The kinds.
const (
	Single              Kind = "single"
	CoveredCall         Kind = "covered_call"
	ProtectivePut       Kind = "protective_put"
	Collar              Kind = "collar"
	Vertical            Kind = "vertical"
	Straddle            Kind = "straddle"
	Strangle            Kind = "strangle"
	Guts                Kind = "guts"
	IronCondor          Kind = "iron_condor"
	IronButterfly       Kind = "iron_butterfly"
	Butterfly           Kind = "butterfly"
	BrokenWingButterfly Kind = "broken_wing_butterfly"
	Condor              Kind = "condor"
	Ratio               Kind = "ratio"
	Backspread          Kind = "backspread"
	Calendar            Kind = "calendar"
	Diagonal            Kind = "diagonal"
	DoubleCalendar      Kind = "double_calendar"
	DoubleDiagonal      Kind = "double_diagonal"
	JadeLizard          Kind = "jade_lizard"
	RiskReversal        Kind = "risk_reversal"
	Conversion          Kind = "conversion"
	Box                 Kind = "box"
	Synthetic           Kind = "synthetic"
	Custom              Kind = "custom"
)

// kinds are all kinds. Among shapes with equally many legs, detection prefers the first.
var kinds = []Kind{
	Single, Vertical, Straddle, Strangle, IronCondor, IronButterfly, Butterfly, BrokenWingButterfly, Condor, Box, Collar, Conversion,
	JadeLizard, Calendar, Diagonal, DoubleCalendar, DoubleDiagonal, CoveredCall, ProtectivePut, Synthetic, RiskReversal, Guts, Ratio,
	Backspread, Custom,
}

// Kinds lists the kinds.
func Kinds() []Kind { return slices.Clone(kinds) }

// Direction is a shape's direction, empty if it has none.
type Direction string

// The directions.
const (
	Long  Direction = "long"
	Short Direction = "short"
	Bull  Direction = "bull"
	Bear  Direction = "bear"
)

// contract is an option in a shape, with the number of contracts after dividing by the
// greatest common divisor.
type contract struct {
	root     string
	adjusted bool
	right    instruments.Right
	strike   decimal.Decimal
	expiry   journal.Day
	n        int64
}

// maxContracts is the most options in a shape that has a name.
const maxContracts = 4

// Recognize returns the kind and direction of an opening. What no rule names is custom.
func Recognize(members []Member) (Kind, Direction) {
	options, stock, ok := newShape(members)
	if !ok {
		return Custom, ""
	}
	switch {
	case len(options) == 0:
		return Single, longIf(stock > 0)
	case stock != 0:
		return recognizeWithStock(options, stock)
	}
	recognize := []func([]contract) (Kind, Direction){recognizeOne, recognizeTwo, recognizeThree, recognizeFour}
	return recognize[len(options)-1](options)
}

// newShape returns the options in order of expiry, strike and right, and the stock in the
// same units: what the options need is rounded down. It returns false for shapes without a
// name.
func newShape(members []Member) (options []contract, stock int64, ok bool) {
	options = make([]contract, 0, maxContracts)
	var perContract decimal.Decimal
	shares, quantities := decimal.Zero, make([]decimal.Decimal, 0, maxContracts)
	for i := range members {
		m := &members[i]
		if m.Stock {
			shares = shares.Add(m.Quantity)
			continue
		}
		if m.Quantity.IsZero() {
			return nil, 0, false
		}
		size := m.Size.DivRound(m.Quantity, scale)
		if len(options) > 0 && !size.Equal(perContract) {
			return nil, 0, false
		}
		perContract = size
		c := contract{root: m.Root, adjusted: m.Adjusted, right: m.Right, strike: m.Strike, expiry: m.Expiry}
		at := slices.IndexFunc(options, func(o contract) bool { return o.compare(&c) == 0 })
		if at >= 0 {
			quantities[at] = quantities[at].Add(m.Quantity)
			continue
		}
		if len(options) == maxContracts {
			return nil, 0, false
		}
		options, quantities = append(options, c), append(quantities, m.Quantity)
	}
	if len(options) == 0 {
		return nil, int64(shares.Sign()), !shares.IsZero()
	}
	divisor, ok := divideByGCD(options, quantities)
	if !ok {
		return nil, 0, false
	}
	slices.SortFunc(options, func(a, b contract) int { return a.compare(&b) })
	if !shares.IsZero() {
		if perContract.Sign() <= 0 {
			return nil, 0, false
		}
		stock = wholeUnits(shares.DivRound(perContract.Mul(divisor), scale))
		if stock == 0 {
			return nil, 0, false // too few shares
		}
	}
	return options, stock, rootsAgree(options)
}

// wholeUnits returns a number without its fraction.
func wholeUnits(units decimal.Decimal) int64 {
	n, _ := units.Abs().Round(0).ToScaled(0)
	if decimal.New(n).Cmp(units.Abs()) > 0 {
		n--
	}
	return n * int64(units.Sign())
}

func (c *contract) compare(d *contract) int {
	a := Leg{Root: c.root, Right: c.right, Strike: c.strike, Expiry: c.expiry}
	b := Leg{Root: d.root, Right: d.right, Strike: d.strike, Expiry: d.expiry}
	return compareContracts(&a, &b)
}

// divideByGCD sets the numbers of contracts to the smallest integers with the ratios of the
// quantities, and returns the divisor.
func divideByGCD(options []contract, quantities []decimal.Decimal) (divisor decimal.Decimal, ok bool) {
	digits, gcd := int32(0), int64(0)
	for _, q := range quantities {
		digits = max(digits, q.Scale())
	}
	for i, q := range quantities {
		n, ok := q.ToScaled(digits)
		if !ok || n == 0 {
			return decimal.Zero, false
		}
		options[i].n = n
		for a := max(n, -n); a != 0; {
			gcd, a = a, gcd%a
		}
	}
	for i := range options {
		options[i].n /= gcd
	}
	return decimal.FromScaled(gcd, digits), true
}

// rootsAgree reports whether contracts can be compared: an adjusted contract delivers
// something else than the others, and different roots, such as SPX and SPXW, settle at
// different times of their last day.
func rootsAgree(options []contract) bool {
	for i := range options {
		for j := range i {
			a, b := &options[i], &options[j]
			if a.root != b.root && (a.adjusted || b.adjusted || a.expiry == b.expiry) {
				return false
			}
		}
	}
	return true
}

func longIf(long bool) Direction {
	if long {
		return Long
	}
	return Short
}

func bullIf(bull bool) Direction {
	if bull {
		return Bull
	}
	return Bear
}

func recognizeOne(o []contract) (Kind, Direction) { return Single, longIf(o[0].n > 0) }

func recognizeTwo(o []contract) (Kind, Direction) {
	a, b := &o[0], &o[1]
	switch {
	case a.expiry != b.expiry:
		return recognizeCalendar(a, b)
	case a.right == b.right:
		return recognizeSpread(a, b)
	case a.n == b.n:
		return recognizeStrangle(o)
	case a.n == -b.n:
		call, put := splitRights(a, b)
		if call.strike.Equal(put.strike) {
			return Synthetic, longIf(call.n > 0)
		}
		return RiskReversal, bullIf(call.n > 0)
	}
	return Custom, ""
}

// recognizeSpread names two contracts with one expiry and right; a has the lower strike.
func recognizeSpread(a, b *contract) (Kind, Direction) {
	near, far := a, b
	if a.right == instruments.Put {
		near, far = b, a
	}
	switch {
	case (a.n > 0) == (b.n > 0):
		return Custom, ""
	case a.n == -b.n:
		return Vertical, bullIf(a.n > 0)
	case abs(far.n) < abs(near.n):
		return Custom, ""
	case near.n > 0:
		return Ratio, ""
	}
	return Backspread, ""
}

// recognizeStrangle names a call and a put with the same sign and number.
func recognizeStrangle(o []contract) (Kind, Direction) {
	call, put := splitRights(&o[0], &o[1])
	kind := Guts
	switch put.strike.Cmp(call.strike) {
	case 0:
		kind = Straddle
	case -1:
		kind = Strangle
	}
	return kind, longIf(call.n > 0)
}

// recognizeCalendar names two contracts with different expiries; a expires first.
func recognizeCalendar(a, b *contract) (Kind, Direction) {
	switch {
	case a.right != b.right || a.n != -b.n || a.expiry == "":
		return Custom, ""
	case a.strike.Equal(b.strike):
		return Calendar, longIf(b.n > 0)
	}
	return Diagonal, longIf(b.n > 0)
}

func splitRights(a, b *contract) (call, put *contract) {
	if a.right == instruments.Call {
		return a, b
	}
	return b, a
}

// splitByRight returns calls and puts, each in order.
func splitByRight(o []contract) (calls, puts []contract) {
	for _, c := range o {
		if c.right == instruments.Call {
			calls = append(calls, c)
		} else {
			puts = append(puts, c)
		}
	}
	return calls, puts
}

// expiries returns the number of different expiries; the contracts are sorted by them.
func expiries(o []contract) int {
	n := 1
	for i := 1; i < len(o); i++ {
		if o[i].expiry != o[i-1].expiry {
			n++
		}
	}
	return n
}

func recognizeThree(o []contract) (Kind, Direction) {
	calls, puts := splitByRight(o)
	if expiries(o) > 1 {
		return Custom, ""
	}
	if len(calls) == 0 || len(puts) == 0 {
		if o[0].n != o[2].n || o[1].n != -2*o[0].n {
			return Custom, ""
		}
		if o[1].strike.Sub(o[0].strike).Equal(o[2].strike.Sub(o[1].strike)) {
			return Butterfly, longIf(o[0].n > 0)
		}
		return BrokenWingButterfly, longIf(o[0].n > 0)
	}
	if isLizard(calls, puts) {
		return JadeLizard, ""
	}
	return Custom, ""
}

// isLizard reports whether the contracts are a short put below a short call spread, or the
// mirror: a short call above a short put spread.
func isLizard(calls, puts []contract) bool {
	if len(calls) == 2 {
		return puts[0].n == -1 && calls[0].n == -1 && calls[1].n == 1 && puts[0].strike.Cmp(calls[0].strike) <= 0
	}
	return calls[0].n == -1 && puts[1].n == -1 && puts[0].n == 1 && puts[1].strike.Cmp(calls[0].strike) <= 0
}

func recognizeFour(o []contract) (Kind, Direction) {
	for i := range o {
		if abs(o[i].n) != 1 {
			return Custom, ""
		}
	}
	calls, puts := splitByRight(o)
	switch {
	case expiries(o) == 2 && len(calls) == 2:
		return recognizeDouble(calls, puts)
	case expiries(o) > 1:
		return Custom, ""
	case len(calls) == 2:
		return recognizeIron(calls, puts)
	case len(calls) != 0 && len(puts) != 0:
		return Custom, ""
	case o[0].n == o[3].n && o[1].n == o[2].n && o[0].n == -o[1].n &&
		o[1].strike.Sub(o[0].strike).Equal(o[3].strike.Sub(o[2].strike)):
		return Condor, longIf(o[0].n > 0)
	}
	return Custom, ""
}

// recognizeIron names a call spread and a put spread with one expiry.
func recognizeIron(calls, puts []contract) (Kind, Direction) {
	switch {
	case calls[0].n == calls[1].n || puts[0].n == puts[1].n:
		return Custom, ""
	case calls[0].strike.Equal(puts[0].strike) && calls[1].strike.Equal(puts[1].strike) && calls[0].n == puts[1].n:
		return Box, longIf(calls[0].n > 0)
	case puts[0].n != calls[1].n || puts[1].n != calls[0].n:
		return Custom, ""
	}
	switch puts[1].strike.Cmp(calls[0].strike) {
	case 0:
		return IronButterfly, longIf(calls[0].n > 0)
	case -1:
		return IronCondor, longIf(calls[0].n > 0)
	}
	return Custom, ""
}

// recognizeDouble names a calendar or diagonal in calls and one in puts.
func recognizeDouble(calls, puts []contract) (Kind, Direction) {
	kind, direction := recognizeCalendar(&calls[0], &calls[1])
	other, same := recognizeCalendar(&puts[0], &puts[1])
	switch {
	case kind == Custom || other == Custom || direction != same || calls[0].expiry != puts[0].expiry || calls[0].expiry == calls[1].expiry ||
		puts[0].expiry == puts[1].expiry:
		return Custom, ""
	case kind == Calendar && other == Calendar:
		return DoubleCalendar, direction
	}
	return DoubleDiagonal, direction
}

// recognizeWithStock names options with stock, in whose units stock is.
func recognizeWithStock(o []contract, stock int64) (Kind, Direction) {
	if expiries(o) > 1 || len(o) > 2 {
		return Custom, ""
	}
	if len(o) == 1 {
		switch {
		case stock < abs(o[0].n):
		case o[0].right == instruments.Call && o[0].n < 0:
			return CoveredCall, ""
		case o[0].right == instruments.Put && o[0].n > 0:
			return ProtectivePut, ""
		}
		return Custom, ""
	}
	call, put := splitRights(&o[0], &o[1])
	switch {
	case call.right != instruments.Call || put.right != instruments.Put || call.n != -put.n || abs(stock) < abs(call.n) || (stock > 0) == (call.n > 0):
		return Custom, ""
	case call.strike.Equal(put.strike):
		return Conversion, longIf(stock > 0)
	case stock > 0 && put.strike.Cmp(call.strike) < 0:
		return Collar, ""
	}
	return Custom, ""
}

func abs(n int64) int64 { return max(n, -n) }
