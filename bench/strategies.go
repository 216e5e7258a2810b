package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// The measured options journal: iron condors in some underlyings, one a minute, each leg
// opened in the same second and closed some days later. Every third has an order id.
const (
	underlyings = 20
	condorLegs  = 4
	optionRows  = 50_000 // fills of a file
)

// measureStrategies measures strategies in an account with as many option trades as the large
// one has fills.
func (s *session) measureStrategies(ctx context.Context) error {
	account, err := s.client.createAccount(ctx, "with options")
	if err != nil {
		return err
	}
	if err := s.importOptions(ctx, account); err != nil {
		return err
	}
	if err := s.measureDetection(ctx, account); err != nil {
		return err
	}
	settings := s.client.send(ctx, http.MethodPut, api+"/settings/strategies", map[string]any{"detect": "accept_strong"})
	if settings.err != nil {
		return settings.err
	}
	if err := s.checkUnits(ctx, account); err != nil {
		return err
	}
	return s.measureUnits(ctx, account)
}

// importOptions imports the condors.
func (s *session) importOptions(ctx context.Context, account string) error {
	var rows []map[string]any
	send := func() error {
		if err := s.renewToken(ctx); err != nil {
			return err
		}
		file, err := json.Marshal(rows)
		if err != nil {
			return err
		}
		rows = rows[:0]
		return s.client.commit(ctx, newNamedUpload(account, "options.json", file)).err
	}
	for n := range s.size {
		rows = append(rows, optionFill(n, true), optionFill(n, false))
		if len(rows) >= optionRows {
			if err := send(); err != nil {
				return err
			}
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return send()
}

// optionFill returns a fill of a condor's leg.
func optionFill(n int, opens bool) map[string]any {
	group, leg := n/condorLegs, n%condorLegs
	opened := from.Add(time.Duration(group) * time.Minute)
	at, price := opened, 200+10*leg
	if !opens {
		at, price = opened.Add(time.Duration(24+group%100)*time.Hour+time.Duration(leg)*time.Second), 100+group%200
	}
	side := "sell"
	if outer := leg == 0 || leg == condorLegs-1; outer == opens {
		side = "buy"
	}
	details := map[string]any{
		"option_right": []string{"put", "put", "call", "call"}[leg], "strike": fmt.Sprint(1000 + 10*leg + 50*(group%1440)),
		"expiry": opened.AddDate(0, 0, 7).Format(time.DateOnly),
	}
	if group%3 == 0 && opens {
		details["order_id"] = fmt.Sprint(group)
	}
	return map[string]any{
		"symbol": fmt.Sprintf("U%c", 'A'+group%underlyings), "instrument_type": "option", "side": side, "quantity": 1 + group%3,
		"price": string(appendCents(nil, int64(price))), "multiplier": 100, "executed_at": at.Format(time.RFC3339), "details": details,
	}
}

// measureDetection measures the detection after a write: nothing of it is kept.
func (s *session) measureDetection(ctx context.Context, account string) error {
	written := 0
	_, err := s.measure(ctx, detectionOperation, 10, func(int) reply {
		written++
		wrote := s.client.send(ctx, http.MethodPost, api+"/executions", map[string]any{
			"account_id": account, "symbol": "OTHER", "side": []string{"buy", "sell"}[written%2], "quantity": 1, "price": 10,
			"executed_at": from.AddDate(19, 0, 0).Add(time.Duration(written) * time.Minute).Format(time.RFC3339),
		})
		if wrote.err != nil {
			return wrote
		}
		return s.client.send(ctx, http.MethodPost, api+"/strategies/detect", nil)
	})
	return err
}

// detectionOperation is the detection among as many option trades as the journal has fills.
const detectionOperation = "strategies of as many option trades, right after a write"

// checkUnits returns an error if most legs are in no strategy: the summary of units would
// then be one of trades.
func (s *session) checkUnits(ctx context.Context, account string) error {
	var trades, units struct {
		Total int `json:"total_trades"`
	}
	if err := s.client.fetch(ctx, api+"/analytics/summary?account_id="+account).decode(&trades); err != nil {
		return err
	}
	if err := s.client.fetch(ctx, api+"/analytics/summary?unit=strategy&account_id="+account).decode(&units); err != nil {
		return err
	}
	if units.Total > trades.Total/2 {
		return fmt.Errorf("%d units of %d trades: the condors were not detected", units.Total, trades.Total)
	}
	return nil
}

// measureUnits measures figures of units beside the same of trades.
func (s *session) measureUnits(ctx context.Context, account string) error {
	for _, c := range []struct{ name, path string }{
		{"asked again", "/analytics/summary?account_id=" + account},
		{"not asked before", "/analytics/summary?pnl_min=-%d&account_id=" + account},
	} {
		path := func(n int, further string) string {
			if c.name == "asked again" {
				return api + c.path + further
			}
			return api + fmt.Sprintf(c.path, 1_000_000+n) + further // all trades, and never cached
		}
		plain, err := s.measure(ctx, "summary of option trades, "+c.name, 50, func(n int) reply { return s.client.get(ctx, path(n, "")) })
		if err != nil {
			return err
		}
		units, err := s.measure(ctx, "summary of strategies, "+c.name, 50, func(n int) reply { return s.client.get(ctx, path(n, "&unit=strategy")) })
		if err != nil {
			return err
		}
		units.setLimit("the same of trades", times{plain.P50})
	}
	return nil
}
