package brokers

import (
	"strings"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/lazyregexp"
	"fillbook/internal/intake/parse"
	s "fillbook/internal/intake/statement"
	"fillbook/internal/trading/instruments"
)

// xtbPositions are the closed positions, known from other people's code only. A
// workbook has the cash operations too: trades are then read from the positions,
// and cash from the operations.
var xtbPositions = s.Preset{
	Broker: "XTB", Export: "closed positions", Evidence: s.Documented, Format: s.JournalTrades, Zone: warsaw, Order: parse.DayFirst, Costs: s.CostsNegative,
	Header: s.Cols(xtbPositionColumns),
	Sections: []s.Section{
		{Header: s.Cols(xtbPositionColumns), Layout: &xtbTrips},
		{Header: s.Cols(xtbOperationColumns), Layout: newXTBOperations(skipXTBTrade)},
	},
}

// xtbOperations are the cash operations, which have trades in shares as comments.
var xtbOperations = s.Preset{
	Broker: "XTB", Export: "cash operations", Evidence: s.SampleFile, Format: s.Executions, Zone: warsaw, Order: parse.DayFirst, NewestFirst: true,
	Header: s.Cols(xtbOperationColumns), Layout: newXTBOperations(skipXTBResult),
}

const (
	xtbPositionColumns  = "Position;Symbol;Type;Volume;Open time;Open price;Close time;Close price;Commission;Swap;Rollover;Gross P/L"
	xtbOperationColumns = "ID;Type;Time;Symbol;Comment;Amount"
)

// xtbTrade is the comment of a trade: what was done with a position, with a part
// of the order before the slash.
var xtbTrade = lazyregexp.New(`(?i)^(?P<action>(?:OPEN|CLOSE) (?:BUY|SELL)) (?P<quantity>[\d.]+)(?:/[\d.]+)? @ (?P<price>[\d.]+)$`)

func newXTBOperations(prepare func(*s.Row)) *s.Layout {
	return &s.Layout{
		Key: "ID|Type", Prepare: prepare, Parse: []s.Pattern{{In: "Comment", Re: xtbTrade}}, Kind: "@action|Type",
		Words: []s.Word{
			{Kind: s.KindBuyOpen, Words: "open buy"},
			{Kind: s.KindSellClose, Words: "close buy"},
			{Kind: s.KindSellOpen, Words: "open sell"},
			{Kind: s.KindBuyClose, Words: "close sell"},
			{Kind: s.KindAdjustment, Words: "*stock split*|*spin off*|*spin-off*|*stock distribution*|*merger*"}, // paid out in money
		},
		Symbol: "Symbol", Namer: s.NamePlain, Time: "Time", Quantity: "@quantity", Price: "@price", Amount: "Amount", Rate: "=?",
		Currencies: s.CurrencyOfAccount, ID: "ID", IDs: s.IDPerSide, Note: "Comment",
	}
}

// isXTBResult reports whether a row is the result or the swap of a position in
// FX or a CFD.
func isXTBResult(w *s.Row) bool {
	return strings.Contains(strings.ToUpper(w.Text("Comment")), " OF POSITION #")
}

func skipXTBTrade(w *s.Row) {
	if isXTBResult(w) || xtbTrade().MatchString(w.Text("Comment")) {
		w.Skip("the closed positions have it")
	}
}

func skipXTBResult(w *s.Row) {
	if isXTBResult(w) {
		w.Reader().Out.Warn("Results and swaps of FX and CFD positions were left out, as the operations hold no prices. Import the closed positions for them.")
		w.Skip("results of FX and CFD positions have no prices here")
	}
}

var xtbTrips = s.Layout{
	Prepare: func(w *s.Row) {
		if strings.Trim(w.Text("Position"), "0123456789") != "" {
			w.Ignore() // a total
		}
	},
	Symbol: "Symbol", Namer: nameXTB, Side: "Type", Quantity: "Volume", Commission: "Commission", Fees: "Swap+Rollover", Result: "Gross P/L", ID: "Position",
	RoundTrip:         s.RoundTrip{OpenTime: "Open time", OpenPrice: "Open price", CloseTime: "Close time", ClosePrice: "Close price", Lots: true},
	AnnotationColumns: s.AnnotationColumns{Notes: "Comment", LastStop: "SL", Target: "TP"},
	Adjust: func(_ *s.Row, r *s.Record) {
		r.Annotations.LastStop = decimal.Null{} // kept beside the fills
		if r.Trip.Type == instruments.TypeStock {
			r.Trip.Multiplier = decimal.Of(decimal.New(1))
			delete(r.Trip.Details, "unit")
		}
	},
}

// nameXTB builds a share, which is written with its country, a pair of
// currencies, or a contract for difference.
func nameXTB(symbol, _ string) s.Instrument {
	i := s.Instrument{Symbol: strings.ToUpper(symbol), Type: instruments.TypeCFD}
	name, suffix, dotted := strings.Cut(i.Symbol, ".")
	const country, pair = 2, 6
	switch {
	case dotted && len(suffix) == country:
		i.Type = instruments.TypeStock
	case len(name) == pair && strings.Contains(xtbCurrencies, name[:3]) && strings.Contains(xtbCurrencies, name[3:]):
		i.Type = instruments.TypeForex
	}
	return i
}

const xtbCurrencies = "EUR USD GBP CHF JPY CAD AUD NZD PLN CZK HUF RON NOK SEK DKK TRY ZAR MXN BRL CLP ILS CNH SGD HKD"
