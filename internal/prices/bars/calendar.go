package bars

import (
	"strings"

	"fillbook/internal/base/lazyregexp"
	"fillbook/internal/prices/market"
	"fillbook/internal/trading/instruments"
)

// CalendarOf returns an instrument's trading hours: by its type, and by the exchange in
// its symbol. The type may be empty if unknown. The result is [market.NoCalendar] if
// nothing is known, or if the symbol fits several exchanges.
func CalendarOf(instrumentType, symbol string) market.Calendar {
	symbol = strings.ToUpper(strings.TrimSpace(symbol))
	switch instrumentType {
	case instruments.TypeCrypto:
		return market.AroundTheClock
	case instruments.TypeFuture:
		return futureCalendar(symbol)
	case instruments.TypeOption:
		return optionCalendar(symbol)
	case instruments.TypeStock:
		return stockCalendar(symbol)
	case instruments.TypeForex:
		if found, ok := market.FindCFDCalendar(plainName(symbol)); ok {
			return found // gold may be called a currency
		}
		return market.Forex
	case "":
		if contract, ok := instruments.ParseFuture(symbol); ok && contract.Explicit {
			return futureCalendar(symbol)
		}
		if shareName().MatchString(symbol) {
			return market.NoCalendar // GOLD is a metal and a share
		}
	}
	return followedCalendar(symbol)
}

// followedCalendar returns the calendar of a CFD's underlying: a share on an exchange, or
// a metal, an index and others by name. US30.F is an index with a broker's suffix.
func followedCalendar(symbol string) market.Calendar {
	byExchange, isListed := exchangeCalendar(symbol)
	byName, isNamed := market.FindCFDCalendar(plainName(symbol))
	base, _, _ := strings.Cut(symbol, ".")
	switch {
	case isNamed && (!isListed || !shareName().MatchString(base)):
		return byName
	case isListed:
		return byExchange
	}
	return market.NoCalendar
}

// SeriesCalendar returns the trading hours of an instrument with prices in a series. If
// only the series symbol names an exchange, it is used: VOD may have bars from LON:VOD.
func SeriesCalendar(instrumentType, symbol, seriesSymbol string) market.Calendar {
	isListed := instrumentType == instruments.TypeStock || instrumentType == instruments.TypeCFD || instrumentType == ""
	if _, ok := exchangeCalendar(strings.ToUpper(symbol)); isListed && !ok {
		if found, ok := exchangeCalendar(strings.ToUpper(seriesSymbol)); ok {
			return found
		}
	}
	return CalendarOf(instrumentType, symbol)
}

// futureCalendar returns a future's calendar by its root, or else by the root's exchange.
func futureCalendar(symbol string) market.Calendar {
	contract, ok := instruments.ParseFuture(symbol)
	if !ok {
		return market.NoCalendar
	}
	if found, ok := market.FindCalendar(market.ByRoot, contract.Root.Symbol); ok {
		return found
	}
	if found, ok := market.FindCalendar(market.ByFutures, contract.Root.Exchange); ok {
		return found
	}
	return market.NoCalendar
}

// optionCalendar returns an option's calendar: the underlying future's, or the American
// stock calendar.
func optionCalendar(symbol string) market.Calendar {
	root := instruments.RootOf(symbol, instruments.TypeOption)
	if contract, ok := instruments.ParseFuture(symbol); ok && contract.Explicit {
		return futureCalendar(symbol)
	}
	return stockCalendar(root)
}

// americanSymbol matches an American share symbol, with its class or kind: BRK.B, ABC.WS.
var americanSymbol = lazyregexp.New(`^[A-Z]{1,6}([.\-/ ]([A-EU]|W|WS|PR?[A-Z]?|RT))?$`)

// shareName matches a possible share symbol, whatever else it means.
var shareName = lazyregexp.New(`^[A-Z]{1,5}$`)

// stockCalendar returns a stock's calendar by its exchange. A symbol with letters alone
// is assumed to be American, unless the bars show otherwise; see [market.Hours].
func stockCalendar(symbol string) market.Calendar {
	if found, ok := exchangeCalendar(symbol); ok {
		return found
	}
	if americanSymbol().MatchString(symbol) {
		return market.USStocks
	}
	return market.NoCalendar
}

// exchangeCalendar returns the calendar for the exchange in a symbol: LON:VOD, VOD.L.
func exchangeCalendar(symbol string) (market.Calendar, bool) {
	if before, _, ok := strings.Cut(symbol, ":"); ok {
		if found, ok := market.FindCalendar(market.ByExchange, before); ok {
			return found, true
		}
	}
	if at := strings.LastIndexByte(symbol, '.'); at > 0 {
		return market.FindCalendar(market.BySuffix, symbol[at+1:])
	}
	return market.Calendar{}, false
}

// plainName returns a symbol's letters and digits without an exchange before a colon:
// XAUUSD for OANDA:XAU/USD.
func plainName(symbol string) string {
	if _, after, ok := strings.Cut(symbol, ":"); ok {
		symbol = after
	}
	return strings.Map(func(c rune) rune {
		if c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' {
			return c
		}
		return -1
	}, symbol)
}
