package blotters

import "fillbook/internal/imports/statement"

// das reads what DAS Trader writes: the trades window, whose rows have a time
// and no day, and a list that has both.
func das() []*statement.Preset {
	const broker = "DAS Trader"
	return []*statement.Preset{
		{
			Broker: broker, Export: "trades", Evidence: statement.SampleFile, Format: statement.Executions,
			Header:  []string{"Time", "Symbol|Symb", "Side", "Price", "Qty", "Route", "Account", "Cloid"},
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

// readTimes reads fills whose times have no day.
func readTimes(r *statement.Reader) error {
	if err := r.RequireDay("Time"); err != nil {
		return err
	}
	r.EachRow(func(w *statement.Row) {
		symbol := w.Text("Symbol|Symb")
		if symbol == "" {
			w.Ignore()
			return
		}
		quantity := w.Required("Qty")
		f := statement.Fill{Quantity: quantity, Price: w.Required("Price"), Commission: w.Cost("Commission|Comm"), Fees: w.Cost("Fees|Fee")}
		f.Side, f.Effect = w.Side("Side")
		f.Name(symbol, "")
		f.At = w.Moment("Time").At
		w.Fill(f)
	})
	return nil
}
