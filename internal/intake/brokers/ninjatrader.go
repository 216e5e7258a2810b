package brokers

import (
	"slices"
	"strings"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/lazyregexp"
	"fillbook/internal/intake/parse"
	s "fillbook/internal/intake/statement"
	"fillbook/internal/intake/tabular"
	"fillbook/internal/trading/instruments"
)

// ninjaTrades and ninjaExecutions are two grids in NinjaTrader's desktop platform, with
// the columns shown by the user, and numbers and dates as in the PC's country. The French
// names were read in other importers; no French file was seen. Row numbers in a grid are
// not ids: each export begins at 1.
var ninjaTrades = s.Preset{
	Broker: "NinjaTrader", Export: "trades grid", Evidence: s.RealFile, Format: s.JournalTrades, MarketZone: chicago, Costs: s.CostsPositive, FindOrder: findNinjaOrder,
	Header: s.Cols("Instrument;" + ninjaSide + ";" + ninjaQuantity + ";" + ninjaEntry + ";Exit price|Prix de sortie;" + ninjaEntered + ";Exit time|Heure de sortie"),
	Sides:  map[string]s.Direction{"court": {Buy: false}},
	Layout: &s.Layout{
		Symbol: "Instrument", Namer: nameNinja, Side: ninjaSide, Quantity: ninjaQuantity, Commission: "Commission", Fees: ninjaFees,
		NetResult: "Profit|Bénéfice", Results: s.ResultNever, Account: ninjaAccount,
		Details: map[string]s.Col{"strategy": "Strategy|Stratégie"}, //nolint:misspell // French
		RoundTrip: s.RoundTrip{
			OpenTime: ninjaEntered, OpenPrice: ninjaEntry, CloseTime: "Exit time|Heure de sortie", ClosePrice: "Exit price|Prix de sortie",
			StateResults: true,
		},
		AnnotationColumns: s.AnnotationColumns{MAE: "MAE", MFE: "MFE"},
		PerTable:          func(_ *s.Reader, l *s.Layout) { l.Settle = newNinjaSettle() },
	},
}

// newNinjaSettle makes a trade's result one before costs in files whose user had it shown
// so. A row with costs whose prices give exactly that result proves it for itself and the
// rows after it.
func newNinjaSettle() func(*s.Row, *s.Trip) {
	isGross := false
	return func(_ *s.Row, t *s.Trip) {
		byPrices, net := t.ResultByPrices(), t.NetPnL.Decimal
		if costs := t.Fees.Add(t.Commission); t.NetPnL.Valid && !costs.IsZero() {
			isGross = byPrices.Equal(net) || isGross && !byPrices.Sub(costs).Equal(net)
		}
		if isGross {
			t.GrossPnL, t.NetPnL = t.NetPnL, decimal.Null{}
		}
	}
}

// ninjaExecutions are fills. Position is what was held after each, with L or S for
// its side.
var ninjaExecutions = s.Preset{
	Broker: "NinjaTrader", Export: "executions grid", Evidence: s.SampleFile, Format: s.Executions, MarketZone: chicago, Costs: s.CostsPositive, FindOrder: findNinjaOrder,
	Header: s.Cols("Instrument;Action;Quantity|Qty;Price;Time;ID;E/X"),
	Layout: &s.Layout{
		Parse:  []s.Pattern{{In: "Position", Re: ninjaPosition}},
		Symbol: "Instrument", Namer: nameNinja, Side: "Action", Effect: "E/X", Quantity: "Quantity|Qty", Price: "Price", Time: "Time",
		Commission: "Commission", Fees: ninjaFees + "+Fee", ID: "ID", Account: ninjaAccount,
		Adjust: func(w *s.Row, r *s.Record) { r.Fill.PositionAfter = w.Null("@long|@flat|-{@short}") },
	},
}

const (
	ninjaSide     = "Market pos.|Market pos|Pos. marché.|Pos. marché"
	ninjaQuantity = "Qty|Quantity|Qté|Quantité"
	ninjaEntry    = "Entry price|Prix d'entrée|Prix d’entrée"
	ninjaEntered  = "Entry time|Heure d'entrée|Heure d’entrée"
	ninjaAccount  = "Account|Compte|Account display name"
	ninjaFees     = "Clearing Fee+Exchange Fee+IP Fee+NFA Fee"
)

// ninjaPosition is a position such as 2 L, 1 S or 0.
var ninjaPosition = lazyregexp.New(`(?i)^(?:(?P<long>\d+) L|(?P<short>\d+) S|(?P<flat>0))$`)

var (
	numericDate  = lazyregexp.New(`^\d{1,2}[-./]\d{1,2}[-./]\d{4}\b`)
	trailingSign = lazyregexp.New(`\d[\x{a0}\x{202f} ]?[$€]$`)
)

// findNinjaOrder returns DayFirst for ambiguous dates if the PC writes the currency
// after amounts, or dates without slashes: no country with the month first does.
func findNinjaOrder(file tabular.File) parse.DateOrder {
	foreign := false
	var dates []string
	for _, table := range file.Tables {
		for _, row := range table.Rows {
			for _, cell := range row.Cells {
				if numericDate().MatchString(cell) {
					dates = append(dates, cell)
					foreign = foreign || !strings.Contains(cell, "/")
				}
				foreign = foreign || trailingSign().MatchString(cell)
			}
		}
	}
	if foreign && parse.SettleDateOrder(slices.Values(dates)) == parse.DateOrderAmbiguous {
		return parse.DayFirst
	}
	return parse.DateOrderUnknown
}

// nameNinja builds a future, which has its month after a blank, as MES 09-26, or a
// share.
func nameNinja(symbol, _ string) s.Instrument {
	i := s.NameFuture(symbol, "")
	if c, ok := instruments.ParseFuture(i.Symbol); !strings.Contains(i.Symbol, " ") && (!ok || !c.Explicit) {
		i.Type = instruments.TypeStock
	}
	return i
}
