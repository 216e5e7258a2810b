package textindex

import (
	"iter"
	mathbits "math/bits"
)

// bits is a set of small numbers.
type bits []uint64

const perElement = 64

// elementsFor returns the length of a set for numbers below n.
func elementsFor(n int) int { return (n + perElement - 1) / perElement }

// has reports whether the set contains a number. A nil set contains none.
func (b bits) has(n int) bool {
	return n/perElement < len(b) && b[n/perElement]>>(n%perElement)&1 == 1
}

func (b bits) set(n int) { b[n/perElement] |= 1 << (n % perElement) }

// keep removes the numbers missing from another set with the same length.
func (b bits) keep(other bits) {
	for i := range b {
		b[i] &= other[i]
	}
}

// all goes through the numbers in order.
func (b bits) all() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, element := range b {
			for ; element != 0; element &= element - 1 {
				if !yield(i*perElement + mathbits.TrailingZeros64(element)) {
					return
				}
			}
		}
	}
}
