package httpapi

import (
	"maps"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"fillbook/internal/transport"
)

// Description returns the OpenAPI document.
func (a *API) Description() ([]byte, error) { return a.description() }

// describe makes the OpenAPI document. It registers the routes a second time, with
// schemas. These take more time and memory than all else when a server starts, and the
// document is rarely requested.
func (a *API) describe() ([]byte, error) {
	described := newAPI(a.Installation, a.options, newSchemas())
	described.describeErrors()
	return transport.Marshal(described.huma.OpenAPI())
}

// noSchemas is a registry for an API that serves requests. Huma asks it for every type's
// schema, but uses schemas only to validate, which is turned off, and to describe.
type noSchemas struct{}

// Schema returns a schema with the type alone, which huma needs to read default values.
func (noSchemas) Schema(t reflect.Type, _ bool, _ string) *huma.Schema {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Bool:
		return &huma.Schema{Type: huma.TypeBoolean}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return &huma.Schema{Type: huma.TypeInteger}
	case reflect.Slice:
		return &huma.Schema{Type: huma.TypeArray, Items: &huma.Schema{}}
	default:
		return &huma.Schema{Type: huma.TypeString}
	}
}

// SchemaFromRef returns nil: no schema has a reference.
func (noSchemas) SchemaFromRef(string) *huma.Schema { return nil }

// TypeFromRef returns nil: no schema has a reference.
func (noSchemas) TypeFromRef(string) reflect.Type { return nil }

// Map returns no schemas.
func (noSchemas) Map() map[string]*huma.Schema { return nil }

// RegisterTypeAlias does nothing.
func (noSchemas) RegisterTypeAlias(reflect.Type, reflect.Type) {}

// describeErrors describes errors once for all operations. Each operation lists its own
// statuses.
func (a *API) describeErrors() {
	document := a.huma.OpenAPI()
	schema := document.Components.Schemas.Schema(reflect.TypeFor[errorAnswer](), true, "ErrorAnswer")
	document.Components.Responses = map[string]*huma.Response{"Error": {
		Description: "An error; x-error-statuses has the statuses.", Content: map[string]*huma.MediaType{"application/json": {Schema: schema}},
	}}
	for _, path := range document.Paths {
		for _, operation := range []*huma.Operation{path.Get, path.Post, path.Put, path.Patch, path.Delete} {
			if operation != nil {
				maps.DeleteFunc(operation.Responses, func(status string, _ *huma.Response) bool { return status >= "400" })
				operation.Responses["default"] = &huma.Response{Ref: "#/components/responses/Error"}
			}
		}
	}
}
