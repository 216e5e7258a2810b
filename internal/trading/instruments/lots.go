package instruments

import (
	"strings"

	"fillbook/internal/base/decimal"
)

// currencies are the codes of currency pairs.
const currencies = "AED ARS AUD BGN BRL CAD CHF CLP CNH CNY COP CZK DKK EUR GBP HKD HRK HUF IDR ILS INR ISK JPY KRW KWD " +
	"MXN MYR NGN NOK NZD PEN PHP PLN RON RUB SAR SEK SGD THB TRY TWD UAH USD VND ZAR"

// codeLength is the length of the code of a currency or a metal.
const codeLength = 3

// Sizes of a lot, in units of what is traded. They are the same at nearly every
// broker; sizes of other contracts for difference are not.
var (
	forexLot  = decimal.New(100_000)
	metalLots = map[string]decimal.Decimal{
		"XAU": decimal.New(100), "XAG": decimal.New(5_000), "XPT": decimal.New(100), "XPD": decimal.New(100),
	}
)

// IsCurrencyPair reports whether a symbol begins with two currencies. Brokers
// add their own suffixes to a pair, such as EURUSD.pro, eurusdm and
// EURUSD+.
func IsCurrencyPair(symbol string) bool {
	first, second := splitCodes(symbol)
	return isCurrency(first) && isCurrency(second)
}

// LotSize returns how many units one lot of an instrument is, so price times lots times
// size is the notional in the price's currency. It is absent if the size depends on the
// broker.
func LotSize(symbol string) decimal.Null {
	first, second := splitCodes(symbol)
	if !isCurrency(second) {
		return decimal.Null{}
	}
	if isCurrency(first) {
		return decimal.Of(forexLot)
	}
	size, metal := metalLots[first]
	return decimal.Null{Decimal: size, Valid: metal}
}

// LotMultiplier returns the multiplier for a quantity in lots: the lot size, or 1 if it is
// unknown, so only stated results convert it. A quantity of a thousand or more is in
// units, even if the column says lots.
func LotMultiplier(symbol string, quantity decimal.Decimal) decimal.Decimal {
	const minUnits = 1000
	size := LotSize(symbol)
	if !size.Valid || quantity.Abs().Cmp(decimal.New(minUnits)) >= 0 {
		return decimal.New(1)
	}
	return size.Decimal
}

// splitCodes returns the first two codes of a symbol, empty if it is too short.
func splitCodes(symbol string) (first, second string) {
	pair := strings.ToUpper(strings.TrimLeft(strings.TrimSpace(symbol), "#."))
	if len(pair) > codeLength && strings.ContainsRune("/_-", rune(pair[codeLength])) {
		pair = pair[:codeLength] + pair[codeLength+1:]
	}
	if len(pair) < 2*codeLength {
		return "", ""
	}
	return pair[:codeLength], pair[codeLength : 2*codeLength]
}

func isCurrency(code string) bool {
	return len(code) == codeLength && !strings.Contains(code, " ") && strings.Contains(currencies, code)
}
