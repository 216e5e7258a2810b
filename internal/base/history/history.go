// Package history records what a write changed: one change for each write, in the write's
// own transaction, with the values before and after. The changes of an account form a chain
// of hashes, and so do those without an account, so a change that is altered or removed
// later is noticed. docs/history.md describes the chain.
//
// A domain describes each record type once with [NewType] and calls [Type.Created],
// [Type.Updated] or [Type.Deleted] where it writes. The calls collect objects in the
// transaction; before the commit, [Service] writes the change with all of them. A write whose
// objects are all as before leaves no change. Without a Service, nothing is written.
package history

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"fillbook/internal/base/db"
	"fillbook/internal/base/fields"
	"fillbook/internal/base/journal"
)

// Service writes and reads the history of one installation. It is safe for concurrent use.
type Service struct {
	db    *db.DB
	clock journal.Clock
	// kept is how long removed content is kept.
	kept time.Duration
	// publicID is called for a user's first change.
	publicID PublicIDFunc
	// labels find the labels of objects that were recorded without one, by type.
	labels map[string]LabelFunc
	// undoers undo changes, by type; see SetUndoers.
	undoers []TypeUndoer
	// follow is called with changes; see SetFollower.
	follow Follower
	// changed is called after each change's commit.
	changed func()
}

// OnChange sets a function called after each change's commit. It must return at once, and be
// set before the first transaction.
func (s *Service) OnChange(fn func()) { s.changed = fn }

// DefaultUndoDays is how many days the content of deletions is kept, and MaxUndoDays the
// most that can be set.
const (
	DefaultUndoDays = 30
	MaxUndoDays     = 3650
)

// New returns a Service and makes all transactions of the database write their changes.
// undoDays is how many days the content of deletions is kept.
func New(d *db.DB, clock journal.Clock, undoDays int, publicID PublicIDFunc) *Service {
	s := &Service{db: d, clock: clock, publicID: publicID, kept: time.Duration(undoDays) * 24 * time.Hour, labels: map[string]LabelFunc{}, changed: func() {}}
	d.BeforeCommit(s.seal)
	return s
}

// PublicIDFunc returns a user's public id. It is a step of a transaction.
type PublicIDFunc func(ctx context.Context, tx *db.Tx, owner journal.UserID) (journal.PublicID, error)

// UndoDays returns how many days the content of deletions is kept.
func (s *Service) UndoDays() int { return int(s.kept / (24 * time.Hour)) }

// LabelFunc returns the labels of records by id. It is a step of a transaction.
type LabelFunc func(ctx context.Context, tx *db.Tx, owner journal.UserID, ids []string) (map[string]string, error)

// SetLabels sets the function for the labels of a type's objects that were recorded without
// one. It must be called before the first transaction.
func (s *Service) SetLabels(kind string, find LabelFunc) { s.labels[kind] = find }

// Written is what a transaction has changed, before its commit.
type Written struct {
	Owner   journal.UserID
	At      time.Time
	Objects []Object
	// Facts are what [AddFact] has added.
	Facts []any
	// IsUndo reports that the change undoes another one.
	IsUndo bool
}

// Follower writes what follows from a change, in the change's transaction.
type Follower func(ctx context.Context, tx *db.Tx, w *Written) error

// SetFollower sets the function that is called with the changes of users for whom
// [SetFollowed] was called. It must be called before the first transaction.
func (s *Service) SetFollower(follow Follower) { s.follow = follow }

// Action is what a change did, in one word.
type Action string

// The actions.
const (
	Create   Action = "create"
	Update   Action = "update"
	Delete   Action = "delete"
	Bulk     Action = "bulk"
	Import   Action = "import"
	Reverse  Action = "reverse"
	Restore  Action = "restore"
	Run      Action = "run"
	Deliver  Action = "deliver"
	Undo     Action = "undo"
	Settings Action = "settings"
	Security Action = "security"
)

// actions are all actions. A stored action is its place here, so the order never changes.
var actions = []Action{Create, Update, Delete, Bulk, Import, Reverse, Restore, Run, Deliver, Undo, Settings, Security}

