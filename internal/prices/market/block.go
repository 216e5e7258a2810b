package market

import (
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"sort"
)

// Block is a run of bars from one series in time order, without two at the same time. It
// is the unit in which bars are stored.
type Block struct {
	// Secs is the bar length in seconds.
	Secs int64
	// PriceScale and VolumeScale are the decimals for prices and volumes.
	PriceScale, VolumeScale int32
	// HasVolume is false if the source has no volume.
	HasVolume bool
	Bars      []Bar
}

const (
	day  = 24 * 60 * 60
	week = 7 * day
	// year is a whole number of weeks, so every block begins on a Monday.
	year = 52 * week
	// monday is the first Monday after 1 January 1970, which was a Thursday.
	monday = 4 * day
)

// BlockSpan returns how many seconds a stored block covers: a day for bars shorter than a
// minute, a week for bars shorter than an hour, and 52 weeks for longer ones, so a block
// has some thousand bars at most.
func BlockSpan(secs int64) int64 {
	switch {
	case secs < 60:
		return day
	case secs < 60*60:
		return week
	}
	return year
}

// BlockStart returns the start of the block containing the time, for bars with the given
// length. Both are in seconds.
func BlockStart(time, secs int64) int64 {
	span := BlockSpan(secs)
	return monday + floorDiv(time-monday, span)*span
}

