package statement

import (
	"strings"

	"fillbook/internal/base/decimal"
	"fillbook/internal/trading/instruments"
)

// typeWords are the words for instrument types in files.
var typeWords = map[string]string{
	"stock": instruments.TypeStock, "stocks": instruments.TypeStock, "share": instruments.TypeStock, "shares": instruments.TypeStock,
	"stk": instruments.TypeStock, "equity": instruments.TypeStock, "equities": instruments.TypeStock, "eq": instruments.TypeStock,
	"etf": instruments.TypeStock, "etfs": instruments.TypeStock, "fund": instruments.TypeStock, "adr": instruments.TypeStock,
	"common stock": instruments.TypeStock, "aktie": instruments.TypeStock, "aktien": instruments.TypeStock,
	"option": instruments.TypeOption, "options": instruments.TypeOption, "opt": instruments.TypeOption, "optn": instruments.TypeOption,
	"equity option": instruments.TypeOption, "stock option": instruments.TypeOption, "future option": instruments.TypeOption,
	"fop": instruments.TypeOption, "futures options": instruments.TypeOption, "index option": instruments.TypeOption,
	"equity and index options": instruments.TypeOption, "options on futures": instruments.TypeOption,
	"future": instruments.TypeFuture, "futures": instruments.TypeFuture, "fut": instruments.TypeFuture,
	"forex": instruments.TypeForex, "fx": instruments.TypeForex, "cash": instruments.TypeForex, "currency": instruments.TypeForex,
	"crypto": instruments.TypeCrypto, "cryptocurrency": instruments.TypeCrypto, "spot": instruments.TypeCrypto,
	"cfd": instruments.TypeCFD, "cfds": instruments.TypeCFD, "index": instruments.TypeCFD,
}

// InstrumentType reads a file's word for a type; an unknown word is kept, in lower case,
// as the journal takes any.
func InstrumentType(word string) string {
	word = strings.ToLower(strings.TrimSpace(word))
	if known, ok := typeWords[word]; ok {
		return known
	}
	return word
}

// Name sets a fill's instrument: the symbol as the file writes it, its type if the file
// states it, and what the symbol itself contains. An option becomes its underlying with
// right, strike and expiry; a future is recognized only if its symbol or the file says
// so.
func (f *Fill) Name(symbol, kind string) {
	symbol = strings.ToUpper(strings.TrimSpace(symbol))
	f.Symbol, f.Type = symbol, kind
	switch kind {
	case "", instruments.TypeOption:
		if o, ok := instruments.ParseOption(symbol); ok {
			f.Contract(o)
			return
		}
	}
	if kind == "" {
		if c, ok := instruments.ParseFuture(symbol); ok && c.Explicit {
			f.Type = instruments.TypeFuture
		}
	}
}

// Contract makes the fill one in an option.
func (f *Fill) Contract(o instruments.Option) {
	f.Type = instruments.TypeOption
	f.Symbol = strings.TrimPrefix(strings.ToUpper(o.Root), ".")
	f.Right, f.Strike, f.Expiry = string(o.Right), decimal.Of(o.Strike), o.Expiry
	if o.OnFuture {
		f.Symbol = strings.ToUpper(o.Underlying)
		if c, ok := instruments.ParseFuture(o.Underlying); ok && !f.Multiplier.Valid {
			f.Multiplier = decimal.Of(c.Root.Multiplier)
		}
	}
}

// WithoutExchange takes an exchange before the symbol away: NASDAQ:AAPL.
func WithoutExchange(symbol string) string {
	if _, after, ok := strings.Cut(symbol, ":"); ok && after != "" {
		return after
	}
	return symbol
}
