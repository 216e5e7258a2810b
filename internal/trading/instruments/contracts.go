// Package instruments parses symbols: it finds the futures contract or the option of a
// symbol, and the value of one unit of its price.
//
// A wrong multiplier is a wrong profit, so the package never guesses. Its table of
// futures has only contracts whose size at least two independent sources confirm. For
// other roots it returns no contract, and DefaultMultiplier returns a warning for the
// user.
//
// Symbols have many notations: ESZ4, /ESZ24, ES 12-24 and CON.F.US.EP.Z24 are one
// contract, AAPL 240119C00150000 and "AAPL 01/19/2024 150.00 C" one option. The package
// parses all notations known from brokers' files, with valid calendar days only. A symbol
// alone does not decide whether it is a future: ES, CL and W are shares as well. A caller
// that does not know the instrument type must check [Contract.Explicit].
//
// The package has no I/O, no clock and no state.
package instruments

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"fillbook/internal/base/decimal"
)

// The instrument types this package treats specially. The journal accepts other types as
// well; their multiplier is 1.
const (
	TypeStock  = "stock"
	TypeOption = "option"
	TypeFuture = "future"
	TypeForex  = "forex"
	TypeCrypto = "crypto"
	TypeCFD    = "cfd"
)

// Root is a family of futures contracts differing only in the month of delivery.
type Root struct {
	// Symbol is the exchange's own root, such as ES.
	Symbol string
	// Name is its common name, such as E-mini S&P 500.
	Name string
	// Exchange is where it trades, such as CME.
	Exchange string
	// Currency is that of its profit.
	Currency string
	// Multiplier is the value of a move of 1.0, for the price as
	// brokers quote it: grains, livestock and softs in cents.
	Multiplier decimal.Decimal
	// TickSize is the smallest move of that price. Calendar spreads and the
	// month next to delivery trade finer in some contracts.
	TickSize decimal.Decimal
}

//go:embed contracts.txt
var contractsText string

// table is the parsed embedded data.
type table struct {
	roots    map[string]Root
	aliases  map[string]string // other names of roots, anywhere
	projectX map[string]string // other names in the contract ids of ProjectX
}

// contracts parses the embedded data at first use. The package's
// tests ensure that the data is valid; it panics otherwise.
var contracts = sync.OnceValue(func() *table {
	t, err := readTable(contractsText)
	if err != nil {
		panic("instruments: contracts.txt: " + err.Error())
	}
	return t
})

// lookup finds a root by its symbol or an alias.
func (t *table) lookup(root string) (Root, bool) {
	if other, ok := t.aliases[root]; ok {
		root = other
	}
	found, ok := t.roots[root]
	return found, ok
}

// readTable parses the data file; the file documents its notation.
func readTable(text string) (*table, error) {
	t := &table{roots: map[string]Root{}, aliases: map[string]string{}, projectX: map[string]string{}}
	number := 0
	for line := range strings.Lines(text) {
		number++
		fields := strings.Fields(line)
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		if err := t.add(fields[0], fields[1:]); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
	}
	return t, nil
}

func (t *table) add(word string, fields []string) error {
	switch {
	case word == "contract" && len(fields) >= 6:
		return t.addRoot(fields)
	case word == "alias" && len(fields) == 2:
		return t.addAlias(t.aliases, fields[0], fields[1])
	case word == "projectx" && len(fields) == 2:
		return t.addAlias(t.projectX, fields[0], fields[1])
	}
	return fmt.Errorf("%q with %d fields is not an entry", word, len(fields))
}

func (t *table) addRoot(fields []string) error {
	root := Root{
		Symbol: fields[0], Currency: fields[3], Exchange: fields[4],
		Name: strings.Join(fields[5:], " "),
	}
	var err error
	if root.Multiplier, err = parsePositive(fields[1]); err != nil {
		return err
	}
	if root.TickSize, err = parsePositive(fields[2]); err != nil {
		return err
	}
	if _, taken := t.roots[root.Symbol]; taken {
		return fmt.Errorf("%s occurs twice", root.Symbol)
	}
	t.roots[root.Symbol] = root
	return nil
}

func (t *table) addAlias(aliases map[string]string, other, root string) error {
	if _, known := t.roots[root]; !known {
		return fmt.Errorf("%s is an alias of %s, which is not defined above", other, root)
	}
	if _, taken := t.roots[other]; taken {
		return fmt.Errorf("%s is a root itself", other)
	}
	if _, taken := aliases[other]; taken {
		return fmt.Errorf("%s occurs twice", other)
	}
	aliases[other] = root
	return nil
}

func parsePositive(text string) (decimal.Decimal, error) {
	d, err := decimal.Parse(text)
	if err == nil && d.Sign() <= 0 {
		err = fmt.Errorf("%s is not above zero", text)
	}
	return d, err
}
