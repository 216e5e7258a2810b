// Package providers lists the servers Fillbook fetches from: fills and cash from brokers,
// and bars from price providers. Each has a package below this one.
package providers

import (
	"fillbook/internal/intake/connector"
	"fillbook/internal/prices/barsource"
	"fillbook/internal/providers/alpaca"
	"fillbook/internal/providers/binance"
	"fillbook/internal/providers/bybit"
	"fillbook/internal/providers/coinbase"
	"fillbook/internal/providers/databento"
	"fillbook/internal/providers/deribit"
	"fillbook/internal/providers/frankfurter"
	"fillbook/internal/providers/hyperliquid"
	"fillbook/internal/providers/ibkrflex"
	"fillbook/internal/providers/kraken"
	"fillbook/internal/providers/oanda"
	"fillbook/internal/providers/okx"
	"fillbook/internal/providers/projectx"
	"fillbook/internal/providers/questrade"
	"fillbook/internal/providers/trading212"
	"fillbook/internal/providers/twelvedata"
)

// provider is what can be fetched from a provider. A member is nil if it has none.
type provider struct {
	fills connector.Connector
	bars  barsource.Provider
}

// all are the providers ordered by name.
var all = []provider{
	{fills: alpaca.Fills(), bars: alpaca.Bars()},
	{fills: binance.Fills(), bars: binance.Bars()},
	{fills: binance.FuturesFills()},
	{fills: bybit.Fills(), bars: bybit.Bars()},
	{fills: coinbase.Fills()},
	{bars: databento.Bars()},
	{fills: deribit.Fills()},
	{bars: frankfurter.Bars()},
	{fills: hyperliquid.Fills(), bars: hyperliquid.Bars()},
	{fills: ibkrflex.Fills()},
	{fills: kraken.Fills()},
	{fills: kraken.FuturesFills()},
	{fills: oanda.Fills(), bars: oanda.Bars()},
	{fills: okx.Fills()},
	{fills: projectx.Fills()},
	{fills: questrade.Fills()},
	{fills: trading212.Fills()},
	{bars: twelvedata.Bars()},
}

// Fills returns the broker clients.
func Fills() (list []connector.Connector) {
	for _, p := range all {
		if p.fills != nil {
			list = append(list, p.fills)
		}
	}
	return list
}

// Bars returns the clients of price providers.
func Bars() (list []barsource.Provider) {
	for _, p := range all {
		if p.bars != nil {
			list = append(list, p.bars)
		}
	}
	return list
}

// Names returns the names for which an operator can set another address. One address
// serves a name's fills and bars.
func Names() (names []string) {
	for _, p := range all {
		if p.fills != nil {
			names = append(names, p.fills.Describe().Name)
		} else {
			names = append(names, p.bars.Describe().Name)
		}
	}
	return names
}
