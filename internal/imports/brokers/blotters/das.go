package blotters

import (
	"regexp"

	"fillbook/internal/imports/statement"
	"fillbook/internal/journal"
)

// das reads what DAS Trader writes: the trades window, whose rows have a time
// and no day, and a list that has both.
func das() []*statement.Preset {
	const broker = "DAS Trader"
	return []*statement.Preset{
		{
			Broker: broker, Export: "trades", Evidence: statement.SampleFile, Format: statement.Executions,
			Header:  []string{"Time", "Symbol", "Side", "Price", "Qty", "Route", "Account", "Cloid"},
			Without: []string{"Date"},
			Zone:    newYork, Costs: statement.CostsPositive, Whole: readTimes,
		},
		{
			Broker: broker, Export: "trades window", Evidence: statement.SampleFile, Format: statement.Executions,
			Header:  []string{"Symbol", "Price", "Qty", "Time", "Side", "Type"},
			Without: []string{"Date", "Cloid", "Status", "Exec Time", "Trade Date", "T/D"},
			Zone:    newYork, Costs: statement.CostsPositive, NewestFirst: true, Whole: readTimes,
		},
		{
			Broker: broker, Export: "trades with dates", Evidence: statement.Documented, Format: statement.Executions,
			Header: []string{"Symb", "B/S", "Qty", "Price", "Date", "Time"},
			Zone:   newYork, Order: statement.MonthFirst, Costs: statement.CostsPositive,
			Columns: map[statement.Target]string{
				"symbol": "Symb", "side": "B/S", "quantity": "Qty", "price": "Price", "date": "Date", "time": "Time",
				"commission": "Commission|Comm", "fees": "Fees|Fee",
			},
		},
	}
}

// readTimes reads rows that have only a time of day, on the day that the name of
// the file tells.
func readTimes(r *statement.Reader) error {
	day, ok := dayInName(r.Hints.FileName, r.Hints.Order)
	if !ok {
		return journal.InvalidField("file", "The file has times without a day. Put the day into the name of the file, such as trades-2026-01-31.csv, and import it again.")
	}
	r.EachRow(func(w *statement.Row) {
		if w.Text("Symbol") == "" {
			w.Ignore()
			return
		}
		quantity := w.Required("Qty")
		f := statement.Fill{Quantity: quantity, Price: w.Required("Price"), Commission: w.Cost("Commission|Comm"), Fees: w.Cost("Fees|Fee")}
		f.Side, f.Effect = w.Side("Side")
		f.Name(w.Text("Symbol"), "")
		f.At = w.At(string(day) + " " + w.Text("Time")).At
		w.Fill(f)
	})
	return nil
}

var (
	yearFirst = regexp.MustCompile(`(?:^|\D)(20\d\d)([-_.]?)(\d\d)([-_.]?)(\d\d)(?:\D|$)`)
	yearLast  = regexp.MustCompile(`(?:^|\D)(\d\d?)[-_.](\d\d?)[-_.](20\d\d|\d\d)(?:\D|$)`)
)

// dayInName finds the day in the name of a file: 2026-01-05, 20260105 or
// 01-05-2026, the month first unless the user says otherwise.
func dayInName(name string, order statement.DateOrder) (journal.Day, bool) {
	if p := yearFirst.FindStringSubmatch(name); p != nil && p[2] == p[4] {
		if day, err := journal.ParseDay("day", p[1]+"-"+p[3]+"-"+p[5]); err == nil {
			return day, true
		}
	}
	p := yearLast.FindStringSubmatch(name)
	if p == nil {
		return "", false
	}
	month, date, year := p[1], p[2], p[3]
	if order == statement.DayFirst {
		month, date = date, month
	}
	if len(year) == 2 {
		year = "20" + year
	}
	day, err := journal.ParseDay("day", year+"-"+twoDigits(month)+"-"+twoDigits(date))
	return day, err == nil
}

func twoDigits(number string) string {
	if len(number) == 1 {
		return "0" + number
	}
	return number
}
