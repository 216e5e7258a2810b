package ibkr

import (
	"slices"
	"strings"

	"fillbook/internal/base/decimal"
	"fillbook/internal/intake/statement"
	"fillbook/internal/trading/instruments"
)

// Types without a word in the journal.
const (
	bond    = "bond"
	warrant = "warrant"
)

// assetClasses are Flex query codes and statement words, English and German, missing from
// the shared type words.
var assetClasses = map[string]string{
	"mutual funds": instruments.TypeStock, "aktien- und indexoptionen": instruments.TypeOption, "devisen": instruments.TypeForex,
	"cryptocurrencies": instruments.TypeCrypto,
	"war":              warrant, "warrants": warrant, "iopt": warrant, "structured products": warrant, "optionsscheine": warrant,
	"bonds": bond, "bill": bond, "treasury bills": bond, "anleihen": bond,
}

// assetClassParts are parts of asset class words in the broker's languages, the most
// specific first: a warrant is an Optionsschein in German, and options are on shares,
// indices or futures.
var assetClassParts = []struct{ kind, parts string }{
	{warrant, "optionsschein|warrant|варрант|ワラント|权证|權證|窝轮|窩輪"},
	{instruments.TypeOption, "option|opcion|opzion|optie|opções|опцион|オプション|期权|期權"},
	{instruments.TypeFuture, "futur|фьючерс|先物|期货|期貨"},
	{instruments.TypeCFD, "cfd|差价合约|差價合約"},
	{instruments.TypeForex, "forex|fórex|форекс|devis|外国為替|外汇|外匯"},
	{instruments.TypeCrypto, "crypto|krypto|cripto|крипто|暗号資産|加密"},
	{bond, "bond|anleihe|obligat|obligac|obbligazion|bonos|títulos|облигац|債券|债券"},
	{instruments.TypeStock, "stock|aktien|actions|acciones|azioni|aandel|ações|акци|株式|股票|fonds|fund|fondo|fondi|fundo|фонд|投資信託|基金"},
}

// assetClass returns the instrument type for a code or word in any of the broker's
// languages; an unknown one is kept.
func assetClass(word string) string {
	lower := strings.ToLower(word)
	if known, ok := assetClasses[lower]; ok {
		return known
	}
	if kind := statement.InstrumentType(word); kind != lower {
		return kind
	}
	for _, class := range assetClassParts {
		for part := range strings.SplitSeq(class.parts, "|") {
			if strings.Contains(lower, part) {
				return class.kind
			}
		}
	}
	return statement.InstrumentType(word)
}

// knownClasses are the types found by assetClass.
var knownClasses = []string{
	instruments.TypeStock, instruments.TypeOption, instruments.TypeFuture, instruments.TypeForex, instruments.TypeCrypto, instruments.TypeCFD, bond, warrant,
}

// classOf returns an instrument's type in an activity statement. If the class word is
// unknown, a currency pair is forex, and a contract's symbol says what it is.
func classOf(word, symbol string) string {
	class := assetClass(word)
	if slices.Contains(knownClasses, class) {
		return class
	}
	if isPair(strings.ToUpper(symbol)) {
		return instruments.TypeForex
	}
	if _, ok := instruments.ParseOption(symbol); ok {
		return ""
	}
	return class
}

// currencies are those used in pairs, to tell EUR.USD from the share EIT.UN without an
// asset class.
var currencies = strings.Fields(`AED AUD BGN BRL CAD CHF CNH CNY CZK DKK EUR GBP HKD HUF ILS INR JPY KRW KZT MXN NOK NZD PLN RON
	RUB SAR SEK SGD THB TRY TWD USD ZAR`)

// isPair reports whether a symbol is a currency pair.
func isPair(symbol string) bool {
	base, quote, ok := strings.Cut(symbol, ".")
	return ok && slices.Contains(currencies, base) && slices.Contains(currencies, quote)
}

// setInstrument sets a fill's instrument. The file's own multiplier counts where one unit
// is not simply one unit.
func setInstrument(f *statement.Fill, symbol, kind string, multiplier decimal.Null) {
	if kind == "" && isPair(strings.ToUpper(symbol)) {
		kind = instruments.TypeForex
	}
	f.Multiplier = multiplierOf(kind, multiplier)
	f.Name(symbol, kind)
}

// multiplierOf returns an instrument's multiplier, none if it is its type's. A bond is
// quoted in hundredths of its face value.
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

// readContract completes an option from separate columns, for symbols without the
// contract: options on futures, and those on European exchanges.
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
