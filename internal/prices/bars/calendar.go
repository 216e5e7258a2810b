package bars

import (
	"regexp"
	"strings"

	"fillbook/internal/prices/market"
	"fillbook/internal/trading/instruments"
)

// CalendarOf returns when an instrument trades: by its type, and by what its symbol says
// about the exchange. The type may be empty if it is not known. It is [market.NoCalendar]
// if nothing is known, or if the symbol does not say which of several exchanges it is.
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
		if shareName.MatchString(symbol) {
			return market.NoCalendar // GOLD is a metal and a share
		}
	}
	return followedCalendar(symbol)
}

// followedCalendar returns the calendar of what a CFD follows: a share of an exchange, or a
// metal, an index and others by name. US30.F is an index whose suffix is the broker's.
func followedCalendar(symbol string) market.Calendar {
	byExchange, isListed := exchangeCalendar(symbol)
	byName, isNamed := market.FindCFDCalendar(plainName(symbol))
	base, _, _ := strings.Cut(symbol, ".")
	switch {
	case isNamed && (!isListed || !shareName.MatchString(base)):
		return byName
	case isListed:
		return byExchange
	}
	return market.NoCalendar
}

// SeriesCalendar returns when an instrument trades whose prices are in a series. If only
// the symbol of the series names an exchange, it is that one: VOD may have bars of LON:VOD.
func SeriesCalendar(instrumentType, symbol, seriesSymbol string) market.Calendar {
	isListed := instrumentType == instruments.TypeStock || instrumentType == instruments.TypeCFD || instrumentType == ""
	if _, ok := exchangeCalendar(strings.ToUpper(symbol)); isListed && !ok {
		if found, ok := exchangeCalendar(strings.ToUpper(seriesSymbol)); ok {
			return found
		}
	}
	return CalendarOf(instrumentType, symbol)
}

// futureCalendar returns the calendar of a future by its root, or else by the exchange of
// the root.
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

// optionCalendar returns the calendar of an option: that of the underlying future, or
// of American stocks.
func optionCalendar(symbol string) market.Calendar {
	root := instruments.RootOf(symbol, instruments.TypeOption)
	if contract, ok := instruments.ParseFuture(symbol); ok && contract.Explicit {
		return futureCalendar(symbol)
	}
	return stockCalendar(root)
}

// americanSymbol is the symbol of an American share, with its class or kind: BRK.B, ABC.WS.
var americanSymbol = regexp.MustCompile(`^[A-Z]{1,6}([.\-/ ]([A-EU]|W|WS|PR?[A-Z]?|RT))?$`)

// shareName is a symbol that may be that of a share, whatever else it means.
var shareName = regexp.MustCompile(`^[A-Z]{1,5}$`)

// stockCalendar returns the calendar of a stock by its exchange. A symbol of letters alone
// is taken to be American, unless the bars say something else; see [market.Hours].
func stockCalendar(symbol string) market.Calendar {
	if found, ok := exchangeCalendar(symbol); ok {
		return found
	}
	if americanSymbol.MatchString(symbol) {
		return market.USStocks
	}
	return market.NoCalendar
}

// exchangeCalendar returns the calendar of the exchange that a symbol names: LON:VOD,
// VOD.L.
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

// plainName returns the letters and digits of a symbol without an exchange before a colon:
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
