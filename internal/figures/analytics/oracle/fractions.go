package oracle

import (
	"math"
	"math/big"
	"slices"
	"time"
)

func add(a, b *big.Rat) *big.Rat { return new(big.Rat).Add(a, b) }
func sub(a, b *big.Rat) *big.Rat { return new(big.Rat).Sub(a, b) }
func mul(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }
func quo(a, b *big.Rat) *big.Rat { return new(big.Rat).Quo(a, b) }
func neg(a *big.Rat) *big.Rat    { return new(big.Rat).Neg(a) }
func whole(n int) *big.Rat       { return new(big.Rat).SetInt64(int64(n)) }

func seconds(d time.Duration) *big.Rat { return big.NewRat(int64(d), int64(time.Second)) }

// mapTrades returns one amount for every trade.
func mapTrades(list []*Trade, amount func(*Trade) *big.Rat) []*big.Rat {
	out := make([]*big.Rat, len(list))
	for i, t := range list {
		out[i] = amount(t)
	}
	return out
}

// volume returns a trade's volume, or 0 if it is unknown.
func volume(t *Trade) *big.Rat { return orZero(t.Volume) }

func net(t *Trade) *big.Rat  { return t.Net }
func hold(t *Trade) *big.Rat { return seconds(t.holdTime()) }

func sum(values []*big.Rat) *big.Rat {
	common, rest := big.NewInt(1), new(big.Int) // a denominator that fits all
	for _, v := range values {
		if d := v.Denom(); rest.Rem(common, d).Sign() != 0 {
			rest.GCD(nil, nil, common, d)
			common.Mul(common, d).Quo(common, rest)
		}
	}
	total, scaled := new(big.Int), new(big.Int)
	for _, v := range values {
		total.Add(total, scaled.Mul(v.Num(), scaled.Quo(common, v.Denom())))
	}
	return new(big.Rat).SetFrac(total, common)
}

// mean returns nil without values.
func mean(values []*big.Rat) *big.Rat {
	if len(values) == 0 {
		return nil
	}
	return quo(sum(values), whole(len(values)))
}

// median returns nil without values.
func median(values []*big.Rat) *big.Rat {
	n := len(values)
	if n == 0 {
		return nil
	}
	values = sortedCopy(values, func(a, b *big.Rat) int { return a.Cmp(b) })
	return quo(add(values[(n-1)/2], values[n/2]), whole(2))
}

// greatest returns the greatest value, or zero if none is above zero.
func greatest(values []*big.Rat) *big.Rat {
	top := new(big.Rat)
	for _, v := range values {
		if v.Cmp(top) > 0 {
			top = v
		}
	}
	return top
}

// variance divides by n − 1. It returns nil for fewer than two values.
func variance(values []*big.Rat) *big.Rat {
	if len(values) < 2 {
		return nil
	}
	middle, total := mean(values), new(big.Rat)
	for _, v := range values {
		d := sub(v, middle)
		total = add(total, mul(d, d))
	}
	return quo(total, whole(len(values)-1))
}

// divide returns a / b, or nil if one is nil or b is zero.
func divide(a, b *big.Rat) *big.Rat {
	if a == nil || b == nil || b.Sign() == 0 {
		return nil
	}
	return quo(a, b)
}

// orZero returns r, or 0 if it is nil.
func orZero(r *big.Rat) *big.Rat {
	if r == nil {
		return new(big.Rat)
	}
	return r
}

// float returns r as a float, or nil if r is nil.
func float(r *big.Rat) any {
	if r == nil {
		return nil
	}
	f, _ := r.Float64()
	return f
}

func squareRoot(r *big.Rat) float64 {
	f, _ := r.Float64()
	return math.Sqrt(f)
}

// roundTo rounds half to even to some decimals.
func roundTo(r *big.Rat, decimals int64) *big.Rat {
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(decimals), nil)
	scaled := mul(r, new(big.Rat).SetInt(unit))
	floor := new(big.Int).Div(scaled.Num(), scaled.Denom()) // rounds down, also below zero
	rest := sub(scaled, new(big.Rat).SetInt(floor))
	half := rest.Cmp(big.NewRat(1, 2))
	if half > 0 || half == 0 && floor.Bit(0) == 1 {
		floor.Add(floor, big.NewInt(1))
	}
	return new(big.Rat).SetFrac(floor, unit)
}

// Money averages are rounded to averageDecimals, but terminating averages are exact up to
// exactDecimals.
const averageDecimals, exactDecimals = 12, 18

// average returns the rounded money mean, or 0 without values.
func average(values []*big.Rat) *big.Rat {
	m := orZero(mean(values))
	if terminates(m) {
		return roundTo(m, exactDecimals)
	}
	return roundTo(m, averageDecimals)
}

// terminates reports whether a fraction in lowest terms has finitely many decimals: its
// denominator then divides a power of ten.
func terminates(r *big.Rat) bool {
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(r.Denom().BitLen())), nil)
	return power.Rem(power, r.Denom()).Sign() == 0
}

func share(part, all int) *big.Rat { return divide(whole(part), whole(all)) }

// longest returns the longest true run's length.
func longest(marks []bool) int {
	best, run := 0, 0
	for _, m := range marks {
		run++
		if !m {
			run = 0
		}
		best = max(best, run)
	}
	return best
}

func keysOf[K comparable, V any](m map[K]V, order func(a, b K) int) []K {
	var keys []K
	for k := range m {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, order)
	return keys
}
