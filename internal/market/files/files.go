// Package files reads files of price bars: the exports of charting programs, of data
// vendors and of exchanges. It reads a file once, row by row, within limits, and
// keeps its bars in encoded blocks, so that a large file needs little memory.
//
// What a file does not say, such as its time zone, is left open: see Series.
package files

import (
	"errors"
	"fmt"
	"iter"
	"time"

	"fillbook/internal/market"
)

// Limits bound the work of reading one file.
type Limits struct {
	// Bytes is how long the file may be when it is unpacked.
	Bytes int64
	// Bars is how many bars it may have.
	Bars int
}

// Options say how a file is read.
type Options struct {
	Limits
	// TickSecs is the length of the bars that are made of ticks; 0 is one second.
	TickSecs int64

	// dates is the order of day and month that a row proved.
	dates dateOrder
}

func (o Options) tickSecs() int64 { return max(o.TickSecs, 1) }

// File is the content of a bar file.
type File struct {
	// Name is the last element of the file's name.
	Name string
	// Layout is the name of what wrote the file, such as TradingView.
	Layout string
	// Series are in the order in which they begin in the file.
	Series []*Series
	// Rows counts the rows with data, with those that could not be read.
	Rows int
	// Errors are the first rows that could not be read; ErrorCount counts all.
	Errors     []RowError
	ErrorCount int
	// Refused is why a file of an archive was left out, or nil.
	Refused error
}

// RowError is a row of a file that was left out.
type RowError struct {
	// Row is the line of a text file or the number of the record of a binary one,
	// from 1 on.
	Row    int
	Reason string
}

// maxErrors is how many errors are listed.
const maxErrors = 200

// Clock is how the times of a file are meant.
type Clock struct {
	// Zone is the zone of the file's clock, or nil if the file does not say it. Its
	// bars then have the time of that clock as if it were UTC.
	Zone *time.Location
	// Stamp is the instant of a bar that its time names; it is known if StampKnown.
	Stamp      market.Stamp
	StampKnown bool
	// IsUTC reports that each time says its distance from UTC, so that no zone can change
	// it.
	IsUTC bool
}

// Series are the bars of one instrument in a file.
type Series struct {
	Symbol     string
	Secs       int64
	PriceKind  market.PriceKind
	VolumeKind market.VolumeKind
	Clock      Clock
	// Conflicts counts the bars that the file has twice with different values. The
	// later one is kept.
	Conflicts int

	bars  collector
	isUTC bool // the times have an offset or count from 1970
	// repeated are the bars of an hour that comes twice, when clocks are set back, from
	// its second pass in the file. A file that goes back by at most an hour, or forward if
	// it is newest first, is in that pass until repeatedTo. passes are the hours.
	repeated   collector
	repeatedTo int64
	isRepeated bool
	passes     []market.Range
}

// maxPasses is how many hours of a file can come twice: one in a year.
const maxPasses = 200

// collectorOf returns where the bar of a time belongs.
func (s *Series) collectorOf(time int64) *collector {
	if s.isUTC || s.bars.count < 2 {
		return &s.bars
	}
	if !s.isRepeated && s.isSecondPass(time) {
		s.isRepeated, s.repeatedTo = true, s.bars.lastTime
		if len(s.passes) < maxPasses {
			s.passes = append(s.passes, market.Range{From: min(time, s.repeatedTo), To: max(time, s.repeatedTo) + 1})
		}
	}
	if s.isRepeated = s.isRepeated && s.stepBack(time, s.repeatedTo) >= 0; s.isRepeated {
		return &s.repeated
	}
	return &s.bars
}

// isSecondPass reports whether a row of a time is the first one of the second pass of an
// hour. The passes of bars of an hour are two rows of one time, at night.
func (s *Series) isSecondPass(time int64) bool {
	back := s.stepBack(time, s.bars.lastTime)
	if back == 0 {
		return time%secondsOfDay <= 3*secondsOfHour && 2*s.bars.gaps[secondsOfHour] > s.bars.count
	}
	return back > 0 && back <= secondsOfHour
}

// stepBack returns how many seconds a time is before another one, or after it in a file
// that is newest first.
func (s *Series) stepBack(time, other int64) int64 {
	if s.bars.isNewest {
		return time - other
	}
	return other - time
}

const secondsOfHour = 60 * 60

// finish sets what follows from the whole file only.
func (s *Series) finish(volume market.VolumeKind) {
	if s.Secs == 0 {
		s.Secs = s.bars.barLength()
	}
	if s.Secs >= secondsOfDay {
		// A daily bar has only a date.
		s.Clock = Clock{Zone: time.UTC, StampKnown: true}
	}
	s.Clock.IsUTC = s.isUTC
	for _, c := range [...]*collector{&s.bars, &s.repeated} {
		c.closeDay()
		s.Conflicts += c.conflicts
		c.useTraded()
	}
	switch {
	case !s.bars.hasVolume:
		s.VolumeKind = market.NoVolume
	case volume != "":
		s.VolumeKind = volume
	case s.bars.hasTicks:
		s.VolumeKind = market.TickVolume
	case s.VolumeKind == "":
		s.VolumeKind = market.RealVolume
	}
}

const secondsOfDay = 24 * 60 * 60

// Count returns the number of bars by the file's clock.
func (s *Series) Count() int {
	count := 0
	for block := range s.bars.blocks {
		count += len(block.Bars)
	}
	for block := range s.repeated.blocks {
		count += len(block.Bars)
	}
	return count
}

// Range returns the times of the first and the last bar, in seconds of the file's
// clock.
func (s *Series) Range() (first, last int64) { return s.bars.first, s.bars.last }

// Blocks returns the bars in order of time, by the file's clock as if it were UTC.
func (s *Series) Blocks() iter.Seq[market.Block] {
	return s.BlocksWithin(func(market.Range) bool { return true })
}

// BlocksWithin returns the bars of the days that isWanted accepts, by the file's clock
// as if it were UTC.
func (s *Series) BlocksWithin(isWanted func(day market.Range) bool) iter.Seq[market.Block] {
	return func(yield func(market.Block) bool) {
		for block := range s.bars.blocksWithin(isWanted) {
			block.Secs, block.HasVolume = s.Secs, s.VolumeKind != market.NoVolume
			if !yield(block) {
				return
			}
		}
	}
}

// The errors of a file that cannot be read at all.
var (
	ErrUnknownLayout = errors.New("this is not a bar file that Fillbook can read")
	ErrNoBars        = errors.New("the file has no bars")
	ErrDamaged       = errors.New("the file is damaged")
)

// LimitError is the error of a file that is too large.
type LimitError struct {
	What  string
	Limit int64
}

func (e LimitError) Error() string {
	return fmt.Sprintf("the file has more than %d %s", e.Limit, e.What)
}

// ofWhole returns the error with the limit of an archive instead of what was left of it
// for one of its files.
func (e LimitError) ofWhole(limits Limits) LimitError {
	switch e.What {
	case "bytes":
		e.Limit = limits.Bytes
	case "bars":
		e.Limit = int64(limits.Bars)
	}
	return e
}

// addError counts a row that could not be read.
func (f *File) addError(row int, reason string) {
	if f.ErrorCount++; len(f.Errors) < maxErrors {
		f.Errors = append(f.Errors, RowError{Row: row, Reason: reason})
	}
}
