package brokers

import s "fillbook/internal/intake/statement"

// motiveWaveTrades is the trade list, read in another importer; no file was seen.
var motiveWaveTrades = s.Preset{
	Broker: "MotiveWave", Export: "trades", Evidence: s.Documented, Format: s.JournalTrades, MarketZone: chicago,
	Header: s.Cols("Instrument;Side;Quantity;Entry Time;Entry Price;Exit Time;Exit Price;P/L"),
	Layout: &s.Layout{
		Symbol: "Instrument", Namer: nameMotiveWave, Side: "Side", Quantity: "Quantity", Result: "P/L", Results: s.ResultNever,
		RoundTrip: s.RoundTrip{OpenTime: "Entry Time", OpenPrice: "Entry Price", CloseTime: "Exit Time", ClosePrice: "Exit Price", StateResults: true},
	},
}

// nameMotiveWave builds an instrument as NinjaTrader writes it.
func nameMotiveWave(symbol, kind string) s.Instrument {
	return nameNinja(s.WithoutExchange(symbol), kind)
}
