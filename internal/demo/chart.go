package demo

import (
	"bytes"
	_ "embed"
	"image"
	"image/color"
	"image/png"
	"slices"
	"strconv"
	"strings"
	"time"
)

//go:embed glyphs.txt
var glyphsText string

// The size of a picture, and where in it the candles are drawn.
const (
	chartWidth, chartHeight = 1200, 700
	plotLeft, plotTop       = 30, 70
	plotRight, plotBottom   = 1080, 650
	maxCandles              = 110
)

// The colors of a chart. A picture of few colors is a small file.
const (
	inkBack uint8 = iota
	inkGrid
	inkText
	inkUp
	inkDown
	inkEntry
	inkExit
	inkBright
)

var inks = color.Palette{
	color.RGBA{0x10, 0x15, 0x1d, 0xff},
	color.RGBA{0x20, 0x28, 0x34, 0xff},
	color.RGBA{0x8b, 0x98, 0xaa, 0xff},
	color.RGBA{0x2b, 0xb3, 0x8a, 0xff},
	color.RGBA{0xe0, 0x5a, 0x5a, 0xff},
	color.RGBA{0x5a, 0xa9, 0xff, 0xff},
	color.RGBA{0xff, 0xc1, 0x4d, 0xff},
	color.RGBA{0xe6, 0xec, 0xf5, 0xff},
}

// keepsakes are the trades of which the trader keeps a picture: the best and
// the worst of a desk and the newest ones.
func (d *desk) keepsakes() []*trade {
	over := slices.DeleteFunc(slices.Clone(d.trades), func(t *trade) bool {
		_, closed := t.closedAt()
		return !closed
	})
	best, worst := extremes(over)
	keep := []*trade{best, worst, over[len(over)-1], over[len(over)-2]}
	return slices.DeleteFunc(over, func(t *trade) bool { return !slices.Contains(keep, t) })
}

// candle is some bars drawn as one.
type candle struct {
	bar
	at time.Time
}

// chart is a picture in the making.
type chart struct {
	*image.Paletted
	candles     []candle
	low, high   float64
	glyphs      map[rune][]string
	barsPerUnit int
}

// drawChart draws the price around a trade with its entries and exits.
func drawChart(t *trade) []byte {
	c := &chart{
		Paletted: image.NewPaletted(image.Rect(0, 0, chartWidth, chartHeight), inks),
		glyphs:   readGlyphs(),
	}
	c.gather(t)
	c.scale(t)
	c.grid(t)
	for i, candle := range c.candles {
		c.candle(i, candle)
	}
	c.level(t, -1, inkDown)
	c.level(t, t.target, inkUp)
	for _, a := range t.actions {
		c.arrow(t, a)
	}
	c.title(t)
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := encoder.Encode(&out, c.Paletted); err != nil {
		panic("demo: " + err.Error()) // a buffer takes everything
	}
	return out.Bytes()
}

// gather makes candles of the bars from some time before the first action of
// a trade to some time after the last.
func (c *chart) gather(t *trade) {
	from, to := t.tape.index(t.at), t.tape.index(t.actions[len(t.actions)-1].at)
	around := max((to-from)*2/3, 40)
	from, to = max(from-around, 0), min(to+around/2, t.tape.index(moment{len(t.tape.sessions), 0})-1)
	c.barsPerUnit = 1
	for _, unit := range []int{1, 2, 3, 5, 15, 30, 60, 120, 240, 480} {
		if c.barsPerUnit = unit; (to-from)/unit <= maxCandles {
			break
		}
	}
	for i := from; i <= to; i++ {
		m := t.tape.moment(i)
		b := t.tape.look(m)
		if (i-from)%c.barsPerUnit == 0 {
			c.candles = append(c.candles, candle{b, t.tape.sessions[m.session].at(m.bar)})
			continue
		}
		last := &c.candles[len(c.candles)-1]
		last.high, last.low, last.close = max(last.high, b.high), min(last.low, b.low), b.close
	}
}

// index counts the bars from the beginning of the tape; moment is its inverse.
func (t *tape) index(m moment) (n int) {
	for _, s := range t.sessions[:m.session] {
		n += s.bars
	}
	return n + m.bar
}

func (t *tape) moment(n int) (m moment) {
	for n >= t.sessions[m.session].bars {
		n -= t.sessions[m.session].bars
		m.session++
	}
	m.bar = n
	return m
}

// scale finds the prices at the edges of the plot.
func (c *chart) scale(t *trade) {
	c.low, c.high = float64(t.entry()), float64(t.entry())
	for _, candle := range c.candles {
		c.low, c.high = min(c.low, float64(candle.low)), max(c.high, float64(candle.high))
	}
	margin := 0.06 * (c.high - c.low)
	c.low, c.high = c.low-margin, c.high+margin
}

