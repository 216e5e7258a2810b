package httpapi

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"fillbook/internal/assistants"
	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/people/identity"
	"fillbook/internal/transport"
)

// assistantsPath serves the Model Context Protocol. It is not below /api/v1: clients and
// their users type it.
const assistantsPath = "/mcp"

// registerAssistants adds the endpoint for assistants. Without SVC_MCP it does not exist.
func (a *API) registerAssistants() {
	if !a.options.Assistants {
		a.handlePlain(assistantsPath, writePathNotFound)
		return
	}
	a.callLimit = transport.NewLimiter(a.options.AssistantCalls, a.Clock)
	spooled := transport.Intake{Body: transport.JSONBody, Limit: usualBody, Spool: a.spool}
	server := assistants.New(assistants.Options{
		Version: a.options.Version, PublicURL: a.options.PublicURL, Clock: a.Clock, Log: a.options.Log, API: ownRequests{a},
		Caller: caller, Preferences: a.Identity.Preferences, Writes: a.options.AssistantWrites,
		Sign: func(parts ...[]byte) []byte { return a.Keys.MAC("assistants", parts...) },
		Once: func(next http.Handler) http.Handler {
			return transport.Chain(next, spooled.Middleware(), a.idempotency.Middleware())
		},
	})
	a.mux.Handle(assistantsPath, transport.Chain(server.Handler(),
		withRouteName(assistantsPath), a.admitAssistant, a.checkOrigin, requirePost, spooled.Middleware(), a.checkMessage))
}

// admitAssistant refuses everything but access tokens with the scopes of assistants.
func (a *API) admitAssistant(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		principal, err := a.assistantPrincipal(r)
		if err == nil {
			err = checkAssistant(principal)
		}
		if err != nil {
			a.challengeApp(transport.Refuse(r.Context(), err), r).Write(w)
			return
		}
		request := transport.RequestOf(r.Context())
		request.User, request.Owner = string(principal.PublicID), principal.UserID
		ctx := history.WithActor(context.WithValue(r.Context(), principalKey{}, principal), principal.Actor())
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// assistantPrincipal returns the owner of the request's credential, which may be one that an
// app got through OAuth.
func (a *API) assistantPrincipal(r *http.Request) (identity.Principal, error) {
	token, err := parseBearer(r.Header.Values("Authorization"))
	if err != nil {
		return identity.Principal{}, err
	}
	if !a.offersOAuth() {
		return a.Identity.Authenticate(r.Context(), token, client(r.Context()))
	}
	return a.Identity.AuthenticateApp(r.Context(), token, client(r.Context()))
}

// checkAssistant returns an error unless the caller is an access token that an assistant can
// use.
func checkAssistant(caller identity.Principal) error {
	if caller.Credential == identity.CredentialToken && slices.Contains(assistants.Scopes(), caller.Scope) {
		return nil
	}
	refused := identity.InsufficientScope(caller.Scope, assistants.Scopes(), "")
	if known, ok := refused.(*journal.Error); ok && caller.Credential != identity.CredentialToken { //nolint:errorlint // it is not wrapped
		known.Message = "Assistants need an access token with scope analytics, read or write. A session cannot be used."
		known.Details["granted"] = "session"
	}
	return refused
}

// checkOrigin refuses pages of other sites. The host is not checked: a browser never sends
// the token on its own, and names in a home network must work.
func (a *API) checkOrigin(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if origin := r.Header.Get("Origin"); origin != "" && !a.allowsOrigin(r, origin) {
			transport.WriteError(w, r, journal.Forbidden("Pages of this origin may not call this address. The server's setting SVC_CORS_ORIGINS lists the ones that may."))
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (a *API) allowsOrigin(r *http.Request, origin string) bool {
	if slices.Contains(a.options.Origins, origin) {
		return true
	}
	sent, err := url.Parse(origin)
	if err != nil || sent.Host == "" {
		return false
	}
	if public, err := url.Parse(a.options.PublicURL); err == nil && public.Host != "" && sent.Scheme == public.Scheme && strings.EqualFold(sent.Host, public.Host) {
		return true
	}
	return isLoopback(sent.Hostname()) && sent.Port() == localPort(r)
}

// isLoopback reports whether a host name is this machine's.
func isLoopback(host string) bool {
	address, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && address.IsLoopback()
}

// localPort returns the port at which the request arrived, or "".
func localPort(r *http.Request) string {
	address, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if address == nil {
		return ""
	}
	_, port, _ := net.SplitHostPort(address.String())
	return port
}

// requirePost refuses other methods and other media types, before the body is read.
func requirePost(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			w.Header().Set("Allow", http.MethodPost)
			transport.WriteRefusal(w, http.StatusMethodNotAllowed, "method_not_allowed", "This path supports POST only.")
			return
		}
		if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != "application/json" {
			transport.WriteRefusal(w, http.StatusUnsupportedMediaType, "unsupported_media_type", "This endpoint accepts only application/json.")
			return
		}
		w.Header().Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}

// checkMessage refuses a body that is no single message, and tool calls above the token's
// limit.
func (a *API) checkMessage(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body) // in memory
		var message struct {
			Method string `json:"method"`
		}
		if err == nil && (len(body) == 0 || bytes.TrimLeft(body, " \t\r\n")[0] != '{') {
			err = journal.Invalid("The body must be one JSON-RPC message. Batches are not supported.")
		}
		if err == nil {
			err = transport.Unmarshal(body, &message)
		}
		if err == nil && message.Method == "tools/call" {
			err = a.takeCall(caller(r.Context()))
		}
		if err != nil {
			transport.WriteError(w, r, err)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
	})
}

// takeCall counts a tool call of a token.
func (a *API) takeCall(token identity.Principal) error {
	err := a.callLimit.Take(string(token.TokenID))
	if refused, isLimit := err.(*journal.Error); isLimit { //nolint:errorlint // Take returns no other error
		seconds := max(1, int(refused.RetryAfter.Seconds()+0.999))
		limited := *refused
		limited.Message = fmt.Sprintf("This token has made too many calls. Try again in %d s.", seconds)
		return &limited
	}
	return err
}

// ownRequests sends the requests of assistants' tools to the API, as the same token.
type ownRequests struct{ api *API }

type byAssistantKey struct{}

// isByAssistant reports whether an assistant's tool sent the request.
func isByAssistant(ctx context.Context) bool { return ctx.Value(byAssistantKey{}) != nil }

// Send implements [assistants.API].
func (o ownRequests) Send(ctx context.Context, sent assistants.Request) assistants.Response {
	ctx, own := transport.ForkRequest(ctx)
	ctx = context.WithValue(ctx, ownCallerKey{}, caller(ctx))
	ctx = context.WithValue(ctx, byAssistantKey{}, true)
	address := prefix + sent.Path
	if len(sent.Query) > 0 {
		address += "?" + sent.Query.Encode()
	}
	r, err := http.NewRequestWithContext(ctx, sent.Method, address, bytes.NewReader(sent.Body))
	if err != nil {
		return assistants.Response{Status: http.StatusInternalServerError}
	}
	if sent.Body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	recorded := httptest.NewRecorder()
	o.api.mux.ServeHTTP(recorded, r)
	if own.Fault != nil {
		transport.LogWith(ctx, o.api.options.Log).Error("request of a tool failed", "route", own.Route, "error", own.Fault)
	}
	return assistants.Response{Status: recorded.Code, Header: recorded.Header(), Body: recorded.Body.Bytes()}
}
