package brokers

import (
	"strings"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/lazyregexp"
	"fillbook/internal/intake/statement"
	"fillbook/internal/trading/instruments"
)

// weeklyOption is the symbol for a weekly option: year, month as one character, day,
// strike and right, as in NIFTY2610724500CE.
var weeklyOption = lazyregexp.New(`^([A-Z&-]+)(\d\d)([1-9OND])(\d\d)(\d+(?:\.\d+)?)(CE|PE)$`)

// nameNSE builds an instrument from the exchange's symbol, which may have the expiry day
// after it. An option whose symbol has only the month keeps the whole symbol, so two
// expiries in one month are not mixed.
func nameNSE(symbol, _ string) statement.Instrument {
	symbol = strings.ToUpper(strings.TrimSpace(symbol))
	var expiry journal.Day
	if name, text, ok := strings.Cut(symbol, " "); ok {
		if day, err := journal.ParseDay("expiry", text); err == nil {
			symbol, expiry = name, day
		}
	}
	if strings.HasSuffix(symbol, "FUT") {
		return statement.Instrument{Symbol: symbol, Type: instruments.TypeFuture}
	}
	o, ok := parseWeekly(symbol)
	if !ok {
		if o, ok = instruments.ParseOption(symbol); !ok {
			return statement.Instrument{Symbol: symbol, Type: instruments.TypeStock}
		}
	}
	if expiry != "" {
		o.Expiry = expiry
	}
	i := statement.NewOption(o)
	if o.Expiry == "" {
		i.Symbol = symbol
	}
	return i
}

func parseWeekly(symbol string) (instruments.Option, bool) {
	p := weeklyOption().FindStringSubmatch(symbol)
	if p == nil {
		return instruments.Option{}, false
	}
	month, known := map[string]string{"O": "10", "N": "11", "D": "12"}[p[3]]
	if !known {
		month = "0" + p[3]
	}
	expiry, err := journal.ParseDay("expiry", "20"+p[2]+"-"+month+"-"+p[4])
	strike, err2 := decimal.Parse(p[5])
	if err != nil || err2 != nil {
		return instruments.Option{}, false
	}
	return instruments.Option{Root: p[1], Underlying: p[1], Right: nseRight(p[6]), Strike: strike, Expiry: expiry}, true
}

func nseRight(word string) instruments.Right {
	if strings.HasPrefix(word, "P") {
		return instruments.Put
	}
	return instruments.Call
}

// nseFuture returns the exchange's symbol for a future: NIFTY26OCTFUT.
func nseFuture(root string, expiry journal.Day) string {
	at, err := time.Parse(time.DateOnly, string(expiry))
	if err != nil {
		return strings.ToUpper(root) + "FUT"
	}
	return strings.ToUpper(root + at.Format("06Jan") + "FUT")
}

// adjustNSE completes a fill from an Indian exchange. A trade number is unique only on
// its day and exchange, so the id names all three.
func adjustNSE(w *statement.Row, f *statement.Fill, exchange, number, segment string) {
	f.ID = nseTradeID(f.At, exchange, number)
	switch strings.ToUpper(segment) {
	case "CD", "CDS", "BCD", "CURRENCY", "FUTCUR", "OPTCUR":
		w.Reader().Out.Warn("Contracts on currencies were counted in units. If your broker counts lots of 1000, give them a multiplier of 1000.")
	}
}

func nseTradeID(at time.Time, exchange, number string) string {
	if number == "" || at.IsZero() {
		return ""
	}
	return strings.Join([]string{at.Add(indianOffset).Format(time.DateOnly), strings.ToUpper(exchange), number}, "/")
}

// priceOfValue returns the unit price, to as many decimals as prices have.
func priceOfValue(value, quantity decimal.Decimal) decimal.Decimal {
	const decimals = 10
	return value.DivRound(quantity, decimals)
}

// indianOffset is Indian time's offset from UTC, all year.
const indianOffset = 5*time.Hour + 30*time.Minute
