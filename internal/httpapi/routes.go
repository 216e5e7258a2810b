package httpapi

import (
	"context"
	"net/http"
	"reflect"
	"slices"
	"sync"

	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/trading/tradefilter"
	"fillbook/internal/transport"
)

// access is who may call a route.
type access int

const (
	// accessUser: any user, with a session or an access token.
	accessUser access = iota
	// accessPublic: no credential is needed.
	accessPublic
	// accessSession: a user signed in with a password. An access token must not create
	// credentials that outlive its revocation.
	accessSession
	// accessOwner: users with is_admin.
	accessOwner
)

// limitKind is a route's limit, if any.
type limitKind int

const (
	unlimited       limitKind = iota
	authLimit                 // failed sign-ins and the like, by address
	secretLimit               // a signed-in user's failed password and code checks
	shareLimit                // the public share page, by address
	hookLimit                 // wrong hook secrets, by address; deliveries, in turns between users
	attachmentQueue           // storing attachments, in turns between users
	importQueue               // reading files, in turns between users
)

// isFailedSignIn reports whether a refused call counts as a failed sign-in,
// refresh, registration or setup. A correct password without its code does not,
// because clients send the code in a second call. Malformed input does not
// either, because it is refused before the credential is checked.
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

// JSON body sizes.
const (
	publicBody = 8 << 10 // from unknown callers
	authBody   = 16 << 10
	usualBody  = 1 << 20
	prefsBody  = 256 << 10
)

// The memory for all bodies on public routes, and for one user or client address. Unknown
// callers' connections can fill half of it.
const (
	publicBodies          = 32 << 20
	publicBodiesPerCaller = 4 << 20
)

// route describes one operation: its documentation and its middleware. The zero
// values are the usual case.
type route struct {
	method  string
	path    string // below /api/v1
	id      string // operation id, for generated clients
	tag     string
	summary string
	about   string
	status  int // on success; 0 is 200, or 204 without a body

	access access
	// needs is what the route does. Routes for access tokens declare it.
	needs permission
	// everyAccount: the route changes what all accounts share, and other accounts' trades
	// would lose something, so tokens limited to accounts cannot call it.
	everyAccount bool

	limitKind limitKind
	body      transport.Body
	limit     int64 // for the body; 0 is usualBody
	repeated  []string
	// form: the body is a form with one file and other fields.
	form   bool
	fields map[string]string // descriptions by name
	// files are the media types if the answer is a file.
	files []string
	// long: the answer may be long unless it is a page, so it waits for the
	// user's turn.
	long bool
	// isExport: the long answer is a journal file; one user's are written one after the
	// other.
	isExport bool
	// secret: answers contain credentials, so Idempotency-Key is ignored and no
	// answer is stored.
	secret bool
	// excursions: the answer has trade excursions, which are made current first.
	excursions bool
	// gate may refuse the call before anything else is checked; it may be nil.
	gate func(ctx context.Context) error
	// refusals are the error statuses beyond the common ones.
	refusals []int
}

// allowLongAnswer returns the route with long set.
func allowLongAnswer(r route) route {
	r.long = true
	return r
}

// forEveryAccount returns the route with everyAccount set.
func forEveryAccount(r route) route {
	r.everyAccount = true
	return r
}

const prefix = "/api/v1"

// register adds an operation to the router, with its middleware, or to the API description.
func register[In, Out any](a *API, r route, handler func(context.Context, *In) (*Out, error)) {
	a.addRoute(r, reflect.TypeFor[In](), reflect.TypeFor[Out](), func(ctx context.Context, in any) (any, error) {
		return handler(ctx, in.(*In))
	})
}

// refreshFor makes excursions current if the route answers with them.
func (a *API) refreshFor(ctx context.Context, r route) error {
	if !r.excursions {
		return nil
	}
	// Results are kept for all accounts.
	return a.Excursions.Refresh(journal.UnlimitAccounts(ctx), caller(ctx).UserID)
}

func (r route) errors() []int {
	statuses := append([]int{http.StatusBadRequest, http.StatusInternalServerError, http.StatusServiceUnavailable}, r.refusals...)
	if r.access != accessPublic {
		statuses = append(statuses, http.StatusUnauthorized, http.StatusForbidden)
	}
	if r.limitKind == authLimit || r.limitKind == secretLimit || r.limitKind == shareLimit || r.limitKind == hookLimit {
		statuses = append(statuses, http.StatusTooManyRequests)
	}
	if r.body != transport.NoBody {
		statuses = append(statuses, http.StatusRequestEntityTooLarge)
	}
	if r.body == transport.JSONBody || r.body == transport.FormBody {
		statuses = append(statuses, http.StatusUnsupportedMediaType)
	}
	if r.isIdempotent() {
		statuses = append(statuses, http.StatusConflict)
	}
	slices.Sort(statuses)
	return slices.Compact(statuses)
}

// isIdempotent reports whether the route supports Idempotency-Key.
func (r route) isIdempotent() bool {
	return r.method == http.MethodPost && !r.secret && r.access != accessPublic
}

// addRoute adds a route to the router, or to the description.
func (a *API) addRoute(r route, in, out reflect.Type, call handlerFunc) {
	r.requirePermission()
	if a.document != nil {
		requireExportedEmbeds(in, r)
		requireExportedEmbeds(out, r)
		a.describeRoute(r, in, out)
		return
	}
	lazy := &lazyRoute{route: r, input: in}
	lazy.handler = sync.OnceValue(func() http.Handler { return a.newHandler(r, in, out, call) })
	a.routes = append(a.routes, lazy)
	a.mux.Handle(r.method+" "+prefix+r.path, lazy)
}

