package statement

import (
	"slices"
	"strings"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/lazyregexp"
	"fillbook/internal/intake/parse"
	"fillbook/internal/trading/instruments"
)

// NameAny builds an instrument from the symbol itself: an option with its contract, a
// future written as one, anything else as it is. See [Fill.Name].
func NameAny(symbol, kind string) Instrument {
	var f Fill
	f.Name(symbol, kind)
	return f.instrument()
}

// NewOption returns the instrument for an option contract.
func NewOption(o instruments.Option) Instrument {
	var f Fill
	f.Contract(o)
	return f.instrument()
}

// NamePlain keeps the symbol as it is, in capitals and with single blanks.
func NamePlain(symbol, kind string) Instrument {
	return Instrument{Symbol: strings.ToUpper(strings.Join(strings.Fields(symbol), " ")), Type: kind}
}

// NameWithoutExchange is [NameAny] without an exchange before the symbol, as in
// NASDAQ:AAPL.
func NameWithoutExchange(symbol, kind string) Instrument {
	return NameAny(WithoutExchange(symbol), kind)
}

// NameFirstWord is [NameAny] for a symbol followed by the company name.
func NameFirstWord(symbol, kind string) Instrument {
	word, _, _ := strings.Cut(strings.TrimSpace(symbol), " ")
	return NameAny(word, kind)
}

// NameFuture builds a future. Prefixes for routing orders are dropped if the rest is a
// known contract. Another type is kept.
func NameFuture(symbol, kind string) Instrument {
	name := strings.ToUpper(strings.Join(strings.Fields(symbol), " "))
	for _, prefix := range routingPrefixes {
		if rest, ok := strings.CutPrefix(name, prefix); ok && isKnownFuture(rest) {
			name = rest
			break
		}
	}
	if kind != "" && kind != instruments.TypeFuture {
		return NameAny(name, kind)
	}
	return Instrument{Symbol: name, Type: instruments.TypeFuture}
}

// routingPrefixes are what platforms put before a contract to say where an order
// for it goes.
var routingPrefixes = []string{"CON.F.US.", "F.US.", "CM.", "/"}

// isKnownFuture reports whether the contract table has a symbol.
func isKnownFuture(symbol string) bool {
	_, ok := instruments.ParseFuture(symbol)
	return ok
}

// treasuries are the roots whose prices are quoted in 32nds.
var treasuries = []string{"ZB", "UB", "ZN", "TN", "ZF", "ZT", "Z3N", "TWE"}

// isTreasury reports whether a future's prices may be written in 32nds.
func isTreasury(symbol string) bool {
	c, ok := instruments.ParseFuture(symbol)
	return ok && slices.Contains(treasuries, c.Root.Symbol)
}

// NamePair builds a coin pair from its market name.
func NamePair(symbol, _ string) Instrument {
	i := Instrument{Symbol: strings.ToUpper(strings.TrimSpace(symbol)), Type: instruments.TypeCrypto}
	i.Base, i.Quote = SplitPair(symbol)
	return i
}

// NameCoin builds a coin priced in the row's currency.
func NameCoin(symbol, _ string) Instrument {
	symbol = strings.ToUpper(strings.TrimSpace(symbol))
	return Instrument{Symbol: symbol, Type: instruments.TypeCrypto, Base: symbol}
}

// NameCoinContract builds a contract on a coin, which may be an option.
func NameCoinContract(symbol, _ string) Instrument {
	base, quote := SplitPair(symbol)
	return NewCoinContract(symbol, base, quote)
}

// NewCoinContract returns a contract on a coin pair. One contract is one coin.
func NewCoinContract(symbol, base, quote string) Instrument {
	i := Instrument{
		Symbol: strings.ToUpper(strings.TrimSpace(symbol)), Type: instruments.TypeFuture, Base: base, Quote: quote, IsContract: true,
	}
	i.parseCoinOption()
	return i
}

// coinOption is how exchanges name options: BTC-27JUN25-100000-C, with the settlement
// coin after it or, after an underscore, after the first coin. Some write the day in
// figures, and a d for the point in the strike.
var coinOption = lazyregexp.New(`^([A-Z0-9]+)(?:[-_]USDC?)?-(\d{1,2}[A-Z]{3}\d{2}|\d{6})-(\d+(?:[.D]\d+)?)-([CP])(?:-[A-Z]+)?$`)

// parseCoinOption makes the instrument an option if its symbol is one.
func (i *Instrument) parseCoinOption() {
	found := coinOption().FindStringSubmatch(i.Symbol)
	if found == nil {
		return
	}
	layout := "2Jan06"
	if strings.Trim(found[2], "0123456789") == "" {
		layout = "060102"
	}
	expiry, err := time.Parse(layout, found[2])
	if err != nil {
		return
	}
	strike, err := decimal.Parse(strings.Replace(found[3], "D", ".", 1))
	if err != nil {
		return
	}
	i.Symbol, i.Type, i.Right = found[1], instruments.TypeOption, "call"
	if found[4] == "P" {
		i.Right = "put"
	}
	i.Strike, i.Expiry = decimal.Of(strike), journal.Day(expiry.Format(time.DateOnly))
}

// IsISIN reports whether a text looks like a security number.
func IsISIN(text string) bool {
	const length, letters = 12, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	return len(text) == length && strings.Trim(text, letters+"0123456789") == "" && strings.Trim(text[:2], letters) == ""
}

// isCUSIP reports whether a text is a CUSIP and not a ticker: nine characters beginning
// with a digit.
func isCUSIP(text string) bool {
	const length = 9
	return len(text) == length && parse.IsDigit(text[0]) && strings.Trim(text, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// instrument returns a fill's instrument.
func (f *Fill) instrument() Instrument {
	return Instrument{
		Symbol: f.Symbol, Type: f.Type, Right: f.Right, Strike: f.Strike, Expiry: f.Expiry, Multiplier: f.Multiplier,
	}
}

// SetInstrument makes the fill one in an instrument.
func (f *Fill) SetInstrument(i Instrument) { f.setInstrument(&i) }

func (f *Fill) setInstrument(i *Instrument) {
	f.Symbol, f.Type, f.Right, f.Strike, f.Expiry = i.Symbol, i.Type, i.Right, i.Strike, i.Expiry
	if i.Multiplier.Valid {
		f.Multiplier = i.Multiplier
	}
}
