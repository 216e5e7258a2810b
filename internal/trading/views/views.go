// Package views stores a user's views: a named trade filter, and how its list is shown.
package views

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/base/fields"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/limits"
	"fillbook/internal/base/textindex"
	"fillbook/internal/trading/ledger"
	"fillbook/internal/trading/tradefilter"
)

// View is a saved filter. Its name is unique without regard to case among the owner's
// views with the same accounts. Who sees one sees all, so a conflict never shows a hidden
// view's name.
type View struct {
	ID   journal.ViewID
	Name string
	// Filter is the filter's query in its canonical form.
	Filter Query
	// Columns are names the client defines.
	Columns []string
	// Sort and Order are those of the list; both are empty for newest first.
	Sort      ledger.SortKey
	Order     string
	Pinned    bool
	Position  int
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Query is a filter's parameters as a URL has them.
type Query string

// NewQuery returns a query from parameters.
func NewQuery(values map[string]string) Query {
	query := url.Values{}
	for name, value := range values {
		query.Set(name, value)
	}
	return Query(query.Encode())
}

// Values returns the parameters.
func (q Query) Values() map[string]string {
	values, _ := url.ParseQuery(string(q)) // it was encoded by NewQuery
	out := make(map[string]string, len(values))
	for name := range values {
		out[name] = values.Get(name)
	}
	return out
}

// Parse returns the filter.
func (q Query) Parse() (tradefilter.Filter, error) {
	values, err := url.ParseQuery(string(q))
	if err != nil {
		return tradefilter.Filter{}, err
	}
	return tradefilter.Parse(values)
}

// Change is a change to a view. A new view needs a name.
type Change struct {
	Name     journal.Opt[string]
	Filter   journal.Opt[map[string]string]
	Columns  journal.Opt[[]string]
	Sort     journal.Opt[ledger.SortKey]
	Order    journal.Opt[string]
	Pinned   journal.Opt[bool]
	Position journal.Opt[int]
}

const maxColumns = 100

// apply returns the view after a change, without its position, or the reason why it
// is invalid.
func (c *Change) apply(view View) (View, error) {
	var err error
	if view.Name, err = journal.CleanRequiredName("name", c.Name.Or(view.Name)); err != nil {
		return View{}, err
	}
	if c.Filter.Set {
		if view.Filter, err = checkFilter(c.Filter.Value); err != nil {
			return View{}, err
		}
	}
	if c.Columns.Set {
		if view.Columns, err = checkColumns(c.Columns.Value); err != nil {
			return View{}, err
		}
	}
	view.Sort, view.Order, view.Pinned = c.Sort.Or(view.Sort), c.Order.Or(view.Order), c.Pinned.Or(view.Pinned)
	switch {
	case view.Sort != "" && !slices.Contains(ledger.SortKeys(), view.Sort):
		return View{}, journal.InvalidField("sort", "sort must be a field that lists of trades are sorted by.")
	case !slices.Contains([]string{"", "asc", "desc"}, view.Order):
		return View{}, journal.InvalidField("order", "order must be asc or desc.")
	}
	return view, nil
}

// rangeName is the parameter for a period that moves with the calendar. Clients turn it
// into from and to, because only they know the day and the first day of the week; the
// server keeps it.
const rangeName = "range"

var ranges = []string{
	"today", "yesterday", "week", "last_week", "month", "last_month", "quarter", "last_quarter", "ytd", "last_year", "30d", "90d", "1y",
}

// unitName is the parameter for what figures count as one. The server keeps it; clients send
// it with figures.
const unitName = "unit"

var units = []string{"trade", "strategy"}

// checkFilter checks parameters as in a query.
func checkFilter(values map[string]string) (Query, error) {
	known := tradefilter.Parameters()
	for name := range values {
		if name == rangeName {
			if !slices.Contains(ranges, values[name]) {
				return "", journal.InvalidField(name, "%s must be %s or %s.", name, strings.Join(ranges[:len(ranges)-1], ", "), ranges[len(ranges)-1])
			}
			continue
		}
		if name == unitName {
			if !slices.Contains(units, values[name]) {
				return "", journal.InvalidField(name, "%s must be %s.", name, strings.Join(units, " or "))
			}
			continue
		}
		if !slices.ContainsFunc(known, func(p tradefilter.Parameter) bool { return p.Name == name }) {
			return "", journal.InvalidField(name, "%s is not a parameter of the filter.", name)
		}
		if _, err := journal.CheckText(name, values[name]); err != nil {
			return "", err
		}
	}
	query := NewQuery(values)
	_, err := query.Parse()
	return query, err
}

func checkColumns(columns []string) ([]string, error) {
	if len(columns) > maxColumns {
		return nil, journal.InvalidField("columns", "columns must be at most %d.", maxColumns)
	}
	clean := make([]string, len(columns))
	for i, column := range columns {
		var err error
		if clean[i], err = journal.CleanRequiredName("columns", column); err != nil {
			return nil, err
		}
	}
	return clean, nil
}

var viewTable = fields.New("views",
	fields.List[View]{fields.NewID("id", func(v *View) *journal.ViewID { return &v.ID })},
	fields.List[View]{
		fields.NewText("name", func(v *View) *string { return &v.Name }),
		fields.NewDerived("name_key", nameKey),
		fields.NewText("filter", func(v *View) *Query { return &v.Filter }),
		fields.NewJSON("list_columns", func(v *View) *[]string { return &v.Columns }),
		fields.NewText("sort_key", func(v *View) *ledger.SortKey { return &v.Sort }),
		fields.NewText("sort_order", func(v *View) *string { return &v.Order }),
		fields.NewFlag("pinned", func(v *View) *bool { return &v.Pinned }),
		fields.NewInteger("position", func(v *View) *int { return &v.Position }),
		fields.NewTime("created_at", func(v *View) *time.Time { return &v.CreatedAt }).Freeze(),
		fields.NewTime("updated_at", func(v *View) *time.Time { return &v.UpdatedAt }),
	},
)

// nameKey returns the name's stored key, which is unique among the owner's views. It
// contains an account hash, because a PostgreSQL index cannot hold all ids. The migration
// view_names computes the same keys.
func nameKey(v *View) string {
	key := textindex.Fold(v.Name)
	filter, _ := v.Filter.Parse() // it was checked when it was stored
	if accounts := filter.Scope.Accounts; len(accounts) > 0 {
		slices.Sort(accounts)
		hash := sha256.New()
		for _, id := range accounts {
			hash.Write([]byte(id + "\n"))
		}
		key += "\n" + hex.EncodeToString(hash.Sum(nil)[:16])
	}
	return key
}

var selectViews = viewTable.Select("v")

func scanView(row db.Scanner) (v View, err error) {
	err = viewTable.Scan(row, &v)
	return v, err
}

// Service stores views. It is safe for concurrent use. Each method is one
// transaction.
type Service struct {
	db    *db.DB
	clock journal.Clock
}

// New returns a Service.
func New(d *db.DB, clock journal.Clock) *Service { return &Service{db: d, clock: clock} }

// List returns the owner's views by position.
func (s *Service) List(ctx context.Context, owner journal.UserID) ([]View, error) {
	return db.Get(ctx, s.db.Peek, func(tx *db.Tx) ([]View, error) { return List(ctx, tx, owner) })
}

// List is [Service.List] as a step.
func List(ctx context.Context, tx *db.Tx, owner journal.UserID) ([]View, error) {
	all, err := list(ctx, tx, owner, "")
	return slices.DeleteFunc(all, func(v View) bool { return !v.isAllowed(ctx) }), err
}

// isAllowed reports whether a view's filter names no account the context excludes; see
// [journal.LimitAccounts].
func (v View) isAllowed(ctx context.Context) bool {
	if _, limited := journal.AllowedAccounts(ctx); !limited {
		return true
	}
	filter, err := v.Filter.Parse()
	return err == nil && !slices.ContainsFunc(filter.Scope.Accounts, func(id journal.AccountID) bool { return !journal.AllowsAccount(ctx, id) })
}

func list(ctx context.Context, tx *db.Tx, owner journal.UserID, lock string) ([]View, error) {
	return db.List(ctx, tx, scanView, selectViews+` WHERE v.user_id = $1 ORDER BY v.position, v.id`+lock, owner)
}

// Read returns one view. It is a step.
func Read(ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.ViewID) (View, error) {
	view, err := scanView(tx.QueryRow(ctx, selectViews+` WHERE v.user_id = $1 AND v.id = $2`, owner, id))
	if errors.Is(err, db.ErrNoRows) || err == nil && !view.isAllowed(ctx) {
		return View{}, journal.NotFound("view")
	}
	return view, err
}

// View returns one view.
func (s *Service) View(ctx context.Context, owner journal.UserID, id journal.ViewID) (View, error) {
	return db.Get(ctx, s.db.Peek, func(tx *db.Tx) (View, error) { return Read(ctx, tx, owner, id) })
}

// Create creates a view, last unless its position is given.
func (s *Service) Create(ctx context.Context, owner journal.UserID, change Change) (View, error) {
	return db.Get(ctx, s.db.Update, func(tx *db.Tx) (View, error) { return create(ctx, tx, owner, s.clock(), change) })
}

func create(ctx context.Context, tx *db.Tx, owner journal.UserID, now time.Time, change Change) (View, error) {
	view, err := change.apply(newView(now))
	if err != nil {
		return View{}, err
	}
	all, err := list(ctx, tx, owner, tx.Lock())
	if err != nil {
		return View{}, err
	}
	if len(all) >= limits.Views.Max {
		return View{}, limits.Views.Reached()
	}
	if !view.isAllowed(ctx) {
		return View{}, journal.NotFound("account")
	}
	view.Position = len(all)
	n, err := tx.Exec(ctx, viewTable.Insert()+` ON CONFLICT (user_id, name_key) DO NOTHING`, viewTable.Values(owner, &view)...)
	if err == nil && n == 0 {
		err = nameTaken(view.Name)
	}
	if err != nil {
		return view, err
	}
	viewHistory.Created(tx, owner, &view)
	if !change.Position.Set {
		return view, nil
	}
	return view, move(ctx, tx, owner, append(all, view), &view, change.Position.Value)
}

func newView(now time.Time) View {
	return View{ID: journal.NewID[journal.ViewID](), Columns: []string{}, CreatedAt: now, UpdatedAt: now}
}

func nameTaken(name string) error {
	return journal.Conflict("There is already a view called %s.", name)
}

// move puts a view at a list position and numbers the others again.
func move(ctx context.Context, tx *db.Tx, owner journal.UserID, all []View, view *View, position int) error {
	all = slices.DeleteFunc(slices.Clone(all), func(v View) bool { return v.ID == view.ID })
	before := *view
	view.Position = min(max(position, 0), len(all))
	viewHistory.Updated(tx, owner, &before, view)
	all = slices.Insert(all, view.Position, *view)
	for i := range all {
		if all[i].Position == i && all[i].ID != view.ID {
			continue
		}
		_, err := tx.Exec(ctx, `UPDATE views SET position = $1 WHERE user_id = $2 AND id = $3`, i, owner, all[i].ID)
		if err != nil {
			return err
		}
	}
	return nil
}

// Update changes what is sent. check may refuse the change to the stored view.
func (s *Service) Update(
	ctx context.Context, owner journal.UserID, id journal.ViewID, change Change, check func(View) error,
) (view View, err error) {
	err = s.db.Update(ctx, func(tx *db.Tx) error {
		all, old, err := find(ctx, tx, owner, id, check)
		if err != nil {
			return err
		}
		if view, err = change.apply(old); err != nil {
			return err
		}
		if !view.isAllowed(ctx) {
			return journal.NotFound("account")
		}
		view.UpdatedAt = s.clock()
		viewHistory.Updated(tx, owner, &old, &view)
		_, err = tx.Exec(ctx, viewTable.Update(), viewTable.UpdateValues(owner, &view)...)
		if errors.Is(err, db.ErrConflict) {
			return nameTaken(view.Name)
		}
		if err != nil || !change.Position.Set {
			return err
		}
		return move(ctx, tx, owner, all, &view, change.Position.Value)
	})
	return view, err
}

// Delete deletes a view.
func (s *Service) Delete(ctx context.Context, owner journal.UserID, id journal.ViewID, check func(View) error) error {
	return s.db.Update(ctx, func(tx *db.Tx) error {
		_, view, err := find(ctx, tx, owner, id, check)
		if err != nil {
			return err
		}
		viewHistory.Deleted(tx, owner, &view)
		if err := history.Keep(ctx, tx, owner, "views", `id = $2`, id); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `DELETE FROM views WHERE user_id = $1 AND id = $2`, owner, id)
		return err
	})
}

