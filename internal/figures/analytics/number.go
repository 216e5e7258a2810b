package analytics

import (
	"math"
	"math/big"
	"math/bits"

	"fillbook/internal/base/decimal"
)

// number is the arithmetic behind the figures. There are two: int128, and exact for the
// few accounts whose amounts do not fit. A figure is one generic function for both, and a
// test compares them.
//
// An int128 does not store its decimal scale; decimal and float take it as an argument.
// An exact number stores it and ignores the argument.
type number[T any] interface {
	add(T) T
	sub(T) T
	times(k int64) T
	cmp(T) int
	sign() int
	decimal(scale int32) decimal.Decimal
	float(scale int32) float64
	// gather reads one amount for each pick, at the scale; total adds them up. totalTo
	// adds up a column's rows before end.
	gather(into []T, from []*amounts, picks []pick, scale int32)
	total(from []*amounts, picks []pick, scale int32) T
	totalTo(end int32, of *amounts, scale int32) T
	// key returns an int64 that sorts like the number, if there is one.
	key() (int64, bool)
	// fromKey returns the number with a key.
	fromKey(key int64) T

	// The following are loops over whole columns; see vectors.go.
	signs(into []outcome, values []T)
	sumOutcomes(sums []T, of []int32, values []T, results []outcome)
	sumGroups(sums []T, of []int32, values []T)
	sumBeforeEach(into, values []T) T
	deepestFall(values []T) T
	floats(into []float64, values []T, scale int32)
	keys(into []int64, values []T) bool
}

// chooseArithmetic returns the version of a figure's function to use for a selection.
func chooseArithmetic[F any](s *Selection, fixed, unbounded F) F {
	if s.unbounded {
		return unbounded
	}
	return fixed
}

// int128 is a 128-bit whole number in two's complement. Amounts enter below 2^amountBits
// without their sign, so the sum of 2^31 amounts, or a small multiple, cannot overflow;
// amounts.go ensures this.
type int128 struct {
	hi int64
	lo uint64
}

// amountBits bounds the amounts for 128-bit arithmetic: 28 digits.
const amountBits = 95

func newInt128(v int64) int128 { return int128{hi: v >> 63, lo: uint64(v)} }

func (a int128) add(b int128) int128 {
	lo, carry := bits.Add64(a.lo, b.lo, 0)
	return int128{hi: a.hi + b.hi + int64(carry), lo: lo}
}

func (a int128) sub(b int128) int128 {
	lo, borrow := bits.Sub64(a.lo, b.lo, 0)
	return int128{hi: a.hi - b.hi - int64(borrow), lo: lo}
}

func (a int128) times(k int64) int128 {
	hi, lo := bits.Mul64(a.lo, uint64(k))
	if k < 0 { // uint64(k) is k + 2^64
		hi -= a.lo
	}
	return int128{hi: int64(hi) + a.hi*k, lo: lo}
}

// scaleUp returns a × 10^k. The caller must ensure it fits.
func (a int128) scaleUp(k int32) int128 {
	if k == 0 {
		return a
	}
	for top := int32(len(powers) - 1); k > top && a.sign() != 0; k -= top {
		a = a.times(powers[top])
	}
	return a.times(powers[min(k, int32(len(powers)-1))])
}

// bitGrowth returns how many bits a number grows at most when it is scaled up by k.
func bitGrowth(k int32) int {
	if k == 0 {
		return 0
	}
	return int(math.Ceil(float64(k) * (math.Ln10 / math.Ln2)))
}

// cmp relies on the bound: a difference cannot overflow. It and sign have no branches,
// because result signs are not predictable.
func (a int128) cmp(b int128) int { return a.sub(b).sign() }

func (a int128) sign() int {
	bits := uint64(a.hi) | a.lo
	return int(a.hi>>63) | int((bits|-bits)>>63)
}

// abs returns the number without its sign.
func (a int128) abs() int128 {
	if a.hi < 0 {
		return int128{}.sub(a)
	}
	return a
}

// length returns the number's bit length without its sign.
func (a int128) length() int {
	a = a.abs()
	if a.hi != 0 {
		return 64 + bits.Len64(uint64(a.hi))
	}
	return bits.Len64(a.lo)
}

func (a int128) key() (int64, bool) {
	v := int64(a.lo)
	return v, a.hi == v>>63
}

func (int128) fromKey(key int64) int128 { return newInt128(key) }

func (a int128) decimal(scale int32) decimal.Decimal {
	if v, small := a.key(); small {
		return decimal.FromScaled(v, scale)
	}
	// hi × 2^64 + lo, with the lower half taken in two signed parts.
	const half = 32
	shift := decimal.FromScaled(1<<half, 0)
	d := decimal.FromScaled(a.hi, scale).Mul(shift).Add(decimal.FromScaled(int64(a.lo>>half), scale)).Mul(shift)
	return d.Add(decimal.FromScaled(int64(a.lo&(1<<half-1)), scale))
}

