package analytics

import (
	"bytes"
	"slices"
	"unsafe"

	"fillbook/internal/base/decimal"
)

// amounts is a column of money: whole numbers at one decimal scale. Its
// widest number decides how it is stored: in eight bytes each, in sixteen, or
// as decimals. The zero value is an empty column.
type amounts struct {
	scale int32
	// bits is the longest number's length, which decides whether a larger scale fits.
	bits   int
	narrow []int64
	wide   []int128
	// unbounded is used once any number needs more than amountBits.
	unbounded []decimal.Decimal
}

func (a *amounts) len() int { return len(a.narrow) + len(a.wide) + len(a.unbounded) }

// at returns a row's number as a decimal.
func (a *amounts) at(row int32) decimal.Decimal {
	switch {
	case a.narrow != nil:
		return decimal.FromScaled(a.narrow[row], a.scale)
	case a.wide != nil:
		return a.wide[row].decimal(a.scale)
	}
	return a.unbounded[row]
}

// fixedAt returns a row's number at the column scale. The column must not be unbounded.
func (a *amounts) fixedAt(row int32) int128 {
	if a.narrow != nil {
		return newInt128(a.narrow[row])
	}
	return a.wide[row]
}

// sum returns the column total as a column with one row.
func (a *amounts) sum() *amounts {
	n := int32(a.len())
	if a.unbounded != nil {
		return &amounts{unbounded: []decimal.Decimal{exact{}.totalTo(n, a, 0).d}}
	}
	sum := &amounts{scale: a.scale}
	sum.pushRaw(int128{}.totalTo(n, a, a.scale))
	return sum
}

// fits reports whether every number stays within amountBits at a scale.
func (a *amounts) fits(scale int32) bool {
	return a.unbounded == nil && (a.bits == 0 || a.bits+bitGrowth(scale-a.scale) <= amountBits)
}

// push appends one number.
func (a *amounts) push(d decimal.Decimal) {
	if a.unbounded == nil {
		v, scale, ok := fixedPoint(d)
		if ok && a.raiseScale(scale) && a.pushFixed(v, scale) {
			return
		}
		a.makeUnbounded()
	}
	a.unbounded = append(a.unbounded, d)
}

// fixedPoint splits a decimal: d is v / 10^scale.
func fixedPoint(d decimal.Decimal) (v int128, scale int32, ok bool) {
	if coef, scale, ok := d.Scaled(); ok {
		return newInt128(coef), scale, true
	}
	var buf [48]byte
	digits := d.AppendTo(buf[:0])
	negative := digits[0] == '-'
	if negative {
		digits = digits[1:]
	}
	if point := bytes.IndexByte(digits, '.'); point >= 0 {
		scale = int32(len(digits) - point - 1)
		digits = slices.Delete(digits, point, point+1)
	}
	v, ok = int128FromDigits(digits, negative)
	return v, scale, ok
}

// pushFixed appends v / 10^scale. It returns false if the value does not fit at the
// column scale.
func (a *amounts) pushFixed(v int128, scale int32) bool {
	if v.sign() != 0 && v.length()+bitGrowth(a.scale-scale) > amountBits {
		return false
	}
	a.pushRaw(v.scaleUp(a.scale - scale))
	return true
}

// pushRaw appends a number already at the column scale.
func (a *amounts) pushRaw(v int128) {
	a.bits = max(a.bits, v.length())
	if a.wide == nil {
		if small, ok := v.key(); ok {
			a.narrow = append(a.narrow, small)
			return
		}
		a.widen()
	}
	a.wide = append(a.wide, v)
}

// raiseScale converts the column to a scale, if that is larger. It returns false
// if the numbers do not fit.
func (a *amounts) raiseScale(scale int32) bool {
	if scale <= a.scale {
		return true
	}
	if a.bits == 0 { // empty, or only zeros
		a.scale = scale
		return true
	}
	if !a.fits(scale) {
		return false
	}
	old := *a
	*a = amounts{scale: scale, narrow: make([]int64, 0, cap(old.narrow))}
	for row := range int32(old.len()) {
		a.pushRaw(old.fixedAt(row).scaleUp(scale - old.scale))
	}
	return true
}

func (a *amounts) widen() {
	a.wide = make([]int128, 0, max(cap(a.narrow), 1))
	for _, v := range a.narrow {
		a.wide = append(a.wide, newInt128(v))
	}
	a.narrow = nil
}

func (a *amounts) makeUnbounded() {
	list := make([]decimal.Decimal, 0, a.len()+1)
	for row := range int32(a.len()) {
		list = append(list, a.at(row))
	}
	*a = amounts{unbounded: list}
}

// appendRange appends the rows from..until of another column. Whole ranges are copied if
// both columns are stored alike.
func (a *amounts) appendRange(b *amounts, from, until int32) {
	switch {
	case from == until:
	case a.unbounded == nil && b.unbounded == nil && a.raiseScale(b.scale):
		if a.scale == b.scale && a.wide == nil && b.wide == nil {
			a.narrow = append(a.narrow, b.narrow[from:until]...)
			a.bits = max(a.bits, b.bits)
			return
		}
		for row := from; row < until; row++ {
			if !a.pushFixed(b.fixedAt(row), b.scale) {
				a.makeUnbounded()
				a.appendRange(b, row, until)
				return
			}
		}
	default:
		if a.unbounded == nil {
			a.makeUnbounded()
		}
		for row := from; row < until; row++ {
			a.unbounded = append(a.unbounded, b.at(row))
		}
	}
}

func (a *amounts) bytes() int {
	const heap = 40 // allocated for each decimal
	return cap(a.narrow)*8 + cap(a.wide)*16 + cap(a.unbounded)*(int(unsafe.Sizeof(decimal.Zero))+heap)
}

// optional is a money column whose values may be absent. A column without any value takes
// no memory: most journals have no excursions.
type optional struct {
	rows    int
	values  amounts
	present []bool
	room    int // expected rows
}

func (o *optional) has(row int32) bool { return o.present != nil && o.present[row] }

func (o *optional) at(row int32) decimal.Null {
	if !o.has(row) {
		return decimal.Null{}
	}
	return decimal.Of(o.values.at(row))
}

func (o *optional) push(d decimal.Null) {
	if !d.Valid {
		o.pushAbsent()
		return
	}
	o.allocate()
	o.rows++
	o.present = append(o.present, true)
	o.values.push(d.Decimal)
}

func (o *optional) pushAbsent() {
	o.rows++
	if o.present != nil {
		o.present = append(o.present, false)
		o.values.push(decimal.Zero)
	}
}

// allocate adds the rows so far, all absent.
func (o *optional) allocate() {
	if o.present != nil {
		return
	}
	room := max(o.rows, o.room)
	o.present = make([]bool, o.rows, room)
	o.values = amounts{narrow: make([]int64, o.rows, room)}
}

func (o *optional) appendRange(b *optional, from, until int32) {
	if b.present != nil {
		o.allocate()
		o.present = append(o.present, b.present[from:until]...)
		o.values.appendRange(&b.values, from, until)
	} else if o.present != nil {
		for range until - from {
			o.present = append(o.present, false)
			o.values.push(decimal.Zero)
		}
	}
	o.rows += int(until - from)
}

func (o *optional) bytes() int { return o.values.bytes() + cap(o.present) }
