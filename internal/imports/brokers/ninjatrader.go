package brokers

import (
	"regexp"
	"strings"

	"fillbook/internal/annotations"
	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
	"fillbook/internal/imports/tabular"
	"fillbook/internal/instruments"
	"fillbook/internal/matching"
)

// ninjaTrader describes the grids of NinjaTrader 8. A grid has the columns that its
// user shows, in numbers and dates of the PC's country, and in English or
// French. The grid's own row numbers are not ids: each export begins at 1.
func ninjaTrader() []*statement.Preset {
	const broker = "NinjaTrader"
	french := map[string]statement.Direction{"court": {Buy: false}}
	return []*statement.Preset{
		{
			Broker: broker, Export: "trades grid", Evidence: statement.RealFile, Format: statement.JournalTrades,
			Header: []string{"Instrument", marketPosition, ninjaQuantity, entryPrice, exitPrice, entryTime, exitTime},
			Costs:  statement.CostsPositive, Sides: french,
			Whole: ninjaGrid(ninjaTrade),
		},
		{
			Broker: broker, Export: "executions grid", Evidence: statement.SampleFile, Format: statement.Executions,
			Header: []string{"Instrument", "Action", "Quantity|Qty", "Price", "Time", "ID", "E/X"},
			Costs:  statement.CostsPositive,
			Whole:  ninjaGrid(ninjaExecution),
		},
	}
}

// The columns of the trades grid. The French names were read in other
// importers; no French file was seen.
const (
	marketPosition = "Market pos.|Market pos|Pos. marché.|Pos. marché"
	ninjaQuantity  = "Qty|Quantity|Qté|Quantité"
	entryPrice     = "Entry price|Prix d'entrée|Prix d’entrée"
	exitPrice      = "Exit price|Prix de sortie"
	entryTime      = "Entry time|Heure d'entrée|Heure d’entrée"
	exitTime       = "Exit time|Heure de sortie"
	ninjaAccount   = "Account|Compte|Account display name"
	ninjaStrategy  = "Strategy|Stratégie" //nolint:misspell // French
)

// ninjaGrid reads a grid row by row.
func ninjaGrid(each func(*statement.Row)) func(*statement.Reader) error {
	return func(r *statement.Reader) error {
		if r.Hints.Order == statement.DateOrderUnknown && isForeign(r.File) {
			r.Hints.Order = statement.DayFirst
		}
		r.EachRow(each)
		closeBooks(r)
		return nil
	}
}

var (
	numericDate = regexp.MustCompile(`^\d{1,2}[-./]\d{1,2}[-./]\d{4}\b`)
	signBehind  = regexp.MustCompile(`\d[\x{a0}\x{202f} ]?[$€]$`)
)

// isForeign reports whether the dates of a file have the day first although they do
// not prove it: the PC puts the currency behind amounts, or no slashes into
// dates, and that is not done where the month comes first.
func isForeign(file tabular.File) bool {
	foreign := false
	var dates []string
	for _, table := range file.Tables {
		for _, row := range table.Rows {
			for _, cell := range row.Cells {
				if numericDate.MatchString(cell) {
					dates = append(dates, cell)
					foreign = foreign || !strings.Contains(cell, "/")
				}
				foreign = foreign || signBehind.MatchString(cell)
			}
		}
	}
	return foreign && statement.SettleDateOrder(dates) == statement.DateOrderAmbiguous
}

