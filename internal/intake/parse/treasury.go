package parse

import (
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/lazyregexp"
)

// thirtySeconds is a price in points and 32nds. The 32nds may be followed by a half as a
// plus sign, decimals, or one digit for eighths.
var thirtySeconds = lazyregexp.New(`^(-?)(\d{1,4})['-]([0-2]\d|3[01])(?:(\+)|\.(\d{1,3})|([0-35-8]))?$`)

// eighths are the thousandths of a 32nd meant by the third digit: it is the eighth's
// first decimal, so 4 and 9 do not occur.
var eighths = map[string]int{"0": 0, "1": 125, "2": 250, "3": 375, "5": 500, "6": 625, "7": 750, "8": 875}

// Treasury32 reads a price in 32nds, the way US treasury futures are quoted: 114'07,
// 114-075, 114'07.5 and 114'07+. It is exact, as 1/32 is 0.03125.
//
// Number reads some of these as well, 114'075 as 114075: which is meant depends on the
// instrument, which the caller has.
func Treasury32(text string) (decimal.Decimal, bool) {
	if len(text) > longestNumber {
		return decimal.Zero, false
	}
	parts := thirtySeconds().FindStringSubmatch(PlainSigns(TrimCell(text)))
	if parts == nil {
		return decimal.Zero, false
	}
	thousandths := eighths[parts[6]]
	switch {
	case parts[4] != "":
		thousandths = 500
	case parts[5] != "":
		thousandths = number((parts[5] + "00")[:3])
	}
	ticks := int64(number(parts[3])*1000 + thousandths)
	// A thousandth of a 32nd is 0.00003125.
	price := decimal.New(int64(number(parts[2]))).Add(decimal.FromScaled(ticks*3125, 8))
	if parts[1] != "" {
		price = price.Neg()
	}
	return price, true
}
