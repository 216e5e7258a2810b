package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"fillbook/internal/base/db"
	"fillbook/internal/httpapi"
	"fillbook/internal/installation"
	"fillbook/internal/testkit"
	"fillbook/internal/trading/playbook"
)

// recordKind is a kind of record to follow.
type recordKind struct {
	name, path string
	// except are ignored fields, and why.
	except map[string]string
}

const (
	ownID     = "a restored record gets an id of its own"
	ownTime   = "a backup does not say when a record was changed last"
	ownImport = "a restore is an import of its own"
	byActions = "it is computed from corporate actions; see TestCorporateActions"
)

var recordKinds = []recordKind{
	{name: "trade", path: "/trades", except: map[string]string{"excursion": "it is computed from bars; see TestExcursion", "converted": "it is requested with currency"}},
	{name: "orphan", path: "/trades/orphans", except: map[string]string{
		"trade_id": ownID, "attachments": "the JSON has no content of files; the zip has",
	}},
	{name: "execution", path: "/executions", except: map[string]string{
		"id": ownID, "import_batch_id": ownImport, "adjusted_quantity": byActions, "adjusted_price": byActions,
	}},
	{name: "cash", path: "/cash-transactions", except: map[string]string{"id": ownID, "import_batch_id": ownImport}},
	{name: "note", path: "/notes", except: map[string]string{"id": ownID, "updated_at": ownTime}},
	{name: "setup", path: "/setups", except: map[string]string{"updated_at": ownTime}},
	{name: "missed trade", path: "/missed-trades", except: map[string]string{"id": ownID, "updated_at": ownTime}},
	{name: "routine item", path: "/routines?day=2026-03-12", except: map[string]string{"id": ownID}},
	{name: "tag", path: "/tags"},
	{name: "note template", path: "/note-templates", except: map[string]string{"id": ownID, "updated_at": ownTime}},
	{name: "rate", path: "/rates", except: map[string]string{"id": ownID, "updated_at": ownTime}},
	{name: "corporate action", path: "/corporate-actions", except: map[string]string{"id": ownID, "updated_at": ownTime}},
	{name: "view", path: "/views", except: map[string]string{"id": ownID, "updated_at": ownTime}},
	{name: "import layout", path: "/import-layouts"},
	{name: "settings", path: "/settings/journal"},
	{name: "import kind", path: "/imports/kinds", except: map[string]string{"id": ownID}},
}

// readAs maps an annotation's written name to its read name, if they differ.
var readAs = map[string]string{"setup_id": "setup_ids", "reviewed": "reviewed_at"}

// writtenAs returns an annotation's name in a request.
func writtenAs(name string) string {
	if name == "reviewed_at" {
		return "reviewed"
	}
	return name
}

// TestEveryAnnotationIsInTheAPI compares the annotation field table with requests and
// answers.
func TestEveryAnnotationIsInTheAPI(t *testing.T) {
	t.Parallel()
	request := jsonNames(reflect.TypeFor[httpapi.AnnotationFields]())
	for _, f := range playbook.AnnotationFields {
		if !slices.Contains(request, writtenAs(f.Name)) {
			t.Errorf("a request cannot write %s", f.Name)
		}
		for _, kind := range []string{"trade", "orphan"} {
			if !slices.Contains(jsonNames(httpapi.RecordTypes[kind]), f.Name) {
				t.Errorf("a %s does not have %s", kind, f.Name)
			}
		}
	}
}