// ReplaceTag replaces a tag by another in the filters of the owner's views. It is a step
// in merging tags.
func ReplaceTag(ctx context.Context, tx *db.Tx, owner journal.UserID, old, tag journal.TagID) error {
	all, err := list(ctx, tx, owner, tx.Lock())
	if err != nil {
		return err
	}
	for i := range all {
		values := all[i].Filter.Values()
		ids := strings.Split(values["tag_id"], ",")
		if !slices.Contains(ids, string(old)) {
			continue
		}
		var kept []string
		for _, id := range ids {
			if id == string(old) {
				id = string(tag)
			}
			if !slices.Contains(kept, id) {
				kept = append(kept, id)
			}
		}
		values["tag_id"] = strings.Join(kept, ",")
		after := all[i]
		after.Filter = NewQuery(values)
		viewHistory.Updated(tx, owner, &all[i], &after)
		_, err := tx.Exec(ctx, `UPDATE views SET filter = $1 WHERE user_id = $2 AND id = $3`, NewQuery(values), owner, all[i].ID)
		if err != nil {
			return err
		}
	}
	return nil
}

// find locks the owner's views and returns them with the one that is about to
// change. check may be nil.
func find(
	ctx context.Context, tx *db.Tx, owner journal.UserID, id journal.ViewID, check func(View) error,
) (all []View, view View, err error) {
	if all, err = list(ctx, tx, owner, tx.Lock()); err != nil {
		return nil, View{}, err
	}
	i := slices.IndexFunc(all, func(v View) bool { return v.ID == id })
	if i < 0 || !all[i].isAllowed(ctx) {
		return nil, View{}, journal.NotFound("view")
	}
	if check != nil {
		err = check(all[i])
	}
	return all, all[i], err
}

