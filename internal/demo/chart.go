package demo

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
)

// A picture's size, its margin, and the largest number of candles.
const (
	chartWidth, chartHeight = 1200, 700
	chartMargin             = 40
	maxCandles              = 110
)

// The chart colors. A picture with few colors is a small file.
const (
	colorBack uint8 = iota
	colorGrid
	colorUp
	colorDown
	colorEntry
	colorExit
)

var chartColors = color.Palette{
	color.RGBA{0x10, 0x15, 0x1d, 0xff},
	color.RGBA{0x20, 0x28, 0x34, 0xff},
	color.RGBA{0x2b, 0xb3, 0x8a, 0xff},
	color.RGBA{0xe0, 0x5a, 0x5a, 0xff},
	color.RGBA{0x5a, 0xa9, 0xff, 0xff},
	color.RGBA{0xff, 0xc1, 0x4d, 0xff},
}

// chart is a picture while it is drawn.
type chart struct {
	*image.Paletted
	candles       []bar
	from          moment
	barsPerCandle int
	low, high     int
}

// drawChart draws the prices around a trade with its entries and exits, its stop and
// its target.
func drawChart(t *trade) []byte {
	c := &chart{Paletted: image.NewPaletted(image.Rect(0, 0, chartWidth, chartHeight), chartColors)}
	c.collectCandles(t)
	const lines = 8
	for i := range lines + 1 {
		x, y := i*(chartWidth-1)/lines, i*(chartHeight-1)/lines
		c.fillBox(x, 0, x, chartHeight, colorGrid)
		c.fillBox(0, y, chartWidth, y, colorGrid)
	}
	half := max((chartWidth-2*chartMargin)/len(c.candles)/2-1, 1)
	for i, b := range c.candles {
		ink := colorUp
		if b.close < b.open {
			ink = colorDown
		}
		c.fillBox(c.x(i), c.y(b.high), c.x(i), c.y(b.low), ink)
		c.fillBox(c.x(i)-half, c.y(b.open), c.x(i)+half, c.y(b.close), ink)
	}
	c.drawLevel(c.y(t.level(t.entry(), -1)), colorDown)
	c.drawLevel(c.y(t.level(t.entry(), t.target)), colorUp)
	for _, a := range t.actions {
		c.drawArrow(t, a)
	}
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := encoder.Encode(&out, c.Paletted); err != nil {
		panic("demo: " + err.Error()) // writing to a buffer does not fail
	}
	return out.Bytes()
}

// barsBetween returns the number of bars from one moment to another.
func (s *series) barsBetween(from, to moment) int {
	return (to.session-from.session)*s.market.Bars + to.bar - from.bar
}

// collectCandles joins the bars from some time before the trade to some time after
// it to candles, and finds the lowest and highest price.
func (c *chart) collectCandles(t *trade) {
	around := max(t.series.barsBetween(t.at, t.lastAction().at)*2/3, 40)
	at, inside := t.series.move(t.at, -around)
	if !inside {
		at = moment{}
	}
	count := t.series.barsBetween(at, t.lastAction().at) + around/2
	c.from, c.barsPerCandle = at, count/maxCandles+1
	c.low, c.high = t.entry(), t.entry()
	for i, more := 0, true; i < count && more; i++ {
		b := t.series.barAt(at)
		c.low, c.high = min(c.low, b.low), max(c.high, b.high)
		if i%c.barsPerCandle == 0 {
			c.candles = append(c.candles, b)
		}
		last := &c.candles[len(c.candles)-1]
		last.high, last.low, last.close = max(last.high, b.high), min(last.low, b.low), b.close
		at, more = t.series.move(at, 1)
	}
}

// x returns a candle's position, y a price's.
func (c *chart) x(i int) int {
	return chartMargin + (2*i+1)*(chartWidth-2*chartMargin)/(2*len(c.candles))
}

func (c *chart) y(ticks int) int {
	return chartHeight - chartMargin - (ticks-c.low)*(chartHeight-2*chartMargin)/(c.high-c.low)
}

func (c *chart) fillBox(x0, y0, x1, y1 int, ink uint8) {
	for y := max(min(y0, y1), 0); y <= min(max(y0, y1), chartHeight-1); y++ {
		for x := max(x0, 0); x <= min(x1, chartWidth-1); x++ {
			c.SetColorIndex(x, y, ink)
		}
	}
}

// drawLevel draws a dashed line.
func (c *chart) drawLevel(y int, ink uint8) {
	for x := chartMargin; y >= 0 && y < chartHeight && x < chartWidth-chartMargin; x += 14 {
		c.fillBox(x, y, x+7, y+1, ink)
	}
}

// drawArrow marks an entry with an arrow from below and an exit with one from above,
// or the reverse for a short trade.
func (c *chart) drawArrow(t *trade, a action) {
	i := min(t.series.barsBetween(c.from, a.at)/c.barsPerCandle, len(c.candles)-1)
	ink, away := colorExit, -t.sign()
	if a.opens > 0 {
		ink, away = colorEntry, t.sign()
	}
	for row := range 18 {
		y := c.y(a.price) + away*(row+4)
		c.fillBox(c.x(i)-row*2/3, y, c.x(i)+row*2/3, y, ink)
	}
}
