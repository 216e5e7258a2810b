package httpapi

import (
	"context"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"fillbook/internal/transport"
)

// access says who may call a route.
type access int

const (
	// user: anybody with a credential, a session or an access token.
	user access = iota
	// public: nobody is asked for a credential.
	public
	// session: only somebody who signed in with a password. An access token
	// must not be able to make Credentials that outlive its revocation.
	session
	// owner: users with is_admin.
	owner
)

// allowance says which limit a route falls under, if any.
type allowance int

const (
	unlimited       allowance = iota
	authLimit                 // failed sign-ins and the like, by address
	secretLimit               // failed password and code checks of a signed-in user
	shareLimit                // the public share page, by address
	attachmentQueue           // storing attachments: users take turns
	importQueue               // reading files, which is work for the processor: users take turns
)

// isFailedSignIn reports whether a refused call counts as a failed sign-in,
// refresh, registration or setup. A right password without its code does not:
// clients ask for the code when they are told to. Malformed input does not
// either, because it is refused before a credential is looked at.
func isFailedSignIn(status int, code string) bool {
	switch status {
	case http.StatusUnauthorized:
		return code != "totp_required"
	case http.StatusForbidden, http.StatusConflict:
		return true
	}
	return false
}

// isFailedCheck reports whether a signed-in user gave a wrong password or code.
func isFailedCheck(status int, code string) bool {
	return status == http.StatusForbidden || code == "totp_invalid"
}

// Sizes of JSON bodies.
const (
	authBody  = 16 << 10
	usualBody = 1 << 20
	prefsBody = 256 << 10
)

// route describes one operation: what the documentation says of it and which
// middleware it takes. The zero values are the usual case.
type route struct {
	method  string
	path    string // below /api/v1
	id      string // operation id, for generated clients
	tag     string
	summary string
	about   string
	status  int // of success; 0 is 200, or 204 without a body

	access    access
	allowance allowance
	body      transport.Body
	limit     int64 // of the body; 0 is usualBody
	repeated  []string
	// form: the body is a form with one file, and fields beside it.
	form   bool
	fields map[string]string // what each says
	// files are the media types of an answer that is a file.
	files []string
	// long: the answer may be long unless it is a page, so that it is made when
	// it is the user's turn.
	long bool
	// secret: answers hold credentials, so Idempotency-Key is ignored and
	// nothing of them is kept.
	secret bool
	// gate, where set, may refuse the call before anything else is looked at.
	gate func(ctx context.Context) error
	// refusals are the error statuses beyond those that every route has.
	refusals []int
}

// longAnswer marks a route whose answer may be long.
func longAnswer(r route) route {
	r.long = true
	return r
}

const prefix = "/api/v1"

// register adds an operation: to the router, with its middleware, and to the
// API description.
func register[In, Out any](a *API, r route, handler func(context.Context, *In) (*Out, error)) {
	mustBeVisible(reflect.TypeFor[In](), r)
	mustBeVisible(reflect.TypeFor[Out](), r)
	huma.Register(a.huma, a.operation(r), func(ctx context.Context, in *In) (*Out, error) {
		out, err := handler(ctx, in)
		if err != nil {
			return nil, refuse(ctx, err)
		}
		return out, nil
	})
	if r.form {
		a.huma.OpenAPI().Paths[prefix+r.path].Post.RequestBody = formBody(r.fields)
	}
	if r.body == transport.JSONBody {
		a.describeBody(r, reflect.TypeFor[In]())
	}
}

// formBody describes a form with a file. Huma must not know of it when the
// operation is registered: it would look for a body that the transport has read.
func formBody(fields map[string]string) *huma.RequestBody {
	properties := map[string]*huma.Schema{"file": {Type: huma.TypeString, Format: "binary"}}
	for name, about := range fields {
		properties[name] = &huma.Schema{Type: huma.TypeString, Description: about}
	}
	return &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"multipart/form-data": {
		Schema: &huma.Schema{Type: huma.TypeObject, Required: []string{"file"}, Properties: properties},
	}}}
}

// fileContent describes an answer that is a file of one of the media types.
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

// mustBeVisible panics where one of our types embeds an unexported one: huma
// passes over it without a word, so that its parameters would stay empty and
// its fields undescribed.
func mustBeVisible(t reflect.Type, r route) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || t.PkgPath() != "" && t.PkgPath() != reflect.TypeFor[route]().PkgPath() {
		return
	}
	for field := range t.Fields() {
		if field.Anonymous && !field.IsExported() {
			panic(r.id + ": " + t.String() + " embeds " + field.Name + "; give it a capital letter")
		}
		if field.IsExported() {
			mustBeVisible(field.Type, r)
		}
	}
}

