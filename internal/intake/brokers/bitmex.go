package brokers

import (
	"strings"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/lazyregexp"
	"fillbook/internal/intake/parse"
	"fillbook/internal/intake/statement"
)

// bitmexWallet is BitMEX's wallet history, in satoshi. It has results by day and contract
// but no fills, so results are adjustments.
var bitmexWallet = statement.Preset{
	Broker: "BitMEX", Export: "wallet history", Evidence: statement.SampleFile, Format: statement.Executions, Zone: utc, NewestFirst: true,
	Header: statement.Cols("transactTime;transactType;amount;fee;address;transactStatus;walletBalance"), Order: parse.MonthFirst,
	Notices: []string{
		"The wallet has daily results but no fills, so the results were read as adjustments. Import the trade history to get the trades.",
	},
	Layout: &statement.Layout{
		Only: []statement.Condition{{Col: "transactStatus", Words: "completed", Reason: "it was not completed"}},
		Kind: "transactType", Time: "transactTime", Amount: "@bitcoin|amount", Currency: "@coin", Note: "@note|transactType", Prepare: prepareBitmex,
		Parse: []statement.Pattern{{In: "{transactType} {address}", Re: lazyregexp.New(`(?i)^(?P<note>realisedpnl .*)$`)}},
		Words: []statement.Word{
			{Kind: statement.KindTransfer, Words: "deposit|withdrawal|transfer"},
			{Kind: statement.KindAdjustment, Words: "realisedpnl|unrealisedpnl|affiliatepayout|funding|conversion|spottrade"},
		},
	},
}

// prepareBitmex converts the amount from satoshi, and names the coin as the user's
// account does.
func prepareBitmex(w *statement.Row) {
	if n := w.Null("amount"); n.Valid {
		w.Set("bitcoin", n.Decimal.Mul(decimal.Must("0.00000001")).String())
	}
	w.Set("coin", "XBT")
	if strings.EqualFold(w.Reader().Hints.Currency, "BTC") {
		w.Set("coin", "BTC")
	}
}
