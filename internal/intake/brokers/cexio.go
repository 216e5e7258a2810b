package brokers

import (
	"strings"

	"fillbook/internal/base/lazyregexp"
	"fillbook/internal/intake/statement"
)

// cexioHistory is CEX.IO's history. A trade is a row whose comment says what was traded;
// its order's rows lock money and release it. A wallet purchase has one row for each
// coin.
var cexioHistory = statement.Preset{
	Broker: "CEX.IO", Export: "transactions", Evidence: statement.SampleFile, Format: statement.Executions, Zone: utc, Costs: statement.CostsPositive,
	Header: statement.Cols("DateUTC;Amount;Symbol;Balance;Type;Pair;FeeSymbol;FeeAmount;Comment"),
	Layout: &statement.Layout{
		Coins: true, Key: "Type", Kind: "{Type} {@did}", Time: "DateUTC", Symbol: "{@base}/{@quote}", Quantity: "@quantity", Price: "@price",
		Fees: "FeeAmount", FeesCurrency: "FeeSymbol", CashAmount: "Amount", Currency: "Symbol", Note: "{Type} {Comment}",
		Parse: []statement.Pattern{
			{In: "Comment", Re: lazyregexp.New(`^(?P<did>Bought|Sold) (?P<quantity>[\d.]+) (?P<base>\w+) at (?P<price>[\d.]+) (?P<quote>\w+)$`)},
			{In: "Comment", Re: lazyregexp.New(`^(?P<did>Buy Order|Sell Order)`)},
		},
		Prepare: func(w *statement.Row) {
			if strings.EqualFold(w.Text("Balance"), "pending") {
				w.Skip("deposit that has not arrived")
			}
		},
		Join: []statement.Join{{By: "DateUTC", As: statement.JoinLegs, Fiat: true}},
		Words: []statement.Word{
			{Kind: statement.KindBuy, Words: "buy bought"},
			{Kind: statement.KindSell, Words: "sell sold"},
			{Kind: statement.KindRepeated, Words: "buy buy order|sell sell order|cancel*"},
			{Kind: statement.KindLeg, Words: "wallet_buy*|wallet_sell*"},
			{Kind: statement.KindTransfer, Words: "deposit*|withdraw*"},
			{Kind: statement.KindInternal, Words: "staking_deposit*"},
			{Kind: statement.KindAdjustment, Words: "referral*|checksum*|costsnothing*"},
			{Kind: statement.KindInterest, Words: "staking*"},
		},
	},
}
