package brokers

import (
	"slices"
	"strings"

	"fillbook/internal/decimal"
	"fillbook/internal/imports/statement"
	"fillbook/internal/instruments"
)

// routing are the marks that platforms put before a contract to say where an
// order for it goes.
var routing = []string{"CON.F.US.", "F.US.", "CM.", "/"}

// contractName returns the symbol under which a contract is stored: as the file
// writes it, without the platform's routing where the rest says it all.
func contractName(text string) string {
	name := strings.ToUpper(strings.Join(strings.Fields(text), " "))
	for _, prefix := range routing {
		if rest, ok := strings.CutPrefix(name, prefix); ok && isKnown(rest) {
			return rest
		}
	}
	return name
}

// isKnown reports whether the table of contracts has the contract.
func isKnown(symbol string) bool {
	_, ok := instruments.ParseFuture(symbol)
	return ok
}

// treasuries are the roots whose prices are quoted in 32nds.
var treasuries = []string{"ZB", "UB", "ZN", "TN", "ZF", "ZT", "Z3N", "TWE"}

// futurePrice reads a price. Treasuries may be written in 32nds, which would pass for
// a number with an apostrophe between its thousands anywhere else.
func futurePrice(w *statement.Row, names, symbol string) decimal.Decimal {
	c, ok := instruments.ParseFuture(symbol)
	if ok && slices.Contains(treasuries, c.Root.Symbol) {
		if p, written := statement.Treasury32(w.Text(names)); written {
			return p
		}
	}
	return w.Required(names)
}
