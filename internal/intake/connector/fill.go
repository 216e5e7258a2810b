package connector

import (
	"fillbook/internal/base/decimal"
	"fillbook/internal/intake/statement"
)

// NewFill returns a fill in an instrument, without side, quantity, price and time. One
// contract is one coin unless the instrument has a multiplier.
func NewFill(of statement.Instrument) statement.Fill {
	fill := statement.Fill{
		Symbol: of.Symbol, Type: of.Type, Right: of.Right, Strike: of.Strike, Expiry: of.Expiry, Multiplier: of.Multiplier,
	}
	if of.IsContract && !fill.Multiplier.Valid {
		fill.Multiplier = decimal.Of(decimal.New(1))
	}
	return fill
}

// AddLiquidity adds to a fill whether it took or made liquidity.
func AddLiquidity(fill *statement.Fill, isMaker bool) {
	if isMaker {
		fill.AddDetail("liquidity", "maker")
	} else {
		fill.AddDetail("liquidity", "taker")
	}
}
