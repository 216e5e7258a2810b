package analytics

import (
	"math/bits"

	"fillbook/internal/base/decimal"
)

// small is a whole number of 64 bits. It holds the amounts of nearly
// every account and the sums of all of them. Selection.chooseScale
// ensures that nothing overflows.
type small int64

// spareBits is the number of bits that sums and small multiples may need in
// addition to those of the amounts and of the number of trades.
const spareBits = 5

// fitsSmall reports whether count numbers of the column, at a scale, can be added up
// and multiplied by small factors in 64 bits.
func (a *amounts) fitsSmall(scale int32, count int) bool {
	return a.unbounded == nil && a.wide == nil && (a.bits == 0 || a.bits+bitGrowth(scale-a.scale)+bits.Len(uint(count))+spareBits < 64)
}

func (a small) add(b small) small                   { return a + b }
func (a small) sub(b small) small                   { return a - b }
func (a small) times(k int64) small                 { return a * small(k) }
func (a small) cmp(b small) int                     { return (a - b).sign() }
func (a small) sign() int                           { return int(a>>63) | int(uint64(-a)>>63) }
func (a small) key() (int64, bool)                  { return int64(a), true }
func (a small) decimal(scale int32) decimal.Decimal { return decimal.FromScaled(int64(a), scale) }
func (a small) float(scale int32) float64           { return newInt128(int64(a)).float(scale) }

func (small) gather(into []small, from []*amounts, picks []pick, scale int32) {
	for i, p := range picks {
		into[i] = from[p.source].smallAt(p.row, scale)
	}
}

func (a small) total(from []*amounts, picks []pick, scale int32) small {
	for _, p := range picks {
		a += from[p.source].smallAt(p.row, scale)
	}
	return a
}

func (small) totalTo(end int32, of *amounts, scale int32) (sum small) {
	for row := range end {
		sum += of.smallAt(row, scale)
	}
	return sum
}

// smallAt returns the number of a row at a scale. The column must fit; see fitsSmall.
func (a *amounts) smallAt(row int32, scale int32) small {
	if a.narrow == nil {
		return 0
	}
	v := a.narrow[row]
	if a.scale != scale {
		v *= powers[min(scale-a.scale, int32(len(powers)-1))] // a larger power is only applied to zeros
	}
	return small(v)
}
