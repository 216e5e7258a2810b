package brokers

import (
	"strings"

	"fillbook/internal/base/lazyregexp"
	s "fillbook/internal/intake/statement"
)

// traderSyncTrades is TraderSync's trade_data.csv, known from three importers
// that are independent of each other. For an option the contract may be in the
// symbol, or in columns with its right in one of two. A shortened export has no
// side.
var traderSyncTrades = s.Preset{
	Broker: "TraderSync", Export: "trade_data", Evidence: s.Documented, Format: s.JournalTrades, Zone: newYork,
	Header: s.Cols("Status;Symbol;Size;Open Date;Close Date;Open Time;Close Time;Entry Price;Exit Price;Return $"),
	Layout: &s.Layout{
		Account: "Portfolio", Symbol: "Symbol", Contract: "Symbol", Namer: s.NameWithoutExchange, Type: "Type", Right: "@right", Strike: "Strike", Expiry: "Expire",
		Parse: []s.Pattern{{In: "Type", Re: lazyregexp.New(`(?i)^(?P<right>call|put)$`)}, {In: "{Type} {Spread}", Re: lazyregexp.New(`(?i)^option (?P<right>call|c|put|p)$`)}},
		Side:  "Side", Quantity: "Size", Commission: "Commision|Commission", Fees: "Fees", Swap: "Swap", //nolint:misspell // as the vendor spells it
		Result: "Return $", NetResult: "Net Return", Prepare: prepareTraderSync, Adjust: addMistakes,
		RoundTrip: s.RoundTrip{
			OpenDate: "Open Date", OpenTime: "Open Time", OpenPrice: "Entry Price", CloseDate: "Close Date", CloseTime: "Close Time", ClosePrice: "Exit Price",
		},
		AnnotationColumns: s.AnnotationColumns{
			Notes: "Notes", Setups: "Setups", Risk: "Risk|risk1", Stop: "stop1", Target: "target1", MAE: "MAE", MFE: "MFE",
		},
	},
}

// prepareTraderSync removes the exit so far of a trade that is still open.
func prepareTraderSync(w *s.Row) {
	if strings.EqualFold(w.Text("Status"), "open") {
		w.Clear("Close Date")
	}
}
