package brokers

import (
	"regexp"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
	"fillbook/internal/instruments"
	"fillbook/internal/matching"
)

// nelogica describes the report of operations of Profit, the platform of Nelogica
// in Brazil. It was read in several importers; no file was seen. Whatever the
// columns of a version are, a number has a decimal comma.
func nelogica() []*statement.Preset {
	return []*statement.Preset{{
		Broker: "Profit", Export: "operations", Evidence: statement.Documented, Format: statement.JournalTrades,
		Header: []string{"Ativo", "Abertura", "Fechamento", "Lado", "Preço Compra|Preco Compra", "Preço Venda|Preco Venda"},
		Zone:   "America/Sao_Paulo", Order: statement.DayFirst,
		Each: nelogicaOperation, Done: closeBooks,
	}}
}

// b3Future is a contract of the exchange in São Paulo: three letters, a month
// and a year, or a continuous one.
var b3Future = regexp.MustCompile(`^[A-Z]{3}([FGHJKMNQUVXZ]\d{2}|FUT)$`)

// nelogicaOperation reads an operation. Lado is the side that it was opened on;
// what was bought and sold is in columns of their own, whichever came first.
func nelogicaOperation(w *statement.Row) {
	if w.Text("Ativo") == "" || w.Text("Lado") == "" && w.Text("Fechamento") == "" {
		w.Ignore()
		return
	}
	side, _ := w.Side("Lado")
	t := statement.Trip{Symbol: contractName(w.Text("Ativo")), Type: instruments.TypeStock, Short: side == matching.Sell}
	if c, ok := instruments.ParseFuture(t.Symbol); ok && c.Root.Currency == "BRL" || b3Future.MatchString(t.Symbol) {
		t.Type = instruments.TypeFuture
	}
	bought, sold := brazilian(w, "Preço Compra|Preco Compra"), brazilian(w, "Preço Venda|Preco Venda")
	t.OpenPrice, t.ClosePrice = bought.Decimal, sold
	if t.Short {
		t.OpenPrice, t.ClosePrice = sold.Decimal, bought
	}
	t.Quantity = nelogicaQuantity(w)
	t.Open = w.Moment("Abertura")
	t.Close = w.Moment("Fechamento")
	if !bought.Valid || !sold.Valid {
		w.Fail("There is no price for both sides; operations that are still open are not read.")
	}
	t.GrossPnL = brazilian(w, "Res. Operação|Res. Operacao|Res. Intervalo Bruto|Res. Intervalo")
	roundTrip(w, t)
}

// nelogicaQuantity reads how much was opened and closed again.
func nelogicaQuantity(w *statement.Row) decimal.Decimal {
	bought, sold := brazilian(w, "Qtd Compra|Qtd"), brazilian(w, "Qtd Venda|Qtd")
	if !bought.Decimal.Equal(sold.Decimal) {
		w.Fail("%s were bought and %s sold; operations that are still open are not read.", bought.Decimal, sold.Decimal)
	}
	return bought.Decimal
}

// brazilian reads a number with a decimal comma: 142.500 is above a hundred
// thousand.
func brazilian(w *statement.Row, names string) decimal.Null {
	text := w.Text(names)
	if text == "" {
		return decimal.Null{}
	}
	n, err := statement.Number(text, statement.Comma)
	if err != nil {
		w.Fail("%v.", err)
	}
	return decimal.Of(n)
}