// SplitBlocks cuts a run of bars into blocks as they are stored: each within one span of
// [BlockSpan]. The result can be read several times.
func SplitBlocks(all Block) iter.Seq[Block] {
	return func(yield func(Block) bool) {
		for rest := all.Bars; len(rest) > 0; {
			end := BlockStart(rest[0].Time, all.Secs) + BlockSpan(all.Secs)
			n := sort.Search(len(rest), func(i int) bool { return rest[i].Time >= end })
			block := all
			block.Bars = rest[:n:n]
			if !yield(block) {
				return
			}
			rest = rest[n:]
		}
	}
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// The encoded block format: a version byte, varints for the bar length, the two scales,
// the flags, the number of bars, the time unit and the first bar's time, then the bars. A
// bar is the time since the last one in units, the open less the last close, the close
// less the open, the two wicks, and the volume if there is one. Wicks and volumes are
// never below zero; the others are zigzag varints.
const (
	blockVersion = 1
	flagVolume   = 1
)

// maxBlockBars is the maximum number of bars in a block with the longest span: a day of
// second bars, or a year of hour bars.
const maxBlockBars = day

// ErrBlock means a stored block cannot be decoded.
var ErrBlock = errors.New("market: damaged block of bars")

// AppendTo appends the encoded block to data. The bars must be valid, in time order and
// at most a day of second bars.
func (b Block) AppendTo(data []byte) []byte {
	unit := b.timeUnit()
	data = append(data, blockVersion)
	data = binary.AppendUvarint(data, uint64(b.Secs))
	data = binary.AppendUvarint(data, uint64(b.PriceScale))
	data = binary.AppendUvarint(data, uint64(b.VolumeScale))
	var flags uint64
	if b.HasVolume {
		flags |= flagVolume
	}
	data = binary.AppendUvarint(data, flags)
	data = binary.AppendUvarint(data, uint64(len(b.Bars)))
	data = binary.AppendUvarint(data, uint64(unit))
	if len(b.Bars) == 0 {
		return data
	}
	last := Bar{Time: b.Bars[0].Time}
	data = binary.AppendVarint(data, last.Time)
	for _, bar := range b.Bars {
		data = binary.AppendUvarint(data, uint64((bar.Time-last.Time)/unit))
		data = binary.AppendVarint(data, bar.Open-last.Close)
		data = binary.AppendVarint(data, bar.Close-bar.Open)
		data = binary.AppendUvarint(data, uint64(bar.High-max(bar.Open, bar.Close)))
		data = binary.AppendUvarint(data, uint64(min(bar.Open, bar.Close)-bar.Low))
		if b.HasVolume {
			data = binary.AppendUvarint(data, uint64(bar.Volume))
		}
		last = bar
	}
	return data
}

// timeUnit returns the bar length if all times differ by multiples of it, and a second
// otherwise.
func (b Block) timeUnit() int64 {
	for i := range b.Bars {
		if (b.Bars[i].Time-b.Bars[0].Time)%max(b.Secs, 1) != 0 {
			return 1
		}
	}
	return max(b.Secs, 1)
}

// DecodeBlock decodes a block and appends its bars to into, which may be nil. The error
// wraps ErrBlock for every text that AppendTo did not produce from valid bars.
func DecodeBlock(data []byte, into []Bar) (Block, error) {
	r := blockReader{rest: data}
	if len(data) == 0 || data[0] != blockVersion {
		return Block{}, fmt.Errorf("%w: unknown version", ErrBlock)
	}
	r.rest = data[1:]
	b := Block{Secs: int64(r.unsigned(math.MaxInt32)), PriceScale: int32(r.unsigned(MaxPriceScale)), VolumeScale: int32(r.unsigned(MaxScale))}
	b.HasVolume = r.unsigned(flagVolume) == flagVolume
	count := r.unsigned(maxBlockBars)
	unit := int64(r.unsigned(math.MaxInt32))
	if r.failed || unit == 0 {
		return Block{}, fmt.Errorf("%w: its head is damaged", ErrBlock)
	}
	if count == 0 {
		b.Bars = into
		return b, r.end()
	}
	// A bar has at least five bytes, so a damaged head cannot ask for much memory.
	b.Bars = slices.Grow(into, int(min(count, uint64(len(r.rest)/5+1))))
	maxPrice := MaxPrice*power(b.PriceScale) - 1
	last := Bar{Time: r.signed()}
	if last.Time > maxTime || last.Time < -maxTime {
		r.failed = true
	}
	for i := uint64(0); i < count && !r.failed; i++ {
		if i > 0 {
			if n := r.fastBars(b.Bars[len(b.Bars):cap(b.Bars)], last, unit, maxPrice, int(count-i), b.HasVolume); n > 0 {
				b.Bars = b.Bars[:len(b.Bars)+n]
				last, i = b.Bars[len(b.Bars)-1], i+uint64(n)-1
				continue
			}
		}
		last = r.bar(last, unit, b.HasVolume, i == 0)
		if last.High > maxPrice || last.Low < -maxPrice {
			r.failed = true
		}
		b.Bars = append(b.Bars, last)
	}
	return b, r.end()
}

// fastBars decodes the bars after last into the given memory and returns their number. It
// stops before an unusual bar, which r.bar then decodes or refuses: one with a number
// longer than three bytes or out of range, or one of the last in the text.
func (r *blockReader) fastBars(into []Bar, last Bar, unit, maxPrice int64, count int, hasVolume bool) int {
	const longest = 6 * 3 // maximum bytes in a usual bar
	text, time, price := r.rest, last.Time, last.Close
	into = into[:min(count, len(into))]
	n := 0
	for ; n < len(into) && len(text) >= longest; n++ {
		var step, open, move, above, below, volume int64
		at := 5
		if text[0]|text[1]|text[2]|text[3]|text[4] < 0x80 { // one byte each
			step, open, move, above, below = int64(text[0]), int64(text[1]), int64(text[2]), int64(text[3]), int64(text[4])
		} else {
			step, at = shortNumber(text, 0)
			open, at = shortNumber(text, at)
			move, at = shortNumber(text, at)
			above, at = shortNumber(text, at)
			below, at = shortNumber(text, at)
		}
		if hasVolume {
			volume, at = shortNumber(text, at)
		}
		if at > longest || step == 0 {
			break
		}
		bar := Bar{Time: time + step*unit, Open: price + unzigzag(open), Volume: volume}
		bar.Close = bar.Open + unzigzag(move)
		bar.High = max(bar.Open, bar.Close) + above
		bar.Low = min(bar.Open, bar.Close) - below
		if bar.High > maxPrice || bar.Low < -maxPrice || bar.Time > maxTime {
			break
		}
		into[n], time, price = bar, bar.Time, bar.Close
		text = text[at:]
	}
	r.rest = text
	return n
}

// tooLong is the place after a number shortNumber does not decode.
const tooLong = 1 << 20

// shortNumber decodes a number with up to three bytes and returns the place after it, or
// tooLong.
func shortNumber(text []byte, at int) (n int64, next int) {
	if at+2 >= len(text) {
		return 0, tooLong
	}
	first, second, third := text[at], text[at+1], text[at+2]
	switch {
	case first < 0x80:
		return int64(first), at + 1
	case second < 0x80:
		return int64(first&0x7f) | int64(second)<<7, at + 2
	case third < 0x80:
		return int64(first&0x7f) | int64(second&0x7f)<<7 | int64(third)<<14, at + 3
	}
	return 0, tooLong
}

func unzigzag(n int64) int64 { return n>>1 ^ -(n & 1) }

// maxTime is the year 9999 or so in seconds.
const maxTime = 1 << 38

// blockReader reads the numbers in an encoded block. After the first failure it returns
// zeros.
type blockReader struct {
	rest   []byte
	failed bool
}

func (r *blockReader) bar(last Bar, unit int64, hasVolume, first bool) Bar {
	step := int64(r.unsigned(math.MaxInt32))
	bar := Bar{Time: last.Time + step*unit}
	bar.Open = last.Close + r.signed()
	bar.Close = bar.Open + r.signed()
	bar.High = max(bar.Open, bar.Close) + int64(r.unsigned(2*MaxNumber))
	bar.Low = min(bar.Open, bar.Close) - int64(r.unsigned(2*MaxNumber))
	if hasVolume {
		bar.Volume = int64(r.unsigned(MaxNumber))
	}
	// The last bar's numbers are in range and so are the differences, so no sum can
	// overflow before Check refuses it.
	if bar.Check() != nil || bar.Time > maxTime || (step == 0) != first {
		r.failed = true
	}
	return bar
}

func (r *blockReader) unsigned(most uint64) uint64 {
	n, size := uint64(0), 1
	// Nearly all numbers have one byte.
	switch {
	case r.failed:
		return 0
	case len(r.rest) > 0 && r.rest[0] < 0x80:
		n = uint64(r.rest[0])
	default:
		n, size = binary.Uvarint(r.rest)
	}
	if size <= 0 || n > most {
		r.failed = true
		return 0
	}
	r.rest = r.rest[size:]
	return n
}

func (r *blockReader) signed() int64 {
	n := r.unsigned(4*MaxNumber + 1)
	return int64(n>>1) ^ -int64(n&1)
}

func (r *blockReader) end() error {
	if r.failed {
		return fmt.Errorf("%w: a bar is damaged", ErrBlock)
	}
	if len(r.rest) > 0 {
		return fmt.Errorf("%w: %d bytes too many", ErrBlock, len(r.rest))
	}
	return nil
}

// MaxPriceScale is the number of decimals to which prices are rounded when they are read:
// the smallest price step in any market. More decimals come from binary floats. A price
// below MaxPrice fits at every scale up to it.
const (
	MaxPriceScale = 8
	MaxPrice      = 10_000_000_000
)

// Rescale changes the block to the given scales, which must not be smaller than its
// own. It reports whether all numbers still fit; if not, the block is unchanged.
func (b *Block) Rescale(priceScale, volumeScale int32) bool {
	price, volume := power(priceScale-b.PriceScale), power(volumeScale-b.VolumeScale)
	if price == 1 && volume == 1 {
		return true
	}
	for _, bar := range b.Bars {
		fits := fitsTimes(bar.Open, price) && fitsTimes(bar.High, price) && fitsTimes(bar.Low, price) &&
			fitsTimes(bar.Close, price) && fitsTimes(bar.Volume, volume)
		if !fits {
			return false
		}
	}
	for i := range b.Bars {
		bar := &b.Bars[i]
		bar.Open, bar.High, bar.Low, bar.Close = bar.Open*price, bar.High*price, bar.Low*price, bar.Close*price
		bar.Volume *= volume
	}
	b.PriceScale, b.VolumeScale = priceScale, volumeScale
	return true
}

// EqualizeScales sets both blocks to the larger price scale, and to the larger volume
// scale if all volumes fit; otherwise the block with more decimals loses them, because
// its volumes are not money. Prices must fit, see MaxPrice.
func EqualizeScales(a, b *Block) {
	price, volume := max(a.PriceScale, b.PriceScale), max(a.VolumeScale, b.VolumeScale)
	for !a.fitsVolume(volume) || !b.fitsVolume(volume) {
		volume--
	}
	a.roundVolume(volume)
	b.roundVolume(volume)
	if !a.Rescale(price, volume) || !b.Rescale(price, volume) {
		panic("market: a price has too many digits")
	}
}

func (b *Block) fitsVolume(scale int32) bool {
	if scale <= b.VolumeScale {
		return true
	}
	factor := power(scale - b.VolumeScale)
	for _, bar := range b.Bars {
		if !fitsTimes(bar.Volume, factor) {
			return false
		}
	}
	return true
}

// roundVolume removes volume decimals beyond the scale.
func (b *Block) roundVolume(scale int32) {
	if scale >= b.VolumeScale {
		return
	}
	divisor := power(b.VolumeScale - scale)
	for i := range b.Bars {
		b.Bars[i].Volume = (b.Bars[i].Volume + divisor/2) / divisor
	}
	b.VolumeScale = scale
}

// TrimPrices lowers the price scale as far as no price loses a digit.
func (b *Block) TrimPrices() {
	for b.PriceScale > 0 {
		for _, bar := range b.Bars {
			if bar.Open%10 != 0 || bar.High%10 != 0 || bar.Low%10 != 0 || bar.Close%10 != 0 {
				return
			}
		}
		for i := range b.Bars {
			bar := &b.Bars[i]
			bar.Open, bar.High, bar.Low, bar.Close = bar.Open/10, bar.High/10, bar.Low/10, bar.Close/10
		}
		b.PriceScale--
	}
}

func power(n int32) int64 {
	p := int64(1)
	for range n {
		p *= 10
	}
	return p
}

func fitsTimes(n, factor int64) bool {
	return n <= MaxNumber/factor && n >= -MaxNumber/factor
}
