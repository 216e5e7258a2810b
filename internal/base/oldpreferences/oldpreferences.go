// Package oldpreferences reads values kept in a user's preferences before schema 32 and
// backup format 7, which now have their own records: the journal settings and the import
// layouts. Its rules are those versions' rules and never change. Invalid values are left
// out.
package oldpreferences

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/lazyregexp"
)

// Keys are the preferences to read.
func Keys() []string { return []string{timezoneKey, toleranceKey, layoutsKey} }

const (
	timezoneKey  = "time_zone"
	toleranceKey = "breakeven_tolerance"
	layoutsKey   = "import.layouts"
)

// Values are the values in a user's preferences.
type Values struct {
	Timezone  string // empty for none
	Tolerance string // JSON; empty for none
	Layouts   []Layout
}

// Layout is a remembered import layout.
type Layout struct {
	Signature string            `json:"signature"`
	Name      string            `json:"name"`
	UsedAt    time.Time         `json:"at"`
	Zone      string            `json:"zone"`
	Order     string            `json:"order"`
	Mapping   map[string]string `json:"mapping"`
	Accounts  []Account         `json:"accounts"` // the last used first
}

// Account is an account for files with a layout.
type Account struct {
	File string `json:"file"` // the account named in the file
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Read returns the values in some preferences.
func Read(preferences map[string]json.RawMessage) Values {
	return Values{
		Timezone: readTimezone(preferences[timezoneKey]), Tolerance: readTolerance(preferences[toleranceKey]),
		Layouts: readLayouts(preferences[layoutsKey]),
	}
}

func readTimezone(value json.RawMessage) string {
	var name string
	if json.Unmarshal(value, &name) != nil {
		return ""
	}
	if _, err := journal.ParseZone("timezone", name); err != nil {
		return ""
	}
	return name
}

// readTolerance accepts a number, {"amount": number} and {"r": number}.
func readTolerance(value json.RawMessage) string {
	number := value
	var members map[string]json.RawMessage
	if json.Unmarshal(value, &members) == nil {
		number = members["amount"]
		if number == nil {
			number = members["r"]
		}
		if len(members) != 1 {
			return ""
		}
	}
	if limit, err := decimal.Parse(strings.TrimSpace(string(number))); err != nil || limit.Sign() < 0 {
		return ""
	}
	return strings.TrimSpace(string(value))
}

const (
	maxLayouts  = 40
	maxAccounts = 20
	maxColumns  = 100
)

func readLayouts(value json.RawMessage) (list []Layout) {
	var entries []json.RawMessage
	if json.Unmarshal(value, &entries) != nil {
		return nil
	}
	seen := map[string]bool{}
	for _, entry := range entries {
		var l Layout
		if json.Unmarshal(entry, &l) != nil || !l.isValid() || seen[l.Signature] || len(list) == maxLayouts {
			continue
		}
		seen[l.Signature] = true
		list = append(list, l)
	}
	return list
}

func (l *Layout) isValid() bool {
	if !isLine(l.Signature) || l.Signature == "" || !isLine(l.Name) || l.UsedAt.IsZero() || !isZone(l.Zone) {
		return false
	}
	if l.Order != "" && l.Order != "day_first" && l.Order != "month_first" || len(l.Mapping) > maxColumns || len(l.Accounts) > maxAccounts {
		return false
	}
	for target, column := range l.Mapping {
		if !isLine(target) || target == "" || !isLine(strings.NewReplacer("\n", " ", "\r", " ", "\t", " ").Replace(column)) {
			return false
		}
	}
	for _, a := range l.Accounts {
		if !isLine(a.File) {
			return false
		}
	}
	return true
}

// isLine reports whether a text can be stored as a name.
func isLine(text string) bool {
	return utf8.ValidString(text) && utf8.RuneCountInString(text) <= journal.MaxName && !strings.ContainsFunc(text, unicode.IsControl)
}

// offsetText matches the end of a zone such as UTC+2, -04:00 or America/New_York+7.
var offsetText = lazyregexp.New(`[+-]\d{1,2}(:?\d{2})?$`)

func isZone(name string) bool {
	place := offsetText().ReplaceAllString(name, "")
	if place == "" {
		return true
	}
	_, err := journal.ParseZone("zone", place)
	return err == nil
}

// FindAccounts returns the layout's accounts with their ids among the given ones: by id,
// or by a unique name, because a restored journal has other ids. Deleted accounts and
// repeated ones are left out.
func (l *Layout) FindAccounts(accounts []Account) (found []Account) {
	for _, a := range l.Accounts {
		same := slices.IndexFunc(accounts, func(known Account) bool { return known.ID == a.ID })
		if same < 0 {
			same = findName(accounts, a.Name)
		}
		if same < 0 {
			continue
		}
		entry := Account{File: a.File, ID: accounts[same].ID, Name: accounts[same].Name}
		if !slices.Contains(found, entry) {
			found = append(found, entry)
		}
	}
	return found
}

// findName returns the place of the only account with a name, or -1.
func findName(accounts []Account, name string) int {
	place := -1
	for i, a := range accounts {
		if a.Name != name {
			continue
		}
		if place >= 0 {
			return -1
		}
		place = i
	}
	return place
}
