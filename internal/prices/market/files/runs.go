package files

import (
	"math"

	"fillbook/internal/prices/market"
)

// scaledBar is a bar with its own price and volume decimals.
type scaledBar struct {
	market.Bar
	price, volume int32
}

// equals reports whether two bars with one time have the same values.
func (b scaledBar) equals(other scaledBar) bool {
	if b.price == other.price && b.volume == other.volume {
		return b.Bar == other.Bar
	}
	return b.sameNumbers(other)
}

func (b scaledBar) sameNumbers(other scaledBar) bool {
	for _, pair := range [...][2]int64{{b.Open, other.Open}, {b.High, other.High}, {b.Low, other.Low}, {b.Close, other.Close}} {
		if (number{pair[0], b.price}).trim() != (number{pair[1], other.price}).trim() {
			return false
		}
	}
	return (number{b.Volume, b.volume}).trim() == (number{other.Volume, other.volume}).trim()
}

// extend adds a later tick with the same time.
func (b *scaledBar) extend(later scaledBar) {
	price, volume := max(b.price, later.price), min(max(b.volume, later.volume), b.mostVolumeScale(), later.mostVolumeScale())
	b.setScales(price, volume)
	later.setScales(price, volume)
	b.High, b.Low, b.Close = max(b.High, later.High), min(b.Low, later.Low), later.Close
	b.Volume = min(b.Volume+later.Volume, market.MaxNumber)
}

// mostVolumeScale returns the largest number of decimals at which the volume fits.
func (b *scaledBar) mostVolumeScale() int32 {
	scale := int32(market.MaxPriceScale)
	for scale > b.volume && b.Volume > market.MaxNumber/powers[scale-b.volume] {
		scale--
	}
	return scale
}

// setScales changes the decimals. Prices must not lose any; volumes may be rounded.
func (b *scaledBar) setScales(price, volume int32) {
	if b.price != price {
		factor := powers[price-b.price]
		b.Open, b.High, b.Low, b.Close, b.price = b.Open*factor, b.High*factor, b.Low*factor, b.Close*factor, price
	}
	if b.volume > volume {
		divisor := powers[b.volume-volume]
		b.Volume = b.Volume/divisor + (b.Volume%divisor+divisor/2)/divisor
	} else {
		b.Volume *= powers[volume-b.volume]
	}
	b.volume = volume
}

// toBlock returns the bars as a block, with the decimals all of them need. Volumes lose
// decimals if a large one would not fit otherwise. It appends the bars to into.
func toBlock(bars []scaledBar, into []market.Bar) market.Block {
	block := market.Block{HasVolume: true, Bars: into}
	most := int32(market.MaxPriceScale)
	for i := range bars {
		b := &bars[i]
		block.PriceScale, block.VolumeScale = max(block.PriceScale, b.price), max(block.VolumeScale, b.volume)
		most = min(most, b.mostVolumeScale())
	}
	block.VolumeScale = min(block.VolumeScale, most)
	for _, b := range bars {
		b.setScales(block.PriceScale, block.VolumeScale)
		block.Bars = append(block.Bars, b.Bar)
	}
	return block
}

// storedBlock is an encoded block with its first and last bar's times.
type storedBlock struct {
	first, last int64
	bars        int
	encoded     storedText
}

// decodeBlock decodes a recently encoded block, into memory that may be nil.
func (s *blockStore) decodeBlock(stored storedBlock, into []market.Bar) market.Block {
	block, err := market.DecodeBlock(s.load(stored.encoded), into)
	if err != nil {
		panic("files: a block is damaged: " + err.Error())
	}
	return block
}

// run is a list of blocks in time order, without two bars at the same time.
type run struct {
	blocks []storedBlock
	bars   int
}

const (
	// blockBars is how many bars a block has at most.
	blockBars = 4096
	// leastMoved is the minimum number of bars in a block kept unchanged when runs are
	// merged. Smaller ones are joined.
	leastMoved = 1024
	// maxSpan is the longest time between two bars in an encoded block.
	maxSpan = math.MaxInt32
)

