// Package installation ties the domains of one installation together: what the
// ledger does to trades, the playbook's annotations follow; what the playbook refers
// to, the ledger knows; what the trader logged before, the routine finds.
//
// The domains do not know each other (they take what they need as functions);
// this is the one place that knows them all. The server, the command line, the
// demo and the tests of the HTTP API all get their services here, so that none
// of them can be wired differently.
package installation

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"fillbook/internal/db"
	"fillbook/internal/figures"
	"fillbook/internal/identity"
	"fillbook/internal/imports"
	"fillbook/internal/journal"
	"fillbook/internal/ledger"
	"fillbook/internal/playbook"
	"fillbook/internal/routine"
	"fillbook/internal/secrets"
	"fillbook/internal/sharing"
	"fillbook/internal/tradeview"
)

// Options are the settings of an installation.
type Options struct {
	DB    *db.DB
	Keys  *secrets.Keys
	Clock journal.Clock
	Log   *slog.Logger
	// Attachments is the directory of attached files; empty keeps them in
	// the database, which is what several servers on one PostgreSQL need.
	Attachments        string
	AttachmentMaxBytes int64
	// FiguresMemory bounds the bytes of trades that are kept for figures; 0
	// means the default.
	FiguresMemory int
	// BeforeLargeImport is called before a large import; see [imports.Options]. It
	// may be nil.
	BeforeLargeImport func() (after func())
	Identity          identity.Options
}

// Installation is every service of one Fillbook.
type Installation struct {
	DB       *db.DB
	Keys     *secrets.Keys
	Clock    journal.Clock
	Log      *slog.Logger
	Identity *identity.Service
	Ledger   *ledger.Service
	Playbook *playbook.Service
	Routine  *routine.Service
	Imports  *imports.Service
	Figures  *figures.Service
	Sharing  *sharing.Service
	Trades   *tradeview.Service

	files *playbook.Files
}

// New makes the services and ties them together.
func New(options Options) (*Installation, error) {
	i := &Installation{DB: options.DB, Keys: options.Keys, Clock: options.Clock, Log: options.Log}
	if options.Attachments != "" {
		files, err := playbook.OpenFiles(options.Attachments)
		if err != nil {
			return nil, fmt.Errorf("opening the attachments: %w", err)
		}
		i.files = files
	}
	i.Identity = identity.New(i.DB, i.Keys, i.Clock, i.Log, options.Identity)
	i.Ledger = ledger.New(i.DB, i.Clock, i.follow)
	i.Playbook = playbook.New(i.DB, i.Clock, playbook.Options{
		Known: playbook.Known{
			Account: ledger.CheckAccountOwner, Trade: ledger.LockTrade, Trades: ledger.LockTrades, InstrumentType: ledger.InstrumentType,
			AnnotationsChanged: ledger.TouchTrades, Unlinked: ledger.TouchAccount,
		},
		Files: i.files, MaxFileBytes: options.AttachmentMaxBytes,
	})
	i.Routine = routine.New(i.DB, i.Clock, dailyLogs)
	i.Figures = figures.New(i.DB, options.FiguresMemory)
	i.Trades = tradeview.New(i.DB, i.Ledger)
	i.Sharing = sharing.New(i.DB, i.Figures, i.Keys, i.Clock)
	i.Imports = imports.New(imports.Options{
		DB: i.DB, Ledger: i.Ledger, Files: i.Playbook, Clock: i.Clock, Log: i.Log, BeforeLarge: options.BeforeLargeImport,
	})
	return i, nil
}

// Close ends the use of the attachments' directory; the database is the
// caller's.
func (i *Installation) Close() error {
	if i.files == nil {
		return nil
	}
	return i.files.Close()
}

// Sweep forgets what no longer serves: ended sessions, old audit rows, files
// that no attachment names, imports that nobody came back to finish.
func (i *Installation) Sweep(ctx context.Context) error {
	_, err := i.Playbook.SweepFiles(ctx)
	return errors.Join(i.Identity.Sweep(ctx), i.Imports.Sweep(ctx), err)
}

// DeleteUser removes a user with everything the user owns, files included.
func (i *Installation) DeleteUser(
	ctx context.Context, caller identity.Principal, client identity.Client, id journal.UserID, check func(identity.User) error,
) error {
	if err := i.Identity.DeleteUser(ctx, caller, client, id, check, ledger.EmptyAccounts); err != nil {
		return err
	}
	if err := i.Playbook.RemoveFilesOf(id); err != nil {
		// The rows are gone; the sweep finds the files.
		i.Log.Warn("the files of a deleted user could not be removed", "user", id, "error", err)
	}
	return nil
}

// follow lets what was written on trades go where their fills go, and ends the
// links to an account that goes.
func (i *Installation) follow(ctx context.Context, tx *db.Tx, owner journal.UserID, change ledger.TradeChanges) error {
	if change.AccountDeleted {
		if err := sharing.DeleteAccountLinks(ctx, tx, owner, change.Account); err != nil {
			return err
		}
		return i.forget(tx, owner)(playbook.ForgetAccount(ctx, tx, owner, change.Account))
	}
	if len(change.Deleted) > 0 {
		if err := i.forget(tx, owner)(playbook.ForgetTrades(ctx, tx, owner, change.Deleted)); err != nil {
			return err
		}
	}
	return playbook.MoveAnnotations(ctx, tx, owner, i.Clock(), regrouping(change))
}

// forget removes the files of attachments that are gone, once they really are.
func (i *Installation) forget(tx *db.Tx, owner journal.UserID) func([]journal.AttachmentID, error) error {
	return func(files []journal.AttachmentID, err error) error {
		if err == nil && len(files) > 0 {
			tx.AfterCommit(func() { i.Playbook.RemoveFiles(owner, files) })
		}
		return err
	}
}

// regrouping says in the playbook's words what the ledger did.
func regrouping(change ledger.TradeChanges) playbook.Regrouping {
	var out playbook.Regrouping
	for _, m := range change.Merged {
		out.Merged = append(out.Merged, playbook.Merge(m))
	}
	for _, o := range change.Orphaned {
		out.Orphaned = append(out.Orphaned, playbook.Orphaned{
			Trade: o.Trade, Account: change.Account, FillKeys: o.FillKeys, Symbol: o.Symbol, OpenedAt: &o.OpenedAt,
		})
	}
	for _, a := range change.Arrived {
		out.Arrived = append(out.Arrived, playbook.Arrival{Trade: a.Trade, Account: change.Account, FillKeys: a.FillKeys})
	}
	return out
}

// dailyLogs hands the playbook's daily logs to the routine.
func dailyLogs(ctx context.Context, tx *db.Tx, owner journal.UserID, visit func(routine.DailyLog) error) error {
	logs := playbook.NoteFilter{Types: []playbook.NoteType{playbook.DailyLog}}
	return playbook.EachNote(ctx, tx, owner, logs, playbook.Page{}, func(note playbook.Note) error {
		return visit(routine.DailyLog{Day: note.OccurredAt.Day(), Body: note.Body})
	})
}
