package httpapi

import (
	"context"
	"net/http"
	"time"

	"fillbook/internal/base/journal"
	"fillbook/internal/transport"
)

// registerServiceRoutes adds what operators and tools ask: whether the process lives, whether
// it can serve, and what the API looks like.
func (a *API) registerServiceRoutes() {
	a.handlePlain("GET /healthz", a.healthz)
	a.handlePlain("GET /readyz", a.readyz)
	a.handlePlain("GET /openapi.json", a.openapi)
}

func (a *API) handlePlain(pattern string, handler http.HandlerFunc) {
	a.mux.Handle(pattern, transport.Chain(handler, withRouteName(pattern), transport.BufferResponses(a.spool)))
}

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

// Drain makes readyz fail, so no new traffic is sent here.
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

func writeJSON(w http.ResponseWriter, value any) { writeJSONStatus(w, http.StatusOK, value) }

func writeJSONStatus(w http.ResponseWriter, status int, value any) {
	body, err := transport.Marshal(value)
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(body)
}
