package backup

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"fillbook/internal/base/decimal"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/routine"
)

// listFields lists every JSON member in a type with its kind, one per line, parents
// before their members.
func listFields(of reflect.Type, path string) (lines []string) {
	for _, f := range reflect.VisibleFields(of) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if len(f.Index) > 1 || !f.IsExported() || name == "-" || f.Anonymous && name != "" || f.Type == reflect.TypeFor[absent]() {
			continue
		}
		if f.Anonymous {
			lines = append(lines, listFields(f.Type, path)...)
			continue
		}
		lines = append(lines, path+name+" "+kindOf(f.Type))
		inner, step := f.Type, "."
		for inner.Kind() == reflect.Pointer || inner.Kind() == reflect.Slice {
			if inner.Kind() == reflect.Slice {
				step = "[]."
			}
			inner = inner.Elem()
		}
		if kindOf(inner) == "object" {
			lines = append(lines, listFields(inner, path+name+step)...)
		}
	}
	return lines
}

// kindOf returns a type's JSON kind.
func kindOf(of reflect.Type) string {
	switch of {
	case reflect.TypeFor[Instant](), reflect.TypeFor[time.Time]():
		return "instant"
	case reflect.TypeFor[decimal.Decimal](), reflect.TypeFor[decimal.Null](), reflect.TypeFor[statedAmount]():
		return "number"
	case reflect.TypeFor[jsontext.Value]():
		return "value"
	case reflect.TypeFor[journal.Day]():
		return "day"
	case reflect.TypeFor[routine.Weekdays]():
		return "list of int"
	}
	if of.Kind() == reflect.Struct && strings.HasPrefix(of.Name(), "Opt[") {
		value, _ := of.FieldByName("Value")
		return kindOf(value.Type)
	}
	switch of.Kind() { //nolint:exhaustive // the others are named by themselves below
	case reflect.Pointer:
		return kindOf(of.Elem())
	case reflect.Slice:
		return "list of " + kindOf(of.Elem())
	case reflect.Map:
		return "map"
	case reflect.Struct:
		return "object"
	}
	return of.Kind().String()
}

func readFields(t *testing.T, version int) []string {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("testdata/fields-%d.txt", version))
	if err != nil {
		t.Fatalf("format version %d has no list of its fields: %v", version, err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

var update = flag.Bool("update", false, "write the list of fields of a new format version")

// writeFields writes the list of fields of a version that has none.
func writeFields(t *testing.T, lines []string) {
	t.Helper()
	file, err := os.OpenFile(fmt.Sprintf("testdata/fields-%d.txt", formatVersion), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return
	}
	if err == nil {
		_, err = file.WriteString(strings.Join(lines, "\n") + "\n")
	}
	if err = errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
}

// A field added to the document without raising the format version would be dropped
// silently by programs that know the version and not the field. A released list is never
// edited: raise formatVersion and run this test with -update.
func TestFieldsAreThoseOfTheVersion(t *testing.T) {
	t.Parallel()
	got := listFields(reflect.TypeFor[Document](), "")
	if *update {
		writeFields(t, got)
	}
	want := readFields(t, formatVersion)
	for _, line := range got {
		if !slices.Contains(want, line) {
			t.Errorf("%q is not a field of format version %d", line, formatVersion)
		}
	}
	for _, line := range want {
		if !slices.Contains(got, line) {
			t.Errorf("%q is a field of format version %d and not in the document", line, formatVersion)
		}
	}
	for version := 1; version < formatVersion; version++ {
		newer := fieldNames(readFields(t, version+1))
		for _, name := range fieldNames(readFields(t, version)) {
			if !slices.Contains(newer, name) && !slices.Contains(newer, renamed.Replace(name)) {
				t.Errorf("format version %d has no %s; version %d cannot be read", version+1, name, version)
			}
		}
	}
}

// renamed replaces earlier names with those in version 3.
var renamed = strings.NewReplacer("waiting_annotations", "orphans", "trade.waiting", "trade.orphan")

func fieldNames(lines []string) (names []string) {
	for _, line := range lines {
		name, _, _ := strings.Cut(line, " ")
		names = append(names, name)
	}
	return names
}

// oldFiles are backups written by earlier versions, one with all accounts and one with a
// single account each.
func oldFiles(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	for version := 1; version < formatVersion; version++ {
		for _, name := range []string{fmt.Sprintf("version-%d.json", version), fmt.Sprintf("version-%d-account.json", version)} {
			text, err := os.ReadFile("testdata/" + name)
			must(t, err)
			files[name] = string(text)
		}
	}
	return files
}

// Every backup from an earlier version is restored whole, and restoring it again changes
// nothing.
func TestOldVersionsAreRead(t *testing.T) {
	t.Parallel()
	for name, text := range oldFiles(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachFixture(t, func(t *testing.T, h *fixture) {
				owner := h.user(t)
				result := h.restore(t, owner, text)
				wantComplete(t, result)
				if result.Inserted != 3 || result.CashInserted != 1 || result.Annotated != 2 || result.Orphans != 1 || result.SetupsUpserted != 1 ||
					result.Tags != 1 || result.Notes != 1 || result.Missed != 1 || result.Overrides != 1 || len(result.Files) != 2 {
					t.Errorf("%+v", result)
				}
				account := journal.AccountID("")
				if strings.Contains(name, "account") {
					account = result.Accounts[0].ID
				}
				h.clock.Advance(time.Hour)
				wantUnchanged(t, h.restore(t, owner, text))
				h.sameButVersion(t, owner, account, text)
				h.check(t)
			})
		})
	}
}

