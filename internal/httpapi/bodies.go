package httpapi

import (
	"net/http"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// describeBody corrects the description of a route's JSON body. A required field
// cannot be null. In a change (PUT, PATCH) no opt field is required, because an absent
// one stays as it is; such a body gets its own schema, apart from the POST schema.
func (a *API) describeBody(r route, input reflect.Type) {
	media := requestBody(a.document.Paths[prefix+r.path], r.method).Content["application/json"]
	if media == nil || media.Schema.Ref == "" {
		return
	}
	schemas := a.document.Components.Schemas
	described := schemas.SchemaFromRef(media.Schema.Ref)
	forbidNull(schemas, described)
	optional := optFields(input)
	change := *described
	change.Required = slices.DeleteFunc(slices.Clone(described.Required), func(name string) bool { return optional[name] })
	if r.method == http.MethodPost || len(change.Required) == len(described.Required) {
		return
	}
	name := strings.TrimSuffix(path.Base(media.Schema.Ref), "Fields") + "Change"
	schemas.Map()[name] = &change
	media.Schema = &huma.Schema{Ref: path.Dir(media.Schema.Ref) + "/" + name}
}

func requestBody(item *huma.PathItem, method string) *huma.RequestBody {
	switch method {
	case http.MethodPut:
		return item.Put.RequestBody
	case http.MethodPatch:
		return item.Patch.RequestBody
	default:
		return item.Post.RequestBody
	}
}

// forbidNull makes an object's required properties not nullable, also in objects in its
// lists. They are replaced, not changed: a schema may be shared.
func forbidNull(schemas huma.Registry, object *huma.Schema) {
	for _, property := range object.Properties {
		if property.Items != nil && property.Items.Ref != "" {
			forbidNull(schemas, schemas.SchemaFromRef(property.Items.Ref))
		}
	}
	for _, name := range object.Required {
		if property := object.Properties[name]; property != nil && property.Nullable {
			strict := *property
			strict.Nullable = false
			object.Properties[name] = &strict
		}
	}
}

// optFields returns the JSON names of the opt fields in a route's body.
func optFields(input reflect.Type) map[string]bool {
	body, ok := input.FieldByName("Body")
	if !ok || body.Type.Kind() != reflect.Struct {
		return nil
	}
	names := map[string]bool{}
	for _, field := range reflect.VisibleFields(body.Type) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name != "" && strings.HasPrefix(field.Type.Name(), "opt[") {
			names[name] = true
		}
	}
	return names
}
