package brokers

import (
	"fillbook/internal/base/lazyregexp"
	"fillbook/internal/intake/parse"
	s "fillbook/internal/intake/statement"
	"fillbook/internal/trading/instruments"
	"fillbook/internal/trading/matching"
)

// profitOperations is the operations report from Profit, Nelogica's platform in Brazil.
// It was read in several importers; no file was seen.
var profitOperations = s.Preset{
	Broker: "Profit", Export: "operations", Evidence: s.Documented, Format: s.JournalTrades, Zone: saoPaulo, Order: parse.DayFirst,
	Header: s.Cols("Ativo;Abertura;Fechamento;Lado;" + profitBought + ";" + profitSold),
	Layout: &s.Layout{
		Key: "Ativo", Prepare: prepareProfitOperation, Symbol: "Ativo", Namer: nameB3, Side: "Lado", Quantity: "Qtd Compra|Qtd", Decimals: s.DecimalsComma,
		Result: "Res. Operação|Res. Operacao|Res. Intervalo Bruto|Res. Intervalo", Results: s.ResultNever,
		RoundTrip: s.RoundTrip{OpenTime: "Abertura", OpenPrice: "@open", CloseTime: "Fechamento", ClosePrice: "@close", StateResults: true},
	},
}

const (
	profitBought = "Preço Compra|Preco Compra"
	profitSold   = "Preço Venda|Preco Venda"
)

// prepareProfitOperation decides which price opened an operation: Lado is the opening
// side, and the columns are for buying and selling, whichever came first. An operation
// still open fails.
func prepareProfitOperation(w *s.Row) {
	if w.Text("Ativo") == "" || w.Text("Lado") == "" && w.Text("Fechamento") == "" {
		w.Ignore()
		return
	}
	open, exit := w.Text(profitBought), w.Text(profitSold)
	bought, sold := w.Decimal("Qtd Compra|Qtd"), w.Decimal("Qtd Venda|Qtd")
	switch {
	case !bought.Equal(sold):
		w.Fail("%s were bought and %s sold; operations that are still open are not read.", bought, sold)
	case open == "" || exit == "":
		w.Fail("There is no price for both sides; operations that are still open are not read.")
	case w.Text("Fechamento") == "":
		w.Fail("There is no time in column Fechamento.")
	}
	if side, _ := w.Side("Lado"); side == matching.Sell {
		open, exit = exit, open
	}
	w.Set("open", open)
	w.Set("close", exit)
}

// b3Future is a contract on the exchange in São Paulo: three letters, a month and a year,
// or a continuous one.
var b3Future = lazyregexp.New(`^[A-Z]{3}([FGHJKMNQUVXZ]\d{2}|FUT)$`)

// nameB3 builds a future on that exchange, or a share.
func nameB3(symbol, _ string) s.Instrument {
	i := s.NameFuture(symbol, "")
	if c, ok := instruments.ParseFuture(i.Symbol); (!ok || c.Root.Currency != "BRL") && !b3Future().MatchString(i.Symbol) {
		i.Type = instruments.TypeStock
	}
	return i
}
