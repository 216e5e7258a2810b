package brokers

import (
	"fmt"
	"strings"
	"time"

	"fillbook/internal/base/lazyregexp"
	s "fillbook/internal/intake/statement"
)

// dhanTrades is the trade history. Prices are rounded averages, and values are exact, so
// prices follow from values. There are no charges in the file.
var dhanTrades = s.Preset{
	Broker: "Dhan", Export: "trade history", Evidence: s.Documented, Format: s.Executions, Zone: kolkata, Units: true, NewestFirst: true,
	Header: s.Cols("Date;Time;Name;Buy/Sell;Order;Exchange;Segment;Quantity/Lot;Trade Price;Trade Value;Status"),
	Layout: &s.Layout{
		Key: "Name", Only: []s.Condition{{Col: "Status", Words: "traded", Reason: s.ReasonNotFilled}}, Prepare: prepareDhan,
		Symbol: "Name", Contract: "@contract", Namer: nameStock, Multiplier: "=1", Side: "Buy/Sell", Quantity: "Quantity/Lot", Gross: "Trade Value", Unsigned: true,
		Date: "Date", Clock: "Time", Currency: "=INR", Currencies: s.CurrencyOfFile,
	},
}

// dhanOption is an option's name, whose expiry has no year.
var dhanOption = lazyregexp.New(`(?i)^(\S+) (\d{1,2} [A-Z]{3}) ([\d.]+) (CALL|PUT)$`)

// prepareDhan completes an option's expiry with the first year not before the trade.
func prepareDhan(w *s.Row) {
	name := strings.Join(strings.Fields(w.Text("Name")), " ")
	p := dhanOption().FindStringSubmatch(name)
	if p == nil {
		if segment := w.Text("Segment"); name != "" && segment != "" && !strings.EqualFold(segment, "equity") {
			w.Fail("Name: the contract %q cannot be read.", name)
		}
		return
	}
	traded, err := time.Parse(time.DateOnly, string(w.Day("Date")))
	if err != nil {
		return
	}
	for year := traded.Year(); year <= traded.Year()+1; year++ {
		expiry, err := time.Parse("2 Jan 2006", fmt.Sprintf("%s %d", p[2], year))
		if err == nil && !expiry.Before(traded) {
			w.Set("contract", p[1]+" "+expiry.Format("Jan 02 2006")+" "+p[3]+" "+p[4][:1]+"E")
			return
		}
	}
}
