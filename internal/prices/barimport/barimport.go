// Package barimport imports price bar files. It reads a file, determines with the user's
// fills how its times and prices are meant, and previews or stores the bars.
package barimport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/prices/bars"
	"fillbook/internal/prices/market"
	"fillbook/internal/prices/market/files"
)

// Options are the import settings.
type Options struct {
	DB   *db.DB
	Bars *bars.Service
	// MaxUnpacked is how many bytes a file may have when it is unpacked.
	MaxUnpacked int64
}

// DefaultMaxUnpacked is how many bytes a file may have when it is unpacked.
const DefaultMaxUnpacked = 1 << 30

// usualReadTime is the time limit for reading one file. The largest allowed file takes
// half a minute.
const usualReadTime = 2 * time.Minute

// usualCommitTime is the time limit for an import, as for fill imports.
const usualCommitTime = 10 * time.Minute

// Service imports bar files. It is safe for concurrent use.
type Service struct {
	Options
	// readTime bounds the reading of one file, commitTime its whole import.
	readTime, commitTime time.Duration
}

// New returns a Service.
func New(options Options) *Service {
	if options.MaxUnpacked == 0 {
		options.MaxUnpacked = DefaultMaxUnpacked
	}
	return &Service{Options: options, readTime: usualReadTime, commitTime: usualCommitTime}
}

// Upload is a file with its import options. Empty options are determined from the file or
// with the fills.
type Upload struct {
	FileName string
	Content  io.ReaderAt
	Size     int64
	// Symbol names the only instrument in a file, or chooses one of several.
	Symbol string
	// Zone is an IANA name or an offset such as +02:00.
	Zone string
	// Stamp is open or close.
	Stamp string
	// BarSecs is the bar length in seconds.
	BarSecs int64
	// PriceScale is what prices are multiplied by.
	PriceScale decimal.Null
	// Scratch creates a temporary file for the bars in a large file; it may be nil.
	Scratch func() (files.Scratch, error)
}

// openScratch returns a function creating the upload's temporary file, or nil, and one
// closing it.
func (u Upload) openScratch() (open func() (files.Scratch, error), end func()) {
	if u.Scratch == nil {
		return nil, func() {}
	}
	var file files.Scratch
	open = func() (_ files.Scratch, err error) {
		file, err = u.Scratch()
		return file, err
	}
	return open, func() {
		if file != nil {
			_ = file.Close()
		}
	}
}

// Result describes a file and, after a commit, what was stored.
type Result struct {
	// Layout names the program that wrote the file.
	Layout     string
	Rows       int
	Series     []Series
	Errors     []Problem
	ErrorCount int
	Warnings   []string
	// Missing is the option a commit needs, or empty.
	Missing string
}

// Series describes the bars for one series in a file.
type Series struct {
	bars.Key
	VolumeKind market.VolumeKind
	Layout     string
	Bars       int
	// First and Last are the first and last bar's opening times, in seconds.
	First, Last int64
	// Reading is how times and prices are read. ZoneKnown and StampKnown are false if a
	// commit would ask for it; times then follow the proposal, or UTC.
	Reading               market.Reading
	ZoneKnown, StampKnown bool
	// FillsChecked counts the symbol's fills between the first and the last bar,
	// FillsInside those whose price is in their bar. Similar reports whether all of them
	// are in another contract.
	FillsChecked, FillsInside int
	Similar                   bool
	// Overlaps counts the bars already stored, Conflicts those among them with other
	// values.
	Overlaps, Conflicts int
	// Repeated counts the bars repeated in the file with other values.
	Repeated int
	// Gaps are the first days without bars, GapDays counts all such days.
	Gaps    []Gap
	GapDays int
	// Proposed is the reading that fits the fills best; nil without fills.
	Proposed *market.Proposal
}

// Gap is a run of days without bars; both ends are inclusive.
type Gap struct {
	From, To journal.Day
}

// Problem is a rejected row.
type Problem struct {
	// File is the file's name in an archive, and otherwise empty.
	File    string
	Row     int
	Message string
}

// Preview describes a file. Nothing is written.
func (s *Service) Preview(ctx context.Context, owner journal.UserID, up Upload) (Result, error) {
	scratch, end := up.openScratch()
	defer end()
	p, err := s.plan(ctx, owner, up, scratch)
	if err != nil {
		return Result{}, err
	}
	err = s.DB.View(ctx, func(tx *db.Tx) error {
		for _, g := range p.groups {
			if err := g.measure(ctx, tx, owner); err != nil {
				return err
			}
		}
		return nil
	})
	return p.result(), err
}

