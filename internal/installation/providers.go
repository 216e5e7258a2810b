package installation

import (
	"context"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/outbound"
	"fillbook/internal/intake/channels"
	"fillbook/internal/intake/connections"
	"fillbook/internal/intake/fetch"
	"fillbook/internal/intake/hooks"
	"fillbook/internal/intake/imports"
	"fillbook/internal/intake/jobs"
	"fillbook/internal/intake/statement"
	"fillbook/internal/prices/barfetch"
	"fillbook/internal/providers"
	"fillbook/internal/trading/ledger"
)

// connectProviders creates what sends requests to providers: the services and their job
// queue.
func (i *Installation) connectProviders(options Options) {
	network, barProviders, connectors := options.Outbound, options.BarProviders, options.Connectors
	if network == nil {
		network = outbound.New(outbound.Options{})
	}
	if barProviders == nil {
		barProviders = providers.Bars()
	}
	if connectors == nil {
		connectors = providers.Fills()
	}
	common := fetch.Options{DB: i.DB, Keys: i.Keys, Clock: i.Clock, Log: i.Log, Network: network, Wake: func() { i.Jobs.Wake() }}
	i.BarSources = barfetch.New(barfetch.Options{Options: common, Bars: i.Bars, Providers: barProviders})
	i.Connections = connections.New(connections.Options{
		Options: common, Imports: importer{i.Imports}, Connectors: connectors, Observe: options.ObserveRun, NeedsAttention: i.announceAttention,
	})
	i.connectChannels(network, options.PublicURL)
	i.Jobs = jobs.New(i.DB, i.Clock, i.Log, map[string]jobs.Handler{
		barfetch.JobKind: i.BarSources, connections.JobKind: i.Connections,
		channels.JobKind: i.Channels, channels.DayJobKind: i.Channels.Days(),
	})
}

// acceptAgain lets a reversed import arrive again: its connection fetches the time again,
// and its hook accepts the same bodies.
func acceptAgain(ctx context.Context, tx *db.Tx, b imports.Batch) error {
	switch b.Origin {
	case imports.FromConnection:
		return connections.MoveBack(ctx, tx, b.UserID, journal.ConnectionID(b.OriginID), b.ID)
	case imports.FromHook:
		return hooks.ForgetBodies(ctx, tx, b.UserID, journal.HookID(b.OriginID), b.CreatedAt)
	case imports.FromUpload, imports.FromWatch, imports.FromCLI:
	}
	return nil
}

// covered returns what connections have brought into an account.
func covered(ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID) (list []imports.Covered, err error) {
	stored, err := connections.ListOfAccount(ctx, tx, owner, account)
	for _, c := range stored {
		if c.CoversTo != nil {
			list = append(list, imports.Covered{Name: c.Name, From: *c.CoversFrom, To: *c.CoversTo})
		}
	}
	return list, err
}

// importer imports what connections fetch.
type importer struct{ imports *imports.Service }

// Deliver implements [connections.Importer].
func (i importer) Deliver(ctx context.Context, tx *db.Tx, owner journal.UserID, d connections.Delivery) (connections.Delivered, error) {
	result, err := i.imports.Deliver(ctx, tx, owner, imports.Delivery{
		Account: d.Account, Origin: imports.FromConnection, OriginID: string(d.Connection), Batch: d.Batch, Statement: d.Statement,
		Withdrawn: d.Withdrawn, Replaced: d.Replaced,
	})
	return connections.Delivered{
		Batch: result.BatchID, Inserted: result.Inserted, Skipped: result.Skipped, Completed: result.Completed, Withdrawn: result.Withdrawn,
		CashInserted: result.CashInserted, Problems: result.ErrorCount,
	}, err
}

// ListIDs implements [connections.Importer].
func (i importer) ListIDs(
	ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID, of journal.ConnectionID, from, to time.Time,
) ([]string, error) {
	return ledger.ListSentIDs(ctx, tx, owner, account, imports.Sender(imports.FromConnection, string(of)), from, to)
}

// Read implements [connections.Importer].
func (i importer) Read(
	ctx context.Context, owner journal.UserID, account journal.AccountID, name string, data []byte,
) (*statement.Statement, error) {
	return i.imports.ReadDelivered(ctx, owner, account, name, data)
}
