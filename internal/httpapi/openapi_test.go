package httpapi_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"fillbook/internal/base/db"
	"fillbook/internal/httpapi"
	"fillbook/internal/testkit"
	"fillbook/internal/trading/tradefilter"
)

var update = flag.Bool("update", false, "rewrite api/openapi.yaml")

// committed is the description's path, for people and client generators.
const committed = "../../api/openapi.yaml"

// TestDescriptionIsCommitted compares api/openapi.yaml with the program. Run go test
// ./internal/httpapi -run TestDescriptionIsCommitted -update after changing the API, and
// read the difference before you commit it.
func TestDescriptionIsCommitted(t *testing.T) {
	t.Parallel()
	unreleased := func(s *settle) { s.api.Version = "unreleased" }
	w := newWorld(t, testkit.Open(t, db.SQLite), unreleased)
	source, err := w.api.Description()
	if err != nil {
		t.Fatal(err)
	}
	text := toYAML(t, source)
	if *update {
		if err := os.MkdirAll("../../api", 0o755); err != nil { // part of the sources
			t.Fatal(err)
		}
		if err := os.WriteFile(committed, text, 0o644); err != nil { // part of the sources
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(committed)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(text)); diff != "" {
		t.Errorf("api/openapi.yaml is out of date; run this test with -update: %s", diff)
	}
}

// toYAML returns a JSON document as YAML. What fits in a line is in a line, so that a
// difference shows a changed property as one line.
func toYAML(t *testing.T, source []byte) []byte {
	t.Helper()
	var document yaml.Node
	if err := yaml.Unmarshal(source, &document); err != nil { // JSON is YAML
		t.Fatal(err)
	}
	fold(&document)
	var text bytes.Buffer
	encoder := yaml.NewEncoder(&text)
	encoder.SetIndent(2)
	if err := encoder.Encode(&document); err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}

// fold chooses the style of a node and those below it, and returns the length of the node
// in a line.
func fold(node *yaml.Node) int {
	const longest = 200
	length := len(node.Value) + len(", ")
	node.Style = 0
	for _, inner := range node.Content {
		length += fold(inner)
	}
	if len(node.Content) > 0 && length <= longest {
		node.Style = yaml.FlowStyle
	}
	return length
}

// object is a JSON object in the description.
type object = map[string]any

// document is the description with helpers for tests.
type document struct {
	t    testing.TB
	root object
}

// readDescription reads the program's description.
func readDescription(t testing.TB, api *httpapi.API) document {
	t.Helper()
	text, err := api.Description()
	if err != nil {
		t.Fatal(err)
	}
	var root object
	if err := json.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	return document{t, root}
}

// child returns a member object, empty if none.
func child(of object, names ...string) object {
	for _, name := range names {
		of, _ = of[name].(object)
	}
	return of
}

// resolve follows a reference, which must lead somewhere.
func (d document) resolve(ref string) object {
	d.t.Helper()
	path, ok := strings.CutPrefix(ref, "#/")
	found := child(d.root, strings.Split(path, "/")...)
	if !ok || found == nil {
		d.t.Errorf("the reference %s leads nowhere", ref)
	}
	return found
}

// schema returns a schema, following its reference.
func (d document) schema(of object) object {
	d.t.Helper()
	for of["$ref"] != nil {
		ref, _ := of["$ref"].(string)
		of = d.resolve(ref)
	}
	return of
}

// eachOperation visits every described operation.
func (d document) eachOperation(visit func(method, path string, operation object)) {
	for path, item := range child(d.root, "paths") {
		for method, operation := range item.(object) {
			visit(strings.ToUpper(method), path, operation.(object))
		}
	}
}

// publicPaths take no credential. Logging out takes one or the other.
var publicPaths = []string{
	"/api/v1/setup/status", "/api/v1/setup", "/api/v1/auth/login", "/api/v1/auth/refresh", "/api/v1/auth/register", "/api/v1/auth/logout",
	"/api/v1/public/share/{token}",
}

func TestDescriptionIsServed(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		got := w.anonymous().get("//openapi.json").want(http.StatusOK)
		text, err := w.api.Description()
		if err != nil || got.header.Get("Content-Type") != "application/json" || !bytes.Equal(got.body, text) {
			t.Errorf("served as %q, %d bytes", got.header.Get("Content-Type"), len(got.body))
		}
	})
}

