package brokers

import (
	"strings"

	"fillbook/internal/intake/parse"
	"fillbook/internal/intake/statement"
	"fillbook/internal/trading/matching"
)

// robinhoodActivity is the account activity: days only, newest first, with the costs
// hidden in the amounts. An option is named in the description. When an option ends, the
// letter after its quantity is the side: 1S is sold, and so was held; a plain 1 is bought
// back. Shares that were replaced have the letter as well.
var robinhoodActivity = statement.Preset{
	Broker: "Robinhood", Export: "account activity", Evidence: statement.RealFile, Format: statement.Executions, Zone: newYork,
	Header: statement.Cols("Activity Date;Process Date;Settle Date;Instrument;Description;Trans Code;Quantity;Price;Amount"),
	Order:  parse.MonthFirst, NewestFirst: true,
	Layout: &statement.Layout{
		Prepare: prepareRobinhood, Kind: "Trans Code", Symbol: "Instrument", Contract: "@contract", Side: "@side", Time: "Activity Date",
		Quantity: "Quantity", Price: "Price", Amount: "Amount", Note: "{Description}", SplitsAdd: true,
		Company: "Description",
		Words: []statement.Word{
			{Kind: statement.KindExpiry, Words: "oexp"},
			{Kind: statement.KindAssignment, Words: "oasgn"},
			{Kind: statement.KindExercise, Words: "oexcs"},
			{Kind: statement.KindTransfer, Words: "ach|wire|rtp|itrf|dcf|xent_cc|xent"},
			{Kind: statement.KindDividend, Words: "cdiv|mdiv|qdiv|dtax"},
			{Kind: statement.KindInterest, Words: "int|mint|slip"},
			{Kind: statement.KindFee, Words: "afee|dfee|gold"},
			{Kind: statement.KindAdjustment, Words: "misc|gdbp|cil"},
			{Kind: statement.KindCorporateAction, Words: "rec|spl|spr|mrgs|soff|sxch|oca|acati|acato|jnls"},
		},
		Adjust: func(w *statement.Row, r *statement.Record) {
			if r.Fill == nil {
				return
			}
			r.Fill.BookExactCosts(r.Fill.Right == "" && r.Fill.Side == matching.Buy) // buying shares is free
			if r.Fill.Effect != parse.EffectUnknown && r.Fill.Right == "" {
				w.Fail("Description: the option %q cannot be read.", w.Text("Description"))
			}
		},
	},
}

// prepareRobinhood finds the option in rows that trade or end one.
func prepareRobinhood(w *statement.Row) {
	code := strings.ToUpper(w.Text("Trans Code"))
	if _, effect, traded := parse.SideWord(code); traded && effect == parse.EffectUnknown {
		return // a share
	}
	w.Set("contract", strings.TrimPrefix(strings.Join(strings.Fields(w.Text("Description")), " "), "Option Expiration for "))
	w.Set("side", "buy")
	if strings.HasSuffix(strings.ToUpper(w.Text("Quantity")), "S") {
		w.Set("side", "sell")
	}
}
