// Package installation connects the domains of one installation: playbook annotations
// follow the ledger's trades, the ledger verifies the playbook's references, and the
// routine reads the playbook's daily logs.
//
// The domains do not import each other; they accept functions for what they need, and
// this package provides them. The server, the commands, the demo and the HTTP API tests
// all get their services here, so all are connected in the same way.
package installation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"

	"fillbook/internal/backup"
	"fillbook/internal/base/db"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/outbound"
	"fillbook/internal/base/secrets"
	"fillbook/internal/demo"
	"fillbook/internal/figures/columns"
	"fillbook/internal/figures/excursions"
	"fillbook/internal/figures/sharing"
	"fillbook/internal/figures/tradeview"
	"fillbook/internal/installation/alerts"
	"fillbook/internal/installation/notices"
	"fillbook/internal/intake/channels"
	"fillbook/internal/intake/connections"
	"fillbook/internal/intake/connector"
	"fillbook/internal/intake/hooks"
	"fillbook/internal/intake/imports"
	"fillbook/internal/intake/jobs"
	"fillbook/internal/intake/layouts"
	"fillbook/internal/people/identity"
	"fillbook/internal/prices/barfetch"
	"fillbook/internal/prices/barimport"
	"fillbook/internal/prices/bars"
	"fillbook/internal/prices/barsource"
	"fillbook/internal/prices/rates"
	"fillbook/internal/trading/enrollments"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/playbook"
	"fillbook/internal/trading/routine"
	"fillbook/internal/trading/rulebook"
	"fillbook/internal/trading/settings"
	"fillbook/internal/trading/strategybook"
	"fillbook/internal/trading/views"
)

// Options are an installation's settings.
type Options struct {
	DB    *db.DB
	Keys  *secrets.Keys
	Clock journal.Clock
	Log   *slog.Logger
	// Attachments is the attachment directory; if empty, attachments are stored in the
	// database, which several servers on one PostgreSQL need.
	Attachments        string
	AttachmentMaxBytes int64
	// FiguresMemory limits the bytes cached for figures; 0 means the default.
	FiguresMemory int
	// FiguresDir is the directory for stored columns; see [columns.New].
	FiguresDir string
	// BeforeLargeImport is called before a large import; see [imports.Options]. It
	// may be nil.
	BeforeLargeImport func() (after func())
	// BarsPerUser is how many price bars one user may store; 0 means the default.
	BarsPerUser int64
	// Outbound sends requests to providers; nil sends none.
	Outbound *outbound.Network
	// BarProviders are the price providers; nil means [BarProviders].
	BarProviders []barsource.Provider
	// Connectors are the broker clients; nil means [Connectors].
	Connectors []connector.Connector
	// ObserveRun is called after each connection run; it may be nil.
	ObserveRun func(connections.Observation)
	// PublicURL is the address of the page, for links; empty if it is not known.
	PublicURL string
	// UndoDays is how many days deleted content is kept for an undo; nil means the default.
	UndoDays *int
	Identity identity.Options
}

// Installation contains all services in one installation.
type Installation struct {
	DB       *db.DB
	Keys     *secrets.Keys
	Clock    journal.Clock
	Log      *slog.Logger
	History  *history.Service
	Identity *identity.Service
	Ledger   *ledger.Service
	Playbook *playbook.Service
	Routine  *routine.Service
	Imports  *imports.Service
	Figures  *columns.Service
	Sharing  *sharing.Service
	Hooks    *hooks.Service
	Notices  *notices.Service
	// Alerts evaluates the journal and stores what needs attention.
	Alerts *alerts.Service
	// Channels sends events to addresses of users.
	Channels *channels.Service
	Trades   *tradeview.Service
	Views    *views.Service
	// Strategies computes and stores strategies of trades.
	Strategies *strategybook.Service
	// Enrollments evaluates accounts in prop firm programs.
	Enrollments *enrollments.Service
	Rulebook    *rulebook.Service
	Settings    *settings.Service
	Bars        *bars.Service
	// BarImports imports bar files.
	BarImports *barimport.Service
	// BarSources fetches bars from providers.
	BarSources *barfetch.Service
	// Connections fetches fills and cash from brokers.
	Connections *connections.Service
	// Jobs runs work in the background.
	Jobs *jobs.Queue
	// Excursions computes what the price did during trades.
	Excursions *excursions.Service
	// Rates reads exchange rates and stores typed ones.
	Rates *rates.Service
	// Outbound sends requests to other servers; nil sends none.
	Outbound *outbound.Network

	files *playbook.Files
}

