package httpapi

import (
	"context"
	"net/http"

	"fillbook/internal/base/journal"
	"fillbook/internal/base/secrets"
	"fillbook/internal/people/identity"
	"fillbook/internal/transport"
)

type loginRequest struct {
	Credentials
	Code secrets.Secret `json:"totp_code" required:"false" doc:"The six digits, if the user has a second factor."`
}

type refreshRequest struct {
	RefreshToken secrets.Secret `json:"refresh_token"`
}

// signInAPI has the operations for signing in and out.
type signInAPI struct {
	identity *identity.Service
}

func (a signInAPI) register(api *API) {
	register(api, a.authRoute("/auth/login", "logIn", "Sign in", http.StatusUnauthorized),
		func(ctx context.Context, in *body[loginRequest]) (*body[TokenPair], error) {
			pair, err := a.identity.Login(ctx, client(ctx), in.Body.Email, in.Body.Password, in.Body.Code)
			return answer(shapePair(pair), err)
		})
	register(api, a.authRoute("/auth/refresh", "refresh", "Exchange a refresh token for a new pair", http.StatusUnauthorized),
		func(ctx context.Context, in *body[refreshRequest]) (*body[TokenPair], error) {
			pair, err := a.identity.Refresh(ctx, client(ctx), in.Body.RefreshToken)
			return answer(shapePair(pair), err)
		})
	registration := a.authRoute("/auth/register", "registerUser", "Register, if registration is open", http.StatusForbidden, http.StatusConflict)
	registration.status = http.StatusCreated
	register(api, registration, func(ctx context.Context, in *body[Credentials]) (*body[NewUser], error) {
		created, pair, err := a.identity.Register(ctx, client(ctx), in.Body.Email, in.Body.Password)
		return answer(NewUser{shapePair(pair), created.PublicID, created.Email}, err)
	})
	logout := a.authRoute("/auth/logout", "logOut", "End this session", http.StatusUnauthorized)
	logout.limitKind = unlimited
	logout.about = "The bearer token or refresh_token identifies the session. The access token stays valid until it expires."
	register(api, logout, a.logOut)
}

func (a signInAPI) authRoute(path, id, summary string, refusals ...int) route {
	return route{
		method: http.MethodPost, path: path, id: id, tag: "Sign-in", summary: summary, access: accessPublic, secret: true,
		body: transport.JSONBody, limit: publicBody, limitKind: authLimit, refusals: refusals,
	}
}

type logoutInput struct {
	Authorization string `header:"Authorization"`
	Body          *struct {
		RefreshToken secrets.Secret `json:"refresh_token" required:"false"`
	} `required:"false"`
}

// logOut accepts either credential: a page without its access token or without its
// refresh token can still sign out.
func (a signInAPI) logOut(ctx context.Context, in *logoutInput) (*nothing, error) {
	var principal identity.Principal
	if token, err := parseBearer([]string{in.Authorization}); err == nil {
		principal, err = a.identity.Authenticate(ctx, token, client(ctx))
		// An invalid bearer token does not matter if the refresh token is valid.
		if err != nil && !journal.IsKind(err, journal.KindUnauthorized) {
			return nil, err
		}
	}
	var refresh secrets.Secret
	if in.Body != nil {
		refresh = in.Body.RefreshToken
	}
	return nil, a.identity.Logout(ctx, principal, client(ctx), refresh)
}