// operation is a route in huma's words.
func (a *API) operation(r route) huma.Operation {
	operation := huma.Operation{
		Method: r.method, Path: prefix + r.path, OperationID: r.id, Tags: []string{r.tag},
		Summary: r.summary, Description: r.about, DefaultStatus: r.status, Errors: r.errors(),
		// Bodies and parameters are checked by their types and by the domain,
		// which say it better; sizes and times by the transport.
		SkipValidateBody: true, SkipValidateParams: true, MaxBodyBytes: -1, BodyReadTimeout: -1,
		Metadata: map[string]any{"route": r},
	}
	if len(r.files) > 0 {
		operation.Responses = map[string]*huma.Response{"200": {Description: "The file", Content: fileContent(r.files)}}
	}
	if r.access != public {
		operation.Security = []map[string][]string{{"bearer": {}}}
	}
	return operation
}

func (r route) errors() []int {
	statuses := append([]int{http.StatusBadRequest, http.StatusInternalServerError, http.StatusServiceUnavailable}, r.refusals...)
	if r.access != public {
		statuses = append(statuses, http.StatusUnauthorized)
	}
	if r.access == session || r.access == owner || r.access == user && r.method != http.MethodGet {
		statuses = append(statuses, http.StatusForbidden)
	}
	if r.allowance == authLimit || r.allowance == secretLimit || r.allowance == shareLimit {
		statuses = append(statuses, http.StatusTooManyRequests)
	}
	if r.body != transport.NoBody {
		statuses = append(statuses, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType)
	}
	if r.isIdempotent() {
		statuses = append(statuses, http.StatusConflict)
	}
	slices.Sort(statuses)
	return slices.Compact(statuses)
}

// isIdempotent tells whether the route takes an Idempotency-Key.
func (r route) isIdempotent() bool {
	return r.method == http.MethodPost && !r.secret && r.access != public
}

// Handle implements huma.Adapter: it puts the route's middleware around the
// operation and gives it to the router.
func (a *API) Handle(op *huma.Operation, handler func(huma.Context)) {
	r := op.Metadata["route"].(route)
	serve := http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		handler(humago.NewContext(op, req, w))
	})
	pattern := op.Method + " " + op.Path
	a.mux.Handle(pattern, transport.Chain(serve, a.chain(r, pattern)...))
}

func (a *API) chain(r route, pattern string) []transport.Middleware {
	chain := []transport.Middleware{named(pattern)}
	if r.gate != nil {
		chain = append(chain, gated(r.gate))
	}
	if r.allowance == shareLimit {
		chain = append(chain, a.shareLimit.ByAddress())
	}
	if r.access != public {
		chain = append(chain, a.authenticate(r.access))
	}
	if r.allowance != shareLimit {
		chain = append(chain, transport.BufferResponses(a.spool))
	}
	limit := r.limit
	if limit == 0 {
		limit = usualBody
	}
	intake := transport.Intake{Body: r.body, Limit: limit, Repeated: r.repeated, Spool: a.spool}
	if r.access != public { // what strangers may send is small
		intake.Uploads = a.queues.uploads
	}
	chain = append(chain, intake.Middleware())
	if r.long {
		chain = append(chain, transport.LimitLongResponses(a.queues.answers, a.spool))
	}
	if r.isIdempotent() {
		chain = append(chain, a.idempotency.Middleware())
	}
	return append(chain, a.limit(r.allowance)...)
}

// limit is the middleware of an allowance that comes after the body was read: a
// slow client takes no other user's place.
func (a *API) limit(kind allowance) []transport.Middleware {
	switch kind {
	case authLimit:
		return []transport.Middleware{a.failures.auth.ByAddress(isFailedSignIn)}
	case secretLimit:
		return []transport.Middleware{a.failures.secrets.ByUser(isFailedCheck)}
	case attachmentQueue:
		return []transport.Middleware{transport.QueueRequests(a.queues.attachments)}
	case importQueue:
		return []transport.Middleware{transport.QueueRequests(a.queues.imports)}
	default:
		return nil
	}
}

// named tells the log which route this is.
func named(pattern string) transport.Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			transport.RequestOf(r.Context()).Route = pattern
			next.ServeHTTP(w, r)
		})
	}
}

func gated(gate func(context.Context) error) transport.Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if err := gate(r.Context()); err != nil {
				transport.WriteError(w, r, err)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

// ServeHTTP implements huma.Adapter; the real entrance is API.Handler.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.mux.ServeHTTP(w, r) }

// format is how huma reads and writes bodies: with our strict JSON.
var format = huma.Format{
	Marshal: func(w io.Writer, value any) error {
		body, err := transport.Marshal(value)
		if err != nil {
			return err
		}
		_, err = w.Write(body)
		return err
	},
	Unmarshal: func(text []byte, into any) error {
		return packError(transport.Unmarshal(text, into))
	},
}
