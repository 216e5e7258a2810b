package ibkr

import (
	"slices"
	"strings"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
	"fillbook/internal/instruments"
)

// Types that the journal has no word of its own for.
const (
	bond    = "bond"
	warrant = "warrant"
)

// assetClasses are codes of Flex queries and words of statements, English and
// German, that the shared words for types do not have.
var assetClasses = map[string]string{
	"mutual funds": instruments.TypeStock, "aktien- und indexoptionen": instruments.TypeOption, "devisen": instruments.TypeForex,
	"cryptocurrencies": instruments.TypeCrypto,
	"war":              warrant, "warrants": warrant, "iopt": warrant, "structured products": warrant, "optionsscheine": warrant,
	"bonds": bond, "bill": bond, "treasury bills": bond, "anleihen": bond,
}

// assetClass returns the instrument type for a code or word; an unknown one is
// kept.
func assetClass(word string) string {
	if known, ok := assetClasses[strings.ToLower(word)]; ok {
		return known
	}
	return statement.InstrumentType(word)
}

// currencies are those that pairs are made of, to tell EUR.USD from the share
// EIT.UN where no asset class is given.
var currencies = strings.Fields(`AED AUD BGN BRL CAD CHF CNH CNY CZK DKK EUR GBP HKD HUF ILS INR JPY KRW KZT MXN NOK NZD PLN RON
	RUB SAR SEK SGD THB TRY TWD USD ZAR`)

// isPair reports whether a symbol is a pair of currencies.
func isPair(symbol string) bool {
	base, quote, ok := strings.Cut(symbol, ".")
	return ok && slices.Contains(currencies, base) && slices.Contains(currencies, quote)
}

// setInstrument sets the instrument of a fill. The file's own multiplier counts where one
// unit is not simply one unit.
func setInstrument(f *statement.Fill, symbol, kind string, multiplier decimal.Null) {
	if kind == "" && isPair(strings.ToUpper(symbol)) {
		kind = instruments.TypeForex
	}
	f.Multiplier = multiplierOf(kind, multiplier)
	f.Name(symbol, kind)
}

// multiplierOf is the multiplier of an instrument, none where it is that of its type. A
// bond is quoted in hundredths of its face value.
func multiplierOf(kind string, stated decimal.Null) decimal.Null {
	one := decimal.New(1)
	switch {
	case kind == bond && (!stated.Valid || stated.Decimal.Sign() <= 0 || stated.Decimal.Equal(one)):
		return decimal.Of(decimal.Must("0.01"))
	case kind == instruments.TypeStock || kind == instruments.TypeForex || stated.Decimal.Sign() <= 0:
		return decimal.Null{}
	case kind == "" && stated.Decimal.Equal(one):
		return decimal.Null{}
	}
	return stated
}

// readContract completes an option from columns of their own, for symbols that do
// not tell it: options on futures, and those of European exchanges.
func readContract(w *statement.Row, f *statement.Fill) {
	right := strings.ToLower(w.Text("Put/Call|putCall"))
	if f.Right != "" || right == "" {
		return
	}
	switch right[0] {
	case 'c':
		f.Right = string(instruments.Call)
	case 'p':
		f.Right = string(instruments.Put)
	default:
		w.Fail("%q is neither a call nor a put.", right)
	}
	f.Type = instruments.TypeOption
	f.Strike, f.Expiry = w.Null("Strike"), w.Day("Expiry")
	if underlying := w.Text("UnderlyingSymbol"); underlying != "" {
		f.Symbol = strings.ToUpper(underlying)
	}
}
