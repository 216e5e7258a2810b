package main

import (
	"context"
	"net/url"
	"time"
)

const limitScan = "SQL scan of the same rows + plain HTTP answer of the same bytes"

// measureLists measures lists for the large account, and for all accounts: whole, by
// pages and by months.
func (s *session) measureLists(ctx context.Context) error {
	only := "account_id=" + s.large
	for _, whole := range []struct {
		name, path string
		clone      clone
	}{
		{"list of all trades", "/trades?", tradesClone},
		{"list of all fills", "/executions?", fillsClone},
	} {
		call := func(int) reply { return s.client.get(ctx, api+whole.path+only) }
		if err := s.measureScan(ctx, whole.name, whole.clone, call); err != nil {
			return err
		}
	}
	s.waitForRelease()
	s.addMemory("memory after listing everything", readUsage(s.server.pid()).rss)
	id, err := s.findTradeID(ctx)
	if err != nil {
		return err
	}
	for _, short := range []struct{ name, path string }{
		{"page of 50 trades", "/trades?limit=50&" + only},
		{"page of 50 trades, all accounts", "/trades?limit=50"},
		{"page of 50 trades, sorted by result", "/trades?limit=50&sort=net_pnl&order=desc&" + only},
		{"page of 50 trades, sorted by R", "/trades?limit=50&sort=r_multiple&order=asc&" + only},
		{"page of 50 trades of a filter", "/trades?limit=50&outcome=loss&weekday=1,2,5&filter_tz=America/New_York&" + only},
		{"page of 50 trades of a filter, sorted by result", "/trades?limit=50&sort=net_pnl&outcome=loss&weekday=1,2,5&filter_tz=America/New_York&" + only},
		{"page of 50 trades, from the middle", "/trades?limit=50&" + s.untilQuery(from.Add(span/2)) + "&" + only},
		{"page of 50 trades of one symbol", "/trades?limit=50&symbol=" + symbol(0) + "&" + only},
		{"page of 50 fills", "/executions?limit=50&" + only},
		{"trades of one month", "/trades?" + s.monthQuery() + "&" + only},
		{"one trade with its fills", "/trades/" + id},
		{"page of 50 changes", "/history?limit=50&" + only},
	} {
		call := func(int) reply { return s.client.get(ctx, api+short.path) }
		if err := s.measureAnswer(ctx, short.name, 100, call); err != nil {
			return err
		}
	}
	return nil
}

// measureScan measures calls reading every row in a table. The limit is reading them
// through the driver and sending as many bytes.
func (s *session) measureScan(ctx context.Context, name string, c clone, call func(n int) reply) error {
	r, err := s.measure(ctx, name, 10, call)
	if err != nil {
		return err
	}
	limit, err := s.timeScan(ctx, c, s.large)
	if err != nil {
		return err
	}
	plain := s.timePlainAnswers(ctx, r.Bytes).median()
	for i := range limit {
		limit[i] += plain
	}
	r.setLimit(limitScan, limit)
	return nil
}

// monthQuery returns the query for a month in the middle of the journal.
func (s *session) monthQuery() string {
	begin := from.Add(span / 2)
	return "from=" + url.QueryEscape(begin.Format(time.RFC3339)) + "&" + s.untilQuery(begin.AddDate(0, 1, 0))
}

func (s *session) untilQuery(at time.Time) string {
	return "to=" + url.QueryEscape(at.Format(time.RFC3339))
}

func (s *session) findTradeID(ctx context.Context) (string, error) {
	var page []struct{ ID string }
	err := s.client.fetch(ctx, api+"/trades?limit=1&status=closed&account_id="+s.large).decode(&page)
	if err != nil || len(page) == 0 {
		return "", err
	}
	return page[0].ID, nil
}

// measureExports measures downloads with the whole journal.
func (s *session) measureExports(ctx context.Context) error {
	for _, format := range []struct {
		name, query string
		clone       clone
	}{
		{"export, json", "format=json", fillsClone},
		{"export, zip", "format=zip", fillsClone},
		{"export, csv of trades", "format=csv&rows=trades", tradesClone},
		{"export, csv of fills", "format=csv&rows=executions", fillsClone},
		{"export, xlsx", "format=xlsx", fillsClone},
	} {
		call := func(int) reply { return s.client.get(ctx, api+"/exports?"+format.query) }
		if err := s.measureScan(ctx, format.name, format.clone, call); err != nil {
			return err
		}
	}
	return nil
}