// Commit stores the bars in a file. If the client disconnects before the end, or after
// commitTime, nothing is stored.
func (s *Service) Commit(ctx context.Context, owner journal.UserID, up Upload) (bars.Import, Result, error) {
	ctx, cancel := context.WithTimeout(ctx, s.commitTime)
	defer cancel()
	scratch, end := up.openScratch()
	defer end()
	p, err := s.plan(ctx, owner, up, scratch)
	if err != nil {
		return bars.Import{}, Result{}, err
	}
	if missing := p.missing(); missing != "" {
		return bars.Import{}, Result{}, mappingRequired(missing)
	}
	file := bars.NewImport{FileName: up.FileName, Layout: p.layout}
	for _, g := range p.groups {
		file.Bars += g.series.Count()
		file.Series = append(file.Series, bars.NewSeries{Key: g.key, VolumeKind: g.volume, Blocks: g.tally(), Calendar: g.calendar()})
	}
	done, counts, err := s.Bars.Commit(ctx, owner, file)
	if err != nil {
		return bars.Import{}, Result{}, err
	}
	for i, g := range p.groups {
		g.overlaps, g.conflicts = counts[i].Replaced+counts[i].Unchanged, counts[i].Replaced
	}
	return done, p.result(), nil
}

// mappingRequired returns the error for a commit that needs an option.
func mappingRequired(field string) error {
	message := map[string]string{
		"tz":       "The file doesn't name its time zone. Send tz, for example America/New_York.",
		"stamp":    "The file doesn't say whether its times are the open or the close of a bar. Send stamp.",
		"symbol":   "The file doesn't name its symbol. Send symbol.",
		"bar_secs": "The length of a bar can't be found in the file. Send bar_secs.",
	}[field]
	return &journal.Error{Kind: journal.KindInvalid, Code: "mapping_required", Message: message, Details: map[string]any{"field": field}}
}

// choices are an upload's parsed options; nil means not given.
type choices struct {
	symbol string
	zone   *time.Location
	stamp  *market.Stamp
	secs   int64
	scale  *decimal.Decimal
}

func (u Upload) parse() (c choices, err error) {
	if strings.TrimSpace(u.Symbol) != "" {
		if c.symbol, err = journal.CleanSymbol("symbol", u.Symbol); err != nil {
			return c, err
		}
	}
	if u.Zone != "" {
		if c.zone, err = parseZone(u.Zone); err != nil {
			return c, err
		}
	}
	switch u.Stamp {
	case "":
	case "open", "close":
		stamp := market.OpenStamp
		if u.Stamp == "close" {
			stamp = market.CloseStamp
		}
		c.stamp = &stamp
	default:
		return c, journal.InvalidField("stamp", "stamp must be open or close.")
	}
	if c.secs = u.BarSecs; c.secs < 0 || c.secs > maxBarSecs {
		return c, journal.InvalidField("bar_secs", "bar_secs must be between 1 and %d.", maxBarSecs)
	}
	if u.PriceScale.Valid {
		scale := u.PriceScale.Decimal
		if scale.Sign() <= 0 || scale.Cmp(decimal.New(maxPriceScale)) > 0 || decimal.New(1).Cmp(scale.Mul(decimal.New(maxPriceScale))) > 0 {
			return c, journal.InvalidField("price_scale", "price_scale must be between 0.000001 and 1000000.")
		}
		c.scale = &scale
	}
	return c, nil
}

const (
	// maxBarSecs is a year.
	maxBarSecs    = 366 * 24 * 60 * 60
	maxPriceScale = 1_000_000
)

// readFiles reads an upload's files. Reading stops when the client disconnects, and after
// readTime.
func (s *Service) readFiles(
	ctx context.Context, owner journal.UserID, up Upload, c choices, scratch func() (files.Scratch, error),
) ([]*files.File, error) {
	used, limit, err := s.Bars.Usage(ctx, owner)
	if err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeout(ctx, s.readTime)
	defer cancel()
	list, err := files.ReadAll(limited, up.Content, up.Size, up.FileName, files.Options{
		Limits: files.Limits{Bytes: s.MaxUnpacked, Bars: int(limit)}, TickSecs: c.secs, Scratch: scratch,
	})
	if err == nil || ctx.Err() != nil {
		return list, errors.Join(err, ctx.Err())
	}
	var tooLarge files.LimitError
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return nil, journal.InvalidField("file", "Reading the file takes too long. Split it and upload the parts.")
	case errors.As(err, &tooLarge) && tooLarge.What == "bars":
		return nil, bars.TooMany(limit, used)
	case errors.As(err, &tooLarge):
		refused := journal.TooLarge("The file has more than %d %s. Split it and upload the parts.", tooLarge.Limit, tooLarge.What)
		refused.Details = map[string]any{"limit": tooLarge.Limit}
		return nil, refused
	case errors.Is(err, files.ErrUnknownLayout):
		return nil, journal.InvalidField("file", "Fillbook can't read bars from this file. Export bars as CSV from your charting program or data vendor.")
	case errors.Is(err, files.ErrNoBars), errors.Is(err, files.ErrDamaged):
		return nil, journal.InvalidField("file", "%s.", upperFirst(err.Error()))
	}
	return nil, fmt.Errorf("reading a file of bars: %w", err)
}

func upperFirst(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
