package instruments

import (
	"regexp"
	"strings"
	"testing"

	"fillbook/internal/base/decimal"
)

// TestData checks the embedded data against its header. readTable
// itself rejects duplicate roots and numbers that are not above zero.
func TestData(t *testing.T) {
	t.Parallel()
	roots := contracts().roots
	if len(roots) < 150 {
		t.Fatalf("%d roots, want at least 150", len(roots))
	}
	symbol := regexp.MustCompile(`^[A-Z0-9]{1,4}$`)
	currency := regexp.MustCompile(`^[A-Z]{3}$`)
	for _, root := range roots {
		if !symbol.MatchString(root.Symbol) || !currency.MatchString(root.Currency) || root.Name == "" || root.Exchange == "" {
			t.Errorf("%s: %+v", root.Symbol, root)
		}
		if found, ok := contracts().lookup(root.Symbol); !ok || found.Symbol != root.Symbol {
			t.Errorf("lookup(%s) = %s, %v", root.Symbol, found.Symbol, ok)
		}
	}
}

// TestNoRootLooksDated checks that no root is also
// a dated contract of a shorter root.
func TestNoRootLooksDated(t *testing.T) {
	t.Parallel()
	for _, root := range contracts().roots {
		contract, ok := ParseFuture(root.Symbol)
		if !ok || contract.Root.Symbol != root.Symbol || contract.Delivery != (Delivery{}) {
			t.Errorf("ParseFuture(%s) = %s %+v, %v", root.Symbol, contract.Root.Symbol, contract.Delivery, ok)
		}
	}
}

func TestLookup(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ root, multiplier, tick, currency string }{
		{"ES", "50", "0.25", "USD"},
		{"MNQ", "2", "0.25", "USD"},
		{"MYM", "0.5", "1", "USD"},
		{"HG", "25000", "0.0005", "USD"},
		{"ZB", "1000", "0.03125", "USD"},
		{"6J", "12500000", "0.0000005", "USD"},
		{"FESX", "10", "1", "EUR"},
		{"ZC", "50", "0.25", "USD"},
		{"BRR", "5", "5", "USD"},         // an alias of BTC
		{"10YY", "1000", "0.001", "USD"}, // an alias of 10Y
	} {
		root, ok := contracts().lookup(test.root)
		if !ok || !root.Multiplier.Equal(decimal.Must(test.multiplier)) || !root.TickSize.Equal(decimal.Must(test.tick)) || root.Currency != test.currency {
			t.Errorf("lookup(%s) = %+v, %v", test.root, root, ok)
		}
	}
	for _, root := range []string{"", "AAPL", "EP", "SP", "DAX", "MXP"} {
		if found, ok := contracts().lookup(root); ok {
			t.Errorf("lookup(%q) = %+v, want none", root, found)
		}
	}
}

func TestReadTableRefuses(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"an unknown word":       "future ES 50 0.25 USD CME E-mini\n",
		"a missing name":        "contract ES 50 0.25 USD CME\n",
		"a root twice":          "contract ES 50 0.25 USD CME a\ncontract ES 50 0.25 USD CME b\n",
		"a multiplier of zero":  "contract ES 0 0.25 USD CME a\n",
		"a tick that is a word": "contract ES 50 x USD CME a\n",
		"an alias of nothing":   "alias EP ES\n",
		"an alias that is one":  "contract ES 50 1 USD CME a\nalias ES ES\n",
		"an alias twice":        "contract ES 50 1 USD CME a\nalias X ES\nalias X ES\n",
	} {
		if _, err := readTable(text); err == nil {
			t.Errorf("%s was accepted", name)
		} else if !strings.HasPrefix(err.Error(), "line ") {
			t.Errorf("%s: %v does not name the line", name, err)
		}
	}
}
