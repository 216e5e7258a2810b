package brokers

import "fillbook/internal/intake/statement"

// matchTraderPositions is Match-Trader's list of closed positions. No file was seen; the
// names come from programs reading it. Its times have no zone.
var matchTraderPositions = statement.Preset{
	Broker: "Match-Trader", Export: "closed positions", Evidence: statement.Documented, Format: statement.JournalTrades,
	Header: statement.Cols("Position|ID;Symbol;Side;Volume;Open time;Open price;Close time;Close price;Net profit"), Costs: statement.CostsNegative,
	Layout: &statement.Layout{
		Key: "Side|Symbol|Net profit", Kind: "Side", Words: metaTraderWords, Symbol: "Symbol", Namer: nameLots, ID: "Position|ID", IDs: statement.IDPerPart,
		Quantity: "Volume", Commission: "Commission", Fees: "Swap", NetResult: "Net profit",
		RoundTrip: statement.RoundTrip{
			OpenTime: "Open time", OpenPrice: "Open price", CloseTime: "Close time", ClosePrice: "Close price", Lots: true,
		},
		AnnotationColumns: statement.AnnotationColumns{LastStop: "SL|Stop loss", Target: "TP|Take profit"},
		Time:              "Open time", Amount: "Net profit", Adjust: noteMetaTraderCash,
	},
}
