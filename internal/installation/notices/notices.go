// Package notices reports to a user what happened without them: what connections, hooks
// and watched folders stored, and what needs their attention.
//
// Notices are read from imports, fills, trades and source states, so their figures are
// current, and from alerts.
package notices

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/installation/alerts"
	"fillbook/internal/intake/connections"
	"fillbook/internal/intake/hooks"
	"fillbook/internal/intake/imports"
	"fillbook/internal/prices/barfetch"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/playbook"
)

// Kind is what a notice is about.
type Kind string

// The kinds.
const (
	// Arrived: fills or cash were stored.
	Arrived Kind = "arrived"
	// Problem: something was not stored, or a source has stopped.
	Problem Kind = "problem"
	// Alerted: any other alert.
	Alerted Kind = "alert"
)

// Notice is an event.
type Notice struct {
	At   time.Time
	Kind Kind
	// Source names the hook, connection, file or provider.
	Source string
	// Text is a sentence without the source's name.
	Text string
	// Link is a path in the page.
	Link string
	// Arrival is what was stored, nil for a problem.
	Arrival *Arrival
	// Alert is the alert's id; empty if there is none.
	Alert journal.AlertID

	// about is which alert reports the same.
	about subject
}

// subject is what an alert is about: its kind, and its connection or hook.
type subject struct {
	kind   alerts.Kind
	source string
}

// isProblem reports whether the alert is about a connection or a hook, whose problems are
// notices themselves.
func (s subject) isProblem() bool {
	return s.source != "" && (s.kind == alerts.ImportFailed || s.kind == alerts.NeedsAttention || s.kind == alerts.MissingFills)
}

// Arrival is what an import stored since a time.
type Arrival struct {
	Fills, Cash int
	// Closed counts the trades closed by these fills. NetPnL is their result, in
	// Currency, and Unreviewed counts those not reviewed.
	Closed     int
	NetPnL     decimal.Decimal
	Currency   string
	Unreviewed int
}

// maxNotices is how many notices are listed, the newest ones.
const maxNotices = 50

// Service reads notices. It is safe for concurrent use.
type Service struct {
	db     *db.DB
	alerts *alerts.Service
}

// New returns a Service.
func New(d *db.DB, a *alerts.Service) *Service { return &Service{db: d, alerts: a} }

// List returns the newest notices after an instant, newest first.
func (s *Service) List(ctx context.Context, owner journal.UserID, since time.Time) (list []Notice, err error) {
	err = s.db.View(ctx, func(tx *db.Tx) error {
		list = nil
		for _, read := range []func(context.Context, *db.Tx, journal.UserID, time.Time) ([]Notice, error){
			readArrivals, readQuarantines, readConnections, readBarSources,
		} {
			some, err := read(ctx, tx, owner, since)
			if err != nil {
				return err
			}
			list = append(list, some...)
		}
		list, err = s.addAlerts(ctx, tx, owner, since, list)
		return err
	})
	slices.SortStableFunc(list, func(a, b Notice) int { return b.At.Compare(a.At) })
	return list[:min(len(list), maxNotices)], err
}

// addAlerts adds the alerts. One that reports a problem in the list is the same record: the
// problem gets its id. It counts from when the problem happened, like the problem itself, which
// may be seen before the alert is found.
func (s *Service) addAlerts(ctx context.Context, tx *db.Tx, owner journal.UserID, since time.Time, list []Notice) ([]Notice, error) {
	found, err := s.alerts.ReadSince(ctx, tx, owner, since, maxNotices)
	for i := range found {
		a := &found[i]
		about := subject{a.Kind, a.SourceID()}
		if about.isProblem() {
			at := slices.IndexFunc(list, func(n Notice) bool { return n.about == about && n.Alert == "" })
			if at >= 0 {
				list[at].Alert = a.ID
				continue
			}
			if !a.At.After(since) {
				continue
			}
		}
		list = append(list, Notice{At: a.FiredAt, Kind: Alerted, Source: "Alert", Text: a.Title, Link: a.Link, Alert: a.ID})
	}
	return list, err
}

// readArrivals returns a notice for each import with stored rows.
func readArrivals(ctx context.Context, tx *db.Tx, owner journal.UserID, since time.Time) ([]Notice, error) {
	batches, err := imports.ListArrived(ctx, tx, owner, since, maxNotices)
	if err != nil {
		return nil, err
	}
	accounts, err := ledger.Accounts(ctx, tx, owner)
	if err != nil {
		return nil, err
	}
	sources, err := connections.ListStored(ctx, tx, owner)
	if err != nil {
		return nil, err
	}
	var list []Notice
	for _, batch := range batches {
		i := slices.IndexFunc(accounts, func(a ledger.Account) bool { return a.ID == batch.Account })
		if i < 0 { // it is deleted, or hidden from an access token
			continue
		}
		arrival, err := readArrival(ctx, tx, owner, batch, since)
		if err != nil {
			return nil, err
		}
		if arrival.Fills+arrival.Cash == 0 {
			continue
		}
		arrival.Currency = accounts[i].BaseCurrency
		list = append(list, Notice{
			At: batch.UpdatedAt, Kind: Arrived, Source: nameOf(batch, sources), Text: arrival.sentence(), Link: "/import/" + string(batch.ID), Arrival: &arrival,
		})
	}
	return list, nil
}