// heldBytes returns how many bytes in the run are in memory.
func (r run) heldBytes() (n int64) {
	for _, block := range r.blocks {
		n += int64(len(block.encoded.text))
	}
	return n
}

// runBuilder makes runs from bars in time order. Its memory is used again.
type runBuilder struct {
	store   *blockStore
	run     run
	bars    []scaledBar // in the current block
	plain   []market.Bar
	encoded []byte
}

// add adds a bar not before the last one. For one time the later bar is kept, and ticks
// are joined.
func (w *runBuilder) add(of *collector, bar scaledBar) {
	n := len(w.bars)
	if n > 0 && w.bars[n-1].Time == bar.Time {
		of.repeats.repeat(&w.bars[n-1], bar)
		return
	}
	if n == blockBars || n > 0 && bar.Time-w.bars[0].Time > maxSpan {
		w.endBlock()
	}
	w.bars = append(w.bars, bar)
}

// move adds a block, whose first bar is after the last one.
func (w *runBuilder) move(block storedBlock) {
	w.endBlock()
	w.store.held += int64(len(block.encoded.text))
	w.run.blocks = append(w.run.blocks, block)
	w.run.bars += block.bars
}

func (w *runBuilder) endBlock() {
	n := len(w.bars)
	if n == 0 {
		return
	}
	block := toBlock(w.bars, w.plain[:0])
	block.Secs = 1
	w.plain = block.Bars
	w.encoded = block.AppendTo(w.encoded[:0])
	w.run.blocks = append(w.run.blocks, storedBlock{first: w.bars[0].Time, last: w.bars[n-1].Time, bars: n, encoded: w.store.save(w.encoded)})
	w.run.bars += n
	w.bars = w.bars[:0]
}

// finish returns the run. The builder can be used for the next one.
func (w *runBuilder) finish() run {
	w.endBlock()
	done := w.run
	w.run = run{}
	return done
}

// cursor reads the bars in a run in order.
type cursor struct {
	store  *blockStore
	blocks []storedBlock
	// block is the first block, decoded, if at is above zero.
	block market.Block
	at    int
}

func (c *cursor) hasNext() bool { return len(c.blocks) > 0 }

// time returns the next bar's time.
func (c *cursor) time() int64 {
	if c.at == 0 {
		return c.blocks[0].first
	}
	return c.block.Bars[c.at].Time
}

// next returns the next bar.
func (c *cursor) next() scaledBar {
	if c.at == 0 {
		c.block = c.store.decodeBlock(c.blocks[0], c.block.Bars[:0])
	}
	bar := scaledBar{Bar: c.block.Bars[c.at], price: c.block.PriceScale, volume: c.block.VolumeScale}
	if c.at++; c.at == len(c.block.Bars) {
		c.skipBlock()
	}
	return bar
}

// canMove reports whether the next bars are a block that can be kept unchanged.
func (c *cursor) canMove() bool { return c.at == 0 && c.blocks[0].bars >= leastMoved }

func (c *cursor) skipBlock() { c.blocks, c.at = c.blocks[1:], 0 }

// mergeRuns returns the bars in both runs; newer's replace the others. Blocks without
// overlap are not decoded.
func (c *collector) mergeRuns(older, newer run) run {
	w := &c.budget.builder
	w.store.held -= older.heldBytes() + newer.heldBytes()
	a, b := &cursor{store: w.store, blocks: older.blocks}, &cursor{store: w.store, blocks: newer.blocks}
	for a.hasNext() && b.hasNext() {
		switch {
		case a.canMove() && a.blocks[0].last < b.time():
			w.move(a.blocks[0])
			a.skipBlock()
		case b.canMove() && b.blocks[0].last < a.time():
			w.move(b.blocks[0])
			b.skipBlock()
		case a.time() < b.time():
			w.add(c, a.next())
		case a.time() > b.time():
			w.add(c, b.next())
		default:
			w.add(c, a.next())
			w.add(c, b.next())
		}
	}
	for _, rest := range [...]*cursor{a, b} {
		for rest.hasNext() {
			if rest.canMove() {
				w.move(rest.blocks[0])
				rest.skipBlock()
			} else {
				w.add(c, rest.next())
			}
		}
	}
	return w.finish()
}
