package instruments

import (
	"strings"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
)

// Right is an option's right: to buy or to sell.
type Right string

// The rights, with the values of executions.
const (
	Call Right = "call"
	Put  Right = "put"
)

// Option is a symbol's option.
type Option struct {
	// Root is the option's own root, such as SPXW or USO1.
	Root string
	// Underlying is the underlying: the root without the digit of an
	// adjusted contract, or the future, such as /ESU6.
	Underlying string
	Right      Right
	Strike     decimal.Decimal
	// Expiry is the last day. It is empty if the symbol has only a
	// month, like those of the Indian exchanges.
	Expiry journal.Day
	// Adjusted reports whether the root ends in a digit, like those of contracts adjusted
	// after a split or merger and of mini options: one contract may not be 100 shares.
	Adjusted bool
	// OnFuture reports whether the underlying is a future.
	OnFuture bool
}

// maxOption is the longest text that is parsed. Some brokers have the option only
// inside a description, which is longer than a symbol.
const maxOption = 200

// ParseOption parses an option in any notation known from brokers: OCC's, padded or not,
// with a strike in thousandths or plain; those of thinkorswim, Fidelity, Interactive
// Brokers, Schwab, Robinhood, Webull, E*TRADE, Firstrade, Questrade, tastytrade, NSE and
// Angel One.
//
// A strike without a point is in thousandths if it has six digits or more, because no
// strike is as high as 100000; shorter ones are plain numbers.
func ParseOption(symbol string) (Option, bool) {
	if len(symbol) > maxOption {
		return Option{}, false
	}
	text := strings.Join(strings.Fields(strings.ToUpper(symbol)), " ")
	if rest, ok := strings.CutPrefix(text, "./"); ok {
		return parseOnFuture(rest)
	}
	for _, parse := range []func(string) (Option, bool){parseCompact, parseMonthly, parseWords} {
		if option, ok := parse(text); ok {
			return option, true
		}
	}
	return Option{}, false
}

// newOption returns an option and whether it is valid.
func newOption(root string, right Right, strike decimal.Decimal, expiry journal.Day) (Option, bool) {
	option := Option{Root: root, Underlying: root, Right: right, Strike: strike, Expiry: expiry, Adjusted: isAdjusted(root)}
	if option.Adjusted {
		option.Underlying = root[:len(root)-1]
	}
	return option, strike.Sign() > 0 && root != ""
}

// isAdjusted reports whether a root is letters followed by one digit.
func isAdjusted(root string) bool {
	last := len(root) - 1
	return last >= 1 && isDigits(root[last:]) && !strings.ContainsFunc(root[:last], func(r rune) bool {
		return r < 'A' || r > 'Z'
	})
}

// parseCompact parses root, yymmdd, C or P and strike in one word, or in
// two if the root is padded. thinkorswim adds a dot before it, Fidelity a dash.
func parseCompact(text string) (Option, bool) {
	text = strings.TrimLeft(text, ".-")
	at := strings.LastIndexAny(text, "CP")
	if at < 7 {
		return Option{}, false
	}
	expiry, right, strike, ok := parseTail(text[at-6:], parseCompactStrike)
	root := strings.TrimRight(text[:at-6], " ")
	if !ok || !isUnderlying(root) {
		return Option{}, false
	}
	return newOption(root, right, strike, expiry)
}

// parseTail parses yymmdd, C or P and the strike.
func parseTail(text string, strike func(string) (decimal.Decimal, bool)) (journal.Day, Right, decimal.Decimal, bool) {
	if len(text) < 8 || !isDigits(text[:6]) {
		return "", "", decimal.Zero, false
	}
	expiry, okDay := newDay(text[:2], text[2:4], text[4:6])
	right, okRight := parseRight(text[6:7])
	price, okStrike := strike(text[7:])
	return expiry, right, price, okDay && okRight && okStrike
}

// parseCompactStrike parses the strike of a compact symbol.
func parseCompactStrike(text string) (decimal.Decimal, bool) {
	price, ok := parsePlainStrike(text)
	if !isDigits(text) {
		return price, ok
	}
	if len(text) >= 6 {
		price = price.Mul(decimal.FromScaled(1, 3))
	}
	return price, ok && len(text) <= 8
}

// parsePlainStrike parses a strike that is a plain number.
func parsePlainStrike(text string) (decimal.Decimal, bool) {
	text = strings.ReplaceAll(strings.TrimPrefix(text, "$"), ",", "")
	if strings.Trim(text, "0123456789.") != "" {
		return decimal.Zero, false
	}
	text = strings.TrimLeft(text, "0")
	if strings.HasPrefix(text, ".") {
		text = "0" + text
	}
	price, err := decimal.Parse(text)
	return price, err == nil
}

// parseOnFuture parses tastytrade's "ESU6 E1AN6 260703C5500", in which the
// strike is never in thousandths.
func parseOnFuture(text string) (Option, bool) {
	words := strings.Split(text, " ")
	if len(words) != 3 || !isCode(words[0]) || !isCode(words[1]) {
		return Option{}, false
	}
	expiry, right, strike, ok := parseTail(words[2], parsePlainStrike)
	option := Option{
		Root: words[1], Underlying: "/" + words[0], Right: right, Strike: strike, Expiry: expiry, OnFuture: true,
	}
	return option, ok && strike.Sign() > 0
}

// parseMonthly parses NSE's EURINR26OCT90.5PE. The exchange decides the day
// of the month and has changed it over time, so the expiry stays empty.
func parseMonthly(text string) (Option, bool) {
	right, ok := parseRight(text[max(0, len(text)-2):])
	at := strings.IndexAny(text, "0123456789")
	if !ok || at < 1 || len(text) < at+8 {
		return Option{}, false
	}
	root, year, month, strike := text[:at], text[at:at+2], text[at+2:at+5], text[at+5:len(text)-2]
	_, okMonth := parseNamedDelivery(month + year)
	price, okStrike := parsePlainStrike(strike)
	if !okMonth || !okStrike || !isUnderlying(root) {
		return Option{}, false
	}
	return newOption(root, right, price, "")
}

// parseRight parses the names of call and put.
func parseRight(word string) (Right, bool) {
	switch word {
	case "C", "CALL", "CE":
		return Call, true
	case "P", "PUT", "PE":
		return Put, true
	}
	return "", false
}