// sameButVersion checks that an old file's records are in the export after restoring it,
// with every member they have there.
func (h *fixture) sameButVersion(t *testing.T, owner journal.UserID, account journal.AccountID, old string) {
	t.Helper()
	want, got := h.decode(t, old), h.decode(t, h.export(t, owner, account))
	for i, b := range want.Accounts {
		after := got.Accounts[i]
		if want.Version == 1 {
			for place := range after.Executions {
				after.Executions[place].CreatedAt, after.Executions[place].Arrival = Instant{}, 0
			}
			for place := range after.Cash {
				after.Cash[place].CreatedAt = Instant{}
			}
		}
		if want.Version < 6 && len(after.Deleted) == 0 { // an empty list or none
			after.Deleted = b.Deleted
		}
		if want.Version < 6 && len(after.DeletedCash) == 0 {
			after.DeletedCash = b.DeletedCash
		}
		if want.Version < 6 && len(after.Connections) == 0 {
			after.Connections = b.Connections
		}
		if want.Version < 8 && len(after.Strategies) == 0 {
			after.Strategies = b.Strategies
		}
		if !reflect.DeepEqual(after, b) {
			t.Errorf("account %d is\n%+v\nwant\n%+v", i, after, b)
		}
	}
	if want.Version < 3 && len(got.ImportKinds) > 0 {
		t.Errorf("the journal has kinds of words that are not in the file: %+v", got.ImportKinds)
	}
	if want.Version < 8 {
		if len(got.Programs)+len(got.Enrollments) > 0 {
			t.Errorf("the journal has programs that are not in the file: %+v", got.Programs)
		}
		got.Programs, got.Enrollments, want.Programs, want.Enrollments = nil, nil, nil, nil
	}
	if want.Version < 4 && len(got.Views) > 0 {
		t.Errorf("the journal has views that are not in the file: %+v", got.Views)
	}
	if want.Version < 8 && len(got.TradingRules)+len(got.Goals) > 0 {
		t.Errorf("the journal has rules or goals that are not in the file: %+v %+v", got.TradingRules, got.Goals)
	}
	if want.Version < 8 {
		want.TradingRules, got.TradingRules, want.Goals, got.Goals = nil, nil, nil, nil
	}
	if want.Version < 4 { // an empty list or none
		want.Views, got.Views = nil, nil
	}
	if want.Version < 5 && len(got.NoteTemplates) > 0 {
		t.Errorf("the journal has templates that are not in the file: %+v", got.NoteTemplates)
	}
	if want.Version < 5 {
		want.NoteTemplates, got.NoteTemplates = nil, nil
	}
	if want.Version < 8 && len(got.CorporateActions) > 0 {
		t.Errorf("the journal has corporate actions that are not in the file: %+v", got.CorporateActions)
	}
	if want.Version < 8 {
		want.CorporateActions, got.CorporateActions = nil, nil
	}
	if want.Version < 6 && len(got.BarAliases)+len(got.BarSources)+len(got.Bars) > 0 {
		t.Errorf("the journal has aliases or bars that are not in the file: %+v, %+v", got.BarAliases, got.Bars)
	}
	if want.Version < 6 {
		want.BarAliases, got.BarAliases, want.Bars, got.Bars = nil, nil, nil, nil
		want.BarSources, got.BarSources = nil, nil
	}
	if want.Version < 7 && len(want.ImportLayouts)+len(got.ImportLayouts) == 0 { // an empty list or none
		want.ImportLayouts, got.ImportLayouts = nil, nil
	}
	if want.Version < 8 && len(got.Rates) > 0 {
		t.Errorf("the journal has rates that are not in the file: %+v", got.Rates)
	}
	if want.Version < 8 {
		want.Rates, got.Rates = nil, nil
	}
	if want.Version < 8 && len(got.Channels) > 0 {
		t.Errorf("the journal has channels that are not in the file: %+v", got.Channels)
	}
	if want.Version < 8 {
		want.Channels, got.Channels = nil, nil
	}
	want.Version, got.Version = 0, 0
	want.ImportKinds, got.ImportKinds = nil, nil
	want.Accounts, got.Accounts = nil, nil
	want.Attachments, got.Attachments = nil, nil // their content is not in the JSON
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
}

