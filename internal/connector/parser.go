package connector

import (
	"strconv"
	"strings"
	"time"

	"fillbook/internal/decimal"
	"fillbook/internal/matching"
	"fillbook/internal/remote"
)

// Parser parses the values of one record. The first value that is not valid becomes its
// error, and the values after it are of no use.
type Parser struct{ err error }

// Err returns the error of the first value that is not valid, which wraps
// [remote.ErrMalformed].
func (p *Parser) Err() error { return p.err }

// Fail sets the error of a value.
func (p *Parser) Fail(name, value string) {
	if p.err == nil {
		p.err = remote.Malformed("its " + name + " is " + strconv.Quote(value[:min(len(value), maxQuoted)]))
	}
}

// maxQuoted is how much of a wrong value an error has.
const maxQuoted = 30

// Decimal parses a number that must be there.
func (p *Parser) Decimal(name string, n remote.Number) decimal.Decimal {
	value, err := decimal.Parse(string(n))
	if err != nil {
		p.Fail(name, string(n))
	}
	return value
}

// Optional parses a number that may be missing, which is 0.
func (p *Parser) Optional(name string, n remote.Number) decimal.Decimal {
	if n == "" {
		return decimal.Zero
	}
	return p.Decimal(name, n)
}

// Int parses a whole number.
func (p *Parser) Int(name string, n remote.Number) int64 {
	value, err := strconv.ParseInt(string(n), 10, 64)
	if err != nil {
		p.Fail(name, string(n))
	}
	return value
}

// Millis parses a time in milliseconds.
func (p *Parser) Millis(name string, n remote.Number) time.Time {
	return time.UnixMilli(p.Int(name, n)).UTC()
}

// Time parses a time with its zone, such as 2026-01-02T03:04:05.678Z.
func (p *Parser) Time(name, text string) time.Time {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		p.Fail(name, text)
	}
	return at.UTC()
}

// Side parses buy and sell.
func (p *Parser) Side(name, text string) matching.Side {
	switch strings.ToLower(text) {
	case "buy":
		return matching.Buy
	case "sell":
		return matching.Sell
	}
	p.Fail(name, text)
	return matching.Buy
}

// ID parses an id, which must not be empty.
func (p *Parser) ID(name string, n remote.Number) string {
	if n == "" {
		p.Fail(name, "")
	}
	return string(n)
}