// TestEveryFieldSurvives follows every field in the API: annotations from a trade to the
// merged one, to an orphan and to the adopting trade; all records through a backup, a
// second restore, a restore into their own journal, tables, and a copy to the other
// engine. A new field fails here until it has a value and comes back everywhere.
func TestEveryFieldSurvives(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		owner := w.setUp()
		j := newFullJournal(t, owner.addAccount("Main"))
		j.fillRecords()
		j.followAnnotations()
		want := j.readAll(j.client)
		checkComplete(t, want)
		if t.Failed() {
			return // what has no value cannot be followed
		}

		w.clock.Advance(5 * time.Minute)
		text := j.exported(j.client, "json")
		other := w.addUser(owner, "other@example.org")
		other.form("/imports/commit", part{"file", "backup.json", text}).want(http.StatusOK).is("error_count", "0")
		j.same("restored", j.readAll(other), want)
		equalExports(t, "restored", j.exported(other, "json"), text)
		for name, c := range map[string]*client{"restored again": other, "restored into its own journal": j.client} {
			c.form("/imports/commit", part{"file", "backup.json", text}).want(http.StatusOK)
			j.same(name, j.readAll(c), want)
			equalExports(t, name, j.exported(c, "json"), text)
		}
		j.followTables(owner)
		j.followCopy(want)
	}, assistantsOn)
}

// fullJournal is a journal in which every field has a value.
type fullJournal struct {
	t *testing.T
	trader
	tags, setups []string
}

func newFullJournal(t *testing.T, d trader) *fullJournal {
	j := &fullJournal{t: t, trader: d}
	for _, tag := range []more{
		{"name": "gap, up", "kind": "custom", "color": "#112233", "description": "opened above"},
		{"name": "late; again", "kind": "mistake", "color": "#445566", "description": "chased"},
	} {
		j.tags = append(j.tags, d.made("/tags", tag).text("id"))
	}
	for _, name := range []string{"Opening drive", "Fade; late"} {
		j.setups = append(j.setups, d.made("/setups", more{
			"name": name, "description": "range", "thesis": "trend", "symbol": "CL", "direction": "long", "target_price": 5, "stop_price": -5,
			"checklist": []string{"volume"},
		}).text("id"))
	}
	return j
}

// annotations has a value for each writable field on a trade.
func (j *fullJournal) annotations() more {
	values := more{
		"notes": "=Waited,\nfor the \"retest\"", "setup_id": j.setups[1], "setup_ids": []string{j.setups[1], j.setups[0]}, "tag_ids": j.tags,
		"initial_risk": 50, "stop_price": -1.5, "target_price": 9.5, "last_stop": -0.5, "mae": -3, "mfe": 12.5, "emotional_state": "calm", "confidence": 4,
		"trade_quality": 5, "reviewed": true,
		"rules": []more{{"setup_id": j.setups[0], "rule": "volume", "state": "broken"}, {"setup_id": j.setups[1], "rule": "volume", "state": "followed"}},
	}
	for _, name := range jsonNames(reflect.TypeFor[httpapi.AnnotationFields]()) {
		if _, there := values[name]; !there {
			j.t.Errorf("the annotation %s has no value: add one to fullJournal.annotations in every_field_test.go", name)
		}
	}
	return values
}

var future = more{"instrument_type": "future", "multiplier": 10, "fees": 0.5, "commission": 1.25}

// followAnnotations writes every annotation and follows them while trades merge,
// lose their fills and adopt what is left.
func (j *fullJournal) followAnnotations() {
	for i, text := range []string{"buy 2@10", "sell 2@11", "buy 2@10", "sell 2@12"} {
		j.fill("CLK6", text, 10*i, future)
	}
	last := j.get("/trades?symbol=CLK6").want(http.StatusOK).text("0.id")
	want := j.annotationsOf(j.annotate(last, j.annotations()).value(""))
	j.sameAnnotations("the trade", j.trade(last).value(""), want)
	j.sameAnnotations("the list", j.get("/trades?symbol=CLK6").value("0"), want)

	merged := j.fill("CLK6", "buy 1@10", 5, future).text("trade_id")
	if merged == last {
		j.t.Error("the annotated trade is the one that goes on; the test needs the other")
	}
	j.sameAnnotations("the merged trade", j.trade(merged).value(""), want)
	fills, _ := j.trade(merged).value("fills").([]any)
	for _, fill := range fills {
		j.delete("/executions/" + fill.(map[string]any)["id"].(string)).want(http.StatusNoContent)
	}
	orphans := j.get("/trades/orphans").want(http.StatusOK)
	j.sameAnnotations("the orphan", orphans.value("0"), want)

	j.fill("NGK6", "buy 1@3", 20, future)
	home := j.fill("NGK6", "sell 1@4", 25, future).text("trade_id")
	j.post("/trades/orphans/"+orphans.text("0.trade_id")+"/adopt", more{"trade_id": home}).want(http.StatusOK)
	j.sameAnnotations("the adopting trade", j.trade(home).value(""), want)

	// A returning fill brings its annotations back.
	gone := j.fill("NGN6", "buy 1@3", 30, future)
	want = j.annotationsOf(j.annotate(gone.text("trade_id"), j.annotations()).value(""))
	j.delete("/executions/" + gone.text("id")).want(http.StatusNoContent)
	back := j.fill("NGN6", "buy 1@3", 30, future)
	j.sameAnnotations("the trade whose fill is back", j.trade(back.text("trade_id")).value(""), want)

	// Another one stays an orphan.
	lost := j.fill("NGM6", "buy 1@3", 40, future)
	j.annotate(lost.text("trade_id"), j.annotations())
	j.delete("/executions/" + lost.text("id")).want(http.StatusNoContent)
}

