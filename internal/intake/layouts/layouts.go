// Package layouts stores how files of each layout were last imported, so that the next
// file of the layout needs no questions.
package layouts

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"fillbook/internal/base/db"
	"fillbook/internal/base/fields"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/limits"
	"fillbook/internal/intake/parse"
	"fillbook/internal/trading/ledger"
)

// Layout is how files of a layout are imported.
type Layout struct {
	// Signature is the layout_signature of a preview.
	Signature string
	Name      string
	// SourceTZ is the zone of times without one, DateOrder the order of ambiguous days;
	// both may be empty.
	SourceTZ  string
	DateOrder string
	// Mapping is the column mapping; nil uses the suggested one.
	Mapping map[string]string
	// Accounts are those that files were imported into, the last used first.
	Accounts []Account
	UsedAt   time.Time
}

// Account is an account that files of a layout are imported into.
type Account struct {
	// File is the account that the file names, or empty.
	File string
	ID   journal.AccountID
}

const (
	maxAccounts = 20
	maxColumns  = 100

	maxMappingBytes = 16 << 10
)

// Clean returns the layout in the form in which it is stored, or the reason why it is
// invalid.
func (l Layout) Clean() (Layout, error) {
	var err error
	if l.Signature, err = journal.CleanRequiredName("signature", l.Signature); err != nil {
		return Layout{}, err
	}
	if l.Name, err = journal.CleanName("name", l.Name); err != nil {
		return Layout{}, err
	}
	if err := checkTimes(l.SourceTZ, l.DateOrder); err != nil {
		return Layout{}, err
	}
	if err := checkMapping(l.Mapping); err != nil {
		return Layout{}, err
	}
	l.Accounts, err = cleanAccounts(l.Accounts)
	return l, err
}

func checkTimes(zone, order string) error {
	if zone != "" {
		if _, err := journal.CleanName("source_tz", zone); err != nil {
			return err
		}
		if _, err := parse.LoadZone(zone); err != nil {
			return journal.InvalidField("source_tz", "The time zone %q is not known. Use an IANA name such as America/New_York.", zone)
		}
	}
	if !slices.Contains([]parse.DateOrder{parse.DateOrderUnknown, parse.DayFirst, parse.MonthFirst}, parse.DateOrder(order)) {
		return journal.InvalidField("date_order", "date_order must be day_first or month_first.")
	}
	return nil
}

// checkMapping checks texts only. An import checks whether the file has the columns.
func checkMapping(mapping map[string]string) error {
	const field = "column_mapping"
	if len(mapping) > maxColumns {
		return journal.InvalidField(field, "%s must have at most %d columns.", field, maxColumns)
	}
	size := 0
	for target, column := range mapping {
		if _, err := journal.CleanRequiredName(field, target); err != nil {
			return err
		}
		if _, err := journal.CheckText(field, column); err != nil { // names of columns may have several lines
			return err
		}
		size += len(target) + len(column)
	}
	if size > maxMappingBytes {
		return journal.InvalidField(field, "%s must be at most %d KiB.", field, maxMappingBytes>>10)
	}
	return nil
}

// cleanAccounts drops repeated accounts.
func cleanAccounts(accounts []Account) ([]Account, error) {
	if len(accounts) > maxAccounts {
		return nil, journal.InvalidField("accounts", "accounts must be at most %d.", maxAccounts)
	}
	clean := []Account{}
	for _, a := range accounts {
		var err error
		if a.File, err = journal.CleanName("file_account", a.File); err != nil {
			return nil, err
		}
		if !slices.Contains(clean, a) {
			clean = append(clean, a)
		}
	}
	return clean, nil
}

const selectLayouts = `SELECT signature, name, source_tz, date_order, column_mapping, used_at FROM import_layouts`

func scan(row db.Scanner) (l Layout, err error) {
	var mapping *string
	if err := row.Scan(&l.Signature, &l.Name, &l.SourceTZ, &l.DateOrder, &mapping, db.Instant(&l.UsedAt)); err != nil {
		return Layout{}, err
	}
	l.Accounts = []Account{}
	if mapping != nil {
		err = json.Unmarshal([]byte(*mapping), &l.Mapping)
	}
	return l, err
}

// List returns the owner's layouts, the last used first. A context that is limited to
// accounts sees only these accounts, and no layout that has only others; see
// [journal.LimitAccounts]. It is a step.
func List(ctx context.Context, tx *db.Tx, owner journal.UserID) ([]Layout, error) {
	all, err := db.List(ctx, tx, scan, selectLayouts+` WHERE user_id = $1 ORDER BY used_at DESC, signature`, owner)
	if err != nil {
		return nil, err
	}
	accounts := map[string][]Account{}
	err = db.Each(ctx, tx, func(row db.Scanner) error {
		var signature string
		var a Account
		err := row.Scan(&signature, &a.File, &a.ID)
		accounts[signature] = append(accounts[signature], a)
		return err
	}, `SELECT signature, file_account, account_id FROM import_layout_accounts WHERE user_id = $1 ORDER BY signature, place`, owner)
	visible := []Layout{}
	for _, l := range all {
		if l.addAllowed(ctx, accounts[l.Signature]) {
			visible = append(visible, l)
		}
	}
	return visible, err
}

