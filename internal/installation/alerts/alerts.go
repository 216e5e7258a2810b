// Package alerts tells users what needs their attention: broken rules, limits that come
// near, goals, failed imports.
//
// Facts are found by pure functions of the journal, after each write and on a schedule,
// and become alerts once: an alert's key has its kind, its subject, and its day or level,
// and is unique in the database.
package alerts

import (
	"context"
	"log/slog"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/figures/columns"
	"fillbook/internal/trading/enrollments"
)

// Kind is what an alert is about.
type Kind string

// The kinds.
const (
	RuleBroken       Kind = "rule_broken"
	DailyLoss        Kind = "daily_loss"
	LossStreak       Kind = "loss_streak"
	ProgramWarning   Kind = "program_warning"
	ProgramBreached  Kind = "program_breached"
	TargetReached    Kind = "target_reached"
	PayoutReady      Kind = "payout_ready"
	GoalBehind       Kind = "goal_behind"
	GoalReached      Kind = "goal_reached"
	Unreviewed       Kind = "unreviewed"
	ImportFailed     Kind = "import_failed"
	ImportSummary    Kind = "import_summary"
	NeedsAttention   Kind = "connection_needs_attention"
	MissingFills     Kind = "missing_fills"
	OptionExpires    Kind = "option_expires"
	BackupOld        Kind = "backup_old"
	SignedInNewAgent Kind = "signed_in_new_device"
)

// Kinds returns all kinds, in the order of the settings.
func Kinds() []Kind {
	return []Kind{
		RuleBroken, DailyLoss, LossStreak, ProgramWarning, ProgramBreached, TargetReached, PayoutReady, GoalBehind, GoalReached, Unreviewed,
		OptionExpires, ImportFailed, ImportSummary, NeedsAttention, MissingFills, BackupOld, SignedInNewAgent,
	}
}

// Severity is how urgent an alert is.
type Severity string

// The severities.
const (
	Info     Severity = "info"
	Warning  Severity = "warning"
	Critical Severity = "critical"
)

// Alert is a stored alert.
type Alert struct {
	ID   journal.AlertID
	Kind Kind
	// dedup identifies the fact among the owner's alerts.
	dedup    string
	Severity Severity
	// Title is a sentence without amounts.
	Title string
	// At is the instant of the fact, FiredAt when it was found.
	At, FiredAt  time.Time
	ReadAt       *time.Time
	SnoozedUntil *time.Time
	// Link is a path in the page.
	Link string
	// Account is the account of the fact, nil if it concerns none, or several of those that
	// its rule or goal names.
	Account    *journal.AccountID
	several    bool
	Rule       *journal.TradingRuleID
	Trade      *journal.TradeID
	Enrollment *journal.EnrollmentID
	Goal       *journal.GoalID
	// Batch is the import that brought the trade, or that failed.
	Batch *journal.BatchID
	// source is the connection, hook or session.
	source string
	Day    journal.Day
	Level  string
	// Counts are the facts behind an import_summary.
	Counts []Count
}

// Count is how many facts of a kind an import brought.
type Count struct {
	Kind  Kind `json:"kind"`
	Count int  `json:"count"`
}

// SourceID returns the id of the connection or hook that an alert is about, or "".
func (a *Alert) SourceID() string { return a.source }

// IsUnread reports whether an alert waits for its reader at an instant.
func (a *Alert) IsUnread(now time.Time) bool {
	return a.ReadAt == nil && (a.SnoozedUntil == nil || !a.SnoozedUntil.After(now))
}

// Sender sends an alert to the user's channels. It is a step of the transaction that
// stores the alert: nothing may be sent before the commit.
type Sender interface {
	SendAlert(ctx context.Context, tx *db.Tx, owner journal.UserID, alert *Alert, settings Settings) error
}

// Options are what a [Service] needs.
type Options struct {
	DB          *db.DB
	Clock       journal.Clock
	Log         *slog.Logger
	Figures     *columns.Service
	Enrollments *enrollments.Service
	// Sender may be nil.
	Sender Sender
	// CheckChannels returns an error if an id is not one of the owner's channels. It is a
	// step. Nil knows no channels.
	CheckChannels func(ctx context.Context, tx *db.Tx, owner journal.UserID, ids []string) error
}

// Service stores and evaluates alerts. It is safe for concurrent use.
type Service struct {
	Options
	wake chan struct{}
}

// New returns a Service.
func New(options Options) *Service {
	return &Service{Options: options, wake: make(chan struct{}, 1)}
}
