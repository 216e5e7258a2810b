// Package journal holds the words that every other package of Fillbook
// shares: typed ids, the one error type that may reach a user, instants and
// calendar days, the scope of a question (which accounts, which period) and
// the rules for texts a person types.
//
// It does no I/O and knows no database and no HTTP. Time enters the program
// through a [Clock] and ids through [NewID], so that a test can hold both in
// its hands.
package journal

import "github.com/google/uuid"

// Each kind of record has an id type of its own, so that a swapped argument
// does not compile. All of them are opaque strings to clients.
type (
	// UserID names a person who signs in.
	UserID string
	// SessionID names one signed-in device, that is one refresh family.
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
	// SetupID names a setup of the playbook.
	SetupID string
	// AttachmentID names a stored image or PDF.
	AttachmentID string
	// MissedID names a missed trade.
	MissedID string
	// RoutineID names an item of the daily routine.
	RoutineID string
	// BatchID names an import.
	BatchID string
	// ShareID names a public link, not its token.
	ShareID string
)

// NewID makes an id that sorts by the time it was made (UUIDv7), so that
// new rows are appended to an index instead of being scattered over it.
func NewID[T ~string]() T {
	return T(uuid.Must(uuid.NewV7()).String())
}
