// Package files reads price bar files: exports from charting programs, data vendors and
// exchanges. It reads a file once, row by row, within limits, and keeps its bars in
// encoded blocks, so a large file needs little memory.
//
// Facts missing from a file, such as its time zone, are left open: see Series.
package files

import (
	"errors"
	"fmt"
	"iter"
	"time"

	"fillbook/internal/prices/market"
)

// Limits bound the work for one file.
type Limits struct {
	// Bytes is how long the file may be when it is unpacked.
	Bytes int64
	// Bars is the maximum number of rows, including repeated ones.
	Bars int
}

// Options say how a file is read.
type Options struct {
	Limits
	// TickSecs is the length of bars made from ticks; 0 is one second.
	TickSecs int64
	// Scratch returns a temporary file for encoded bars that would take much memory. If
	// it is nil or fails, they stay in memory. The caller closes the file when it no
	// longer needs the series.
	Scratch func() (Scratch, error)

	// dates is the day and month order proved by a row.
	dates dateOrder
	// budget counts the work for the file, or for all files in an archive.
	budget *budget
	// maxPending and maxHeld replace the constants in tests, if they are not zero.
	maxPending int
	maxHeld    int64
}

func (o Options) tickSecs() int64 { return max(o.TickSecs, 1) }

// File is a bar file's content.
type File struct {
	// Name is the last element of the file's name.
	Name string
	// Layout names the program that wrote the file, such as TradingView.
	Layout string
	// Series are in the order in which they begin in the file.
	Series []*Series
	// Rows counts the rows with data, including unreadable ones.
	Rows int
	// Errors are the first unreadable rows; ErrorCount counts all.
	Errors     []RowError
	ErrorCount int
	// Refused is why a file in an archive was left out, or nil.
	Refused error
}

// RowError is a rejected row.
type RowError struct {
	// Row is the line in a text file or the record number in a binary one, from 1 on.
	Row    int
	Reason string
}

// Clock is how a file's times are meant.
type Clock struct {
	// Zone is the zone of the file's clock, or nil if unknown. Its bars then have the
	// time by that clock as if it were UTC.
	Zone *time.Location
	// Stamp is the instant in a bar named by its time; it is known if StampKnown.
	Stamp      market.Stamp
	StampKnown bool
	// IsUTC reports whether each time has a UTC offset, so no zone can change it.
	IsUTC bool
}

// Series are the bars for one instrument in a file.
type Series struct {
	Symbol     string
	Secs       int64
	PriceKind  market.PriceKind
	VolumeKind market.VolumeKind
	Clock      Clock
	// Conflicts counts the bars repeated in the file with different values. The later one
	// is kept. Rows that may be the second pass of an hour in which clocks are set back
	// are counted by [Series.Convert], which knows the zone.
	Conflicts int

	bars  collector
	isUTC bool // the times have an offset or count from 1970
	// repeated are the bars in an hour that comes twice, when clocks are set back, from
	// its second pass in the file. A file going back by at most an hour, or forward if it
	// is newest first, is in that pass until repeatedTo. passes are the hours.
	repeated   collector
	repeatedTo int64
	isRepeated bool
	passes     []market.Range
}

// newSeries prepares a series for adding rows.
func (o Options) newSeries(s Series) (*Series, error) {
	s.bars.budget, s.repeated.budget = o.budget, o.budget
	return &s, o.budget.countSeries()
}

// maxPasses is how many hours in a file can come twice: one in a year.
const maxPasses = 200

// collectorOf returns the collector for a bar at a time.
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

// isSecondPass reports whether a row's time begins the second pass of an hour. For hourly
// bars, the passes are two rows with one time, at night.
func (s *Series) isSecondPass(time int64) bool {
	back := s.stepBack(time, s.bars.lastTime)
	if back == 0 {
		return time%secondsOfDay <= 3*secondsOfHour && 2*s.bars.hourSteps > s.bars.count
	}
	return back > 0 && back <= secondsOfHour
}

// stepBack returns how many seconds a time is before another one, or after it in a
// newest-first file.
func (s *Series) stepBack(time, other int64) int64 {
	if s.bars.isNewest {
		return time - other
	}
	return other - time
}

const secondsOfHour = 60 * 60

// finish sets what follows from the whole file only.
func (s *Series) finish(volume market.VolumeKind) {
	s.bars.finish()
	s.repeated.finish()
	s.Conflicts = s.bars.repeats.conflicts + s.repeated.repeats.conflicts
	if s.Secs == 0 {
		s.Secs = barLength(s.bars.cursor(), s.repeated.cursor())
	}
	if s.Secs >= secondsOfDay {
		// A daily bar has only a date.
		s.Clock = Clock{Zone: time.UTC, StampKnown: true}
	}
	s.Clock.IsUTC = s.isUTC
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

// Absorb adds the bars from a later file with the same series and clock. The other series
// must not be used afterwards.
func (s *Series) Absorb(other *Series) {
	s.bars.absorb(&other.bars)
	s.repeated.absorb(&other.repeated)
	s.Conflicts = s.bars.repeats.conflicts + s.repeated.repeats.conflicts
	s.passes = append(s.passes, other.passes[:min(len(other.passes), maxPasses-len(s.passes))]...)
	if s.VolumeKind == market.NoVolume {
		s.VolumeKind = other.VolumeKind
	}
}

const secondsOfDay = 24 * 60 * 60

// Count returns the number of bars by the file's clock.
func (s *Series) Count() int { return s.bars.bars() + s.repeated.bars() }

// Range returns the first and last bar's times, in seconds by the file's clock.
func (s *Series) Range() (first, last int64) { return s.bars.first, s.bars.last }

// Blocks returns the bars in time order, by the file's clock as if it were UTC.
func (s *Series) Blocks() iter.Seq[market.Block] {
	return s.BlocksWithin(func(market.Range) bool { return true })
}

// BlocksWithin returns the blocks whose period isWanted accepts, by the file's clock as
// if it were UTC.
func (s *Series) BlocksWithin(isWanted func(of market.Range) bool) iter.Seq[market.Block] {
	return func(yield func(market.Block) bool) {
		for block := range s.bars.blocksWithin(isWanted) {
			block.Secs, block.HasVolume = s.Secs, s.VolumeKind != market.NoVolume
			if !yield(block) {
				return
			}
		}
	}
}

// The errors for an unreadable file.
var (
	ErrUnknownLayout = errors.New("this is not a bar file that Fillbook can read")
	ErrNoBars        = errors.New("the file has no bars")
	ErrDamaged       = errors.New("the file is damaged")
)

// LimitError is the error for a file that is too large.
type LimitError struct {
	What  string
	Limit int64
}

func (e LimitError) Error() string {
	return fmt.Sprintf("the file has more than %d %s", e.Limit, e.What)
}

// addError counts an unreadable row. For an archive only the first errors in all files
// are listed.
func (o Options) addError(f *File, row int, reason string) {
	f.ErrorCount++
	if o.budget.used.errors++; o.budget.used.errors <= maxErrors {
		f.Errors = append(f.Errors, RowError{Row: row, Reason: reason})
	}
}