// annotationsOf returns the annotations on a trade or an orphan, as texts.
func (j *fullJournal) annotationsOf(record any) map[string]string {
	j.t.Helper()
	object, _ := record.(map[string]any)
	found := map[string]string{}
	for _, name := range jsonNames(reflect.TypeFor[httpapi.AnnotationFields]()) {
		if other, renamed := readAs[name]; renamed {
			name = other
		}
		value, there := object[name]
		if text := jsonText(value); !there || isEmptyText(text) {
			j.t.Errorf("the annotation %s is %s", name, text)
		} else {
			found[name] = text
		}
	}
	return found
}

func (j *fullJournal) sameAnnotations(where string, record any, want map[string]string) {
	j.t.Helper()
	got := j.annotationsOf(record)
	for name, text := range want {
		if got[name] != text {
			j.t.Errorf("%s: the annotation %s is %s, want %s", where, name, got[name], text)
		}
	}
}

// fillRecords creates the other records, and edits some.
func (j *fullJournal) fillRecords() {
	open := j.fill("AAPL", "buy 3@10", 0, more{"fees": 1}).text("trade_id") // stays open, with a risk derived from its stop
	j.annotate(open, more{"stop_price": 9})
	option := more{
		"instrument_type": "option", "details": more{"option_right": "put", "strike": "450", "expiry": "2026-06-19", "lot": "a", "venue": "ARCA"},
	}
	j.fill("SPY", "sell 2@1.5", 30, option, more{"external_id": "X-1"})
	closed := j.fill("SPY", "buy 2@1", 35, option, more{"stated_pnl": 99.5, "commission": 2})
	j.made("/strategies", more{"trade_ids": []any{closed.text("trade_id")}})
	j.patch("/executions/"+closed.text("id"), more{"price": 0.5, "stated_pnl": 199.5}).want(http.StatusOK)
	j.fill("QQQ", "buy 5@10", 40, more{"kind": "opening", "basis_estimated": true, "event_id": "E-1"})
	j.fill("QQQ", "sell 7@10", 41, more{"kind": "removal"}) // 2 belong to no trade
	j.fill("QQQ", "buy 2@0", 42, more{"kind": "removal"})   // belongs to no trade

	dividend := j.made("/cash-transactions", more{
		"account_id": j.account, "type": "dividend", "amount": 2.5, "occurred_at": at(60), "note": "quarterly", "trade_id": open,
	})
	j.put("/cash-transactions/"+dividend.text("id"), more{"amount": 3.5}).want(http.StatusOK)
	note := j.assistant("write").call("add_note", more{"body": "a page", "kind": "daily_log"}).done().reply.text("data.note.id")
	j.patch("/notes/"+note, more{
		"occurred_at": at(1), "title": "Monday", "body": "another page", "symbols": []more{{"symbol": "ES", "body": "quiet"}},
		"account_id": j.account, "trade_id": open,
	}).want(http.StatusOK)
	missed := j.made("/missed-trades", more{
		"account_id": j.account, "setup_id": j.setups[0], "symbol": "CL", "direction": "long", "observed_at": at(2), "entry": -1, "stop": -3,
		"target": 4, "reason": "away", "outcome": "target", "notes": "too slow",
	})
	j.put("/missed-trades/"+missed.text("id"), more{"notes": "far too slow"}).want(http.StatusOK)
	j.made("/corporate-actions", more{
		"kind": "stock_dividend", "symbol": "SPLT", "ratio_new": 21, "ratio_old": 20, "effective_on": "2026-01-05", "tz": "Europe/Berlin",
		"applies_to": "shares", "account_ids": []any{j.account}, "source": "file", "note": "5 %",
	})
	j.made("/corporate-actions", more{
		"kind": "exchange", "symbol": "OLD", "new_symbol": "NEW", "ratio_new": 1, "ratio_old": 2, "cost_share": 0.25, "cash_per_share": 1.5,
		"effective_on": "2026-01-06",
	})
	j.made("/note-templates", more{"name": "Plan", "type": "daily_log", "body": "{{date}}", "default": true})
	j.made("/rates", more{"base": "USD", "quote": "TWD", "on": "2026-03-09", "rate": "32.5"})
	j.made("/views", more{"name": "All of it"})
	j.made("/views", more{
		"name": "Late shorts", "columns": []string{"symbol", "net_pnl"}, "sort": "net_pnl", "order": "desc", "pinned": true,
		"filter": more{"account_id": j.account, "tag_id": j.tags[0], "setup_id": j.setups[0], "outcome": "loss", "q": "late & again"},
	})
	j.put("/settings/journal", more{"timezone": "Europe/Berlin", "breakeven_tolerance": more{"r": 0.05}}).want(http.StatusOK)
	j.put("/import-layouts/0a1b", more{
		"name": "Broker export", "source_tz": "America/New_York+7", "date_order": "day_first", "column_mapping": more{"symbol": "Name\nof it"},
		"accounts": []more{{"file_account": "U1", "account_id": j.account}, {"file_account": "", "account_id": j.account}},
	}).want(http.StatusOK)
	item := j.made("/routines", more{"title": "Read", "stage": "pre", "weekdays": []int{1, 2, 3}, "day": "2026-03-09"})
	j.put("/routines/day/2026-03-10/items/"+item.text("id"), more{"done": true}).want(http.StatusOK)
	j.patch("/routines/"+item.text("id"), more{"weekdays": []int{4}, "day": "2026-03-11"}).want(http.StatusOK)
	header, row, _ := strings.Cut(unknownWords, "\n")
	_, row, _ = strings.Cut(row, "ZORP") // the rows after the first one with the word
	_, row, _ = strings.Cut(row, "\n")
	j.upload("/imports/commit", header+"\n"+row, part{"kinds", "", `{"zorp": "interest"}`}).want(http.StatusOK).is("cash_inserted", "1")
}

