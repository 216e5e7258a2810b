// Package httpapi is Fillbook's HTTP API: the operations, their JSON and who may call
// them. The domain packages implement the operations, and package transport handles what
// all requests share.
//
// Each resource has a file with its JSON types, its routes, and short handlers for
// converting between JSON and the domain. The API description at /openapi.json is
// generated from the same types and routes.
package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"fillbook/internal/base/journal"
	"fillbook/internal/figures/sharing"
	"fillbook/internal/installation"
	"fillbook/internal/transport"
)

// Options are the API settings.
type Options struct {
	Version string
	Log     *slog.Logger
	Proxies transport.Proxies
	Origins []string // other sites whose pages may call the API
	Metrics *transport.Metrics

	AttachmentMaxBytes int64
	ImportMaxBytes     int64
	// BarsMaxBytes limits the size of a bar file.
	BarsMaxBytes int64
	// ShareLinks enables public links.
	ShareLinks bool
	// PublicURL is the server's public address, for links; empty if it is not configured.
	PublicURL string

	// AuthFailures limits failed sign-ins, refreshes, registrations and setups from one
	// client address: Burst within Burst / PerSecond seconds.
	AuthFailures transport.Rate
	// SecretFailures limits a signed-in user's failed password and code checks.
	SecretFailures transport.Rate
	ShareRate      transport.Rate
	// HookRate limits wrong hook secrets from one client address.
	HookRate transport.Rate
	// ImportsAtOnce is how many files from one user are processed at the same time; the
	// others wait. 0 means no limit.
	ImportsAtOnce int

	// Assistants enables the Model Context Protocol. AssistantCalls limits an access
	// token's tool calls there, AssistantWrites what it stores.
	Assistants                      bool
	AssistantCalls, AssistantWrites transport.Rate
	// AssistantOAuth lets apps ask users for access to it. It needs PublicURL.
	AssistantOAuth bool

	// SpoolDir is the directory for uploads and long answers too large for memory; empty
	// means the system's temporary directory.
	SpoolDir string

	// Web serves everything outside /api: the page and the reference.
	Web http.Handler
}

// API has the operations on one installation.
type API struct {
	*installation.Installation
	options Options
	mux     *http.ServeMux
	// document is the description if the API is made for it and serves no requests.
	document      *huma.OpenAPI
	routes        []*lazyRoute
	allParameters func() map[string]bool // the query parameters on GET routes

	idempotency *transport.Idempotency
	shareLimit  *transport.Limiter
	callLimit   *transport.Limiter // tool calls, by token
	appClients  *appClients
	// providerLimit is by user; see providerRate.
	providerLimit *transport.Limiter
	failures      struct{ auth, secrets, hooks *transport.FailureLimiter }
	spool         *transport.Spool
	queues        queues
	bodies        *transport.BodyBudget
	description   func() ([]byte, error) // openapi.json
	draining      atomic.Bool
	handler       http.Handler
}

// New returns the API with all its routes.
func New(services *installation.Installation, options Options) (*API, error) {
	return newAPI(services, options, nil), nil
}

// newAPI returns the API with all its routes, or, with a document, describes them in it.
func newAPI(services *installation.Installation, options Options, document *huma.OpenAPI) *API {
	if options.AttachmentMaxBytes == 0 {
		options.AttachmentMaxBytes = 10 << 20
	}
	if options.ImportMaxBytes == 0 {
		options.ImportMaxBytes = 10 << 20
	}
	if options.BarsMaxBytes == 0 {
		options.BarsMaxBytes = 256 << 20
	}
	a := &API{Installation: services, options: options, mux: http.NewServeMux(), document: document}
	a.allParameters = sync.OnceValue(a.listQueryParameters)
	a.shareLimit = transport.NewLimiter(options.ShareRate, services.Clock)
	a.providerLimit = transport.NewLimiter(providerRate, services.Clock)
	a.appClients = newAppClients(services.Identity, services.Clock, services.Outbound)
	a.failures.hooks = transport.NewFailureLimiter(options.HookRate, services.Clock)
	a.failures.auth = transport.NewFailureLimiter(options.AuthFailures, services.Clock)
	a.failures.secrets = transport.NewFailureLimiter(options.SecretFailures, services.Clock)
	a.spool = transport.NewSpool(options.SpoolDir, func() error { return services.DB.CheckRoom(0) })
	a.queues = newQueues(options.ImportsAtOnce)
	a.bodies = transport.NewBodyBudget(publicBodies, publicBodiesPerCaller)
	a.idempotency = transport.NewIdempotency(services.DB, services.Keys, services.Clock, options.Log)
	a.description = sync.OnceValues(a.describe)
	a.registerRoutes()
	a.registerServiceRoutes()
	a.registerAssistants()
	a.registerOAuth()
	a.handler = transport.Chain(http.HandlerFunc(a.route),
		transport.Observe(options.Log, options.Proxies, options.Metrics),
		transport.Headers(options.Origins))
	return a
}

// resource is a group of operations.
type resource interface{ register(api *API) }

// registerRoutes registers all routes.
func (a *API) registerRoutes() {
	for _, r := range a.resources() {
		r.register(a)
	}
}