// exactInts bounds the whole numbers that a float has exactly.
const exactInts = 1 << 53

// float returns the float nearest to a / 10^scale, as decimal.Float64 does, without
// big numbers if 64 bits are enough.
func (a int128) float(scale int32) float64 {
	v, small := a.key()
	switch {
	case small && -exactInts <= v && v <= exactInts && int(scale) < len(floatPowers):
		return float64(v) / floatPowers[scale]
	case small && int(scale) < len(powers):
		return divideToFloat(v, uint64(powers[scale]))
	}
	return a.decimal(scale).Float64()
}

// divideToFloat returns the float nearest to v / d: 62 or more quotient bits, a last bit
// set for a remainder, and one rounding.
func divideToFloat(v int64, d uint64) float64 {
	n := uint64(v)
	if v < 0 {
		n = -n
	}
	up, down := bits.LeadingZeros64(n), bits.LeadingZeros64(d)
	q, rest := bits.Div64(n<<up>>1, n<<up<<63, d<<down)
	if rest != 0 {
		q |= 1
	}
	f := math.Ldexp(float64(q), down-up-63)
	if v < 0 {
		return -f
	}
	return f
}

// powers are the powers of ten in an int64, and floatPowers those a float holds exactly.
var (
	powers = [...]int64{
		1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
	}
	floatPowers = [...]float64{
		1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
	}
)

func (int128) gather(into []int128, from []*amounts, picks []pick, scale int32) {
	for len(picks) > 0 {
		run := firstRun(picks)
		column := from[run[0].source]
		if narrow := column.narrow; narrow != nil && column.scale == scale {
			for i, p := range run {
				into[i] = newInt128(narrow[p.row])
			}
		} else {
			for i, p := range run {
				into[i] = column.fixedAt(p.row).scaleUp(scale - column.scale)
			}
		}
		into, picks = into[len(run):], picks[len(run):]
	}
}

func (a int128) total(from []*amounts, picks []pick, scale int32) int128 {
	for len(picks) > 0 {
		run := firstRun(picks)
		column, sum := from[run[0].source], int128{}
		if narrow := column.narrow; narrow != nil {
			for _, p := range run {
				sum = sum.add(newInt128(narrow[p.row]))
			}
		} else {
			for _, p := range run {
				sum = sum.add(column.wide[p.row])
			}
		}
		a, picks = a.add(sum.scaleUp(scale-column.scale)), picks[len(run):]
	}
	return a
}

func (int128) totalTo(end int32, of *amounts, scale int32) (sum int128) {
	if of.narrow != nil {
		for _, v := range of.narrow[:end] {
			sum = sum.add(newInt128(v))
		}
	} else {
		for _, v := range of.wide[:end] {
			sum = sum.add(v)
		}
	}
	return sum.scaleUp(scale - of.scale)
}

// exact is an unbounded decimal. It is slower by two orders of magnitude. Accounts that
// trade fractions of 10^-18 at prices of 10^-18 need it.
type exact struct{ d decimal.Decimal }

func (a exact) add(b exact) exact             { return exact{a.d.Add(b.d)} }
func (a exact) sub(b exact) exact             { return exact{a.d.Sub(b.d)} }
func (a exact) times(k int64) exact           { return exact{a.d.Mul(decimal.New(k))} }
func (a exact) cmp(b exact) int               { return a.d.Cmp(b.d) }
func (a exact) sign() int                     { return a.d.Sign() }
func (a exact) decimal(int32) decimal.Decimal { return a.d }
func (a exact) float(int32) float64           { return a.d.Float64() }
func (a exact) key() (int64, bool)            { return 0, a.d.IsZero() }
func (exact) fromKey(int64) exact             { return exact{} } // only 0 has a key

func (exact) gather(into []exact, from []*amounts, picks []pick, _ int32) {
	for i, p := range picks {
		into[i] = exact{from[p.source].at(p.row)}
	}
}

func (a exact) total(from []*amounts, picks []pick, _ int32) exact {
	for _, p := range picks {
		a.d = a.d.Add(from[p.source].at(p.row))
	}
	return a
}

func (exact) totalTo(end int32, of *amounts, _ int32) (sum exact) {
	for row := range end {
		sum.d = sum.d.Add(of.at(row))
	}
	return sum
}

// int128FromDigits parses decimal digits. It returns false above amountBits.
func int128FromDigits(digits []byte, negative bool) (int128, bool) {
	const maxSafeDigits = 28 // 10^28 is below 2^95
	if len(digits) > maxSafeDigits {
		n, ok := new(big.Int).SetString(string(digits), 10)
		if !ok || n.BitLen() > amountBits {
			return int128{}, false
		}
	}
	var v int128
	for _, c := range digits {
		v = v.times(10).add(newInt128(int64(c - '0')))
	}
	if negative {
		v = int128{}.sub(v)
	}
	return v, true
}
