// Package httpapi is the HTTP face of Fillbook: which operations there are,
// the JSON of each, who may call it, and nothing else. What an operation does
// is decided in the domain packages; what all requests have in common is in
// package transport.
//
// Each resource has a file: its JSON shapes, its routes, and handlers of a few
// lines that translate between the two worlds. The API description at
// /openapi.json is made from the same types and routes, so it cannot drift.
package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"fillbook/internal/installation"
	"fillbook/internal/journal"
	"fillbook/internal/sharing"
	"fillbook/internal/transport"
)

// Options are the settings of the API.
type Options struct {
	Version string
	Log     *slog.Logger
	Proxies transport.Proxies
	Origins []string // that may call from another site's page
	Metrics *transport.Metrics

	AttachmentMaxBytes int64
	ImportMaxBytes     int64
	// ShareLinks switches public links on.
	ShareLinks bool
	// PublicURL is where people reach us, for links; empty where nobody said.
	PublicURL string

	// AuthFailures is how many sign-ins, refreshes, registrations and setups of
	// one client address may fail: Burst within Burst / PerSecond seconds.
	AuthFailures transport.Rate
	// SecretFailures is how many password and code checks of a signed-in user
	// may fail.
	SecretFailures transport.Rate
	ShareRate      transport.Rate
	// ImportsAtOnce is how many files of one user are worked on at the same
	// time, while the others wait; 0 means any number.
	ImportsAtOnce int

	// SpoolDir is where uploads and long answers wait on disk; empty takes the
	// system's directory for temporary files.
	SpoolDir string

	// Web serves everything outside /api: the page and the reference.
	Web http.Handler
}

// API is the set of operations on one installation.
type API struct {
	*installation.Installation
	options     Options
	mux         *http.ServeMux
	huma        huma.API
	idempotency *transport.Idempotency
	shareLimit  *transport.Limiter
	failures    struct{ auth, secrets *transport.FailureLimiter }
	spool       *transport.Spool
	queues      queues
	description func() ([]byte, error) // openapi.json
	draining    atomic.Bool
	handler     http.Handler
}

// New builds the API with all its operations.
func New(services *installation.Installation, options Options) (*API, error) {
	installErrorHooks()
	if options.AttachmentMaxBytes == 0 {
		options.AttachmentMaxBytes = 10 << 20
	}
	if options.ImportMaxBytes == 0 {
		options.ImportMaxBytes = 10 << 20
	}
	a := &API{Installation: services, options: options, mux: http.NewServeMux()}
	a.shareLimit = transport.NewLimiter(options.ShareRate, services.Clock)
	a.failures.auth = transport.NewFailureLimiter(options.AuthFailures, services.Clock)
	a.failures.secrets = transport.NewFailureLimiter(options.SecretFailures, services.Clock)
	a.spool = transport.NewSpool(options.SpoolDir, func() error { return services.DB.CheckRoom(0) })
	a.queues = newQueues(options.ImportsAtOnce)
	a.idempotency = transport.NewIdempotency(services.DB, services.Keys, services.Clock, options.Log)
	a.huma = huma.NewAPI(newConfig(options.Version), a)
	registerValueSchemas(a.huma.OpenAPI().Components.Schemas)
	a.registerRoutes()
	a.registerServiceRoutes()
	a.handler = transport.Chain(http.HandlerFunc(a.route),
		transport.Observe(options.Log, options.Proxies, options.Metrics),
		transport.Headers(options.Origins))
	return a, nil
}

// registerRoutes registers every resource.
func (a *API) registerRoutes() {
	a.registerSetupRoutes()
	a.registerAuthRoutes()
	a.registerMeRoutes()
	a.registerSessionRoutes()
	a.registerAccessTokenRoutes()
	a.registerAdminRoutes()
	a.registerAccountRoutes()
	a.registerExecutionRoutes()
	a.registerTradeRoutes()
	a.registerCashRoutes()
	a.registerNoteRoutes()
	a.registerTagRoutes()
	a.registerSetupsRoutes()
	a.registerAttachmentRoutes()
	a.registerMissedRoutes()
	a.registerRoutineRoutes()
	a.registerSettingRoutes()
	a.registerImportRoutes()
	a.registerExportRoutes()
	a.registerAnalyticsRoutes()
	a.registerShareRoutes()
}

// Handler is the entrance: everything that a browser or a client may ask.
func (a *API) Handler() http.Handler { return a.handler }

// Sweep forgets what the HTTP layer need not remember any longer.
func (a *API) Sweep(ctx context.Context) error { return a.idempotency.Sweep(ctx) }

// route finds the handler. It answers unknown paths and wrong methods below
// /api in JSON, and leaves the rest of the site to the page.
func (a *API) route(w http.ResponseWriter, r *http.Request) {
	if !utf8.ValidString(r.URL.Path) || strings.ContainsRune(r.URL.Path, 0) {
		writePathNotFound(w, r)
		return
	}
	handler, pattern := a.mux.Handler(r)
	switch {
	case pattern != "" && isClean(r.URL.Path):
		a.mux.ServeHTTP(w, r)
	case transport.IsAPI(r) || r.Method != http.MethodGet && r.Method != http.MethodHead || a.options.Web == nil:
		writeRouteError(w, r, handler)
	default:
		a.options.Web.ServeHTTP(w, r)
	}
}

// isClean tells whether the router takes a path as it stands. Any other it
// would answer with a redirect, in which a POST loses its body.
func isClean(text string) bool { return text == path.Clean(text) }

// writeRouteError asks the router what it would have said, and says it in JSON.
func writeRouteError(w http.ResponseWriter, r *http.Request, handler http.Handler) {
	said := httptest.NewRecorder()
	handler.ServeHTTP(said, r)
	if said.Code != http.StatusMethodNotAllowed {
		writePathNotFound(w, r)
		return
	}
	w.Header().Set("Allow", said.Header().Get("Allow"))
	transport.WriteRefusal(w, http.StatusMethodNotAllowed, "method_not_allowed",
		"This path does not take "+r.Method+"; see the Allow header.")
}

// writePathNotFound refuses a path. What no token of a share link could look like is
// refused as a link that never was: nobody outside may tell the two apart.
func writePathNotFound(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, prefix+"/public/share/") {
		transport.WriteError(w, r, sharing.ErrNotFound())
		return
	}
	transport.WriteError(w, r, journal.NotFound("path"))
}

func newConfig(version string) huma.Config {
	registry := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	config := huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info: &huma.Info{
				Title: "Fillbook", Version: version,
				Description: "A trading journal: import fills, group them into trades, annotate, measure and share.\n\n" +
					"Numbers are exact decimals. Times are RFC 3339 in UTC. Lists are whole unless limit is given. " +
					"PUT, PATCH and DELETE of a record take If-Match; POST takes Idempotency-Key.",
				License: &huma.License{Name: "MIT", Identifier: "MIT"},
			},
			Components: &huma.Components{
				Schemas: registry,
				SecuritySchemes: map[string]*huma.SecurityScheme{"bearer": {
					Type: "http", Scheme: "bearer",
					Description: "A session access token from signing in, or a personal access token (svc_pat_…).",
				}},
			},
		},
		Formats:       map[string]huma.Format{"application/json": format},
		DefaultFormat: "application/json",
	}
	config.AllowAdditionalPropertiesByDefault = true
	return config
}
