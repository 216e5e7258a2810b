package httpapi

import (
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"fillbook/internal/people/identity"
	"fillbook/internal/transport"
)

// Description returns the OpenAPI document.
func (a *API) Description() ([]byte, error) { return a.description() }

// describe makes the OpenAPI document. It registers the routes a second time, with
// schemas. These take more time and memory than all else when a server starts, and the
// document is rarely requested.
func (a *API) describe() ([]byte, error) {
	document := newDocument(a.options.Version)
	newAPI(a.Installation, a.options, document).describeErrors()
	return transport.Marshal(document)
}

// operation describes a route without its types.
func (a *API) operation(r route) huma.Operation {
	operation := huma.Operation{
		Method: r.method, Path: prefix + r.path, OperationID: r.id, Tags: []string{r.tag},
		Summary: r.summary, Description: strings.TrimSpace(r.about + " " + r.describeAccess()), DefaultStatus: r.status,
		Extensions: map[string]any{"x-error-statuses": r.errors()},
	}
	if len(r.files) > 0 {
		operation.Responses = map[string]*huma.Response{"200": {Description: "The file", Content: fileContent(r.files)}}
	}
	if r.access != accessPublic {
		operation.Security = []map[string][]string{{"bearer": {}}}
		operation.Extensions["x-token-scopes"] = append([]identity.Scope{}, r.scopes()...)
	}
	return operation
}

// describeRoute adds an operation to the document.
func (a *API) describeRoute(r route, in, out reflect.Type) {
	schemas := a.document.Components.Schemas
	operation := a.operation(r)
	operation.Parameters = describeParameters(schemas, in)
	if body, has := in.FieldByName("Body"); has {
		schema := huma.SchemaFromField(schemas, body, typeName(in, r.id+"Request", "Body"))
		operation.RequestBody = &huma.RequestBody{Required: body.Type.Kind() != reflect.Pointer, Content: map[string]*huma.MediaType{"application/json": {Schema: schema}}}
	}
	if operation.Responses == nil {
		operation.Responses = map[string]*huma.Response{}
	}
	status := strconv.Itoa(r.successStatus(out))
	if operation.Responses[status] == nil {
		operation.Responses[status] = &huma.Response{Description: http.StatusText(r.successStatus(out))}
	}
	a.describeAnswer(r, operation.Responses[status], out)
	a.document.AddOperation(&operation)
	if r.form {
		a.document.Paths[prefix+r.path].Post.RequestBody = formBody(r.fields)
	}
	if r.body == transport.JSONBody {
		a.describeBody(r, in)
	}
}

// describeParameters returns an input type's parameters. The filter and a rule's
// parameters are described once.
func describeParameters(schemas huma.Registry, in reflect.Type) []*huma.Param {
	input := reflect.Zero(in).Interface()
	list := append(describeFilter(input), describeRuleParams(input)...)
	for _, p := range listParameters(in, nil) {
		if slices.ContainsFunc(list, func(known *huma.Param) bool { return known.Name == p.name && known.In == p.in }) {
			continue // a rule's parameter is the query's own
		}
		described := &huma.Param{Name: p.name, In: p.in, Schema: huma.SchemaFromField(schemas, p.field, ""), Required: p.in == "path"}
		described.Description = described.Schema.Description
		if p.in == "query" {
			described.Explode = &p.repeated
		}
		if p.field.Tag.Get("required") == "true" {
			described.Required = true
		}
		list = append(list, described)
	}
	return list
}

// describeAnswer adds headers and body to a described answer.
func (a *API) describeAnswer(r route, answer *huma.Response, out reflect.Type) {
	schemas := a.document.Components.Schemas
	if body, has := out.FieldByName("Body"); has && answer.Content == nil {
		schema := huma.SchemaFromField(schemas, body, typeName(out, r.id+"Response", "Body"))
		answer.Content = map[string]*huma.MediaType{"application/json": {Schema: schema}}
	}
	for field := range out.Fields() {
		if name := field.Tag.Get("header"); name != "" {
			if answer.Headers == nil {
				answer.Headers = map[string]*huma.Param{}
			}
			schema := huma.SchemaFromField(schemas, field, "")
			answer.Headers[name] = &huma.Param{Description: schema.Description, Schema: &huma.Schema{Type: schema.Type}}
		}
	}
}

// typeName returns the name of the schema of a type's field, other if the type has no name.
func typeName(t reflect.Type, other, field string) string {
	if t.Name() == "" {
		return other
	}
	return t.Name() + field
}

// formBody describes a form with a file.
func formBody(fields map[string]string) *huma.RequestBody {
	properties := map[string]*huma.Schema{"file": {Type: huma.TypeString, Format: "binary"}}
	for name, about := range fields {
		properties[name] = &huma.Schema{Type: huma.TypeString, Description: about}
	}
	return &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"multipart/form-data": {
		Schema: &huma.Schema{Type: huma.TypeObject, Required: []string{"file"}, Properties: properties},
	}}}
}

// fileContent describes a file answer with one of the media types.
func fileContent(types []string) map[string]*huma.MediaType {
	content := map[string]*huma.MediaType{}
	for _, name := range types {
		name, _, _ = strings.Cut(name, ";")
		schema := &huma.Schema{Type: huma.TypeString, Format: "binary"}
		if name == "application/json" {
			schema = &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}
		}
		content[name] = &huma.MediaType{Schema: schema}
	}
	return content
}

// requireExportedEmbeds panics if one of our types embeds an unexported one. Huma ignores
// such a type, so its parameters would stay empty and its fields undescribed.
func requireExportedEmbeds(t reflect.Type, r route) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || t.PkgPath() != "" && t.PkgPath() != reflect.TypeFor[route]().PkgPath() {
		return
	}
	for field := range t.Fields() {
		if field.Anonymous && !field.IsExported() {
			panic(r.id + ": " + t.String() + " embeds " + field.Name + "; export it")
		}
		if field.IsExported() {
			requireExportedEmbeds(field.Type, r)
		}
	}
}

// describeErrors describes errors once for all operations. Each operation lists its own
// statuses.
func (a *API) describeErrors() {
	schema := a.document.Components.Schemas.Schema(reflect.TypeFor[errorAnswer](), true, "ErrorAnswer")
	a.document.Components.Responses = map[string]*huma.Response{"Error": {
		Description: "An error; x-error-statuses has the statuses.", Content: map[string]*huma.MediaType{"application/json": {Schema: schema}},
	}}
	for _, path := range a.document.Paths {
		for _, operation := range []*huma.Operation{path.Get, path.Post, path.Put, path.Patch, path.Delete} {
			if operation != nil {
				maps.DeleteFunc(operation.Responses, func(status string, _ *huma.Response) bool { return status >= "400" })
				operation.Responses["default"] = &huma.Response{Ref: "#/components/responses/Error"}
			}
		}
	}
}
