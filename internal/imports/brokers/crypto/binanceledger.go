package crypto

import (
	"strings"

	"fillbook/internal/imports/statement"
)

// binanceStatement has one row for each coin of a trade; only the second says what
// belongs together.
var binanceStatement = statement.Preset{
	Broker: "Binance", Export: "account statement", Evidence: statement.SampleFile, Format: statement.Executions, Zone: utc,
	Header: statement.Cols("UTC_Time|Time|Time(UTC);Account;Operation;Coin;Change;Remark"),
	Layout: &statement.Layout{
		Coins: true, Key: "Operation", Kind: "{Operation} in {Account}", Time: "UTC_Time|Time|Time(UTC)", Amount: "Change", Currency: "Coin",
		Symbol: "{@base}{@quote}", Note: "Operation", Join: []statement.Join{{By: "{Account} {UTC_Time|Time|Time(UTC)}", As: statement.JoinLegs}},
		Words: []statement.Word{
			{Kind: statement.KindResult, Words: "fee in *futures*|transaction fee in *futures*"},
			{Kind: statement.KindLeg, Words: "buy in *|sell in *|transaction related in *|transaction buy in *|transaction spend in *|transaction sold in *|" +
				"transaction revenue in *|binance convert in *|convert in *|small assets exchange bnb in *|large otc trading in *|otc trading in *|" +
				"auto-invest transaction in *"},
			{Kind: statement.KindLegFee, Words: "fee in *|transaction fee in *"},
			{Kind: statement.KindTransfer, Words: "deposit in *|withdraw in *|withdrawal in *|fiat deposit in *|fiat withdraw in *|fiat withdrawal in *|" +
				"buy crypto in *|send in *|receive in *|p2p trading in *"},
			{Kind: statement.KindResult, Words: "realized profit and loss in *|realize profit and loss in *|insurance fund in *|insurance clear in *"},
			{Kind: statement.KindInterest, Words: "funding fee in *|cash voucher distribution in *|distribution in *|referral kickback in *|commission rebate in *"},
			{Kind: statement.KindInternal, Words: "eth 2.0 staking in *|main and funding account transfer in *"},
			{Kind: statement.KindInterest, Words: "*interest* in *|*reward* in *|*airdrop* in *"},
			{Kind: statement.KindInternal, Words: "*transfer* in *|*subscription* in *|*redemption* in *|*purchase* in *"},
			{Kind: statement.KindMovement, Words: "*"},
		},
	},
}

// binanceFutureEntry reads a row of the futures wallet. Results and commissions
// come with the fills of the futures trades.
func binanceFutureEntry(w *statement.Row) {
	kind := strings.ToUpper(w.Text("type"))
	if kind == "" {
		w.Ignore()
		return
	}
	at, c := w.Moment("Date(UTC)|Time(UTC)"), coins{w.Required("Amount"), strings.ToUpper(w.Text("Asset"))}
	note := strings.TrimSpace(kind + " " + w.Text("Symbol"))
	if w.Failed() {
		return
	}
	switch kind {
	case "REALIZED_PNL", "COMMISSION":
		addResult(w, c)
	case "TRANSFER", "INTERNAL_TRANSFER", "CROSS_COLLATERAL_TRANSFER", "STRATEGY_UMFUTURES_TRANSFER":
		pay(w, inOrOut(c.amount), c, at, note)
	case "FUNDING_FEE":
		pay(w, "interest", c, at, note)
	default:
		pay(w, "adjustment", c, at, note)
	}
}
