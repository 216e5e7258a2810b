package america

import (
	"strings"

	"fillbook/internal/imports/statement"
	"fillbook/internal/matching"
)

// robinhood knows the account activity: days only, newest first, with the costs
// hidden in the amounts.
func robinhood() []*statement.Preset {
	return []*statement.Preset{{
		Broker: "Robinhood", Export: "account activity", Evidence: statement.RealFile, Format: statement.Executions,
		Header: []string{"Activity Date", "Process Date", "Settle Date", "Instrument", "Description", "Trans Code", "Quantity", "Price", "Amount"},
		Zone:   newYork, Order: statement.MonthFirst, NewestFirst: true,
		Each: robinhoodRow, Done: settleEndings,
		Columns: map[statement.Target]string{
			statement.TargetExecutedAt: "Activity Date", statement.TargetSide: "Trans Code", statement.TargetSymbol: "Instrument",
			statement.TargetQuantity: "Quantity", statement.TargetPrice: "Price",
		},
	}}
}

// robinhoodCodes are the codes of rows that are no trades.
var robinhoodCodes = map[string]action{
	"OEXP": {sense: expired}, "OASGN": {sense: assigned}, "OEXCS": {sense: exercised},

	"ACH": {sense: transfer}, "WIRE": {sense: transfer}, "RTP": {sense: transfer}, "ITRF": {sense: transfer},
	"DCF": {sense: transfer}, "XENT_CC": {sense: transfer}, "XENT": {sense: transfer},
	"CDIV": {sense: dividend}, "MDIV": {sense: dividend}, "QDIV": {sense: dividend}, "DTAX": {sense: dividend},
	"INT": {sense: interest}, "MINT": {sense: interest}, "SLIP": {sense: interest},
	"AFEE": {sense: fee}, "DFEE": {sense: fee}, "GOLD": {sense: fee},
	"MISC": {sense: adjustment}, "GDBP": {sense: adjustment}, "CIL": {sense: adjustment}, "REC": {sense: corporate},
	"SPL": {sense: corporate}, "SPR": {sense: corporate}, "MRGS": {sense: corporate}, "SOFF": {sense: corporate},
	"SXCH": {sense: corporate}, "OCA": {sense: corporate}, "ACATI": {sense: corporate}, "ACATO": {sense: corporate}, "JNLS": {sense: corporate},
}

func robinhoodRow(w *statement.Row) {
	code := strings.ToUpper(w.Text("Trans Code"))
	if code == "" {
		w.Ignore() // the disclaimer
		return
	}
	description := strings.Join(strings.Fields(w.Text("Description")), " ")
	e := &entry{
		action: robinhoodCodes[code], word: code, symbol: w.Text("Instrument"), note: description, at: w.Moment("Activity Date"),
		quantity: w.Null("Quantity"), price: w.Null("Price"), amount: w.Null("Amount"),
	}
	if side, effect, ok := statement.SideWord(code); ok {
		e.action = action{trade, side, effect}
		if effect != statement.EffectUnknown {
			e.contract = description
		}
		robinhoodTrade(w, e)
		return
	}
	switch {
	case e.ends():
		e.contract = strings.TrimPrefix(description, "Option Expiration for ")
		robinhoodEnd(w, e)
	case e.sense == corporate && e.quantity.Decimal.IsZero() && !e.amount.Decimal.IsZero():
		e.sense = adjustment // a transfer of the account in cash, or cash for a part of a share
	}
	e.emit(w)
}

// robinhoodTrade emits a trade with the costs that its amount hides.
func robinhoodTrade(w *statement.Row, e *entry) {
	f := e.fill(w)
	if !e.price.Valid {
		w.Fail("There is no price.")
	}
	f.Price, f.StatedCashFlow = e.price.Decimal, e.amount
	if e.contract != "" && f.Right == "" {
		w.Fail("Description: the option %q cannot be read.", e.note)
	}
	hiddenCosts(&f, f.Right == "" && f.Side == matching.Buy)
	w.Fill(f)
}

// robinhoodEnd takes the side of an option's end from the letter behind its
// quantity: 1S is sold, and so was held; a plain 1 is bought back.
func robinhoodEnd(w *statement.Row, e *entry) {
	e.side = matching.Buy
	if strings.HasSuffix(strings.ToUpper(w.Text("Quantity")), "S") {
		e.side = matching.Sell
	}
}
