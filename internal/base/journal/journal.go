// Package journal defines what all other packages share: typed ids, the error type for
// users, instants and calendar days, the query scope (accounts and period) and the rules
// for texts from users.
//
// It has no I/O, no database and no HTTP. The program gets the time from a [Clock] and
// ids from [NewID], so tests can control the time.
package journal

import "github.com/google/uuid"

// UserID is a user's number, which identifies the user in every table. It is never
// reused. Clients do not see it; see [PublicID].
type UserID int64

// Each record kind has its own id type, so swapped arguments do not compile. All of them
// are opaque strings to clients.
type (
	// PublicID names a person who signs in, outside the database: in the API, in tokens
	// and in attachment paths.
	PublicID string
	// SessionID names one signed-in device, which is one refresh family.
	SessionID string
	// TokenID names a personal access token, not its secret.
	TokenID string
	// AccountID names a trading account.
	AccountID string
	// ExecutionID names a fill.
	ExecutionID string
	// TradeID names a round trip; it survives regrouping.
	TradeID string
	// CashID names a cash transaction.
	CashID string
	// NoteID names a note, daily log or weekly review.
	NoteID string
	// TagID names a tag.
	TagID string
	// SetupID names a playbook setup.
	SetupID string
	// AttachmentID names a stored image or PDF.
	AttachmentID string
	// MissedID names a missed trade.
	MissedID string
	// RoutineID names a daily routine item.
	RoutineID string
	// BatchID names an import.
	BatchID string
	// WordKindID identifies a user's kind for a word in files.
	WordKindID string
	// ActionID names a corporate action.
	ActionID string
	// NoteTemplateID names a note template.
	NoteTemplateID string
	// ChangeID names a change of the history.
	ChangeID string
	// TradingRuleID names a trading rule.
	TradingRuleID string
	// GoalID names a goal.
	GoalID string
	// AlertID names an alert.
	AlertID string
	// ChannelID names a channel, and DeliveryID what is sent by one.
	ChannelID  string
	DeliveryID string
	// RateID names a typed exchange rate.
	RateID string
	// ProgramID names a prop firm program: a built-in one by a word, the others by a UUID.
	ProgramID string
	// EnrollmentID names an account's enrollment in a program.
	EnrollmentID string
	// ViewID names a saved view.
	ViewID string
	// StrategyID names a set of trades that were one decision.
	StrategyID string
	// SeriesID names a price bar series.
	SeriesID string
	// BarImportID names a price bar import.
	BarImportID string
	// BarAliasID names an alias: a symbol using another symbol's bars.
	BarAliasID string
	// BarSourceID names a user's price provider.
	BarSourceID string
	// BarRunID names a run for such a source.
	BarRunID string
	// ConnectionID names a connection to a broker.
	ConnectionID string
	// ConnectionRunID names a connection run.
	ConnectionRunID string
	// ShareID names a public link, not its token.
	ShareID string
	// HookID names a hook, not its secret.
	HookID string
	// QuarantineID names a fill a hook received and could not store.
	QuarantineID string
)

// NewID returns a new id, sorted by creation time (UUIDv7), so new rows are appended to
// an index instead of scattered over it.
func NewID[T ~string]() T {
	return T(uuid.Must(uuid.NewV7()).String())
}
