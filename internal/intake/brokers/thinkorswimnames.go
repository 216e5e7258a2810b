package brokers

import (
	"strconv"
	"strings"
	"time"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/lazyregexp"
	"fillbook/internal/intake/parse"
	"fillbook/internal/intake/statement"
	"fillbook/internal/trading/instruments"
)

var (
	// An option on a future: "/NQM22:XCME 1/20 APR 22 (Wednesday) (Wk5) /Q4CJ22:XCME 13450 CALL".
	swimOnFuture = lazyregexp.New(`^(/[A-Z0-9]+)(?::[A-Z]+)? 1/([\d,.]+) ([A-Z]{3}) (\d{2})((?: \([^)]*\))*) /?([A-Z0-9]+)(?::[A-Z]+)? ([\d.,]+) (CALL|PUT)$`)
	swimBrackets = lazyregexp.New(`\[[^\]]*\] ?`)
	swimWeek     = lazyregexp.New(`\((MON|TUES|WEDNES|THURS|FRI)DAY\) \(WK([1-6])\)`)
	// A spread: "VERTICAL SPY 100 (Weeklys) 5 JUN 26 715/714 PUT".
	swimMany = lazyregexp.New(`(?:^| )([/.$A-Z0-9]+)(?::[A-Z]+)? (?:1/)?(\d[\d,.]*) .*\b(?:CALL|PUT|CALL/PUT|PUT/CALL)\b`)
)

// swimName sets the instrument of a fill that a text of thinkorswim names, if it
// is a single one.
func swimName(f *statement.Fill, text string) bool {
	text = strings.ToUpper(strings.Join(strings.Fields(swimBrackets().ReplaceAllString(text, "")), " "))
	if found := swimOnFuture().FindStringSubmatch(text); found != nil {
		return nameOnFuture(f, found)
	}
	if option, ok := instruments.ParseOption(text); ok {
		f.Contract(option)
		return true
	}
	if text == "" || strings.Contains(text, " ") {
		return false
	}
	switch {
	case text[0] == '/':
		f.Type, f.Symbol = instruments.TypeFuture, futureSymbol(text)
	case strings.Contains(text, "/"):
		f.Type, f.Symbol = instruments.TypeForex, text
	default:
		f.Symbol = text
	}
	return true
}

// nameOnFuture names an option on a future. Its multiplier is in the text, as
// "1/20". The day on which it ends is there for weekly options only; others are
// kept apart by their code.
func nameOnFuture(f *statement.Fill, found []string) bool {
	worth, err := parse.Number(found[2], parse.Point)
	strike, wrong := parse.Number(found[7], parse.Point)
	if err != nil || wrong != nil || worth.Sign() <= 0 {
		return false
	}
	f.Multiplier = decimal.Of(worth)
	f.Contract(instruments.Option{
		Root: found[6], Underlying: found[1], Right: swimRight(found[8]), Strike: strike, OnFuture: true,
		Expiry: swimExpiry(found[3], found[4], found[5]),
	})
	if f.Expiry == "" {
		f.Lot = found[6]
	}
	return true
}

var swimWeekdays = map[string]time.Weekday{
	"MON": time.Monday, "TUES": time.Tuesday, "WEDNES": time.Wednesday, "THURS": time.Thursday, "FRI": time.Friday,
}

// swimExpiry is the day that "APR 22 (Wednesday) (Wk5)" means: that of the
// fifth line of a calendar whose weeks begin on Sunday.
func swimExpiry(month, year, brackets string) journal.Day {
	found := swimWeek().FindStringSubmatch(brackets)
	first, err := time.Parse("Jan 06", month[:1]+strings.ToLower(month[1:])+" "+year)
	if found == nil || err != nil {
		return ""
	}
	line, err := strconv.Atoi(found[2])
	if err != nil {
		return ""
	}
	const week = 7
	sunday := first.AddDate(0, 0, (line-1)*week-int(first.Weekday()))
	day := sunday.AddDate(0, 0, int(swimWeekdays[found[1]]))
	if day.Month() != first.Month() {
		return ""
	}
	return journal.DayOf(day)
}

// swimSpread makes a spread one position of its own: the text has the net
// price, and no prices of its legs.
func swimSpread(f *statement.Fill, text string) bool {
	text = strings.ToUpper(strings.Join(strings.Fields(text), " "))
	found := swimMany().FindStringSubmatch(text)
	if found == nil {
		return false
	}
	worth, err := parse.Number(found[2], parse.Point)
	if err != nil || worth.Sign() <= 0 {
		return false
	}
	f.Symbol, f.Type, f.Multiplier, f.Lot = found[1], instruments.TypeOption, decimal.Of(worth), text
	return true
}

// futureSymbol returns a future's symbol without the slash and the exchange, if
// the rest is a known contract.
func futureSymbol(symbol string) string {
	symbol, _, _ = strings.Cut(strings.ToUpper(symbol), ":")
	bare := strings.TrimPrefix(symbol, "/")
	if _, ok := instruments.ParseFuture(bare); ok {
		return bare
	}
	return symbol
}

// swimRight returns the right that a word beginning with C or P means.
func swimRight(word string) instruments.Right {
	if strings.HasPrefix(strings.ToUpper(word), "P") {
		return instruments.Put
	}
	return instruments.Call
}
