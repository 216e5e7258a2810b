// Package journal defines what all other packages of Fillbook
// share: typed ids, the error type that may be shown to users, instants
// and calendar days, the scope of a query (accounts and period) and the
// rules for texts that users type.
//
// It has no I/O, no database and no HTTP. The program gets the
// time from a [Clock] and ids from [NewID], so that tests can control
// the time.
package journal

import "github.com/google/uuid"

// UserID is the number of a user, which identifies the user in every table. It
// is never used for another user. Clients do not see it; see [PublicID].
type UserID int64

// Each kind of record has its own id type, so that swapped arguments
// do not compile. All of them are opaque strings to clients.
type (
	// PublicID names a person who signs in, outside of the database: in the API,
	// in tokens and in the paths of attachments.
	PublicID string
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
	// WordKindID identifies the kind that a user chose for a word of a file.
	WordKindID string
	// NoteTemplateID names a template of notes.
	NoteTemplateID string
	// ViewID names a saved view.
	ViewID string
	// SeriesID names a series of price bars.
	SeriesID string
	// BarImportID names an import of price bars.
	BarImportID string
	// BarAliasID names an alias: the symbol of the bars of another symbol.
	BarAliasID string
	// BarSourceID names a provider that a user fetches price bars from.
	BarSourceID string
	// BarRunID names a run of such a source.
	BarRunID string
	// ConnectionID names a connection to a broker.
	ConnectionID string
	// ConnectionRunID names a run of a connection.
	ConnectionRunID string
	// ShareID names a public link, not its token.
	ShareID string
	// HookID names a hook, not its secret.
	HookID string
	// QuarantineID names a fill that a hook received and could not store.
	QuarantineID string
)

// NewID returns a new id that sorts by time of creation (UUIDv7), so
// that new rows are appended to an index instead of scattered over it.
func NewID[T ~string]() T {
	return T(uuid.Must(uuid.NewV7()).String())
}