// ninjaTrade reads a finished trade.
func ninjaTrade(w *statement.Row) {
	if w.Text("Instrument") == "" {
		w.Ignore()
		return
	}
	side, _ := w.Side(marketPosition)
	symbol, kind := ninjaInstrument(w.Text("Instrument"))
	t := statement.Trip{
		Symbol: symbol, Type: kind, Short: side == matching.Sell, Quantity: w.Required(ninjaQuantity),
		Open: w.Moment(entryTime), Close: w.Moment(exitTime),
		OpenPrice: futurePrice(w, entryPrice, symbol), ClosePrice: decimal.Of(futurePrice(w, exitPrice, symbol)),
		Fees: w.Cost("Clearing Fee", "Exchange Fee", "IP Fee", "NFA Fee"), Commission: w.Cost("Commission"),
	}
	if strategy := w.Text(ninjaStrategy); strategy != "" {
		t.Details = map[string]string{"strategy": strategy}
	}
	b := booksOf(w.Reader())
	b.account(w.Text(ninjaAccount))
	stateProfit(b, &t, w.Null("Profit|Bénéfice"))
	w.Annotate(statement.Annotations{Fill: roundTrip(w, t), Values: annotations.Values{MAE: w.Null("MAE"), MFE: w.Null("MFE")}})
}

// stateProfit states the result of the trade. Profit is what is left after the costs
// that have a column, unless the user had it shown without them: then it is
// what the prices give, and a row with costs proves it for those that follow.
func stateProfit(b *books, t *statement.Trip, profit decimal.Null) {
	each, _ := instruments.DefaultMultiplier(t.Symbol, t.Type)
	byPrice := t.ClosePrice.Decimal.Sub(t.OpenPrice).Mul(t.Quantity).Mul(each)
	if t.Short {
		byPrice = byPrice.Neg()
	}
	if costs := t.Fees.Add(t.Commission); profit.Valid && !costs.IsZero() {
		b.beforeCosts = byPrice.Equal(profit.Decimal) || b.beforeCosts && !byPrice.Sub(costs).Equal(profit.Decimal)
	}
	if b.beforeCosts {
		t.GrossPnL = profit
		return
	}
	t.NetPnL = profit
}

// ninjaInstrument reads the name of an instrument. A future has its month
// behind a blank, MES 09-26; shares and currency pairs have none.
func ninjaInstrument(text string) (symbol, kind string) {
	symbol = contractName(text)
	if strings.Contains(symbol, " ") {
		return symbol, instruments.TypeFuture
	}
	if c, ok := instruments.ParseFuture(symbol); ok && c.Explicit {
		return symbol, instruments.TypeFuture
	}
	return symbol, instruments.TypeStock
}

// ninjaExecution reads an execution. Position is what was held behind it, with
// L or S for its side.
func ninjaExecution(w *statement.Row) {
	if w.Text("Instrument") == "" {
		w.Ignore()
		return
	}
	side, _ := w.Side("Action")
	symbol, kind := ninjaInstrument(w.Text("Instrument"))
	f := statement.Fill{
		Symbol: symbol, Type: kind, Side: side, Quantity: w.Required("Quantity|Qty"), Price: futurePrice(w, "Price", symbol),
		At: w.Moment("Time").At, ID: w.Text("ID"),
		Commission: w.Cost("Commission"), Fees: w.Cost("Clearing Fee", "Exchange Fee", "IP Fee", "NFA Fee", "Fee"),
		PositionAfter: heldAfter(w.Text("Position")),
	}
	switch strings.ToLower(w.Text("E/X")) {
	case "entry":
		f.Effect = statement.Opening
	case "exit":
		f.Effect = statement.Closing
	}
	w.Fill(f)
	booksOf(w.Reader()).account(w.Text(ninjaAccount))
}

// heldAfter reads a position such as 2 L, 1 S or 0. Others are not known.
func heldAfter(text string) decimal.Null {
	size, side, sided := strings.Cut(strings.TrimSpace(text), " ")
	n, err := decimal.Parse(size)
	switch {
	case err != nil || n.Sign() < 0:
		return decimal.Null{}
	case n.IsZero():
		return decimal.Of(n)
	case sided && strings.EqualFold(side, "L"):
		return decimal.Of(n)
	case sided && strings.EqualFold(side, "S"):
		return decimal.Of(n.Neg())
	}
	return decimal.Null{}
}
