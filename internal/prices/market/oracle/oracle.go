// Package oracle computes excursions a second time, slowly and independently of package
// market: bar by bar, in fractions, straight from the definition in docs/metrics.md.
// Tests and the installation check compare the two.
package oracle

import (
	"math/big"

	"fillbook/internal/prices/market"
)

// Excursion is what MeasureExcursion should return, in fractions.
type Excursion struct {
	MAELow, MAEHigh, MFELow, MFEHigh *big.Rat
}

const micros = 1_000_000

// MeasureExcursion computes the excursion for fills with exact times.
func MeasureExcursion(fills []market.Fill, multiplier *big.Rat, b market.Block) Excursion {
	certain, possible := []*big.Rat{new(big.Rat)}, []*big.Rat{new(big.Rat)}
	for i := range fills {
		value := result(fills[:i+1], fills[i].Price.Rat(), multiplier)
		certain, possible = append(certain, value), append(possible, value)
	}
	for _, bar := range b.Bars {
		begin, end := bar.Time*micros, (bar.Time+b.Secs)*micros
		parts := partsDuring(fills, begin, end)
		if parts == nil {
			continue
		}
		for _, number := range []int64{bar.High, bar.Low} {
			results := resultsOf(parts, price(number, b.PriceScale), multiplier)
			possible = append(possible, results...)
			// The price was reached in one of the parts. So the best result is at least
			// the least, and the worst at most the greatest.
			certain = append(certain, leastAboveZero(results), greatestBelowZero(results))
		}
		certain = append(certain,
			result(parts[0], price(bar.Open, b.PriceScale), multiplier),
			result(parts[len(parts)-1], price(bar.Close, b.PriceScale), multiplier))
	}
	possible = append(possible, certain...)
	return Excursion{
		MAELow: neg(least(certain)), MAEHigh: neg(least(possible)),
		MFELow: greatest(certain), MFEHigh: greatest(possible),
	}
}

// partsDuring returns the fills done in each part of a bar, or nil if nothing was held
// during the whole bar.
func partsDuring(fills []market.Fill, begin, end int64) [][]market.Fill {
	var parts [][]market.Fill
	done := 0
	for done < len(fills) && fills[done].At < begin {
		done++
	}
	parts = append(parts, fills[:done])
	for done < len(fills) && fills[done].At < end {
		instant := fills[done].At
		for done < len(fills) && fills[done].At == instant {
			done++
		}
		parts = append(parts, fills[:done])
	}
	if len(parts) == 1 && held(parts[0]).Sign() == 0 {
		return nil
	}
	return parts
}

func held(fills []market.Fill) *big.Rat {
	sum := new(big.Rat)
	for _, f := range fills {
		sum.Add(sum, f.Quantity.Rat())
	}
	return sum
}

func result(fills []market.Fill, price, multiplier *big.Rat) *big.Rat {
	sum := new(big.Rat).Mul(held(fills), price)
	for _, f := range fills {
		sum.Sub(sum, new(big.Rat).Mul(f.Quantity.Rat(), f.Price.Rat()))
	}
	return sum.Mul(sum, multiplier)
}

func resultsOf(parts [][]market.Fill, price, multiplier *big.Rat) (list []*big.Rat) {
	for _, part := range parts {
		list = append(list, result(part, price, multiplier))
	}
	return list
}

func price(number int64, scale int32) *big.Rat {
	return new(big.Rat).SetFrac(big.NewInt(number), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil))
}

func least(list []*big.Rat) *big.Rat {
	found := list[0]
	for _, value := range list {
		if value.Cmp(found) < 0 {
			found = value
		}
	}
	return found
}

func greatest(list []*big.Rat) *big.Rat {
	found := list[0]
	for _, value := range list {
		if value.Cmp(found) > 0 {
			found = value
		}
	}
	return found
}

func leastAboveZero(list []*big.Rat) *big.Rat {
	if found := least(list); found.Sign() > 0 {
		return found
	}
	return new(big.Rat)
}

func greatestBelowZero(list []*big.Rat) *big.Rat {
	if found := greatest(list); found.Sign() < 0 {
		return found
	}
	return new(big.Rat)
}

func neg(value *big.Rat) *big.Rat { return new(big.Rat).Neg(value) }
