// Package playbook stores what the trader writes: notes and daily logs, tags, setups,
// trade annotations (risk, stop, grades, notes), screenshots, and the trades that were
// seen and not taken.
//
// None of it can be computed again, so none of it may get lost. Everything about a trade
// refers to one row, its annotations, which does not refer to the trade by a foreign key:
// when regrouping removes a trade, its annotations move with the fills to the trade that
// has them now, and when no fill is left they wait as orphans until a fill arrives again.
// [MoveAnnotations] does that inside the transaction that regroups.
//
// Each method of [Service] is one transaction. A function taking a *db.Tx is one step in
// a transaction that another package runs: a regrouping, an import, a backup, removing an
// account.
//
// The package uses accounts and trades only by their ids. It checks through [Known]
// whether an id is the owner's, so neither package imports the other.
package playbook

import (
	"context"
	"strconv"
	"strings"
	"time"
	"unicode"

	"fillbook/internal/base/db"
	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/lru"
)

// Known are the functions by which the playbook uses other packages' tables. They run
// inside the playbook's transactions.
type Known struct {
	// Account returns nil for an owner's account and a not-found [journal.Error] for any
	// other id.
	Account func(ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID) error
	// Trade returns the account for an owner's trade, or a not-found [journal.Error]. It
	// is only called in writing transactions and must lock the trade's row (or the
	// account's): an annotated trade must not be regrouped away before the annotations
	// are committed.
	Trade func(ctx context.Context, tx *db.Tx, owner journal.UserID, trade journal.TradeID) (journal.AccountID, error)
	// Trades is Trade for several trades at once. If one is not the owner's, it returns a
	// not-found [journal.Error].
	Trades func(ctx context.Context, tx *db.Tx, owner journal.UserID, trades []journal.TradeID) (map[journal.TradeID]journal.AccountID, error)
	// InstrumentType returns the instrument type for an owner's trade. It may be nil;
	// prices must be above zero then.
	InstrumentType func(ctx context.Context, tx *db.Tx, owner journal.UserID, trade journal.TradeID) (string, error)
	// AnnotationsChanged may be nil. It is called with an account's trades whose
	// annotations, linked notes or attachments have changed, before the change is
	// committed, because figures and filters depend on them.
	AnnotationsChanged func(ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID, trades ...journal.TradeID) error
	// Unlinked may be nil. It is called for each account in which a deleted tag or
	// setup is removed from trades, before that is committed.
	Unlinked func(ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID) error
	// TagReplaced and SetupRemoved may be nil. They change what else has the tag or setup;
	// tag is empty if old is deleted.
	TagReplaced  func(ctx context.Context, tx *db.Tx, owner journal.UserID, old, tag journal.TagID) error
	SetupRemoved func(ctx context.Context, tx *db.Tx, owner journal.UserID, setup journal.SetupID) error
	// PublicID returns a user's public id, which names the directory with the user's
	// files, and UserNumber the user with a public id, or 0. Both may be nil if Files is
	// nil.
	PublicID   func(ctx context.Context, tx *db.Tx, owner journal.UserID) (journal.PublicID, error)
	UserNumber func(ctx context.Context, tx *db.Tx, public journal.PublicID) (journal.UserID, error)
}

// Options are settings for a [Service].
type Options struct {
	Known Known
	// Files is where attachment content is kept; nil keeps it in the database, which is
	// what several servers on one PostgreSQL need.
	Files *Files
	// MaxFileBytes is the largest attachment; 0 takes 10 MiB.
	MaxFileBytes int64
	// MaxUserBytes and MaxUserFiles bound what one user may attach in all;
	// 0 takes 2 GiB and 20000 files.
	MaxUserBytes int64
	MaxUserFiles int64
}

// Service is one installation's playbook. It is safe for concurrent use. Each method is
// one transaction.
type Service struct {
	*shared
	*attachmentStore
	*noteStore
}

// shared is used by all [Service] parts.
type shared struct {
	db      *db.DB
	clock   journal.Clock
	options Options
}

// attachmentStore keeps attachments and their files.
type attachmentStore struct{ *shared }

// noteStore keeps notes and their templates.
type noteStore struct {
	*shared
	files   *attachmentStore
	indexes *noteCache
}

