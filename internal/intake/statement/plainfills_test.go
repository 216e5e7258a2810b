package statement

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"fillbook/internal/intake/tabular"
)

// plainValues are a column's usual and unusual values.
var plainValues = [][]string{
	{"SYM1", "SYM1", "SYM2", "BTCUSD", "ESZ4", "", "-", "AAPL 240119C00100000"},
	{"buy", "sell", "BUY", "SELL", "short", "dividend", "hold", "", "Buy 10 SYM1"},
	{"10", "5", "1.5", "-3", "0", "x", "", "1,000"},
	{"12.50", "0.01", "7", "97.5%", "", "-1", "1,5"},
	{"2024-10-27 02:30:00", "2024-10-27T10:00:00Z", "2024-10-27 09:30", "2024-10-27", "soon", "", "2024-10-27T10:00:00.000+02:00", "03/04/2024"},
	{"1.05", "0", "", "-0.5", "0.1%", "0.001 BNB", "(2.00)", "x"},
	{"0.25", "0.00", "n/a", "-1", "5 USD"},
	{"A1", "A2", "", "-", "A3"},
}

// TestPlainFillsEqualOthers reads random tables with and without readPlainFill.
func TestPlainFillsEqualOthers(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(9, 10))
	plain := 0
	for n := range 80 {
		var text strings.Builder
		text.WriteString("Symbol;Side;Quantity;Price;Time;Commission;Fees;Order ID\n")
		for i := range 60 {
			cells := make([]string, 0, len(plainValues))
			for column, values := range plainValues {
				usual := 2
				if random.IntN(40) < n/2 {
					usual = len(values)
				}
				if column == 4 && usual == 2 {
					cells = append(cells, time.Date(2024, 10, 26, 23, 2*i, 0, 0, time.UTC).Format(time.DateTime))
					continue
				}
				cells = append(cells, values[random.IntN(usual)])
			}
			if random.IntN(20) == 0 {
				cells = cells[:random.IntN(len(cells))]
			}
			text.WriteString(strings.Join(cells, ";") + "\n")
		}
		file, err := tabular.Read([]byte(text.String()), tabular.Default())
		if err != nil {
			t.Fatal(err)
		}
		hints := Hints{Zone: []string{"", "Europe/Berlin"}[n%2], Currency: "USD"}
		if n%3 == 0 {
			hints.Mapping = map[Target]string{TargetOrderID: "Order ID"}
		}
		var results [2]*Statement
		for i := range results {
			m := newTestReader(t, file, hints)
			l := m.newLayout()
			if i == 1 {
				m.plain = nil
			} else if m.plain != nil {
				plain++
			}
			if err := m.readLayout(l); err != nil {
				t.Fatal(err)
			}
			results[i] = m.finish()
		}
		if !reflect.DeepEqual(results[0], results[1]) {
			t.Errorf("file %d: %s\n%s", n, describe(results[0]), describe(results[1]))
		}
	}
	if plain < 40 {
		t.Errorf("only %d tables have plain columns", plain)
	}
}

// describe returns a statement's content for a message.
func describe(s *Statement) string {
	var b strings.Builder
	for _, f := range s.Fills {
		fmt.Fprintf(&b, "%+v\n", *f)
	}
	fmt.Fprintf(&b, "%v %v %v", s.Problems, s.Skipped, s.Warnings)
	return b.String()
}
