package httpapi

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"fillbook/internal/base/history"
	"fillbook/internal/base/journal"
	"fillbook/internal/people/identity"
	"fillbook/internal/transport"
)

type principalKey struct{}

// caller returns the signed-in user on a private route.
func caller(ctx context.Context) identity.Principal {
	principal, _ := ctx.Value(principalKey{}).(identity.Principal)
	return principal
}

// client returns the caller's address and user agent, for sessions and the audit.
func client(ctx context.Context) identity.Client {
	request := transport.RequestOf(ctx)
	return identity.Client{IP: request.Address, UserAgent: request.UserAgent, RequestID: request.ID}
}

// authenticate refuses a request whose credential gives no access to the route, and
// limits the request to the access token's accounts. Access is decided nowhere else.
func (a *API) authenticate(route route) transport.Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			principal, err := a.principal(r)
			if err == nil {
				err = checkAccess(principal, route, r.URL.Query())
			}
			if err != nil {
				transport.WriteError(w, r, err)
				return
			}
			request := transport.RequestOf(r.Context())
			request.User, request.Owner = string(principal.PublicID), principal.UserID
			ctx := history.WithActor(context.WithValue(r.Context(), principalKey{}, principal), principal.Actor())
			if principal.Accounts != nil {
				ctx = journal.LimitAccounts(ctx, principal.Accounts)
			}
			if principal.Accounts != nil || principal.Scope == identity.ScopeImport {
				request.Limit = string(principal.TokenID)
			}
			next.ServeHTTP(w, r.WithContext(ctx))
		})
	}
}

type ownCallerKey struct{}

// HandlerFor returns the handler for the server's own requests, which have no credential.
// They act as the caller.
func (a *API) HandlerFor(caller identity.Principal) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.handler.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), ownCallerKey{}, caller)))
	})
}

func (a *API) principal(r *http.Request) (identity.Principal, error) {
	if own, ok := r.Context().Value(ownCallerKey{}).(identity.Principal); ok {
		return own, nil
	}
	token, err := parseBearer(r.Header.Values("Authorization"))
	if err != nil {
		return identity.Principal{}, err
	}
	return a.Identity.Authenticate(r.Context(), token, client(r.Context()))
}

func parseBearer(headers []string) (string, error) {
	if len(headers) > 1 {
		return "", journal.InvalidField("Authorization", "The Authorization header may be sent only once.")
	}
	if len(headers) == 0 {
		return "", journal.Unauthorized("Sign in first: this call needs the header Authorization: Bearer <token>.")
	}
	scheme, token, ok := strings.Cut(headers[0], " ")
	if !ok || !strings.EqualFold(scheme, "Bearer") || token == "" {
		return "", journal.Unauthorized("The Authorization header must be Bearer <token>.")
	}
	return strings.TrimSpace(token), nil
}

func checkAccess(principal identity.Principal, route route, query url.Values) error {
	switch {
	case route.access == accessOwner && !principal.IsAdmin:
		return journal.Forbidden("Only an owner of this installation may do this.")
	case route.access == accessOwner && principal.SessionEnded:
		return principal.RequireNotEnded()
	case route.access == accessSession:
		return principal.RequireSession()
	}
	return route.checkToken(principal, query)
}
