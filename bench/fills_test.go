package main

import (
	"bytes"
	"encoding/csv"
	"testing"
	"time"
)

// TestMarket counts the outcome a second time, from the file: by symbol, from flat to
// flat.
func TestMarket(t *testing.T) {
	t.Parallel()
	m := newMarket(5000)
	rows, err := csv.NewReader(bytes.NewReader(csvFile(m.nextFills(5000)))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	held, cash := map[string]int64{}, map[string]int64{}
	var got outcome
	var last time.Time
	for _, row := range rows[1:] {
		symbol, quantity, cents := row[0], number(t, row[2]), number(t, row[3])
		if row[1] == "sell" {
			quantity = -quantity
		}
		if quantity == 0 {
			t.Fatalf("a fill of nothing: %v", row)
		}
		if at, err := time.Parse(time.RFC3339, row[4]); err != nil || !at.After(last) {
			t.Fatalf("%v is not after %v: %v", row[4], last, err)
		} else {
			last = at
		}
		held[symbol] += quantity
		cash[symbol] -= quantity*cents + number(t, row[5])
		if held[symbol] == 0 {
			got.add(cash[symbol])
			cash[symbol] = 0
		}
	}
	if got != m.outcome || got.closed < 1000 {
		t.Errorf("the file has %+v, the market counted %+v", got, m.outcome)
	}
}

// number reads a number in a file without its point.
func number(t *testing.T, text string) (n int64) {
	t.Helper()
	for _, c := range text {
		if c != '.' {
			n = 10*n + int64(c-'0')
		}
	}
	return n
}

func TestWholeRows(t *testing.T) {
	t.Parallel()
	file := []byte("ab\ncd\nef\n")
	for limit, want := range map[int]int{20: 9, 9: 9, 8: 6, 6: 6, 2: 0} {
		if got := cutToWholeRows(file, limit); got != want {
			t.Errorf("%d bytes hold %d, want %d", limit, got, want)
		}
	}
}
