package httpapi_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fillbook/internal/testkit"
)

// robot sends random requests, with ids of records that exist, to all routes of the
// description.
type robot struct {
	client *client
	random *rand.Rand
	doc    document
	// ids has the ids of each list by its path, and those that fields name, by field.
	ids map[string][]string
	all []string
	// statuses counts the answers by their hundreds.
	statuses map[int]int
}

// id returns a random id of one of some kinds; sometimes, or if there is none, of any.
func (r *robot) id(kinds ...string) string {
	for _, kind := range kinds {
		if list := r.ids[kind]; len(list) > 0 && r.random.IntN(10) > 0 {
			return list[r.random.IntN(len(list))]
		}
	}
	if len(r.all) == 0 {
		return unknown()
	}
	return r.all[r.random.IntN(len(r.all))]
}

// collect reads all lists and collects the ids in them.
func (r *robot) collect() {
	r.ids, r.all = map[string][]string{}, nil
	r.doc.eachOperation(func(method, path string, operation object) {
		isComputed := strings.Contains(path, "/analytics/")
		if method != http.MethodGet || isComputed || strings.Contains(path, "{") || child(operation, "responses", "200", "content", "application/json") == nil {
			return
		}
		got := r.client.do(method, "/"+path, nil)
		r.judge(got, "")
		var value any
		if json.Unmarshal(got.body, &value) == nil {
			r.collectIDs(path, "", value)
		}
	})
	for kind, list := range r.ids {
		slices.Sort(list)
		r.ids[kind] = slices.Compact(list)
	}
	slices.Sort(r.all)
	r.all = slices.Compact(r.all)
}

// maxIDs is how many ids of one list are collected.
const maxIDs = 200

func (r *robot) collectIDs(path, name string, value any) {
	switch value := value.(type) {
	case map[string]any:
		for member, v := range value {
			r.collectIDs(path, member, v)
		}
	case []any:
		for i, v := range value {
			if i < maxIDs {
				r.collectIDs(path, name, v)
			}
		}
	case string:
		kind := strings.TrimSuffix(name, "s")
		if name == "id" || name == "day" || name == "signature" {
			kind = path
		} else if !strings.HasSuffix(kind, "_id") {
			return
		}
		r.ids[kind], r.all = append(r.ids[kind], value), append(r.all, value)
	}
}

// judge requires an answer below 500.
func (r *robot) judge(got *reply, sent any) {
	r.client.w.t.Helper()
	r.statuses[got.status/100]++
	if got.status >= http.StatusInternalServerError {
		r.client.w.t.Errorf("%s with %v: status %d: %s", got.call, sent, got.status, got.body)
	}
}

var pathHoles = regexp.MustCompile(`\{[^}]+\}`)

// call sends one request, and undoes a deletion, so that there are records left.
func (r *robot) call(c call) {
	query := url.Values{}
	parameters, _ := c.operation["parameters"].([]any)
	for _, p := range parameters {
		p := p.(object)
		if name, _ := p["name"].(string); p["in"] == "query" && (p["required"] == true || r.random.IntN(5) == 0) {
			query.Set(name, fmt.Sprint(r.value(name, child(p, "schema"), 0)))
		}
	}
	// A list of /trades/{id}/fills is that of /trades.
	list, _, _ := strings.Cut(c.path, "/{")
	path := pathHoles.ReplaceAllStringFunc(c.path, func(hole string) string {
		if hole == "{day}" {
			return r.day()
		}
		return url.PathEscape(r.id(list, strings.Trim(hole, "{}")))
	})
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	var got *reply
	var sent any
	content := child(c.operation, "requestBody", "content")
	switch {
	case content["application/json"] != nil:
		sent = r.value("", child(content, "application/json", "schema"), 0)
		got = r.client.do(c.method, "/"+path, sent)
	case content["multipart/form-data"] != nil:
		parts := r.parts(r.doc.schema(child(content, "multipart/form-data", "schema")))
		sent = parts
		got = r.client.form(strings.TrimPrefix(path, "/api/v1"), parts...)
	default:
		got = r.client.do(c.method, "/"+path, nil)
	}
	r.judge(got, sent)
	change := got.header.Get("X-Change-Id")
	if c.method == http.MethodDelete && got.status < 300 && change != "" {
		r.judge(r.client.post("/history/"+change+"/undo", nil), nil)
	}
}