// NewView is a view to be restored, with the instant at which it was created.
type NewView struct {
	Change
	CreatedAt time.Time
}

// Restore creates a backup's views, except those whose names are taken by a view with the
// same accounts. The refusals are those of single views; the others are restored. It is a
// step.
func Restore(ctx context.Context, tx *db.Tx, owner journal.UserID, views []NewView) (added int, refusals []error, err error) {
	if len(views) == 0 {
		return 0, nil, nil
	}
	all, err := list(ctx, tx, owner, tx.Lock())
	if err != nil {
		return 0, nil, err
	}
	taken := map[string]bool{}
	for _, v := range all {
		taken[nameKey(&v)] = true
	}
	refusals = make([]error, len(views))
	for i, in := range views {
		view, err := in.apply(newView(in.CreatedAt))
		switch key := nameKey(&view); {
		case err != nil:
			refusals[i] = err
		case taken[key]:
		case len(all)+added >= limits.Views.Max:
			refusals[i] = limits.Views.Reached()
		case !view.isAllowed(ctx):
			return 0, nil, journal.NotFound("account")
		default:
			taken[key], view.Position = true, len(all)+added
			added++
			if _, err := tx.Exec(ctx, viewTable.Insert(), viewTable.Values(owner, &view)...); err != nil {
				return 0, nil, err
			}
			viewHistory.Brought(tx, owner, &view)
		}
	}
	return added, refusals, nil
}

var viewHistory = history.NewType("view", viewTable.Fields, history.Of[View]{
	ID: func(v *View) string { return string(v.ID) }, Label: func(v *View) string { return v.Name },
	SeenIn: func(v *View) journal.AccountID {
		ids := v.Filter.Values()["account_id"]
		if strings.Contains(ids, ",") {
			return history.AllAccounts
		}
		return journal.AccountID(ids)
	},
})
