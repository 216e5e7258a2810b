package metatrader

import (
	"strings"

	"fillbook/internal/decimal"
	"fillbook/internal/instruments"
)

// currencies are the codes that currency pairs are made of.
const currencies = "AED ARS AUD BGN BRL CAD CHF CLP CNH CNY COP CZK DKK EUR GBP HKD HRK HUF IDR ILS INR ISK JPY KRW KWD " +
	"MXN MYR NGN NOK NZD PEN PHP PLN RON RUB SAR SEK SGD THB TRY TWD UAH USD VND ZAR"

// InstrumentType tells currency pairs from everything else that is traded in
// lots, which is a contract for difference: metals, indices, energies, coins
// and shares alike. Brokers put suffixes of their own behind a pair, such as
// EURUSD.pro, eurusdm and EURUSD+.
func InstrumentType(symbol string) string {
	pair := strings.ToUpper(strings.TrimLeft(strings.TrimSpace(symbol), "#."))
	const code = 3
	if len(pair) > code && strings.ContainsRune("/_-", rune(pair[code])) {
		pair = pair[:code] + pair[code+1:]
	}
	if len(pair) >= 2*code && isCurrency(pair[:code]) && isCurrency(pair[code:2*code]) {
		return instruments.TypeForex
	}
	return instruments.TypeCFD
}

// Sizes of a lot, in units of what is traded. They are the same at nearly every
// broker; sizes of other contracts for difference are not.
var (
	forexLot   = decimal.New(100_000)
	metalSizes = map[string]decimal.Decimal{
		"XAU": decimal.New(100), "XAG": decimal.New(5_000), "XPT": decimal.New(100), "XPD": decimal.New(100),
	}
)

// ContractSize returns how many units one lot of an instrument is, so that price
// times lots times size is the notional in the currency of the price. It is
// absent where the size is the broker's own.
func ContractSize(symbol string) decimal.Null {
	if InstrumentType(symbol) == instruments.TypeForex {
		return decimal.Of(forexLot)
	}
	const code = 3
	name := strings.ToUpper(strings.TrimLeft(strings.TrimSpace(symbol), "#."))
	if len(name) < code {
		return decimal.Null{}
	}
	rest := strings.TrimLeft(name[code:], "/_-")
	if size, metal := metalSizes[name[:code]]; metal && len(rest) >= code && isCurrency(rest[:code]) {
		return decimal.Of(size)
	}
	return decimal.Null{}
}

// LotMultiplier returns the multiplier of a quantity in lots: the size of a lot,
// or 1 where it is not known and the stated results have to tell. A quantity
// from a thousand on is in units, whatever the column is called.
func LotMultiplier(symbol string, quantity decimal.Decimal) decimal.Decimal {
	const smallest = 1000
	size := ContractSize(symbol)
	if !size.Valid || quantity.Abs().Cmp(decimal.New(smallest)) >= 0 {
		return decimal.New(1)
	}
	return size.Decimal
}

func isCurrency(code string) bool {
	return !strings.Contains(code, " ") && strings.Contains(currencies, code)
}
