package httpapi_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"fillbook/internal/httpapi"
)

// described is the API description in a form for comparing answers.
type described struct {
	document document
	routes   map[routeKey][]describedRoute
}

// routeKey is what a request shares with its route: the method and the path's length.
type routeKey struct {
	method  string
	slashes int
}

type describedRoute struct {
	path      *regexp.Regexp
	holes     int
	operation object
}

// description is the same for every world in this process.
var description struct {
	once sync.Once
	described
}

func descriptionOf(t testing.TB, api *httpapi.API) described {
	t.Helper()
	description.once.Do(func() {
		d := readDescription(t, api)
		holes := regexp.MustCompile(`\{[^}]+\}`)
		description.document, description.routes = d, map[routeKey][]describedRoute{}
		d.eachOperation(func(method, path string, operation object) {
			key := routeKey{method, strings.Count(path, "/")}
			description.routes[key] = append(description.routes[key], describedRoute{
				path:  regexp.MustCompile("^" + holes.ReplaceAllString(path, "[^/]+") + "$"),
				holes: len(holes.FindAllString(path, -1)), operation: operation,
			})
		})
	})
	return described{document{t, description.document.root}, description.routes}
}

// operation finds a request's operation, or nil.
func (d described) operation(request *http.Request) object {
	method := request.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	path := request.URL.EscapedPath()
	var found *describedRoute
	for _, route := range d.routes[routeKey{method, strings.Count(path, "/")}] {
		if route.path.MatchString(path) && (found == nil || route.holes < found.holes) {
			found = &route
		}
	}
	if found == nil {
		return nil
	}
	return found.operation
}

// check compares every answer with the description: its status must be listed, and its
// body must have the described fields and no others.
func (d described) check(request *http.Request, r *reply) {
	r.t.Helper()
	operation := d.operation(request)
	if operation == nil || r.status == http.StatusNotModified || r.header.Get("Location") != "" {
		return
	}
	response := d.response(operation, r.status)
	if response == nil {
		r.t.Errorf("%s answers %d, which is not in the description: %s", r.call, r.status, r.body)
		return
	}
	schema := child(response, "content", "application/json", "schema")
	isJSON := r.header.Get("Content-Type") == "application/json"
	if schema == nil || !isJSON || request.Method == http.MethodHead || r.header.Get("Content-Encoding") != "" {
		return
	}
	answer := sha256.Sum256(fmt.Appendf(nil, "%p %d %s", operation, r.status, r.body))
	if _, isChecked := checkedAnswers.LoadOrStore(answer, true); isChecked {
		return
	}
	if err := r.decode(); err != nil {
		r.t.Errorf("%s: the answer is no JSON: %v", r.call, err)
		return
	}
	if isNameList(operation, r.decoded) {
		return
	}
	for _, fault := range d.document.faults("answer", schema, r.decoded) {
		kind := itemIndex.ReplaceAllString(fault, "[]")
		if _, isReported := reportedFaults.LoadOrStore(kind, true); !isReported {
			r.t.Errorf("%s: %d is described otherwise: %s", r.call, r.status, fault)
		}
	}
}

// checkedAnswers are the digests of the answers that have been compared. Many tests read
// the same lists again and again.
var checkedAnswers sync.Map

// reportedFaults are the already reported faults in answers. A new field is missing in
// thousands of answers, and one line about it is enough.
var (
	reportedFaults sync.Map
	itemIndex      = regexp.MustCompile(`\[\d+\]`)
)

// response returns the described response with a status, or nil.
func (d described) response(operation object, status int) object {
	if status < http.StatusBadRequest {
		return child(operation, "responses", strconv.Itoa(status))
	}
	if !hasErrorStatus(operation, status) {
		return nil
	}
	return child(d.document.root, "components", "responses", "Error")
}

// isNameList reports whether an answer is a record list for figure tokens: ids and names.
func isNameList(operation object, answer any) bool {
	list, _ := answer.([]any)
	about, _ := operation["description"].(string)
	return len(list) > 0 && strings.Contains(about, "records have id and name only") && !slices.ContainsFunc(list, func(item any) bool {
		record, _ := item.(object)
		return len(record) != 2 || record["id"] == nil || record["name"] == nil
	})
}

// faults lists the differences between a value and its schema.
func (d document) faults(name string, schema object, value any) []string {
	schema = d.schema(schema)
	if choices, ok := schema["oneOf"].([]any); ok {
		fits := slices.ContainsFunc(choices, func(choice any) bool { return len(d.faults(name, choice.(object), value)) == 0 })
		if !fits {
			return []string{fmt.Sprintf("%s is %v, which is none of %v", name, value, choices)}
		}
		return nil
	}
	if types := typesOf(schema); types != nil && !slices.ContainsFunc(types, func(kind string) bool { return isOfType(value, kind) }) {
		return []string{fmt.Sprintf("%s is %v, not %v", name, value, types)}
	}
	if choices, ok := schema["enum"].([]any); ok && value != nil && !slices.Contains(choices, value) {
		return []string{fmt.Sprintf("%s is %v, not one of %v", name, value, choices)}
	}
	if text, ok := value.(string); ok && schema["format"] == "date-time" && !isInstant(text) {
		return []string{fmt.Sprintf("%s is no instant: %q", name, text)}
	}
	var faults []string
	switch v := value.(type) {
	case []any:
		for i, item := range v {
			faults = append(faults, d.faults(fmt.Sprintf("%s[%d]", name, i), child(schema, "items"), item)...)
		}
	case object:
		faults = d.fieldFaults(name, schema, v)
	}
	return faults
}

func (d document) fieldFaults(name string, schema, value object) []string {
	var faults []string
	properties, free := child(schema, "properties"), child(schema, "additionalProperties")
	required, _ := schema["required"].([]any)
	for _, field := range required {
		if _, there := value[field.(string)]; !there {
			faults = append(faults, fmt.Sprintf("%s lacks %s", name, field))
		}
	}
	for field, inner := range value {
		switch {
		case properties[field] != nil:
			faults = append(faults, d.faults(name+"."+field, child(properties, field), inner)...)
		case free != nil:
			faults = append(faults, d.faults(name+"."+field, free, inner)...)
		case properties != nil:
			faults = append(faults, fmt.Sprintf("%s has %s, which is not described", name, field))
		}
	}
	return faults
}

func isOfType(value any, kind string) bool {
	switch v := value.(type) {
	case nil:
		return kind == "null"
	case bool:
		return kind == "boolean"
	case string:
		return kind == "string"
	case json.Number:
		return kind == "number" || kind == "integer" && !strings.ContainsAny(v.String(), ".eE")
	case []any:
		return kind == "array"
	}
	return kind == "object"
}

// isInstant is RFC 3339 in UTC with microseconds at most and no trailing zeros.
func isInstant(text string) bool {
	at, err := time.Parse(time.RFC3339Nano, text)
	return err == nil && at.UTC().Truncate(time.Microsecond).Format(time.RFC3339Nano) == text
}
