package main

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"
)

// fill is one row in the generated journal. Prices are cents and quantities are whole, so
// the expected figures can be computed with integers.
type fill struct {
	symbol          int
	buy             bool
	quantity, cents int64
	at              time.Time
}

// The generated journal: fills over three years, each with the same commission.
const (
	symbols    = 200
	commission = 105
	span       = 3 * 365 * 24 * time.Hour
)

// from is the first fill's instant.
var from = time.Date(2021, 1, 4, 14, 30, 0, 0, time.UTC)

func symbol(n int) string { return fmt.Sprintf("SYM%03d", n) }

// outcome contains the fills' expected figures, counted independently.
type outcome struct {
	closed, wins, losses int
	net                  int64 // cents
}

// market generates fills: positions with one to three entries, closed at once or in
// steps, about three fills a trade, a quarter short. The first symbol is traded most,
// every fourteenth fill.
type market struct {
	random *rand.Rand
	next   time.Time
	step   time.Duration
	open   [symbols]position
	outcome
}

type position struct {
	quantity int64 // below zero: short
	entries  int   // still to come
	cash     int64 // cents, since it was flat
}

// newMarket returns a market distributing a number of fills over the span.
func newMarket(fills int) *market {
	step := max(time.Second, (span / time.Duration(max(fills, 1))).Truncate(time.Second))
	return &market{random: rand.New(rand.NewPCG(3, 4)), next: from, step: step}
}

// nextFills returns the next fills.
func (m *market) nextFills(count int) []fill {
	list := make([]fill, count)
	for i := range list {
		list[i] = m.nextFill()
	}
	return list
}

func (m *market) nextFill() fill {
	u := m.random.Float64()
	symbol := int(symbols * u * u)
	p := &m.open[symbol]
	signed := m.nextQuantity(p)
	f := fill{symbol, signed > 0, max(signed, -signed), 1000 + m.random.Int64N(90_000), m.next}
	m.next = m.next.Add(m.step)
	p.quantity += signed
	p.cash -= signed*f.cents + commission
	if p.quantity == 0 {
		m.add(p.cash)
		*p = position{}
	}
	return f
}

// nextQuantity returns the signed quantity for a position's next fill.
func (m *market) nextQuantity(p *position) int64 {
	size := 1 + m.random.Int64N(500)
	switch {
	case p.quantity == 0:
		p.entries = m.random.IntN(3)
		if m.random.IntN(4) == 0 {
			return -size
		}
		return size
	case p.entries > 0:
		p.entries--
		if p.quantity < 0 {
			return -size
		}
		return size
	case m.random.IntN(3) == 0:
		return -(p.quantity + p.quantity%2) / 2 // at most the position, and not zero
	default:
		return -p.quantity
	}
}

// add counts a closed trade.
func (o *outcome) add(net int64) {
	o.closed++
	o.net += net
	switch {
	case net > 0:
		o.wins++
	case net < 0:
		o.losses++
	}
}

// csvFile formats fills in the generic CSV layout.
func csvFile(fills []fill) []byte {
	b := []byte("Symbol,Side,Quantity,Price,Executed At,Commission\n")
	for _, f := range fills {
		b = append(b, symbol(f.symbol)...)
		if f.buy {
			b = append(b, ",buy,"...)
		} else {
			b = append(b, ",sell,"...)
		}
		b = strconv.AppendInt(b, f.quantity, 10)
		b = append(b, ',')
		b = appendCents(b, f.cents)
		b = append(b, ',')
		b = f.at.AppendFormat(b, time.RFC3339)
		b = append(b, ',')
		b = append(appendCents(b, commission), '\n')
	}
	return b
}

func appendCents(b []byte, cents int64) []byte {
	b = append(strconv.AppendInt(b, cents/100, 10), '.')
	return append(b, byte('0'+cents/10%10), byte('0'+cents%10))
}