// nameOf returns the name of an import's file, connection or hook.
func nameOf(batch imports.Batch, sources []connections.Connection) string {
	if batch.FileName != nil {
		return *batch.FileName
	}
	for _, c := range sources {
		if batch.Origin == imports.FromConnection && batch.OriginID == string(c.ID) {
			return c.Name
		}
	}
	return batch.Broker
}

func readArrival(ctx context.Context, tx *db.Tx, owner journal.UserID, batch imports.Batch, since time.Time) (a Arrival, err error) {
	rows, err := ledger.CountNewRows(ctx, tx, owner, batch.ID, since)
	if err != nil {
		return a, err
	}
	a.Fills, a.Cash = rows.Fills, rows.Cash
	closed := ledger.TradeQuery{
		Scope: journal.Scope{Accounts: []journal.AccountID{batch.Account}},
		Where: []ledger.Condition{ledger.ClosedSince(owner, batch.ID, since)},
	}
	err = ledger.EachTrade(ctx, tx, owner, closed, func(t ledger.Trade) error {
		a.Closed++
		a.NetPnL = a.NetPnL.Add(t.NetPnL.Decimal)
		return nil
	})
	if err != nil || a.Closed == 0 {
		return a, err
	}
	closed.Where = append(closed.Where, ledger.TradeIDCondition(func(args *[]any) string { return playbook.IsReviewed(args, owner, false) }))
	err = ledger.EachTrade(ctx, tx, owner, closed, func(ledger.Trade) error {
		a.Unreviewed++
		return nil
	})
	return a, err
}

// sentence returns what arrived in words, for example 14 fills, 5 trades closed,
// +312 USD, 2 need review.
func (a Arrival) sentence() string {
	var parts []string
	add := func(n int, one, many string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, plural(n, one, many)))
		}
	}
	add(a.Fills, "fill", "fills")
	add(a.Cash, "cash transaction", "cash transactions")
	add(a.Closed, "trade closed", "trades closed")
	if a.Closed > 0 {
		sign := ""
		if a.NetPnL.Sign() > 0 {
			sign = "+"
		}
		parts = append(parts, sign+a.NetPnL.String()+" "+a.Currency)
	}
	add(a.Unreviewed, "needs review", "need review")
	return strings.Join(parts, ", ") + "."
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// readQuarantines returns a notice for each hook that received something it could not
// store.
func readQuarantines(ctx context.Context, tx *db.Tx, owner journal.UserID, since time.Time) (list []Notice, err error) {
	refused, err := hooks.ListRefused(ctx, tx, owner, since)
	for _, r := range refused {
		list = append(list, Notice{
			At: r.At, Kind: Problem, Source: r.Name, Link: "/connections", about: subject{alerts.ImportFailed, string(r.Hook)},
			Text: fmt.Sprintf("%d %s not stored. Open Connections to see why.", r.Count, plural(r.Count, "fill was", "fills were")),
		})
	}
	return list, err
}

// readConnections returns a notice for each stopped connection, and for each whose broker
// no longer reports some fills.
func readConnections(ctx context.Context, tx *db.Tx, owner journal.UserID, since time.Time) (list []Notice, err error) {
	stored, err := connections.ListStored(ctx, tx, owner)
	if err != nil || len(stored) == 0 {
		return nil, err
	}
	missing, err := connections.ListMissing(ctx, tx, owner, since)
	for _, c := range stored {
		if m, ok := missing[c.ID]; ok {
			text := fmt.Sprintf("%d %s no longer reported by the broker. %s.", m.Count, plural(m.Count, "fill is", "fills are"),
				plural(m.Count, "It stays; the list of runs names it", "They stay; the list of runs names them"))
			list = append(list, Notice{
				At: m.At, Kind: Problem, Source: c.Name, Text: text, Link: "/connections", about: subject{alerts.MissingFills, string(c.ID)},
			})
		}
		at := *cmp.Or(c.LastRunAt, &c.UpdatedAt)
		hasStopped := c.Status == connections.StatusAttention || c.Status == connections.StatusFailed
		if hasStopped && at.After(since) {
			kind := alerts.ImportFailed
			if c.Status == connections.StatusAttention {
				kind = alerts.NeedsAttention
			}
			list = append(list, Notice{
				At: at, Kind: Problem, Source: c.Name, Text: c.Message, Link: "/connections", about: subject{kind, string(c.ID)},
			})
		}
	}
	return list, err
}

// readBarSources returns a notice for each stopped price provider. They are the user's,
// so a token limited to accounts does not see them.
func readBarSources(ctx context.Context, tx *db.Tx, owner journal.UserID, since time.Time) (list []Notice, err error) {
	if _, limited := journal.AllowedAccounts(ctx); limited {
		return nil, nil
	}
	sources, err := barfetch.ListSources(ctx, tx, owner)
	for _, source := range sources {
		at := *cmp.Or(source.LastRunAt, &source.UpdatedAt)
		hasStopped := source.Status == barfetch.StatusAttention || source.Status == barfetch.StatusFailed
		if hasStopped && at.After(since) {
			list = append(list, Notice{At: at, Kind: Problem, Source: source.Provider, Text: source.Message, Link: "/prices"})
		}
	}
	return list, err
}
