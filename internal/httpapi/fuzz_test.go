package httpapi_test

import (
	"encoding/json"
	"hash/crc32"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fillbook/internal/base/db"
	"fillbook/internal/testkit"
)

// target is an installation to throw things at, with what there is to hit.
type target struct {
	owner *client
	ids   map[string]string // an id for each path with one
	// The calls with a JSON body, and the reading ones.
	writes, reads []call
}

// targets returns an installation on each available engine.
func targets(f *testing.F) []target {
	f.Helper()
	engines := []db.Engine{db.SQLite}
	if os.Getenv("SVC_TEST_POSTGRES") != "" {
		engines = append(engines, db.PostgreSQL)
	}
	var list []target
	for _, engine := range engines {
		owner := newWorld(f, testkit.Open(f, engine), openRegistration).setUp()
		victim := owner.post("/admin/users", account("victim@example.org", "password of a victim")).want(http.StatusCreated).text("id")
		made := target{owner: owner, ids: map[string]string{"/api/v1/admin/users/": victim}}
		made.writes = made.calls(func(_ string, operation object) bool {
			return child(operation, "requestBody", "content", "application/json") != nil
		})
		made.reads = made.calls(func(method string, _ object) bool { return method == http.MethodGet })
		if len(made.writes) < 15 || len(made.reads) < 8 {
			f.Fatalf("only %d calls write and %d read", len(made.writes), len(made.reads))
		}
		list = append(list, made)
	}
	return list
}

// call is a described method and path.
type call struct {
	method, path string
	operation    object
}

// calls returns the selected operations, in a fixed order, with ids in their paths.
func (target target) calls(pass func(method string, operation object) bool) []call {
	holes := regexp.MustCompile(`\{[^}]+\}`)
	var list []call
	w := target.owner.w
	readDescription(w.t, w.api).eachOperation(func(method, path string, operation object) {
		if !pass(method, operation) {
			return
		}
		id := "01890a5d-ac96-774b-bcce-b302099a8057"
		for prefix, known := range target.ids {
			if strings.HasPrefix(path, prefix) {
				id = known
			}
		}
		path = strings.Replace(path, "{day}", "2026-03-10", 1)
		list = append(list, call{method, holes.ReplaceAllString(path, id), operation})
	})
	slices.SortFunc(list, func(a, b call) int { return strings.Compare(a.method+a.path, b.method+b.path) })
	return list
}

// send sends a request with any body and any query and requires an answer below 500.
func (target target) send(t *testing.T, c call, query string, body []byte) *reply {
	t.Helper()
	request := httptest.NewRequest(c.method, c.path, strings.NewReader(string(body)))
	request.URL.RawQuery = query
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+target.owner.token)
	got := target.owner.in(t).send(request)
	if got.status >= 500 {
		t.Fatalf("%s %s?%s with %q: status %d: %s", c.method, c.path, query, body, got.status, got.body)
	}
	return got
}

// example makes a body that fits a schema, to begin with.
func (d document) example(schema object, depth int) any {
	schema = d.schema(schema)
	if choices, ok := schema["enum"].([]any); ok {
		return choices[0]
	}
	types := typesOf(schema)
	switch {
	case len(types) == 0 || depth > 5:
		return nil
	case types[0] == "object":
		value := object{}
		for name, property := range child(schema, "properties") {
			value[name] = d.example(property.(object), depth+1)
		}
		return value
	case types[0] == "array":
		return []any{d.example(child(schema, "items"), depth+1)}
	case types[0] == "boolean":
		return true
	case types[0] == "number" || types[0] == "integer":
		return 30
	case schema["format"] == "date-time":
		return "2026-03-10T15:04:05.123456Z"
	}
	return "buy long pre 2026-03-10"
}

// FuzzBodies sends any bytes to every route with a JSON body, on both engines, and then
// reads the stored records: no request may cause a 5xx, then or later. make test sends
// the example of a route to this route and to some of the others, different ones for
// each example; make soak sends all examples everywhere.
func FuzzBodies(f *testing.F) {
	all := targets(f)
	d := readDescription(f, all[0].owner.w.api)
	owners := map[string][]string{} // methods and paths with an example, by example
	for _, c := range all[0].writes {
		text, err := json.Marshal(d.example(child(c.operation, "requestBody", "content", "application/json", "schema"), 0))
		if err != nil {
			f.Fatal(err)
		}
		owners[string(text)] = append(owners[string(text)], c.method+c.path)
		f.Add(text)
	}
	parts := uint32(testkit.Rounds(16, 1))
	for _, text := range []string{
		``, `null`, `[]`, `{}`, `{"":null}`, `{"a":1e400}`, `{"name":"\u0000"}`, `{"name":"\ud800"}`, `{"a":{"a":[[[{}]]]}}`, "\xff\xfe", `{"email":"é@x.y","password":"` + strings.Repeat("é", 600) + `"}`,
		`{"name":"x","expires_in_days":-0.0e-30}`, `{"is_admin":false}`, `{"new_password":"0123456789abcdef"}`, `{"weekdays":[9223372036854775808],"ids":[""]}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		own, isExample := owners[string(body)]
		part := crc32.ChecksumIEEE(body)
		isSelected := func(i int) bool { return !isExample || (part+uint32(i))%parts == 0 }
		refused := map[int]bool{} // by validation, so no other engine gets it
		for _, target := range all {
			stored := false
			for i, c := range target.writes {
				if refused[i] || !isSelected(i) && !slices.Contains(own, c.method+c.path) {
					continue
				}
				status := target.send(t, c, "", body).status
				refused[i] = status == http.StatusBadRequest
				stored = status < 300 || stored
			}
			if !stored {
				continue
			}
			for i, c := range target.reads {
				if isSelected(i) {
					target.send(t, c, "", nil)
				}
			}
		}
	})
}

// FuzzQueries sends any query to every GET route.
func FuzzQueries(f *testing.F) {
	all := targets(f)
	for _, query := range []string{
		"", "limit=1", "limit=1&cursor=az0xJms9Mg", "limit=1000&cursor=" + strings.Repeat("A", 100), "account_id=a,b&account_id=c", "from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00%2B01:00",
		"from=9999-12-31T23:59:59Z", "tz=Europe/Berlin", "tz=../../etc/passwd", "status=open&side=long&symbol=A,B", "day=2026-02-29", "%00=%00", "%ff=%ff", "a=1;b", "=&=&", "limit=%31", "cursor=%00",
		"from=2026-03-10&to=2026-03-01", "date_basis=open&setup_id=x&tag_id=y&instrument_type=z",
	} {
		f.Add(query)
	}
	f.Fuzz(func(t *testing.T, query string) {
		for _, target := range all {
			for _, c := range target.reads {
				target.send(t, c, query, nil)
			}
		}
	})
}