// readAll reads all records in a journal. Ids are replaced by names, so two journals can
// be compared.
func (j *fullJournal) readAll(c *client) map[string][]map[string]string {
	j.t.Helper()
	names := map[string]string{}
	for path, fields := range map[string][]string{"/accounts": {"name"}, "/setups": {"name"}, "/tags": {"name"}, "/strategies": {"underlying"}, "/trades": {"symbol", "opened_at"}} {
		list, _ := c.get(path).want(http.StatusOK).value("").([]any)
		for _, element := range list {
			record, _ := element.(map[string]any)
			name := path
			for _, field := range fields {
				name += " " + jsonText(record[field])
			}
			names[record["id"].(string)] = name
		}
	}
	all := map[string][]map[string]string{}
	for _, kind := range recordKinds {
		value := c.get(kind.path).want(http.StatusOK).value("")
		object, isObject := value.(map[string]any)
		if isObject {
			value = object["items"]
		}
		list, _ := value.([]any)
		if isObject && value == nil {
			list = []any{object}
		}
		for _, element := range list {
			record := map[string]string{}
			for name, value := range element.(map[string]any) {
				if kind.except[name] == "" {
					record[name] = jsonText(withNames(value, names))
				}
			}
			all[kind.name] = append(all[kind.name], record)
		}
	}
	return all
}

