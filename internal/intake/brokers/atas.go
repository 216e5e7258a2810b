package brokers

import (
	"strings"

	s "fillbook/internal/intake/statement"
)

// atasJournal is the journal sheet in the statistics workbook, in English and French. The
// volume's sign is the direction; the result in money is PnL, the one in points is Price
// PnL.
var atasJournal = s.Preset{
	Broker: "ATAS", Export: "statistics journal", Evidence: s.RealFile, Format: s.JournalTrades, MarketZone: chicago, Instrument: futureType,
	Header: s.Cols("Instrument|Outil;" + atasOpenTime + ";" + atasOpenPrice + ";" + atasVolume + ";Close time|Heure de clôture;Close price|Prix de clôture;PnL"),
	Layout: &s.Layout{
		Symbol: "Instrument|Outil", Namer: nameATAS, Quantity: atasVolume, Result: "PnL", Results: s.ResultNever, Account: "Account|Compte",
		RoundTrip: s.RoundTrip{
			OpenTime: atasOpenTime, OpenPrice: atasOpenPrice, CloseTime: "Close time|Heure de clôture", ClosePrice: "Close price|Prix de clôture",
			StateResults: true,
		},
		AnnotationColumns: s.AnnotationColumns{Notes: "Comment|Commentaire"},
	},
}

const (
	atasOpenTime  = "Open time|Heure d'ouverture|Heure d’ouverture"
	atasOpenPrice = "Open price|Prix d'ouverture|Prix d’ouverture"
	atasVolume    = "Open volume|Volume d'ouverture|Volume d’ouverture"
)

// nameATAS builds a future from a symbol with its exchange: MESU6@CME_Ind.
func nameATAS(symbol, kind string) s.Instrument {
	symbol, _, _ = strings.Cut(symbol, "@")
	return s.NameFuture(symbol, kind)
}