// TestDescriptionIsValid is OpenAPI 3.1 as far as a client's generator leans on
// it.
func TestDescriptionIsValid(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testkit.Open(t, db.SQLite))
	d := readDescription(t, w.api)
	if version, _ := d.root["openapi"].(string); !strings.HasPrefix(version, "3.1.") {
		t.Errorf("openapi %q", version)
	}
	if info := child(d.root, "info"); info["title"] != "Fillbook" || info["version"] != "test" {
		t.Errorf("info %v", info)
	}
	if scheme := child(d.root, "components", "securitySchemes", "bearer"); scheme["type"] != "http" || scheme["scheme"] != "bearer" {
		t.Errorf("bearer is %v", scheme)
	}
	names := map[any]string{}
	d.eachOperation(func(method, path string, operation object) {
		call := method + " " + path
		id, _ := operation["operationId"].(string)
		if !regexp.MustCompile(`^[a-z][A-Za-z0-9]+$`).MatchString(id) || names[id] != "" {
			t.Errorf("%s has the id %q, as has %q", call, id, names[id])
		}
		names[id] = call
		if summary, _ := operation["summary"].(string); summary == "" || strings.HasSuffix(summary, ".") {
			t.Errorf("%s has the summary %q", call, summary)
		}
		if tags, _ := operation["tags"].([]any); len(tags) != 1 || tags[0] == "" {
			t.Errorf("%s has the tags %v", call, tags)
		}
		d.checkSecurity(call, path, operation)
		d.checkParameters(call, path, operation)
		d.checkResponses(call, operation)
		if body := child(operation, "requestBody"); body != nil && len(child(body, "content")) != 1 {
			t.Errorf("%s takes %v", call, body)
		}
	})
	for name, schema := range child(d.root, "components", "schemas") {
		if !regexp.MustCompile(`^[A-Za-z0-9._-]+$`).MatchString(name) {
			t.Errorf("a schema has the name %q", name)
		}
		d.checkSchema(name, schema.(object))
	}
	d.checkReferences(d.root)
}

func (d document) checkSecurity(call, path string, operation object) {
	wanted := any([]any{object{"bearer": []any{}}})
	if slices.Contains(publicPaths, path) || call == "POST /api/v1/hooks/{id}" { // which takes the hook's secret
		wanted = nil
	}
	if diff := cmp.Diff(wanted, operation["security"]); diff != "" {
		d.t.Errorf("%s: security: %s", call, diff)
	}
}

// checkParameters finds every {name} in the path among the parameters: a field may
// lack its tag.
func (d document) checkParameters(call, path string, operation object) {
	inPath := map[string]bool{}
	for _, match := range regexp.MustCompile(`\{([^}]+)\}`).FindAllStringSubmatch(path, -1) {
		inPath[match[1]] = false
	}
	list, _ := operation["parameters"].([]any)
	if takesFilter := regexp.MustCompile(`^GET .*/(trades|exports|analytics/[a-z-]+)$`).MatchString(call); takesFilter && len(list) < len(tradefilter.Parameters()) {
		d.t.Errorf("%s does not describe the filter of trades", call)
	}
	seen := map[string]bool{}
	for _, item := range list {
		parameter := d.schema(item.(object))
		name, _ := parameter["name"].(string)
		in, _ := parameter["in"].(string)
		if seen[in+name] || name == "" || !slices.Contains([]string{"path", "query", "header"}, in) {
			d.t.Errorf("%s: parameter %v", call, parameter)
		}
		seen[in+name] = true
		d.checkSchema(call+" "+name, child(parameter, "schema"))
		if in == "path" {
			if _, ok := inPath[name]; !ok || parameter["required"] != true {
				d.t.Errorf("%s: %s is not in the path, or not required", call, name)
			}
			inPath[name] = true
		}
	}
	for name, described := range inPath {
		if !described {
			d.t.Errorf("%s: %s is not described", call, name)
		}
	}
}

func (d document) checkResponses(call string, operation object) {
	responses := child(operation, "responses")
	successes := 0
	for status, item := range responses {
		if status == "default" {
			continue
		}
		response := item.(object)
		number, err := strconv.Atoi(status)
		if err != nil || response["description"] == "" || number >= http.StatusBadRequest {
			d.t.Errorf("%s: response %s: %v", call, status, response)
		}
		successes++
		if (len(child(response, "content")) > 0) != (number != http.StatusNoContent) {
			d.t.Errorf("%s: %s has the content %v", call, status, response["content"])
		}
	}
	if successes == 0 {
		d.t.Errorf("%s never succeeds", call)
	}
	if ref := child(responses, "default")["$ref"]; ref != "#/components/responses/Error" {
		d.t.Errorf("%s describes an error as %v", call, ref)
	}
	for _, always := range []int{http.StatusBadRequest, http.StatusInternalServerError, http.StatusServiceUnavailable} {
		if !hasErrorStatus(operation, always) {
			d.t.Errorf("%s: no %d", call, always)
		}
	}
	if hasErrorStatus(operation, http.StatusUnauthorized) != (operation["security"] != nil) && !strings.Contains(call, "/auth/") {
		d.t.Errorf("%s: 401 is there or is not", call)
	}
}

