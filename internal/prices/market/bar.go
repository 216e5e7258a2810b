// Package market computes with price bars: how they are stored in blocks, how longer bars
// are made from shorter ones, which time a series covers, and how far a position went for
// and against the trader while it was open.
//
// Bar prices and volumes are integers with a scale shared by a whole block. Position
// values are computed from them in exact decimals.
package market

import "errors"

// Bar is one price bar. Prices are integers at the series' price scale: 10025 at scale 2
// is 100.25.
type Bar struct {
	// Time is the bar's opening time in seconds since 1970, UTC.
	Time                   int64
	Open, High, Low, Close int64
	// Volume is an integer at the series' volume scale. It is 0 if the series has no
	// volume.
	Volume int64
}

// MaxNumber is the largest price or volume in a bar, without its scale. Differences
// between two such numbers fit into 64 bits.
const MaxNumber = 999_999_999_999_999_999

// MaxScale is the largest number of decimals in a price or volume.
const MaxScale = 18

// The reasons why a bar is not valid.
var (
	ErrHighTooLow   = errors.New("the high is below the open, the low or the close")
	ErrLowTooHigh   = errors.New("the low is above the open or the close")
	ErrNumberRange  = errors.New("a price or the volume has too many digits")
	ErrVolumeBelow0 = errors.New("the volume is below zero")
)

// Check returns the reason why the bar cannot be one, or nil. Prices below zero are
// valid: oil has traded at -37.
func (b Bar) Check() error {
	for _, n := range [...]int64{b.Open, b.High, b.Low, b.Close, b.Volume} {
		if n > MaxNumber || n < -MaxNumber {
			return ErrNumberRange
		}
	}
	switch {
	case b.Volume < 0:
		return ErrVolumeBelow0
	case b.High < max(b.Open, b.Low, b.Close):
		return ErrHighTooLow
	case b.Low > min(b.Open, b.Close):
		return ErrLowTooHigh
	}
	return nil
}