// types are the record types. A change stores which it has as bits by their places here, so
// the order never changes.
var types = []string{
	"account", "execution", "trade", "cash_transaction", "corporate_action", "note", "note_template", "tag", "setup", "missed_trade", "routine_item",
	"routine_day", "view", "share_link", "attachment", "import", "bar_import", "connection", "hook", "price_source", "position_mark",
	"preferences", "instrument", "layout", "access_token", "session", "user", "change", "settings", "routine_template", "bar_series",
	"bar_alias", "import_kind", "strategy", "rate", "prop_program", "enrollment", "trading_rule", "goal", "alert", "alert_settings", "channel",
}

// Types returns the names of all record types.
func Types() []string { return types }

// Actions returns all actions.
func Actions() []Action { return actions }

// ActorKind is how a write was made.
type ActorKind string

// The actor kinds.
const (
	BySession    ActorKind = "session"
	ByToken      ActorKind = "token"
	ByConnection ActorKind = "connection"
	ByHook       ActorKind = "hook"
	ByWatch      ActorKind = "watch"
	ByCLI        ActorKind = "cli"
)

// actorKinds are all actor kinds. A stored kind is its place here.
var actorKinds = []ActorKind{BySession, ByToken, ByConnection, ByHook, ByWatch, ByCLI}

// ActorKinds returns all actor kinds.
func ActorKinds() []ActorKind { return actorKinds }

// Actor is who made a write.
type Actor struct {
	Kind ActorKind `json:"kind" enum:"session,token,connection,hook,watch,cli"`
	ID   string    `json:"id" doc:"Of the session, access token, connection or hook."`
	Name string    `json:"name" doc:"Of the access token, connection or hook, as it was then."`
}

// ObjectAction is what a change did to one record.
type ObjectAction string

// The object actions.
const (
	Created ObjectAction = "created"
	Updated ObjectAction = "updated"
	Deleted ObjectAction = "deleted"
)

// Object is a record that a change created, updated or deleted.
type Object struct {
	Type   string
	ID     string
	Label  string // names the record to its user
	Action ObjectAction
	Fields []Field
	// Contains counts what was created or deleted with the record, by type.
	Contains map[string]int
	// Account is the account whose record it is; empty for others.
	Account journal.AccountID
	// SeenIn is an account that a caller must see to see the object, if Account is empty:
	// that of a note's trade.
	SeenIn journal.AccountID
	// IsBrought reports, in an undo, that an import created the record: its values then are
	// not recorded.
	IsBrought bool
	// Related are further records whose history has the change, such as the trade of a
	// deleted fill.
	Related []Key
}

// AllAccounts is [Object.SeenIn] of a record that only callers who see all accounts see.
const AllAccounts journal.AccountID = "*"

// hiddenStream is the stream number of objects with AllAccounts.
const hiddenStream = 1 << 30

// seenIn returns the account that a caller must see to see the object, or none.
func (o *Object) seenIn() journal.AccountID { return cmp.Or(o.Account, o.SeenIn) }

// Field is a value of an object before and after a change, in canonical JSON (RFC 8785).
type Field struct {
	Name   string         `json:"name"`
	Before jsontext.Value `json:"before"`
	After  jsontext.Value `json:"after"`
}

// NewField returns a field whose values are texts, truth values, integers or null.
func NewField(name string, before, after any) Field {
	return Field{name, fields.ShowValue(before), fields.ShowValue(after)}
}

// Key names a record.
type Key struct{ Type, ID string }

// hash returns the key in history_objects (FNV-1a).
func (k Key) hash() int64 {
	sum := uint64(0xcbf29ce484222325)
	for _, text := range []string{k.Type, "\n", k.ID} {
		for i := range len(text) {
			sum = (sum ^ uint64(text[i])) * 0x100000001b3
		}
	}
	return int64(sum ^ sum>>29)
}

// nouns are the names of types in sentences, if they are not the type with spaces.
var nouns = map[string]string{
	"execution": "fill", "cash_transaction": "cash transaction", "corporate_action": "corporate action", "import": "import", "bar_import": "price import",
	"position_mark": "position price", "routine_day": "routine", "bar_series": "price series", "bar_alias": "symbol alias",
	"layout": "import layout", "import_kind": "import word", "settings": "journal settings",
}

// noun returns a type's name in a sentence, for one record or several.
func noun(kind string, n int) string {
	name, ok := nouns[kind]
	if !ok {
		name = strings.ReplaceAll(kind, "_", " ")
	}
	switch {
	case n == 1 || strings.HasSuffix(name, "s"):
		return name
	case strings.HasSuffix(name, "y"):
		return strings.TrimSuffix(name, "y") + "ies"
	}
	return name + "s"
}
