package installation

import (
	"context"
	"slices"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/outbound"
	"fillbook/internal/intake/connections"
	"fillbook/internal/intake/connector"
	"fillbook/internal/intake/hooks"
	"fillbook/internal/intake/imports"
	"fillbook/internal/intake/jobs"
	"fillbook/internal/intake/statement"
	"fillbook/internal/prices/barfetch"
	"fillbook/internal/prices/barsource"
	"fillbook/internal/prices/barsource/alpaca"
	"fillbook/internal/prices/barsource/binance"
	"fillbook/internal/prices/barsource/bybit"
	"fillbook/internal/prices/barsource/databento"
	"fillbook/internal/prices/barsource/frankfurter"
	"fillbook/internal/prices/barsource/hyperliquid"
	"fillbook/internal/prices/barsource/oanda"
	"fillbook/internal/prices/barsource/twelvedata"
	fromalpaca "fillbook/internal/providers/alpaca"
	frombinance "fillbook/internal/providers/binance"
	frombinanceusdm "fillbook/internal/providers/binanceusdm"
	frombybit "fillbook/internal/providers/bybit"
	fromcoinbase "fillbook/internal/providers/coinbase"
	fromderibit "fillbook/internal/providers/deribit"
	fromhyperliquid "fillbook/internal/providers/hyperliquid"
	fromibkrflex "fillbook/internal/providers/ibkrflex"
	fromkraken "fillbook/internal/providers/kraken"
	fromkrakenfutures "fillbook/internal/providers/krakenfutures"
	fromoanda "fillbook/internal/providers/oanda"
	fromokx "fillbook/internal/providers/okx"
	fromprojectx "fillbook/internal/providers/projectx"
	fromquestrade "fillbook/internal/providers/questrade"
	fromtrading212 "fillbook/internal/providers/trading212"
	"fillbook/internal/trading/ledger"
)

// BarProviders returns the price providers, ordered by name.
func BarProviders() []barsource.Provider {
	return []barsource.Provider{
		alpaca.New(), binance.New(), bybit.New(), databento.New(), frankfurter.New(), hyperliquid.New(), oanda.New(), twelvedata.New(),
	}
}

// Connectors returns the broker clients, ordered by name.
func Connectors() []connector.Connector {
	return []connector.Connector{
		fromalpaca.New(),
		frombinance.New(),
		frombinanceusdm.New(),
		frombybit.New(),
		fromcoinbase.New(),
		fromderibit.New(),
		fromhyperliquid.New(),
		fromibkrflex.New(),
		fromkraken.New(),
		fromkrakenfutures.New(),
		fromoanda.New(),
		fromokx.New(),
		fromprojectx.New(),
		fromquestrade.New(),
		fromtrading212.New(),
	}
}

// OutboundNames returns the names for which an operator can set another address. One
// address serves a name's prices and fills.
func OutboundNames() (names []string) {
	for _, p := range BarProviders() {
		names = append(names, p.Describe().Name)
	}
	for _, c := range Connectors() {
		names = append(names, c.Describe().Name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// connectProviders creates what sends requests to providers: the services and their job
// queue.
func (i *Installation) connectProviders(options Options) {
	network, providers, connectors := options.Outbound, options.BarProviders, options.Connectors
	if network == nil {
		network = outbound.New(outbound.Options{})
	}
	if providers == nil {
		providers = BarProviders()
	}
	if connectors == nil {
		connectors = Connectors()
	}
	i.BarSources = barfetch.New(barfetch.Options{
		DB: i.DB, Bars: i.Bars, Keys: i.Keys, Clock: i.Clock, Log: i.Log, Network: network, Providers: providers,
		Wake: func() { i.Jobs.Wake() },
	})
	i.Connections = connections.New(connections.Options{
		DB: i.DB, Imports: importer{i.Imports}, Keys: i.Keys, Clock: i.Clock, Log: i.Log, Network: network, Connectors: connectors,
		Observe: options.ObserveRun, Wake: func() { i.Jobs.Wake() },
	})
	i.Jobs = jobs.New(i.DB, i.Clock, i.Log, map[string]jobs.Handler{
		barfetch.JobKind: i.BarSources, connections.JobKind: i.Connections,
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
