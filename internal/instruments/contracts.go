// Package instruments knows what a symbol stands for: which futures contract,
// which option, and how much money one unit of its price is worth.
//
// A wrong multiplier is a wrong profit, so the package never guesses. Its
// table of futures holds only contracts whose size at least two independent
// sources confirm; a root that is not in it gives no contract, and the caller
// is told so in a sentence that the user can act on.
//
// Symbols come in many notations: ESZ4, /ESZ24, ES 12-24 and CON.F.US.EP.Z24
// are one contract, AAPL  240119C00150000 and "AAPL 01/19/2024 150.00 C" one
// option. All that brokers' files are known to use are read, with real calendar
// days. What a symbol cannot tell is whether it is a future at all: ES, CL and
// W are shares as well. That is never decided here. A caller that knows the
// instrument type asks; one that does not looks at [Contract.Explicit].
//
// The package is pure: no I/O, no clock, no state.
package instruments

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"fillbook/internal/decimal"
)

// The instrument types that mean something to this package. The journal takes
// other texts as well; they are worth 1 a unit.
const (
	TypeStock  = "stock"
	TypeOption = "option"
	TypeFuture = "future"
	TypeForex  = "forex"
	TypeCrypto = "crypto"
	TypeCFD    = "cfd"
)

// Root is a family of futures contracts that differ in nothing but the month
// of delivery.
type Root struct {
	// Symbol is the exchange's own root, such as ES.
	Symbol string
	// Name is what a person calls it, such as E-mini S&P 500.
	Name string
	// Exchange is where it trades, such as CME.
	Exchange string
	// Currency is that of its profit.
	Currency string
	// Multiplier is the money that a move of 1.0 is worth, for the price as
	// brokers quote it: grains, livestock and softs in cents.
	Multiplier decimal.Decimal
	// TickSize is the smallest move of that price. Calendar spreads and the
	// month next to delivery trade finer in some contracts.
	TickSize decimal.Decimal
}

//go:embed contracts.txt
var contractsText string

// table is the embedded data, read.
type table struct {
	roots    map[string]Root
	aliases  map[string]string // other names of roots, anywhere
	projectX map[string]string // and in the contract ids of one platform
}

// contracts reads the embedded data at first use. That the data is sound is
// what the package's tests are for; a program that holds unsound data ends.
var contracts = sync.OnceValue(func() *table {
	t, err := readTable(contractsText)
	if err != nil {
		panic("instruments: contracts.txt: " + err.Error())
	}
	return t
})

// lookup finds a root by its symbol or another name for it. A root that is not
// known for certain is not found.
func (t *table) lookup(root string) (Root, bool) {
	if other, ok := t.aliases[root]; ok {
		root = other
	}
	found, ok := t.roots[root]
	return found, ok
}

// readTable reads the data file; its notation is told in the file itself.
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
	return fmt.Errorf("%q with %d fields is no entry", word, len(fields))
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
		return fmt.Errorf("%s is there twice", root.Symbol)
	}
	t.roots[root.Symbol] = root
	return nil
}

func (t *table) addAlias(aliases map[string]string, other, root string) error {
	if _, known := t.roots[root]; !known {
		return fmt.Errorf("%s stands for %s, which is not above it", other, root)
	}
	if _, taken := t.roots[other]; taken {
		return fmt.Errorf("%s is a root of its own", other)
	}
	if _, taken := aliases[other]; taken {
		return fmt.Errorf("%s is there twice", other)
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
