package httpapi

import (
	"context"
	"encoding"
	"errors"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"fillbook/internal/base/journal"
	"fillbook/internal/transport"
)

// A route's input is a struct with tags for path, query and header parameters, a field
// Body for the JSON body, and embedded structs with the same. Its answer is a struct with
// a field Body, with tags for headers, and a field Status if it varies; or a [streamed].
// Both are read by reflection, because a generic handler is compiled again for each pair
// of types: see ADR 34.

// resolver is implemented by inputs that read more than tagged parameters. It is called
// after these are read.
type resolver interface {
	resolve(r *http.Request) error
}

// streamed is an answer that its handler writes itself.
type streamed struct {
	write func(w http.ResponseWriter, r *http.Request)
}

// handlerFunc calls a route's handler. The input is a pointer to the input type.
type handlerFunc func(ctx context.Context, in any) (any, error)

// parameter is a field for a path, query or header parameter.
type parameter struct {
	field    reflect.StructField // its Index is the path from the input
	in       string              // path, query or header
	name     string
	repeated bool
}

// endpoint reads a route's requests and writes its answers.
type endpoint struct {
	input      reflect.Type
	parameters []parameter
	body       []int   // the path to Body, nil without one
	resolvers  [][]int // the paths to fields with a resolver
	status     int     // on success
	call       handlerFunc
}

func newEndpoint(r route, input, output reflect.Type, call handlerFunc) *endpoint {
	e := &endpoint{input: input, parameters: listParameters(input, nil), resolvers: listResolvers(input, nil), status: r.successStatus(output), call: call}
	if field, has := input.FieldByName("Body"); has {
		e.body = field.Index
	}
	return e
}

// successStatus returns the status of a successful answer.
func (r route) successStatus(output reflect.Type) int {
	if r.status != 0 {
		return r.status
	}
	if _, hasBody := output.FieldByName("Body"); hasBody || output == reflect.TypeFor[streamed]() {
		return http.StatusOK
	}
	return http.StatusNoContent
}

// listParameters returns the parameters of an input type, also in embedded structs.
func listParameters(t reflect.Type, path []int) (list []parameter) {
	for i := range t.NumField() {
		field := t.Field(i)
		field.Index = append(append([]int{}, path...), i)
		if field.Anonymous && field.Type.Kind() == reflect.Struct {
			list = append(list, listParameters(field.Type, field.Index)...)
			continue
		}
		for _, in := range []string{"path", "query", "header"} {
			if tag := field.Tag.Get(in); tag != "" {
				name, options, _ := strings.Cut(tag, ",")
				list = append(list, parameter{field: field, in: in, name: name, repeated: options == "explode"})
			}
		}
	}
	return list
}

// listResolvers returns the paths to an input's resolvers: the outermost ones, because an
// embedded struct's method is its parent's too.
func listResolvers(t reflect.Type, path []int) (list [][]int) {
	if reflect.PointerTo(t).Implements(reflect.TypeFor[resolver]()) {
		return [][]int{path}
	}
	for i := range t.NumField() {
		if field := t.Field(i); field.Anonymous && field.Type.Kind() == reflect.Struct {
			list = append(list, listResolvers(field.Type, append(append([]int{}, path...), i))...)
		}
	}
	return list
}

// ServeHTTP reads the input, calls the handler and writes its answer.
func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	in, err := e.read(r)
	if err != nil {
		transport.WriteError(w, r, err)
		return
	}
	out, err := e.call(r.Context(), in)
	if err != nil {
		transport.WriteError(w, r, err)
		return
	}
	if stream, is := out.(*streamed); is {
		stream.write(w, r)
		return
	}
	e.write(w, r, reflect.ValueOf(out))
}

