package brokers

import (
	"fillbook/internal/intake/parse"
	s "fillbook/internal/intake/statement"
)

// tdAmeritradeTransactions is the history of an account at TD Ameritrade until it became
// part of Schwab: days only, the kind of a row in its description, and a line at the
// end that says so.
var tdAmeritradeTransactions = s.Preset{
	Broker: "TD Ameritrade", Export: "transactions", Evidence: s.SampleFile, Format: s.Executions, Zone: newYork, Order: parse.MonthFirst,
	Header: s.Cols("DATE;TRANSACTION ID;DESCRIPTION;QUANTITY;SYMBOL;PRICE;COMMISSION;AMOUNT;REG FEE"), Costs: s.CostsPositive,
	Layout: &s.Layout{
		Key: "DESCRIPTION", Kind: "DESCRIPTION", Symbol: "SYMBOL", Time: "DATE", Quantity: "QUANTITY", Price: "PRICE", Amount: "AMOUNT",
		Commission: "COMMISSION", Fees: "REG FEE+SHORT-TERM RDM FEE+FUND REDEMPTION FEE+DEFERRED SALES CHARGE", ID: "TRANSACTION ID",
		Note: "DESCRIPTION", ShortWord: true, Words: []s.Word{
			{Kind: s.KindRepeated, Words: "money market purchase*|money market redemption*|cash alternatives purchase*|cash alternatives redemption*"},
			{Kind: s.KindInternal, Words: "internal transfer between accounts*|*between account types*"},
			{Kind: s.KindSellOpen, Words: "sold short *|sell short *"},
			{Kind: s.KindBuyClose, Words: "bought to cover *|buy to cover *"},
			{Kind: s.KindBuy, Words: "bought *|dividend reinvest*"},
			{Kind: s.KindSell, Words: "sold *"},
			{Kind: s.KindExpiry, Words: "removal of option due to expiration*|*option expiration*"},
			{Kind: s.KindAssignment, Words: "removal of option due to assignment*|*option assignment*"},
			{Kind: s.KindExercise, Words: "removal of option due to exercise*|*option exercise*"},
			{Kind: s.KindWithholding, Words: "w-8 withholding*|*foreign tax*|*withholding*"},
			{Kind: s.KindDividend, Words: "*dividend*|*capital gain*|*cap gain*|*return of capital*|*substitute payment*"},
			{Kind: s.KindInterest, Words: "*interest*"},
			{Kind: s.KindFee, Words: "*fee*|*commission*|*charge*"},
			{Kind: s.KindTransfer, Words: "*funding*|wire *|*ach *|*check*|*deposit*|*withdrawal*|*disbursement*|*third party*"},
			{Kind: s.KindAdjustment, Words: "*rebate*|*promotion*|*adjustment*|*cash in lieu*"},
			{Kind: s.KindMovement, Words: "transfer of security*|*split*|*merger*|*spinoff*|*spin-off*|*exchange*|*name change*|mandatory*"},
			{Kind: s.KindTransfer, Words: "*transfer*"},
		},
	},
}
