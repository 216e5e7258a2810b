package asia

import (
	"regexp"
	"strings"
	"time"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
	"fillbook/internal/instruments"
	"fillbook/internal/journal"
)

// kolkata is the zone of the Indian exchanges.
const kolkata = "Asia/Kolkata"

// weekly is an option that expires within a week: year, month as one sign, day,
// strike and right, as in NIFTY2610724500CE.
var weekly = regexp.MustCompile(`^([A-Z&-]+)(\d\d)([1-9OND])(\d\d)(\d+(?:\.\d+)?)(CE|PE)$`)

// nameNSE names an instrument by the symbol that the exchange gives it. An
// option whose symbol has only the month keeps the whole symbol, unless the file
// has the day: those of two months must not be taken for one.
func nameNSE(f *statement.Fill, symbol string, expiry journal.Day) {
	symbol = strings.ToUpper(strings.TrimSpace(symbol))
	f.Symbol, f.Type = symbol, instruments.TypeStock
	if strings.HasSuffix(symbol, "FUT") {
		f.Type = instruments.TypeFuture
		return
	}
	o, ok := parseWeekly(symbol)
	if !ok {
		if o, ok = instruments.ParseOption(symbol); !ok {
			return
		}
	}
	if expiry != "" {
		o.Expiry = expiry
	}
	f.Contract(o)
	if o.Expiry == "" {
		f.Symbol = symbol
	}
}

func parseWeekly(symbol string) (instruments.Option, bool) {
	p := weekly.FindStringSubmatch(symbol)
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
	return instruments.Option{Root: p[1], Underlying: p[1], Right: rightOf(p[6]), Strike: strike, Expiry: expiry}, true
}

func rightOf(word string) instruments.Right {
	if strings.HasPrefix(word, "P") {
		return instruments.Put
	}
	return instruments.Call
}

// futureOf writes a future the way the exchange does: NIFTY26OCTFUT.
func futureOf(root string, expiry journal.Day) string {
	at, err := time.Parse(time.DateOnly, string(expiry))
	if err != nil {
		return strings.ToUpper(root) + "FUT"
	}
	return strings.ToUpper(root + at.Format("06Jan") + "FUT")
}

// tradeID makes an id out of a trade number, which is one for a day and an
// exchange only.
func tradeID(at time.Time, exchange, number string) string {
	if number == "" || at.IsZero() {
		return ""
	}
	return strings.Join([]string{at.Add(ahead).Format(time.DateOnly), strings.ToUpper(exchange), number}, "/")
}

// ahead is how far Indian clocks are ahead of UTC, all year.
const ahead = 5*time.Hour + 30*time.Minute

// warnLots tells that contracts on currencies may be counted in lots.
func warnLots(w *statement.Row, segment string) {
	switch strings.ToUpper(segment) {
	case "CD", "CDS", "BCD", "CURRENCY", "FUTCUR", "OPTCUR":
		w.Reader().Out.Warn("Contracts on currencies were counted in units. If your broker counts lots of 1000, give them a multiplier of 1000.")
	}
}
