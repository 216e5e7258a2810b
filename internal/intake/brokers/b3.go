package brokers

import (
	"strings"

	"fillbook/internal/base/lazyregexp"
	"fillbook/internal/intake/parse"
	s "fillbook/internal/intake/statement"
	"fillbook/internal/trading/instruments"
)

// b3Trades is the trade report (negociação) from the B3 exchange's investor area: days
// only, one row for each price, without costs.
var b3Trades = s.Preset{
	Broker: "B3", Export: "negociação", Evidence: s.SampleFile, Format: s.Executions, Zone: saoPaulo, Order: parse.DayFirst, Units: true,
	Header:  s.Cols("Data do Negócio;Tipo de Movimentação;Mercado;Prazo/Vencimento;Instituição;Código de Negociação;Quantidade;Preço;Valor"),
	Notices: []string{"The report has no costs. Enter the brokerage and the fees of the exchange by hand, or import the files of your broker."},
	Layout: &s.Layout{
		Symbol: "Código de Negociação", Type: "@type", Right: "@right", Expiry: "Prazo/Vencimento", Namer: nameB3Trade, Side: "Tipo de Movimentação", Quantity: "Quantidade", Price: "Preço",
		Gross: "Valor", Time: "Data do Negócio", Account: "Instituição", Currency: "=BRL", Currencies: s.CurrencyOfFile, Prepare: prepareB3,
		Details: map[string]s.Col{"market": "Mercado"},
	},
}

// prepareB3 reads an instrument's type from its market. An exercise trades the share
// under the option's code.
func prepareB3(w *s.Row) {
	switch market := strings.ToLower(w.Text("Mercado")); {
	case strings.Contains(market, "exercício"):
		w.Skip("exercise of an option")
		w.Reader().Out.Warn("Row %d exercises the option %s and was left out: enter the shares and the end of the option by hand.",
			w.Number, w.Text("Código de Negociação"))
	case strings.Contains(market, "futuro"):
		w.Set("type", instruments.TypeFuture)
	case strings.Contains(market, "opção de compra"):
		w.Set("right", "call")
	case strings.Contains(market, "opção de venda"):
		w.Set("right", "put")
	}
}

// b3Fraction is the code for a share traded in less than a lot.
var b3Fraction = lazyregexp.New(`^([A-Z]{4}\d{1,2})F$`)

// nameB3Trade builds a share or a contract at the exchange. Less than a share lot is
// traded under a separate code, which ends in F.
func nameB3Trade(symbol, kind string) s.Instrument {
	symbol = strings.ToUpper(strings.TrimSpace(symbol))
	if kind == instruments.TypeFuture {
		return nameB3(symbol, kind)
	}
	if whole := b3Fraction().FindStringSubmatch(symbol); whole != nil {
		symbol = whole[1]
	}
	return s.Instrument{Symbol: symbol, Type: instruments.TypeStock}
}
