package barsource

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/remote"
	"fillbook/internal/prices/market"
)

// ParseSeconds returns a time in milliseconds as seconds.
func ParseSeconds(n remote.Number) (int64, error) {
	millis, err := strconv.ParseInt(string(n), 10, 64)
	if err != nil || millis%1000 != 0 {
		return 0, errBarTime
	}
	return millis / 1000, nil
}

// errBarTime is the error for a time no bar can have.
var errBarTime = remote.Malformed("a bar has a time that it cannot have")

// Values are a bar's numbers. The volume may be empty.
type Values struct {
	Open, High, Low, Close, Volume remote.Number
}

// row is a bar with exact numbers.
type row struct {
	time                   int64
	open, high, low, close decimal.Decimal
	volume                 decimal.Null
}

// Add adds a bar. A bar just outside the query, still open or invalid is left out. The
// error wraps remote.ErrMalformed if the provider sent bars from another time, and
// remote.ErrTooLarge if it sent too many.
func (r *Run) Add(time int64, v Values) error {
	isWanted, err := r.accepts(time)
	if err != nil || !isWanted {
		return err
	}
	bar, ok := v.parse()
	if !ok {
		r.Result.Skipped++
		return nil
	}
	bar.time = time
	return r.addRow(bar)
}

// The places of the numbers in a row of AddRows.
const (
	timeAt = iota
	openAt
	highAt
	lowAt
	closeAt
	volumeAt
	rowLength
)

// AddRows adds bars sent as lists of numbers, as most coin exchanges do: the time in
// milliseconds, open, high, low, close, volume, and others, which are ignored.
func (r *Run) AddRows(rows [][]remote.Number) error {
	for _, n := range rows {
		if len(n) < rowLength {
			return remote.Malformed("a bar is too short")
		}
		at, err := ParseSeconds(n[timeAt])
		if err != nil {
			return err
		}
		if err := r.Add(at, Values{Open: n[openAt], High: n[highAt], Low: n[lowAt], Close: n[closeAt], Volume: n[volumeAt]}); err != nil {
			return err
		}
	}
	return nil
}

// AddBlock adds a block's bars like Add.
func (r *Run) AddBlock(block market.Block) error {
	for _, b := range block.Bars {
		isWanted, err := r.accepts(b.Time)
		if err != nil {
			return err
		}
		if !isWanted {
			continue
		}
		price := func(n int64) decimal.Decimal { return decimal.FromScaled(n, block.PriceScale) }
		bar := row{time: b.Time, open: price(b.Open), high: price(b.High), low: price(b.Low), close: price(b.Close)}
		if block.HasVolume {
			bar.volume = decimal.Of(decimal.FromScaled(b.Volume, block.VolumeScale))
		}
		if err := r.addRow(bar); err != nil {
			return err
		}
	}
	return nil
}

// accepts reports whether a bar at that time is wanted. The error is for a time that was
// not asked for.
func (r *Run) accepts(time int64) (bool, error) {
	if time%min(r.Secs, 60) != 0 || time < r.within.From-r.Secs || time > r.within.To+r.Secs {
		return false, errBarTime
	}
	return time >= r.within.From && time < r.within.To && time+r.Secs <= r.ended, nil
}

func (r *Run) addRow(bar row) error {
	if len(r.rows) == MaxBars {
		return fmt.Errorf("%w: it has more than %d bars", remote.ErrTooLarge, MaxBars)
	}
	r.rows = append(r.rows, bar)
	return nil
}

// parse returns the values as exact numbers, and whether they can be those of a bar.
func (v Values) parse() (row, bool) {
	var bar row
	for _, part := range [...]struct {
		text remote.Number
		into *decimal.Decimal
	}{{v.Open, &bar.open}, {v.High, &bar.high}, {v.Low, &bar.low}, {v.Close, &bar.close}} {
		price, err := decimal.Parse(string(part.text))
		if err != nil || price.Abs().Cmp(maxPrice) >= 0 {
			return row{}, false
		}
		*part.into = price.Round(market.MaxPriceScale)
	}
	if v.Volume != "" {
		volume, err := decimal.Parse(string(v.Volume))
		if err != nil || volume.Sign() < 0 {
			return row{}, false
		}
		bar.volume = decimal.Of(volume)
	}
	high, low := decimal.Max(bar.open, bar.close), decimal.Min(bar.open, bar.close)
	return bar, bar.high.Cmp(high) >= 0 && bar.low.Cmp(low) <= 0
}

var maxPrice = decimal.New(market.MaxPrice - 1)

// finish returns the result with the bars in order, each time once. The last of several
// bars at one time is kept.
func (r *Run) finish() Result {
	slices.SortStableFunc(r.rows, func(a, b row) int { return cmp.Compare(a.time, b.time) })
	kept := r.rows[:0]
	for i, bar := range r.rows {
		if i+1 == len(r.rows) || r.rows[i+1].time != bar.time {
			kept = append(kept, bar)
		}
	}
	r.Result.Block, r.Result.Covered = toBlock(kept, r.Secs), r.within
	if !r.Result.Block.HasVolume {
		r.Result.VolumeKind = market.NoVolume
	}
	return r.Result
}

// toBlock returns rows as a block, at the smallest scales that keep all digits. Volumes
// lose decimals if the largest one would not fit otherwise.
func toBlock(rows []row, secs int64) market.Block {
	block := market.Block{Secs: secs, Bars: make([]market.Bar, 0, len(rows))}
	var largest decimal.Decimal
	for _, bar := range rows {
		block.PriceScale = max(block.PriceScale, bar.open.Scale(), bar.high.Scale(), bar.low.Scale(), bar.close.Scale())
		block.VolumeScale = max(block.VolumeScale, bar.volume.Decimal.Scale())
		block.HasVolume = block.HasVolume || bar.volume.Valid
		largest = decimal.Max(largest, bar.volume.Decimal)
	}
	for !fits(largest, block.VolumeScale) {
		block.VolumeScale--
	}
	for _, bar := range rows {
		block.Bars = append(block.Bars, market.Bar{
			Time: bar.time,
			Open: mustScale(bar.open, block.PriceScale), High: mustScale(bar.high, block.PriceScale),
			Low: mustScale(bar.low, block.PriceScale), Close: mustScale(bar.close, block.PriceScale),
			Volume: mustScale(bar.volume.Decimal.Round(block.VolumeScale), block.VolumeScale),
		})
	}
	return block
}

// fits reports whether a volume fits into a bar at a scale. It does at 0, because
// decimals have at most 15 digits before the point.
func fits(volume decimal.Decimal, scale int32) bool {
	n, ok := volume.Round(scale).ToScaled(scale)
	return ok && n <= market.MaxNumber
}

// mustScale returns a number at a scale at which it is known to fit.
func mustScale(d decimal.Decimal, scale int32) int64 {
	n, ok := d.ToScaled(scale)
	if !ok {
		panic("barsource: " + d.String() + " does not fit at its scale")
	}
	return n
}