// parts returns the parts of a form.
func (r *robot) parts(schema object) (list []part) {
	for name, property := range child(schema, "properties") {
		property := r.doc.schema(property.(object))
		switch {
		case property["format"] == "binary" || typesOf(property)[0] == "array":
			list = append(list, part{field: name, file: "fills.csv", content: []string{twoFills, "", "a,b\n1,2\n", "\x00"}[r.random.IntN(4)]})
		case r.random.IntN(4) == 0:
			list = append(list, part{field: name, content: fmt.Sprint(r.value(name, property, 0))})
		}
	}
	slices.SortFunc(list, func(a, b part) int { return strings.Compare(a.field, b.field) })
	return list
}

func (r *robot) day() string {
	return fmt.Sprintf("2026-%02d-%02d", 1+r.random.IntN(12), 1+r.random.IntN(28))
}

// value returns a random value of a schema, most often a valid one.
func (r *robot) value(name string, schema object, depth int) any {
	schema = r.doc.schema(schema)
	if choices, ok := schema["enum"].([]any); ok {
		return choices[r.random.IntN(len(choices))]
	}
	types := typesOf(schema)
	if len(types) == 0 || depth > 5 {
		return nil
	}
	switch types[r.random.IntN(len(types))] {
	case "object":
		required, _ := schema["required"].([]any)
		properties := child(schema, "properties")
		names := make([]string, 0, len(properties))
		for property := range properties {
			names = append(names, property)
		}
		slices.Sort(names) // repeatable
		value := object{}
		for _, property := range names {
			if r.random.IntN(3) == 0 || slices.Contains(required, any(property)) && r.random.IntN(20) > 0 {
				value[property] = r.value(property, properties[property].(object), depth+1)
			}
		}
		return value
	case "array":
		list := make([]any, r.random.IntN(3))
		for i := range list {
			list[i] = r.value(name, child(schema, "items"), depth+1)
		}
		return list
	case "boolean":
		return r.random.IntN(2) == 0
	case "integer":
		return []int{0, 1, 2, 5, 30, 390, 2026, -1, 1 << 40}[r.random.IntN(9)]
	case "number":
		return []float64{0, 1, .5, 100, -3, 1e18}[r.random.IntN(6)]
	case "null":
		return nil
	}
	return r.text(name, schema)
}

// text returns a random text for a field or parameter.
func (r *robot) text(name string, schema object) string {
	switch {
	case schema["format"] == "date-time":
		return r.day() + []string{"T15:04:05Z", "T23:59:59.999999Z", "T00:00:00+14:00"}[r.random.IntN(3)]
	case schema["format"] == "date":
		return r.day()
	case strings.HasSuffix(name, "_id") || strings.HasSuffix(name, "_ids"):
		return r.id(strings.TrimSuffix(name, "s"))
	}
	words := []string{
		"AAPL", "MSFT", "ESH6", "1", "12.5", "-7", "0", "USD", "EUR", "America/New_York", "UTC", "json", "symbol", "net_pnl", "-opened_at", "all", "month",
		"A text", "é\u0000", strings.Repeat("x", 300), "", r.day(), r.day() + "T10:00:00Z", r.id(),
	}
	return words[r.random.IntN(len(words))]
}

// TestRobotFindsNoFault sends random requests to all routes, about records of the demo
// journal: no answer is a 5xx, and all agree with the description. With SVC_TEST_LONG the
// check also finds nothing afterwards.
func TestRobotFindsNoFault(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		d := w.trader()
		d.post("/accounts/demo", nil).want(http.StatusCreated)
		r := &robot{client: d.client, doc: readDescription(t, w.api), statuses: map[int]int{}}
		var calls []call
		r.doc.eachOperation(func(method, path string, operation object) { calls = append(calls, call{method, path, operation}) })
		slices.SortFunc(calls, func(a, b call) int { return strings.Compare(a.path+a.method, b.path+b.method) })
		for round := range uint64(testkit.Rounds(1, 60)) {
			r.random = rand.New(rand.NewPCG(round, 33)) //nolint:gosec // repeatable
			r.collect()
			if len(r.all) < 500 {
				t.Fatalf("round %d begins with %d ids", round, len(r.all))
			}
			r.random.Shuffle(len(calls), func(a, b int) { calls[a], calls[b] = calls[b], calls[a] })
			for _, c := range calls {
				r.call(c)
				if d.client.get("/me").status == http.StatusUnauthorized { // it has signed out
					d.client.token = w.logIn(ownerEmail, ownerPassword).text("access_token")
				}
			}
			if t.Failed() {
				t.Fatalf("in round %d", round)
			}
		}
		if testkit.Rounds(0, 1) > 0 { // it takes seconds
			w.checkInstallation()
		}
		t.Logf("answers by hundreds: %v", r.statuses)
		if r.statuses[2] < len(calls)/4 {
			t.Errorf("few requests were accepted: %v", r.statuses)
		}
	})
}
