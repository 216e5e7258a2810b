package httpapi

import (
	"context"
	"net/http"
	"strings"

	"fillbook/internal/identity"
	"fillbook/internal/journal"
	"fillbook/internal/transport"
)

type principalKey struct{}

// caller returns the signed-in user of a route that is not public.
func caller(ctx context.Context) identity.Principal {
	principal, _ := ctx.Value(principalKey{}).(identity.Principal)
	return principal
}

// client returns the address and user agent of the caller, for sessions and the audit.
func client(ctx context.Context) identity.Client {
	request := transport.RequestOf(ctx)
	return identity.Client{IP: request.Address, UserAgent: request.UserAgent, RequestID: request.ID}
}

// authenticate refuses a request whose credential does not give access to the
// route. Access is decided nowhere else.
func (a *API) authenticate(needed access) transport.Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			principal, err := a.principal(r)
			if err == nil {
				err = checkAccess(principal, needed, r.Method)
			}
			if err != nil {
				transport.WriteError(w, r, err)
				return
			}
			request := transport.RequestOf(r.Context())
			request.User, request.Owner = string(principal.PublicID), principal.UserID
			next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), principalKey{}, principal)))
		})
	}
}

func (a *API) principal(r *http.Request) (identity.Principal, error) {
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

func checkAccess(principal identity.Principal, needed access, method string) error {
	byToken := principal.Credential == identity.CredentialToken
	switch {
	case needed == accessOwner && !principal.IsAdmin:
		return journal.Forbidden("Only an owner of this installation may do this.")
	case needed == accessOwner && principal.SessionEnded:
		return principal.RequireNotEnded()
	case needed == accessSession:
		return principal.RequireSession()
	case byToken && principal.ReadOnly && method != http.MethodGet && method != http.MethodHead:
		return journal.Forbidden("This access token can only read.")
	}
	return nil
}
