package parse

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MoneySigns are the currency signs before or after a number.
const MoneySigns = "$€£¥￥₹₽₩₺₿฿₫₴₦₱₪₸"

// MoneyWords are the codes and short names allowed before a number. Other words there are
// part of something else: ESZ25 is not 25.
var MoneyWords = []string{
	"aed", "ars", "aud", "bgn", "brl", "btc", "busd", "cad", "chf", "clp", "cnh", "cny", "cop", "czk", "dkk", "eth", "eur", "fdusd",
	"gbp", "gbx", "hkd", "huf", "idr", "ils", "inr", "isk", "jpy", "krw", "kwd", "mxn", "myr", "ngn", "nok", "nzd", "pen", "php",
	"pln", "ron", "rub", "sar", "sek", "sgd", "thb", "try", "twd", "uah", "usc", "usd", "usdc", "usdt", "vnd", "zar",
	"a$", "au$", "c$", "ca$", "hk$", "mx$", "nt$", "nz$", "r$", "s$", "us$",
	"fr", "fr.", "ft", "kr", "kr.", "kč", "rm", "rp", "rs", "rs.", "zł",
}

// multiplying are factors written like units.
var multiplying = []string{"k", "m", "b", "bn", "mm", "mn", "mio", "mln", "mrd", "tsd"}

// cellScan reads a cell from its start to its end.
type cellScan struct {
	rest   string
	signs  int // minus and plus signs, parentheses
	money  int // currencies in front of the digits
	at     int // how often an @ was met
	opened bool
	out    written
}

// scanWritten finds the number in a cell, and reports whether everything around it
// may be there.
func scanWritten(text string) (*written, bool) {
	if len(text) > longestNumber {
		return nil, false
	}
	s := &cellScan{rest: PlainSigns(TrimCell(text))}
	if !s.readBefore() {
		return nil, false
	}
	s.digits()
	return &s.out, s.readAfter() && !s.opened && s.signs <= 1 && s.money <= 1
}

// readBefore reads what comes before the digits.
func (s *cellScan) readBefore() bool {
	for s.rest != "" && !s.atDigits() {
		switch c := s.rest[0]; {
		case c == ' ':
			s.rest = s.rest[1:]
		case c == '-' || c == '+':
			s.signs++
			s.out.negative = s.out.negative || c == '-'
			s.rest = s.rest[1:]
		case c == '(' && !s.opened:
			s.signs++
			s.opened, s.out.negative = true, true
			s.rest = s.rest[1:]
		case c == '@' && s.at == 0:
			s.at++
			s.rest = s.rest[1:]
		default:
			if !s.currency() {
				return false
			}
		}
	}
	return s.rest != ""
}

// atDigits reports whether the number starts here, possibly with its decimals.
func (s *cellScan) atDigits() bool {
	if s.rest[0] == '.' || s.rest[0] == ',' {
		return len(s.rest) > 1 && IsDigit(s.rest[1])
	}
	return IsDigit(s.rest[0])
}

// currency takes a currency in front of the number.
func (s *cellScan) currency() bool {
	s.money++
	sign, size := utf8.DecodeRuneInString(s.rest)
	if strings.ContainsRune(MoneySigns, sign) {
		s.rest = s.rest[size:]
		return true
	}
	end := strings.IndexFunc(s.rest, func(r rune) bool { return !unicode.IsLetter(r) && r != '$' && r != '.' })
	if end <= 0 || !slices.Contains(MoneyWords, strings.ToLower(s.rest[:end])) {
		return false
	}
	s.rest = s.rest[end:]
	return true
}

// digits takes the number itself.
func (s *cellScan) digits() {
	for {
		n := 0
		for n < len(s.rest) && IsDigit(s.rest[n]) {
			n++
		}
		s.out.groups = append(s.out.groups, s.rest[:n])
		s.rest = s.rest[n:]
		if !s.atMark() {
			break
		}
		s.out.marks = append(s.out.marks, s.rest[0])
		s.rest = s.rest[1:]
	}
	s.exponent()
}

// atMark reports whether one of the signs inside a number is here. A point or a comma may
// end it, once; the others come before digits.
func (s *cellScan) atMark() bool {
	if s.rest == "" {
		return false
	}
	before := s.out.groups[len(s.out.groups)-1]
	follows := len(s.rest) > 1 && IsDigit(s.rest[1])
	switch s.rest[0] {
	case '.', ',':
		return follows || before != ""
	case '\'', ' ':
		return follows && before != ""
	}
	return false
}

// exponent takes an exponent, if it is one and not the start of a unit.
func (s *cellScan) exponent() {
	if s.rest == "" || s.rest[0] != 'e' && s.rest[0] != 'E' {
		return
	}
	n := 1
	if n < len(s.rest) && (s.rest[n] == '+' || s.rest[n] == '-') {
		n++
	}
	start := n
	for n < len(s.rest) && IsDigit(s.rest[n]) {
		n++
	}
	if n > start {
		s.out.exponent, s.rest = s.rest[:n], s.rest[n:]
	}
}

// readAfter reads the rest after the digits, to the end of the cell.
func (s *cellScan) readAfter() bool {
	if s.hexadecimal() {
		return false
	}
	units := 0
	for s.rest != "" {
		switch s.rest[0] {
		case ' ':
			s.rest = s.rest[1:]
		case '%':
			units++
			s.out.percent = true
			s.rest = s.rest[1:]
		case ')':
			if !s.opened {
				return false
			}
			s.opened = false
			s.rest = s.rest[1:]
		case '-':
			s.signs++
			s.out.negative = true
			s.rest = s.rest[1:]
			if s.rest != "" {
				return false
			}
		default:
			units++
			if !s.unit() {
				return false
			}
		}
	}
	return units <= 1
}

// hexadecimal reports whether this is a number such as 0xFA and not 0 with a unit.
func (s *cellScan) hexadecimal() bool {
	digits, ok := strings.CutPrefix(strings.ToLower(s.rest), "x")
	return ok && len(s.out.marks) == 0 && s.out.groups[0] == "0" && strings.Trim(digits, "0123456789abcdef") == ""
}

// unit reads a currency sign or a word after the number.
func (s *cellScan) unit() bool {
	const longest = 12
	sign, size := utf8.DecodeRuneInString(s.rest)
	if strings.ContainsRune(MoneySigns, sign) {
		s.rest = s.rest[size:]
		return true
	}
	end := strings.IndexFunc(s.rest, func(r rune) bool { return !unicode.IsLetter(r) && r != '$' })
	if end < 0 {
		end = len(s.rest)
	}
	word := strings.ToLower(s.rest[:end])
	if end == 0 || utf8.RuneCountInString(word) > longest || slices.Contains(multiplying, word) {
		return false
	}
	s.rest = strings.TrimPrefix(s.rest[end:], ".")
	return true
}

// IsDigit reports whether c is an ASCII digit.
func IsDigit(c byte) bool { return '0' <= c && c <= '9' }