// withNames replaces ids by names, however deep they lie.
func withNames(value any, names map[string]string) any {
	switch v := value.(type) {
	case string:
		if name, known := names[v]; known {
			return name
		}
	case []any:
		for i := range v {
			v[i] = withNames(v[i], names)
		}
	case map[string]any:
		for key := range v {
			v[key] = withNames(v[key], names)
		}
	}
	return value
}

// checkComplete requires a value for each API field in some record.
func checkComplete(t *testing.T, all map[string][]map[string]string) {
	t.Helper()
	for _, kind := range recordKinds {
		for _, name := range jsonNames(httpapi.RecordTypes[kind.name]) {
			has := func(record map[string]string) bool { return !isEmptyText(record[name]) }
			if kind.except[name] == "" && !slices.ContainsFunc(all[kind.name], has) {
				t.Errorf("%s of a %s has no value: add one to fullJournal.fillRecords in every_field_test.go", name, kind.name)
			}
		}
	}
	if len(recordKinds) != len(httpapi.RecordTypes) {
		t.Errorf("%d of %d kinds of records are followed", len(recordKinds), len(httpapi.RecordTypes))
	}
}

// same compares all records in two journals field by field.
func (j *fullJournal) same(where string, got, want map[string][]map[string]string) {
	j.t.Helper()
	for _, kind := range recordKinds {
		if len(got[kind.name]) != len(want[kind.name]) {
			j.t.Errorf("%s: %d records of the kind %s, want %d", where, len(got[kind.name]), kind.name, len(want[kind.name]))
			continue
		}
		for i, record := range want[kind.name] {
			for name, text := range record {
				if other := got[kind.name][i][name]; other != text {
					j.t.Errorf("%s: %s of %s %d is %s, want %s", where, name, kind.name, i+1, other, text)
				}
			}
		}
	}
}

// exported returns a journal's export without its time.
func (j *fullJournal) exported(c *client, query string) string {
	j.t.Helper()
	return string(c.get("/exports?format=" + query).want(http.StatusOK).body)
}

func equalExports(t *testing.T, where, got, want string) {
	t.Helper()
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] && !strings.HasPrefix(a[i], `"exported_at"`) {
			t.Errorf("%s: line %d of the export is\n%s\nwant\n%s", where, i+1, a[i], b[i])
			return
		}
	}
	if len(a) != len(b) {
		t.Errorf("%s: the export has %d lines, want %d", where, len(a), len(b))
	}
}

// followCopy copies the installation to the other engine, or to a second file
// where there is no PostgreSQL.
func (j *fullJournal) followCopy(want map[string][]map[string]string) {
	j.t.Helper()
	engine := db.SQLite
	if j.w.db.Engine() == db.SQLite && os.Getenv("SVC_TEST_POSTGRES") != "" {
		engine = db.PostgreSQL
	}
	other := newWorld(j.t, testkit.Open(j.t, engine))
	if _, err := j.w.services.CopyTo(j.t.Context(), other.services, installation.CopyOptions{}); err != nil {
		j.t.Fatal(err)
	}
	other.clock.Advance(5 * time.Minute)
	there := other.as(j.token)
	j.same("copied", j.readAll(there), want)
	equalExports(j.t, "copied", j.exported(there, "json"), j.exported(j.client, "json"))
}

// jsonNames lists a struct's JSON names, with embedded and without hidden ones.
func jsonNames(of reflect.Type) (names []string) {
	for _, f := range reflect.VisibleFields(of) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); f.IsExported() && name != "" && name != "-" && f.Tag.Get("hidden") == "" {
			names = append(names, name)
		}
	}
	return names
}

func jsonText(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(err)
	}
	return string(text)
}

// isEmptyText reports whether a JSON value is empty or null.
func isEmptyText(text string) bool {
	return slices.Contains([]string{"", "null", `""`, "[]", "{}", "0", "false"}, text)
}
