package brokers

import "fillbook/internal/intake/statement"

// ftmoJournal is an FTMO account's journal. Its clock is in Prague, where the firm is; 0
// is an unset stop or target, and a ticket comes again for each closed part.
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
