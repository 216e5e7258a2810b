// Package assistants answers assistants over the Model Context Protocol: tools and prompts
// with which a language model reads a journal and writes to it.
//
// Tools have no access to the journal of their own. Each sends requests to the HTTP API as
// the caller's access token, through [API], so permissions, limits and figures are the
// API's. Answers keep the API's numbers as they are, separate the trader's texts from
// everything else (see text.go), and are small (see result.go).
package assistants

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"fillbook/internal/base/journal"
	"fillbook/internal/people/identity"
	"fillbook/internal/transport"
)

// API sends requests to the HTTP API. They act as the access token of the context.
type API interface {
	Send(ctx context.Context, r Request) Response
}

// Request is a request to the API. Body is JSON; it may be nil.
type Request struct {
	Method, Path string
	Query        url.Values
	Body         []byte
}

// Response is the API's answer.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// Options are the settings of a server for assistants.
type Options struct {
	Version   string
	PublicURL string // for links; empty if it is not configured
	Clock     journal.Clock
	Log       *slog.Logger
	API       API
	// Caller returns the access token that a call acts as.
	Caller func(ctx context.Context) identity.Principal
	// Preferences returns a user's preferences.
	Preferences func(ctx context.Context, owner journal.UserID) (identity.Preferences, error)
	// Sign returns a keyed hash, for cursors.
	Sign func(parts ...[]byte) []byte
	// Writes limits the writes of a token.
	Writes transport.Rate
	// Once answers a repeated call with a request key with the answer to the first one.
	Once transport.Middleware
}

// Server has the tools for all scopes.
type Server struct {
	Options
	tools   []*tool
	writes  *transport.Limiter
	tagged  dayCounter
	servers map[identity.Scope]*mcp.Server
	handler http.Handler
}

// Scopes are the scopes of access tokens that assistants can use, the weakest first. A
// secret in a client's configuration must not allow more than the tools need.
func Scopes() []identity.Scope {
	return []identity.Scope{identity.ScopeAnalytics, identity.ScopeRead, identity.ScopeWrite}
}

// callTimeout limits a tool call. Clients give up later than this.
const callTimeout = 20 * time.Second

// New returns a server.
func New(options Options) *Server {
	s := &Server{Options: options, tools: tools(), servers: map[identity.Scope]*mcp.Server{}}
	s.writes = transport.NewLimiter(options.Writes, options.Clock)
	for _, scope := range Scopes() {
		s.servers[scope] = s.newServer(scope)
	}
	s.handler = mcp.NewStreamableHTTPHandler(func(r *http.Request) *mcp.Server {
		return s.servers[s.Caller(r.Context()).Scope]
	}, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, PropagateRequestCancellation: true,
		// The token is never sent by a browser on its own, and names in a home network must
		// work. The origin is checked before.
		DisableLocalhostProtection: true,
	})
	return s
}

// Handler serves the protocol. The request's body and its caller have been checked.
func (s *Server) Handler() http.Handler { return s.handler }

// newServer returns the server with a scope's tools. The default cache scope is public, and
// the default capabilities announce logging.
func (s *Server) newServer(scope identity.Scope) *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "fillbook", Title: "Fillbook trading journal", Version: s.Version}, &mcp.ServerOptions{
		Instructions: instructions,
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}, Prompts: &mcp.PromptCapabilities{}},
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) { c.CacheScope = "private" },
		PageSize:     len(s.tools), // some clients read the first page only
	})
	for _, t := range s.tools {
		if t.allows(scope) {
			server.AddTool(t.definition(), s.callTool(t))
		}
	}
	for _, p := range prompts {
		server.AddPrompt(p.definition(), p.render)
	}
	server.AddReceivingMiddleware(refuseSubscriptions)
	return server
}

// refuseSubscriptions refuses what would hold a connection open: nothing is ever sent on it.
func refuseSubscriptions(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
		if method == "subscriptions/listen" {
			return nil, errNoSubscriptions
		}
		return next(ctx, method, request)
	}
}