// addAllowed adds the accounts that the context allows and reports whether it sees the
// layout.
func (l *Layout) addAllowed(ctx context.Context, accounts []Account) bool {
	for _, a := range accounts {
		if journal.AllowsAccount(ctx, a.ID) {
			l.Accounts = append(l.Accounts, a)
		}
	}
	return len(accounts) == 0 || len(l.Accounts) > 0
}

// HasAccount reports whether files of the layout were imported into an account.
func (l *Layout) HasAccount(id journal.AccountID) bool {
	return slices.ContainsFunc(l.Accounts, func(a Account) bool { return a.ID == id })
}

// Read returns one layout that the context sees. It is a step.
func Read(ctx context.Context, tx *db.Tx, owner journal.UserID, signature string) (Layout, error) {
	return read(ctx, tx, owner, signature, "")
}

func read(ctx context.Context, tx *db.Tx, owner journal.UserID, signature, lock string) (Layout, error) {
	layout, err := scan(tx.QueryRow(ctx, selectLayouts+` WHERE user_id = $1 AND signature = $2`+lock, owner, signature))
	if errors.Is(err, db.ErrNoRows) {
		return Layout{}, journal.NotFound("import layout")
	}
	if err != nil {
		return Layout{}, err
	}
	accounts, err := readAccounts(ctx, tx, owner, signature)
	if err == nil && !layout.addAllowed(ctx, accounts) {
		err = journal.NotFound("import layout")
	}
	return layout, err
}

// readAccounts returns a layout's accounts, in order.
func readAccounts(ctx context.Context, tx *db.Tx, owner journal.UserID, signature string) ([]Account, error) {
	return db.List(ctx, tx, func(row db.Scanner) (a Account, err error) {
		err = row.Scan(&a.File, &a.ID)
		return a, err
	}, `SELECT file_account, account_id FROM import_layout_accounts WHERE user_id = $1 AND signature = $2 ORDER BY place`, owner, signature)
}

// Store stores a layout in place of the one with its signature and returns it. check
// may be nil; it is called with the stored layout and may refuse the change. It is a
// step.
func Store(ctx context.Context, tx *db.Tx, owner journal.UserID, layout Layout, check func(Layout) error) (Layout, error) {
	layout, err := layout.Clean()
	if err != nil {
		return Layout{}, err
	}
	if err := checkStored(ctx, tx, owner, layout.Signature, check); err != nil {
		return Layout{}, err
	}
	if err := checkOwner(ctx, tx, owner, layout.Accounts); err != nil {
		return Layout{}, err
	}
	before, err := read(ctx, tx, owner, layout.Signature, "")
	switch {
	case err == nil:
		layoutHistory.Updated(tx, owner, &before, &layout)
	case journal.IsKind(err, journal.KindNotFound):
		layoutHistory.Created(tx, owner, &layout)
	default:
		return Layout{}, err
	}
	history.Describe(tx, owner, history.Description{Action: history.Settings})
	if err := write(ctx, tx, owner, layout); err != nil {
		return Layout{}, err
	}
	return layout, dropOldest(ctx, tx, owner)
}

// checkStored calls check with the stored layout. A condition on a layout that does not
// exist is not met.
func checkStored(ctx context.Context, tx *db.Tx, owner journal.UserID, signature string, check func(Layout) error) error {
	if check == nil {
		return nil
	}
	stored, err := read(ctx, tx, owner, signature, tx.Lock())
	if journal.IsKind(err, journal.KindNotFound) {
		return journal.Stale()
	}
	if err != nil {
		return err
	}
	return check(stored)
}

func checkOwner(ctx context.Context, tx *db.Tx, owner journal.UserID, accounts []Account) error {
	for _, a := range accounts {
		if err := ledger.CheckAccountOwner(ctx, tx, owner, a.ID); err != nil {
			return err
		}
	}
	return nil
}

func write(ctx context.Context, tx *db.Tx, owner journal.UserID, l Layout) error {
	var mapping *string
	if l.Mapping != nil {
		text, err := json.Marshal(l.Mapping)
		if err != nil {
			return err
		}
		written := string(text)
		mapping = &written
	}
	_, err := tx.Exec(ctx, `INSERT INTO import_layouts (user_id, signature, name, source_tz, date_order, column_mapping, used_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (user_id, signature) DO UPDATE SET name = excluded.name, source_tz = excluded.source_tz,
			date_order = excluded.date_order, column_mapping = excluded.column_mapping, used_at = excluded.used_at`,
		owner, l.Signature, l.Name, l.SourceTZ, l.DateOrder, mapping, db.Micros(l.UsedAt))
	if err != nil {
		return err
	}
	return writeAccounts(ctx, tx, owner, l.Signature, l.Accounts)
}

