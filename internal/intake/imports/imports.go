// Package imports takes files in: from uploaded bytes to fills, cash and annotations in
// the journal, and back out again.
//
// Reading is a sequence of pure stages: bytes become tables (package tabular), a preset
// or a mapping reads them (packages brokers and statement), and the result is a plan: new
// rows, stored rows, and unreadable rows. These stages write nothing. A commit then
// stores the plan in one transaction, including the regrouping, so a crash leaves all or
// nothing.
//
// An import is stored as a batch. It is pending until its rows are written; the rows and
// the status committed are written together, so the status is always correct. After a
// broken connection or a crash the client sends the same file to the same batch again.
//
// Reversing a batch takes its fills and cash out and leaves the trader's annotations:
// those on vanished trades wait for their fills to come back.
package imports

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/fairqueue"
	"fillbook/internal/base/journal"
	"fillbook/internal/intake/brokers"
	"fillbook/internal/intake/statement"
	"fillbook/internal/people/identity"
	"fillbook/internal/trading/ledger"
)

// The audit actions in this package.
const (
	ActionCommit  identity.Action = "import_commit"
	ActionReverse identity.Action = "import_reverse"
)

// Options are the service's dependencies.
type Options struct {
	DB     *db.DB
	Ledger *ledger.Service
	Clock  journal.Clock
	Log    *slog.Logger
	// BeforeLarge is called before a large file is processed, and the returned function
	// afterwards. It may be nil.
	BeforeLarge func() (after func())
	Backups     Backups
	// Reversed is called in the transaction that reverses a batch; it may be nil.
	Reversed func(ctx context.Context, tx *db.Tx, b Batch) error
	// Failed is called in the transaction that marks a batch as failed; it may be nil.
	Failed func(ctx context.Context, tx *db.Tx, b Batch) error
	// Covered returns what connections have brought; it may be nil.
	Covered CoveredFunc
}

// Service imports files. It is safe for concurrent use.
type Service struct {
	choices
	ledger      *ledger.Service
	backups     Backups
	log         *slog.Logger
	presets     *statement.Detector
	reading     *fairqueue.Queue
	running     *running
	beforeLarge func() (after func())
	reversed    func(ctx context.Context, tx *db.Tx, b Batch) error
	failed      func(ctx context.Context, tx *db.Tx, b Batch) error
	covered     CoveredFunc
	// readTime bounds reading one file.
	readTime time.Duration
}

// choices stores users' choices for the layouts and words in their files.
type choices struct {
	db    *db.DB
	clock journal.Clock
}

// New returns a Service.
func New(o Options) *Service {
	return &Service{
		choices: choices{db: o.DB, clock: o.Clock}, ledger: o.Ledger, backups: o.Backups, log: o.Log,
		presets: statement.NewDetector(brokers.All()), reading: newReadingQueue(), running: newRunning(), readTime: usualReadTime,
		beforeLarge: o.BeforeLarge, reversed: o.Reversed, failed: o.Failed, covered: o.Covered,
	}
}

// largeRows is the number of rows above which a file is large.
const largeRows = 20_000

// startLarge calls beforeLarge for a large file. It returns a function to call
// after processing it.
func (s *Service) startLarge(rows int) (end func()) {
	if rows <= largeRows || s.beforeLarge == nil {
		return func() {}
	}
	return s.beforeLarge()
}

const (
	// readers is how many files, from different users, are read at once. Reading takes
	// processor time and memory.
	readers = 2
	// maxWaiting is how many files one user may have waiting, and patience how long.
	maxWaiting = 50
	patience   = 30 * time.Second
	// usualReadTime is how long reading one file may take. The largest allowed file takes
	// a few seconds.
	usualReadTime = 30 * time.Second
	// commitTime bounds a commit, which continues after its client disconnects.
	commitTime = 10 * time.Minute
)

// Actor is who imports, for the audit.
type Actor struct {
	identity.Principal
	Client identity.Client
}

// newReadingQueue returns the queue for files to read. One user has at most one place, so
// no user takes them all.
func newReadingQueue() *fairqueue.Queue {
	return fairqueue.New(fairqueue.Options{MaxActive: readers, MaxPerKey: 1, MaxWaiting: maxWaiting, MaxWait: patience})
}

// waitForSlot waits until the user's file can be read.
func (s *Service) waitForSlot(ctx context.Context, owner journal.UserID) (release func(), err error) {
	release, err = s.reading.Acquire(ctx, strconv.FormatInt(int64(owner), 10))
	if errors.Is(err, fairqueue.ErrBusy) {
		return nil, &journal.Error{
			Kind: journal.KindUnavailable, Code: "unavailable", RetryAfter: patience, Err: err,
			Message: "Other files are being read. Try again in a moment.",
		}
	}
	return release, err
}

func (s *Service) audit(ctx context.Context, tx *db.Tx, by Actor, action identity.Action, batch journal.BatchID) error {
	return identity.RecordAudit(ctx, tx, identity.NewAuditEvent(s.clock(), by.Principal, by.Client, action, string(batch)))
}