// New returns a Service.
func New(d *db.DB, clock journal.Clock, options Options) *Service {
	options.MaxFileBytes = orDefault(options.MaxFileBytes, 10<<20)
	options.MaxUserBytes = orDefault(options.MaxUserBytes, 2<<30)
	options.MaxUserFiles = orDefault(options.MaxUserFiles, 20_000)
	all := &shared{db: d, clock: clock, options: options}
	files := &attachmentStore{all}
	return &Service{all, files, &noteStore{shared: all, files: files, indexes: lru.New[journal.UserID, *noteIndexes](noteMemory)}}
}

func orDefault(value, instead int64) int64 {
	if value == 0 {
		return instead
	}
	return value
}

// Check looks at the stored record before it is changed or deleted, inside the
// transaction. Its error is the answer and nothing is changed: that is how a
// conditional request is refused. A nil Check lets everything pass.
type Check[T any] func(stored T) error

// apply checks a record unless reading it failed.
func (c Check[T]) apply(stored T, err error) (T, error) {
	if err == nil && c != nil {
		err = c(stored)
	}
	return stored, err
}

// Page is a part from a list sorted newest first. The zero value is the whole list.
type Page struct {
	// Limit is how many records at most; 0 is no limit.
	Limit int
	// After is the previous page's last record.
	After Position
}

// Position is a record's place in a list sorted newest first.
type Position struct {
	At time.Time
	ID string
}

// where collects a SELECT's conditions with their arguments.
type where struct {
	text strings.Builder
	args []any
}

// owned begins with the condition that every statement has.
func owned(column string, owner journal.UserID) *where {
	w := &where{args: []any{owner}}
	w.text.WriteString(" WHERE " + column + " = $1")
	return w
}

// and adds a condition that ends with its one argument.
func (w *where) and(condition string, value any) {
	w.args = append(w.args, value)
	w.text.WriteString(" AND " + condition + " $" + strconv.Itoa(len(w.args)))
}

// period adds a period's two ends.
func (w *where) period(column string, period journal.Period) {
	if period.From != nil {
		w.and(column+" >=", db.Micros(*period.From))
	}
	if period.To != nil {
		w.and(column+" <=", db.Micros(*period.To))
	}
}

// andIn adds a condition on a column that must equal any value in a list. No values are
// no condition.
func andIn[T any](w *where, column string, values []T) {
	if len(values) > 0 {
		w.text.WriteString(" AND " + column + " IN " + db.In(&w.args, values))
	}
}

// newestFirst adds a list's order and a page's bounds.
func (w *where) newestFirst(at, id string, page Page) string {
	if page.After.ID != "" {
		w.args = append(w.args, db.Micros(page.After.At), page.After.ID)
		n := len(w.args)
		w.text.WriteString(" AND (" + at + ", " + id + ") < ($" + strconv.Itoa(n-1) + ", $" + strconv.Itoa(n) + ")")
	}
	order := " ORDER BY " + at + " DESC, " + id + " DESC"
	if page.Limit > 0 {
		w.args = append(w.args, page.Limit)
		order += db.Limit(len(w.args))
	}
	return w.text.String() + order
}

// reference turns "there is no such record" into a refusal for the field naming it,
// because the record was named inside a body.
func reference(field string, err error) error {
	if journal.IsKind(err, journal.KindNotFound) {
		return journal.InvalidField(field, "%s names a record that does not exist.", field)
	}
	return err
}

// nameKey is what two names share that differ in nothing but case: every letter
// is replaced by the first one that Unicode folds together with it.
func nameKey(name string) string {
	return strings.Map(func(r rune) rune {
		first := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			first = min(first, f)
		}
		return first
	}, name)
}

// orNull is a nullable number's new value.
func orNull(o journal.Opt[decimal.Decimal], old decimal.Null) decimal.Null {
	switch {
	case !o.Set:
		return old
	case o.Null:
		return decimal.Null{}
	}
	return decimal.Of(o.Value)
}

func notAboveZero(field string) error {
	return journal.InvalidField(field, "%s must be above zero.", field)
}

// Direction is a trade's or plan's side. It may be empty for a setup that works both
// ways.
type Direction string

// The directions.
const (
	Long  Direction = "long"
	Short Direction = "short"
)
