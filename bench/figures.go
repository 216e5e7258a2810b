package main

import (
	"context"
	"fmt"
	"time"
)

const limitAggregate = "one SQL aggregate over the same trades"

// figureKinds returns the measured figures.
func (s *session) figureKinds() []string {
	return []string{"summary", "daily", "equity-curve", "behavior", "breakdown", "drawdowns"}
}

func (s *session) getFigure(ctx context.Context, kind, further string) reply {
	path := api + "/analytics/" + kind + "?account_id=" + s.large + further
	if kind == "breakdown" {
		path += "&by=symbol"
	}
	return s.client.get(ctx, path)
}

// measureFigures measures the large account's analytics: unchanged, for one month, after
// a write, and on a public page.
func (s *session) measureFigures(ctx context.Context) error {
	aggregate, err := s.timeAggregate(ctx, s.large)
	if err != nil {
		return err
	}
	s.addLimit(limitAggregate, aggregate)
	for _, kind := range s.figureKinds() {
		if err := s.measureAnswer(ctx, kind+", asked again", 100, func(int) reply { return s.getFigure(ctx, kind, "") }); err != nil {
			return err
		}
	}
	if err := s.measureAnswer(ctx, "summary of one month", 50, func(n int) reply {
		// Another month each time, so no answer is cached.
		begin := from.AddDate(0, 0, n*20%1000)
		return s.getFigure(ctx, "summary", "&from="+begin.Format(time.DateOnly)+"T00:00:00Z&to="+begin.AddDate(0, 1, 0).Format(time.DateOnly)+"T00:00:00Z")
	}); err != nil {
		return err
	}
	if err := s.measureAnswer(ctx, "summary of a filter", 50, func(n int) reply {
		// Another limit each time, so no answer is cached.
		return s.getFigure(ctx, "summary", fmt.Sprintf("&outcome=loss&weekday=1,2,5&filter_tz=America/New_York&pnl_min=-%d", 1_000_000+n))
	}); err != nil {
		return err
	}
	if err := s.measureExplained(ctx); err != nil {
		return err
	}
	if err := s.measureThroughput(ctx, "summary", api+"/analytics/summary?account_id="+s.large); err != nil {
		return err
	}
	if err := s.measureSharePage(ctx); err != nil {
		return err
	}
	return s.measureAfterWrites(ctx, aggregate)
}

// measureExplained measures the summary with its evidence, compared with the summary
// alone.
func (s *session) measureExplained(ctx context.Context) error {
	plain, err := s.measure(ctx, "summary, beside the explained one", 50, func(int) reply { return s.getFigure(ctx, "summary", "") })
	if err != nil {
		return err
	}
	r, err := s.measure(ctx, "summary, explained", 50, func(int) reply { return s.getFigure(ctx, "summary", "&explain=true") })
	if err != nil {
		return err
	}
	r.setLimit("the summary alone", times{plain.P50})
	return nil
}

func (s *session) measureSharePage(ctx context.Context) error {
	path, err := s.client.createShareLink(ctx, s.large)
	if err != nil {
		return err
	}
	return s.measureAnswer(ctx, "public share page", 100, func(int) reply { return s.client.withToken("").get(ctx, path) })
}

// measureAfterWrites measures the first call after a new fill.
func (s *session) measureAfterWrites(ctx context.Context, aggregate times) error {
	late := from.AddDate(20, 0, 0)
	written := 0
	for _, kind := range s.figureKinds()[:4] {
		r, err := s.measure(ctx, kind+", right after a write", 30, func(int) reply {
			written++
			if wrote := s.post(ctx, s.large, "LATE", written%2 == 1, late.Add(time.Duration(written)*time.Minute)); wrote.err != nil {
				return wrote
			}
			return s.getFigure(ctx, kind, "")
		})
		if err != nil {
			return err
		}
		r.setLimit(limitAggregate, aggregate)
	}
	return nil
}

// relaunch restarts the server, because memory is released
// slowly and the next operation needs its own peak.
func (s *session) relaunch(ctx context.Context) (err error) {
	err = s.server.stop()
	s.server = nil
	if err != nil {
		return err
	}
	if s.server, err = s.settings.serve(ctx); err != nil {
		return err
	}
	s.client.base = s.server.base
	return nil
}

// measureShutdown stops an idle server, and starts another one.
func (s *session) measureShutdown(ctx context.Context) error {
	s.waitForRelease()
	r := s.startRecord("shutdown, idle")
	begin := time.Now()
	err := s.server.stop()
	s.finishRecord(r, times{time.Since(begin)})
	s.server = nil
	if err != nil {
		return err
	}
	if s.server, err = s.settings.serve(ctx); err == nil {
		s.client.base = s.server.base
	}
	return err
}

// measureRestart restarts the server on the full database, with nothing cached, so the
// first figures read every trade.
func (s *session) measureRestart(ctx context.Context) error {
	if err := s.measureShutdown(ctx); err != nil {
		return err
	}
	if err := s.recordStart(ctx, "start, full database"); err != nil {
		return err
	}
	s.waitForRelease()
	s.addMemory("memory at rest", readUsage(s.server.pid()).rss)
	aggregate, err := s.timeAggregate(ctx, s.large)
	if err != nil {
		return err
	}
	for _, kind := range []string{"summary", "behavior"} {
		name := kind + ", the first after a start"
		if kind != "summary" {
			name = kind + ", not asked before"
		}
		r, err := s.measure(ctx, name, 1, func(int) reply { return s.getFigure(ctx, kind, "") })
		if err != nil {
			return err
		}
		r.setLimit(limitAggregate, aggregate)
	}
	return nil
}
