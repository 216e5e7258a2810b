package market

import (
	"fmt"
	"slices"
	"sort"
	"time"

	"fillbook/internal/base/decimal"
)

// Stamp is the instant in a bar named by its time in a file.
type Stamp int

// The two stamps.
const (
	OpenStamp Stamp = iota
	CloseStamp
)

// Reading is one way to read the times and prices in a file.
type Reading struct {
	// Zone is the file's clock zone.
	Zone  *time.Location
	Stamp Stamp
	// PriceScale is the factor for the file's prices.
	PriceScale decimal.Decimal
}

// Proposal is the reading that fits the fills best.
type Proposal struct {
	Reading
	// Inside counts the fills whose price is in their bar, among Checked fills between
	// the first and the last bar.
	Inside, Checked int
	// Others counts the readings that fit as well and mean another time or scale, and
	// OtherZones those meaning another zone.
	Others, OtherZones int
}

// The number of fills required to believe a zone, or a stamp and a scale.
const (
	LeastFillsForZone  = 5
	LeastFillsForStamp = 10
)

// IsCertain reports whether a file may be read this way without asking: enough fills,
// nine of ten inside, and no other reading that fits as well.
func (p Proposal) IsCertain(leastFills int) bool {
	return p.Checked >= leastFills && p.Others == 0 && 10*p.Inside >= 9*p.Checked
}

// IsZoneCertain reports whether the zone may be used without asking. The stamp and the
// scale may be open still.
func (p Proposal) IsZoneCertain() bool {
	return p.Checked >= LeastFillsForZone && p.OtherZones == 0 && 10*p.Inside >= 9*p.Checked
}

// Choices are the readings to try. An empty list means all.
type Choices struct {
	// Zones are tried first, in this order; after them all UTC offsets in whole quarter
	// hours from -14 to +14 hours are tried.
	Zones []*time.Location
	// LastZones are tried after the offsets, for files spanning a clock change.
	LastZones []*time.Location
	Stamps    []Stamp
	Scales    []decimal.Decimal
	// OnlyZones leaves the offsets out, because the zone is known.
	OnlyZones bool
}

// maxFillsCompared is how many fills are compared with each reading. More do not make
// the finding any surer.
const maxFillsCompared = 200

// FindReading finds the reading under which most fills lie inside their bar. The bar
// times are the file's clock as if it were UTC; fills need only a time and a price. Among
// readings that fit equally well, the first zone is proposed.
func FindReading(b Block, fills []Fill, choices Choices) Proposal {
	fills = SpreadFills(fills, maxFillsCompared)
	var best []Proposal
	for _, scale := range orAll(choices.Scales, defaultScales) {
		finder := newFinder(b, scale)
		for _, stamp := range orAll(choices.Stamps, []Stamp{OpenStamp, CloseStamp}) {
			for _, zone := range choices.zones() {
				p := finder.count(fills, Reading{Zone: zone, Stamp: stamp, PriceScale: scale})
				switch {
				case len(best) == 0 || p.Inside > best[0].Inside:
					best = append(best[:0], p)
				case p.Inside == best[0].Inside:
					best = append(best, p)
				}
			}
		}
	}
	return choose(best, fills)
}

// SplitRatios are the price scales for files adjusted for a stock split or reverse split.
func SplitRatios() (list []decimal.Decimal) {
	for _, text := range []string{"2", "3", "4", "5", "6", "7", "8", "10", "15", "20", "25", "30", "50", "1.5", "0.5", "0.25", "0.2", "0.125", "0.1", "0.05", "0.04", "0.02"} {
		list = append(list, decimal.Must(text))
	}
	return list
}

var defaultScales = []decimal.Decimal{decimal.New(1), decimal.Must("0.01"), decimal.New(100)}

func orAll[T any](chosen, all []T) []T {
	if len(chosen) > 0 {
		return chosen
	}
	return all
}

// zones returns the zones to try: the chosen ones, then the offsets, whole hours
// before others.
func (c Choices) zones() []*time.Location {
	zones := slices.Clone(c.Zones)
	if c.OnlyZones {
		return zones
	}
	for _, step := range []int{4, 2, 1} {
		for quarters := -56; quarters <= 56; quarters++ {
			if isCoarser := step < 4 && quarters%(2*step) == 0; quarters%step == 0 && !isCoarser {
				zones = append(zones, offsetZone(quarters*15*60))
			}
		}
	}
	return append(zones, c.LastZones...)
}

// offsetZone returns the zone with a fixed distance from UTC, named like +05:30.
func offsetZone(seconds int) *time.Location {
	sign, distance := '+', seconds
	if seconds < 0 {
		sign, distance = '-', -seconds
	}
	return time.FixedZone(fmt.Sprintf("%c%02d:%02d", sign, distance/3600, distance/60%60), seconds)
}

// SpreadFills returns at most n fills, evenly spread over all, so both halves of a year
// are compared.
func SpreadFills(fills []Fill, n int) []Fill {
	if len(fills) <= n {
		return fills
	}
	list := make([]Fill, n)
	for i := range list {
		list[i] = fills[i*len(fills)/n]
	}
	return list
}

// finder compares fills with a file's bars at one scale.
type finder struct {
	block Block
	scale decimal.Decimal
}

func newFinder(b Block, scale decimal.Decimal) finder { return finder{block: b, scale: scale} }

// count returns how many fills lie inside their bar under a reading.
func (f finder) count(fills []Fill, reading Reading) Proposal {
	p := Proposal{Reading: reading}
	bars := f.block.Bars
	if len(bars) == 0 {
		return p
	}
	for _, fill := range fills {
		local := localSecond(fill.At, reading, f.block.Secs)
		if local < bars[0].Time || local >= bars[len(bars)-1].Time+f.block.Secs {
			continue
		}
		p.Checked++
		at := sort.Search(len(bars), func(i int) bool { return bars[i].Time > local }) - 1
		bar := bars[at]
		if local < bar.Time+f.block.Secs && isBetween(fill.Price, f.price(bar.Low), f.price(bar.High)) {
			p.Inside++
		}
	}
	return p
}

func (f finder) price(n int64) decimal.Decimal {
	return decimal.FromScaled(n, f.block.PriceScale).Mul(f.scale)
}

// localSecond returns the second by the file's clock for an instant, as if the bars were
// stamped with their opening.
func localSecond(at int64, reading Reading, secs int64) int64 {
	second := floorDiv(at, micros)
	_, offset := time.Unix(second, 0).In(reading.Zone).Zone()
	second += int64(offset)
	if reading.Stamp == CloseStamp {
		second += secs
	}
	return second
}

// choose proposes the first of the best readings and counts the others with a different
// meaning for any fill.
func choose(best []Proposal, fills []Fill) Proposal {
	if len(best) == 0 {
		return Proposal{}
	}
	chosen := best[0]
	for _, other := range best[1:] {
		switch {
		case !sameZone(chosen.Zone, other.Zone, fills):
			chosen.OtherZones++
			chosen.Others++
		case chosen.Stamp != other.Stamp || !chosen.PriceScale.Equal(other.PriceScale):
			chosen.Others++
		}
	}
	return chosen
}

// sameZone reports whether two zones give all fills the same time.
func sameZone(a, b *time.Location, fills []Fill) bool {
	for _, fill := range fills {
		if localSecond(fill.At, Reading{Zone: a}, 0) != localSecond(fill.At, Reading{Zone: b}, 0) {
			return false
		}
	}
	return true
}