// writeAccounts replaces a layout's accounts. Their places have no gaps.
func writeAccounts(ctx context.Context, tx *db.Tx, owner journal.UserID, signature string, accounts []Account) error {
	_, err := tx.Exec(ctx, `DELETE FROM import_layout_accounts WHERE user_id = $1 AND signature = $2`, owner, signature)
	if err != nil || len(accounts) == 0 {
		return err
	}
	rows := make([][]any, len(accounts))
	for place, a := range accounts {
		rows[place] = []any{owner, signature, place, a.File, a.ID}
	}
	_, err = tx.InsertMany(ctx, "import_layout_accounts", []string{"user_id", "signature", "place", "file_account", "account_id"}, "", rows)
	return err
}

// dropOldest deletes the layouts beyond [limits.ImportLayouts] that were used longest ago.
func dropOldest(ctx context.Context, tx *db.Tx, owner journal.UserID) error {
	_, err := tx.Exec(ctx, `DELETE FROM import_layouts WHERE user_id = $1 AND signature IN (
		SELECT signature FROM import_layouts WHERE user_id = $1 ORDER BY used_at DESC, signature LIMIT 1000 OFFSET $2)`, owner, limits.ImportLayouts.Max)
	return err
}

// Delete deletes a layout. check may be nil; it is called with the stored layout and may
// refuse the deletion. It is a step.
func Delete(ctx context.Context, tx *db.Tx, owner journal.UserID, signature string, check func(Layout) error) error {
	stored, err := read(ctx, tx, owner, signature, tx.Lock())
	if err != nil {
		return err
	}
	if check != nil {
		if err := check(stored); err != nil {
			return err
		}
	}
	layoutHistory.Deleted(tx, owner, &stored)
	for _, table := range []string{"import_layouts", "import_layout_accounts"} {
		if err := history.Keep(ctx, tx, owner, table, `signature = $2`, signature); err != nil {
			return err
		}
	}
	_, err = tx.Exec(ctx, `DELETE FROM import_layouts WHERE user_id = $1 AND signature = $2`, owner, signature)
	return err
}

// Restore stores those layouts of a backup that the owner does not have, as far as
// [limits.ImportLayouts] allows. It returns how many, and the refusals of the others. It is
// a step. The layouts must be the result of [Layout.Clean], and their accounts the owner's.
func Restore(ctx context.Context, tx *db.Tx, owner journal.UserID, list []Layout) (added int, refusals []error, err error) {
	if len(list) == 0 {
		return 0, nil, nil
	}
	stored, err := List(ctx, tx, owner)
	if err != nil {
		return 0, nil, err
	}
	known := map[string]bool{}
	for _, l := range stored {
		known[l.Signature] = true
	}
	refusals = make([]error, len(list))
	for i, l := range list {
		switch {
		case known[l.Signature]:
			continue
		case len(known) >= limits.ImportLayouts.Max:
			refusals[i] = limits.ImportLayouts.Reached()
			continue
		}
		known[l.Signature] = true
		if err := write(ctx, tx, owner, l); err != nil {
			return added, refusals, err
		}
		layoutHistory.Created(tx, owner, &l)
		added++
	}
	return added, refusals, nil
}

var layoutHistory = history.NewType("layout", fields.List[Layout]{
	fields.NewText("name", func(l *Layout) *string { return &l.Name }),
	fields.NewText("source_tz", func(l *Layout) *string { return &l.SourceTZ }),
	fields.NewText("date_order", func(l *Layout) *string { return &l.DateOrder }),
	fields.NewShown("column_mapping", func(l *Layout) any { return showJSON(l.Mapping, len(l.Mapping)) }).
		SetAs(func(l *Layout, value jsontext.Value) error { l.Mapping = nil; return setJSON(value, &l.Mapping) }),
	fields.NewShown("accounts", func(l *Layout) any { return showJSON(l.Accounts, len(l.Accounts)) }).
		SetAs(func(l *Layout, value jsontext.Value) error { l.Accounts = nil; return setJSON(value, &l.Accounts) }),
}, history.Of[Layout]{
	ID: func(l *Layout) string { return l.Signature }, Label: func(l *Layout) string { return l.Name },
	SeenIn: func(l *Layout) journal.AccountID {
		switch len(l.Accounts) {
		case 0:
			return ""
		case 1:
			return l.Accounts[0].ID
		}
		return history.AllAccounts
	},
})

// showJSON returns a value as the text of its JSON, or null if it is empty.
func showJSON(value any, length int) any {
	if length == 0 {
		return nil
	}
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // texts always marshal
	}
	return string(text)
}

// setJSON sets a value to the one in a text of showJSON.
func setJSON(shown jsontext.Value, into any) error {
	var text *string
	if err := json.Unmarshal(shown, &text); err != nil || text == nil {
		return err
	}
	return json.Unmarshal([]byte(*text), into)
}