// resources returns all resources, each with its services.
func (a *API) resources() []resource {
	s := a.Installation
	return []resource{
		firstUserAPI{s.Identity, s.Clock},
		signInAPI{s.Identity},
		meAPI{s.Identity},
		tokenAPI{s.Identity, s.Ledger},
		consentAPI{a, s.Identity, s.Ledger},
		adminAPI{s.Identity, s.DeleteUser},
		accountAPI{s.DB, s.Clock, s.Ledger, s.Playbook, s.Bars},
		executionAPI{s.DB, s.Ledger},
		cashAPI{s.Ledger},
		symbolAPI{s.Ledger},
		tradeAPI{db: s.DB, clock: s.Clock, ledger: s.Ledger, playbook: s.Playbook, trades: s.Trades, bars: s.Bars, excursions: s.Excursions},
		positionAPI{clock: s.Clock, trades: s.Trades, excursions: s.Excursions, rates: s.Rates},
		figureAPI{s.Clock, s.Figures, s.Excursions},
		viewAPI{s.Views},
		rateAPI{s.Rates},
		strategyAPI{s.DB, s.Strategies, s.Settings, s.Figures},
		programAPI{s.Clock, s.Enrollments},
		enrollmentAPI{s.Clock, s.Enrollments},
		tradingRuleAPI{s.DB, s.Rulebook, s.Figures},
		goalAPI{s.DB, s.Clock, s.Rulebook, s.Figures},
		noteAPI{s.DB, s.Playbook},
		noteTemplateAPI{s.Playbook},
		corporateActionAPI{s.Ledger},
		tagAPI{s.DB, s.Playbook},
		setupAPI{s.Playbook},
		attachmentAPI{s.DB, s.Playbook},
		missedAPI{s.DB, s.Playbook},
		routineAPI{s.Routine},
		settingAPI{s.Ledger, s.Routine, s.Settings},
		importAPI{s.Imports},
		layoutAPI{s.Imports},
		hookAPI{s.Hooks, a.options.PublicURL},
		channelAPI{s.Channels},
		noticeAPI{s.Clock, s.Notices},
		alertAPI{s.Alerts},
		barAPI{s.Bars, s.BarImports, a.spool},
		barSourceAPI{s.BarSources},
		connectionAPI{s.Connections},
		historyAPI{s.History, s.Ledger, s.RelatedRecords},
		exportAPI{db: s.DB, clock: s.Clock, log: s.Log, playbook: s.Playbook, figures: s.Figures, units: s.Strategies, trades: s.Trades, history: s.History, alerts: s.Alerts},
		undoAPI{s.Undo},
		shareAPI{s.Sharing, a.options.PublicURL, a.options.ShareLinks},
	}
}

// Handler returns the handler for all requests.
func (a *API) Handler() http.Handler { return a.handler }

// Sweep deletes expired answers to idempotent requests.
func (a *API) Sweep(ctx context.Context) error { return a.idempotency.Sweep(ctx) }

// route finds the handler. It answers unknown paths and wrong methods below
// /api in JSON, and passes everything else to the page.
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

// isClean reports whether the router accepts a path without a redirect, in which
// a POST would lose its body.
func isClean(text string) bool { return text == path.Clean(text) }

// writeRouteError writes the router's own refusal as JSON.
func writeRouteError(w http.ResponseWriter, r *http.Request, handler http.Handler) {
	recorded := httptest.NewRecorder()
	handler.ServeHTTP(recorded, r)
	if recorded.Code != http.StatusMethodNotAllowed {
		writePathNotFound(w, r)
		return
	}
	w.Header().Set("Allow", recorded.Header().Get("Allow"))
	transport.WriteRefusal(w, http.StatusMethodNotAllowed, "method_not_allowed",
		"This path does not support "+r.Method+". The Allow header lists the methods that it supports.")
}

// writePathNotFound refuses an unknown path. A path that cannot be a share link is
// refused like an unknown link, so an outsider cannot tell the two apart.
func writePathNotFound(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, prefix+"/public/share/") {
		transport.WriteError(w, r, sharing.ErrNotFound())
		return
	}
	transport.WriteError(w, r, journal.NotFound("path"))
}

// newDocument returns the API description without operations.
func newDocument(version string) *huma.OpenAPI {
	huma.DefaultArrayNullable = false // an empty list is [], never null
	config := huma.Config{OpenAPI: &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info: &huma.Info{
			Title: "Fillbook", Version: version,
			Description: "A trading journal: import fills, group them into trades, annotate, measure and share.\n\n" +
				"Numbers are exact decimals. Times are RFC 3339 in UTC. Lists are complete unless limit is given. " +
				"PUT, PATCH and DELETE of a record take If-Match; POST takes Idempotency-Key.",
			License: &huma.License{Name: "MIT", Identifier: "MIT"},
		},
		Components: &huma.Components{
			Schemas:    newSchemas(),
			Parameters: describeFilterParameters(),
			SecuritySchemes: map[string]*huma.SecurityScheme{"bearer": {
				Type: "http", Scheme: "bearer",
				Description: "A session access token from signing in, or a personal access token (svc_pat_…).",
			}},
		},
	}}
	config.AllowAdditionalPropertiesByDefault = true
	huma.NewAPI(config, nil) // tells the schemas of the setting
	return config.OpenAPI
}
