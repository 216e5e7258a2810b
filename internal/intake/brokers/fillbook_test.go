package brokers

import (
	"testing"

	"fillbook/internal/intake/tabular"
)

func TestIsCashTable(t *testing.T) {
	for want, header := range map[bool][]string{
		true:  {"Account", "Occurred At", "Type", "Amount", "Currency", "Note", "Trade"},
		false: {"Account", "Executed At", "Type", "Amount", "Currency", "Note"},
	} {
		if isCashTable(tabular.Row{Cells: header}) != want {
			t.Errorf("%q: %t", header, !want)
		}
	}
}