// New creates and connects the services.
func New(options Options) (*Installation, error) {
	i := &Installation{DB: options.DB, Keys: options.Keys, Clock: options.Clock, Log: options.Log, Outbound: options.Outbound}
	if options.Attachments != "" {
		files, err := playbook.OpenFiles(options.Attachments)
		if err != nil {
			return nil, fmt.Errorf("opening the attachments: %w", err)
		}
		i.files = files
	}
	undoDays := history.DefaultUndoDays
	if options.UndoDays != nil {
		undoDays = *options.UndoDays
	}
	i.History = history.New(i.DB, i.Clock, undoDays, identity.PublicID)
	i.History.SetLabels("trade", ledger.LabelTrades)
	i.Identity = identity.New(i.DB, i.Keys, i.Clock, i.Log, options.Identity)
	i.Ledger = ledger.New(i.DB, i.Clock, i.updateAnnotations)
	i.Playbook = playbook.New(i.DB, i.Clock, playbook.Options{
		Known: playbook.Known{
			Account: ledger.CheckAccountOwner, Trade: ledger.LockTrade, Trades: ledger.LockTrades, InstrumentType: ledger.InstrumentType,
			AnnotationsChanged: ledger.TouchTrades, Unlinked: ledger.TouchAccount,
			TagReplaced: strategybook.ReplaceTag, SetupRemoved: strategybook.RemoveSetup,
			PublicID: identity.PublicID, UserNumber: identity.UserNumber,
		},
		Files: i.files, MaxFileBytes: options.AttachmentMaxBytes,
	})
	i.Routine = routine.New(i.DB, i.Clock, dailyLogs)
	i.Strategies = strategybook.New(i.DB, i.Clock)
	i.Figures = columns.New(i.DB, options.FiguresMemory, options.FiguresDir)
	i.Figures.UseStrategies(i.Strategies)
	i.Figures.SetClock(i.Clock)
	i.Trades = tradeview.New(i.DB, i.Ledger, i.Figures.RankTrades, i.Figures.CompleteTrades)
	i.Views = views.New(i.DB, i.Clock)
	i.Enrollments = enrollments.New(i.DB, i.Clock, excursions.LoadOpenProfit)
	i.Rulebook = rulebook.New(i.DB, i.Clock)
	i.Settings = settings.New(i.DB)
	barsLimit := cmp.Or(options.BarsPerUser, bars.DefaultLimit)
	i.Bars = bars.New(i.DB, i.Clock, barsLimit, barimport.FillsOf)
	i.BarImports = barimport.New(barimport.Options{DB: i.DB, Bars: i.Bars})
	i.Excursions = excursions.New(i.DB)
	i.Rates = rates.New(i.DB, i.Clock)
	i.Sharing = sharing.New(i.DB, i.Figures, i.Keys, i.Clock)
	i.Imports = imports.New(imports.Options{
		DB: i.DB, Ledger: i.Ledger, Clock: i.Clock, Log: i.Log, BeforeLarge: options.BeforeLargeImport,
		Backups:  backup.Uploads{Services: backup.Services{Ledger: i.Ledger, Clock: i.Clock, BarsLimit: barsLimit}, Files: i.Playbook},
		Reversed: acceptAgain, Covered: covered, Failed: i.announceFailure,
	})
	i.Hooks = hooks.New(i.DB, i.Imports, i.Clock)
	i.Alerts = alerts.New(alerts.Options{DB: i.DB, Clock: i.Clock, Log: i.Log, Figures: i.Figures, Enrollments: i.Enrollments, Sender: alertSender{i}, CheckChannels: channels.CheckIDs})
	i.History.OnChange(i.Alerts.Wake)
	i.Notices = notices.New(i.DB, i.Alerts)
	i.connectProviders(options)
	i.History.SetUndoers(i.undoers())
	return i, nil
}

