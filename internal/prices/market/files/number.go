package files

import (
	"cmp"
	"errors"

	"fillbook/internal/base/decimal"
	"fillbook/internal/prices/market"
)

// number is an integer with its decimals: 10025 and 2 for 100.25.
type number struct {
	coef  int64
	scale int32
}

var errNumber = errors.New("not a number")

// parseNumber parses a price or a volume. Plain numbers with up to 18 digits are parsed
// here, because a file has millions of them; exponents are left to package decimal.
func parseNumber(text []byte) (number, error) {
	digits, isNegative := text, false
	if len(digits) > 0 && (digits[0] == '-' || digits[0] == '+') {
		isNegative, digits = digits[0] == '-', digits[1:]
	}
	var n number
	point, count := -1, 0
	for i, c := range digits {
		switch {
		case c >= '0' && c <= '9' && count < 18:
			n.coef = n.coef*10 + int64(c-'0')
			if n.coef != 0 {
				count++
			}
		case c == '.' && point < 0:
			point = i
		default:
			return parseLongNumber(text)
		}
	}
	if len(digits) == 0 || point >= 0 && len(digits) == 1 {
		return number{}, errNumber
	}
	if point >= 0 {
		n.scale = int32(len(digits) - point - 1)
	}
	if isNegative {
		n.coef = -n.coef
	}
	if n = n.trim(); n.scale > market.MaxScale {
		return number{}, errNumber
	}
	return n, nil
}

// parseLongNumber parses a number with an exponent or with more digits than are
// needed, such as 0.30000000000000004, which it rounds.
func parseLongNumber(text []byte) (number, error) {
	d, err := decimal.Parse(string(text))
	if err != nil {
		return number{}, errNumber
	}
	d = d.Round(market.MaxPriceScale)
	scale := d.Scale()
	whole := d.Mul(decimal.FromScaled(powers[scale], 0)).Rat()
	if !whole.IsInt() || !whole.Num().IsInt64() {
		return number{}, errNumber
	}
	return number{coef: whole.Num().Int64(), scale: scale}, nil
}

// trim removes trailing zeros from the decimals.
func (n number) trim() number {
	for n.scale > 0 && n.coef%10 == 0 {
		n.coef, n.scale = n.coef/10, n.scale-1
	}
	return n
}

// round returns the number with at most so many decimals, rounded half to even.
func (n number) round(scale int32) number {
	if n.scale <= scale {
		return n
	}
	divisor := powers[n.scale-scale]
	quotient, rest := n.coef/divisor, n.coef%divisor
	if double := 2 * max(rest, -rest); double > divisor || double == divisor && quotient%2 != 0 {
		quotient += int64(cmp.Compare(rest, 0))
	}
	return number{coef: quotient, scale: scale}.trim()
}

// toPrice returns the number as a price, or an error if it is too large.
func (n number) toPrice() (number, error) {
	n = n.round(market.MaxPriceScale)
	if n.coef < market.MaxPrice && n.coef > -market.MaxPrice {
		return n, nil // whatever its decimals are
	}
	if whole := n.coef / powers[n.scale]; whole >= market.MaxPrice || whole <= -market.MaxPrice {
		return number{}, errRange
	}
	return n, nil
}

// scaleTo returns the number as an integer at a larger scale, and whether it fits.
func (n number) scaleTo(scale int32) (int64, bool) {
	if n.scale == scale { // a division takes as long as the rest
		return n.coef, n.coef <= market.MaxNumber && n.coef >= -market.MaxNumber
	}
	factor := powers[scale-n.scale]
	fits := n.coef <= market.MaxNumber/factor && n.coef >= -market.MaxNumber/factor
	return n.coef * factor, fits
}

// powers are the powers of ten within 64 bits.
var powers = func() (list [market.MaxScale + 1]int64) {
	list[0] = 1
	for i := range market.MaxScale {
		list[i+1] = list[i] * 10
	}
	return list
}()

// times returns the product as a price.
func (n number) times(factor number) (number, error) {
	product, err := parseNumber([]byte(decimal.FromScaled(n.coef, n.scale).Mul(decimal.FromScaled(factor.coef, factor.scale)).String()))
	if err != nil {
		return number{}, err
	}
	return product.toPrice()
}
