package tabular

import (
	"context"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// TestHalvesEqualWhole reads long texts in two halves and in order, with line breaks of
// all kinds, blank lines, and limits that they exceed.
func TestHalvesEqualWhole(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"AAPL", "1.5", " x ", "'2", ",", ",", ",", "\n", "\r\n", "\n\n", "=1", "é"}
	for n := range 8 {
		if n > 3 {
			pieces = append(pieces, "\r")
		}
		var text strings.Builder
		text.WriteString(strings.Repeat("a,b,c\n", 300))
		for text.Len() < minHalves+n*1000 {
			text.WriteString(pieces[random.IntN(len(pieces))])
		}
		limits := Default()
		switch n % 4 {
		case 1:
			limits.Rows = 20_000
		case 2:
			limits.Cells = 90_000
		case 3:
			limits.Text = 100_000
		}
		inOrder := newBudget(context.Background(), limits)
		want := collector{budget: inOrder}
		wantErr := want.addRecords(newScanner(text.String(), ',', limits))
		b := newBudget(context.Background(), limits)
		if rows, ok := readHalves(newScanner(text.String(), ',', limits), b); ok != (wantErr == nil) || ok && !reflect.DeepEqual(rows, want.rows) {
			t.Errorf("text %d: %v and %d rows in halves, %v and %d in order", n, ok, len(rows), wantErr, len(want.rows))
		}
		if wantErr == nil && *b != *inOrder {
			t.Errorf("text %d: the budget is %+v in halves, %+v in order", n, *b, *inOrder)
		}
		rows, err := readRecords(newScanner(text.String(), ',', limits), newBudget(context.Background(), limits))
		if !reflect.DeepEqual(err, wantErr) || err == nil && !reflect.DeepEqual(rows, want.rows) {
			t.Errorf("text %d: %v, in order %v", n, err, wantErr)
		}
	}
}