// Close closes the attachment directory. The caller closes the database.
func (i *Installation) Close() error {
	if i.files == nil {
		return nil
	}
	return i.files.Close()
}

// Sweep deletes what is no longer needed: expired sessions, old audit events, files
// without an attachment, abandoned imports, old hook bodies, expired content of the history.
func (i *Installation) Sweep(ctx context.Context) error {
	kept := i.Playbook.DropKeptFiles(ctx, i.History.KeptSince())
	_, err := i.Playbook.SweepFiles(ctx)
	return errors.Join(kept, i.Identity.Sweep(ctx), i.Imports.Sweep(ctx), i.Hooks.Sweep(ctx), i.History.Sweep(ctx), i.Alerts.Sweep(ctx), i.Channels.Sweep(ctx), i.Figures.Sweep(i.Clock()), err)
}

// DeleteUser deletes a user with everything they own, including files.
func (i *Installation) DeleteUser(
	ctx context.Context, caller identity.Principal, client identity.Client, id journal.PublicID, check func(identity.User) error,
) error {
	if err := i.Identity.DeleteUser(ctx, caller, client, id, check, i.deleteLarge); err != nil {
		return err
	}
	if err := i.Playbook.RemoveFilesOf(id); err != nil {
		// The rows are deleted; the next sweep removes the files.
		i.Log.Warn("removing the files of a deleted user failed", "user", id, "error", err)
	}
	return nil
}

// deleteLarge deletes a user's potentially numerous records, and the accounts' stored
// columns after the commit. The user's foreign keys delete the rest.
func (i *Installation) deleteLarge(ctx context.Context, tx *db.Tx, owner journal.UserID) error {
	accounts, err := ledger.Accounts(ctx, tx, owner)
	if err != nil {
		return err
	}
	tx.AfterCommit(func() {
		for _, a := range accounts {
			i.Figures.Forget(a.ID)
		}
	})
	for _, deleteAll := range []func(context.Context, *db.Tx, journal.UserID) error{
		bars.DeleteAll, excursions.DeleteAll, playbook.DeleteAll, routine.DeleteAllTicks, ledger.EmptyAccounts,
	} {
		if err := deleteAll(ctx, tx, owner); err != nil {
			return err
		}
	}
	return nil
}

// updateAnnotations moves annotations with their trades' fills, and deletes a deleted
// account's share links and hooks.
func (i *Installation) updateAnnotations(ctx context.Context, tx *db.Tx, owner journal.UserID, change ledger.TradeChanges) error {
	if change.AccountDeleted {
		return i.forgetAccount(ctx, tx, owner, change.Account)
	}
	if change.AccountRestored != nil {
		return restoreAccount(ctx, change.AccountRestored, change.Account)
	}
	if len(change.Deleted) > 0 {
		if err := i.removeFilesAfterCommit(ctx, tx, owner)(playbook.ForgetTrades(ctx, tx, owner, i.Clock(), change.Account, change.Deleted)); err != nil {
			return err
		}
	}
	if len(change.Created)+len(change.Changed) > 0 {
		history.AddFact(tx, owner, channels.TradesChanged{
			Account: change.Account, Created: change.Created, Changed: change.Changed, Closed: change.Closed,
		})
	}
	joined, err := newJoinedTrades(ctx, tx, owner, change)
	if err != nil {
		return err
	}
	if err := bars.ForgetMarks(ctx, tx, owner, change.Account, change.Removed); err != nil {
		return err
	}
	regrouping := toRegrouping(change)
	if err := joined.addTo(ctx, tx, owner, &regrouping); err != nil {
		return err
	}
	if err := playbook.MoveAnnotations(ctx, tx, owner, i.Clock(), regrouping); err != nil {
		return err
	}
	if len(change.Removed) > 0 {
		if err := i.History.FindLabels(ctx, tx); err != nil {
			return err
		}
	}
	return joined.save()
}

