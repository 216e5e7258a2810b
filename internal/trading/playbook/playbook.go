// Package playbook stores what the trader writes: notes and daily logs, tags, setups, the
// annotations of trades (risk, stop, grades, notes), screenshots, and the trades that
// were seen and not taken.
//
// None of it can be computed again, so none of it may get lost. Everything about a trade
// refers to one row, its annotations, which does not refer to the trade by a foreign key:
// when regrouping dissolves a trade, its annotations move with the fills to the trade
// that has them now, and when no fill is left they wait as orphans until one of the fills
// arrives again. [MoveAnnotations] does that inside the transaction that regroups.
//
// Each method of [Service] is one transaction. A function taking a *db.Tx is one step of
// a transaction that another package runs: a regrouping, an import, a backup, the removal
// of an account.
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

// Known are the functions by which the playbook uses tables of other packages. They
// run inside the playbook's transactions.
type Known struct {
	// Account answers nil for an account of the owner and a not-found
	// [journal.Error] for any other id.
	Account func(ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID) error
	// Trade returns the account of a trade of the owner, or a not-found [journal.Error].
	// It is only called in writing transactions and must lock the trade's row (or the
	// account's): an annotated trade must not be regrouped away before the annotations
	// are committed.
	Trade func(ctx context.Context, tx *db.Tx, owner journal.UserID, trade journal.TradeID) (journal.AccountID, error)
	// Trades is Trade for several trades at once. If one is not the owner's, it returns a
	// not-found [journal.Error].
	Trades func(ctx context.Context, tx *db.Tx, owner journal.UserID, trades []journal.TradeID) (map[journal.TradeID]journal.AccountID, error)
	// InstrumentType returns the type of the instrument of a trade of the
	// owner. It may be nil; prices must be above zero then.
	InstrumentType func(ctx context.Context, tx *db.Tx, owner journal.UserID, trade journal.TradeID) (string, error)
	// AnnotationsChanged may be nil. It is called with the trades of an account
	// whose annotations, linked notes or attachments have changed, before the
	// change is committed, because figures and filters depend on them.
	AnnotationsChanged func(ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID, trades ...journal.TradeID) error
	// Unlinked may be nil. It is called for each account in which a deleted tag or
	// setup is removed from trades, before that is committed.
	Unlinked func(ctx context.Context, tx *db.Tx, owner journal.UserID, account journal.AccountID) error
	// PublicID returns the public id of a user, which names the directory of the
	// user's files, and UserNumber the user with a public id, or 0. Both may be
	// nil if Files is nil.
	PublicID   func(ctx context.Context, tx *db.Tx, owner journal.UserID) (journal.PublicID, error)
	UserNumber func(ctx context.Context, tx *db.Tx, public journal.PublicID) (journal.UserID, error)
}

// Options are the settings of a [Service].
type Options struct {
	Known Known
	// Files is where the content of attachments is kept; nil keeps it in the
	// database, which is what several servers on one PostgreSQL need.
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

// shared is used by all parts of a [Service].
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

// Page is a part of a list that is sorted newest first. The zero value is the
// whole list.
type Page struct {
	// Limit is the number of records at most; 0 is no limit.
	Limit int
	// After is the last record of the page before.
	After Position
}

// Position is a record's place in a list that is sorted newest first.
type Position struct {
	At time.Time
	ID string
}

// where collects the conditions of a SELECT with their arguments.
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

// period adds the two ends of a span of time.
func (w *where) period(column string, period journal.Period) {
	if period.From != nil {
		w.and(column+" >=", db.Micros(*period.From))
	}
	if period.To != nil {
		w.and(column+" <=", db.Micros(*period.To))
	}
}

// andIn adds a condition on a column that must be one of several values. No
// values are no condition.
func andIn[T any](w *where, column string, values []T) {
	if len(values) > 0 {
		w.text.WriteString(" AND " + column + " IN " + db.In(&w.args, values))
	}
}

// newestFirst adds the order of a list and the bounds of a page of it.
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

// reference turns "there is no such record" into a refusal of the field that
// named it, because the record was named inside a body.
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

// orNull is the new value of a nullable number.
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

// Direction is the side of a trade or plan. It may be empty for a setup that
// works both ways.
type Direction string

// The directions.
const (
	Long  Direction = "long"
	Short Direction = "short"
)