// A zip from an earlier version is restored with its files.
func TestOldZipIsRead(t *testing.T) {
	t.Parallel()
	for version := 1; version < formatVersion; version++ {
		content, err := os.ReadFile(fmt.Sprintf("testdata/version-%d.zip", version))
		must(t, err)
		h := oneFixture(t)
		result, attached := h.restoreZip(t, h.user(t), content)
		wantComplete(t, result)
		if attached != 2 {
			t.Errorf("version %d: %d files were attached, want 2", version, attached)
		}
	}
}

// TestOldNamesOfOrphans reads orphans, with their notes and files, under the names in
// versions 1 and 2 and under the current ones.
func TestOldNamesOfOrphans(t *testing.T) {
	t.Parallel()
	const (
		orphans = `"orphans":[{"symbol":"A","orphaned_at":"2026-03-02T00:00:00Z","fill_keys":["k"],"notes":"x"}]`
		links   = `"notes":[{"type":"note","occurred_at":"2026-03-02","body":"a"},
			{"type":"note","occurred_at":"2026-03-02","body":"b","trade":{"account":0,"orphan":0}}],
			"attachments":[{"name":"a.png","path":"attachments/1.png","trade":{"account":0,"orphan":0}}]}`
	)
	old := strings.NewReplacer(`"orphans"`, `"waiting_annotations"`, `"orphan"`, `"waiting"`)
	for name, body := range map[string]string{
		"all accounts": `"accounts":[{"account":{"name":"A"},` + orphans + `}],` + links,
		"one account":  `"account":{"name":"A"},` + orphans + `,` + links,
	} {
		for version := 1; version <= formatVersion; version++ {
			text := body
			if version < 3 {
				text = old.Replace(body)
			}
			doc, err := Decode(fmt.Appendf(nil, `{"format":"fillbook","version":%d,%s`, version, text))
			must(t, err)
			if len(doc.Accounts) != 1 || len(doc.Accounts[0].Orphans) != 1 || doc.Accounts[0].Orphans[0].Notes != "x" {
				t.Errorf("%s, version %d: the orphan was not read: %+v", name, version, doc.Accounts)
			}
			if doc.Notes[0].Trade != nil || doc.Notes[1].Trade.Orphan == nil || doc.Attachments[0].Trade.Orphan == nil {
				t.Errorf("%s, version %d: the links to the orphan were not read", name, version)
			}
		}
	}
}
