package brokers

import (
	"fillbook/internal/base/decimal"
	s "fillbook/internal/intake/statement"
	"fillbook/internal/trading/instruments"
)

// quantowerTrades is the list of trades, which are fills. The order list repeats an order
// for each state, and is not read.
var quantowerTrades = s.Preset{
	Broker: "Quantower", Export: "trades", Evidence: s.RealFile, Format: s.Executions, MarketZone: chicago, NewestFirst: true,
	Header: s.Cols("Account;Date/Time;Symbol;Symbol type;Side;Quantity;Price;Gross P/L;Fee;Trade ID"),
	Layout: &s.Layout{
		Symbol: "Symbol", Type: "Symbol type", Namer: nameQuantower, Side: "Side", Quantity: "Quantity", Price: "Price", Time: "Date/Time", Fees: "Fee",
		Result: "Gross P/L", ID: "Trade ID", Account: "Account",
		Adjust: stateValue,
	},
}

func nameQuantower(symbol, kind string) s.Instrument {
	if kind == instruments.TypeFuture {
		return s.NameFuture(symbol, kind)
	}
	return s.NameAny(s.NameFuture(symbol, instruments.TypeFuture).Symbol, kind)
}

// stateValue reads the contracts' value, which is signed like the quantity. It shows an
// unknown contract's multiplier, and checks a known one's.
func stateValue(w *s.Row, r *s.Record) {
	if result := w.Null("Gross P/L"); result.Valid {
		w.AddTotal(s.ItemGrossPnL, result.Decimal)
	}
	value, f := w.Null("Trade value"), r.Fill
	if !value.Valid || f.Type != instruments.TypeFuture {
		return
	}
	if _, known := instruments.ParseFuture(f.Symbol); !known {
		f.Multiplier = s.RoundWorth(value.Decimal.Abs(), f.Price.Abs().Mul(f.Quantity.Abs()))
	}
	f.StatedCashFlow = decimal.Of(value.Decimal.Neg().Sub(f.Fees))
}