// forgetAccount deletes what other domains have of an account that is deleted, and keeps it
// for an undo.
func (i *Installation) forgetAccount(ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID) error {
	tx.AfterCommit(func() { i.Figures.Forget(account) })
	deleted, err := ledger.ReadAccount(ctx, tx, owner, account)
	if err != nil {
		return err
	}
	samples, isDemo := demo.Samples(deleted)
	if isDemo {
		if err := playbook.ForgetSampleNotes(ctx, tx, owner, samples); err != nil {
			return err
		}
		if err := demo.ForgetBars(ctx, tx, owner); err != nil {
			return err
		}
	}
	for _, forget := range []func(context.Context, *db.Tx, journal.UserID, journal.AccountID) error{
		sharing.DeleteAccountLinks, connections.ForgetAccount, hooks.DeleteAccountHooks, layouts.ForgetAccount, enrollments.KeepAccount, alerts.ForgetAccount,
		strategybook.ForgetAccount, rulebook.ForgetAccount, excursions.ForgetAccount,
	} {
		if err := forget(ctx, tx, owner, account); err != nil {
			return err
		}
	}
	err = bars.ForgetAccountMarks(ctx, tx, owner, func(trades []journal.TradeID) ([]journal.TradeID, error) {
		return ledger.SelectTrades(ctx, tx, owner, account, trades)
	})
	if err != nil {
		return err
	}
	if err := i.removeFilesAfterCommit(ctx, tx, owner)(playbook.ForgetAccount(ctx, tx, owner, i.Clock(), account)); err != nil || !isDemo {
		return err
	}
	return playbook.ForgetSampleNames(ctx, tx, owner, samples)
}

// restoreAccount restores what forgetAccount deleted.
func restoreAccount(ctx context.Context, u *history.Undoing, account journal.AccountID) error {
	restored, err := ledger.ReadAccount(ctx, u.Tx, u.Owner, account)
	if err != nil {
		return err
	}
	if samples, isDemo := demo.Samples(restored); isDemo {
		if err := playbook.RestoreSamples(ctx, u, samples); err != nil {
			return err
		}
	}
	for _, restore := range []func(context.Context, *history.Undoing, journal.AccountID) error{
		playbook.RestoreAccount, strategybook.RestoreAccount, rulebook.RestoreAccount, bars.RestoreMarks, layouts.RestoreAccount, enrollments.RestoreAccount, alerts.RestoreAccount, hooks.RestoreAccount, connections.RestoreAccount, sharing.RestoreAccount,
	} {
		if err := restore(ctx, u, account); err != nil {
			return err
		}
	}
	return nil
}

// removeFilesAfterCommit returns a function removing the files of deleted attachments
// after the commit.
func (i *Installation) removeFilesAfterCommit(ctx context.Context, tx *db.Tx, owner journal.UserID) func([]journal.AttachmentID, error) error {
	return func(files []journal.AttachmentID, err error) error {
		if err == nil && len(files) > 0 {
			tx.AfterCommit(func() { i.Playbook.RemoveFiles(ctx, owner, files) })
		}
		return err
	}
}

// toRegrouping converts the ledger's changes to the playbook's types.
func toRegrouping(change ledger.TradeChanges) playbook.Regrouping {
	out := playbook.Regrouping{Account: change.Account, Arrived: toArrivals(change.Arrived), Restored: change.Restored}
	for _, m := range change.Merged {
		out.Merged = append(out.Merged, playbook.Merge(m))
	}
	for _, o := range change.Orphaned {
		out.Orphaned = append(out.Orphaned, playbook.Orphaned{
			Trade: o.Trade, Account: change.Account, FillKeys: o.FillKeys, Symbol: o.Symbol, OpenedAt: &o.OpenedAt, WasOrphan: o.WasOrphan,
		})
	}
	return out
}

func toArrivals(list iter.Seq[ledger.Arrival]) iter.Seq[playbook.Arrival] {
	if list == nil {
		return nil
	}
	return func(yield func(playbook.Arrival) bool) {
		for a := range list {
			if !yield(playbook.Arrival(a)) {
				return
			}
		}
	}
}

// dailyLogs visits the playbook's daily logs for the routine.
func dailyLogs(ctx context.Context, tx *db.Tx, owner journal.UserID, visit func(routine.DailyLog) error) error {
	logs := playbook.NoteFilter{Types: []playbook.NoteType{playbook.DailyLog}}
	return playbook.EachNote(ctx, tx, owner, logs, playbook.Page{}, func(note playbook.Note) error {
		return visit(routine.DailyLog{Day: note.OccurredAt.Day(), Body: note.Body})
	})
}