// read returns the input, a pointer.
func (e *endpoint) read(r *http.Request) (any, error) {
	input := reflect.New(e.input)
	query := r.URL.Query()
	for i := range e.parameters {
		p := &e.parameters[i]
		if err := p.set(input.Elem().FieldByIndex(p.field.Index), p.values(r, query)); err != nil {
			return nil, err
		}
	}
	if e.body != nil {
		if err := readBody(r, input.Elem().FieldByIndex(e.body)); err != nil {
			return nil, err
		}
	}
	for _, path := range e.resolvers {
		if err := input.Elem().FieldByIndex(path).Addr().Interface().(resolver).resolve(r); err != nil {
			return nil, err
		}
	}
	return input.Interface(), nil
}

// readBody reads the JSON body into a field. A body is optional if the field is a pointer.
func readBody(r *http.Request, field reflect.Value) error {
	text, err := io.ReadAll(r.Body)
	switch {
	case err != nil:
		return err
	case len(text) > 0:
		return toBodyError(transport.Unmarshal(text, field.Addr().Interface()))
	case field.Kind() == reflect.Pointer:
		return nil
	default:
		return journal.Invalid("Request body is required.")
	}
}

// toBodyError returns a refusal of the body as bad input.
func toBodyError(err error) error {
	if err == nil {
		return nil
	}
	known, is := errors.AsType[*journal.Error](err)
	if !is {
		return journal.Invalid("%s", err.Error())
	}
	if field, _ := known.Details["field"].(string); field != "" {
		return journal.InvalidField(field, "%s", known.Message)
	}
	return journal.Invalid("%s", known.Message)
}

// values returns what the request has for a parameter.
func (p *parameter) values(r *http.Request, query url.Values) []string {
	switch p.in {
	case "path":
		return []string{r.PathValue(p.name)}
	case "header":
		return []string{r.Header.Get(p.name)}
	default:
		return query[p.name]
	}
}

// set parses the values into the parameter's field. An empty value is an absent one.
func (p *parameter) set(field reflect.Value, values []string) error {
	if p.repeated {
		values = slices.DeleteFunc(slices.Clone(values), func(value string) bool { return value == "" })
	}
	if len(values) == 0 || values[0] == "" {
		return nil
	}
	if reader, is := field.Addr().Interface().(encoding.TextUnmarshaler); is && field.Kind() != reflect.String {
		return p.toError(reader.UnmarshalText([]byte(values[0])))
	}
	switch field.Kind() {
	case reflect.String:
		field.SetString(values[0])
	case reflect.Bool:
		flag, err := strconv.ParseBool(values[0])
		if err != nil {
			return journal.InvalidField(p.name, "%s is not valid: invalid boolean.", p.name)
		}
		field.SetBool(flag)
	case reflect.Slice: // of texts
		if !p.repeated {
			values = strings.Split(values[0], ",")
		}
		list := reflect.MakeSlice(field.Type(), len(values), len(values))
		for i, value := range values {
			list.Index(i).SetString(value)
		}
		field.Set(list)
	default:
		return errors.New("parameter " + p.name + " has an unsupported type")
	}
	return nil
}

// toError inserts the parameter's name into the error of its type.
func (p *parameter) toError(err error) error {
	if err == nil {
		return nil
	}
	if _, message, marked := strings.Cut(err.Error(), paramMark); marked {
		return journal.InvalidField(p.name, "%s", p.name+message)
	}
	return journal.InvalidField(p.name, "%s is not valid: %s.", p.name, err)
}

// write writes a handler's answer.
func (e *endpoint) write(w http.ResponseWriter, r *http.Request, out reflect.Value) {
	status := e.status
	if !out.IsValid() || out.IsNil() {
		w.WriteHeader(status)
		return
	}
	out = out.Elem()
	for i := range out.NumField() {
		if name := out.Type().Field(i).Tag.Get("header"); name != "" && out.Field(i).String() != "" {
			w.Header().Set(name, out.Field(i).String())
		}
	}
	if field := out.FieldByName("Status"); field.IsValid() {
		status = int(field.Int())
	}
	body := out.FieldByName("Body")
	if !body.IsValid() || status == http.StatusNoContent {
		w.WriteHeader(status)
		return
	}
	text, err := marshalBody(body.Interface())
	if err != nil {
		transport.WriteError(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(text)
}
