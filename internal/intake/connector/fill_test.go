package connector_test

import (
	"testing"

	"fillbook/internal/base/decimal"
	"fillbook/internal/intake/connector"
	"fillbook/internal/intake/statement"
)

func TestNewFill(t *testing.T) {
	t.Parallel()
	sized := statement.NewCoinContract("BTC-USDT-SWAP", "BTC", "USDT")
	sized.Multiplier = decimal.Of(decimal.Must("0.01"))
	for _, c := range []struct {
		of                       statement.Instrument
		symbol, kind, multiplier string
	}{
		{statement.NamePair("btc/usdt", ""), "BTC/USDT", "crypto", "null"},
		{statement.NewCoinContract("BTCUSDT", "BTC", "USDT"), "BTCUSDT", "future", "1"},
		{sized, "BTC-USDT-SWAP", "future", "0.01"},
		{statement.NewCoinContract("BTC-27JUN25-100000-C", "BTC", "USDC"), "BTC", "option", "1"},
	} {
		fill := connector.NewFill(c.of)
		if fill.Symbol != c.symbol || fill.Type != c.kind || fill.Multiplier.String() != c.multiplier || fill.Right != c.of.Right {
			t.Errorf("%s: %+v", c.of.Symbol, fill)
		}
	}
}

func TestAddLiquidity(t *testing.T) {
	t.Parallel()
	for isMaker, want := range map[bool]string{true: "maker", false: "taker"} {
		var fill statement.Fill
		connector.AddLiquidity(&fill, isMaker)
		if fill.Details["liquidity"] != want {
			t.Errorf("%v: %v", isMaker, fill.Details)
		}
	}
}
