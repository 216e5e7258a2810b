package brokers

import "fillbook/internal/intake/statement"

// ftmoJournal is the journal of an FTMO account. Its clock is that of Prague,
// where the firm is; 0 is a stop or target that was not set, and a ticket comes
// again for each part that was closed.
var ftmoJournal = statement.Preset{
	Broker: "FTMO", Export: "MetriX journal", Evidence: statement.SampleFile, Format: statement.JournalTrades, Zone: "Europe/Prague",
	Header: statement.Cols("Ticket;Open;Type;Volume;Symbol;Price;SL;TP;Close;Price#2;Swap;Commissions;Profit"),
	Costs:  statement.CostsNegative, NewestFirst: true,
	Layout: &statement.Layout{
		Key: "Type|Symbol|Profit", Kind: "Type", Words: metaTraderWords, Symbol: "Symbol", Namer: nameLots, ID: "Ticket", IDs: statement.IDPerPart,
		Quantity: "Volume", Commission: "Commissions", Fees: "Swap", Result: "Profit",
		RoundTrip: statement.RoundTrip{
			OpenTime: "Open", OpenPrice: "Price", CloseTime: "Close", ClosePrice: "Price#2", Lots: true,
		},
		AnnotationColumns: statement.AnnotationColumns{LastStop: "SL", Target: "TP"},
		Time:              "Open", Amount: "Profit", Adjust: noteMetaTraderCash,
	},
}