// lazyRoute makes a route's handler for its first request, so that a start does not inspect
// the types of all routes.
type lazyRoute struct {
	route   route
	input   reflect.Type
	handler func() http.Handler
}

func (l *lazyRoute) ServeHTTP(w http.ResponseWriter, r *http.Request) { l.handler().ServeHTTP(w, r) }

// newHandler returns an operation's handler with the route's middleware.
func (a *API) newHandler(r route, in, out reflect.Type, call handlerFunc) http.Handler {
	operation := newEndpoint(r, in, out, func(ctx context.Context, in any) (any, error) {
		if err := a.refreshFor(ctx, r); err != nil {
			return nil, err
		}
		out, err := call(ctx, in)
		return out, a.explainMissing(ctx, err)
	})
	serve := http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if r.limitKind != hookLimit { // a hook's sender is not the user
			ctx, outcome := history.WithOutcome(req.Context())
			w, req = &changeWriter{ResponseWriter: w, outcome: outcome}, req.WithContext(ctx)
		}
		operation.ServeHTTP(w, req)
	})
	return transport.Chain(serve, a.chain(r, r.method+" "+prefix+r.path, a.refusedParameters(r, in))...)
}

// changeWriter adds the header with the id of the change that the request has left.
type changeWriter struct {
	http.ResponseWriter
	outcome *history.Outcome
	begun   bool
}

func (w *changeWriter) WriteHeader(status int) {
	if !w.begun && w.outcome.Change != "" {
		w.Header().Set("X-Change-Id", string(w.outcome.Change))
	}
	w.begun = true
	w.ResponseWriter.WriteHeader(status)
}

func (w *changeWriter) Write(p []byte) (int, error) {
	if !w.begun {
		w.WriteHeader(http.StatusOK)
	}
	return w.ResponseWriter.Write(p)
}

// Unwrap lets http.ResponseController reach the connection.
func (w *changeWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// sharedParameters are accepted by every GET route. Some ignore them: a list that is
// always whole, and figures without days.
var sharedParameters = []string{"limit", "cursor", "tz"}

// refusedParameters returns a function reporting whether a GET route refuses a query
// parameter: those from other routes, so an unsupported filter is not ignored unnoticed.
// Names unknown to all routes are ignored, like unknown fields. It returns nil for other
// routes and public ones, which refuse none.
func (a *API) refusedParameters(r route, in reflect.Type) func(name string) bool {
	if r.method != http.MethodGet || r.access == accessPublic {
		return nil
	}
	accepted := append(slices.Clone(sharedParameters), queryParameters(in)...)
	return func(name string) bool { return !slices.Contains(accepted, name) && a.allParameters()[name] }
}

// listQueryParameters returns the query parameters of all GET routes with a user.
func (a *API) listQueryParameters() map[string]bool {
	all := map[string]bool{}
	for _, lazy := range a.routes {
		if lazy.route.method != http.MethodGet || lazy.route.access == accessPublic {
			continue
		}
		for _, name := range append(queryParameters(lazy.input), sharedParameters...) {
			all[name] = true
		}
	}
	return all
}

// queryParameters returns the names of an input type's query parameters.
func queryParameters(in reflect.Type) (names []string) {
	for _, p := range listParameters(in, nil) {
		if p.in == "query" {
			names = append(names, p.name)
		}
	}
	input := reflect.Zero(in).Interface()
	if _, has := input.(interface{ hasFilter() }); has {
		for _, p := range tradefilter.Parameters() {
			names = append(names, p.Name)
		}
	}
	if _, has := input.(interface{ hasRuleParams() }); has {
		names = append(names, paramNames...)
	}
	return names
}

func (a *API) chain(r route, pattern string, refuses func(parameter string) bool) []transport.Middleware {
	chain := []transport.Middleware{withRouteName(pattern)}
	if r.gate != nil {
		chain = append(chain, withGate(r.gate))
	}
	if r.limitKind == shareLimit {
		chain = append(chain, a.shareLimit.ByAddress())
	}
	if r.access != accessPublic {
		chain = append(chain, a.authenticate(r))
	}
	if r.limitKind == hookLimit {
		chain = append(chain, a.verifySender)
	}
	if r.limitKind != shareLimit {
		chain = append(chain, transport.BufferResponses(a.spool))
	}
	limit := r.limit
	if limit == 0 {
		limit = usualBody
	}
	intake := transport.Intake{Body: r.body, Limit: limit, Refuses: refuses, Repeated: r.repeated, Spool: a.spool}
	if r.access == accessPublic {
		intake.Budget = a.bodies
	} else {
		intake.Uploads = a.queues.uploads
	}
	chain = append(chain, intake.Middleware())
	if r.long {
		queue := a.queues.answers
		if r.isExport {
			queue = a.queues.exports
		}
		chain = append(chain, transport.LimitLongResponses(queue, a.spool))
	}
	if r.isIdempotent() {
		chain = append(chain, a.idempotency.Middleware())
	}
	return append(chain, a.limit(r.limitKind)...)
}

// limit returns the middleware for a limit that applies after the body was read, so a
// slow client does not occupy a queue place.
func (a *API) limit(kind limitKind) []transport.Middleware {
	switch kind {
	case authLimit:
		return []transport.Middleware{a.failures.auth.ByAddress(isFailedSignIn)}
	case hookLimit:
		return []transport.Middleware{transport.QueueRequests(a.queues.deliveries)}
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

// withRouteName sets the route name for the log.
func withRouteName(pattern string) transport.Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			transport.RequestOf(r.Context()).Route = pattern
			next.ServeHTTP(w, r)
		})
	}
}

func withGate(gate func(context.Context) error) transport.Middleware {
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