// y is where a price is drawn, x where a candle is.
func (c *chart) y(ticks float64) int {
	return plotBottom - int((ticks-c.low)/(c.high-c.low)*(plotBottom-plotTop))
}

func (c *chart) x(i int) int {
	return plotLeft + (2*i+1)*(plotRight-plotLeft)/(2*len(c.candles))
}

func (c *chart) box(x0, y0, x1, y1 int, ink uint8) {
	for y := max(min(y0, y1), 0); y <= min(max(y0, y1), chartHeight-1); y++ {
		for x := max(x0, 0); x <= min(x1, chartWidth-1); x++ {
			c.SetColorIndex(x, y, ink)
		}
	}
}

// grid draws the lines of prices and times, with their labels.
func (c *chart) grid(t *trade) {
	const lines = 6
	for i := range lines + 1 {
		ticks := c.low + (c.high-c.low)*float64(i)/lines
		y := c.y(ticks)
		c.box(plotLeft, y, plotRight, y, inkGrid)
		c.text(plotRight+10, y-7, fixed(t.tape.price(int(ticks)), t.tape.scale), 2, inkText)
	}
	layout := "Jan 2"
	if time.Duration(c.barsPerUnit)*t.tape.sessions[0].width < 15*time.Minute {
		layout = "15:04"
	}
	for i := 0; i < len(c.candles); i += max(len(c.candles)/8, 1) {
		c.box(c.x(i), plotTop, c.x(i), plotBottom, inkGrid)
		label := strings.ToUpper(c.candles[i].at.In(newYork).Format(layout))
		c.text(c.x(i)-28, plotBottom+14, label, 2, inkText)
	}
}

func (c *chart) candle(i int, b candle) {
	ink := inkUp
	if b.close < b.open {
		ink = inkDown
	}
	half := max((plotRight-plotLeft)/len(c.candles)/2-1, 1)
	c.box(c.x(i), c.y(float64(b.high)), c.x(i), c.y(float64(b.low)), ink)
	c.box(c.x(i)-half, c.y(float64(b.open)), c.x(i)+half, c.y(float64(b.close)), ink)
}

// level draws a dashed line where the plan has its stop or target.
func (c *chart) level(t *trade, gain float64, ink uint8) {
	y := c.y(float64(t.entry() + t.sign()*int(gain*float64(t.stop))))
	if y < plotTop || y > plotBottom {
		return
	}
	for x := plotLeft; x < plotRight; x += 14 {
		c.box(x, y, x+7, y+1, ink)
	}
}

// arrow marks an entry with an arrow from below, an exit from above; for a
// short trade it is the other way round.
func (c *chart) arrow(t *trade, a action) {
	at := t.tape.sessions[a.at.session].at(a.at.bar)
	i := len(c.candles) - 1
	for i > 0 && c.candles[i].at.After(at) {
		i--
	}
	ink, away := inkExit, -1
	if a.opens > 0 {
		ink, away = inkEntry, 1
	}
	away *= t.sign()
	for row := range 18 {
		y := c.y(float64(a.price)) + away*(row+4)
		c.box(c.x(i)-row*2/3, y, c.x(i)+row*2/3, y, ink)
	}
}

func (c *chart) title(t *trade) {
	minutes := c.barsPerUnit * int(t.tape.sessions[0].width/time.Minute)
	unit := strconv.Itoa(minutes) + " MIN"
	if minutes >= 60 {
		unit = strconv.Itoa(minutes/60) + " H"
	}
	name := t.of.symbol
	if t.of.kind == kindOption {
		name = t.what()
	}
	c.text(plotLeft, 22, strings.ToUpper(name), 4, inkBright)
	c.text(plotRight-340, 30, string(t.day)+"   "+unit, 2, inkText)
}

// text writes capital letters and digits; what it does not know is a blank.
func (c *chart) text(x, y int, text string, size int, ink uint8) {
	for _, r := range text {
		for row, line := range c.glyphs[r] {
			for column, dot := range line {
				if dot == '#' {
					c.box(x+column*size, y+row*size, x+column*size+size-1, y+row*size+size-1, ink)
				}
			}
		}
		x += 6 * size
	}
}

// readGlyphs reads the letters of glyphs.txt.
func readGlyphs() map[rune][]string {
	glyphs := map[rune][]string{}
	var names []rune
	for line := range strings.Lines(glyphsText) {
		fields := strings.Fields(line)
		switch {
		case len(fields) == 0 || fields[0] == ";":
		case len(fields) == 1:
			names = []rune(fields[0])
		default:
			for i, row := range fields {
				glyphs[names[i]] = append(glyphs[names[i]], row)
			}
		}
	}
	return glyphs
}
