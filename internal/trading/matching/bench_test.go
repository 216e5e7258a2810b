package matching

import (
	"strconv"
	"testing"

	"fillbook/internal/base/decimal"
)

// BenchmarkGroup groups 100,000 fills: scaled-in and scaled-out round trips with costs,
// every tenth turned around by a crossing fill.
func BenchmarkGroup(b *testing.B) {
	const n = 100_000
	fills := make([]Fill, n)
	for i := range fills {
		f := Fill{ID: strconv.Itoa(i), At: int64(i), Seq: int64(i), Side: Buy, Quantity: decimal.New(100), Multiplier: decimal.New(1)}
		f.Price = decimal.FromScaled(int64(10000+i%997), 2)
		f.Fees, f.Commission = decimal.Must("0.35"), decimal.Must("1")
		if i%4 >= 2 {
			f.Side = Sell
		}
		if i%40 == 3 {
			f.Quantity = decimal.New(150)
		}
		if i%40 == 4 {
			f.Quantity = decimal.New(150)
		}
		fills[i] = f
	}
	b.ReportAllocs()
	for b.Loop() {
		if len(Group(fills, Head{})) < n/5 {
			b.Fatal("too few trades")
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/fill")
}
