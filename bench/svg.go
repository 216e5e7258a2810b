package main

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strings"
	"time"
)

// pictureLines returns the operations in the picture, each with a color distinct on white
// and on black.
func pictureLines() []struct{ operation, color string } {
	return []struct{ operation, color string }{
		{"import of all fills", "#0072b2"},
		{"list of all trades", "#56b4e9"},
		{"fill half the journal back, busiest symbol", "#d55e00"},
		{"summary, the first after a start", "#cc79a7"},
		{"import of 100 more fills", "#009e73"},
		{"page of 50 trades", "#8a6fdf"},
		{"fill, large account", "#e69f00"},
		{"summary, right after a write", "#b0413e"},
		{"summary, asked again", "#7f8c8d"},
	}
}

// Panel measures, in pixels.
const (
	panelWidth  = 460
	panelHeight = 320
	panelLeft   = 64
	panelTop    = 40
	labelSpace  = 300
	labelHeight = 15
	rowHeight   = panelTop + panelHeight + 44
)

const pictureStyle = `<style>
text { font: 12px system-ui, sans-serif; fill: #333 }
.title { font-weight: 600; font-size: 14px }
.grid { stroke: #ddd; stroke-width: 1 }
.line { fill: none; stroke-width: 2; stroke-linejoin: round }
@media (prefers-color-scheme: dark) { text { fill: #ddd } .grid { stroke: #444 } }
</style>
`

// growthPicture draws time over size, both on logarithmic scales: constant time
// is level, and proportional time rises a decade with each decade.
func growthPicture(list []*table) string {
	var b strings.Builder
	width, height := panelLeft+panelWidth+labelSpace, rowHeight*max(1, len(list))
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="Time of operations over the number of fills">`+"\n",
		width, height, width, height)
	b.WriteString(pictureStyle)
	for i, t := range list {
		fmt.Fprintf(&b, `<g transform="translate(0 %d)">`+"\n", i*rowHeight)
		newPanel(t).draw(&b)
		b.WriteString("</g>\n")
	}
	return b.String() + "</svg>\n"
}

// panel is one engine's drawing.
type panel struct {
	table         *table
	lines         []line
	low, high     int // decades, in nanoseconds
	first, spread float64
}

type line struct {
	operation, color string
	sizes            []int
	taken            []time.Duration
	label            float64 // where its name stands
}

func newPanel(t *table) *panel {
	p := &panel{table: t, low: math.MaxInt, high: math.MinInt}
	for _, d := range pictureLines() {
		i := slices.IndexFunc(t.rows, func(w row) bool { return w.operation == d.operation })
		if i < 0 {
			continue
		}
		l := line{operation: d.operation, color: d.color}
		for _, size := range t.sizes {
			if r := t.rows[i].at[size]; r.P50 > 0 {
				l.sizes, l.taken = append(l.sizes, size), append(l.taken, r.P50)
				decade := math.Log10(float64(r.P50))
				p.low, p.high = min(p.low, int(math.Floor(decade))), max(p.high, int(math.Ceil(decade)))
			}
		}
		if len(l.sizes) > 0 {
			p.lines = append(p.lines, l)
		}
	}
	if len(p.lines) == 0 {
		p.low, p.high = 5, 6
	}
	p.high = max(p.high, p.low+1)
	p.first = math.Log10(float64(t.sizes[0]))
	p.spread = max(math.Log10(float64(t.sizes[len(t.sizes)-1]))-p.first, 1e-9)
	return p
}

func (p *panel) x(size int) float64 {
	return panelLeft + panelWidth*(math.Log10(float64(size))-p.first)/p.spread
}

func (p *panel) y(d time.Duration) float64 {
	return panelTop + panelHeight*(float64(p.high)-math.Log10(float64(d)))/float64(p.high-p.low)
}

func (p *panel) draw(b *strings.Builder) {
	fmt.Fprintf(b, `<text class="title" x="%d" y="22">%s</text>`+"\n", panelLeft, html.EscapeString(engineName(p.table.engine)))
	for decade := p.low; decade <= p.high; decade++ {
		d := time.Duration(math.Pow10(decade))
		fmt.Fprintf(b, `<path class="grid" d="M%d %.1fh%d"/><text x="%d" y="%.1f" text-anchor="end">%s</text>`+"\n",
			panelLeft, p.y(d), panelWidth, panelLeft-8, p.y(d)+4, formatPowerOfTen(d))
	}
	for _, size := range p.table.sizes {
		fmt.Fprintf(b, `<path class="grid" d="M%.1f %dv%d"/><text x="%.1f" y="%d" text-anchor="middle">%s</text>`+"\n",
			p.x(size), panelTop, panelHeight, p.x(size), panelTop+panelHeight+18, formatCount(size))
	}
	fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="middle">fills in the account</text>`+"\n", panelLeft+panelWidth/2, panelTop+panelHeight+36)
	p.placeLabels()
	for _, l := range p.lines {
		p.drawLine(b, l)
	}
}

func (p *panel) drawLine(b *strings.Builder, l line) {
	var path strings.Builder
	for i, size := range l.sizes {
		fmt.Fprintf(&path, "%c%.1f %.1f", "ML"[min(i, 1)], p.x(size), p.y(l.taken[i]))
	}
	fmt.Fprintf(b, `<path class="line" stroke="%s" d="%s"/>`+"\n", l.color, path.String())
	for i, size := range l.sizes {
		fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>`, p.x(size), p.y(l.taken[i]), l.color)
	}
	end := len(l.sizes) - 1
	fmt.Fprintf(b, `<path class="line" stroke="%s" stroke-width="1" stroke-dasharray="2 2" d="M%.1f %.1fL%d %.1f"/>`, l.color,
		p.x(l.sizes[end]), p.y(l.taken[end]), panelLeft+panelWidth+16, l.label)
	fmt.Fprintf(b, `<text x="%d" y="%.1f">%s</text>`+"\n", panelLeft+panelWidth+20, l.label+4, html.EscapeString(l.operation))
}

// placeLabels places each name at its line's end, without overlap.
func (p *panel) placeLabels() {
	end := func(l line) float64 { return p.y(l.taken[len(l.taken)-1]) }
	slices.SortFunc(p.lines, func(a, b line) int { return int(end(a)*10) - int(end(b)*10) })
	next := float64(panelTop)
	for i := range p.lines {
		p.lines[i].label = max(next, end(p.lines[i]))
		next = p.lines[i].label + labelHeight
	}
	// Names below the bottom push those above them up.
	bottom := float64(panelTop + panelHeight)
	for i := len(p.lines) - 1; i >= 0; i-- {
		p.lines[i].label = min(p.lines[i].label, bottom)
		bottom = p.lines[i].label - labelHeight
	}
}

// formatPowerOfTen formats a power of ten.
func formatPowerOfTen(d time.Duration) string {
	switch {
	case d < time.Microsecond:
		return fmt.Sprintf("%d ns", d)
	case d < time.Millisecond:
		return fmt.Sprintf("%d µs", d/time.Microsecond)
	case d < time.Second:
		return fmt.Sprintf("%d ms", d/time.Millisecond)
	default:
		return fmt.Sprintf("%d s", d/time.Second)
	}
}
