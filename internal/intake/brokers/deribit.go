package brokers

import (
	"cmp"
	"strings"

	"fillbook/internal/base/lazyregexp"
	"fillbook/internal/intake/statement"
)

// deribitLog is Deribit's transaction log. It was written from code; no file was seen.
// Everything but USDC contracts is settled in its coin.
var deribitLog = statement.Preset{
	Broker: "Deribit", Export: "transaction log", Evidence: statement.Documented, Format: statement.Executions, Zone: utc, NewestFirst: true,
	Header: statement.Cols("ID;UserSeq;Date;Instrument;Type;Side;Position;Price;Cash Flow;Funding;Fee Charged;Change;Balance;Trade ID"),
	Costs:  statement.CostsPositive,
	Layout: &statement.Layout{
		Coins: true, Kind: "Type", Symbol: "Instrument", Namer: statement.NameDeribitContract, Side: "Side", Time: "Date", Quantity: "Amount|Base Amount",
		Price: "Price", Fees: "Fee Charged", Result: "Cash Flow", CashAmount: "@funding|Change", Currency: "@coin|Currency|Note",
		Note: "{kind} {Instrument}", ID: "Trade ID", Prepare: prepareDeribit,
		// BTC-PERPETUAL is settled in BTC, SOL_USDC-PERPETUAL in USDC.
		Parse: []statement.Pattern{{In: "Instrument", Re: lazyregexp.New(`^(?:[^-_]+_)?(?P<coin>[^-_]+)`)}},
		Words: []statement.Word{
			{Kind: statement.KindTrade, Words: "trade|delivery|liquidation"},
			{Kind: statement.KindTransfer, Words: "deposit|withdrawal|transfer"},
			{Kind: statement.KindInterest, Words: "settlement"},
			{Kind: statement.KindAdjustment, Words: "correction|bonus|swap|*reward*|*fee*|*rebate*"},
		},
	},
}

// prepareDeribit keeps only the funding in a settlement: results come with the trades.
func prepareDeribit(w *statement.Row) {
	if strings.EqualFold(w.Text("Type"), "settlement") {
		w.Set("funding", cmp.Or(w.Text("Funding"), "0"))
	}
}
