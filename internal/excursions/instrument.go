package excursions

import (
	"strings"

	"fillbook/internal/bars"
	"fillbook/internal/instruments"
	"fillbook/internal/ledger"
	"fillbook/internal/market"
)

// isSeriesOf reports whether bars of a symbol are those of an instrument. A future is
// found in any writing of its contract month. An option needs bars of its own
// contract, never of its underlying.
func isSeriesOf(symbol, contract string, i ledger.Instrument) bool {
	switch i.Type {
	case instruments.TypeOption:
		return contract != "" && contract == contractText(i) && symbol == i.Symbol || contract == "" && symbol == i.Symbol && isOptionSymbol(symbol)
	case instruments.TypeFuture:
		return contract == "" && (symbol == i.Symbol || isSameDelivery(symbol, i.Symbol))
	}
	return contract == "" && symbol == i.Symbol
}

// contractText returns the contract of an option, as series of bars have it.
func contractText(i ledger.Instrument) string {
	return strings.Join([]string{string(i.Expiry), i.OptionRight, i.Strike.String()}, " ")
}

func isOptionSymbol(symbol string) bool {
	_, ok := instruments.ParseOption(symbol)
	return ok
}

// isSameDelivery reports whether two symbols are the same contract month.
func isSameDelivery(a, b string) bool {
	x, ok := instruments.ParseFuture(a)
	y, known := instruments.ParseFuture(b)
	if !ok || !known || x.Root.Symbol != y.Root.Symbol || x.Delivery.Month == 0 || x.Delivery.Month != y.Delivery.Month {
		return false
	}
	if x.Delivery.OneDigit || y.Delivery.OneDigit {
		return x.Delivery.Year%10 == y.Delivery.Year%10
	}
	return x.Delivery.Year == y.Delivery.Year
}

// calendarOf returns when an instrument trades. A share with the suffix of an exchange
// outside the US has no known calendar.
func calendarOf(i ledger.Instrument) market.Calendar {
	switch i.Type {
	case instruments.TypeForex:
		return market.Forex
	case instruments.TypeFuture:
		if c, ok := instruments.ParseFuture(i.Symbol); ok && isCME[c.Root.Exchange] {
			return market.CME
		}
	case instruments.TypeStock, instruments.TypeOption:
		if _, suffix, found := strings.Cut(i.Symbol, "."); !found || len(suffix) == 1 && suffix != "L" {
			return market.USStocks
		}
	}
	return market.AroundTheClock
}

// isCME lists the exchanges with the hours of CME.
var isCME = map[string]bool{"CME": true, "CBOT": true, "NYMEX": true, "COMEX": true}

// seriesOf returns the series of an instrument: those of parts of a day, and those of
// days.
func (m *meter) seriesOf(i ledger.Instrument) (intraday, daily []bars.Series) {
	for _, s := range m.series {
		switch {
		case !isSeriesOf(s.Symbol, s.Contract, i):
		case s.Secs < secondsOfDay:
			intraday = append(intraday, s)
		case s.Secs == secondsOfDay:
			daily = append(daily, s)
		}
	}
	return intraday, daily
}

const secondsOfDay = 24 * 60 * 60
