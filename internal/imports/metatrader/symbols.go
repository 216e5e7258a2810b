package metatrader

import (
	"strings"

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

func isCurrency(code string) bool {
	return !strings.Contains(code, " ") && strings.Contains(currencies, code)
}
