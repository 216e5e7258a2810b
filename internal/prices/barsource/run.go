package barsource

import (
	"context"
	"fmt"
	"slices"
	"time"

	"fillbook/internal/base/remote"
	"fillbook/internal/prices/market"
)

// Run is a query while it is answered. A provider sends requests with it and adds the
// bars it gets.
type Run struct {
	// Result is what Fetch returns. Its bars, Covered and Skipped are set at the end;
	// the provider may change the other fields.
	Result Result
	// Secs is a bar's length.
	Secs int64

	*remote.Session
	within market.Range // of the wanted bars
	ended  int64        // when a bar must have ended
	rows   []row
}

// Page fetches a window, which has at most [Description.PageBars] bars, and adds its bars
// to the run.
type Page func(ctx context.Context, run *Run, window market.Range) error

// Fetch answers a query with one page after the other. It is what the Fetch methods of
// providers call.
func Fetch(ctx context.Context, client remote.Doer, provider Provider, credentials map[string]string, query Query, page Page) (Result, error) {
	run, err := newRun(client, provider, credentials, query)
	if err != nil {
		return Result{}, err
	}
	span := int64(provider.Describe().PageBars) * run.Secs
	for from := run.within.From; from < run.within.To; from += span {
		if err := page(ctx, run, market.Range{From: from, To: min(from+span, run.within.To)}); err != nil {
			return Result{}, err
		}
	}
	return run.finish(), nil
}

// Ask starts a query for something other than bars, such as its price. page gets the
// whole query period as its window.
func Ask(ctx context.Context, client remote.Doer, provider Provider, credentials map[string]string, query Query, page Page) error {
	run, err := newRun(client, provider, credentials, query)
	if err != nil {
		return err
	}
	return page(ctx, run, run.within)
}

// newRun checks a query and limits it to what the provider has.
func newRun(client remote.Doer, provider Provider, credentials map[string]string, query Query) (*Run, error) {
	d := provider.Describe()
	session, err := remote.NewSession(client, d.Fields, credentials, func() time.Time { return query.Now }, remote.Options{})
	if err != nil {
		return nil, err
	}
	if !slices.Contains(d.BarSecs, query.BarSecs) {
		return nil, fmt.Errorf("%w: %s has no bars of %d seconds", remote.ErrQuery, d.Title, query.BarSecs)
	}
	symbol, ok := provider.Symbol(query.Instrument, query.From)
	if !ok {
		return nil, ErrNotCovered
	}
	within := market.Range{From: ceilSecond(query.From), To: ceilSecond(query.To)}
	if within.From >= within.To || (within.To-within.From)/query.BarSecs > MaxBars {
		return nil, fmt.Errorf("%w: its time is empty or has more than %d bars", remote.ErrQuery, MaxBars)
	}
	r := &Run{
		Result: Result{Symbol: symbol, PriceKind: market.TradePrice, VolumeKind: market.RealVolume, IsComplete: true},
		Secs:   query.BarSecs, Session: session,
		ended: query.Now.Add(-d.Delay).Unix(),
	}
	r.within, err = r.clamp(within, int64(d.HistoryBars))
	return r, err
}

// clamp returns the part in a range the provider can answer for.
func (r *Run) clamp(within market.Range, history int64) (market.Range, error) {
	last := r.ended - r.ended%r.Secs
	if oldest := last - history*r.Secs; history > 0 && within.From < oldest {
		if within.From = oldest; oldest >= within.To {
			return market.Range{}, ErrTooOld
		}
	}
	within.To = min(within.To, max(last, within.From))
	return within, nil
}

func ceilSecond(t time.Time) int64 {
	if t.Nanosecond() > 0 {
		return t.Unix() + 1
	}
	return t.Unix()
}
