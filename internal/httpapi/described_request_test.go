package httpapi_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// maxPeeked is the longest body compared with its description.
const maxPeeked = 1 << 20

// peekBody returns a request's JSON body and leaves it to be read. Bodies that are long,
// not JSON or broken on purpose are ignored.
func peekBody(t testing.TB, request *http.Request) []byte {
	t.Helper()
	isJSON := request.Header.Get("Content-Type") == "application/json"
	if request.Body == nil || !isJSON || request.ContentLength < 0 || request.ContentLength > maxPeeked {
		return nil
	}
	text, err := io.ReadAll(request.Body)
	if err != nil {
		t.Fatal(err)
	}
	request.Body = io.NopCloser(bytes.NewReader(text))
	return text
}

// checkRequest compares every accepted request with the description: a generated client
// must be able to send it. What the server accepts beyond its description is left out: a
// numeric text for a number, an empty text for an absent one, any way to write an
// instant, and unknown fields.
func (d described) checkRequest(request *http.Request, sent []byte, r *reply) {
	r.t.Helper()
	operation := d.operation(request)
	if operation == nil || r.status < 200 || r.status > 299 {
		return
	}
	for _, fault := range d.parameterFaults(operation, request.URL.Query()) {
		r.t.Errorf("%s is accepted and described otherwise: %s", r.call, fault)
	}
	for _, fault := range d.bodyFaults(operation, sent) {
		r.t.Errorf("%s %s is accepted and described otherwise: %s", r.call, sent, fault)
	}
	d.checkMediaType(operation, r)
}

// parameterFaults reports parameter values without the described type.
func (d described) parameterFaults(operation object, query url.Values) []string {
	var faults []string
	list, _ := operation["parameters"].([]any)
	for _, item := range list {
		parameter := d.document.schema(item.(object))
		name, _ := parameter["name"].(string)
		if parameter["in"] != "query" {
			continue
		}
		schema := d.document.schema(child(parameter, "schema"))
		for _, value := range query[name] {
			if value != "" && !parsesAs(value, schema) {
				faults = append(faults, fmt.Sprintf("%s=%s is not %v", name, value, schema["type"]))
			}
		}
	}
	return faults
}

func parsesAs(value string, schema object) bool {
	switch schema["type"] {
	case "integer":
		_, err := strconv.ParseInt(value, 10, 64)
		return err == nil
	case "number":
		_, err := strconv.ParseFloat(value, 64)
		return err == nil
	case "boolean":
		return slices.Contains([]string{"true", "false", "1", "0"}, strings.ToLower(value))
	}
	choices, closed := schema["enum"].([]any)
	return !closed || slices.Contains(choices, any(value))
}

func (d described) bodyFaults(operation object, sent []byte) []string {
	schema := child(operation, "requestBody", "content", "application/json", "schema")
	if schema == nil || sent == nil {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(sent))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil // an empty body where none is needed
	}
	return slices.DeleteFunc(d.document.faults("body", schema, value), func(fault string) bool {
		return strings.HasSuffix(fault, "which is not described") || strings.Contains(fault, "is no instant") ||
			strings.Contains(fault, "is , not one of") || numericText.MatchString(fault)
	})
}

// numericText matches the fault of a number sent as a text, or of a whole number sent
// with an exponent.
var numericText = regexp.MustCompile(`is -?[\d.eE+-]+, not \[(number|integer)`)

// checkMediaType checks that the answer has a described type.
func (d described) checkMediaType(operation object, r *reply) {
	r.t.Helper()
	content := child(d.response(operation, r.status), "content")
	got, _, err := mime.ParseMediaType(r.header.Get("Content-Type"))
	if len(content) == 0 || len(r.body) == 0 || err != nil {
		return
	}
	for described := range content {
		if fits, _ := path.Match(described, got); fits || described == "*/*" {
			return
		}
	}
	r.t.Errorf("%s answers %s, which is not described", r.call, got)
}