// hasErrorStatus reports whether the description lists an error status.
func hasErrorStatus(operation object, status int) bool {
	list, _ := operation["x-error-statuses"].([]any)
	return slices.ContainsFunc(list, func(v any) bool { return fmt.Sprint(v) == strconv.Itoa(status) })
}

var jsonTypes = []string{"object", "array", "string", "number", "integer", "boolean", "null"}

// checkSchema checks a schema and all its parts.
func (d document) checkSchema(name string, schema object) {
	types := typesOf(schema)
	for _, kind := range types {
		if !slices.Contains(jsonTypes, kind) {
			d.t.Errorf("%s has the type %s", name, kind)
		}
	}
	if slices.Contains(types, "array") && child(schema, "items") == nil {
		d.t.Errorf("%s is a list of nothing", name)
	}
	properties := child(schema, "properties")
	required, _ := schema["required"].([]any)
	for _, property := range required {
		if properties[property.(string)] == nil {
			d.t.Errorf("%s requires %s, which it does not have", name, property)
		}
	}
	for property, inner := range properties {
		d.checkSchema(name+"."+property, inner.(object))
	}
	if items := child(schema, "items"); items != nil {
		d.checkSchema(name+"[]", items)
	}
}

// typesOf returns a schema's types.
func typesOf(schema object) []string {
	switch kind := schema["type"].(type) {
	case string:
		return []string{kind}
	case []any:
		var list []string
		for _, one := range kind {
			list = append(list, one.(string))
		}
		return list
	}
	return nil
}

func (d document) checkReferences(value any) {
	switch v := value.(type) {
	case object:
		if ref, ok := v["$ref"].(string); ok {
			d.resolve(ref)
		}
		for _, inner := range v {
			d.checkReferences(inner)
		}
	case []any:
		for _, inner := range v {
			d.checkReferences(inner)
		}
	}
}

// TestDescriptionListsTheSpec finds every endpoint in the foundation.
func TestDescriptionListsTheSpec(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testkit.Open(t, db.SQLite))
	d := readDescription(t, w.api)
	for _, call := range []string{
		"GET /setup/status", "POST /setup", "POST /auth/login", "POST /auth/refresh", "POST /auth/register", "POST /auth/logout",
		"GET /me", "PUT /me/password", "POST /me/totp/start", "POST /me/totp/confirm", "POST /me/totp/disable",
		"GET /me/preferences", "PATCH /me/preferences", "GET /me/sessions", "DELETE /me/sessions/{id}",
		"GET /access-tokens", "POST /access-tokens", "DELETE /access-tokens/{id}", "GET /access-tokens/{id}/uses",
		"GET /admin/users", "POST /admin/users", "PATCH /admin/users/{id}", "DELETE /admin/users/{id}", "POST /admin/users/{id}/password",
		"GET /admin/audit",
	} {
		method, path, _ := strings.Cut(call, " ")
		if child(d.root, "paths", "/api/v1"+path, strings.ToLower(method)) == nil {
			t.Errorf("%s is not described", call)
		}
	}
}

// TestDescriptionListsEveryRoute learns each path's methods by sending an unknown one.
func TestDescriptionListsEveryRoute(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testkit.Open(t, db.SQLite))
	d := readDescription(t, w.api)
	holes := regexp.MustCompile(`\{[^}]+\}`)
	methods := map[string][]string{}
	d.eachOperation(func(method, path string, _ object) {
		methods[path] = append(methods[path], method)
		if method == http.MethodGet {
			methods[path] = append(methods[path], http.MethodHead)
		}
	})
	for path := range methods {
		example := holes.ReplaceAllString(path, "x")
		var want []string // from every pattern for the path
		for template, list := range methods {
			if regexp.MustCompile("^" + holes.ReplaceAllString(template, "[^/]+") + "$").MatchString(example) {
				want = append(want, list...)
			}
		}
		slices.Sort(want)
		got := w.anonymous().do("BREW", "/"+example, nil).want(http.StatusMethodNotAllowed).header.Get("Allow")
		if diff := cmp.Diff(strings.Join(slices.Compact(want), ", "), got); diff != "" {
			t.Errorf("%s is described otherwise than it is served: %s", path, diff)
		}
	}
}
