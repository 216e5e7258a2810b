package brokers

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"fillbook/internal/intake/statement"
	"fillbook/internal/intake/tabular"
)

// TestCryptoExportsAgree checks that an exchange's trade history and ledger have the same
// fills with the same ids.
func TestCryptoExportsAgree(t *testing.T) {
	readFills := func(name string) map[string]string {
		archive, err := txtar.ParseFile(filepath.Join("testdata", name+".txtar"))
		if err != nil {
			t.Fatal(err)
		}
		file, err := tabular.Read(archive.Files[0].Data, tabular.Default())
		if err != nil {
			t.Fatal(err)
		}
		found, _ := statement.Detect(file, tables())
		s, err := statement.Read(file, found, statement.Hints{})
		if err != nil {
			t.Fatal(err)
		}
		list := map[string]string{}
		for _, f := range s.Fills {
			list[f.ID] = fmt.Sprint(f.Symbol, f.Type, f.Side, f.Quantity, f.Price, f.Fees, f.At.Truncate(time.Second))
		}
		return list
	}
	for trades, ledger := range map[string]string{"coinbasepro-fills": "coinbasepro-ledger", "kraken-trades": "kraken-ledgers"} {
		one, other := readFills(trades), readFills(ledger)
		common := 0
		for id, fill := range one {
			if in, ok := other[id]; ok {
				common++
				if in != fill {
					t.Errorf("%s: fill %s is %s in the trades and %s in the ledger", trades, id, fill, in)
				}
			}
		}
		if common == 0 {
			t.Errorf("%s and %s have no fill in common", trades, ledger)
		}
	}
}
