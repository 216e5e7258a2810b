package httpapi

import (
	"context"
	"maps"
	"net/http"
	"reflect"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"fillbook/internal/base/journal"
	"fillbook/internal/transport"
)

// registerServiceRoutes adds what operators and tools ask: whether the process lives, whether
// it can serve, and what the API looks like.
func (a *API) registerServiceRoutes() {
	a.describeErrors()
	// It takes longer than the rest of the start, and is rarely requested.
	a.description = sync.OnceValues(func() ([]byte, error) {
		schemas.Lock()
		defer schemas.Unlock()
		return transport.Marshal(a.huma.OpenAPI())
	})
	a.handlePlain("GET /healthz", a.healthz)
	a.handlePlain("GET /readyz", a.readyz)
	a.handlePlain("GET /openapi.json", a.openapi)
}

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

func (a *API) handlePlain(pattern string, handler http.HandlerFunc) {
	a.mux.Handle(pattern, transport.Chain(handler, withRouteName(pattern), transport.BufferResponses(a.spool)))
}

// Description returns the OpenAPI document.
func (a *API) Description() ([]byte, error) { return a.description() }

func (a *API) healthz(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, map[string]string{"status": "ok"})
}

// readyPatience is how long the database may take to answer readyz. A load
// balancer does not wait long for an answer.
const readyPatience = 2 * time.Second

// readyz is for load balancers: it fails while the database is unavailable or the
// server is draining.
func (a *API) readyz(w http.ResponseWriter, r *http.Request) {
	if a.draining.Load() {
		transport.WriteError(w, r, journal.Unavailable(nil))
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), readyPatience)
	defer cancel()
	if err := a.DB.Ping(ctx); err != nil {
		transport.WriteError(w, r, journal.Unavailable(err))
		return
	}
	status := "ready"
	if a.DB.ReadOnly() {
		status = "read_only"
	}
	writeJSON(w, map[string]string{"status": status})
}

// Drain makes readyz fail, so that no new traffic is sent here.
func (a *API) Drain() { a.draining.Store(true) }

func (a *API) openapi(w http.ResponseWriter, r *http.Request) {
	text, err := a.description()
	if err != nil {
		transport.WriteError(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-cache")
	_, _ = w.Write(text)
}

func writeJSON(w http.ResponseWriter, value any) {
	body, err := transport.Marshal(value)
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(body)
}
